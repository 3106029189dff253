"""Values of images between their elements, at the places of a grid: what PyTorch and ONNX call grid sampling."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length


def _places(grid: Any, n: Any, beyond: str, corners: bool) -> Any:
    """Places from -1 to 1 as those of n elements; the ends are the middles of the outer elements, or their borders."""
    n = T.cast(n, grid.dtype)
    at = (grid + 1) / 2 * (n - 1) if corners else ((grid + 1) * n - 1) / 2
    if beyond == "zeros":
        return at
    if beyond == "reflection":
        at = _reflected(at, 0.0, n - 1) if corners else _reflected(at, -0.5, n)
    return T.clip(at, T.zeros_like(n), n - 1)


def _reflected(at: Any, low: float, span: Any) -> Any:
    """Places between low and low + span that mirrors at both ends show."""
    span = T.maximum(span, 1)
    far = T.abs(at - low)
    turns = T.floor(far / span)
    rest = far - turns * span
    return low + T.switch(T.eq(T.mod(turns, 2), 0), rest, span - rest)


def _neighbours(at: Any, mode: str) -> list[tuple[Any, Any]]:
    """Places of elements with their weights: the nearest one, or those on both sides."""
    if mode == "nearest":
        return [(T.round_half_to_even(at), T.ones_like(at))]
    low = T.floor(at)
    return [(low, low + 1 - at), (low + 1, at - low)]


def sampled(x: Any, grid: Any, mode: str, beyond: str, corners: bool) -> Any:
    """Images at the places of a grid, whose last axis names the last spatial axis first.

    ``mode`` is "nearest" or "linear", ``beyond`` "zeros", "border" or "reflection": what lies beyond the images.
    """
    rank = x.ndim - 2
    lengths = [length(x, 2 + a) for a in range(rank)]
    axes = [
        _neighbours(_places(grid[..., rank - 1 - a], n, beyond, corners), mode) for a, n in enumerate(lengths)
    ]
    channels_last = x.dimshuffle(0, *range(2, x.ndim), 1)
    batch = T.arange(length(x, 0)).dimshuffle(0, *["x"] * rank)
    total: Any = 0
    for corner in product(*axes):
        index, share = [batch], T.ones_like(grid[..., 0])
        for (at, weight), n in zip(corner, lengths, strict=True):
            inside = T.and_(T.ge(at, 0), T.lt(at, n))
            share = share * T.switch(inside, weight, np.zeros((), grid.dtype))
            index.append(T.cast(T.switch(inside, at, np.zeros((), grid.dtype)), "int64"))
        total = total + channels_last[tuple(index)] * share.dimshuffle(*range(rank + 1), "x")
    return total.dimshuffle(0, rank + 1, *range(1, rank + 1))
