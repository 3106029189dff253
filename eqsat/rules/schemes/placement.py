"""The place of a number in a product or quotient that broadcasts: beside the smaller of two operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.condition import Condition
from eqsat.rules.facts import lone, one_element, single, tame, varies, wider
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.groups import brief, groups
from eqsat.rules.schemes.scheme import family

x, y, c, s = reals("x y c s")
BACKWARD: dict[str, Any] = {"tags": ["backward"], "cite": "higham2002"}


def ways(d: Declaration, s: Any) -> Iterator[tuple[str, Any, Any, Condition]]:
    """A name, both sides, and the condition of each way in which s stands outside two operands, or beside the larger one."""
    z, plus, minus = OPS[d.inverse], brief(d), brief(OPS[d.inverse])
    yield f"{plus}-of-{plus}", d(s, d(x, y)), d(d(s, x), y), wider(y, x)
    yield f"{plus}-beside-{plus}", d(d(s, x), y), d(x, d(s, y)), wider(x, y)
    yield f"{plus}-of-{minus}", d(s, z(x, y)), d(x, z(s, y)), wider(x, y)


def ways_to_divide(d: Declaration) -> Iterator[tuple[str, Any, Any, Condition]]:
    """The same where s is taken back, or stands beside the larger operand of what is."""
    z, plus, minus = OPS[d.inverse], brief(d), brief(OPS[d.inverse])
    yield f"{minus}-beside-{plus}", z(d(s, x), y), d(x, z(s, y)), wider(x, y)
    yield f"{minus}-of-{plus}", z(d(x, y), s), d(z(x, s), y), wider(y, x) & varies(s)
    yield f"{minus}-of-{minus}", z(z(x, y), s), z(x, d(y, s)), wider(x, y) & varies(s)


@family(
    "smaller-operand",
    "op(s, op(x, y)) = op(op(s, x), y), z(z(x, y), s) = z(x, op(y, s)), for a number s and x or y that is repeated",
    tags=["backward"],
)
def smaller_operand() -> Iterator[Rule]:
    """A number meets the operand that has fewer elements, where products of numbers of moderate size keep their digits."""
    both = varies(x) & varies(y)
    for d in [d for d in groups() if d.numbers == "tame" and d.commutative]:
        for end, v, known in (
            ("number", c, single(c) & tame(value(c))),
            ("scalar", s, one_element(s) & varies(s)),
        ):
            for name, left, right, fits in ways(d, v):
                yield rule(f"{end}-{name}", left, right, when=both & fits & known, grows=True, **BACKWARD)
        for name, left, right, fits in ways_to_divide(d):
            yield rule(f"scalar-{name}", left, right, when=both & fits & lone(s), grows=True, **BACKWARD)


RULES = [smaller_operand]
