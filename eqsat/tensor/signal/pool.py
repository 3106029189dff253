"""Pooling over the last two or three axes: the maximum, sum or average of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.names import late_names
from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import COMPLEX, to_float
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import maximum, minimum
from eqsat.graph.ops.pool import pool_max_op, pool_pick_op, pool_route_op, pool_sum_op
from eqsat.graph.ops.shape import dimshuffle, length

__all__ = ["max_pool_2d", "max_pool_2d_same_size", "pool_2d", "pool_3d"]

MODES = ("max", "sum", "average_inc_pad", "average_exc_pad")
Window = int | Sequence[int]


def _numbers(name: str, what: str, value: Any, spatial: int, least: int) -> tuple[int, ...]:
    given = (value,) * spatial if isinstance(value, (int, np.integer)) else value
    if (
        not isinstance(given, (list, tuple))
        or len(given) != spatial
        or not all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v >= least for v in given)
    ):
        raise ArgumentError(
            f"{name}: {what} does not take {value!r}",
            needs=f"{spatial} integers of {least} or more",
            hint=f"{what}={(max(2, least),) * spatial}",
        )
    return tuple(int(v) for v in given)


def _one_of(name: str, what: str, old: str, value: Any, older: Any) -> Any:
    """The value of an argument that has two names."""
    if value is not None and older is not None:
        raise ArgumentError(f"{name}: {what} and {old} are the same; give one of them")
    return older if value is None else value


def _settings(name: str, spatial: int, ws: Any, ignore_border: Any, stride: Any, pad: Any) -> dict[str, Any]:
    window = _numbers(name, "ws", ws, spatial, 1)
    strides = window if stride is None else _numbers(name, "stride", stride, spatial, 1)
    pads = _numbers(name, "pad", 0 if pad is None else pad, spatial, 0)
    if any(pads) and not ignore_border:
        raise ArgumentError(
            f"{name}: pad={pads} with ignore_border=False", needs="padding needs ignore_border=True"
        )
    if any(p >= k for p, k in zip(pads, window, strict=True)):
        raise ArgumentError(f"{name}: pad={pads} is not smaller than the window {window}", needs="pad < ws")
    return {"window": window, "strides": strides, "pads": pads, "partial": not ignore_border}


def _counts(x: Any, settings: dict[str, Any], count_padding: bool) -> Any:
    """Number of elements that each window averages, in x's dtype: one vector per axis, multiplied."""
    spatial = len(settings["window"])
    total: Any = None
    pooled = pool_sum_op.bind(**settings)(x)
    for k in range(spatial):
        axis = x.ndim - spatial + k
        window, stride, pad = (settings[what][k] for what in ("window", "strides", "pads"))
        start = arange(length(pooled, axis)) * stride - pad
        extra = pad if count_padding else 0
        size = minimum(start + window, length(x, axis) + extra) - maximum(start, -extra)
        size = dimshuffle(cast_to(size, x.dtype), *("x",) * axis, 0, *("x",) * (x.ndim - axis - 1))
        total = size if total is None else total * size
    return total


def _pool(name: str, spatial: int, x: Any, settings: dict[str, Any], mode: Any) -> Any:
    x = _operand(name, spatial, x)
    if mode not in MODES:
        raise ArgumentError(f"{name}: unknown mode {mode!r}", among=(mode, MODES))
    if mode == "max":
        return pool_max_op.bind(**settings)(x)
    if mode == "sum":
        return pool_sum_op.bind(**settings)(x)
    x = cast_to(x, to_float(x.dtype))
    total = pool_sum_op.bind(**settings)(x)
    if mode == "average_inc_pad" and not settings["partial"]:
        return total / np.asarray(np.prod(settings["window"]), x.dtype)
    return total / _counts(x, settings, mode == "average_inc_pad")


def _operand(name: str, spatial: int, x: Any) -> Any:
    x = as_tensor(x)
    if x.ndim < spatial:
        raise RankError(
            f"{name}: {x} has {x.ndim} dimensions", operands=[("input", x)], needs=f"{spatial} or more"
        )
    if x.dtype in COMPLEX:
        raise DTypeError(f"{name}: {x} is {x.dtype}", operands=[("input", x)], needs="real numbers")
    return x


