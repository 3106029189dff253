"""Writers of ops of ONNX that neither the table of the import nor a declaration tells: ops with parameters, and ops that move elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.onnx.spellings import number
from eqsat.bridges.onnx.writing import Writer, code_of, spelled, writes
from eqsat.bridges.translate import Refused
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import BOOL, FLOATS, UNSIGNED
from eqsat.graph.ops.conv import padding
from eqsat.graph.ops.gather import gather_layout
from eqsat.graph.ops.index import bound_entries

FAR = np.iinfo(np.int64).max


# --------------------------------------------------------------------------------------------------------- elements


@writes("truediv")
def quotient(w: Writer, node: Any, x: str, y: str) -> str:
    return w.emit("Div", x, y)


@writes("pow")
def power(w: Writer, node: Any, x: str, y: str) -> str:
    return w.emit("Pow", x, y)


@writes("cast")
def cast(w: Writer, node: Any, x: str) -> str:
    dtype = node.op.params["dtype"]
    return w.emit("Cast", x, dtype=dtype, to=code_of(dtype))


@writes("fmod")
def fmod(w: Writer, node: Any, x: str, y: str) -> str:
    return w.emit("Mod", x, y, fmod=1)


@writes("isinf")
def infinite(w: Writer, node: Any, x: str) -> str:
    return w.emit("IsInf", x, dtype=BOOL)


@writes("fill")
def fill(w: Writer, node: Any, x: str, y: str) -> str:
    return w.emit("Expand", y, w.emit("Shape", x, dtype="int64"))


@writes("mod")
def modulo(w: Writer, node: Any, x: str, y: str) -> str:
    """The sign is that of y; the Mod of ONNX is that for integers alone."""
    if w.dtypes[x] not in FLOATS:
        return w.emit("Mod", x, y)
    rest = w.emit("Mod", x, y, fmod=1)
    zero = w.constant(0, w.dtypes[x])
    signs = [w.emit("Less", v, zero, dtype=BOOL) for v in (rest, y)]
    other = w.emit("And", w.emit("Xor", *signs), w.emit("Not", w.emit("Equal", rest, zero, dtype=BOOL)))
    return w.emit("Where", other, w.emit("Add", rest, y), rest, dtype=w.dtypes[x])


@writes("floordiv")
def floor_quotient(w: Writer, node: Any, x: str, y: str) -> str:
    """Without its remainder, x is divided without a rest."""
    found = w.emit("Div", w.emit("Sub", x, modulo(w, node, x, y)), y)
    return w.emit("Round", found) if w.dtypes[x] in FLOATS else found


@writes("left_shift", "right_shift")
def shift(w: Writer, node: Any, x: str, y: str) -> str:
    if w.dtypes[x] not in UNSIGNED:
        raise Refused("BitShift of ONNX takes unsigned integers")
    return w.emit("BitShift", x, y, direction=node.op.name.split("_")[0].upper())


spelled("sqr")(lambda node, x: x * x)
spelled("neq")(lambda node, x, y: T.invert(T.eq(x, y)))
spelled("clip")(lambda node, x, low, high: T.minimum(T.maximum(x, low), high))
spelled("multiple")(lambda node, x, n: T.mul(x, T.cast(n, x.dtype)))
spelled("isfinite")(lambda node, x: T.invert(T.or_(T.isnan(x), T.isinf(x))))
spelled("trunc")(lambda node, x: T.sign(x) * T.floor(T.abs(x)))
spelled("expm1")(lambda node, x: T.tanh(x * number(0.5, x)) * (T.exp(x) + number(1, x)))
spelled("exp2")(lambda node, x: T.pow(number(2, x), x))
spelled("log2")(lambda node, x: T.log(x) * number(1 / log(2), x))
spelled("log10")(lambda node, x: T.log(x) * number(1 / log(10), x))
spelled("cbrt")(lambda node, x: T.sign(x) * T.pow(T.abs(x), number(1 / 3, x)))
spelled("xlogy")(lambda node, x, y: T.switch(T.eq(x, number(0, x)), number(0, x), x * T.log(y)))
spelled("erfc")(lambda node, x: number(1, x) - T.erf(x))
spelled("ndtr")(lambda node, x: number(0.5, x) * (number(1, x) + T.erf(x * number(sqrt(0.5), x))))


@spelled("log1p")
def log_one_plus(node: Any, x: Any) -> Any:
    """The digits that 1 + x loses are those that its own rounding error tells: Kahan's form."""
    one = number(1, x)
    u = x + one
    far = T.or_(T.eq(u, one), T.isinf(u))
    return T.switch(far, T.minimum(x, u), T.log(u) * (x / T.switch(far, one, u - one)))


