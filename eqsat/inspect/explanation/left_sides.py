"""The e-nodes that a rule matched: what a graph must hold for the rule to lead on from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from eqsat.egraph.function_search import inside
from eqsat.egraph.reading import NUM, ENode
from eqsat.rules.pattern import Meta, Number, Term
from eqsat.rules.rule import Rule

MOST = 20  # ways to match one e-node; more are not looked at

Forms = Mapping[int, Sequence[ENode]]


def matched(rule: Rule, enodes: Sequence[ENode], roots: Iterable[int]) -> dict[int, set[ENode]]:
    """The e-nodes by which the left sides of a rule match in some classes, by class, with those below them.

    Only ops, numbers and equal operands are looked at, not what the rule asks of them.
    """
    forms = by_class(enodes)
    found: dict[int, set[ENode]] = {}
    tops = [(left, e) for root in roots for left, _ in rule.pairs for e in forms.get(root, ())]
    for left, top in tops:
        for way in islice(ways(left, top, forms), MOST):
            for e in way:
                found.setdefault(e.cls, set()).add(e)
    return found


def leading(enodes: Sequence[ENode], starts: Iterable[int], ends: Iterable[int]) -> dict[int, set[ENode]]:
    """The e-nodes of the shortest ways from some classes down to the nearest of others, by class; none for the others."""
    above: dict[int, list[ENode]] = defaultdict(list)
    for e in enodes:
        for c in e.children:
            above[c].append(e)
    depth = dict.fromkeys(ends, 0)
    order = list(depth)
    for c in order:
        for e in above[c]:
            if e.cls not in depth:
                depth[e.cls] = depth[c] + 1
                order.append(e.cls)
    found: dict[int, set[ENode]] = {}
    below = {e: min(depth.get(c, len(order)) for c in e.children) for e in enodes if e.children}
    forms = by_class(e for e, least in below.items() if least < depth.get(e.cls, 0))
    waiting = [c for c in starts if c in depth]
    while waiting:
        cls = waiting.pop()
        if depth[cls] and cls not in found:
            found[cls] = {e for e in forms[cls] if below[e] == depth[cls] - 1}
            waiting += [c for e in found[cls] for c in e.children if depth.get(c) == depth[cls] - 1]
    return found


def by_class(enodes: Iterable[ENode]) -> dict[int, list[ENode]]:
    """E-nodes by their class."""
    forms: dict[int, list[ENode]] = defaultdict(list)
    for e in enodes:
        forms[e.cls].append(e)
    return forms


def ways(left: Term, top: ENode, forms: Forms) -> Iterator[tuple[ENode, ...]]:
    """The e-nodes of each way in which a left side matches at an e-node."""

    def on(
        pairs: Sequence[tuple[Any, int]], bound: Mapping[Meta, int], taken: tuple[ENode, ...]
    ) -> Iterator[tuple[ENode, ...]]:
        if not pairs:
            yield taken
            return
        (pattern, cls), *rest = pairs
        if isinstance(pattern, Meta):
            if bound.get(pattern, cls) == cls:
                yield from on(rest, {**bound, pattern: cls}, taken)
        elif isinstance(pattern, Number):
            if is_filled(cls, pattern.value, forms):
                yield from on(rest, bound, taken)
        else:
            for e in forms.get(cls, ()):
                for more in inside(pattern, e):
                    yield from on([*more, *rest], bound, (*taken, e))

    for pairs in inside(left, top):
        yield from on(pairs, {}, (top,))


def is_filled(cls: int, value: float, forms: Forms) -> bool:
    """True for the class of a number, or of a tensor of any shape that is filled with it."""
    inner = [e.children[-1] for e in forms.get(cls, ()) if e.op == "fill"]
    numbers = [e.params[0] for c in (cls, *inner) for e in forms.get(c, ()) if e.op == NUM]
    return any(n == value or n != n != value for n in numbers)
