"""Whether a rule that asks what values are made of could match in a graph that the other rules have made.

Few graphs need such rules, and all would pay for them: they are loaded where, in what was chosen, something is left for them.
The search errs on one side: it looks at ops, signs and what values are made of, not at all that a rule asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eqsat.egraph.function_schema import facts_of, found_of, lines
from eqsat.graph.declare import OPS
from eqsat.rules.between import MOVED
from eqsat.rules.facts_of_functions import EXP, EXPS, LOG, bits_of
from eqsat.rules.heads import HEADS, HOLE
from eqsat.rules.pattern import Meta, Number, Term
from eqsat.rules.rule import Rule, RuleSet

if TYPE_CHECKING:
    from eqsat.egraph.saturate import ENode, Saturated

TOPS = {head.of(HOLE).op for head in HEADS.values()}


class Seen(NamedTuple):
    """What is looked at of an e-graph: the forms of classes, what is known of them, and their least values."""

    forms: Mapping[int, Sequence[ENode]]
    known: Mapping[int, int]
    low: Mapping[int, float]

    @classmethod
    def of(cls, enodes: Iterable[ENode], low: Mapping[int, float]) -> Seen:
        """That of some e-nodes."""
        forms = defaultdict(list)
        for e in enodes:
            forms[e.cls].append(e)
        return cls(forms, known_of(forms), low)


def could_match(rules: RuleSet, chosen: Sequence[ENode], saturated: Saturated) -> bool:
    """True where one of the rules could match at a chosen e-node.

    Operands are what was chosen; where it is a logarithm or a difference, they may have any stable form, and their axes moved.
    """
    if not rules.on_functions:
        return False
    stable = [e for e in saturated.enodes if not e.unstable]
    found = found_of(frozenset(e.op for e in stable))
    asked = defaultdict(list)
    for r in rules:
        if r.functions and r.tier == "stabilises" and all(bits & found for bits in r.functions):
            asked[r.left.op].append(r)
    if not asked:
        return False
    strict = Seen.of(chosen, saturated.low)
    if matches(asked, chosen, strict) or scales_shares(chosen, strict.known):
        return True
    return matches({op: asked[op] for op in TOPS}, moved(chosen, stable), Seen.of(stable, saturated.low))


def scales_shares(chosen: Sequence[ENode], known: Mapping[int, int]) -> bool:
    """True where an exponential is multiplied by what is made of a quotient by one: whatever stands between, it may be a share."""
    divided: set[int] = set()
    size = -1
    while size != len(divided):
        size = len(divided)
        for e in chosen:
            by = e.children[-1:] if e.op in ("truediv", "reciprocal") else ()
            if any(known.get(c, 0) & (LOG | EXP | EXPS) for c in by) or not divided.isdisjoint(e.children):
                divided.add(e.cls)
    products = [e.children for e in chosen if e.op == "mul"]
    pairs = [pair for a, b in products for pair in ((a, b), (b, a))]
    return any(known.get(a, 0) & (EXP | EXPS) and b in divided for a, b in pairs)


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


def known_of(forms: Mapping[int, Sequence[ENode]]) -> dict[int, int]:
    """What is known of classes, as the analysis finds it but for what it asks of signs."""
    by_op = defaultdict(list)
    for line in lines():
        by_op[line.op].append(line)
    live = [e for enodes in forms.values() for e in enodes if e.op in by_op]
    known: dict[int, int] = defaultdict(int)
    changed = True
    while changed:
        changed = False
        for e in live:
            before = known[e.cls]
            for line in by_op[e.op]:
                for child in e.children:
                    known[e.cls] |= line.made(known[child])
            changed |= known[e.cls] != before
    return known


def matches(asked: Mapping[str, Sequence[Rule]], tops: Sequence[ENode], seen: Seen) -> bool:
    """True where one of the rules, by the op at its top, could match at an e-node."""
    return any(fits(r, e, seen) for e in tops for r in asked.get(e.op, ()))


def fits(rule: Rule, top: ENode, seen: Seen) -> bool:
    """True where the left side of a rule has the ops that are there, and what is known of operands is what it asks for."""
    signs = {operands[0] for name, operands in facts_of(rule) if name == "nonneg"}
    wanted = [(operands[0], bits_of(name)) for name, operands in facts_of(rule) if bits_of(name)]

    def fit(pairs: Sequence[tuple[Any, int]], bound: Mapping[Meta, int]) -> bool:
        if not pairs:
            return True
        (pattern, cls), *rest = pairs
        if isinstance(pattern, Meta):
            return may_be(pattern, cls, bound) and fit(rest, {**bound, pattern: cls})
        return any(fit([*more, *rest], bound) for e in seen.forms.get(cls, ()) for more in inside(pattern, e))

    def may_be(meta: Meta, cls: int, bound: Mapping[Meta, int]) -> bool:
        known = all(bits & seen.known.get(cls, 0) for m, bits in wanted if m == meta)
        return known and bound.get(meta, cls) == cls and (meta not in signs or seen.low.get(cls, -1.0) >= 0)

    return any(fit(pairs, {}) for pairs in inside(rule.left, top))


def inside(pattern: Any, e: ENode) -> Iterator[list[tuple[Any, int]]]:
    """The operands of a pattern with the classes of those of an e-node, in either order where that means nothing."""
    if isinstance(pattern, Number):
        if e.op == "Num" and e.params[0] == pattern.value:
            yield []
    elif isinstance(pattern, Term) and e.op == pattern.op:
        yield list(zip(pattern.args, e.children, strict=True))
        if OPS[pattern.op].commutative:
            yield list(zip(pattern.args, reversed(e.children), strict=True))
