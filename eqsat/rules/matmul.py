"""Products of matrices: the order of a chain, factors of rows and columns, transposes, sums."""

from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.linalg import batched_op, dot_op
from eqsat.graph.ops.reduce import count_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import covers, invariant, rank, uniform
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import call, numbers, parameters, transposed, value
from eqsat.rules.rule import rule

x, y, z, s = numbers("x y z s")
p, q, axes = parameters("p q axes")
BACKWARD = ["backward"]
SHORT = [*BACKWARD, "short"]  # only in chains of few factors, where every bracket is tried


def flipped(v: object) -> object:
    """The transpose of v, where ``swaps(p)`` holds."""
    return dimshuffle_op(v, pattern=p)


def of_factors(name: str) -> object:
    """A function of the moves of two factors and of the axes along which their product is summed."""
    return call(name, p, q, axes)


ROW_SUMS = sum_op(x, axes=(1,)) * value(s)
ALL_COLUMNS = fill(count_op(s, axes=(0,)), ROW_SUMS)  # each is like the others

RULES = [
    *(
        rule(
            f"{name}-by-broadcasting",
            sum_op(dimshuffle_op(x, pattern=p) * dimshuffle_op(y, pattern=q), axes=axes),
            dimshuffle_op(
                product(
                    dimshuffle_op(x, pattern=of_factors(left)), dimshuffle_op(y, pattern=of_factors(right))
                ),
                pattern=of_factors(whole),
            ),
            when=covers(x, shown) & covers(y, shown),
            tags=BACKWARD,
        )
        for name, product, left, right, whole, shown in (
            ("product", dot_op, "left_factor", "right_factor", "product_in_place", (0, 1)),
            ("products", batched_op, "left_stack", "right_stack", "stack_in_place", (0, 1, 2)),
        )
    ),
    rule(
        "dot-chain",
        dot_op(dot_op(x, y), z),
        dot_op(x, dot_op(y, z)),
        multiset=True,
        tags=BACKWARD,
        cite="higham2002",
    ),
    *with_mirror(
        rule(
            "dot-left",
            dot_op(x, dot_op(y, z)),
            dot_op(dot_op(x, y), z),
            grows=True,
            tags=SHORT,
            cite="higham2002",
        ),
        "dot-right",
    ),
    # a row times a column is left alone: it is larger than either, wherever it goes
    rule("dot-outer", dot_op(x, y), x * y, tier="extends", when=invariant(x, (1,)) & invariant(y, (0,))),
    *(
        law
        for (name, right, when), twin in (
            (("column", ROW_SUMS, invariant(s, (1,))), "row"),
            (("columns", ALL_COLUMNS, covers(s, (1,))), "rows"),
        )
        for law in with_mirror(
            rule(
                f"dot-of-uniform-{name}",
                dot_op(x, s),
                right,
                when=uniform(s) & when & covers(x, (0, 1)),
                tags=BACKWARD,
            ),
            f"dot-of-uniform-{twin}",
        )
    ),
    *with_mirror(
        rule(
            "row-times-column",
            sum_op(x * y, axes=(1,)),
            dot_op(x, transposed(y)),
            when=invariant(y, (0,)) & rank(x, 2) & covers(x, (1,)) & covers(y, (1,)),
            tags=BACKWARD,
        ),
        "column-times-matrix",
    ),
]
