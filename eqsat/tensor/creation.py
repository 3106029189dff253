"""Tensors made of numbers: fillings, evenly spaced numbers, grids and windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.dtypes import FLOATS, INEXACT, check_dtype, promote, to_float
from eqsat.graph.ops import create
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, arange, zeros
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.tensor.rearrange import broadcast_arrays, moveaxis


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Tensor of a shape filled with a value, whose dtype it has unless another is given.

    Shapes   a tuple of n lengths -> an n-dimensional tensor

    >>> import eqsat.tensor as T
    >>> T.full((2,), 7, "int64").eval()
    array([7, 7])
    """
    value = as_tensor(fill_value)
    if dtype is not None:
        value = cast_to(value, check_dtype(dtype))
    elif isinstance(fill_value, (int, float)) and not isinstance(fill_value, bool):
        value = cast_to(value, check_dtype("floatX") if isinstance(fill_value, float) else "int64")
    return alloc(value, shape)


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Tensor with the shape of x filled with a value, in x's dtype unless another is given.

    Shapes   x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> T.full_like([1, 2], 7).eval()
    array([7, 7])
    """
    x = as_tensor(x)
    return create.full_like(x, cast_to(as_tensor(fill_value), check_dtype(dtype or x.dtype)))


def empty(shape: Any, dtype: Any = None) -> Any:
    """Tensor of a shape, with elements that nobody should rely on; here they are 0.

    Shapes   a tuple of n lengths -> an n-dimensional tensor

    >>> import eqsat.tensor as T
    >>> T.empty((2, 0)).eval().shape
    (2, 0)
    """
    return zeros(shape, dtype)


def empty_like(x: Any, dtype: Any = None) -> Any:
    """Tensor with the shape and dtype of x, with elements that nobody should rely on.

    Shapes   x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> T.empty_like([1, 2]).eval().shape
    (2,)
    """
    return create.zeros_like(x, dtype)


# ------------------------------------------------------------------------------------------------ even spacing


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """``num`` evenly spaced numbers from start to stop, which is the last one or, without ``endpoint``, left out.

    Shapes   start, stop: f[...] -> f[num, ...]

    >>> import eqsat.tensor as T
    >>> T.linspace(0, 1, 3).eval()
    array([0. , 0.5, 1. ])
    """
    low, high, place, number = _spaced("linspace", start, stop, num)
    parts = e.maximum(number - 1 if endpoint else number, 1)
    work = low.dtype
    values = e.add(e.mul(place, (high - low) / cast_to(parts, work)), low)
    if endpoint:
        last = e.and_(e.eq(place, cast_to(number - 1, work)), e.gt(number, 1))
        values = e.switch(last, high, values)
    target = work if dtype is None else check_dtype(dtype)
    if target not in INEXACT and target != "bool":
        values = e.floor(values)
    return moveaxis(cast_to(values, target), 0, axis)


def _spaced(name: str, start: Any, stop: Any, num: Any) -> tuple[Any, Any, Any, Any]:
    """The ends as floats of one rank, the numbers 0, 1, ... along a first axis, and how many there are."""
    ends = [as_tensor(v) for v in (start, stop)]
    plain = not any(
        v.dtype in INEXACT and not isinstance(o, (int, float))
        for v, o in zip(ends, (start, stop), strict=True)
    )
    work = (
        "float64" if plain else promote(*(v.dtype if v.dtype in INEXACT else to_float(v.dtype) for v in ends))
    )
    low, high = (cast_to(v, work) for v in ends)
    (number,) = scalar_integers(name, [num])
    rank = max(low.ndim, high.ndim)
    place = dimshuffle(cast_to(arange(number), work), 0, *("x",) * rank)
    return low, high, place, number


def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers whose logarithms to a base are evenly spaced from start to stop.

    Shapes   two scalars -> f[num]

    >>> import eqsat.tensor as T
    >>> T.logspace(0, 2, 3).eval()
    array([  1.,  10., 100.])
    """
    powers = linspace(start, stop, num, endpoint, axis=axis)
    values = e.pow(cast_to(as_tensor(base), powers.dtype), powers)
    return values if dtype is None else cast_to(values, check_dtype(dtype))


def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers with equal ratios from start to stop, both of one sign; NaN between numbers of both signs.

    Shapes   two scalars -> f[num]

    >>> import eqsat.tensor as T
    >>> T.geomspace(1, 100, 3).eval()
    array([  1.,  10., 100.])
    """
    low, high, place, number = _spaced("geomspace", start, stop, num)
    sign = e.sign(low)
    logs = linspace(e.log10(e.abs(low)), e.log10(e.mul(high, sign)), num, endpoint)
    values = e.mul(sign, e.pow(cast_to(as_tensor(10.0), low.dtype), logs))
    values = e.switch(e.eq(place, 0), low, values)
    if endpoint:
        last = e.and_(e.eq(place, cast_to(number - 1, low.dtype)), e.gt(number, 1))
        values = e.switch(last, high, values)
    return moveaxis(cast_to(values, check_dtype(dtype or low.dtype)), 0, axis)


# ------------------------------------------------------------------------------------------------------- grids


def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> list[Any]:
    """Coordinates of a grid: one tensor per vector, with one axis per vector; "xy" swaps the first two axes.

    Shapes   any[n], any[m] -> [m, n], [m, n]; indexing="ij" -> [n, m], [n, m]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.meshgrid([1, 2], [3, 4, 5])]
    [[[1, 2], [1, 2], [1, 2]], [[3, 3], [4, 4], [5, 5]]]
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: there is no indexing {indexing!r}", needs="xy or ij")
    xs = [as_tensor(x) for x in xi]
    for x in xs:
        if x.ndim > 1:
            raise RankError(f"meshgrid: {x} has {x.ndim} dimensions, not 1", operands=[(str(x), x)])
    order = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        order[:2] = [1, 0]
    grids = [
        dimshuffle(x, *(0 if a == place and x.ndim else "x" for a in range(len(xs))))
        for x, place in zip(xs, order, strict=True)
    ]
    return grids if sparse or not grids else broadcast_arrays(*grids)


