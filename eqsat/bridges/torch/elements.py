"""Ops of ATen that act element by element; operands are in the dtype that torch promotes them to.

Python's numbers are no tensors: ``alpha``, ``beta`` and bounds take the dtype of the operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import eqsat.tensor as T
from eqsat.bridges.bessel import i0e, i1e
from eqsat.bridges.torch.table import At, common_dtype, comparisons, elements, number, on, to
from eqsat.bridges.translate import Refused
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import COMPLEX, FLOATS, INTEGERS, UNSIGNED

elements(
    acos=T.arccos,
    acosh=T.arccosh,
    asin=T.arcsin,
    asinh=T.arcsinh,
    atan=T.arctan,
    atan2=T.arctan2,
    atanh=T.arctanh,
    bitwise_and=T.and_,
    bitwise_not=T.invert,
    bitwise_or=T.or_,
    bitwise_xor=T.xor,
    ceil=T.ceil,
    copysign=T.copysign,
    cos=T.cos,
    cosh=T.cosh,
    deg2rad=T.deg2rad,
    digamma=T.digamma,
    erf=T.erf,
    erfc=T.erfc,
    erfinv=T.erfinv,
    exp=T.exp,
    exp2=T.exp2,
    expm1=T.expm1,
    floor=T.floor,
    fmax=T.fmax,
    fmin=T.fmin,
    gcd=T.gcd,
    hypot=T.hypot,
    i0=T.i0,
    igamma=T.gammainc,
    igammac=T.gammaincc,
    lcm=T.lcm,
    lgamma=T.gammaln,
    log=T.log,
    log10=T.log10,
    log1p=T.log1p,
    log2=T.log2,
    logaddexp=T.logaddexp,
    maximum=T.maximum,
    minimum=T.minimum,
    neg=T.neg,
    nextafter=T.nextafter,
    rad2deg=T.rad2deg,
    reciprocal=T.reciprocal,
    rsqrt=lambda x: T.reciprocal(T.sqrt(x)),
    sigmoid=T.sigmoid,
    sin=T.sin,
    sinc=T.sinc,
    sinh=T.sinh,
    special_bessel_j0=T.j0,
    special_bessel_j1=T.j1,
    special_erfcx=T.erfcx,
    special_i0e=i0e,
    special_i1=T.i1,
    special_i1e=i1e,
    special_log_ndtr=T.log_ndtr,
    sqrt=T.sqrt,
    tan=T.tan,
    tanh=T.tanh,
    trunc=T.trunc,
    xlogy=T.xlogy,
)
comparisons(
    eq=T.eq,
    ge=T.ge,
    gt=T.gt,
    isfinite=T.isfinite,
    isinf=T.isinf,
    isnan=T.isnan,
    le=T.le,
    lt=T.lt,
    ne=T.neq,
    signbit=T.signbit,
)


def _registered(
    prefix: str, entry: Callable[..., Callable[..., Any]], **functions: Callable[..., Any]
) -> None:
    """Register what a function makes of others, by their names behind a prefix."""
    for name, f in functions.items():
        on(prefix + name)(entry(f))


_registered(
    "logical_",
    lambda f: lambda c, *xs: f(*(to(x, "bool") for x in xs)),
    **{"and": T.and_, "or": T.or_},
    xor=T.xor,
    **{"not": T.invert},
)


@on("alias", "clone", "contiguous", "detach", "lift_fresh", "lift_fresh_copy", "lift", "positive")
def same(c: At, x: Any, **where: Any) -> Any:
    return x


def _scaled(x: Any, factor: Any) -> Any:
    """x times a number of Python."""
    if not isinstance(factor, Variable) and factor == 1:
        return x
    return T.and_(x, number(factor, "bool")) if x.dtype == "bool" else T.mul(x, number(factor, x.dtype))


@on("add", "sub", "rsub", "prims.add", "prims.sub")
def added(c: At, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Truth values are added as ``or``."""
    x, y = to(x, c.dtype), to(y, c.dtype)
    if c.name == "rsub":
        x, y = y, x
        return T.sub(x, _scaled(y, alpha))
    if c.dtype == "bool":
        return T.or_(x, _scaled(y, alpha))
    return (T.add if c.name == "add" else T.sub)(x, _scaled(y, alpha))


