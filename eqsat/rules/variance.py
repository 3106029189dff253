"""Variances and covariances in one pass cancel, in two passes they do not; means of what is shifted."""

from functools import reduce
from operator import and_

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import add, multiple, sqr, sub
from eqsat.graph.ops.reduce import count_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import as_long, averages, covers, invariant
from eqsat.rules.pattern import parameters, places, reals
from eqsat.rules.rule import rule

x, y, c, m = reals("x y c m")
n, k = places("n k")
s, dtype, p = parameters("s dtype p")


def total(v):  # type: ignore[no-untyped-def]
    """The sum over the axes."""
    return sum_op(v, axes=s)


AVERAGES = averages(c, x, s)
CENTRED = sqr(x - total(x) * c)
TOGETHER = AVERAGES & covers(x, s) & covers(y, s)
PRODUCT = (x - total(x) * c) * (y - total(y) * c)


def two_passes(name, left, right, when=AVERAGES):  # type: ignore[no-untyped-def]
    """A rule for sums over as many elements as c is one over."""
    return rule(name, left, right, tier="stabilises", when=when, grows=False, cite="higham2002")


AXES = ((0,), (1,), (2,), (0, 1))
RULES = [
    *(
        rule(
            f"{name}-{'-'.join(map(str, axes))}",
            left,
            right,
            when=reduce(and_, map(as_long, (n, k), (x, x), axes), when),
            grows=False,
            tags=["backward"],
        )
        for axes in AXES
        for number_of in (dimshuffle_op(cast_op(n if len(axes) == 1 else n * k, dtype=dtype), pattern=p),)
        for mean in (sum_op(x, axes=axes) / number_of,)
        for name, left, right, when in (
            *(
                (
                    f"mean-of-shifted-{op.name}",
                    sum_op(op(x, m), axes=axes) / number_of,
                    op(mean, m),
                    invariant(m, axes) & covers(x, axes),
                )
                for op in (add, sub)
            ),
            (
                "mean-times-count",
                multiple(mean, count_op(x, axes=axes)),
                sum_op(x, axes=axes),
                covers(x, axes),
            ),
        )
    ),
    two_passes("variance", total(sqr(x)) * c - sqr(total(x) * c), total(CENTRED) * c),
    two_passes("sum-of-squared-deviations", total(sqr(x)) - sqr(total(x)) * c, total(CENTRED)),
    two_passes("sum-of-squares-minus-mean", total(sqr(x)) - total(x) * (total(x) * c), total(CENTRED)),
    two_passes(
        "covariance", total(x * y) * c - (total(x) * c) * (total(y) * c), total(PRODUCT) * c, TOGETHER
    ),
    two_passes(
        "sum-of-products-of-deviations", total(x * y) - total(x) * (total(y) * c), total(PRODUCT), TOGETHER
    ),
]
