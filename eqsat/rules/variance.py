"""Variances and covariances in one pass cancel; in two passes they do not."""

from eqsat.graph.ops.elemwise import sqr
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.facts import averages, covers
from eqsat.rules.pattern import parameters, reals
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
s = parameters("s")


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


RULES = [
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
