"""Convolutions of batches of signals, images and volumes, as Theano's ``nnet`` spells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import COMPLEX, promote, to_float
from eqsat.graph.ops.conv import conv_input_op, conv_kernel_op, conv_op
from eqsat.graph.ops.shape import dimshuffle, scalar_integers
from eqsat.graph.ops.specify import specify_op, specify_shape

MODES = ("valid", "full", "half")
Border = str | int | Sequence[int | tuple[int, int]]
Steps = int | Sequence[int]


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= least


def steps(name: str, what: str, value: Any, spatial: int) -> tuple[int, ...]:
    """One positive integer per spatial axis."""
    given = (value,) * spatial if isinstance(value, (int, np.integer)) else value
    if (
        not isinstance(given, (list, tuple))
        or len(given) != spatial
        or not all(_is_count(v, 1) for v in given)
    ):
        raise ArgumentError(
            f"{name}: {what} does not take {value!r}",
            needs=f"a positive integer, or {spatial} of them",
            hint=f"{what}={(1,) * spatial}",
        )
    return tuple(int(v) for v in given)


def border_of(name: str, mode: Any, spatial: int) -> Any:
    """A border mode as its name or as a pair of paddings per spatial axis."""
    if mode == "same":
        mode = "half"
    if isinstance(mode, str) and mode in MODES:
        return mode
    given = (mode,) * spatial if isinstance(mode, (int, np.integer)) else mode
    if isinstance(given, (list, tuple)) and len(given) == spatial:
        pairs = [p if isinstance(p, (list, tuple)) else (p, p) for p in given]
        if all(len(p) == 2 and all(_is_count(v, 0) for v in p) for p in pairs):
            return tuple((int(p[0]), int(p[1])) for p in pairs)
    raise ArgumentError(
        f"{name}: unknown border mode {mode!r}",
        needs=f"'valid', 'full', 'half', an integer, or {spatial} integers or pairs of them",
        hint="border_mode='half', which pads by half of the kernel",
    )


def operand(name: str, label: str, value: Any, ndim: int, shape: Any = None) -> Any:
    """A floating operand of a rank, with the lengths that the user knows written into its type."""
    v = as_tensor(value)
    if v.ndim != ndim:
        raise RankError(
            f"{name}: {label} {v} has {v.ndim} dimensions, not {ndim}",
            operands=[(label, v)],
            needs="(batch, channels, ...) for the input, (output channels, input channels, ...) for filters",
        )
    if v.dtype in COMPLEX:
        raise DTypeError(
            f"{name}: {label} {v} is {v.dtype}",
            operands=[(label, v)],
            needs="real numbers",
            hint=f"{name}(T.real(x), ...) and {name}(T.imag(x), ...)",
        )
    v = cast_to(v, to_float(v.dtype))
    lengths = None if shape is None else tuple(_known(n) for n in shape)
    return v if lengths is None or lengths == v.type.shape else specify_shape(v, lengths)


def _known(n: Any) -> Any:
    if isinstance(n, Constant):
        return int(n.data)
    return None if n is None or hasattr(n, "owner") else n


def _parameters(name: str, spatial: int, border: Any, strides: Any, dilation: Any, groups: Any, flip: Any) -> dict[str, Any]:  # fmt: skip
    if not _is_count(groups, 1):
        raise ArgumentError(f"{name}: num_groups does not take {groups!r}", needs="a positive integer")
    return {
        "border": border_of(name, border, spatial),
        "strides": steps(name, "subsample", strides, spatial),
        "dilation": steps(name, "filter_dilation", dilation, spatial),
        "groups": int(groups),
        "flip": bool(flip),
    }


def _common(*values: Any) -> list[Any]:
    dtype = promote(*(v.dtype for v in values))
    return [cast_to(v, dtype) for v in values]


def convolution(
    name: str, spatial: int, x: Any, w: Any, x_shape: Any, w_shape: Any, *settings: Any, unshared: Any = False
) -> Any:
    """Convolution over the last ``spatial`` axes."""
    if unshared:
        raise ArgumentError(
            f"{name}: filters that differ from place to place are not supported", needs="unshared=False"
        )
    parameters = _parameters(name, spatial, *settings)
    x = operand(name, "input", x, spatial + 2, x_shape)
    w = operand(name, "filters", w, spatial + 2, w_shape)
    return conv_op.bind(**parameters)(*_common(x, w))


def conv1d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = 1,
    filter_flip: bool = True,
    filter_dilation: Steps = 1,
    num_groups: int = 1,
) -> Any:
    """Convolution of a batch of signals.

    Shapes   input: f[b, c, n], filters: f[o, c / num_groups, k] -> f[b, o, m]
    Errors   as conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.conv1d(np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 2))).eval()
    array([[[1., 3., 5.]]])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    return convolution("conv1d", 1, input, filters, input_shape, filter_shape, *settings)


