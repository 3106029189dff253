"""Orders of the ops of a graph in which they can be computed and in which ops that belong together follow each other."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from heapq import heappop, heappush
from typing import Any

from eqsat.graph.core import Apply, Constant
from eqsat.inspect.loop_facts import is_view

Key = Callable[[Apply], str]
Run = tuple[str, list[Apply]]


def runs(nodes: Sequence[Apply], key: Key, hidden: Container[Any] = ()) -> list[Run]:
    """Ops in an order in which they can be computed that changes from one key to another seldom, cut where it does.

    Views of inputs, what is made of constants alone and what is ``hidden`` stand right before the first op that uses them.

    >>> import eqsat.tensor as T
    >>> from eqsat.graph.walk import toposort
    >>> x, y = T.dvectors("x", "y")
    >>> nodes = toposort([T.exp(T.sin(T.exp(x))) + T.sin(y)])
    >>> [(name, len(run)) for name, run in runs(nodes, lambda n: str(n.op))]
    [('exp', 1), ('sin', 2), ('exp', 1), ('add', 1)]
    """
    beside = _beside(nodes, hidden)
    found = _in_order([n for n in nodes if n not in beside], _needs(nodes, beside), key)
    first: dict[Apply, list[Apply]] = {}
    for _, run in found:
        for node in run:
            first[node] = _taken(node, beside)
    return [(name, [m for n in run for m in (*first[n], n)]) for name, run in found]


def _beside(nodes: Sequence[Apply], hidden: Container[Any]) -> set[Apply]:
    """Ops that have no place of their own."""
    here, used = set(nodes), {v.owner for n in nodes for v in n.inputs}
    free: set[Apply] = set()
    for node in nodes:
        near = [v for v in node.inputs if v.owner in here]
        small = is_view(node) or all(v.owner is not None or isinstance(v, Constant) for v in node.inputs)
        if small and node in used and all(v.owner in free for v in near):
            free.add(node)
    return free | {n for n in nodes if n in hidden and n in used}


def _needs(nodes: Sequence[Apply], beside: set[Apply]) -> dict[Apply, set[Apply]]:
    """For each op the ops that have a place of their own that it needs, also through those that have none."""
    found: dict[Apply, set[Apply]] = {}
    for node in nodes:
        mine: set[Apply] = set()
        for owner in {v.owner for v in node.inputs}:
            if owner in found:
                mine |= found[owner] if owner in beside else {owner}
        found[node] = mine
    return found


def _taken(node: Apply, beside: set[Apply]) -> list[Apply]:
    """The ops without a place that an op uses and no op before it does, in order; they are no longer ``beside``."""
    found: list[Apply] = []
    stack: list[Any] = [(node, False)]
    while stack:
        other, done = stack.pop()
        if done:
            found.append(other)
        elif other is node or other in beside:
            beside.discard(other)
            stack += [(other, True)] if other is not node else []
            stack += [(v.owner, False) for v in reversed(other.inputs) if v.owner in beside]
    return found


def _in_order(nodes: Sequence[Apply], needs: dict[Apply, set[Apply]], key: Key) -> list[Run]:
    place = {n: k for k, n in enumerate(nodes)}
    waiting = {n: len(needs[n]) for n in nodes}
    users: dict[Apply, list[Apply]] = {n: [] for n in nodes}
    ready: dict[str, list[tuple[int, Apply]]] = {}
    for node in nodes:
        for other in needs[node]:
            users[other].append(node)
        if not waiting[node]:
            heappush(ready.setdefault(key(node), []), (place[node], node))
    found: list[Run] = []
    while ready:
        now = min(ready, key=lambda name: ready[name][0][0])
        queue, run = ready.pop(now), []
        while queue:
            _, node = heappop(queue)
            run.append(node)
            for user in users[node]:
                waiting[user] -= 1
                if not waiting[user]:
                    name = key(user)
                    heappush(queue if name == now else ready.setdefault(name, []), (place[user], user))
        found.append((now, run))
    return found
