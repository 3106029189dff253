"""Convolution over one to three axes of batches of images, and its two adjoints, which are each other's gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import DTypeError, RankError, ShapeError
from eqsat.graph.batch_windows import conv_batched, conv_input_batched, conv_kernel_batched
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.shape import length
from eqsat.graph.parameters import BORDER, DILATION, FLIP, GROUPS, STRIDES
from eqsat.graph.tensor_type import TensorType

PARAMETERS = {"border": BORDER, "strides": STRIDES, "dilation": DILATION, "groups": GROUPS, "flip": FLIP}
Lengths = Sequence[int | None]


# ------------------------------------------------------------------------------------------------- geometry


def spread(kernel: int, dilation: int) -> int:
    """Length of a kernel with gaps between its elements."""
    return (kernel - 1) * dilation + 1


def padding(border: Any, axis: int, kernel: int, dilation: int) -> tuple[int, int]:
    """Zeros before and after an axis: of a border mode, or the pair given for the axis."""
    if isinstance(border, str):
        wide = spread(kernel, dilation)
        both = {"valid": 0, "full": wide - 1, "half": wide // 2}[border]
        return both, both
    return border[axis]  # type: ignore[no-any-return]


def output_length(params: Any, axis: int, n: int | None, k: int | None) -> int | None:
    """Length of one axis of the output, None where it is not known; raises ShapeError where none fits."""
    if k == 0:
        raise ShapeError(f"conv: the kernel has length 0 on spatial axis {axis}")
    if n is None or k is None:
        return None
    gap = params["dilation"][axis]
    room = n + sum(padding(params["border"], axis, k, gap)) - spread(k, gap)
    if room < 0:
        raise ShapeError(
            f"conv: the kernel covers {spread(k, gap)} elements of spatial axis {axis}, "
            f"the padded input has {n + sum(padding(params['border'], axis, k, gap))}",
            needs="an input that is no shorter than the kernel",
            hint="border_mode='full' or 'half'",
        )
    return room // params["strides"][axis] + 1


def group_count(params: Any, c: int, per: int) -> int:
    """Number of groups; 0 among the parameters means as many as the channels make."""
    return params["groups"] or max(1, c // max(per, 1))


def check_channels(groups: int, c: int | None, o: int | None, per: int | None) -> None:
    """Raise ShapeError where known numbers of channels do not fit the groups."""
    if groups == 0 and (c is None or per is None or (c == 0 and not o)):
        return
    groups = group_count({"groups": groups}, c or 0, per or 0)
    if c is not None and per is not None and c != per * groups:
        raise ShapeError(f"conv: {c} input channels, the filters take {per} in each of {groups} groups")
    for name, number in (("input", c), ("output", o)):
        if number is not None and number % groups:
            raise ShapeError(f"conv: {number} {name} channels cannot be cut into {groups} groups")


def output_lengths(params: Any, x: Lengths, w: Lengths) -> tuple[int | None, ...]:
    """Lengths of the output for those of the input and the filters."""
    check_channels(params["groups"], x[1], w[0], w[1])
    spatial = [output_length(params, a, n, k) for a, (n, k) in enumerate(zip(x[2:], w[2:], strict=True))]
    return (x[0], w[0], *spatial)


def _check_equal(found: Lengths, wanted: Lengths) -> None:
    for axis, (have, want) in enumerate(zip(found, wanted, strict=True)):
        if have is not None and want is not None and have != want:
            raise ShapeError(f"conv: axis {axis} of the output has length {have}, not {want}")


def _typed(op: Any, a: Any, b: Any, names: tuple[str, str], shape: Any) -> TensorType:
    """The type of a result; errors of the shapes name both operands."""
    operands = [(v.name or name, v) for name, v in zip(names, (a, b), strict=True)]
    if a.type.dtype != b.type.dtype or a.type.dtype not in FLOATS:
        raise DTypeError(f"{op.name}: the operands are {a.dtype} and {b.dtype}", operands=operands, needs="one floating dtype")  # fmt: skip
    spatial = len(op.params["strides"])
    if a.type.ndim != spatial + 2 or b.type.ndim != spatial + 2:
        raise RankError(
            f"{op.name}: {spatial} spatial axes need operands of {spatial + 2} dimensions, "
            f"not {a.type.ndim} and {b.type.ndim}",
            operands=operands,
            needs="(batch, channels, ...) and (output channels, input channels, ...)",
        )
    try:
        return TensorType(a.type.dtype, shape=shape())
    except ShapeError as error:
        raise ShapeError(error.message, operands=operands, needs=error.needs, hint=error.hint) from None


def _given(lengths: Sequence[Any]) -> list[int | None]:
    return [int(n.data) if isinstance(n, Constant) else None for n in lengths]


# -------------------------------------------------------------------------------------------------- meaning


def _padded(x: Any, params: Any, kernel: Sequence[int]) -> Any:
    gaps = params["dilation"]
    pads = [padding(params["border"], a, k, gaps[a]) for a, k in enumerate(kernel)]
    return np.zeros([*x.shape[:2], *(n + p + q for n, (p, q) in zip(x.shape[2:], pads, strict=True))], x.dtype), (
        slice(None), slice(None), *(slice(p, p + n) for n, (p, q) in zip(x.shape[2:], pads, strict=True)))  # fmt: skip


def _offsets(params: Any, kernel: Sequence[int], out: Sequence[int]) -> Any:
    """Per kernel element: its index among the weights, and the part of the padded input that it meets."""
    strides, gaps = params["strides"], params["dilation"]
    for place in np.ndindex(*kernel):
        at = tuple(k - 1 - i for i, k in zip(place, kernel, strict=True)) if params["flip"] else place
        parts = [slice(i * g, i * g + (m - 1) * s + 1 if m else 0, s) for i, g, m, s in zip(at, gaps, out, strides, strict=True)]  # fmt: skip
        yield (..., *place), (slice(None), slice(None), *parts)


def _grouped(v: Any, groups: int) -> Any:
    """(b, channels, ...) as (b, groups, channels per group, elements)."""
    return v.reshape(v.shape[0], groups, v.shape[1] // groups, int(np.prod(v.shape[2:])))


def _kernel_at(w: Any, place: Any, groups: int) -> Any:
    return w[place].reshape(1, groups, w.shape[0] // groups, w.shape[1])


def _cost(op: Any, shape: Sequence[float], kernel: Sequence[float]) -> Cost:
    """The cost of a product: filters of one group by channels and taps, and by places of all images."""
    taps, groups = float(np.prod(kernel[1:])), float(op.params["groups"] or 1)
    places = float(shape[0] * np.prod(shape[2:]))
    return Cost(flops=2 * float(np.prod(shape)) * taps, product=(kernel[0] / groups, taps, places), calls=5)


# --------------------------------------------------------------------------------------------- the three ops


def _conv_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    x, w = inputs
    return [to_input(op, w, dy, _lengths(op, x)), to_kernel(op, x, dy, _lengths(op, w))]


def _lengths(op: Any, v: Any) -> list[Any]:
    """Lengths of the spatial axes; with that of the channels where the groups follow from it."""
    return [length(v, a) for a in range(2 if op.params["groups"] else 1, v.type.ndim)]


def to_input(op: Any, w: Any, dy: Any, lengths: Sequence[Any]) -> Any:
    """Adjoint of a convolution for its input, of which the spatial lengths are given."""
    return conv_input_op.bind(**op.params)(w, dy, *lengths)


def to_kernel(op: Any, x: Any, dy: Any, lengths: Sequence[Any]) -> Any:
    """Adjoint of a convolution for its filters, of which the spatial lengths are given."""
    return conv_kernel_op.bind(**op.params)(x, dy, *lengths)


@structural(
    "block",
    name="conv",
    parameters=PARAMETERS,
    signature="(b,c,x...),(f,d,y...)->(b,f,x?...)",
    free="b f",
    additive="x w",
    batch=conv_batched,
    infer=lambda op, x, w: _typed(
        op, x, w, ("input", "filters"), lambda: output_lengths(op.params, x.type.shape, w.type.shape)
    ),
    grad=_conv_grad,
    builder="conv.forward",
    cost=lambda op, ins, out: _cost(op, out, ins[1]),
)
def conv_op(x: Any, w: Any, *, border: Any, strides: Any, dilation: Any, groups: int, flip: bool) -> Any:
    """Sums of products of filters with all windows of images.

    ``groups=0`` means as many groups as the channels of x and w make; the adjoints then take the number of
    channels of their result before the spatial lengths.

    Shapes   x: f[b, c, ...], w: f[o, c / groups, ...] -> f[b, o, ...]
    """
    params = {"border": border, "strides": strides, "dilation": dilation, "groups": groups, "flip": flip}
    shape: Any = output_lengths(params, x.shape, w.shape)
    padded, inside = _padded(x, params, w.shape[2:])
    padded[inside] = x
    if 0 in shape:
        return np.zeros(shape, x.dtype)
    groups = group_count(params, x.shape[1], w.shape[1])
    out = np.zeros((shape[0], groups, shape[1] // groups, int(np.prod(shape[2:]))), x.dtype)
    for place, part in _offsets(params, w.shape[2:], shape[2:]):
        out += np.matmul(_kernel_at(w, place, groups), _grouped(padded[part], groups))
    return out.reshape(shape)


def _input_shape(op: Any, w: Any, dy: Any, lengths: Sequence[Any]) -> Any:
    per, groups, spatial = w.type.shape[1], op.params["groups"], _given(lengths)
    c = spatial.pop(0) if groups == 0 else None if per is None else per * groups
    shape = (dy.type.shape[0], c, *spatial)
    _check_equal(dy.type.shape, output_lengths(op.params, shape, w.type.shape))
    return shape


def _input_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    w, y, *lengths = inputs
    return [
        to_kernel(op, dy, y, _lengths(op, w)),
        conv_op.bind(**op.params)(dy, w),
        *[None] * len(lengths),
    ]


@structural(
    "block",
    name="conv_input",
    parameters=PARAMETERS,
    batch=conv_input_batched,
    variadic=True,
    infer=lambda op, w, dy, *n: _typed(
        op, w, dy, ("filters", "output gradient"), lambda: _input_shape(op, w, dy, n)
    ),
    grad=_input_grad,
    builder="conv.to_input",
    cost=lambda op, ins, out: _cost(op, ins[1], ins[0]),
)
def conv_input_op(
    w: Any, dy: Any, *lengths: Any, border: Any, strides: Any, dilation: Any, groups: int, flip: bool
) -> Any:
    """Gradient of a convolution for its input, of which the spatial lengths are given.

    Shapes   w: f[o, c / groups, ...], dy: f[b, o, ...] -> f[b, c, ...]
    """
    params = {"border": border, "strides": strides, "dilation": dilation, "groups": groups, "flip": flip}
    channels = [w.shape[1] * groups] if groups else []
    shape: Any = (dy.shape[0], *channels, *map(int, lengths))
    _check_equal(dy.shape, output_lengths(params, shape, w.shape))
    if 0 in shape:
        return np.zeros(shape, w.dtype)
    groups = group_count(params, shape[1], w.shape[1])
    padded, inside = _padded(np.broadcast_to(w.dtype.type(0), shape), params, w.shape[2:])
    for place, part in _offsets(params, w.shape[2:], dy.shape[2:]):
        piece = np.matmul(_kernel_at(w, place, groups).swapaxes(2, 3), _grouped(dy, groups))
        padded[part] += piece.reshape(padded[part].shape)
    return np.ascontiguousarray(padded[inside])


def _kernel_shape(op: Any, x: Any, dy: Any, lengths: Sequence[Any]) -> Any:
    c, groups, spatial = x.type.shape[1], op.params["groups"], _given(lengths)
    check_channels(groups, c, dy.type.shape[1], None)
    per = spatial.pop(0) if groups == 0 else None if c is None else c // groups
    shape = (dy.type.shape[1], per, *spatial)
    _check_equal(dy.type.shape, output_lengths(op.params, x.type.shape, shape))
    return shape


def _kernel_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    x, y, *lengths = inputs
    return [
        to_input(op, dy, y, _lengths(op, x)),
        conv_op.bind(**op.params)(x, dy),
        *[None] * len(lengths),
    ]


@structural(
    "block",
    name="conv_kernel",
    parameters=PARAMETERS,
    batch=conv_kernel_batched,
    variadic=True,
    infer=lambda op, x, dy, *n: _typed(
        op, x, dy, ("input", "output gradient"), lambda: _kernel_shape(op, x, dy, n)
    ),
    grad=_kernel_grad,
    builder="conv.to_kernel",
    cost=lambda op, ins, out: _cost(op, ins[1], out),
)
def conv_kernel_op(
    x: Any, dy: Any, *lengths: Any, border: Any, strides: Any, dilation: Any, groups: int, flip: bool
) -> Any:
    """Gradient of a convolution for its filters, of which the spatial lengths are given.

    Shapes   x: f[b, c, ...], dy: f[b, o, ...] -> f[o, c / groups, ...]
    """
    params = {"border": border, "strides": strides, "dilation": dilation, "groups": groups, "flip": flip}
    check_channels(groups, x.shape[1], dy.shape[1], None)
    channels = [x.shape[1] // groups] if groups else []
    shape: Any = (dy.shape[1], *channels, *map(int, lengths))
    _check_equal(dy.shape, output_lengths(params, x.shape, shape))
    padded, inside = _padded(x, params, shape[2:])
    padded[inside] = x
    result = np.zeros(shape, x.dtype)
    if 0 in shape:
        return result
    groups = group_count(params, x.shape[1], shape[1])
    for place, part in _offsets(params, shape[2:], dy.shape[2:]):
        pieces = np.matmul(_grouped(dy, groups), _grouped(padded[part], groups).swapaxes(2, 3))
        result[place] = pieces.sum(axis=0).reshape(shape[:2])
    return result