@spelled("log1mexp")
def log_one_less_exp(node: Any, x: Any) -> Any:
    """By either function where it keeps the digits: Maechler 2012."""
    return T.switch(T.gt(x, number(-log(2), x)), T.log(T.neg(T.expm1(x))), T.log1p(T.neg(T.exp(x))))


# ------------------------------------------------------------------------------------------------------- reductions

BY_OPERATOR = {"+": "ReduceSum", "*": "ReduceProd", "max": "ReduceMax", "min": "ReduceMin"}
REDUCED = {
    d.name: BY_OPERATOR[d.reduction.openmp]
    for d in OPS.values()
    if d.kind == "reduce" and d.reduction is not None and d.reduction.openmp in BY_OPERATOR
}


@writes(*REDUCED)
def reduced(w: Writer, node: Any, x: str) -> str:
    return _over(w, REDUCED[node.op.name], x, node.op.params["axes"])


@writes("logsumexp")
def log_of_sums(w: Writer, node: Any, x: str) -> str:
    return _over(w, "ReduceLogSumExp", x, node.op.params["axes"])


def _over(w: Writer, op: str, x: str, axes: Sequence[int]) -> str:
    """A reduction that keeps its axes; over none it is the operand."""
    return w.emit(op, x, w.constant(axes), keepdims=1) if len(axes) else x


@writes("all", "any")
def truth(w: Writer, node: Any, x: str) -> str:
    """The least or largest of integers that are 0 and 1."""
    true = x if w.dtypes[x] == BOOL else w.emit("Cast", x, dtype=BOOL, to=code_of(BOOL))
    whole = w.emit("Cast", true, dtype="int32", to=code_of("int32"))
    found = _over(w, "ReduceMin" if node.op.name == "all" else "ReduceMax", whole, node.op.params["axes"])
    return w.emit("Cast", found, dtype=BOOL, to=code_of(BOOL))


@spelled("count")
def count(node: Any, x: Any) -> Any:
    return T.sum(T.ones_like(x), axis=node.op.params["axes"], keepdims=True, dtype=x.dtype)


@writes("argmax", "argmin")
def place(w: Writer, node: Any, x: str) -> str:
    """The place among the elements of all axes, which are made one."""
    axes, rank = list(node.op.params["axes"]), node.inputs[0].ndim
    op = {"argmax": "ArgMax", "argmin": "ArgMin"}[node.op.name]
    if len(axes) == 1:
        return w.emit(op, x, dtype="int64", axis=axes[0], keepdims=1)
    rest = [a for a in range(rank) if a not in axes]
    flat = w.emit("Reshape", w.emit("Transpose", x, perm=[*rest, *axes]), w.constant([0] * len(rest) + [-1]))
    return w.emit("Unsqueeze", w.emit(op, flat, dtype="int64", axis=-1, keepdims=0), w.constant(axes))


@spelled("max_and_argmax")
def best(node: Any, x: Any) -> Any:
    axes = node.op.params["axes"]
    axis = axes[0] if len(axes) == 1 else None
    if axis is None and len(axes) != x.ndim:
        raise Refused("places over some of several axes")
    return [T.max(x, axis=axes, keepdims=True), T.argmax(x, axis=axis, keepdims=True)]


