"""Laws of comparisons: of functions that keep the order of what is compared, and of choices that are the larger or the smaller."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import inf

import numpy as np

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import switch
from eqsat.graph.properties import monotone
from eqsat.rules.facts import at_least, differ, finite
from eqsat.rules.pattern import Meta, numbers, reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.functions import called, of_signs, ways
from eqsat.rules.schemes.operands import applied_to, joined, sees
from eqsat.rules.schemes.scheme import scheme

x = reals("x")


def saturates(d: Declaration) -> bool:
    """True for a function of one operand that tends to a number other than 0 at infinity; asked late, since functions import much."""
    with np.errstate(all="ignore"):
        ends = d.meaning(np.array([end for end in d.domain if np.isinf(end)]))
    return bool(np.any(np.isfinite(ends) & (ends != 0)))


def comparing() -> list[Declaration]:
    """The ops that tell in which order two operands are."""
    return [d for d in OPS.values() if d.compares and sees(d) and len(d.tensors) == 2]


@scheme(
    "monotone-comparison",
    "f(x, z) < f(y, z) = x < y for f that is strictly increasing in x, y < x for decreasing; so for other comparisons",
    holds=lambda d: (
        sees(d) and len(d.tensors) <= 2 and d.real is not None and any(m.strict for m in monotone(d))
    ),
    needs=lambda op: [(o.name, op) for o in comparing()],
)
def monotone_comparison(d: Declaration) -> Iterator[Rule]:
    """Operands are compared before a strictly monotone op is applied; after rounding, two may seem equal that are not.

    Of functions that come as near to a number as one likes, the order is lost far out, whatever the number of digits.
    An operand that both sides share is finite.
    """
    for one, first, _ in () if len(d.tensors) == 1 and saturates(d) else ways(d, strict=True):
        second = {**first, one.operand: Meta("other", "float")}
        v, w = first[one.operand], second[one.operand]
        signs = dict.fromkeys((of_signs(one, first), of_signs(one, second)))
        shared = [finite(u) for t, u in first.items() if t != one.operand]
        for op in comparing() if not d.poles else [o for o in comparing() if not o.commutative]:
            yield rule(
                f"{op.name}-of-{called(d, one)}",
                op(applied_to(d, first), applied_to(d, second)),
                op(v, w) if one.rises else op(w, v),
                tier="stabilises",
                when=joined(differ(v, w), *signs, *shared),
            )


POINTS = (-1.0, 0.0, 0.5, 1.0, 2.0, 4.0)


def known_values(d: Declaration) -> Iterator[tuple[float, float]]:
    """Points at which a function of one operand has a value with few digits, and those values; others may be rounded."""
    with np.errstate(all="ignore"):
        found = d.meaning(np.array(POINTS))
    yield from ((v, c) for v, c in zip(POINTS, map(float, found), strict=True) if c * 1024 % 1 == 0)


@scheme(
    "monotone-comparison-with-number",
    "f(x) < f(c) = x < c for f that is strictly increasing, and c and f(c) of few digits; so for other comparisons",
    holds=lambda d: (
        sees(d)
        and d.signature == "f->f"
        and len(d.tensors) == 1
        and any(m.strict and not m.signs for m in monotone(d))
    ),
    needs=lambda op: [(o.name, op) for o in comparing()],
)
def monotone_comparison_with_number(d: Declaration) -> Iterator[Rule]:
    """The operand is compared with the point at which the function has the number; after rounding, two may seem equal that are not.

    Where the function has no value, no comparison holds: then only those are taken that do not hold of the operand either.
    """
    rises = next(ways(d, strict=True))[0].rises
    low, high = d.domain
    for op, flip in product([o for o in comparing() if not o.commutative], (False, True)):
        above = (bool(op.meaning(1, 0)) != flip) == rises  # it holds of large operands
        if (low == -inf or above) and (high == inf or not above):
            for v, c in known_values(d):
                left = op(c, d(x)) if flip else op(d(x), c)
                right = op(v, x) if flip == rises else op(x, v)
                name = f"{op.name}-of-{d.name}-and-{c:g}{'-turned' if flip else ''}"
                yield rule(name, left, right, tier="stabilises", grows=False)


@scheme(
    "chosen-by-comparison",
    "switch(x < y, x, y) = minimum(x, y), switch(x < y, y, minimum(x, z)) = maximum(y, minimum(x, z)) for z >= y, and so on",
    holds=lambda d: sees(d) and d.chooses in OPS,
    needs=lambda op: [("switch", op)],
)
def chosen_by_comparison(d: Declaration) -> Iterator[Rule]:
    """A choice by a comparison is the larger or the smaller of both; or of one and what the other is limited to on the far side."""
    first = OPS[d.chooses]
    second = OPS[first.opposite]
    v, w, z = numbers("x y z")
    beyond = at_least(z, w) if bool(d.meaning(0, 1)) else at_least(w, z)
    limit, other = first(v, z), second(v, z)
    laws = [
        (f"{first.name}-from-{d.name}", v, w, first(v, w), None),
        (f"{second.name}-from-{d.name}", w, v, second(v, w), None),
        (f"{second.name}-of-{first.name}-from-{d.name}", w, limit, second(w, limit), beyond),
        (
            f"{first.name}-of-{second.name}-from-{d.name}",
            other,
            w,
            first(w, other),
            at_least(*beyond.facts[0][1][::-1]),
        ),
    ]
    for name, then, otherwise, right, when in laws:
        yield rule(name, switch(d(v, w), then, otherwise), right, tier="extends", when=when)


RULES = [monotone_comparison, monotone_comparison_with_number, chosen_by_comparison]