def conv2d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    image_shape: Any = None,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Convolution of a batch of images with a set of filters.

    ``border_mode`` is "valid" (no padding), "full" (every overlap), "half" (half of the filter on each side), an
    integer, or per axis an integer or a pair of paddings. ``filter_flip=False`` gives the correlation.
    ``input_shape`` and ``filter_shape`` write known lengths into the types.

    Shapes   input: f[b, c, h, w], filters: f[o, c / num_groups, kh, kw] -> f[b, o, ., .]
    Errors   RankError; ShapeError where channels do not fit or the filter is longer than the padded input;
             ArgumentError for an unknown border mode

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.conv2d(np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)), border_mode="full").eval()[0, 0, 0]
    array([1., 2., 2., 1.])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    shape = image_shape if input_shape is None else input_shape
    return convolution("conv2d", 2, input, filters, shape, filter_shape, *settings, unshared=unshared)


def conv3d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Convolution of a batch of volumes.

    Shapes   input: f[b, c, d, h, w], filters: f[o, c / num_groups, kd, kh, kw] -> f[b, o, ., ., .]
    Errors   as conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.conv3d(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 2, 2, 2))).eval().item()
    8.0
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    return convolution("conv3d", 3, input, filters, input_shape, filter_shape, *settings)


# ------------------------------------------------------------------------------------------------- adjoints


def _spatial(name: str, shape: Any, spatial: int) -> list[Any]:
    """The spatial lengths of a shape with all axes, or with the spatial axes alone."""
    if hasattr(shape, "ndim") and shape.ndim == 1:
        count = shape.type.shape[0] if hasattr(shape, "type") else len(shape)
        if count is not None:
            shape = [shape[i] for i in range(count)]
    if not isinstance(shape, (list, tuple)) or len(shape) not in (spatial, spatial + 2):
        raise ArgumentError(f"{name}: {shape!r} is not a shape", needs=f"{spatial} or {spatial + 2} lengths")
    lengths = list(shape)[-spatial:]
    if any(n is None for n in lengths):
        raise ArgumentError(
            f"{name}: the spatial lengths are needed, not {shape!r}", hint="lengths of a tensor: x.shape"
        )
    return [cast_to(n, "int64") for n in scalar_integers(name, lengths)]


def _with_known(v: Any, shape: Any) -> Any:
    """A result with the static lengths of a shape that the user gave in full."""
    if not isinstance(shape, (list, tuple)) or len(shape) != v.ndim:
        return v
    merged = tuple(
        a if a is not None else _known(n) if not hasattr(n, "owner") else None
        for a, n in zip(v.type.shape, shape, strict=True)
    )
    return v if merged == v.type.shape else specify_op(v, lengths=merged)


def _adjoint(name: str, op: Any, spatial: int, a: Any, b: Any, shape: Any, labels: tuple[str, str], *settings: Any) -> Any:  # fmt: skip
    parameters = _parameters(name, spatial, *settings)
    first, second = (operand(name, label, v, spatial + 2) for label, v in zip(labels, (a, b), strict=True))
    result = op.bind(**parameters)(*_common(first, second), *_spatial(name, shape, spatial))
    return _with_known(result, shape)


