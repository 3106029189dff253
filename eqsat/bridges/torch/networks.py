"""Ops of ATen for networks: products of matrices, convolutions, pools, normalisations, resizing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length, lengths, product, spread
from eqsat.bridges.torch.table import At, filled, number, on, reshaped, to
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX, FLOATS
from eqsat.graph.ops.conv import conv_input_op, conv_kernel_op
from eqsat.graph.ops.pool import pool_max_op, pool_route_op, pool_spread_op, pool_sum_op
from eqsat.graph.ops.shape import scalar_integers

# ------------------------------------------------------------------------------------------------------- products


def _times(c: At, f: Callable[..., Any], a: Any, b: Any) -> Any:
    if c.dtype == "bool":
        raise Refused("products of truth values")
    return f(to(a, c.dtype), to(b, c.dtype))


@on("mm", "mv", "dot", "bmm", "matmul", "vdot")
def matrix_product(c: At, a: Any, b: Any, *more: Any) -> Any:
    if c.name == "vdot" and a.dtype in COMPLEX:
        a = T.conj(a)
    return _times(c, T.batched_dot if c.name == "bmm" else T.matmul if c.name == "matmul" else T.dot, a, b)


@on("addmm", "addmv", "baddbmm", "addbmm", "addr")
def added_product(c: At, x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta x + alpha a b``; with a beta of 0 x is not looked at."""
    if c.dtype == "bool":
        raise Refused("products of truth values")
    if c.name == "addr":
        made = to(a, c.dtype).dimshuffle(0, "x") * to(b, c.dtype).dimshuffle("x", 0)
    else:
        made = _times(c, T.batched_dot if "bmm" in c.name else T.dot, a, b)
    if c.name == "addbmm":
        made = T.sum(made, axis=0)
    made = made if alpha == 1 else made * number(alpha, c.dtype)
    if beta == 0:
        return made
    x = to(x, c.dtype)
    return made + (x if beta == 1 else x * number(beta, c.dtype))


# ---------------------------------------------------------------------------------------------------- convolutions


