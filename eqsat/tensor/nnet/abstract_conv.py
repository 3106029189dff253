"""The adjoints of convolutions under the names of Theano's ``abstract_conv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.base.names import late_names
from eqsat.graph.ops.conv import output_lengths
from eqsat.tensor.nnet.convolution import (
    _parameters,
    bilinear_kernel_1D,
    bilinear_upsampling,
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv2d_transpose,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
    separable_conv2d,
)


def get_conv_output_shape(
    image_shape: Sequence[int | None],
    kernel_shape: Sequence[int | None],
    border_mode: Any,
    subsample: Sequence[int],
    filter_dilation: Sequence[int] | None = None,
) -> tuple[int | None, ...]:
    """Shape of a convolution's output, with None where a length is not known.

    Shapes   two shapes of n lengths -> a tuple of n lengths
    Errors   ArgumentError for a border mode or steps that conv2d refuses

    >>> get_conv_output_shape((2, 3, 8, None), (5, 3, 3, 3), "half", (2, 1))
    (2, 5, 4, None)
    """
    spatial = len(image_shape) - 2
    settings = border_mode, tuple(subsample), filter_dilation or 1, 1, True
    parameters = _parameters("get_conv_output_shape", spatial, *settings)
    return output_lengths(parameters, image_shape, kernel_shape)


__all__ = [
    "bilinear_kernel_1D",
    "bilinear_upsampling",
    "conv2d",
    "conv2d_grad_wrt_inputs",
    "conv2d_grad_wrt_weights",
    "conv2d_transpose",
    "conv3d",
    "conv3d_grad_wrt_inputs",
    "conv3d_grad_wrt_weights",
    "get_conv_output_shape",
    "separable_conv2d",
]


late_names(__name__)
