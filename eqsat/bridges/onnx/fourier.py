"""Discrete Fourier transforms; a complex number is two elements of the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along
from eqsat.bridges.onnx.table import integers, on, required
from eqsat.bridges.onnx.windows import known_length


def numbers_of(x: Any) -> Any:
    """The real or complex numbers of which the last axis has the parts."""
    parts = known_length(x, x.ndim - 1)
    return x[..., 0] if parts == 1 else T.complex(x[..., 0], x[..., 1])


def parts_of(x: Any) -> Any:
    """Real and imaginary parts on a last axis."""
    return T.stack([T.real(x), T.imag(x)], axis=-1)


def half(x: Any, axis: int, n: Any, onesided: int) -> Any:
    """The transform of real or complex numbers, up to the middle where it is one-sided."""
    if not x.type.dtype.startswith("complex"):
        if onesided:
            return T.fft.rfft(x, n=n, axis=axis)
        x = T.complex(x, T.zeros_like(x))
    made = T.fft.fft(x, n=n, axis=axis)
    return made[along(axis, slice(0, made.shape[axis] // 2 + 1))] if onesided else made


@on("DFT")
def transform(c: Any, x: Any, count: Any = None, axis: Any = None) -> Any:
    """Along one axis, cut off or filled with zeros to a length that is given."""
    place = c.get("axis", 1) if c.version < 20 else -2 if axis is None else int(required(axis, "the axis"))
    place %= x.ndim
    given = numbers_of(x)
    n = None if count is None else integers(count, "lengths", 1)[0]
    if not c.get("inverse", 0):
        return parts_of(half(given, place, n, c.get("onesided", 0)))
    if c.get("onesided", 0):
        return T.expand_dims(T.fft.irfft(given, n=n, axis=place), -1)
    return parts_of(T.fft.ifft(given, n=n, axis=place))


@on("STFT")
def short_time(c: Any, x: Any, step: Any, window: Any = None, length: Any = None) -> Any:
    """The transforms of frames that begin a step apart, each multiplied by a window."""
    stride, have = int(required(step, "the step")), known_length(x, 1)
    size = int(required(length, "the length of frames")) if length is not None else None
    if size is None:
        size = have if window is None else known_length(window, 0)
    places = np.arange(0, have - size + 1, stride)[:, None] + np.arange(size)
    frames = numbers_of(x)[:, T.constant(places)]
    made = frames if window is None else frames * window
    return parts_of(half(made, 2, None, c.get("onesided", 1)))