def pool_2d(
    input: Any,
    ws: Any = None,
    ignore_border: bool | None = None,
    stride: Any = None,
    pad: Any = None,
    mode: str = "max",
    ds: Any = None,
    st: Any = None,
    padding: Any = None,
) -> Any:
    """Windows over the last two axes, each pooled to one element; ``ds``, ``st``, ``padding`` are older names.

    ``mode`` is "max", "sum", "average_inc_pad" (padding counts) or "average_exc_pad". ``ignore_border=False`` (the
    default) also pools the windows that reach beyond the end. The maximum's gradient goes to the first largest
    element.

    Shapes   input: any[..., h, w] -> any[..., (h + 2 * pad - ws) // stride + 1, .]
    Errors   RankError; ArgumentError for an unknown mode, or padding that is not smaller than the window

    >>> import numpy as np, eqsat.tensor as T
    >>> T.signal.pool.pool_2d(np.arange(6.0).reshape(2, 3), (2, 2), ignore_border=True).eval()
    array([[4.]])
    >>> T.signal.pool.pool_2d(np.arange(6.0).reshape(2, 3), (2, 2), mode="average_exc_pad").eval()
    array([[2. , 3.5]])
    """
    return _named("pool_2d", 2, input, ws, ds, ignore_border, stride, st, pad, padding, mode)


def pool_3d(
    input: Any,
    ws: Any = None,
    ignore_border: bool | None = None,
    stride: Any = None,
    pad: Any = None,
    mode: str = "max",
    ds: Any = None,
    st: Any = None,
    padding: Any = None,
) -> Any:
    """Windows over the last three axes, each pooled to one element; the arguments are those of pool_2d.

    Shapes   input: any[..., d, h, w] -> [..., ., ., .]
    Errors   those of ``pool_2d``

    >>> import numpy as np, eqsat.tensor as T
    >>> T.signal.pool.pool_3d(np.ones((2, 2, 2)), (2, 2, 2), mode="sum").eval()
    array([[[8.]]])
    """
    return _named("pool_3d", 3, input, ws, ds, ignore_border, stride, st, pad, padding, mode)


def _named(name: str, spatial: int, x: Any, ws: Any, ds: Any, ignore: Any, stride: Any, st: Any, pad: Any, padding: Any, mode: Any) -> Any:  # fmt: skip
    window = _one_of(name, "ws", "ds", ws, ds)
    steps = _one_of(name, "stride", "st", stride, st)
    pads = _one_of(name, "pad", "padding", pad, padding)
    return _pool(name, spatial, x, _settings(name, spatial, window, bool(ignore), steps, pads), mode)


def max_pool_2d(
    input: Any,
    ds: Any,
    ignore_border: bool | None = None,
    st: Any = None,
    padding: Any = None,
    mode: str = "max",
) -> Any:
    """pool_2d as programs of Theano 0.6 call it.

    Shapes   those of ``pool_2d``
    Errors   those of ``pool_2d``

    >>> import numpy as np, eqsat.tensor as T
    >>> T.signal.downsample.max_pool_2d(np.arange(4.0).reshape(2, 2), (2, 2)).eval()
    array([[3.]])
    """
    return _named("max_pool_2d", 2, input, ds, None, ignore_border, st, None, padding, None, mode)


def max_pool_2d_same_size(input: Any, patch_size: Window) -> Any:
    """input with zeros everywhere but at the first largest element of each patch.

    Shapes   input: any[..., h, w] -> [..., h, w]
    Errors   RankError; ArgumentError for a patch that is no positive length

    >>> import numpy as np, eqsat.tensor as T
    >>> max_pool_2d_same_size(np.array([[1.0, 4.0], [2.0, 3.0]]), (2, 2)).eval()
    array([[0., 4.],
           [0., 0.]])
    """
    name = "max_pool_2d_same_size"
    x = _operand(name, 2, input)
    settings = _settings(name, 2, patch_size, True, None, None)
    return pool_route_op.bind(**settings)(x, pool_pick_op.bind(**settings)(x, x))


late_names(__name__)
