"""Functions of matrices: what they do to transposes, products, inverses, multiples and diagonal matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.solve import inv_op
from eqsat.graph.properties import of_products
from eqsat.rules.diagonals import diagonal_matrix
from eqsat.rules.facts import closes, one_element, rank, swaps, zero
from eqsat.rules.pattern import numbers, parameters, reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied
from eqsat.rules.schemes.scheme import scheme

a, b, c, x, y, z = reals("a b c x y z")
v, w = numbers("v w")
p = parameters("p")
BACKWARD = ["backward"]


def flipped(v: Any) -> Any:
    """The transpose of v, where ``swaps(p)`` holds."""
    return dimshuffle_op(v, pattern=p)


@scheme(
    "function-of-transpose",
    "f(A.T) = f(A).T, or f(A)",
    holds=lambda d: d.transposed in ("kept", "dropped"),
    needs=lambda op: [(op, "dimshuffle")],
    tags=BACKWARD,
)
def of_transpose(d: Declaration) -> Iterator[Rule]:
    """A matrix is transposed after a function of it, or not at all."""
    right = flipped(applied(d, a)) if d.transposed == "kept" else applied(d, a)
    yield rule(f"{d.name}-of-transpose", applied(d, flipped(a)), right, when=swaps(p), tags=BACKWARD)


@scheme(
    "product-of-transposes",
    "f(A.T, B.T) = f(B, A).T, f(A, B).T = f(B.T, A.T)",
    holds=lambda d: d.transposed == "swapped",
    needs=lambda op: [(op, "dimshuffle"), ("dimshuffle", op)],
    tags=BACKWARD,
)
def of_transposes(d: Declaration) -> Iterator[Rule]:
    """A product is transposed after its operands were swapped; the operands are, where others need them so."""
    once, each = flipped(applied(d, w, v)), applied(d, flipped(v), flipped(w))
    for name, sides, grows in (
        (f"{d.name}-of-transposes", (each, once), None),
        (f"transpose-of-{d.name}", (once, each), True),
    ):
        yield rule(name, *sides, when=swaps(p), grows=grows, tags=BACKWARD)


@scheme(
    "function-of-matrix-product",
    "f(dot(A, B)) = op(f(A), f(B))",
    holds=lambda d: bool(d.of_products),
    needs=lambda op: [(op, "dot")],
    tags=["expand"],
)
def of_product(d: Declaration) -> Iterator[Rule]:
    """Factors of a square matrix are square for sure where one is known to be."""
    law = of_products(d)
    assert law is not None
    values = {law.where: 1} if law.where else {}
    left, *of = (applied(d, v, **values) for v in (dot_op(x, y), x, y))
    right = OPS[law.outer](*(of[::-1] if law.swaps else of))
    yield rule(f"{d.name}-of-dot", left, right, tier="loose", when=closes(x, x), grows=True, tags=["expand"])


def outer_of(d: Declaration) -> Declaration | None:
    """The op that products of matrices become."""
    law = of_products(d)
    return OPS[law.outer] if law is not None else None


@scheme(
    "function-of-inverse",
    "f(inv(A)) = 1 / f(A), or -f(A)",
    holds=lambda d: (o := outer_of(d)) is not None and bool(o.inverse),
    needs=lambda op: [(op, "inv")],
    tags=BACKWARD,
)
def of_inverse(d: Declaration) -> Iterator[Rule]:
    """A function that turns products of matrices into products or sums of numbers turns inverses into theirs."""
    v, outer = applied(d, a), outer_of(d)
    assert outer is not None
    undone = OPS[outer.inverse](outer.neutral, v) if outer.neutral else -v
    yield rule(f"{d.name}-of-inverse", applied(d, inv_op(a)), undone, tags=BACKWARD)


@scheme(
    "function-of-multiple",
    "f(c * A) = g(c) * f(A)",
    holds=lambda d: d.of_multiples is not None,
    needs=lambda op: [(op, "mul")],
    tags=BACKWARD,
)
def of_multiple(d: Declaration) -> Iterator[Rule]:
    """A number goes out of the matrix that an op takes first."""
    assert d.of_multiples is not None
    rest = (b,) * (len(d.tensors) - 1)
    when = one_element(c) & closes(a, a)
    yield rule(
        f"{d.name}-of-multiple",
        applied(d, c * a, *rest),
        d.of_multiples(c, applied(d, a, *rest)),
        when=when & (c > 0) if d.scales_positive else when,
        tags=BACKWARD,
    )


@scheme(
    "function-of-diagonal-matrix",
    "f(diag(y)) = diag(g(y))",
    holds=lambda d: d.of_numbers is not None,
    needs=lambda op: [(op, "set_diagonal")],
    tags=BACKWARD,
)
def of_diagonal(d: Declaration) -> Iterator[Rule]:
    """A function of matrices is one of numbers on the diagonal of a diagonal matrix."""
    assert d.of_numbers is not None
    sides = applied(d, diagonal_matrix(z, y)), diagonal_matrix(z, d.of_numbers(y))
    when = rank(z, 2) & zero(z)
    yield rule(f"{d.name}-of-diagonal-matrix", *sides, tier="extends", when=when, tags=BACKWARD)


RULES = [of_transpose, of_transposes, of_product, of_inverse, of_multiple, of_diagonal]