def conv2d_grad_wrt_inputs(
    output_grad: Any,
    filters: Any,
    input_shape: Any,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
) -> Any:
    """Gradient of conv2d for its input, of which the shape is given.

    Shapes   output_grad: f[b, o, ., .], filters: f[o, c / num_groups, kh, kw] -> f[b, c, h, w]
    Errors   ShapeError where the shapes are not those of a convolution

    >>> import numpy as np, eqsat.tensor as T
    >>> conv2d_grad_wrt_inputs(np.ones((1, 1, 1, 2)), np.ones((1, 1, 1, 2)), (1, 1, 1, 3)).eval()
    array([[[[1., 2., 1.]]]])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    labels = ("filters", "output_grad")
    name = "conv2d_grad_wrt_inputs"
    return _adjoint(name, conv_input_op, 2, filters, output_grad, input_shape, labels, *settings)


def conv3d_grad_wrt_inputs(
    output_grad: Any,
    filters: Any,
    input_shape: Any,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Gradient of conv3d for its input, of which the shape is given.

    Shapes   output_grad: f[b, o, d', h', w'], filters: f[o, c / num_groups, kd, kh, kw] -> f[b, c, d, h, w]
    Errors   as conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> dy, w = np.ones((1, 1, 1, 1, 1)), np.ones((1, 1, 2, 2, 2))
    >>> T.nnet.conv3d_grad_wrt_inputs(dy, w, (1, 1, 2, 2, 2)).eval().reshape(-1)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    labels = ("filters", "output_grad")
    name = "conv3d_grad_wrt_inputs"
    return _adjoint(name, conv_input_op, 3, filters, output_grad, input_shape, labels, *settings)


def conv2d_grad_wrt_weights(
    input: Any,
    output_grad: Any,
    filter_shape: Any,
    input_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
) -> Any:
    """Gradient of conv2d for its filters, of which the shape is given.

    Shapes   input: f[b, c, h, w], output_grad: f[b, o, ., .] -> f[o, c / num_groups, kh, kw]
    Errors   ShapeError where the shapes are not those of a convolution

    >>> import numpy as np, eqsat.tensor as T
    >>> x, dy = np.arange(3.0).reshape(1, 1, 1, 3), np.ones((1, 1, 1, 2))
    >>> conv2d_grad_wrt_weights(x, dy, (1, 1, 1, 2), filter_flip=False).eval()
    array([[[[1., 3.]]]])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    labels = ("input", "output_grad")
    name = "conv2d_grad_wrt_weights"
    return _adjoint(name, conv_kernel_op, 2, input, output_grad, filter_shape, labels, *settings)


def conv3d_grad_wrt_weights(
    input: Any,
    output_grad: Any,
    filter_shape: Any,
    input_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Gradient of conv3d for its filters, of which the shape is given.

    Shapes   input: f[b, c, d, h, w], output_grad: f[b, o, d', h', w'] -> f[o, c / num_groups, kd, kh, kw]
    Errors   as conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> x, dy = np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 1, 1, 1))
    >>> T.nnet.conv3d_grad_wrt_weights(x, dy, (1, 1, 2, 2, 2)).eval().reshape(-1)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    settings = border_mode, subsample, filter_dilation, num_groups, filter_flip
    labels = ("input", "output_grad")
    name = "conv3d_grad_wrt_weights"
    return _adjoint(name, conv_kernel_op, 3, input, output_grad, filter_shape, labels, *settings)


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    filter_shape: Any = None,
    border_mode: Border = "valid",
    input_dilation: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
) -> Any:
    """Adjoint of a convolution, which makes images larger: ``input_dilation`` is its stride.

    Shapes   input: f[b, o, ., .], filters: f[o, c / num_groups, kh, kw] -> f[b, c, h, w]

    >>> import numpy as np, eqsat.tensor as T
    >>> y = T.nnet.conv2d_transpose(np.ones((1, 1, 1, 2)), np.ones((1, 1, 1, 2)), (1, 1, 1, 4), input_dilation=(1, 2))
    >>> y.eval()
    array([[[[1., 1., 1., 1.]]]])
    """
    return conv2d_grad_wrt_inputs(
        input,
        filters,
        output_shape,
        filter_shape,
        border_mode,
        input_dilation,
        filter_flip,
        filter_dilation,
        num_groups,
    )


