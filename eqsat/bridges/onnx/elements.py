"""Ops of ONNX that act element by element, casts, and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length, spread
from eqsat.bridges.onnx.reading import HELD_AS, as_constant, dtype_of, type_named
from eqsat.bridges.onnx.table import (
    aligned,
    at,
    count_of,
    folded,
    known,
    number_type,
    on,
    over_axes,
    plain,
    raised,
)
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import BOOL, INTEGERS, SIGNED, UNSIGNED

plain(
    Abs=T.abs,
    Acos=T.arccos,
    Acosh=T.arccosh,
    Asin=T.arcsin,
    Asinh=T.arcsinh,
    Atan=T.arctan,
    Atanh=T.arctanh,
    BitwiseNot=T.invert,
    Ceil=T.ceil,
    Cos=T.cos,
    Cosh=T.cosh,
    Erf=T.erf,
    Exp=T.exp,
    Floor=T.floor,
    IsNaN=T.isnan,
    Log=T.log,
    Mish=T.mish,
    Neg=T.neg,
    Not=T.invert,
    Reciprocal=T.reciprocal,
    Relu=lambda x: T.maximum(x, as_constant(np.zeros((), x.type.dtype))),
    Round=T.round_half_to_even,
    Sigmoid=T.sigmoid,
    Sign=T.sign,
    Sin=T.sin,
    Sinh=T.sinh,
    Softplus=T.softplus,
    Softsign=T.softsign,
    Sqrt=T.sqrt,
    Tan=T.tan,
    Tanh=T.tanh,
)
plain(
    Equal=T.eq,
    Greater=T.gt,
    GreaterOrEqual=T.ge,
    Less=T.lt,
    LessOrEqual=T.le,
    Where=T.switch,
)
folded(
    Add=T.add,
    And=T.and_,
    BitwiseAnd=T.and_,
    BitwiseOr=T.or_,
    BitwiseXor=T.xor,
    Max=T.maximum,
    Min=T.minimum,
    Mul=T.mul,
    Or=T.or_,
    Sub=T.sub,
    Sum=T.add,
    Xor=T.xor,
)


@on("Identity")
def identity(c: Any, x: Any) -> Any:
    return [x] if isinstance(x, list) else x


@on("Mean")
def mean_of_many(c: Any, *xs: Any) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = T.add(*aligned(total, x))
    return total / as_constant(np.asarray(len(xs), total.type.dtype))


@on("Div")
def divide(c: Any, a: Any, b: Any) -> Any:
    """Integers are divided towards zero."""
    a, b = aligned(a, b)
    if a.type.dtype not in INTEGERS:
        return T.truediv(a, b)
    quotient = T.floordiv(a, b)
    if a.type.dtype in UNSIGNED:
        return quotient
    inexact = T.and_(T.neq(quotient * b, a), T.xor(a < 0, b < 0))
    return quotient + T.cast(inexact, a.type.dtype)


@on("Mod")
def remainder(c: Any, a: Any, b: Any) -> Any:
    return (T.fmod if c.get("fmod", 0) else T.mod)(*aligned(a, b))


@on("Pow")
def power(c: Any, a: Any, b: Any) -> Any:
    x, y = aligned(a, b)
    return T.cast(T.pow(x, y), a.type.dtype)


@on("BitShift")
def shift(c: Any, a: Any, b: Any) -> Any:
    return (T.left_shift if c.get("direction") == "LEFT" else T.right_shift)(*aligned(a, b))


@on("Clip")
def clip(c: Any, x: Any, low: Any = None, high: Any = None) -> Any:
    """The upper bound holds where it is below the lower one."""
    if c.version < 11:
        low, high = (None if c.get(n) is None else c.number(n, 0, x) for n in ("min", "max"))
    if low is not None:
        x = T.maximum(x, raised(low, x.ndim))
    return x if high is None else T.minimum(x, raised(high, x.ndim))


# ------------------------------------------------------------------------------------------------------ activations


def zero(x: Any) -> Any:
    return as_constant(np.zeros((), x.type.dtype))


def one(x: Any) -> Any:
    return as_constant(np.ones((), x.type.dtype))


@on("LeakyRelu")
def leaky(c: Any, x: Any) -> Any:
    return T.switch(x < 0, x * c.number("alpha", 0.01, x), x)


@on("PRelu")
def parametric(c: Any, x: Any, slope: Any) -> Any:
    x, slope = aligned(x, slope)
    return T.switch(x < 0, x * slope, x)


@on("Elu")
def elu(c: Any, x: Any) -> Any:
    return T.switch(x < 0, c.number("alpha", 1.0, x) * T.expm1(x), x)


@on("Celu")
def celu(c: Any, x: Any) -> Any:
    alpha = c.number("alpha", 1.0, x)
    return T.maximum(x, zero(x)) + T.minimum(alpha * T.expm1(x / alpha), zero(x))


@on("Selu")
def selu(c: Any, x: Any) -> Any:
    alpha, gamma = c.number("alpha", 1.6732632423543772, x), c.number("gamma", 1.0507009873554805, x)
    return gamma * T.switch(x <= 0, alpha * T.expm1(x), x)


@on("ThresholdedRelu")
def thresholded(c: Any, x: Any) -> Any:
    return T.switch(x > c.number("alpha", 1.0, x), x, zero(x))


@on("HardSigmoid")
def hard_sigmoid(c: Any, x: Any) -> Any:
    return T.clip(x * c.number("alpha", 0.2, x) + c.number("beta", 0.5, x), zero(x), one(x))


@on("HardSwish")
def hard_swish(c: Any, x: Any) -> Any:
    return x * T.clip(
        x * as_constant(np.asarray(1 / 6, x.type.dtype)) + c.number("beta", 0.5, x), zero(x), one(x)
    )


@on("Gelu")
def gelu(c: Any, x: Any) -> Any:
    return T.gelu(x, approximate=c.get("approximate", "none") == "tanh")


@on("Swish")
def swish(c: Any, x: Any) -> Any:
    return x * T.sigmoid(c.number("alpha", 1.0, x) * x)


@on("Shrink")
def shrink(c: Any, x: Any) -> Any:
    edge, bias = c.number("lambd", 0.5, x), c.number("bias", 0.0, x)
    return T.switch(x < -edge, x + bias, T.switch(x > edge, x - bias, zero(x)))


@on("IsInf")
def infinite(c: Any, x: Any) -> Any:
    above, below = c.get("detect_positive", 1), c.get("detect_negative", 1)
    if not above and not below:
        return T.and_(T.isinf(x), T.isnan(x))
    kept = T.isinf(x)
    return kept if above and below else T.and_(kept, x > 0 if above else x < 0)


# ------------------------------------------------------------------------------------------------------------ casts


def converted(x: Any, code: int, source: int) -> Any:
    """x in an element type."""
    dtype = dtype_of(code)
    if dtype is None:
        raise Refused(f"a cast to {type_named(code)}")
    if x.type.dtype == dtype:
        return x
    return T.neq(x, 0) if dtype == BOOL else T.cast(x, dtype)


@on("Cast")
def cast(c: Any, x: Any) -> Any:
    return converted(x, c.get("to"), c.node.inputs[0].code)


@on("CastLike")
def cast_like(c: Any, x: Any, like: Any) -> Any:
    return converted(x, c.node.inputs[1].code or c.node.outputs[0].code, c.node.inputs[0].code)


@on("BitCast")
def bits(c: Any, x: Any) -> Any:
    """The same bits as a number of another type of as many."""
    dtype = number_type(c, "to", x.type.dtype)
    types = {c.get("to"), c.node.inputs[0].code}
    if types & set(HELD_AS) or BOOL in (dtype, x.type.dtype):
        raise Refused(f"the bits of {', '.join(sorted(map(type_named, types)))}")
    return x if dtype == x.type.dtype else T.bitcast(x, dtype)


# ------------------------------------------------------------------------------------------------------- reductions


def reduction(name: str, f: Any) -> None:
    """A reduction whose axes are an attribute or an operand."""

    @on(name)
    def reduced(c: Any, x: Any, axes: Any = None) -> Any:
        given = (
            as_constant(np.asarray(c.get("axes"), np.int64))
            if axes is None and c.get("axes") is not None
            else axes
        )
        keep = bool(c.get("keepdims", 1))
        value = None if given is None else known(given)
        if given is None or (value is not None and value.size == 0) or count_of(given, "axes") == 0:
            chosen = () if c.get("noop_with_empty_axes", 0) else tuple(range(x.ndim))
            return kept(x, f(x, chosen), chosen, keep)
        return over_axes(given, x.ndim, lambda a: kept(x, f(x, a), a, keep))


def kept(x: Any, made: Any, axes: tuple[int, ...], keep: bool) -> Any:
    """A reduction with axes of length 1 in the places of those that went."""
    if not keep:
        return made
    rest = iter(range(made.ndim))
    return made.dimshuffle(*("x" if a in axes else next(rest) for a in range(x.ndim)))


def total(x: Any, axes: tuple[int, ...]) -> Any:
    return T.sum(x, axis=axes, dtype=x.type.dtype) if axes else x


def extreme(f: Any, name: str) -> Any:
    """The least or largest element; of none, the number that no element changes."""

    def found(x: Any, axes: tuple[int, ...]) -> Any:
        if not axes:
            return x
        dtype = np.dtype(x.type.dtype)
        if dtype.kind == "b":
            return (T.all if name == "min" else T.any)(x, axis=axes)
        ends = (np.inf, -np.inf) if dtype.kind == "f" else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        return f(x, axis=axes, initial=dtype.type(ends[name == "max"]))

    return found


reduction("ReduceSum", total)
reduction("ReduceMean", lambda x, a: T.cast(T.mean(x, axis=a), x.type.dtype) if a else x)
reduction("ReduceMax", extreme(T.max, "max"))
reduction("ReduceMin", extreme(T.min, "min"))
reduction("ReduceProd", lambda x, a: T.prod(x, axis=a, dtype=x.type.dtype) if a else x)
reduction("ReduceL1", lambda x, a: total(T.abs(x), a))
reduction("ReduceL2", lambda x, a: T.sqrt(total(x * x, a)))
reduction("ReduceSumSquare", lambda x, a: total(x * x, a))
reduction("ReduceLogSum", lambda x, a: T.log(total(x, a)))
reduction("ReduceLogSumExp", lambda x, a: T.logsumexp(x, axis=a) if a else x)


def _best(name: str, f: Any) -> None:
    @on(name)
    def best(c: Any, x: Any) -> Any:
        axis = c.get("axis", 0) % x.ndim
        if c.get("select_last_index", 0):
            found = length(x, axis) - 1 - f(at(x, axis, slice(None, None, -1)), axis=axis)
        else:
            found = f(x, axis=axis)
        found = T.cast(found, "int64")
        return T.expand_dims(found, axis) if c.get("keepdims", 1) else found


_best("ArgMax", T.argmax)
_best("ArgMin", T.argmin)


def _over_axis(name: str, f: Any) -> None:
    """A function of an axis; before version 13, of all axes from one on."""

    @on(name)
    def normalised(c: Any, x: Any) -> Any:
        if c.version >= 13:
            return f(x, axis=c.get("axis", -1) % x.ndim)
        return f(x, axis=tuple(range(c.get("axis", 1) % x.ndim, x.ndim)))


_over_axis("Softmax", T.softmax)
_over_axis("LogSoftmax", T.log_softmax)


@on("Hardmax")
def hardmax(c: Any, x: Any) -> Any:
    axis = c.get("axis", -1) % x.ndim
    best = T.expand_dims(T.argmax(x, axis=axis), axis)
    return T.cast(T.eq(spread(T.arange(x.shape[axis]), axis, x.ndim), best), x.type.dtype)


def _running(name: str, f: Any, neutral: int) -> None:
    @on(name)
    def running(c: Any, x: Any, axis: Any) -> Any:
        def over(axes: tuple[int, ...]) -> Any:
            (a,) = axes
            back = bool(c.get("reverse", 0))
            turned = at(x, a, slice(None, None, -1)) if back else x
            made = T.cast(f(turned, axis=a), x.type.dtype)
            if c.get("exclusive", 0):
                first = T.full_like(at(turned, a, slice(0, 1)), neutral)
                made = T.join(a, first, at(made, a, slice(None, -1)))
            return at(made, a, slice(None, None, -1)) if back else made

        return over_axes(axis, x.ndim, over)


_running("CumSum", T.cumsum, 0)
_running("CumProd", T.cumprod, 1)


# ---------------------------------------------------------------------------------------------------------- products

plain_matmul = on("MatMul")(lambda c, a, b: T.matmul(a, b))


@on("Gemm")
def gemm(c: Any, a: Any, b: Any, bias: Any = None) -> Any:
    a = a.T if c.get("transA", 0) else a
    b = b.T if c.get("transB", 0) else b
    made = T.dot(a, b)
    if c.get("alpha", 1.0) != 1.0:
        made = made * c.number("alpha", 1.0, a)
    if bias is not None:
        bias = bias if c.get("beta", 1.0) == 1.0 else bias * c.number("beta", 1.0, a)
        made = T.add(*aligned(made, bias))
    return made


on("Einsum")(lambda c, *xs: T.einsum(c.get("equation").replace(" ", ""), *xs))
on("Det")(lambda c, x: T.linalg.det(x))


def signed(dtype: str) -> bool:
    return dtype in SIGNED
