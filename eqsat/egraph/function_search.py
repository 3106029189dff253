"""The test whether a rule on functions could match in a graph that the other rules have made.

Few graphs need such rules, and all would pay for them: they are loaded where, in what was chosen, something is left for them.
The search errs on one side: it looks at ops, signs and what values are made of, not at all that a rule asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from eqsat.egraph.function_schema import Line, facts_of, found_of, lines
from eqsat.graph.declare import OPS
from eqsat.graph.properties import additive, of_parity
from eqsat.rules.between import MOVED
from eqsat.rules.facts_of_functions import EXP, EXPS, LOG, bits_of
from eqsat.rules.heads import HEADS, HOLE
from eqsat.rules.pattern import Meta, Number, Term
from eqsat.rules.rule import Rule

if TYPE_CHECKING:
    from eqsat.egraph.reading import ENode, Saturated

TOPS = {head.of(HOLE).op for head in HEADS.values()}


class Seen(NamedTuple):
    """The part of an e-graph that is searched: the forms of classes, their facts, and their least values."""

    forms: Mapping[tuple[int, str], Sequence[ENode]]  # by class and op
    known: Mapping[int, int]
    low: Mapping[int, float]

    @classmethod
    def of(cls, enodes: Sequence[ENode], low: Mapping[int, float]) -> Seen:
        """The forms, known functions and least values of some e-nodes; a product with 1 or -1 is none of a multiple."""
        forms = defaultdict(list)
        ones = units_of(enodes)
        for e in enodes:
            if ones.isdisjoint(e.children) or not multiplies(e.op):
                forms[e.cls, e.op].append(e)
        return cls(forms, known_of(enodes), low)


def units_of(enodes: Sequence[ENode]) -> set[int]:
    """The classes that are 1 or -1, or filled with it."""
    found = {e.cls for e in enodes if e.op == "Num" and abs(e.params[0]) == 1}
    return found | {e.cls for e in enodes if e.op == "fill" and e.children[-1] in found}


def could_match(candidates: Sequence[Rule], chosen: Sequence[ENode], saturated: Saturated) -> bool:
    """True where one of the rules, whose ops are all there, could match at a chosen e-node.

    Operands are what was chosen; where it is a logarithm or a difference, they may have any stable form, and their axes moved.
    """
    taken = set(chosen)
    stable = [e for e in saturated.enodes if not e.unstable or e in taken]
    found = found_of(frozenset(e.op for e in stable))
    asked: dict[str, list[Rule]] = defaultdict(list)
    for r in candidates:
        asked[r.left.op] += [r] if all(bits & found for bits in r.functions) else []
    if not any(asked.values()):
        return False
    strict = Seen.of(chosen, saturated.low)
    if matches(asked, chosen, strict) or scales_shares(chosen, strict.known):
        return True
    loose = {op: asked[op] for op in TOPS & asked.keys()}
    tops = [e for e in moved(chosen, stable) if e.op in loose] if loose else []
    return bool(tops) and matches(loose, tops, Seen.of(stable, saturated.low))


def scales_shares(chosen: Sequence[ENode], known: Mapping[int, int]) -> bool:
    """True where a function is multiplied by what is made of a quotient by one: whatever stands between, it may be a share."""
    divided: set[int] = set()
    size = -1
    while size != len(divided):
        size = len(divided)
        for e in chosen:
            by = [e.children[k] for k in divisors_of(e.op)]
            if any(known.get(c, 0) & (LOG | EXP | EXPS) for c in by) or not divided.isdisjoint(e.children):
                divided.add(e.cls)
    products = [e.children for e in chosen if multiplies(e.op)]
    pairs = [pair for a, b in products for pair in ((a, b), (b, a))]
    return any(known.get(a, 0) & (LOG | EXP | EXPS) and b in divided for a, b in pairs)


@lru_cache(maxsize=512)
def divisors_of(op: str) -> tuple[int, ...]:
    """The places of the operands by which an op divides: it has no finite value where they are zero, and keeps their signs."""
    d = OPS.find(op)
    odd = set(of_parity(d, "odd")) if d is not None and d.poles else set()
    return tuple(k for k, t in enumerate(d.tensors) if t in d.poles and t in odd) if d is not None else ()


@lru_cache(maxsize=512)
def multiplies(op: str) -> bool:
    """True for an op that is additive in each of two operands that may be exchanged."""
    d = OPS.find(op)
    return (
        d is not None and d.kind == "elemwise" and d.commutative and len(additive(d)) == 2 == len(d.tensors)
    )


def moved(chosen: Iterable[ENode], stable: Iterable[ENode]) -> list[ENode]:
    """The stable forms of what was chosen, and of what only has its axes moved."""
    forms = defaultdict(list)
    for e in stable:
        forms[e.cls].append(e)
    classes = list(dict.fromkeys(e.cls for e in chosen))
    seen = set(classes)
    for cls in classes:
        below = {e.children[0] for e in forms[cls] if e.op in MOVED} - seen
        seen |= below
        classes += below
    return [e for cls in classes for e in forms[cls]]


def known_of(enodes: Iterable[ENode]) -> dict[int, int]:
    """Facts of classes, as the analysis finds them but without signs; a value over an exponential has none.

    Other rules see to ``1 / exp(x)``.
    """
    known: dict[int, int] = defaultdict(int)
    steps = [
        (e.cls, child, line, kept)
        for e in enodes
        for line, places, kept in lines_of(e.op)
        for child in (e.children[k] for k in places)
    ]
    changed = True
    while changed:
        changed = False
        for cls, child, line, kept in steps:
            bits = known[cls] | line.made(known[child]) & kept
            if bits != known[cls]:
                known[cls], changed = bits, True
    return known


@lru_cache(maxsize=512)
def lines_of(op: str) -> list[tuple[Line, tuple[int, ...], int]]:
    """The lines on an op, the places of the operands they read, and the bits that are kept of what they find."""
    d = OPS.find(op)
    found = []
    for line in lines() if d is not None else ():
        if line.op == op and d is not None:
            kept = ~EXPS if d.tensors[line.place] in d.poles else -1
            places = tuple(range(len(d.tensors))) if d.commutative else (line.place % len(d.tensors),)
            found.append((line, places, kept))
    return found


def matches(asked: Mapping[str, Sequence[Rule]], tops: Sequence[ENode], seen: Seen) -> bool:
    """True where one of the rules, by the op at its top, could match at an e-node."""
    return any(
        fits(r.left, wanted, e, seen)
        for op, rules in asked.items()
        for at in [[e for e in tops if e.op == op]]
        for r in rules
        for wanted in [Wanted.of(r)]
        for e in at
        if has_ops(wanted.below, e, seen)
    )


def has_ops(below: Sequence[tuple[int, str]], top: ENode, seen: Seen) -> bool:
    """True where the operands of an e-node are made by the ops that a rule has there, in either order where that means nothing.

    Most e-nodes are told by this, which takes less time than a look at the whole left side.
    """
    operands = top.children
    if all((operands[k], op) in seen.forms for k, op in below):
        return True
    last = len(operands) - 1
    return OPS[top.op].commutative and all((operands[last - k], op) in seen.forms for k, op in below)


class Wanted(NamedTuple):
    """The operands of a rule that are not to be negative, the bits of which something is to be known of an operand, and the
    ops that make operands of its top, by their places."""

    signs: set[Meta]
    bits: list[tuple[Meta, int]]
    below: list[tuple[int, str]]

    @classmethod
    def of(cls, rule: Rule) -> Wanted:
        """The facts that a rule asks for."""
        facts = facts_of(rule)
        bits = [(operands[0], bits_of(name)) for name, operands in facts if bits_of(name)]
        below = [(k, a.op) for k, a in enumerate(rule.left.args) if isinstance(a, Term)]
        return cls({operands[0] for name, operands in facts if name == "nonneg"}, bits, below)


def fits(left: Term, wanted: Wanted, top: ENode, seen: Seen) -> bool:
    """True where a left side has the ops that are there, and what is known of operands is what is asked for."""

    def fit(pairs: Sequence[tuple[Any, int]], bound: Mapping[Meta, int]) -> bool:
        if not pairs:
            return True
        (pattern, cls), *rest = pairs
        if isinstance(pattern, Meta):
            return may_be(pattern, cls, bound) and fit(rest, {**bound, pattern: cls})
        op = pattern.op if isinstance(pattern, Term) else "Num"
        return any(
            fit([*more, *rest], bound) for e in seen.forms.get((cls, op), ()) for more in inside(pattern, e)
        )

    def may_be(meta: Meta, cls: int, bound: Mapping[Meta, int]) -> bool:
        known = all(bits & seen.known.get(cls, 0) for m, bits in wanted.bits if m == meta)
        return (
            known
            and bound.get(meta, cls) == cls
            and (meta not in wanted.signs or seen.low.get(cls, -1.0) >= 0)
        )

    return any(fit(pairs, {}) for pairs in inside(left, top))


def inside(pattern: Any, e: ENode) -> Iterator[list[tuple[Any, int]]]:
    """The operands of a pattern with the classes of those of an e-node, in either order where that means nothing."""
    if isinstance(pattern, Number):
        if e.op == "Num" and e.params[0] == pattern.value:
            yield []
    elif isinstance(pattern, Term) and e.op == pattern.op:
        yield list(zip(pattern.args, e.children, strict=True))
        if OPS[pattern.op].commutative:
            yield list(zip(pattern.args, reversed(e.children), strict=True))