@writes("softmax", "log_softmax")
def softmax(w: Writer, node: Any, x: str) -> str:
    """Over several axes, which are made the last one."""
    axes, rank = list(node.op.params["axes"]), node.inputs[0].ndim
    op = {"softmax": "Softmax", "log_softmax": "LogSoftmax"}[node.op.name]
    if len(axes) == 1:
        return w.emit(op, x, axis=axes[0])
    order = [*(a for a in range(rank) if a not in axes), *axes]
    turned = w.emit("Transpose", x, perm=order)
    flat = w.emit("Reshape", turned, w.constant([0] * (rank - len(axes)) + [-1]))
    whole = w.emit("Reshape", w.emit(op, flat, axis=-1), w.emit("Shape", turned, dtype="int64"))
    return w.emit("Transpose", whole, perm=[order.index(a) for a in range(rank)])


@writes("cumsum")
def running(w: Writer, node: Any, x: str) -> str:
    return w.emit("CumSum", x, w.constant(node.op.params["axis"]))


@writes("sort", "argsort")
def ordered(w: Writer, node: Any, x: str) -> str:
    """All elements, the least first."""
    axis = node.op.params["axis"]
    n = w.emit("Shape", x, dtype="int64", start=axis, end=axis + 1)
    values, places = w.emit("TopK", x, n, count=2, axis=axis, largest=0, sorted=1)
    w.dtypes[places] = "int64"
    return str(values if node.op.name == "sort" else places)


# ----------------------------------------------------------------------------------------------------------- shapes


@writes("dimshuffle")
def dimshuffle(w: Writer, node: Any, x: str) -> str:
    """Axes of length 1 go, the others are put in order, new ones come."""
    pattern, rank = node.op.params["pattern"], node.inputs[0].ndim
    kept = [a for a in pattern if a != "x"]
    dropped = [a for a in range(rank) if a not in kept]
    if dropped:
        x = w.emit("Squeeze", x, w.constant(dropped))
    places = [sorted(kept).index(a) for a in kept]
    if places != sorted(places):
        x = w.emit("Transpose", x, perm=places)
    new = [k for k, a in enumerate(pattern) if a == "x"]
    return w.emit("Unsqueeze", x, w.constant(new)) if new else x


@writes("reshape")
def reshape(w: Writer, node: Any, x: str, shape: str) -> str:
    return w.emit("Reshape", x, shape, allowzero=1)


def vector(w: Writer, numbers: Sequence[str]) -> str:
    """Numbers of one dtype as a vector."""
    if not numbers:
        return w.constant(np.zeros(0))
    parts = [w.emit("Unsqueeze", n, w.constant([0])) for n in numbers]
    return w.emit("Concat", *parts, axis=0) if len(parts) > 1 else parts[0]


writes("make_vector")(lambda w, node, *numbers: vector(w, numbers))
writes("alloc")(lambda w, node, x, *lengths: w.emit("Expand", x, vector(w, lengths)) if lengths else x)


@writes("length")
def length(w: Writer, node: Any, x: str) -> str:
    axis = node.op.params["axis"]
    return w.emit("Squeeze", w.emit("Shape", x, dtype="int64", start=axis, end=axis + 1), w.constant([0]))


@writes("concatenate")
def join(w: Writer, node: Any, *xs: str) -> str:
    return w.emit("Concat", *xs, axis=node.op.params["axis"])


@writes("arange")
def arange(w: Writer, node: Any, start: str, stop: str, step: str) -> str:
    return w.emit("Range", start, stop, step)


# ----------------------------------------------------------------------------------------------------- parts, writes


@writes("subtensor")
def part(w: Writer, node: Any, x: str, *scalars: str) -> str:
    return _part(w, x, node.op.params["pattern"], scalars)


