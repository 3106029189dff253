"""Reductions of what broadcasting repeats: it is reduced before it meets the rest, and repeats are counted."""

from eqsat.graph.ops.elemwise import and_, maximum, minimum, or_
from eqsat.graph.ops.reduce import all_op, any_op, max_op, min_op, sum_op
from eqsat.graph.ops.softmax import logsumexp_op
from eqsat.rules.facts import above, apart, below, met, repeated, varies
from eqsat.rules.pattern import Meta, ParameterCall, bools, ones, parameters, reals, value
from eqsat.rules.rule import rule

x, y, z, c, d = reals("x y z c d")
p, q = bools("p q")
s = parameters("s")

BACKWARD = ["backward"]


def alone(v: Meta) -> ParameterCall:
    """The axes of a reduction along which v has length 1."""
    return ParameterCall("&", (s, ones(v)))


def reduced_first(name, op, join, v, w, tier, when=None, tags=()):  # type: ignore[no-untyped-def]
    """op of join(v, w), where w is reduced along the axes on which v does not vary before the two meet."""
    condition = repeated(v, s) & met(v, w, s)
    return rule(
        name,
        op(join(v, w), axes=s),
        op(join(v, op(w, axes=alone(v))), axes=s),
        tier=tier,
        when=condition & when if when is not None else condition,
        tags=tags,
        grows=False,
        cite="higham2002",
    )


def plus(a, b):  # type: ignore[no-untyped-def]
    """Their sum."""
    return a + b


def times(a, b):  # type: ignore[no-untyped-def]
    """Their product."""
    return a * b


RULES = [
    # the mean of something shifted; of anything but a sum it would halve and halve
    rule(
        "mean-of-shifted",
        (sum_op(x, axes=s) + z * c) * d,
        sum_op(x, axes=s) * d + z,
        when=varies(x)
        & varies(z)
        & above(value(c) * value(d), 0.99999999)
        & below(value(c) * value(d), 1.00000001),
        tags=BACKWARD,
        grows=False,
        cite="higham2002",
    ),
    # what is reduced first
    *(
        rule(
            name,
            op(join(x, y), axes=s),
            join(op(x, axes=s), op(y, axes=s)),
            when=apart(x, y, s) & met(x, y, s),
            tags=BACKWARD,
            grows=False,
            cite="higham2002",
        )
        for name, op, join in (
            ("sum-of-outer-product", sum_op, times),
            ("logsumexp-of-outer", logsumexp_op, plus),
        )
    ),
    reduced_first("sum-of-partly-repeated-product", sum_op, times, x, y, "rounds", tags=BACKWARD),
    reduced_first("max-of-partly-repeated", max_op, plus, x, y, "extends"),
    reduced_first("min-of-partly-repeated", min_op, plus, x, y, "extends"),
    reduced_first("max-of-repeated-multiple", max_op, times, x, y, "extends", when=x >= 0),
    reduced_first("min-of-repeated-multiple", min_op, times, x, y, "extends", when=x >= 0),
    reduced_first("max-of-repeated-maximum", max_op, maximum, x, y, "exact"),
    reduced_first("min-of-repeated-minimum", min_op, minimum, x, y, "exact"),
    reduced_first("logsumexp-of-repeated", logsumexp_op, plus, x, y, "rounds", tags=BACKWARD),
    reduced_first("any-of-repeated-and", any_op, and_, p, q, "exact"),
    reduced_first("all-of-repeated-or", all_op, or_, p, q, "exact"),
]
