"""Parts that ops on stacks of matrices share: types of the leading axes, loops over them, packing for LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import LinAlgError
from eqsat.graph.constant import cast_to, constant
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import eq, ge, gt, switch
from eqsat.graph.ops.shape import dimshuffle, length

# ------------------------------------------------------------------------------------------- types and checks


DIVERGED = "the singular values did not converge"


def finite(op: str, failure: str, a: Any) -> Any:
    """The matrices of an op for which LAPACK may never return where an element is not finite: refused then."""
    if not np.isfinite(a).all():
        raise LinAlgError(f"{op}: {failure}")
    return a


def numpy_call(op: str, failure: str, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Result of a NumPy or SciPy function whose LinAlgError becomes ours."""
    try:
        return function(*args, **keywords)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{op}: {failure}") from None


# ------------------------------------------------------------------------------------------------- small graphs


def swap(x: Any) -> Any:
    """The stack with the last two axes exchanged."""
    return dimshuffle(x, *range(x.ndim - 2), x.ndim - 1, x.ndim - 2)


def column(x: Any) -> Any:
    """The stack of vectors as one of matrices with one column."""
    return dimshuffle(x, *range(x.ndim), "x")


def row(x: Any) -> Any:
    """The stack of vectors as one of matrices with one row."""
    return dimshuffle(x, *range(x.ndim - 1), "x", x.ndim - 1)


def _places(x: Any) -> tuple[Any, Any]:
    front = ("x",) * (x.ndim - 2)
    rows, columns = arange(length(x, x.ndim - 2)), arange(length(x, x.ndim - 1))
    return dimshuffle(rows, *front, 0, "x"), dimshuffle(columns, *front, "x", 0)


def _zero(x: Any) -> Any:
    return constant(np.zeros((), x.type.dtype))


def lower(x: Any, strict: bool = False) -> Any:
    """The lower triangles of matrices, zero elsewhere; ``strict`` leaves the diagonal out."""
    rows, columns = _places(x)
    return switch((gt if strict else ge)(rows, columns), x, _zero(x))


def upper(x: Any, strict: bool = False) -> Any:
    """The upper triangles of matrices, zero elsewhere; ``strict`` leaves the diagonal out."""
    rows, columns = _places(x)
    return switch((gt if strict else ge)(columns, rows), x, _zero(x))


def on_diagonal(x: Any, inside: Any, outside: Any) -> Any:
    """``inside`` on the diagonals of matrices like x, ``outside`` elsewhere."""
    rows, columns = _places(x)
    return switch(eq(rows, columns), inside, outside)


def identity_like(x: Any) -> Any:
    """Unit matrices of the lengths of x, without its leading axes."""
    rows, columns = (dimshuffle(v, v.ndim - 2, v.ndim - 1) for v in _places(x))
    return cast_to(eq(rows, columns), x.type.dtype)


def fold_triangle(x: Any, low: bool) -> Any:
    """Gradient with respect to a symmetric matrix of which only one triangle is read."""
    both = on_diagonal(x, x, x + swap(x))
    return lower(both) if low else upper(both)
