"""Products of a matrix of weights and a column of exponentials, as risk sets have them: sums of weighted exponentials, row by row."""

from typing import Any

from eqsat.graph.ops.elemwise import log, reciprocal, sign
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.softmax import softmax_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import covers, invariant, of_no_exps, rank, swaps
from eqsat.rules.facts_of_functions import of_exps, of_no_shift
from eqsat.rules.pattern import parameters, reals, transposed
from eqsat.rules.quotients_of_exps import STABLE, logs_of, matrix, vector
from eqsat.rules.rule import rule

b, c, v, w = reals("b c v w")
q = parameters("q")

WEIGHTS = of_no_exps(v) & covers(v, (0, 1))
COLUMN = of_exps(c) & of_no_shift(c) & covers(c, (0,)) & invariant(c, (1,))
VECTOR = of_no_exps(v) & of_exps(b) & of_no_shift(b) & rank(b, 1)


def total(exps: Any) -> Any:
    """The sums of weighted exponentials of all rows, as a column."""
    return sum_op(v * exps, axes=(1,))


def shares(exps: Any) -> Any:
    """The terms of these sums over the sums."""
    signed = sign(v) * softmax_op(logs_of(v, exps), axes=(1,))
    return signed / sum_op(signed, axes=(1,))


product = dot_op(v, c)
turned = dimshuffle_op(v, pattern=q)
column = matrix(b, (0, "x"))

SLOPE = WEIGHTS & COLUMN & (c >= 0) & swaps(q)
SLOPES: tuple[tuple[str, Any, Any, Condition], ...] = (
    ("", lambda found: w / found, lambda share: w * share, SLOPE & invariant(w, (1,))),
    ("-of-one", reciprocal, lambda share: share, SLOPE),
)
LAWS = [
    *(
        (f"{word}-weights-times-exps", of(product), of(total(transposed(c))), WEIGHTS & COLUMN, [product])
        for word, of in (
            ("log-of", log),
            ("one-over", reciprocal),
            ("quotient-by", lambda found: w / found),
        )
    ),
    *(  # the gradient of the logarithm: each exponential times the sums of weights over the totals of the rows
        (
            f"slope-of-weights-times-exps{end}",
            c * dot_op(turned, slope(product)),
            transposed(sum_op(weighted(shares(transposed(c))), axes=(0,))),
            when,
            [],
        )
        for end, slope, weighted, when in SLOPES
    ),
    *(  # of a vector, of which the column is the one above
        (
            f"slope-of-weights-times-exps{end}-as-vector",
            b * vector(0)(dot_op(turned, slope(dot_op(v, column)))),
            vector(0)(column * dot_op(turned, slope(dot_op(v, column)))),
            VECTOR,
            [],
        )
        for end, slope, _, _ in SLOPES
    ),
]

RULES = [
    rule(name, left, right, when=when, prices=priced, grows=False, **STABLE)
    for name, left, right, when, priced in LAWS
]