def _geometry(
    rank: int, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> dict[str, Any]:
    n = rank - 2
    if n not in (1, 2, 3):
        raise Refused(f"{n} spatial axes")
    wide = lambda v: tuple(int(k) for k in (v if len(v) == n else [v[0]] * n))
    pads, steps, gaps = wide(padding), wide(stride), wide(dilation)
    return {"border": tuple((p, p) for p in pads), "strides": steps, "dilation": gaps}


def _real(*xs: Any) -> None:
    if any(x.dtype not in FLOATS for x in xs):
        raise Refused("convolutions of numbers that are not floats")
    if any(0 in x.type.shape for x in xs):
        raise Refused("convolutions of nothing")


@on("convolution")
def convolution(c: At, x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, extra: Any, groups: int) -> Any:  # fmt: skip
    """The correlation with filters, or the adjoint of one."""
    _real(x, w)
    g = _geometry(x.ndim, stride, padding, dilation)
    if transposed:
        made = _adjoint(x, w, g, extra, groups)
    else:
        made = _correlated(x, w, g, groups)
    return made if b is None else made + spread(b, 1, x.ndim)


def _longer(g: dict[str, Any], extra: Sequence[int]) -> tuple[dict[str, Any], list[int]]:
    """The geometry of an adjoint with longer ends, which are less cut, and how far they go beyond what any step reaches."""
    n = len(g["strides"])
    extra = [int(e) for e in (extra if len(extra) == n else [extra[0]] * n)]
    cut = tuple((p, max(p - e, 0)) for (p, _), e in zip(g["border"], extra))
    return {**g, "border": cut}, [max(e - p, 0) for (p, _), e in zip(g["border"], extra)]


def _adjoint(x: Any, w: Any, g: dict[str, Any], extra: Sequence[int], groups: int) -> Any:
    """The adjoint of a correlation, empty beyond what any step reaches."""
    g, more = _longer(g, extra)
    reach = [
        s * (length(x, 2 + a) - 1) + (length(w, 2 + a) - 1) * d + 1 - sum(p)
        for a, (s, d, p) in enumerate(zip(g["strides"], g["dilation"], g["border"]))
    ]
    made = conv_input_op.bind(**g, groups=groups, flip=False)(w, x, *scalar_integers("convolution", reach))
    return T.pad(made, [(0, 0), (0, 0), *((0, m) for m in more)]) if any(more) else made


def _correlated(x: Any, w: Any, g: dict[str, Any], groups: int) -> Any:
    f = (T.nnet.conv1d, T.nnet.conv2d, T.nnet.conv3d)[x.ndim - 3]
    settings = {"border_mode": g["border"], "subsample": g["strides"], "filter_dilation": g["dilation"]}
    return f(x, w, filter_flip=False, num_groups=groups, **settings)


@on("convolution_backward")
def convolution_gradients(c: At, dy: Any, x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, extra: Any, groups: int, mask: Any) -> Any:  # fmt: skip
    """The adjoints in the input, the filters and the bias; those that are not asked for are None."""
    _real(dy, x, w)
    g = _geometry(x.ndim, stride, padding, dilation)
    made: list[Any] = [None, None, None]
    if mask[2]:
        made[2] = T.sum(dy, axis=tuple(a for a in range(dy.ndim) if a != 1))
    if transposed:
        g, more = _longer(g, extra)
        dy = dy[(slice(None), slice(None), *(slice(0, length(dy, 2 + a) - m) for a, m in enumerate(more)))]
    lengths_of = lambda v: scalar_integers("convolution", lengths(v)[2:])
    settings = {**g, "groups": groups, "flip": False}
    if mask[0] and transposed:
        made[0] = _correlated(dy, w, g, groups)
    elif mask[0]:
        made[0] = conv_input_op.bind(**settings)(w, dy, *lengths_of(x))
    if mask[1]:
        pair = (dy, x) if transposed else (x, dy)
        made[1] = conv_kernel_op.bind(**settings)(*pair, *lengths_of(w))
    return made


# ----------------------------------------------------------------------------------------------------------- pools


class Windows:
    """Windows over the last axes: lengths, distances, padding before and behind with what the last windows need beyond."""

    def __init__(
        self, x: Any, count: int, size: Any, stride: Any, pad: Any, dilation: Any, out: Sequence[int]
    ) -> None:
        wide = lambda v: [int(k) for k in (v if len(v) == count else [v[0]] * count)]
        self.count, self.size, self.dilation = count, wide(size), wide(dilation)
        self.strides, self.pads = wide(stride) if len(stride) else wide(size), wide(pad)
        self.inside = [length(x, x.ndim - count + a) for a in range(count)]
        self.out = [int(n) for n in out[-count:]]
        if not all(isinstance(n, int) for n in self.inside):
            raise Refused("a spatial length that is known at run time alone")
        spans = [(k - 1) * d + 1 for k, d in zip(self.size, self.dilation)]
        ends = [
            (o - 1) * s + k - n - p
            for o, s, k, n, p in zip(self.out, self.strides, spans, self.inside, self.pads)
        ]
        self.behind = [max(e, 0) for e in ends]

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of an op over windows of what is padded already."""
        zeros = (0,) * self.count
        return {"window": tuple(self.size), "strides": tuple(self.strides), "pads": zeros, "partial": False}

    def padded(self, x: Any, fill: Any) -> Any:
        """x with elements around it."""
        pairs = list(zip(self.pads, self.behind))
        if not any(map(any, pairs)):
            return x
        whole = [(0, 0)] * (x.ndim - self.count) + pairs
        return T.pad(x, whole, constant_values=number(fill, x.dtype))

    def cut(self, x: Any) -> Any:
        """The part inside of the padding."""
        index = [slice(p, p + n) for p, n in zip(self.pads, self.inside)]
        return x[(*[slice(None)] * (x.ndim - self.count), *index)]

    def kept(self, x: Any) -> Any:
        """The windows that torch counts; a padded axis may have room for more."""
        return x[(*[slice(None)] * (x.ndim - self.count), *(slice(0, n) for n in self.out))]

    def places(self) -> Any:
        """The flat places, inside of the padding, of the elements of each window; -1 for what is padding."""
        lines = []
        for k in range(self.count):
            at = np.arange(self.out[k])[:, None] * self.strides[k] - self.pads[k]
            at = at + np.arange(self.size[k])[None, :] * self.dilation[k]
            lines.append(np.where((at >= 0) & (at < self.inside[k]), at, -1))
        return _flat_places(lines, self.inside)


def _flat_places(lines: Sequence[Any], inside: Sequence[int]) -> Any:
    """The flat places of the elements of each window, for those along each axis; -1 for none."""
    flat = np.zeros((1, 1), np.int64)
    for line, n in zip(lines, inside, strict=True):
        joined = flat[:, None, :, None] * n + line[None, :, None, :]
        gone = (flat[:, None, :, None] < 0) | (line[None, :, None, :] < 0)
        flat = np.where(gone, -1, joined).reshape(flat.shape[0] * line.shape[0], -1)
    return flat


def _least(dtype: str) -> Any:
    return -np.inf if dtype in FLOATS else np.iinfo(dtype).min


def _largest_at(x: Any, places: Any, out: Sequence[int]) -> tuple[Any, Any]:
    """The largest of the elements at the flat places of each window, and its place; the first of equal ones."""
    lead, inside = lengths(x, 0, x.ndim - len(out)), lengths(x, x.ndim - len(out))
    flat = reshaped(x, [*lead, product(inside)])
    least = number(_least(x.dtype), x.dtype)
    patches = T.switch(T.constant(places >= 0), flat[..., T.constant(np.maximum(places, 0))], least)
    best = T.argmax(patches, axis=-1)
    rows = T.broadcast_to(T.constant(places), [*lead, *places.shape])
    found = T.take_along_axis(rows, T.expand_dims(T.cast(best, "int64"), -1), axis=-1)[..., 0]
    return reshaped(T.max(patches, axis=-1), [*lead, *out]), reshaped(found, [*lead, *out])


def _sent_to(x: Any, dy: Any, places: Any, count: int) -> Any:
    """Each element of dy added up at the flat place that its window had in x."""
    lead, inside = lengths(x, 0, x.ndim - count), lengths(x, x.ndim - count)
    rows, out = product(lead), product(lengths(dy, dy.ndim - count))
    room = filled([rows, product(inside)], 0, dy.dtype)
    line = T.arange(rows).dimshuffle(0, "x")
    index, given = reshaped(places, [rows, out]), reshaped(dy, [rows, out])
    return reshaped(T.inc_subtensor(room[line, index], given), lengths(x))


@on("max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool(
    c: At, x: Any, size: Any, stride: Any = (), pad: Any = (0,), dilation: Any = (1,), ceil: bool = False
) -> Any:
    """The largest element of each window, and its flat place; the first of equal ones."""
    count = 2 if "2d" in c.name else 3
    w = Windows(x, count, size, stride, pad, dilation, c.lengths(start=-count))
    largest, found = _largest_at(x, w.places(), w.out)
    if all(d == 1 for d in w.dilation):
        largest = w.kept(pool_max_op.bind(**w.parameters)(w.padded(x, _least(x.dtype))))
    return [largest, found]


@on("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward")
def max_pool_gradient(
    c: At, dy: Any, x: Any, size: Any, stride: Any, pad: Any, dilation: Any, ceil: bool, places: Any
) -> Any:
    """Each element goes to the place that its window had."""
    count = 2 if "2d" in c.name else 3
    w = Windows(x, count, size, stride, pad, dilation, lengths(dy))
    simple = all(d == 1 for d in w.dilation) and not any(w.behind)
    if simple and not any(w.pads):
        return pool_route_op.bind(**w.parameters)(x, dy)
    return _sent_to(x, dy, places, count)


def _divisors(w: Windows, padding_counts: bool, divisor: Any) -> Any:
    """By how much the sum of each window is divided: its elements, those of the padding where they count."""
    if divisor is not None:
        return np.full(w.out, divisor)
    found = np.ones(w.out)
    for k in range(w.count):
        start = np.arange(w.out[k]) * w.strides[k] - w.pads[k]
        pad = w.pads[k] if padding_counts else 0
        end = np.minimum(start + w.size[k], w.inside[k] + pad)
        found = found * (end - np.maximum(start, -pad)).reshape([-1 if a == k else 1 for a in range(w.count)])
    return found


@on("avg_pool1d", "avg_pool2d", "avg_pool3d")
def average_pool(c: At, x: Any, size: Any, stride: Any = (), pad: Any = (0,), ceil: bool = False, padding_counts: bool = True, divisor: Any = None) -> Any:  # fmt: skip
    count = int(c.name[-2])
    w = Windows(x, count, size, stride, pad, [1], c.lengths(start=-count))
    sums = w.kept(pool_sum_op.bind(**w.parameters)(w.padded(x, 0)))
    return sums / number(_divisors(w, padding_counts, divisor), x.dtype)


@on("avg_pool2d_backward", "avg_pool3d_backward")
def average_pool_gradient(c: At, dy: Any, x: Any, size: Any, stride: Any, pad: Any, ceil: bool, padding_counts: bool, divisor: Any) -> Any:  # fmt: skip
    count = int(c.name[len("avg_pool")])
    w = Windows(x, count, size, stride, pad, [1], lengths(dy))
    scaled = dy / number(_divisors(w, padding_counts, divisor), dy.dtype)
    whole = [p + n + b for p, n, b in zip(w.pads, w.inside, w.behind)]
    room = [(n - k) // s + 1 - o for n, k, s, o in zip(whole, w.size, w.strides, w.out)]
    if any(room):
        scaled = T.pad(scaled, [(0, 0)] * (dy.ndim - count) + [(0, r) for r in room])
    return w.cut(pool_spread_op.bind(**w.parameters)(scaled, *(np.int64(n) for n in whole)))


def _shares(n: int, out: int) -> Any:
    """The parts of an axis of which each element of a shorter one is the mean: a matrix of weights."""
    weights = np.zeros((out, n))
    for k in range(out):
        start, end = (k * n) // out, -(-(k + 1) * n // out)
        weights[k, start:end] = 1 / (end - start)
    return weights


def along_axis(x: Any, axis: int, weights: Any) -> Any:
    """Weighted sums along an axis."""
    turned = T.dot(T.moveaxis(x, axis, -1), number(weights.T, x.dtype))
    return T.moveaxis(turned, -1, axis)


@on("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d")
def adaptive_pool(c: At, x: Any, size: Any) -> Any:
    """Means of parts of the last axes that are as equal as can be."""
    for k, (have, out) in enumerate(zip(c.lengths(x, -len(size)), size, strict=True)):
        axis = x.ndim - len(size) + k
        if have != out:
            x = T.mean(x, axis=axis, keepdims=True) if out == 1 else along_axis(x, axis, _shares(have, out))
    return x


@on("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_pool_gradient(c: At, dy: Any, x: Any) -> Any:
    count = int(c.name[len("_adaptive_avg_pool")])
    pairs = zip(c.lengths(x, -count), c.lengths(dy, -count), strict=True)
    for axis, (have, out) in enumerate(pairs, x.ndim - count):
        dy = along_axis(dy, axis, _shares(have, out).T)
    return dy


@on("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(c: At, x: Any, size: Sequence[int]) -> Any:
    """The largest elements of parts of the last axes that are as equal as can be, and their flat places."""
    have = c.lengths(x, -len(size))
    lines = []
    for n, out in zip(have, size, strict=True):
        taken = _shares(n, out) > 0
        order = np.argsort(~taken, axis=1, kind="stable")[:, : taken.sum(axis=1).max()]
        lines.append(np.where(np.take_along_axis(taken, order, 1), order, -1))
    return list(_largest_at(x, _flat_places(lines, have), list(size)))


@on("adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward")
def adaptive_max_pool_gradient(c: At, dy: Any, x: Any, places: Any) -> Any:
    return _sent_to(x, dy, places, int(c.name[len("adaptive_max_pool")]))


# --------------------------------------------------------------------------------------------------- normalisations


def _standard(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any, Any]:
    """x without its mean over its deviation; the mean, and one over the deviation."""
    mean = T.mean(x, axis=axes, keepdims=True)
    inverse = T.reciprocal(T.sqrt(T.mean(T.sqr(x - mean), axis=axes, keepdims=True) + number(eps, x.dtype)))
    return (x - mean) * inverse, mean, inverse


@on("native_layer_norm")
def layer_norm(c: At, x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    made, mean, inverse = _standard(x, tuple(range(x.ndim - len(shape), x.ndim)), eps)
    made = made if weight is None else made * weight
    return [made if bias is None else made + bias, mean, inverse]


# --------------------------------------------------------------------------------------------------------- distances


@on("_cdist_forward")
def distances(c: At, x: Any, y: Any, p: float, mode: Any = None) -> Any:
    """The norms of the differences of each pair of rows."""
    apart = T.abs(T.expand_dims(x, -2) - T.expand_dims(y, -3))
    if p == 0:
        return T.sum(T.cast(T.neq(apart, number(0, x.dtype)), x.dtype), axis=-1)
    if p == float("inf"):
        return T.max(apart, axis=-1)
    return (
        T.sqrt(T.sum(T.sqr(apart), axis=-1))
        if p == 2
        else T.pow(T.sum(T.pow(apart, number(p, x.dtype)), axis=-1), number(1 / p, x.dtype))
    )
