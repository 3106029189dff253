"""Powers with known exponents, squares and roots."""

from eqsat.graph.ops.elemwise import abs, fill, pow, reciprocal, sqr, sqrt
from eqsat.rules.facts import above, even, varies, whole
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, c, d = reals("x y c d")
a = numbers("a")

small = varies(x) & whole(value(c)) & above(value(c), 2.5)

RULES = [
    rule("pow-zero", pow(a, 0), fill(a, 1), tier="exact"),
    rule("pow-one", pow(a, 1), a, tier="exact"),
    rule("pow-two", pow(a, 2), sqr(a)),
    rule("pow-half", pow(x, 0.5), sqrt(x), tier="extends"),
    rule("pow-minus-half", pow(x, -0.5), reciprocal(sqrt(x)), tier="extends", when=x >= 0),
    rule("pow-minus-one", pow(x, -1), reciprocal(x)),
    rule("pow-minus-two", pow(x, -2), sqr(reciprocal(x)), grows=False),
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
    rule(
        "pow-of-sqr",
        pow(sqr(x), c),
        pow(x, value(c) * 2.0),
        when=varies(x) & whole(value(c)),
        cite="knuth1997",
    ),
    rule(
        "pow-of-pow",
        pow(pow(x, c), d),
        pow(x, value(c) * value(d)),
        when=varies(x) & whole(value(c)) & whole(value(d)) & whole(value(c) * value(d)),
        cite="knuth1997",
    ),
    rule("mul-self", a * a, sqr(a), tier="exact", when=varies(a)),
    rule("sqr-times-self", sqr(x) * x, pow(x, 3), when=varies(x), cite="knuth1997"),
    rule("sqr-of-sqr", sqr(sqr(x)), pow(x, 4), when=varies(x), cite="knuth1997"),
    rule(
        "pow-times-self",
        pow(x, c) * x,
        pow(x, value(c) + 1.0),
        when=small & whole(value(c) + 1.0),
        cite="knuth1997",
    ),
    rule(
        "pow-times-sqr",
        pow(x, c) * sqr(x),
        pow(x, value(c) + 2.0),
        when=small & whole(value(c) + 2.0),
        cite="knuth1997",
    ),
    rule(
        "pow-times-pow",
        pow(x, c) * pow(x, d),
        pow(x, value(c) + value(d)),
        when=small & whole(value(d)) & above(value(d), 2.5),
        cite="knuth1997",
    ),
    rule(
        "pow-over-self", pow(x, c) / x, pow(x, value(c) - 1.0), tier="extends", when=small, cite="knuth1997"
    ),
    rule(
        "pow-over-sqr",
        pow(x, c) / sqr(x),
        pow(x, value(c) - 2.0),
        tier="extends",
        when=small,
        cite="knuth1997",
    ),
    rule(
        "pow-over-pow",
        pow(x, c) / pow(x, d),
        pow(x, value(c) - value(d)),
        tier="extends",
        when=small & whole(value(d)) & above(value(d), 2.5),
        cite="knuth1997",
    ),
    rule(
        "pow-two-and-a-half",
        pow(x, 2.5),
        sqr(x) * sqrt(x),
        tier="extends",
        when=varies(x),
        grows=False,
        cite="knuth1997",
    ),
    rule("self-times-sqrt", x * sqrt(x), pow(x, 1.5), when=varies(x), grows=False, cite="knuth1997"),
    rule(
        "pow-one-and-a-half",
        pow(x, 1.5),
        x * sqrt(x),
        tier="extends",
        when=varies(x),
        grows=False,
        cite="knuth1997",
    ),
    rule("sqrt-sqr", sqrt(sqr(x)), abs(x)),
    rule("self-over-sqrt", x / sqrt(x), sqrt(x), tier="extends"),
    rule("sqrt-over-self", sqrt(x) / x, reciprocal(sqrt(x)), tier="extends"),
]
