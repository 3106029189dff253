"""Laws of functions whose results are never below their operands, or never above them, as abs(x), exp(x) and floor(x)."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import fill, le, lt, maximum, minimum, neg
from eqsat.graph.properties import of_parity
from eqsat.rules.facts import finite
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import inside, joined, sees
from eqsat.rules.schemes.scheme import scheme

x = reals("x")
OUTER = [f(x, x).op for f in (maximum, minimum, lt, le)]


@scheme(
    "own-bound",
    "max(f(x), x) = f(x), min(f(x), x) = x, f(x) < x = false where f(x) is never below x",
    holds=lambda d: sees(d) and bool(d.stays),
    needs=lambda op: [(other, op) for other in OUTER],
)
def own_bound(d: Declaration) -> Iterator[Rule]:
    """The larger and the smaller of a result and its operand are known, and which of them is the larger one."""
    above, known = d.stays == "above", joined(finite(x), inside(d, x))
    operands = [("", x)] + [("-negative", neg(x))] * (above and any(of_parity(d, "even")))
    for end, v in operands:
        low, high = (v, d(x)) if above else (d(x), v)
        name = f"{d.name}-beside{end or '-operand'}"
        for word, left, right, tier, when in (
            ("max-of", maximum(low, high), high, "stabilises", None),
            ("min-of", minimum(low, high), low, "stabilises", None),
            ("below", lt(high, low), fill(lt(high, low), 0), "exact", None),
            ("above", le(low, high), fill(le(low, high), 1), "exact", known),
        ):
            yield rule(f"{word}-{name}", left, right, tier=tier, when=when)


RULES = [own_bound]
