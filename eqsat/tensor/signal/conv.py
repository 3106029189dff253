"""Convolution of images that have no channels."""

from __future__ import annotations

from typing import Any

from eqsat.base.names import late_names
from eqsat.errors import RankError
from eqsat.graph.constant import as_tensor
from eqsat.graph.ops.shape import dimshuffle
from eqsat.tensor.nnet.convolution import convolution

__all__ = ["conv2d"]


def conv2d(
    input: Any,
    filters: Any,
    image_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
) -> Any:
    """Convolution of one image or each of a stack, with one filter or each of a stack.

    Shapes   input: f[h, w] or f[b, h, w], filters: f[kh, kw] or f[o, kh, kw] -> f[., .], f[b, ., .], f[o, ., .] or
             f[b, o, ., .]
    Errors   RankError; otherwise those of T.nnet.conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> conv2d(np.ones((2, 3)), np.ones((1, 2))).eval()
    array([[2., 2.],
           [2., 2.]])
    """
    x, w = as_tensor(input), as_tensor(filters)
    for label, v in (("input", x), ("filters", w)):
        if v.ndim not in (2, 3):
            raise RankError(
                f"conv2d: {label} {v} has {v.ndim} dimensions", operands=[(label, v)], needs="2 or 3"
            )
    images = dimshuffle(x, *(["x"] if x.ndim == 2 else [0]), "x", x.ndim - 2, x.ndim - 1)
    kernels = dimshuffle(w, *(["x"] if w.ndim == 2 else [0]), "x", w.ndim - 2, w.ndim - 1)
    shapes = _full(image_shape), _full(filter_shape)
    out = convolution("conv2d", 2, images, kernels, *shapes, border_mode, subsample, 1, 1, True)
    kept = ([0] if x.ndim == 3 else []) + ([1] if w.ndim == 3 else [])
    return dimshuffle(out, *kept, 2, 3)


def _full(shape: Any) -> Any:
    """A shape of 2 or 3 lengths with the channel, and the batch where there is none."""
    if shape is None:
        return None
    lengths = list(shape)
    return [*([1] if len(lengths) == 2 else lengths[:-2]), 1, *lengths[-2:]]


late_names(__name__)