def _part(w: Writer, x: str, pattern: Sequence[Any], scalars: Sequence[str]) -> str:
    """A slice on the axes that have one, then one element of those that have a number."""
    entries = bound_entries(pattern, scalars)
    cut = [(a, e) for a, e in enumerate(entries) if e[0] == "slice" and e[1:] != (None, None, None)]
    if cut:
        steps = [1 if e[3] is None else e[3] for _, e in cut]
        back = [isinstance(k, int) and k < 0 for k in steps]
        if any(isinstance(k, str) and None in e[1:3] for k, (_, e) in zip(steps, cut, strict=True)):
            raise Refused("a slice to its end whose step is known at run time alone")
        starts = [e[1] if e[1] is not None else FAR if b else 0 for (_, e), b in zip(cut, back, strict=True)]
        stops = [
            e[2] if e[2] is not None else -FAR if b else FAR for (_, e), b in zip(cut, back, strict=True)
        ]
        given = [_numbers(w, v) for v in (starts, stops, [a for a, _ in cut], steps)]
        x = w.emit("Slice", x, *given)
    for axis, entry in reversed(list(enumerate(entries))):
        if entry[0] == "int":
            i = w.constant(entry[1]) if isinstance(entry[1], int) else entry[1]
            x = w.emit("Gather", x, i, axis=axis)
    return x


def _numbers(w: Writer, values: Sequence[Any]) -> str:
    """A vector of numbers, some of which are computed."""
    if all(isinstance(v, int) for v in values):
        return w.constant(values)
    return vector(w, [w.constant(v) if isinstance(v, int) else v for v in values])


writes("nonzero")(lambda w, node, x, *lengths: w.emit("NonZero", x, dtype="int64"))


@writes("gather")
def gather(w: Writer, node: Any, x: str, *indices: str) -> str:
    return _picked(w, x, node.op.params["pattern"], indices, node.inputs[1].ndim)


def _picked(w: Writer, x: str, pattern: Sequence[int], indices: Sequence[str], rank: int) -> str:
    """Elements picked by index arrays of a rank; their axes come where NumPy puts them."""
    picked = [a for a, p in enumerate(pattern) if p >= 0]
    if len(picked) == 1:
        return w.emit("Gather", x, indices[pattern[picked[0]]], axis=picked[0])
    place, whole = gather_layout(pattern)
    zero = w.constant(0)
    wide = indices[0]
    for i in indices[1:]:
        wide = w.emit("Add", wide, i)
    wide = w.emit("Mul", wide, zero)
    last = w.constant([rank])
    columns = [w.emit("Unsqueeze", w.emit("Add", indices[pattern[a]], wide), last) for a in picked]
    found = w.emit(
        "GatherND", w.emit("Transpose", x, perm=[*picked, *whole]), w.emit("Concat", *columns, axis=rank)
    )
    rest = range(rank, rank + len(whole))
    order = [*rest[:place], *range(rank), *rest[place:]]
    return w.emit("Transpose", found, perm=order) if order != sorted(order) else found


def places(w: Writer, x: str) -> tuple[str, str]:
    """For each element of a tensor its place in row-major order, and the shape."""
    shape = w.emit("Shape", x, dtype="int64")
    count = w.emit("Range", w.constant(0), w.emit("Size", x, dtype="int64"), w.constant(1))
    return w.emit("Reshape", count, shape, allowzero=1), shape


def _written(w: Writer, x: str, shape: str, at: str, y: str, add: bool) -> str:
    """x with y, which broadcasts, in some places of its elements, or added there."""
    flat = w.constant([-1])
    value = w.emit("Expand", y, w.emit("Shape", at, dtype="int64"))
    given = [w.emit("Reshape", v, flat) for v in (x, at, value)]
    made = w.emit("ScatterElements", *given, axis=0, reduction="add" if add else "none")
    return w.emit("Reshape", made, shape, allowzero=1)


@writes("set_part")
def set_part(w: Writer, node: Any, x: str, y: str, *scalars: str) -> str:
    whole, shape = places(w, x)
    return _written(
        w, x, shape, _part(w, whole, node.op.params["pattern"], scalars), y, bool(node.op.params["add"])
    )


