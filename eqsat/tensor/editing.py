"""Elements put in and taken out along an axis, blocks of matrices, differences at each element."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.ops.assertion import Assert
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import ge, isnan, lt, maximum, minimum, switch
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.shape import shape
from eqsat.tensor.cumulative import convolve
from eqsat.tensor.joining import concatenate
from eqsat.tensor.rearrange import broadcast_to, flip, moveaxis, ravel
from eqsat.tensor.sorting import argsort, sort


def insert(x: Any, at: Any, values: Any, axis: int | None = None) -> Any:
    """A tensor with values put in before an index along an axis; without an axis into its elements in order.

    ``at`` is one index, negative ones count from the end. Values broadcast to one slice, or along the axis are several.

    Errors   ArgumentError for several indices; AssertError for one outside the axis

    >>> import eqsat.tensor as T
    >>> T.insert([1, 2, 3], 1, 9).eval()
    array([1, 9, 2, 3])
    """
    x, place = _along(x, axis)
    x, k = _inside(x, _one(at, "insert"), "insert", 1)
    value = cast_to(as_tensor(values), x.type.dtype)
    row = shape(x)[1:]
    if value.type.ndim == x.type.ndim:
        new = moveaxis(value, place, 0)
    else:
        new = broadcast_to(value, tuple(row[i] for i in range(x.type.ndim - 1)))[None]
    return moveaxis(concatenate([x[:k], new, x[k:]], axis=0), 0, place)


def delete(x: Any, at: Any, axis: int | None = None) -> Any:
    """A tensor without the slice at an index along an axis, or without those of a slice object of step 1.

    Errors   ArgumentError for several indices; AssertError for one outside the axis

    >>> import eqsat.tensor as T
    >>> T.delete([1, 2, 3, 4], 1).eval(), T.delete([1, 2, 3, 4], slice(1, 3)).eval()
    (array([1, 3, 4]), array([1, 4]))
    """
    x, place = _along(x, axis)
    if isinstance(at, slice) and at.step in (None, 1):
        start, stop = at.start or 0, at.stop
        parts = [x[:start], *([] if stop is None else [x[stop:]])]
    else:
        x, k = _inside(x, _one(at, "delete"), "delete", 0)
        parts = [x[:k], x[shape(x)[0] :] if isinstance(k, int) and k == -1 else x[k + 1 :]]
    return moveaxis(concatenate(parts, axis=0), 0, place)


def _along(x: Any, axis: int | None) -> tuple[Any, int]:
    """The tensor with an axis in front, and where that was."""
    x = as_tensor(x)
    return (ravel(x), 0) if axis is None else (moveaxis(x, axis, 0), axis)


def _one(at: Any, name: str) -> Any:
    """One index."""
    if isinstance(at, (list, tuple, slice)) or np.ndim(at if not hasattr(at, "type") else 0):
        raise ArgumentError(
            f"{name}: the place is {at!r}", needs="one index", hint="T.concatenate of the parts"
        )
    return at if hasattr(at, "type") else int(at)


def _inside(x: Any, k: Any, name: str, more: int) -> tuple[Any, Any]:
    """The tensor, of which the call checks that it has the place k, or is up to it, and the place; one not known from the left."""
    n = shape(x)[0]
    fits = Assert(f"{name}: the index is outside the axis")
    x = fits(x, ge(k + n, 0), lt(k, n + more))
    return x, k if isinstance(k, int) else switch(lt(k, 0), k + n, k)


def block(parts: Any) -> Any:
    """A tensor of nested lists of blocks: the innermost lists are joined along the last axis, the next ones along that before it.

    Shapes   parts: nested lists of tensors -> [sum of rows, sum of columns]

    >>> import eqsat.tensor as T
    >>> T.block([[T.eye(2), T.zeros((2, 1))], [T.ones((1, 3))]]).eval()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 1., 1.]])
    """
    depth, inner = 0, parts
    while isinstance(inner, (list, tuple)):
        depth, inner = depth + 1, inner[0]
    return _block(parts, depth, max(depth, as_tensor(inner).type.ndim))


def _block(parts: Any, depth: int, ndim: int) -> Any:
    if not isinstance(parts, (list, tuple)):
        part = as_tensor(parts)
        return part.dimshuffle(*["x"] * (ndim - part.type.ndim), *range(part.type.ndim))
    return concatenate([_block(p, depth - 1, ndim) for p in parts], axis=-depth)


def gradient(x: Any, *spacing: Any, axis: Any = None) -> Any:
    """Differences of neighbours at each element, central ones inside, one-sided ones at the borders, for each axis or those given.

    ``spacing`` is one number for all axes, or one for each.

    Errors   ArgumentError for coordinates in place of numbers; AssertError for fewer than two elements

    >>> import eqsat.tensor as T
    >>> T.gradient([1.0, 4.0, 9.0, 16.0]).eval()
    array([3., 4., 6., 7.])
    """
    x = as_tensor(x)
    axes = range(x.type.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    steps = [as_tensor(s) for s in spacing or (1.0,)]
    if any(s.type.ndim for s in steps):
        raise ArgumentError(
            "gradient: the spacing is an array of coordinates", needs="a number for each axis"
        )
    if len(steps) not in (1, len(axes)):
        raise ArgumentError(
            f"gradient: {len(steps)} spacings for {len(axes)} axes", needs="one, or one for each"
        )
    found = [_slope(x, a, steps[k % len(steps)]) for k, a in enumerate(axes)]
    return found[0] if len(found) == 1 else found


def _slope(x: Any, axis: int, step: Any) -> Any:
    if x.type.dtype not in ("float32", "float64", "complex64", "complex128"):
        x = cast_to(x, "float64")
    several = Assert("gradient: an axis has fewer than two elements")
    x = several(x, ge(shape(x)[axis], 2))
    x, step = moveaxis(x, axis, 0), cast_to(step, x.type.dtype)
    inner = (x[2:] - x[:-2]) / (step + step)
    parts = [(x[1:2] - x[:1]) / step, inner, (x[-1:] - x[-2:-1]) / step]
    return moveaxis(concatenate(parts, axis=0), 0, axis)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Sums of products of two vectors at each shift; ``mode`` is that of ``convolve``. A complex v is conjugated.

    Shapes   a: [n], v: [m] -> [n - m + 1] for ``valid``, [n + m - 1] for ``full``, [max(n, m)] for ``same``

    >>> import eqsat.tensor as T
    >>> T.correlate([1.0, 2.0, 3.0], [0.0, 1.0]).eval()
    array([2., 3.])
    """
    v = as_tensor(v)
    if v.type.ndim != 1:
        raise RankError("correlate: an operand is no vector", operands=[("v", v)])
    return convolve(a, flip(v.conj() if v.type.dtype.startswith("complex") else v), mode)


