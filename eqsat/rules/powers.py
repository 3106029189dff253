"""Powers with known exponents, squares and roots."""

from eqsat.graph.ops.elemwise import abs, pow, sqr, sqrt
from eqsat.rules.facts import above, even, varies, whole
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, c, d = reals("x y c d")
a = numbers("a")

small = varies(x) & whole(value(c)) & above(value(c), 2.5)

RULES = [
    rule(
        "pow-even",
        pow(x, c),
        sqr(pow(x, value(c) / 2.0)),
        when=small & even(value(c)),
        grows=False,
        cite="knuth1997",
    ),
    rule(
        "pow-odd",
        pow(x, c),
        x * pow(x, value(c) - 1.0),
        when=small & even(value(c) - 1.0),
        grows=False,
        cite="knuth1997",
    ),
    rule("sqrt-sqr", sqrt(sqr(x)), abs(x)),
]