@on("mul", "prims.mul")
def multiplied(c: At, x: Any, y: Any) -> Any:
    return (T.and_ if c.dtype == "bool" else T.mul)(to(x, c.dtype), to(y, c.dtype))


@on("div")
def divided(c: At, x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    """The quotient, or the integer near it towards zero or below."""
    x, y = to(x, c.dtype), to(y, c.dtype)
    if rounding_mode is None:
        return T.truediv(x, y)
    if c.dtype in FLOATS:
        return T.trunc(T.truediv(x, y)) if rounding_mode == "trunc" else floor_quotient(x, y)
    down = T.floordiv(x, y)
    if rounding_mode == "floor" or c.dtype in UNSIGNED:
        return down
    zero = number(0, c.dtype)
    short = T.and_(T.neq(T.mul(down, y), x), T.neq(T.lt(x, zero), T.lt(y, zero)))
    return T.add(down, T.cast(short, c.dtype))


def floor_quotient(x: Any, y: Any) -> Any:
    """The quotient rounded down; by zero it is infinite."""
    zero = T.eq(y, number(0, y.dtype))
    return T.switch(zero, T.truediv(x, y), T.floordiv(x, T.switch(zero, number(1, y.dtype), y)))


@on("floor_divide")
def floor_divided(c: At, x: Any, y: Any) -> Any:
    return divided(c, x, y, "floor")


@on("remainder", "fmod")
def left_over(c: At, x: Any, y: Any) -> Any:
    """Of the sign of y, or of x."""
    return (T.mod if c.name == "remainder" else T.fmod)(to(x, c.dtype), to(y, c.dtype))


@on("pow", "float_power", "prims.pow")
def raised(c: At, x: Any, y: Any) -> Any:
    """A square by a number of Python is one multiplication."""
    if (
        not isinstance(y, Variable)
        and not isinstance(y, complex)
        and y in (2, 0.5)
        and isinstance(x, Variable)
    ):
        if y == 2:
            return T.sqr(to(x, c.dtype))
        if c.dtype in FLOATS:
            return T.pow(to(x, c.dtype), number(y, c.dtype))
    return T.pow(to(x, c.dtype), to(y, c.dtype))


@on("abs", "prims.abs")
def absolute(c: At, x: Any) -> Any:
    return x if x.dtype == "bool" else T.abs(x)


@on("sign", "sgn")
def sign(c: At, x: Any) -> Any:
    """Of a complex number the one of length 1 in its direction; of NaN 0 for ``sign``."""
    if x.dtype == "bool":
        return x
    if x.dtype in FLOATS:
        return T.switch(T.isnan(x), number(0, x.dtype), T.sign(x)) if c.name == "sign" else T.sign(x)
    if x.dtype not in COMPLEX:
        return T.sign(x)
    zero, size = T.eq(x, number(0, x.dtype)), T.abs(x)
    return T.switch(
        zero, number(0, x.dtype), x / T.cast(T.switch(zero, number(1, size.dtype), size), x.dtype)
    )


@on("round")
def rounded(c: At, x: Any, decimals: int = 0) -> Any:
    """Halves go to the even neighbour."""
    if x.dtype in INTEGERS:
        return x
    scale = number(10.0 ** abs(decimals), x.dtype)
    if decimals > 0:
        return T.truediv(T.round_half_to_even(T.mul(x, scale)), scale)
    return (
        T.round_half_to_even(x) if decimals == 0 else T.mul(T.round_half_to_even(T.truediv(x, scale)), scale)
    )


@on("where", "prims.where")
def chosen(c: At, condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None:
        raise Refused("the number of places is known at run time alone")
    return T.switch(to(condition, "bool"), to(x, c.dtype), to(y, c.dtype))


@on("masked_fill")
def masked(c: At, x: Any, mask: Any, value: Any) -> Any:
    return T.switch(mask, to(value, c.dtype), to(x, c.dtype))


@on("clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
def clamped(c: At, x: Any, low: Any = None, high: Any = None, **named: Any) -> Any:
    """The upper bound holds where it is below the lower one."""
    low, high = named.get("min", low), named.get("max", high)
    if c.name == "clamp_max":
        low, high = None, low
    if c.name == "hardtanh":
        low, high = -1.0 if low is None else low, 1.0 if high is None else high
    x = to(x, c.dtype)
    x = x if low is None else T.maximum(x, to(low, c.dtype))
    return x if high is None else T.minimum(x, to(high, c.dtype))


@on("relu", "relu6")
def relu(c: At, x: Any) -> Any:
    made = T.maximum(x, number(0, x.dtype))
    return made if c.name == "relu" else T.minimum(made, number(6, x.dtype))


@on("leaky_relu")
def leaky_relu(c: At, x: Any, slope: Any = 0.01) -> Any:
    return T.switch(T.gt(x, number(0, x.dtype)), x, T.mul(x, number(slope, x.dtype)))


@on("elu")
def elu(c: At, x: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    low = T.mul(T.expm1(_scaled(x, input_scale)), number(alpha, x.dtype))
    return _scaled(T.switch(T.gt(x, number(0, x.dtype)), x, low), scale)


@on("gelu")
def gelu(c: At, x: Any, approximate: str = "none") -> Any:
    return T.gelu(x, approximate=approximate != "none")


@on("silu")
def silu(c: At, x: Any) -> Any:
    return T.mul(x, T.sigmoid(x))


@on("softplus")
def softplus(c: At, x: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    """Above the threshold the line itself."""
    scaled = _scaled(x, beta)
    smooth = T.truediv(T.softplus(scaled), number(beta, x.dtype))
    return T.switch(T.gt(scaled, number(threshold, x.dtype)), x, smooth)


@on("logit")
def logit(c: At, x: Any, eps: Any = None) -> Any:
    x = to(x, c.dtype)
    if eps is not None:
        x = T.minimum(T.maximum(x, number(eps, x.dtype)), number(1 - eps, x.dtype))
    return T.log(T.truediv(x, T.sub(number(1, x.dtype), x)))


@on("heaviside")
def heaviside(c: At, x: Any, y: Any) -> Any:
    zero = number(0, x.dtype)
    return T.switch(T.eq(x, zero), y, T.cast(T.gt(x, zero), x.dtype))


@on("nan_to_num")
def nan_to_num(c: At, x: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Not a number and infinite numbers are replaced."""
    if x.dtype not in FLOATS:
        return x
    most = float(np.finfo(x.dtype).max)
    put = lambda where, value, other: T.switch(where, number(value, x.dtype), other)
    low = put(T.eq(x, number(-np.inf, x.dtype)), -most if neginf is None else neginf, x)
    high = put(T.eq(x, number(np.inf, x.dtype)), most if posinf is None else posinf, low)
    return put(T.isnan(x), 0.0 if nan is None else nan, high)


@on("lerp")
def lerp(c: At, x: Any, y: Any, weight: Any) -> Any:
    """Counted from the nearer end."""
    weight = to(weight, c.dtype)
    if c.dtype in COMPLEX:
        return x + weight * (y - x)
    near = T.lt(T.abs(weight), number(0.5, c.dtype))
    return T.switch(near, x + weight * (y - x), y - (y - x) * (number(1, c.dtype) - weight))


@on("addcmul", "addcdiv")
def added_pair(c: At, x: Any, a: Any, b: Any, value: Any = 1) -> Any:
    a, b = to(a, c.dtype), to(b, c.dtype)
    return T.add(to(x, c.dtype), _scaled((T.mul if c.name == "addcmul" else T.truediv)(a, b), value))


@on("polygamma")
def polygamma(c: At, order: int, x: Any) -> Any:
    return T.polygamma(order, to(x, c.dtype))


# ----------------------------------------------------------------------------------------------------- dtypes


@on("_to_copy", "to", "convert_element_type", "prims.convert_element_type", "view_of")
def converted(c: At, x: Any, *more: Any, **named: Any) -> Any:
    return to(x, c.dtype)


@on(
    "real",
    "imag",
    "view_as_complex",
    "view_as_real",
    "complex",
    "polar",
    "conj",
    "_conj",
    "_conj_physical",
    "conj_physical",
    "angle",
)
def complex_parts(c: At, x: Any, y: Any = None) -> Any:
    """Parts of complex numbers, and numbers of parts."""
    if y is not None:
        return T.complex(T.mul(x, T.cos(y)), T.mul(x, T.sin(y))) if c.name == "polar" else T.complex(x, y)
    if c.name == "view_as_complex":
        return T.complex(x[..., 0], x[..., 1])
    if c.name == "view_as_real":
        return T.stack([T.real(x), T.imag(x)], axis=-1)
    if c.name in ("real", "imag"):
        return x if x.dtype not in COMPLEX else (T.real if c.name == "real" else T.imag)(x)
    if c.name == "angle":
        x = to(x, c.dtype) if x.dtype in INTEGERS or x.dtype == "bool" else x
        real = x.dtype not in COMPLEX
        return T.switch(T.isnan(x), x, T.angle(x)) if real else T.angle(x)
    return T.conj(x) if x.dtype in COMPLEX else x


@on("bitwise_left_shift", "bitwise_right_shift", "__lshift__", "__rshift__")
def shifted(c: At, x: Any, y: Any) -> Any:
    left = "left" in c.name or "lshift" in c.name
    return (T.left_shift if left else T.right_shift)(to(x, c.dtype), to(y, c.dtype))


# ------------------------------------------------------------------------------------------ numbers at run time

_registered(
    "python.",
    lambda f: lambda c, *xs: f(*(number(x, common_dtype(x)) for x in xs)),
    abs=T.abs,
    add=T.add,
    and_=T.and_,
    ceil=T.ceil,
    eq=T.eq,
    floor=T.floor,
    floordiv=T.floordiv,
    ge=T.ge,
    gt=T.gt,
    le=T.le,
    lshift=T.left_shift,
    lt=T.lt,
    mod=T.mod,
    mul=T.mul,
    ne=T.neq,
    neg=T.neg,
    or_=T.or_,
    pow=T.pow,
    rshift=T.right_shift,
    sub=T.sub,
    sym_ite=T.switch,
    sym_max=T.maximum,
    sym_min=T.minimum,
    sym_not=T.invert,
    trunc=T.trunc,
    truediv=lambda a, b: T.truediv(T.cast(a, "float64"), T.cast(b, "float64")),
    xor=T.xor,
)
_registered(
    "python._sym_",
    lambda f: lambda c, x: f(number(x, "float64")),
    acos=T.arccos,
    asin=T.arcsin,
    atan=T.arctan,
    cos=T.cos,
    cosh=T.cosh,
    log2=T.log2,
    sin=T.sin,
    sinh=T.sinh,
    sqrt=T.sqrt,
    tan=T.tan,
    tanh=T.tanh,
)


@on("python.sym_sum")
def sum_of_numbers(c: At, xs: Any) -> Any:
    return sum(number(x, c.dtype) for x in xs)


@on("python.sym_float", "python.sym_int")
def number_as(c: At, x: Any) -> Any:
    return T.cast(T.trunc(x) if x.dtype in FLOATS else x, c.dtype)


@on("_local_scalar_dense", "item")
def item(c: At, x: Any) -> Any:
    """The number of a tensor with one element."""
    return T.reshape(x, [], ndim=0)


@on("sym_size", "sym_numel")
def length_of(c: At, x: Any, axis: int | None = None) -> Any:
    """A length, or the number of elements."""
    if axis is not None:
        return T.cast(x.shape[axis % x.ndim], "int64")
    return T.cast(x.size, "int64")


@on(
    "_linalg_check_errors",
    "_assert_scalar",
    "_assert_async",
    "_assert_tensor_metadata",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
)
def asserted(c: At, *more: Any, **named: Any) -> Any:
    """Assertions of torch when it traced: nothing is computed, and a matrix that fails gives NaN."""
    return None


@on("python.with_effects")
def with_effects(c: At, token: Any, function: Any, *more: Any, **named: Any) -> Any:
    """A call that torch orders by a token; a check of matrices computes nothing."""
    if function is not torch.ops.aten._linalg_check_errors.default:
        raise Refused(f"the effect of {function}")
    return [token, *[None] * (c.count - 1)]
