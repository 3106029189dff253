"""Norms of vectors and matrices, as numpy.linalg.norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import COMPLEX, FLOATS, SHORT
from eqsat.graph.ops.elemwise import abs as absolute
from eqsat.graph.ops.elemwise import neq, pow, sqr, sqrt
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.reduce import max_op, min_op, sum_op
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.ops.spectrum import svdvals_op


def real_floats(name: str, x: Any) -> Any:
    """Tensor in its own floating dtype; integers and bool become float64, as in NumPy."""
    if x.dtype in COMPLEX:
        raise DTypeError(
            f"{name} is not defined for {SHORT[x.dtype]}", operands=[(str(x), x)], needs="real numbers"
        )
    return x if x.dtype in FLOATS else cast_to(x, "float64")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a tensor over all its elements, or over one axis (vectors) or two (matrices).

    ``ord`` for vectors: any number, inf, -inf, 0 (how many are not zero); None is 2. For matrices: None or "fro",
    "nuc", 1, -1, 2, -2, inf, -inf.

    Shapes   f[...] -> f[]; axis=k removes that axis, axis=(j, k) both; keepdims leaves them at length 1
    Errors   ArgumentError for an order that does not fit the number of axes

    >>> import eqsat.tensor as T
    >>> float(T.linalg.norm([3.0, 4.0]).eval())
    5.0
    """
    x = real_floats("norm", as_tensor(x))
    axes = _axes(x, axis)
    if ord is None or (ord == "fro" and len(axes) == 2):
        kept = sqrt(sum_op(sqr(x), axes=tuple(sorted(axes)))) if axes else absolute(x)
    elif len(axes) == 1:
        kept = _vectors(x, ord, axes)
    elif len(axes) == 2:
        kept = _matrices(x, ord, axes)
    else:
        raise ArgumentError(
            f"norm: the order {ord!r} is for one axis or two, not {len(axes)}",
            operands=[(str(x), x)],
            hint="axis=",
        )
    return kept if keepdims else dimshuffle(kept, *(a for a in range(x.ndim) if a not in axes))


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(normal_axis("norm", a, x.ndim, x) for a in given)
    if len(axes) not in (1, 2) or len(set(axes)) != len(axes):
        raise ArgumentError(f"norm: axis {axis!r} is neither one axis nor two", operands=[(str(x), x)])
    return axes


def _vectors(x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if isinstance(ord, str):
        raise ArgumentError(
            f"norm: the order {ord!r} is for matrices", operands=[(str(x), x)], needs="a number"
        )
    if ord in (np.inf, -np.inf):
        return (max_op if ord > 0 else min_op)(absolute(x), axes=axes)
    if ord == 0:
        return sum_op(cast_to(neq(x, 0), x.dtype), axes=axes)
    if ord == 1:
        return sum_op(absolute(x), axes=axes)
    if ord == 2:
        return sqrt(sum_op(sqr(x), axes=axes))
    power = np.asarray(ord, x.dtype)
    return pow(sum_op(pow(absolute(x), power), axes=axes), 1 / power)


def _matrices(x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord in (1, -1, np.inf, -np.inf):
        inner, outer = axes if abs(ord) == 1 else axes[::-1]
        return (max_op if ord > 0 else min_op)(sum_op(absolute(x), axes=(inner,)), axes=(outer,))
    if ord not in (2, -2, "nuc"):
        raise ArgumentError(
            f"norm: the order {ord!r} is not for matrices",
            operands=[(str(x), x)],
            needs="None, 'fro', 'nuc', 1, -1, 2, -2, inf or -inf",
            among=(ord, ["fro", "nuc"]),
        )
    rest = [a for a in range(x.ndim) if a not in axes]
    values = svdvals_op(dimshuffle(x, *rest, *axes))
    last = (values.ndim - 1,)
    found = sum_op(values, axes=last) if ord == "nuc" else (max_op if ord == 2 else min_op)(values, axes=last)
    pattern: list[Any] = ["x"] * x.ndim
    for place, a in enumerate(rest):
        pattern[a] = place
    return dimshuffle(dimshuffle(found, *range(len(rest))), *pattern)


def vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norm of the elements over axes, read as one vector, as numpy.linalg.vector_norm.

    Shapes   f[...] -> f[]; axis=k removes that axis; keepdims leaves it at length 1
    Errors   ArgumentError for an order that is no number; AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> float(T.linalg.vector_norm([[3.0, 0.0], [0.0, 4.0]]).eval())
    5.0
    """
    x = real_floats("vector_norm", as_tensor(x))
    given = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(sorted(normal_axis("vector_norm", a, x.ndim, x) for a in given))
    kept = _vectors(x, ord, axes) if axes else absolute(x)
    return kept if keepdims else dimshuffle(kept, *(a for a in range(x.ndim) if a not in axes))


def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of matrices, the last two axes, as numpy.linalg.matrix_norm.

    Shapes   f[..., m, n] -> f[...]; keepdims leaves the axes at length 1
    Errors   ArgumentError for an order that is not for matrices; AxisError for fewer than two dimensions

    >>> import eqsat.tensor as T
    >>> T.linalg.matrix_norm([[[3.0, 0.0], [0.0, 4.0]]], ord=1).eval()
    array([4.])
    """
    return norm(x, ord, (-2, -1), keepdims)