def separable_conv2d(
    input: Any,
    depthwise_filters: Any,
    pointwise_filters: Any,
    num_channels: int,
    input_shape: Any = None,
    depthwise_filter_shape: Any = None,
    pointwise_filter_shape: Any = None,
    border_mode: Border = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
) -> Any:
    """Convolution of each channel by itself, then mixtures of the channels at each place.

    Shapes   input: f[b, c, h, w], depthwise_filters: f[c * q, 1, kh, kw], pointwise_filters: f[o, c * q, 1, 1]
             -> f[b, o, ., .]
    Errors   as conv2d

    >>> import numpy as np, eqsat.tensor as T
    >>> x, deep, wide = np.ones((1, 2, 2, 2)), np.ones((2, 1, 2, 2)), np.ones((3, 2, 1, 1))
    >>> T.nnet.separable_conv2d(x, deep, wide, 2).eval().reshape(-1)
    array([8., 8., 8.])
    """
    name = "separable_conv2d"
    settings = border_mode, subsample, filter_dilation, num_channels, filter_flip
    middle = convolution(name, 2, input, depthwise_filters, input_shape, depthwise_filter_shape, *settings)
    last = ("valid", 1, 1, 1, filter_flip)
    return convolution(name, 2, middle, pointwise_filters, None, pointwise_filter_shape, *last)


# ------------------------------------------------------------------------------------------------ upsampling


def bilinear_kernel_1D(ratio: int, normalize: bool = True) -> Any:
    """Triangle of weights that interpolates between samples ``ratio`` apart, as a constant vector.

    Shapes   ratio: int -> f[2 * ratio - 1]

    >>> bilinear_kernel_1D(2).eval()
    array([0.5, 1. , 0.5])
    """
    (ratio,) = steps("bilinear_kernel_1D", "ratio", ratio, 1)
    rising = np.arange(1, ratio + 1, dtype=np.float64)
    weights = np.concatenate([rising, rising[-2::-1]])
    return as_tensor(weights / ratio if normalize else weights)


def bilinear_upsampling(
    input: Any, ratio: int, batch_size: Any = None, num_input_channels: Any = None
) -> Any:
    """Images ``ratio`` times as large, by linear interpolation along both axes; borders repeat.

    Shapes   input: f[b, c, h, w] -> f[b, c, ratio * h, ratio * w]

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.bilinear_upsampling(np.array([[[[0.0, 2.0]]]]), 2).eval()[0, 0, 0]
    array([0., 1., 2., 2.])
    """
    name = "bilinear_upsampling"
    x = operand(name, "input", input, 4)
    (ratio,) = steps(name, "ratio", ratio, 1)
    return _interpolated(_interpolated(x, 2, ratio), 3, ratio)


def _interpolated(x: Any, axis: int, ratio: int) -> Any:
    """Samples between neighbours along an axis, the last one repeated."""
    from eqsat.graph.ops.join import concatenate
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import length

    before = (slice(None),) * axis
    after = concatenate([x[(*before, slice(1, None))], x[(*before, slice(-1, None))]], axis)
    weight = np.arange(ratio).astype(x.dtype) / np.asarray(ratio, x.dtype)
    order = [*range(axis + 1), "x", *range(axis + 1, x.ndim)]
    here, there = dimshuffle(x, *order), dimshuffle(after, *order)
    shape = [1] * (axis + 1) + [ratio] + [1] * (x.ndim - axis - 1)
    weight = weight.reshape(shape)
    mixed = here * (1 - weight) + there * weight
    lengths = [length(x, a) * (ratio if a == axis else 1) for a in range(x.ndim)]
    return reshape(mixed, lengths)
