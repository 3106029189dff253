"""Polynomials: common powers go out of sums, from the highest down, which is Horner's scheme.

Each right side is exact for coefficients that are a few rounding errors away, as each left side is.
"""

from eqsat.graph.ops.elemwise import pow, sqr
from eqsat.rules.facts import above, varies, whole
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import rule

x, p, q, r, c, d = reals("x p q r c d")

power = varies(x) & whole(value(c)) & above(value(c), 2.5)
higher = power & whole(value(d)) & above(value(d), 2.5) & above(value(c) - value(d), 0.5)
less = value(c) - 1.0
BACKWARD = ["backward", "compared-last"]


def factored(name, left, right, when):  # type: ignore[no-untyped-def]
    """A rule that takes a power out of a sum."""
    return rule(name, left, right, when=when, grows=False, tags=BACKWARD, cite="higham2002")


RULES = [
    factored(
        "horner",
        pow(x, c) * p + pow(x, d) * q,
        pow(x, value(d)) * (pow(x, value(c) - value(d)) * p + q),
        higher,
    ),
    factored(
        "horner-one",
        pow(x, c) * p + pow(x, d),
        pow(x, value(d)) * (pow(x, value(c) - value(d)) * p + 1),
        higher,
    ),
    factored(
        "horner-less",
        pow(x, c) * p - pow(x, d),
        pow(x, value(d)) * (pow(x, value(c) - value(d)) * p - 1),
        higher,
    ),
    factored(
        "horner-minus",
        pow(x, c) * p - pow(x, d) * q,
        pow(x, value(d)) * (pow(x, value(c) - value(d)) * p - q),
        higher,
    ),
    factored(
        "horner-lead", pow(x, c) + pow(x, d) * q, pow(x, value(d)) * (pow(x, value(c) - value(d)) + q), higher
    ),
    factored("horner-sqr", pow(x, c) * p + sqr(x) * q, sqr(x) * (pow(x, value(c) - 2.0) * p + q), power),
    factored("horner-sqr-one", pow(x, c) * p + sqr(x), sqr(x) * (pow(x, value(c) - 2.0) * p + 1), power),
    factored("horner-sqr-less", pow(x, c) * p - sqr(x), sqr(x) * (pow(x, value(c) - 2.0) * p - 1), power),
    factored(
        "horner-sqr-minus", pow(x, c) * p - sqr(x) * q, sqr(x) * (pow(x, value(c) - 2.0) * p - q), power
    ),
    factored("horner-sqr-lead", pow(x, c) + sqr(x) * q, sqr(x) * (pow(x, value(c) - 2.0) + q), power),
    factored("horner-first", pow(x, c) * p + x * q, x * (pow(x, less) * p + q), power),
    factored("horner-first-one", pow(x, c) * p + x, x * (pow(x, less) * p + 1), power),
    factored("horner-first-less", pow(x, c) * p - x, x * (pow(x, less) * p - 1), power),
    factored("horner-first-lead", pow(x, c) + x * q, x * (pow(x, less) + q), power),
    factored("horner-last", sqr(x) * p + x * q, x * (x * p + q), varies(x)),
    factored("horner-last-one", sqr(x) * p + x, x * (x * p + 1), varies(x)),
    factored("horner-last-less", sqr(x) * p - x, x * (x * p - 1), varies(x)),
    factored("horner-last-minus", sqr(x) * p - x * q, x * (x * p - q), varies(x)),
    factored("horner-last-lead", sqr(x) + x * q, x * (x + q), varies(x)),
    # written from the lowest power up
    factored("horner-up", (r + x * p) + sqr(x) * q, r + x * (p + x * q), varies(x)),
    factored("horner-up-one", (r + x) + sqr(x) * q, r + x * (1 + x * q), varies(x)),
    factored("horner-up-power", (r + x * p) + pow(x, c) * q, r + x * (p + pow(x, less) * q), power),
    factored(
        "horner-up-sqr",
        (r + sqr(x) * p) + pow(x, c) * q,
        r + sqr(x) * (p + pow(x, value(c) - 2.0) * q),
        power,
    ),
]