def indices(dimensions: Sequence[Any], dtype: Any = "int64", sparse: bool = False) -> Any:
    """The index of every element of a grid of some lengths; a tuple of open grids with ``sparse``.

    Shapes   (n, m) -> i64[2, n, m]

    >>> import eqsat.tensor as T
    >>> T.indices((1, 2)).eval().tolist()
    [[[0, 0]], [[0, 1]]]
    """
    grids = meshgrid(*(arange(n, dtype=dtype) for n in dimensions), indexing="ij", sparse=sparse)
    return tuple(grids) if sparse else create_stack(grids)


def create_stack(grids: Sequence[Any]) -> Any:
    """Tensors along a new first axis."""
    from eqsat.graph.ops.join import stack

    return stack(list(grids))


class Grid:
    """Coordinates written as slices: ``mgrid[0:2, 0:3]``; an imaginary step counts the points, ends included.

    >>> import eqsat.tensor as T
    >>> T.mgrid[0:2, 5:7].eval().tolist()
    [[[0, 0], [1, 1]], [[5, 6], [5, 6]]]
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return _grid_axis(key)
        axes = [_grid_axis(part) for part in key]
        dtype = promote(*(x.dtype for x in axes))
        grids = meshgrid(*(cast_to(x, dtype) for x in axes), indexing="ij", sparse=self.sparse)
        return tuple(grids) if self.sparse else create_stack(grids)


def _grid_axis(part: Any) -> Any:
    if not isinstance(part, slice) or part.stop is None:
        raise ArgumentError(
            f"a grid is made of slices with an end, not of {part!r}", hint="T.mgrid[0:2, 0:3]"
        )
    start = 0 if part.start is None else part.start
    if isinstance(part.step, complex):
        return linspace(start, part.stop, int(abs(part.step)))
    values = (start, part.stop, 1 if part.step is None else part.step)
    found = arange(*values)
    return cast_to(found, "float64") if any(isinstance(v, float) for v in values) else found


mgrid, ogrid = Grid(False), Grid(True)
ogrid.__doc__ = """The coordinates of ``mgrid`` with length 1 along all axes but their own: ``ogrid[0:2, 0:3]``.

>>> import eqsat.tensor as T
>>> [axis.eval().tolist() for axis in T.ogrid[0:2, 5:7]]
[[[0], [1]], [[5, 6]]]
"""


# ----------------------------------------------------------------------------------------------------- windows


def _cosines(name: str, M: Any, weights: Sequence[float]) -> Any:
    """Sum of weighted cosines of 0, 1, 2, ... turns over M points; 1 where there is one point."""
    (n,) = scalar_integers(name, [M])
    turns = 2 * np.pi * cast_to(arange(n), "float64") / cast_to(e.maximum(n - 1, 1), "float64")
    total: Any = constant(np.float64(weights[0]))
    for k, weight in enumerate(weights[1:], 1):
        total = total + weight * e.cos(k * turns)
    return cast_to(e.switch(e.eq(n, 1), np.ones((), "float64"), total), "float64")


def hanning(M: Any) -> Any:
    """Hann window of M points.

    Shapes   M: integer[] -> f64[M]

    >>> import eqsat.tensor as T
    >>> T.hanning(3).eval()
    array([0., 1., 0.])
    """
    return _cosines("hanning", M, (0.5, -0.5))


def hamming(M: Any) -> Any:
    """Hamming window of M points.

    Shapes   M: integer[] -> f64[M]

    >>> import eqsat.tensor as T
    >>> T.hamming(3).eval().round(2)
    array([0.08, 1.  , 0.08])
    """
    return _cosines("hamming", M, (0.54, -0.46))


def blackman(M: Any) -> Any:
    """Blackman window of M points.

    Shapes   M: integer[] -> f64[M]

    >>> import eqsat.tensor as T
    >>> float(T.blackman(3).eval()[1].round(6))
    1.0
    """
    return _cosines("blackman", M, (0.42, -0.5, 0.08))


def bartlett(M: Any) -> Any:
    """Triangular window of M points.

    Shapes   M: integer[] -> f64[M]

    >>> import eqsat.tensor as T
    >>> T.bartlett(3).eval()
    array([0., 1., 0.])
    """
    (n,) = scalar_integers("bartlett", [M])
    place, last = cast_to(arange(n), "float64"), cast_to(n - 1, "float64")
    slope = 2.0 / e.maximum(last, 1.0)
    window = e.switch(e.le(place, last / 2), place * slope, 2.0 - place * slope)
    return cast_to(e.switch(e.eq(n, 1), 1.0, window), "float64")


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Powers of the elements of a vector as columns, the highest first unless ``increasing``.

    Shapes   x: any[n] -> [n, N]; N is n unless given

    >>> import eqsat.tensor as T
    >>> T.vander([2, 3], 3).eval()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    x = as_tensor(x)
    if x.ndim != 1:
        raise RankError(f"vander: {x} has {x.ndim} dimensions, not 1", operands=[(str(x), x)])
    powers = arange(length(x, 0) if N is None else N)
    powers = powers if increasing else powers[::-1]
    base = cast_to(x, promote(x.dtype, "int64"))
    exponent = cast_to(powers, base.dtype) if base.dtype in FLOATS else powers
    return e.pow(dimshuffle(base, 0, "x"), dimshuffle(exponent, "x", 0))
