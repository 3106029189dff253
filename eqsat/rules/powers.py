"""Powers with known exponents, squares and roots."""

from collections.abc import Iterator
from typing import Any

from eqsat.graph.ops.elemwise import abs, add, isinf, pow, sqr, sqrt, sub, switch
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.rounding import cbrt
from eqsat.rules.facts import above, covers, even, nonzero, varies, whole
from eqsat.rules.pattern import numbers, parameters, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.spellings import differences, negative

x, y, c, d = reals("x y c d")
a = numbers("a")
s = parameters("s")

root = sqrt(x + c)
longer = sqrt(sqr(x) + c)
KAHAN: dict[str, Any] = {"tier": "stabilises", "tags": ["backward"], "cite": "kahan1987", "grows": False}


def less_one(name: str, of: Any, more: Any) -> Iterator[Rule]:
    """The rules that a root less 1, of 1 and ``more``, is ``more`` over their sum; a root that is infinite stays."""
    yield rule(f"{name}-less-one", of + (-1), switch(isinf(of), of, more / (of + 1)), **KAHAN)
    yield rule(f"one-less-{name}", 1 - of, switch(isinf(of), -of, negative(more) / (of + 1)), **KAHAN)


small = varies(x) & whole(value(c)) & above(value(c), 2.5)


def total(v: Any) -> Any:
    """The sum over some axes."""
    return sum_op(v, axes=s)


TERMS = (  # x squared, the product of x and y twice, y squared; the result of a square; the condition
    ("square", sqr(x), (x * 2) * y, sqr(y), lambda v: v, None),
    ("squares", total(sqr(x)), total(x * y) * 2, total(sqr(y)), total, covers(x, s) & covers(y, s)),
)

RULES = [
    *(  # a square that is written out cancels
        rule(f"{name}-of-{word}{end}", left, of(sqr(joined)), when=known, **KAHAN)
        for name, a2, ab, b2, of, known in TERMS
        for word, join, joined in (("difference", sub, x - y), ("sum", add, x + y))
        for end, left in (("", join(a2, ab) + b2), ("-at-last", join(a2 + b2, ab)))
    ),
    *(  # by squaring
        rule(f"pow-{word}", pow(x, c), right, when=small & even(rest), grows=False, cite="knuth1997")
        for word, rest, right in [
            ("even", value(c), sqr(pow(x, value(c) / 2.0))),
            ("odd", value(c) - 1.0, x * pow(x, value(c) - 1.0)),
        ]
    ),
    *(
        rule(name, left, right)
        for name, left, right in (
            ("sqrt-sqr", sqrt(sqr(x)), abs(x)),
            ("cube-of-cbrt", cbrt(x) * sqr(cbrt(x)), x),
            ("cbrt-of-cube", cbrt(x * sqr(x)), x),
        )
    ),
    # differences of roots whose squares have a difference that is known
    *differences("roots", root, sqrt(x), c / (root + sqrt(x)), when=nonzero(c), **KAHAN),
    *differences("longer-root", longer, x, c / (longer + x), when=nonzero(c) & (x >= 0), **KAHAN),
    *less_one("root-of-more", sqrt(x + 1), x),
    *less_one("root-of-less", sqrt(1 - x), -x),
]
