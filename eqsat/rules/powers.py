"""Powers with known exponents, squares and roots."""

from eqsat.graph.ops.elemwise import abs, pow, sqr, sqrt
from eqsat.rules.facts import above, even, varies, whole
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, c, d = reals("x y c d")
a = numbers("a")

small = varies(x) & whole(value(c)) & above(value(c), 2.5)

RULES = [
    *(  # by squaring
        rule(f"pow-{word}", pow(x, c), right, when=small & even(rest), grows=False, cite="knuth1997")
        for word, rest, right in [
            ("even", value(c), sqr(pow(x, value(c) / 2.0))),
            ("odd", value(c) - 1.0, x * pow(x, value(c) - 1.0)),
        ]
    ),
    rule("sqrt-sqr", sqrt(sqr(x)), abs(x)),
]