@writes("scatter")
def scatter(w: Writer, node: Any, x: str, y: str, *indices: str) -> str:
    whole, shape = places(w, x)
    at = _picked(w, whole, node.op.params["pattern"], indices, node.inputs[2].ndim)
    return _written(w, x, shape, at, y, bool(node.op.params["add"]))


@writes("set_rows")
def set_rows(w: Writer, node: Any, x: str, y: str, i: str) -> str:
    whole, shape = places(w, x)
    return _written(w, x, shape, w.emit("Gather", whole, i, axis=0), y, False)


@writes("add_rows")
def add_rows(w: Writer, node: Any, x: str, a: str, y: str, i: str) -> str:
    whole, shape = places(w, x)
    return _written(w, x, shape, w.emit("Gather", whole, i, axis=0), w.emit("Mul", a, y), True)


@writes("first_rows")
def first_rows(w: Writer, node: Any, x: str, n: str) -> str:
    return w.emit("Slice", x, w.constant([0]), vector(w, [n]), w.constant([0]))


# --------------------------------------------------------------------------------------------------------- products


@writes("dot", "matmul", "batched_dot", "rows_dot")
def product(w: Writer, node: Any, x: str, y: str) -> str:
    return w.emit("MatMul", x, y)


spelled("sum_dots")(lambda node, x, y: T.sum(T.batched_dot(x, y), axis=0))
writes("det")(lambda w, node, x: w.emit("Det", x))


@writes("conv")
def convolution(w: Writer, node: Any, x: str, kernel: str) -> str:
    """The kernel is turned where the convolution is one, as in signal processing."""
    p, (images, filters) = node.op.params, (v.type.shape for v in node.inputs)
    size = filters[2:]
    if isinstance(p["border"], str) and None in size:
        raise Refused("a kernel whose lengths are known at run time alone")
    if not p["groups"] and None in (images[1], filters[1]):
        raise Refused("a number of channels that is known at run time alone")
    groups = p["groups"] or max(1, images[1] // max(filters[1], 1))
    if p["flip"]:
        turn = [("slice", None, None, None)] * 2 + [("slice", None, None, -1)] * len(size)
        kernel = _part(w, kernel, turn, ())
    pads = [padding(p["border"], a, k or 0, p["dilation"][a]) for a, k in enumerate(size)]
    ends = [int(pair[side]) for side in (0, 1) for pair in pads]
    return w.emit(
        "Conv",
        x,
        kernel,
        pads=ends,
        strides=list(p["strides"]),
        dilations=list(p["dilation"]),
        group=int(groups),
    )


@writes("pool_max", "pool_sum")
def pool(w: Writer, node: Any, x: str) -> str:
    """Windows over the last axes; those before become two."""
    p, rank = node.op.params, node.inputs[0].ndim
    largest, lead = node.op.name == "pool_max", rank - len(p["window"])
    if p["partial"] and (not largest or any(p["pads"])):
        raise Refused("windows that reach beyond the end")
    shape = w.emit("Shape", x, dtype="int64")
    ends = w.emit("Shape", x, dtype="int64", start=lead)
    flat = x if lead == 2 else w.emit("Reshape", x, w.emit("Concat", w.constant([1, -1]), ends, axis=0))
    options: dict[str, Any] = {
        "kernel_shape": list(p["window"]),
        "strides": list(p["strides"]),
        "pads": [*p["pads"]] * 2,
        "ceil_mode": int(p["partial"]),
    }
    if largest:
        made = w.emit("MaxPool", flat, **options)
    else:
        mean = w.emit("AveragePool", flat, count_include_pad=1, **options)
        made = w.emit("Mul", mean, w.constant(np.prod(p["window"]), w.dtypes[x]))
    if lead == 2:
        return str(made)
    first = w.emit("Slice", shape, w.constant([0]), w.constant([lead]))
    return w.emit(
        "Reshape", made, w.emit("Concat", first, w.emit("Shape", made, dtype="int64", start=2), axis=0)
    )
