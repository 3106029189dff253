"""Functions that NumPy has taken over from the array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import check_dtype
from eqsat.graph.ops.complex import conj
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.matmul import matmul
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.subscript import getitem
from eqsat.tensor import cumulative


def _cumulative(name: str, x: Any, axis: int | None, dtype: Any, initial: float | None) -> Any:
    x = as_tensor(x)
    if axis is None and x.ndim != 1:
        raise ArgumentError(f"{name}: axis is missing for {x.ndim} dimensions", operands=[(str(x), x)])
    axis = normal_axis(name, 0 if axis is None else axis, x.ndim, x)
    run = cumulative.cumsum if name == "cumulative_sum" else cumulative.cumprod
    found = run(x if dtype is None else cast_to(x, check_dtype(dtype)), axis)
    if initial is None:
        return found
    lengths = [1 if a == axis else length(x, a) for a in range(x.ndim)]
    return concatenate([alloc(np.asarray(initial, found.type.dtype), *lengths), found], axis)


def cumulative_sum(x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """``cumsum`` along an axis, which only vectors need not name; ``include_initial`` puts 0 before the sums.

    Shapes   x: any[a, b], axis=0 -> [a, b], or [a + 1, b]
    Errors   ArgumentError for several dimensions without an axis; AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.cumulative_sum([1, 2, 3], include_initial=True).eval()
    array([0, 1, 3, 6])
    """
    return _cumulative("cumulative_sum", x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """``cumprod`` along an axis, which only vectors need not name; ``include_initial`` puts 1 before the products.

    Shapes   x: any[a, b], axis=0 -> [a, b], or [a + 1, b]
    Errors   ArgumentError for several dimensions without an axis; AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.cumulative_prod([2, 3], include_initial=True).eval()
    array([1, 2, 6])
    """
    return _cumulative("cumulative_prod", x, axis, dtype, 1 if include_initial else None)


def matvec(x: Any, y: Any) -> Any:
    """Products of matrices with vectors, in batches that broadcast, as numpy.matvec.

    Shapes   x: any[..., m, n], y: any[..., n] -> any[..., m]

    >>> import eqsat.tensor as T
    >>> T.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0]).eval()
    array([-1., -1.])
    """
    y = as_tensor(y)
    product = matmul(as_tensor(x), dimshuffle(y, *range(y.ndim), "x"))
    return dimshuffle(product, *range(product.ndim - 1))


def vecmat(x: Any, y: Any) -> Any:
    """Products of conjugated vectors with matrices, in batches that broadcast, as numpy.vecmat.

    Shapes   x: any[..., m], y: any[..., m, n] -> any[..., n]

    >>> import eqsat.tensor as T
    >>> T.vecmat([1.0, -1.0], [[1.0, 2.0], [3.0, 4.0]]).eval()
    array([-2., -2.])
    """
    x = conj(as_tensor(x))
    product = matmul(dimshuffle(x, *range(x.ndim - 1), "x", x.ndim - 1), as_tensor(y))
    last = product.ndim - 1
    return dimshuffle(product, *(a for a in range(product.ndim) if a != last - 1))


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The parts along an axis of known length, without it.

    Shapes   x: any[k, n] -> k times any[n]
    Errors   ArgumentError where the type does not know the length; AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> [row.eval().tolist() for row in T.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = as_tensor(x)
    axis = normal_axis("unstack", axis, x.ndim, x)
    count = x.type.shape[axis]
    if count is None:
        raise ArgumentError(
            f"unstack: the length of axis {axis} is not known",
            operands=[(str(x), x)],
            hint="T.specify_shape where it is",
        )
    return tuple(getitem(x, (*(slice(None),) * axis, k)) for k in range(count))
