"""Products of matrices: the order of a chain, factors of rows and columns, transposes, sums."""

from eqsat.graph.ops.elemwise import neg
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import covers, invariant, one_element, rank, swaps, varies
from eqsat.rules.pattern import numbers, parameters, transposed
from eqsat.rules.rule import rule

x, y, z, s = numbers("x y z s")
p = parameters("p")
BACKWARD = ["backward"]
SHORT = [*BACKWARD, "short"]  # only in chains of few factors, where every bracket is tried


def flipped(v: object) -> object:
    """The transpose of v, where ``swaps(p)`` holds."""
    return dimshuffle_op(v, pattern=p)


RULES = [
    rule(
        "dot-chain",
        dot_op(dot_op(x, y), z),
        dot_op(x, dot_op(y, z)),
        multiset=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "dot-left",
        dot_op(x, dot_op(y, z)),
        dot_op(dot_op(x, y), z),
        grows=True,
        tags=SHORT,
        cite="higham2002",
    ),
    rule(
        "dot-right",
        dot_op(dot_op(x, y), z),
        dot_op(x, dot_op(y, z)),
        grows=True,
        tags=SHORT,
        cite="higham2002",
    ),
    rule(
        "dot-of-transposes",
        dot_op(flipped(x), flipped(y)),
        flipped(dot_op(y, x)),
        when=swaps(p),
        tags=BACKWARD,
    ),
    rule(
        "transpose-of-dot",
        flipped(dot_op(x, y)),
        dot_op(flipped(y), flipped(x)),
        when=swaps(p),
        grows=True,
        tags=BACKWARD,
    ),
    rule("dot-neg-left", dot_op(neg(x), y), neg(dot_op(x, y)), tier="extends"),
    rule("dot-neg-right", dot_op(x, neg(y)), neg(dot_op(x, y)), tier="extends"),
    rule(
        "dot-rows-scaled",
        dot_op(s * x, y),
        s * dot_op(x, y),
        when=invariant(s, (1,)) & covers(x, (1,)),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "dot-columns-scaled",
        dot_op(x, s * y),
        s * dot_op(x, y),
        when=invariant(s, (0,)) & covers(y, (0,)),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "dot-rows-divided",
        dot_op(x / s, y),
        dot_op(x, y) / s,
        when=invariant(s, (1,)) & covers(x, (1,)),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "dot-columns-divided",
        dot_op(x, y / s),
        dot_op(x, y) / s,
        when=invariant(s, (0,)) & covers(y, (0,)),
        tags=BACKWARD,
        cite="higham2002",
    ),
    # a row times a column is left alone: it is larger than either, wherever it goes
    rule(
        "scale-into-left",
        s * dot_op(x, y),
        dot_op(s * x, y),
        when=varies(s) & invariant(s, (1,)) & covers(x, (0,)),
        grows=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "scale-into-right",
        s * dot_op(x, y),
        dot_op(x, s * y),
        when=varies(s) & invariant(s, (0,)) & covers(y, (1,)),
        grows=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "scalar-into-left",
        s * dot_op(x, y),
        dot_op(s * x, y),
        when=varies(s) & one_element(s),
        grows=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "scalar-into-right",
        s * dot_op(x, y),
        dot_op(x, s * y),
        when=varies(s) & one_element(s),
        grows=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule("dot-outer", dot_op(x, y), x * y, tier="extends", when=invariant(x, (1,)) & invariant(y, (0,))),
    rule(
        "sum-columns-of-dot",
        sum_op(dot_op(x, y), axes=(0,)),
        dot_op(sum_op(x, axes=(0,)), y),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "sum-rows-of-dot",
        sum_op(dot_op(x, y), axes=(1,)),
        dot_op(x, sum_op(y, axes=(1,))),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "sum-of-dot",
        sum_op(dot_op(x, y), axes=(0, 1)),
        dot_op(sum_op(x, axes=(0,)), sum_op(y, axes=(1,))),
        grows=False,
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule("dot-common-left", dot_op(x, y) + dot_op(x, z), dot_op(x, y + z), tags=BACKWARD, cite="higham2002"),
    rule("dot-common-right", dot_op(x, z) + dot_op(y, z), dot_op(x + y, z), tags=BACKWARD, cite="higham2002"),
    rule(
        "dot-common-left-sub", dot_op(x, y) - dot_op(x, z), dot_op(x, y - z), tags=BACKWARD, cite="higham2002"
    ),
    rule(
        "dot-common-right-sub",
        dot_op(x, z) - dot_op(y, z),
        dot_op(x - y, z),
        tags=BACKWARD,
        cite="higham2002",
    ),
    rule(
        "dot-of-sum-right",
        dot_op(x, y + z),
        dot_op(x, y) + dot_op(x, z),
        tier="loose",
        when=covers(y, (0,)) & covers(z, (0,)),
        grows=True,
        tags=["expand"],
    ),
    rule(
        "dot-of-sum-left",
        dot_op(x + y, z),
        dot_op(x, z) + dot_op(y, z),
        tier="loose",
        when=covers(x, (1,)) & covers(y, (1,)),
        grows=True,
        tags=["expand"],
    ),
    rule(
        "row-times-column",
        sum_op(x * y, axes=(1,)),
        dot_op(x, transposed(y)),
        when=invariant(y, (0,)) & rank(x, 2) & covers(x, (1,)) & covers(y, (1,)),
        tags=BACKWARD,
    ),
    rule(
        "column-times-matrix",
        sum_op(x * y, axes=(0,)),
        dot_op(transposed(y), x),
        when=invariant(y, (1,)) & rank(x, 2) & covers(x, (0,)) & covers(y, (0,)),
        tags=BACKWARD,
    ),
]
