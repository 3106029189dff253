"""Discrete Fourier transforms over some axes, multiplied by a power of the number of elements."""

from __future__ import annotations

from typing import Any

import eqsat.tensor as T
from eqsat.bridges.torch.table import At, on

FORWARD = (
    "backward",
    "ortho",
    "forward",
)  # by torch's number: as it is, by the root, by the number of elements
INVERSE = FORWARD[::-1]


@on("_fft_c2c")
def complex_to_complex(c: At, x: Any, dim: Any, normalization: int, forward: bool) -> Any:
    if not dim:
        return x
    function, norms = (T.fft.fftn, FORWARD) if forward else (T.fft.ifftn, INVERSE)
    return function(x, axes=tuple(dim), norm=norms[normalization])


@on("_fft_r2c")
def real_to_complex(c: At, x: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    """The frequencies up to the middle of the last axis that is named, or all."""
    function = T.fft.rfftn if onesided else T.fft.fftn
    return function(x if onesided else T.cast(x, c.dtype), axes=tuple(dim), norm=FORWARD[normalization])


@on("_fft_c2r")
def complex_to_real(c: At, x: Any, dim: Any, normalization: int, last_dim_size: Any) -> Any:
    *others, last = dim
    if others:
        x = T.fft.ifftn(x, axes=tuple(others), norm=INVERSE[normalization])
    return T.fft.irfft(x, n=last_dim_size, axis=last, norm=INVERSE[normalization])


@on("fft_fftfreq", "fft_rfftfreq")
def frequencies(c: At, n: Any, d: float = 1.0, **where: Any) -> Any:
    """The frequencies of a transform of n elements, d apart."""
    return T.cast(getattr(T.fft, c.name.removeprefix("fft_"))(n, d), c.dtype)