def partition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """Elements with those before the place ``kth`` no greater and those behind it no less: here they are sorted altogether.

    Shapes   x: [...] -> [...]

    >>> import eqsat.tensor as T
    >>> T.partition([3, 1, 2], 1).eval()
    array([1, 2, 3])
    """
    return sort(x, axis)


def argpartition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """The places of the elements in the order of ``partition``.

    Shapes   x: [...] -> int64[...]

    >>> import eqsat.tensor as T
    >>> T.argpartition([3, 1, 2], 1).eval()
    array([1, 2, 0])
    """
    return argsort(x, axis)


def fmax(x: Any, y: Any) -> Any:
    """The larger of two numbers, or the one of them that is a number.

    Shapes   x, y: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.fmax([1.0, float("nan")], [2.0, 3.0]).eval()
    array([2., 3.])
    """
    x, y = as_tensor(x), as_tensor(y)
    return switch(isnan(x), y, switch(isnan(y), x, maximum(x, y)))


def fmin(x: Any, y: Any) -> Any:
    """The smaller of two numbers, or the one of them that is a number.

    Shapes   x, y: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.fmin([1.0, float("nan")], [2.0, 3.0]).eval()
    array([1., 3.])
    """
    x, y = as_tensor(x), as_tensor(y)
    return switch(isnan(x), y, switch(isnan(y), x, minimum(x, y)))


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Every window of a length along an axis, or of lengths along several, by default all, as new last axes.

    Shapes   x: [..., n, ...] -> [..., n - window_shape + 1, ..., window_shape]
    Errors   ArgumentError for another number of lengths than of axes; AssertError for a window that is longer than its axis

    >>> import eqsat.tensor as T
    >>> T.sliding_window_view([1, 2, 3, 4], 2).eval()
    array([[1, 2],
           [2, 3],
           [3, 4]])
    >>> T.sliding_window_view(T.eye(3), (2, 2)).eval().shape
    (2, 2, 2, 2)
    """
    x = as_tensor(x)
    lengths = list(window_shape) if isinstance(window_shape, (tuple, list)) else [window_shape]
    axes = range(x.type.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    if len(lengths) != len(axes):
        raise ArgumentError(
            f"sliding_window_view: {len(lengths)} lengths for {len(axes)} axes",
            operands=[(str(x), x)],
            needs="a length for each",
        )
    axes = [normal_axis("sliding_window_view", a, x.type.ndim, x) for a in axes]
    for length, place in zip(lengths, axes, strict=True):
        x = _windows(x, length, place)
    return x


def _windows(x: Any, length: Any, place: int) -> Any:
    """The windows along one axis."""
    whole = shape(x)[place]
    fits = Assert("sliding_window_view: the window is longer than its axis")(whole, ge(whole, length))
    starts = arange(fits - length + 1)
    windows = moveaxis(x, place, 0)[starts[:, None] + np.arange(length)]
    return moveaxis(moveaxis(windows, 1, -1), 0, place)
