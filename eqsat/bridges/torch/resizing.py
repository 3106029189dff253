"""Ops of ATen that resize: nearest places, weighted means of neighbours, smoothed ones, and channels that become places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along, lengths
from eqsat.bridges.grids import sampled
from eqsat.bridges.torch.networks import along_axis
from eqsat.bridges.torch.table import At, on, reshaped
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import FLOATS


def _nearest(n: int, out: int, scale: Any, exact: bool) -> Any:
    step = n / out if scale is None else 1 / scale
    return np.minimum(np.floor((np.arange(out) + (0.5 if exact else 0)) * np.float32(step)), n - 1).astype(
        int
    )


@on(
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
)
def nearest(c: At, x: Any, size: Any, *scales: Any) -> Any:
    """Each element is that of the nearest place."""
    pairs = zip(c.lengths(x, 2), c.lengths(start=2), _scales(scales, x.ndim - 2), strict=True)
    for axis, (have, out, scale) in enumerate(pairs, 2):
        x = x[along(axis, T.constant(_nearest(have, out, scale, "exact" in c.name)))]
    return x


@on("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
def linear(c: At, x: Any, size: Any, corners: bool, *scales: Any) -> Any:
    """Weighted means of the two neighbours along each axis."""
    pairs = zip(c.lengths(x, 2), c.lengths(start=2), _scales(scales, x.ndim - 2), strict=True)
    for axis, (n, m, scale) in enumerate(pairs, 2):
        if corners:
            places = np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0)
        else:
            places = np.maximum((np.arange(m) + 0.5) * (n / m if scale is None else 1 / scale) - 0.5, 0)
        low = np.minimum(places.astype(int), n - 1)
        weights = np.zeros((m, n))
        np.add.at(weights, (np.arange(m), low), 1 - (places - low))
        np.add.at(weights, (np.arange(m), np.minimum(low + 1, n - 1)), places - low)
        x = along_axis(x, axis, weights)
    return x


def _triangle(distance: Any) -> Any:
    return np.maximum(1 - np.abs(distance), 0)


def _cubic(distance: Any) -> Any:
    """Keys' kernel with -1/2, of which each place has four neighbours."""
    x = np.abs(distance)
    near, far = (1.5 * x - 2.5) * x**2 + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


KERNELS: dict[str, tuple[int, Callable[[Any], Any]]] = {"bilinear": (1, _triangle), "bicubic": (2, _cubic)}


def _smoothed(n: int, m: int, corners: bool, scale: Any, kernel: str) -> Any:
    """The weights of n elements in m means whose windows are as wide as an axis becomes shorter."""
    reach, weight = KERNELS[kernel]
    if corners:
        step = (n - 1) / (m - 1) if m > 1 else 0.0
    else:
        step = n / m if scale is None else 1 / scale
    wide, middle, at = max(step, 1.0), (np.arange(m)[:, None] + 0.5) * step, np.arange(n)[None, :]
    start, end = (np.trunc(middle + side * reach * wide + 0.5) for side in (-1, 1))
    weights = np.where((at >= start) & (at < end), weight((at - middle + 0.5) / wide), 0)
    return weights / weights.sum(axis=1, keepdims=True)


@on("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def smooth(c: At, x: Any, size: Any, corners: bool, *scales: Any) -> Any:
    """Weighted means of all elements that an element of the result covers."""
    if x.dtype not in FLOATS:
        raise Refused("means that are rounded to integers")
    pairs = zip(c.lengths(x, 2), c.lengths(start=2), _scales(scales, 2), strict=True)
    for axis, (n, m, scale) in enumerate(pairs, 2):
        x = along_axis(x, axis, _smoothed(n, m, corners, scale, c.name.split("_")[2][: -len("2d")]))
    return x


@on("_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward")
def smooth_gradient(
    c: At, dy: Any, size: Sequence[int], have: Sequence[int], corners: bool, *scales: Any
) -> Any:
    pairs = zip(c.lengths(start=2), c.lengths(dy, 2), _scales(scales, 2), strict=True)
    for axis, (n, m, scale) in enumerate(pairs, 2):
        weights = _smoothed(n, m, corners, scale, c.name.split("_")[2][: -len("2d")])
        dy = along_axis(dy, axis, weights.T)
    return dy


def _scales(given: Sequence[Any], count: int) -> list[Any]:
    """The scales of so many axes, None where the lengths say them; a list of them or one by one."""
    scales = given[0] if given and isinstance(given[0], (list, tuple)) else given
    return [*scales, *[None] * count][:count]


@on("pixel_shuffle", "pixel_unshuffle")
def shuffled(c: At, x: Any, factor: int) -> Any:
    *lead, deep, high, wide = lengths(x)
    n = len(lead)
    if c.name == "pixel_shuffle":
        cut = reshaped(x, [*lead, deep // factor**2, factor, factor, high, wide])
        turned = cut.dimshuffle(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
        made = [deep // factor**2, high * factor, wide * factor]
    else:
        cut = reshaped(x, [*lead, deep, high // factor, factor, wide // factor, factor])
        turned = cut.dimshuffle(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
        made = [deep * factor**2, high // factor, wide // factor]
    return reshaped(turned, [*lead, *made])


def _grid(mode: int, beyond: int) -> tuple[str, str]:
    """The names of torch's numbers."""
    if mode > 1:
        raise Refused("cubic means at the places of a grid")
    return ("linear", "nearest")[mode], ("zeros", "border", "reflection")[beyond]


@on("grid_sampler_3d")
def grid_sampled(c: At, x: Any, grid: Any, mode: int, beyond: int, corners: bool) -> Any:
    return sampled(x, grid, *_grid(mode, beyond), corners)


@on("grid_sampler_2d_backward", "grid_sampler_3d_backward")
def grid_sampled_gradient(
    c: At, dy: Any, x: Any, grid: Any, mode: int, beyond: int, corners: bool, mask: Sequence[bool]
) -> Any:
    apart: list[Any] = [T.disconnected_grad(v) for v in (x, grid)]
    made = sampled(apart[0], apart[1], *_grid(mode, beyond), corners)
    asked = [c.wants(k) for k in range(2)]
    wanted = [v for v, want in zip(apart, asked, strict=True) if want]
    found = iter(T.Lop(made, wanted, dy, disconnected_inputs="ignore"))
    return [next(found) if want else None for want in asked]
