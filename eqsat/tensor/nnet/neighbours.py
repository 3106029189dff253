"""Neighbourhoods of images as rows of a matrix, and images put together from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.base.names import late_names
from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Constant
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import and_, clip, floordiv, ge, lt, mod, switch
from eqsat.graph.ops.neighbours import REACH, neighbourhoods_op
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.tensor.nnet.convolution import steps

__all__ = ["images2neibs", "neibs2images"]


def _sizes(name: str, what: str, value: Any) -> tuple[int, ...]:
    """Two known numbers, which may be given as a constant vector."""
    if isinstance(value, Constant):
        value = value.data
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    return steps(name, what, value, 2)


def _places(x: Any, axis: int, size: int, step: int, mode: str) -> tuple[Any, Any]:
    """Indices along an axis, one row per neighbourhood, and which of them lie inside the image."""
    n = length(x, axis)
    number = neighbourhoods_op.bind(size=size, step=step, mode=mode)(n)
    before = {"half": size // 2, "wrap_centered": size // 2, "full": size - 1}.get(mode, 0)
    rows = dimshuffle(arange(number) * step - before, 0, "x")
    index = rows + np.arange(size)[None]
    if mode == "wrap_centered":
        return mod(index, n), None
    if mode in ("valid", "ignore_borders"):
        return index, None
    return clip(index, 0, n - 1), and_(ge(index, 0), lt(index, n))


def images2neibs(ten4: Any, neib_shape: Any, neib_step: Any = None, mode: str = "valid") -> Any:
    """Neighbourhoods of all images and channels, one per row.

    ``mode`` is "valid" (steps end at the border), "ignore_borders" (what is left over is dropped),
    "wrap_centered" (around every element, borders wrap), "half" or "full" (outside the image are zeros).

    Shapes   ten4: any[b, c, h, w] -> any[b * c * neighbourhoods, rows * columns of one]
    Errors   ShapeError where steps do not end at the border; ArgumentError for an unknown mode

    >>> import numpy as np
    >>> images2neibs(np.arange(8).reshape(1, 1, 2, 4), (2, 2)).eval()
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    name = "images2neibs"
    x = as_tensor(ten4)
    if x.ndim != 4:
        raise RankError(f"{name}: {x} has {x.ndim} dimensions, not 4", operands=[("ten4", x)])
    if mode not in REACH:
        raise ArgumentError(f"{name}: unknown mode {mode!r}", among=(mode, REACH))
    sizes = _sizes(name, "neib_shape", neib_shape)
    if mode == "wrap_centered" and any(s % 2 == 0 for s in sizes):
        raise ArgumentError(f"{name}: wrap_centered neighbourhoods have odd lengths, not {sizes}")
    by = sizes if neib_step is None else _sizes(name, "neib_step", neib_step)
    rows, inside_rows = _places(x, 2, sizes[0], by[0], mode)
    columns, inside_columns = _places(x, 3, sizes[1], by[1], mode)
    picked = x[:, :, dimshuffle(rows, 0, "x", 1, "x"), dimshuffle(columns, "x", 0, "x", 1)]
    if inside_rows is not None:
        inside = and_(dimshuffle(inside_rows, 0, "x", 1, "x"), dimshuffle(inside_columns, "x", 0, "x", 1))
        picked = switch(inside, picked, np.zeros((), x.dtype))
    number = length(picked, 0) * length(picked, 1) * length(picked, 2) * length(picked, 3)
    return reshape(picked, [number, sizes[0] * sizes[1]])


def neibs2images(neibs: Any, neib_shape: Any, original_shape: Any, mode: str = "valid") -> Any:
    """The images whose neighbourhoods, side by side, are the rows of a matrix.

    Shapes   neibs: any[n, rows * columns] -> any[b, c, h, w], the original shape
    Errors   ShapeError where the number of elements differs

    >>> import numpy as np
    >>> x = np.arange(8).reshape(1, 1, 2, 4)
    >>> neibs2images(images2neibs(x, (2, 2)), (2, 2), x.shape).eval()
    array([[[[0, 1, 2, 3],
             [4, 5, 6, 7]]]])
    """
    name = "neibs2images"
    x = as_tensor(neibs)
    if x.ndim != 2:
        raise RankError(f"{name}: {x} has {x.ndim} dimensions, not 2", operands=[("neibs", x)])
    if mode not in ("valid", "ignore_borders"):
        raise ArgumentError(
            f"{name}: unknown mode {mode!r}",
            needs="'valid' or 'ignore_borders'",
            among=(mode, ["valid", "ignore_borders"]),
        )
    p, q = _sizes(name, "neib_shape", neib_shape)
    given = as_tensor(original_shape)
    b, c, h, w = (cast_to(given[i], "int64") for i in range(4))
    parts = reshape(x, [b, c, floordiv(h, p), floordiv(w, q), constant(p), constant(q)])
    joined = reshape(dimshuffle(parts, 0, 1, 2, 4, 3, 5), [b, c, floordiv(h, p) * p, floordiv(w, q) * q])
    if mode == "valid":
        return reshape(joined, [b, c, h, w])
    from eqsat.graph.ops.create import zeros
    from eqsat.graph.ops.subscript import set_subtensor

    whole = zeros([b, c, h, w], x.dtype)
    return set_subtensor(whole[:, :, : floordiv(h, p) * p, : floordiv(w, q) * q], joined)


late_names(__name__)
