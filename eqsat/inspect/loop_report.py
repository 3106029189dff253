"""The changes of loops: work that left a loop, work that is no longer done, and the seconds inside.

The loops of the graph as written are compared with those of the chosen one. A loop is found again by its name, or by
what it still computes. Ops are compared by what they are and by the variables outside, and the states, that they are
computed from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.base.units import bytes_text, time_text, times
from eqsat.base.values import dataclass
from eqsat.graph.core import Apply
from eqsat.graph.inner_graphs import FIXED
from eqsat.graph.walk import ancestors, toposort
from eqsat.inspect.loop_facts import (
    UNNAMED_STATES,
    LoopFacts,
    base_name,
    expression,
    is_view,
    leaf_sets,
    loop_in,
    loops_of,
    matches_of,
    stem,
)
from eqsat.printing.leaf_texts import steps_text

MOST = 6  # expressions that are named one by one
STATES = ("state, at first", "carried, at first")  # stacked, or only the last value


@dataclass(frozen=True)
class LoopChange:
    """One loop of the graph as written.

    ``steps`` is its number of steps in words, ``count`` the number, ``trips`` how often its step runs, with the loops
    around it, and ``assumed`` true where some of these is unknown and counts as the default length of the cost model. ``ops``
    are the numbers of ops of a step before and after, ``seconds`` those of all steps by the cost model; ``loops`` is how many loops it
    is now, 0 where it is gone. ``before`` and ``after`` pair what a step computed with what is now computed once, before
    or after the loop; ``gone`` names states and inputs that are no longer there, ``last_only`` states of which only
    the last value is kept, with the bytes that their other values had taken, ``merged`` other loops that run together
    with this one.

    Units    seconds by the cost model; bytes
    """

    name: str
    made_at: str | None
    steps: str
    count: float
    trips: float
    assumed: bool
    ops: tuple[int, int]
    seconds: tuple[float, float]
    loops: int = 1
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    last_only: tuple[tuple[str, float], ...] = ()
    merged: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" at {self.made_at}" if self.made_at else ""
        head = f"loop    {self.name}{where}: {self.steps}"
        if self.assumed or self.trips != self.count:
            words = [f"{self.trips:,.0f} in all"] * (self.trips != self.count)
            words += [f"{self.count:,.0f} assumed" if not words else "assumed"] * self.assumed
            head += f" ({', '.join(words)})"
        return "\n".join([head, *(f"          {line}" for line in self._lines())])

    def _lines(self) -> Iterator[str]:
        old, new = times(*self.seconds)
        if not self.loops:
            yield f"the loop is gone: {self.ops[0]} ops a step, {time_text(self.seconds[0])} in all steps"
        else:
            several = f" of {self.loops} loops" if self.loops > 1 else ""
            yield f"{self.ops[0]} -> {self.ops[1]} ops a step{several}, {old} -> {new} in all steps"
        for word, pairs in (("before", self.before), ("after", self.after)):
            place = "instead of" if not self.loops else word
            for was, now in pairs[:MOST]:
                yield f"{place} the loop: {now}"
                if was:
                    yield f"  for {was}"
            if len(pairs) > MOST:
                yield f"{place} the loop: {len(pairs) - MOST} more"
        if self.gone:
            yield f"no longer there: {', '.join(self.gone)}"
        for name, size in self.last_only:
            yield f"only the last value is kept: {name}, {bytes_text(size)} less"
        if self.merged:
            yield f"runs together with: {', '.join(self.merged)}"


def loop_changes(
    before: Sequence[Any], after: Sequence[Any], model: Any, known: Sequence[Any] = (None, None)
) -> list[LoopChange]:
    """For each loop of the graph ``before``, those inside others too, what became of it in ``after``.

    ``known`` are the lengths to reckon with in either.
    """
    old, new = loops_of(before, model, known[0]), loops_of(after, model, known[1])
    if not old:
        return []
    comparison = _Comparison(matches_of(old, new), before, after, new)
    return [comparison.change(loop) for loop in old]


class _Comparison:
    """The graph outside of all loops before and after, and the pairs of loops."""

    def __init__(
        self,
        became: dict[LoopFacts, list[LoopFacts]],
        before: Sequence[Any],
        after: Sequence[Any],
        new: Sequence[LoopFacts],
    ) -> None:
        self.became = became
        order = toposort(after)
        self.leaves = leaf_sets(after, {})
        marks = {v: mark for loop in new if loop.around is None for v, mark in loop.marks.items()}
        self.beside = leaf_sets(after, marks)
        self.names = {
            v: f"{name}[all t]" if getattr(v.type, "ndim", 0) else name
            for v, mark in marks.items()
            for _, name in mark
        }
        self.ahead_of_loops = set(toposort(v for n in new if n.around is None for v in n.node.inputs))
        self.done_in_steps = {
            key for loop, found in became.items() if not found for key in loop.keys.values()
        }
        self.added = [n for n in _added(toposort(before), order) if loop_in(n) is None]
        self.done_outside = {(base_name(n), self.leaves[n.outputs[0]]) for n in self.added}

    def change(self, loop: LoopFacts) -> LoopChange:
        """The change of one loop."""
        new = self.became[loop]
        count, unit = steps_text(loop.graph)
        others = [
            o.name for o, found in self.became.items() if o is not loop and any(n in new for n in found)
        ]
        return LoopChange(
            name=loop.name,
            made_at=loop.node.outputs[0].made_at if loop.node.outputs else None,
            steps=f"{count}{unit}",
            count=loop.count,
            trips=loop.trips,
            assumed=loop.assumed,
            loops=len(new),
            ops=(len(loop.nodes), sum(len(n.nodes) for n in new)),
            seconds=(loop.seconds, sum(n.seconds for n in new)),
            before=tuple(self.ahead(loop, new) if new else self.instead(loop)),
            after=tuple(self.behind(loop, new)),
            gone=tuple(_gone(loop, new)) if new else (),
            last_only=tuple(_last_only(loop, new)),
            merged=tuple(others),
        )

    def instead(self, loop: LoopFacts) -> Iterator[tuple[str, str]]:
        """The expressions that replace a loop that is gone, over its operands."""
        for node in _largest([n for n in self.added if self.credited(n, loop)]):
            leaves = self.leaves[node.outputs[0]]
            yield _was(loop, loop.nodes, leaves, base_name(node)), expression(node.outputs[0], self.names)

    def credited(self, node: Apply, loop: LoopFacts) -> bool:
        """True for an op that a loop that is gone did in its steps, or may have become where no other loop did it."""
        key = (base_name(node), self.leaves[node.outputs[0]])
        if key in self.done_in_steps:
            return key in loop.keys.values()
        if (
            loop.states or loop.stems.keys() & UNNAMED_STATES
        ):  # what was carried is a sum, or another op over time
            return key[1] <= frozenset().union(*loop.leaves.values())
        lost = [own for n, own in loop.keys.items() if own not in self.done_outside and not is_view(n)]
        return any(leaves == key[1] for _, leaves in lost)

    def ahead(self, loop: LoopFacts, new: Sequence[LoopFacts]) -> Iterator[tuple[str, str]]:
        """Operands of a loop that had been computed in its steps."""
        lost = _lost(loop, new)
        for n in new:
            taken = [n.node.inputs[p.outer or 0] for p in n.graph.inputs if p.kind in (FIXED, "sequence")]
            for v in dict.fromkeys(map(_seen, taken)):
                leaves = self.leaves[v] if n.around is None else n.around.of[v]
                if v.owner is None or not self.is_new(v.owner, loop, n):
                    continue
                was = _was(loop, lost, leaves, base_name(v.owner))
                if was:
                    yield was, expression(v, self.names if n.around is None else n.around.labels)

    def is_new(self, node: Apply, loop: LoopFacts, new: LoopFacts) -> bool:
        """True for an op around a loop that was not there in the graph as written."""
        if new.around is None or loop.around is None:
            return node in self.added
        return node in _added(loop.around.nodes, new.around.nodes)

    def behind(self, loop: LoopFacts, new: Sequence[LoopFacts]) -> Iterator[tuple[str, str]]:
        """Results of the stacked values of a loop that had been computed in its steps."""
        lost = _lost(loop, new)
        marks = {mark for n in new if n.around is None for own in n.marks.values() for mark in own}
        bases = {base_name(n) for n in lost}
        summed = bool(new) and bool(_states_gone(loop, new))  # a sum over time is then another op
        for node in self.added:
            leaves = self.beside[node.outputs[0]]
            if leaves & marks and (summed or base_name(node) in bases):
                was = _was(loop, lost, leaves, base_name(node))
                if was or node not in self.ahead_of_loops:
                    yield was, expression(node.outputs[0], self.names)


def _largest(nodes: Sequence[Apply]) -> list[Apply]:
    """The ops that are no operands of others among them."""
    inner = {v.owner for n in nodes for v in n.inputs}
    return [n for n in nodes if n not in inner]


def _seen(v: Any) -> Any:
    """The variable behind a view."""
    while v.owner is not None and is_view(v.owner):
        v = v.owner.inputs[0]
    return v


def _added(before: Sequence[Apply], after: Sequence[Apply]) -> list[Apply]:
    """The ops that are more often in the second list, views apart."""
    left = Counter(map(str, (n.op for n in before)))
    found = []
    for node in after:
        if left[str(node.op)] > 0:
            left[str(node.op)] -= 1
        elif not is_view(node):
            found.append(node)
    return found


def _lost(loop: LoopFacts, new: Sequence[LoopFacts]) -> list[Apply]:
    """The ops of a step that it no longer does."""
    left = Counter(key for n in new for key in n.keys.values())
    found = []
    for node, key in loop.keys.items():
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(node)
    return found


def _was(loop: LoopFacts, lost: Sequence[Apply], leaves: frozenset[Any], base: str) -> str:
    """The largest expressions of a step, of those that are lost, of the same operands as one outside."""
    same = [n for n in lost if loop.keys[n][1] == leaves]
    named = [n for n in same if base_name(n) == base]
    texts = list(dict.fromkeys(loop.text(n.outputs[0]) for n in _largest(named or same)))
    return texts[0] + (f", and {len(texts) - 1} more" if len(texts) > 1 else "") if texts else ""


def _gone(loop: LoopFacts, new: Sequence[LoopFacts]) -> Iterator[str]:
    """Inputs that no step had read, and states that are no longer there."""
    read = set(ancestors(loop.graph.results))
    yield from (p.label for p in loop.graph.inputs if p.variable is not None and p.variable not in read)
    yield from _states_gone(loop, new)


def _states_gone(loop: LoopFacts, new: Sequence[LoopFacts]) -> list[str]:
    return sorted(loop.states - {s for n in new for s in n.states})


def _last_only(loop: LoopFacts, new: Sequence[LoopFacts]) -> Iterator[tuple[str, float]]:
    """States whose values were stacked and no longer are, and how many bytes that saves."""
    kinds = {s: kind for n in new for s, kind in n.stems.items()}
    for port in loop.graph.outputs:
        name = stem(port.label)
        if port.kind == STATES[0] and kinds.get(name) == STATES[1]:
            kind: Any = loop.node.outputs[port.outer or 0].type
            row = np.prod(loop.model.lengths(kind.shape[1:])) * np.dtype(kind.dtype).itemsize
            yield name, float((loop.count - 1) * row)
