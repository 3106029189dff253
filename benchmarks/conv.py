"""Milliseconds of conv2d, forward and with both gradients, beside NumPy's patches and BLAS product in the same run."""

from __future__ import annotations

import numpy as np

import eqsat
import eqsat.tensor as T
from common.timing import medians

SIZES = [
    ((32, 3, 32, 32), (16, 3, 5, 5)),
    ((16, 32, 28, 28), (64, 32, 3, 3)),
    ((32, 16, 14, 14), (32, 16, 5, 5)),
]


def columns(x: np.ndarray, kh: int, kw: int) -> np.ndarray:
    """All patches of a batch: one row per kernel element, one column per place."""
    b, c, h, w = x.shape
    view = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), (2, 3))
    return view.transpose(0, 1, 4, 5, 2, 3).reshape(b, c * kh * kw, (h - kh + 1) * (w - kw + 1))


def forward(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Correlation of a batch with filters."""
    b, _, h, wide = x.shape
    o, _, kh, kw = w.shape
    return (w.reshape(1, o, -1) @ columns(x, kh, kw)).reshape(b, o, h - kh + 1, wide - kw + 1)


def with_gradients(x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> list[np.ndarray]:
    """Output, and the gradients of sum(output * dy) for the input and the filters."""
    b, c, _, _ = x.shape
    o, _, kh, kw = w.shape
    patches, m, n = columns(x, kh, kw), *dy.shape[2:]
    y = (w.reshape(1, o, -1) @ patches).reshape(dy.shape)
    flat = dy.reshape(b, o, m * n)
    dw = (flat @ patches.transpose(0, 2, 1)).sum(axis=0).reshape(w.shape)
    back = (w.reshape(1, o, -1).transpose(0, 2, 1) @ flat).reshape(b, c, kh, kw, m, n)
    dx = np.zeros_like(x)
    for i in range(kh):
        for j in range(kw):
            dx[:, :, i : i + m, j : j + n] += back[:, :, i, j]
    return [y, dx, dw]


def compare(dtype: str, images: tuple[int, ...], filters: tuple[int, ...]) -> None:
    """One line per size: both times and their ratio."""
    rng = np.random.default_rng(0)
    x, w, dy = (T.tensor(dtype, (None,) * 4) for _ in range(3))
    y = T.nnet.conv2d(x, w, filter_flip=False)
    one = eqsat.function([x, w], y)
    all_ = eqsat.function([x, w, dy], [y, *T.grad((y * dy).sum(), [x, w])])
    a, b = (rng.normal(size=s).astype(dtype) for s in (images, filters))
    g = rng.normal(size=one(a, b).shape).astype(dtype)
    for found, wanted in zip(all_(a, b, g), with_gradients(a, b, g), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-2, atol=1e-2)
    calls = [
        lambda: one(a, b),
        lambda: forward(a, b),
        lambda: all_(a, b, g),
        lambda: with_gradients(a, b, g),
    ]
    times = [1e3 * seconds for seconds in medians(calls)]
    name = f"{images} * {filters} {dtype}"
    for label, ours, numpy in (("forward", *times[:2]), ("with gradients", *times[2:])):
        print(
            f"{name:44} {label:14}  eqsat {ours:7.2f} ms, NumPy im2col {numpy:7.2f} ms, ratio {ours / numpy:.2f}"
        )


def main() -> None:
    """All sizes in both precisions."""
    for dtype in ("float64", "float32"):
        for images, filters in SIZES:
            compare(dtype, images, filters)


if __name__ == "__main__":
    main()
