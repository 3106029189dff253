"""Ops of ONNX for networks: convolutions, pools, normalisations, resizing, losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length, lengths, spread
from eqsat.bridges.grids import sampled
from eqsat.bridges.onnx.reading import as_constant
from eqsat.bridges.onnx.table import aligned, at, integers, known, on
from eqsat.bridges.onnx.windows import (
    elements,
    known_length,
    largest,
    means,
    padded,
    paddings,
    resized,
    sums,
    windows_of,
)
from eqsat.bridges.translate import Refused
from eqsat.graph.ops.conv import conv_input_op
from eqsat.graph.ops.shape import scalar_integers

# ----------------------------------------------------------------------------------------------------- convolutions


def convolved(c: Any, x: Any, w: Any) -> Any:
    """The correlation of a batch with filters."""
    n = x.ndim - 2
    if n not in (1, 2, 3):
        raise Refused(f"{n} spatial axes")
    strides, dilations = tuple(c.get("strides") or [1] * n), tuple(c.get("dilations") or [1] * n)
    size = c.get("kernel_shape") or [known_length(w, 2 + a) for a in range(n)]
    border = tuple(paddings(c, x, size, strides, dilations))
    f = (T.nnet.conv1d, T.nnet.conv2d, T.nnet.conv3d)[n - 1]
    return f(
        x,
        w,
        border_mode=border,
        subsample=strides,
        filter_dilation=dilations,
        filter_flip=False,
        num_groups=c.get("group", 1),
    )


@on("Conv")
def convolution(c: Any, x: Any, w: Any, b: Any = None) -> Any:
    made = convolved(c, x, w)
    return made if b is None else made + spread(b, 1, x.ndim)


@on("ConvTranspose")
def transposed(c: Any, x: Any, w: Any, b: Any = None) -> Any:
    """The adjoint of a convolution, whose input had the lengths of the result."""
    n = x.ndim - 2
    if n not in (1, 2, 3):
        raise Refused(f"{n} spatial axes")
    strides, dilations = tuple(c.get("strides") or [1] * n), tuple(c.get("dilations") or [1] * n)
    size = list(c.get("kernel_shape") or [known_length(w, 2 + a) for a in range(n)])
    extra = list(c.get("output_padding") or [0] * n)
    spans = [(k - 1) * d + 1 for k, d in zip(size, dilations)]
    whole = [strides[a] * (length(x, 2 + a) - 1) + extra[a] + spans[a] for a in range(n)]
    auto, wanted = c.get("auto_pad", "NOTSET") or "NOTSET", c.get("output_shape")
    p = c.get("pads") or [0] * (2 * n)
    pads = [(p[a], p[a + n]) for a in range(n)]
    if wanted or auto.startswith("SAME"):
        goal = list(wanted)[-n:] if wanted else [length(x, 2 + a) * strides[a] for a in range(n)]
        if not all(isinstance(k, int) for k in [*whole, *goal]):
            raise Refused("a spatial length that is known at run time alone")
        total = [max(h - g, 0) for h, g in zip(whole, goal)]
        whole = [max(h, g) for h, g in zip(whole, goal)]
        pads = [(t - t // 2, t // 2) if auto != "SAME_UPPER" else (t // 2, t - t // 2) for t in total]
    goal = [h - a - b for h, (a, b) in zip(whole, pads)]
    # a longer end is less cut, and empty beyond what any step reaches
    cut = tuple((a, max(b - e, 0)) for (a, b), e in zip(pads, extra))
    parameters = {"border": cut, "strides": strides, "dilation": dilations, "groups": c.get("group", 1)}
    reach = [strides[a] * (length(x, 2 + a) - 1) + spans[a] - sum(cut[a]) for a in range(n)]
    found = [T.cast(v, "int64") for v in scalar_integers("ConvTranspose", reach)]
    made = conv_input_op.bind(**parameters, flip=False)(w, x, *found)
    more = [g - r for g, r in zip(goal, reach)]
    if any(not isinstance(m, int) or m for m in more):
        made = T.pad(made, [(0, 0), (0, 0), *((0, m) for m in more)])
    return made if b is None else made + spread(b, 1, x.ndim)


# ------------------------------------------------------------------------------------------------------------ pools


@on("MaxPool")
def max_pool(c: Any, x: Any) -> Any:
    w = windows_of(c, x, c.get("kernel_shape"))
    made = largest(x, w)
    if not c.wants(1):
        return c.outputs(made)
    spatial = [known_length(x, 2 + a) for a in range(x.ndim - 2)]
    batch = [known_length(x, a) for a in range(2)]
    numbers = np.arange(int(np.prod(spatial)), dtype=np.int64)
    turned = c.get("storage_order", 0)
    numbers = numbers.reshape(spatial[::-1]).T if turned else numbers.reshape(spatial)
    pictures = np.arange(int(np.prod(batch)), dtype=np.int64).reshape(batch) * numbers.size
    places = pictures.reshape(*batch, *[1] * len(spatial)) + numbers
    best = T.expand_dims(T.argmax(elements(padded(x, w, -np.inf), w), axis=-1), -1)
    found = T.take_along_axis(elements(padded(as_constant(places), w, -1), w), T.cast(best, "int64"), axis=-1)
    return [made, found[..., 0]]


@on("AveragePool")
def average_pool(c: Any, x: Any) -> Any:
    return means(x, windows_of(c, x, c.get("kernel_shape")), bool(c.get("count_include_pad", 0)))


@on("LpPool")
def lp_pool(c: Any, x: Any) -> Any:
    w = windows_of(c, x, c.get("kernel_shape"))
    p = c.number("p", 2, x)
    total = sums(padded(T.pow(T.abs(x), p), w, 0), w)
    return T.pow(total, 1 / p)


@on("GlobalAveragePool")
def global_average(c: Any, x: Any) -> Any:
    return T.mean(x, axis=tuple(range(2, x.ndim)), keepdims=True)


@on("GlobalMaxPool")
def global_max(c: Any, x: Any) -> Any:
    return T.max(x, axis=tuple(range(2, x.ndim)), keepdims=True)


@on("GlobalLpPool")
def global_lp(c: Any, x: Any) -> Any:
    p = c.number("p", 2, x)
    return T.pow(T.sum(T.pow(T.abs(x), p), axis=tuple(range(2, x.ndim)), keepdims=True), 1 / p)


@on("MaxUnpool")
def max_unpool(c: Any, x: Any, places: Any, shape: Any = None) -> Any:
    n = x.ndim - 2
    size, strides = c.get("kernel_shape"), c.get("strides") or [1] * n
    pads = c.get("pads") or [0] * (2 * n)
    own = [(length(x, 2 + a) - 1) * strides[a] - pads[a] - pads[a + n] + size[a] for a in range(n)]
    inner = [*lengths(x, 0, 2), *own]
    count = inner[0] * inner[1]
    for k in own:
        count = count * k
    flat = T.zeros((count,), dtype=x.type.dtype)
    made = T.set_subtensor(flat[T.reshape(T.cast(places, "int64"), [-1], ndim=1)], T.reshape(x, [-1], ndim=1))
    if shape is None:
        return T.reshape(made, inner, ndim=x.ndim)
    made = T.reshape(made, inner, ndim=x.ndim)
    wanted = integers(shape, "lengths", x.ndim)
    # the places count in the smaller tensor; the rest of the larger one is empty
    return T.pad(made, [(0, w - k) for w, k in zip(wanted, inner)])


# --------------------------------------------------------------------------------------------------- normalisations


@on("BatchNormalization")
def batch_normalised(c: Any, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    up = lambda v: spread(v, 1, x.ndim) if x.ndim > 1 else v
    given = mean, var
    if c.get("training_mode", 0):
        axes = tuple(a for a in range(x.ndim) if a != 1)
        mean, var = T.mean(x, axis=axes), T.var(x, axis=axes)
    made = (x - up(mean)) / T.sqrt(up(var) + c.number("epsilon", 1e-5, x)) * up(scale) + up(bias)
    if not c.get("training_mode", 0):
        return c.outputs(made)
    old = c.number("momentum", 0.9, x)
    kept = [was * old + now * (1 - old) for was, now in zip(given, (mean, var))]
    return c.outputs(made, *kept)


def standardised(x: Any, axes: tuple[int, ...], epsilon: Any) -> tuple[Any, Any, Any]:
    """x without its mean over its deviation; the mean, and one over the deviation."""
    mean = T.mean(x, axis=axes, keepdims=True)
    inverse = T.reciprocal(T.sqrt(T.mean(T.sqr(x - mean), axis=axes, keepdims=True) + epsilon))
    return (x - mean) * inverse, mean, inverse


@on("InstanceNormalization")
def instance_normalised(c: Any, x: Any, scale: Any, bias: Any) -> Any:
    made, _, _ = standardised(x, tuple(range(2, x.ndim)), c.number("epsilon", 1e-5, x))
    return made * spread(scale, 1, x.ndim) + spread(bias, 1, x.ndim)


@on("LayerNormalization")
def layer_normalised(c: Any, x: Any, scale: Any, bias: Any = None) -> Any:
    axes = tuple(range(c.get("axis", -1) % x.ndim, x.ndim))
    made, mean, inverse = standardised(x, axes, c.number("epsilon", 1e-5, x))
    made = T.mul(*aligned(made, scale))
    return c.outputs(made if bias is None else T.add(*aligned(made, bias)), mean, inverse)


@on("GroupNormalization")
def group_normalised(c: Any, x: Any, scale: Any, bias: Any) -> Any:
    groups = c.get("num_groups")
    grouped = T.reshape(x, [length(x, 0), groups, -1], ndim=3)
    made, _, _ = standardised(grouped, (2,), c.number("epsilon", 1e-5, x))
    channels = known_length(x, 1)
    if c.version < 21:
        scale, bias = (T.repeat(v, channels // groups, axis=0) for v in (scale, bias))
    made = T.reshape(made, lengths(x), ndim=x.ndim)
    return made * spread(scale, 1, x.ndim) + spread(bias, 1, x.ndim)


@on("RMSNormalization")
def rms_normalised(c: Any, x: Any, scale: Any) -> Any:
    axes = tuple(range(c.get("axis", -1) % x.ndim, x.ndim))
    return T.mul(
        *aligned(x / T.sqrt(T.mean(x * x, axis=axes, keepdims=True) + c.number("epsilon", 1e-5, x)), scale)
    )


@on("LpNormalization")
def lp_normalised(c: Any, x: Any) -> Any:
    axis = c.get("axis", -1) % x.ndim
    size = T.abs(x) if c.get("p", 2) == 1 else x * x
    total = T.sum(size, axis=axis, keepdims=True)
    total = total if c.get("p", 2) == 1 else T.sqrt(total)
    zero = as_constant(np.zeros((), x.type.dtype))
    return T.switch(T.eq(total, zero), zero, x / total)


@on("MeanVarianceNormalization")
def mean_variance(c: Any, x: Any) -> Any:
    axes = tuple(c.get("axes") or (0, 2, 3))
    centred = x - T.mean(x, axis=axes, keepdims=True)
    deviation = T.sqrt(T.mean(T.sqr(centred), axis=axes, keepdims=True))
    return centred / (deviation + as_constant(np.asarray(1e-9, x.type.dtype)))


@on("LRN")
def local_response(c: Any, x: Any) -> Any:
    """Divided by the squares of the channels around."""
    size = c.get("size")
    before = (size - 1) // 2
    n = known_length(x, 1)
    squares = T.pad(x * x, [(0, 0), (before, size - 1 - before), *[(0, 0)] * (x.ndim - 2)])
    total = at(squares, 1, slice(0, n))
    for k in range(1, size):
        total = total + at(squares, 1, slice(k, k + n))
    weight = as_constant(np.asarray(c.get("alpha", 1e-4) / size, x.type.dtype))
    return x / T.pow(c.number("bias", 1.0, x) + weight * total, c.number("beta", 0.75, x))


@on("Dropout")
def dropout(c: Any, x: Any, ratio: Any = None, training: Any = None) -> Any:
    """Outside of training nothing is dropped."""
    if training is not None and c.version >= 12:
        value, part = known(training), None if ratio is None else known(ratio)
        none_dropped = part is not None and not part.any()
        if not none_dropped and (value is None or value.any()):
            raise Refused("it draws random numbers in training")
    return c.outputs(x, T.ones_like(x, dtype="bool"))


# ----------------------------------------------------------------------------------------------------------- resizing


@on("GridSample")
def grid_sample(c: Any, x: Any, grid: Any) -> Any:
    """Sets before 20 call a linear mean bilinear."""
    mode = c.get("mode", "linear").removeprefix("bi")
    if mode == "cubic":
        raise Refused("cubic means at the places of a grid")
    return sampled(x, grid, mode, c.get("padding_mode", "zeros"), bool(c.get("align_corners", 0)))


@on("Resize", "Upsample")
def resize(c: Any, x: Any, *operands: Any) -> Any:
    """Axis by axis; those whose length stays are left alone where that is known."""
    roi, scales, sizes = (
        (None, *operands, None)[:3] if c.name == "Upsample" else (*operands, None, None, None)[:3]
    )
    if c.name == "Upsample" and c.version < 9:
        scales = as_constant(np.asarray(c.get("scales"), np.float32))
    given = scales if sizes is None else sizes
    axes = c.get("axes")
    axes = list(range(x.ndim)) if axes is None else [a % x.ndim for a in axes]
    goal = _declared(c, x)
    value = known(given)
    parts = [given[k] if value is None else as_constant(value.ravel()[k]) for k in range(len(axes))]
    factors, counts = [], []
    for axis, part in zip(axes, parts):
        n = T.cast(T.as_tensor(length(x, axis)), "float32")
        if sizes is None:
            factors.append(T.cast(part, "float32"))
            counts.append(T.cast(T.floor(n * part), "int64"))
        else:
            factors.append(T.cast(part, "float32") / n)
            counts.append(T.cast(part, "int64"))
    policy = c.get("keep_aspect_ratio_policy", "stretch")
    if sizes is not None and policy != "stretch":
        both = factors[0]
        for f in factors[1:]:
            both = (T.minimum if policy == "not_larger" else T.maximum)(both, f)
        factors = [both for _ in factors]
        counts = [
            T.cast(T.floor(T.cast(T.as_tensor(length(x, a)), "float32") * both + 0.5), "int64") for a in axes
        ]
    for k, axis in enumerate(axes):
        if value is not None and policy == "stretch" and _stays(c, x, axis, value.ravel()[k], sizes is None):
            continue
        n_out: Any = goal[axis] if goal[axis] is not None and policy == "stretch" else counts[k]
        bounds = (
            (0.0, 1.0)
            if roi is None or roi.type.shape == (0,)
            else (T.cast(roi[k], "float32"), T.cast(roi[len(axes) + k], "float32"))
        )
        x = resized(c, x, axis, factors[k], n_out, bounds)
    return x


def _declared(c: Any, x: Any) -> list[Any]:
    """The lengths that the model declares for the result."""
    from eqsat.bridges.onnx.reading import READER
    from eqsat.graph.tensor_type import TensorType

    kind = READER.type_of(c.node.outputs[0])
    return list(kind.shape) if isinstance(kind, TensorType) else [None] * x.ndim


def _stays(c: Any, x: Any, axis: int, value: Any, scaled: bool) -> bool:
    if c.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        return False
    return bool(value == 1) if scaled else length(x, axis) == int(value)


# ------------------------------------------------------------------------------------------------------------ losses


@on("NegativeLogLikelihoodLoss")
def likelihood_loss(c: Any, x: Any, target: Any, weight: Any = None) -> Any:
    return picked_loss(c, x, target, weight)


def picked_loss(c: Any, x: Any, target: Any, weight: Any) -> Any:
    """The weighted means, sums or elements of minus what stands at the targets."""
    ignored = c.get("ignore_index")
    target = T.cast(target, "int64")
    safe = target if ignored is None else T.switch(T.eq(target, ignored), 0, target)
    index = [spread(T.arange(x.shape[0]), 0, target.ndim), safe]
    index += [spread(T.arange(target.shape[a]), a, target.ndim) for a in range(1, target.ndim)]
    picked = -x[tuple(index)]
    each = None if weight is None else weight[safe]
    if ignored is not None:
        inside = T.cast(T.neq(target, ignored), x.type.dtype)
        each = inside if each is None else each * inside
    loss = picked if each is None else picked * each
    kind = c.get("reduction", "mean")
    if kind == "none":
        return loss
    if kind == "sum":
        return T.sum(loss)
    return T.mean(loss) if each is None else T.sum(loss) / T.sum(each)


@on("SoftmaxCrossEntropyLoss")
def cross_entropy(c: Any, x: Any, target: Any, weight: Any = None) -> Any:
    logs = T.log_softmax(x, axis=1)
    return c.outputs(picked_loss(c, logs, target, weight), logs)


# ----------------------------------------------------------------------------------------------------------- windows


def window(name: str, coefficients: tuple[float, ...]) -> None:
    """A window of sums of cosines."""

    @on(name)
    def made(c: Any, size: Any) -> Any:
        from eqsat.bridges.onnx.table import number_type

        n = T.cast(size if size.ndim == 0 else size[0], "float64")
        whole = n if c.get("periodic", 1) else n - 1
        t = T.cast(T.arange(T.cast(n, "int64")), "float64") * (2 * np.pi) / whole
        total = coefficients[0] + 0 * t
        for k, weight in enumerate(coefficients[1:], 1):
            total = total + (-1) ** k * weight * T.cos(k * t)
        return T.cast(total, number_type(c, "output_datatype", "float32"))


window("HannWindow", (0.5, 0.5))
window("HammingWindow", (25 / 46, 21 / 46))
window("BlackmanWindow", (0.42, 0.5, 0.08))
