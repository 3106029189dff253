"""Systems instead of inverses; triangular systems where a factor is known.

That a product with an inverse is a system does not price the product out: the class of a matrix may hold the inverse of
its inverse, and what is done with the matrix itself would be priced out with it.
"""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.decompose import cholesky_op
from eqsat.graph.ops.factored import lu_factors, lu_solve
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.solve import inv_op, solve_op, triangular_op
from eqsat.rules.diagonals import diagonal_matrix
from eqsat.rules.facts import closes, identity, lower, posdef, rank, swaps, upper, zero
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import moved, parameters, reals, transposed
from eqsat.rules.rule import rule

a, b, c, l, x, y, z = reals("a b c l x y z")
p, u = parameters("p u")
BACKWARD = ["backward"]


def flipped(v: Any) -> Any:
    """The transpose of v, where ``swaps(p)`` holds."""
    return dimshuffle_op(v, pattern=p)


def low(m: Any, v: Any) -> Any:
    """Solution of a system with the lower triangle of a matrix."""
    return triangular_op(m, v, lower=1, unit=0)


def high(m: Any, v: Any) -> Any:
    """Solution of a system with the upper triangle of a matrix."""
    return triangular_op(m, v, lower=0, unit=0)


RULES = [
    *with_mirror(
        rule("inverse-dot", dot_op(inv_op(a), b), solve_op(a, b), tags=BACKWARD, cite="higham2002"),
        "dot-inverse",
        grows=False,
    ),
    rule("inverse-of-inverse", inv_op(inv_op(a)), a, tier="extends", tags=BACKWARD),
    *(
        rule(name, of, found, tier="extends", when=identity(a))
        for name, of, found in (("inverse-of-unit", inv_op(a), a), ("solve-of-unit", solve_op(a, b), b))
    ),
    rule(
        "solve-diagonal-matrix",
        solve_op(diagonal_matrix(z, y), b),
        b / moved(y, "column"),
        tier="extends",
        when=rank(z, 2) & zero(z),
        grows=False,
        tags=BACKWARD,
    ),
    *(
        rule(f"solve-{name}", solve_op(matrix, b), found, when=known, grows=grows, tags=BACKWARD, cite=cite)
        for name, matrix, found, known, grows, cite in (
            ("inverse", inv_op(a), dot_op(a, b), rank(a, 2), None, "definition"),
            ("unit", a, inv_op(a), identity(b), None, "definition"),
            # systems with one matrix share its factors
            ("by-factors", a, lu_solve(lu_factors(a), b, turned=0), rank(a, 2), True, "golub2013"),
            (
                "transposed-by-factors",
                flipped(a),
                lu_solve(lu_factors(a), b, turned=1),
                swaps(p),
                True,
                "golub2013",
            ),
            ("lower", a, low(a, b), lower(a), None, "golub2013"),
            ("upper", a, high(a, b), upper(a), None, "golub2013"),
            (
                "posdef",
                a,
                high(transposed(cholesky_op(a)), low(cholesky_op(a), b)),
                posdef(a),
                True,
                "golub2013",
            ),
        )
    ),
    rule(
        "solve-square-of-factor",
        solve_op(dot_op(l, flipped(l)), b),
        solve_op(transposed(l), solve_op(l, b)),
        tier="stabilises",
        when=swaps(p) & closes(l, l),
        grows=False,
        tags=BACKWARD,
        cite="golub2013",
    ),
    *(
        rule(
            f"dot-{word}-solution",
            dot_op(x, triangular_op(a, b, lower=side, unit=u)),
            dot_op(transposed(triangular_op(transposed(a), transposed(x), lower=1 - side, unit=u)), b),
            grows=True,
            tags=BACKWARD,
            cite="golub2013",
        )
        for word, side in (("lower", 1), ("upper", 0))
    ),
    *(
        rule(name, of, b, tier="extends", when=known, tags=BACKWARD)
        for name, of, known in (
            ("dot-solve", dot_op(a, solve_op(a, b)), None),
            ("solve-dot", solve_op(a, dot_op(a, b)), None),
            ("lower-solution-of-dot", low(a, dot_op(a, b)), lower(a)),
            ("upper-solution-of-dot", high(a, dot_op(a, b)), upper(a)),
        )
    ),
]
