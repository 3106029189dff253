"""Primitives that work on each element, as functions of eqsat.

A primitive with the name of an elementwise op is that op; ``SPELLED`` has those with other names, and functions below those that need
more than their operands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import numpy as np

import eqsat.tensor as T
from eqsat.bridges.bessel import i0e, i1e
from eqsat.bridges.jax.reading import is_key
from eqsat.bridges.translate import Entry, Refused, Table
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import COMPLEX, INTEGERS


class JaxTable(Table):
    """The primitives of JAX. An entry that is registered with ``keys=True`` takes keys of generators as their words; others move
    elements, and are applied to each word of the keys."""

    def on(self, *names: str, keys: bool = False) -> Callable[[Entry], Entry]:
        def register(entry: Entry) -> Entry:
            super(JaxTable, self).on(*names)(entry if keys else word_by_word(entry))
            return entry

        return register


def word_by_word(entry: Entry) -> Entry:
    """An entry for arrays of numbers as one for arrays of keys, too, which have the axis of their words more."""

    @wraps(entry)
    def applied(t: Any, op: Any, node: Any, *operands: Any) -> Any:
        keys = [is_key(getattr(v.aval, "dtype", bool)) for v in node.inputs]
        if not any(keys):
            return entry(t, op, node, *operands)
        if not all(is_key(v.aval.dtype) for v in node.outputs):
            raise Refused("numbers made of keys")
        count = next(x.type.shape[-1] for x, key in zip(operands, keys, strict=True) if key)
        made = []
        for k in range(count):
            words = (x[..., k] if key else x for x, key in zip(operands, keys, strict=True))
            found = entry(t, op, node, *words)
            made.append(found if isinstance(found, (list, tuple)) else [found])
        return [T.stack(words, axis=-1) for words in zip(*made, strict=True)]

    return applied


TABLE = JaxTable()

SPELLED: dict[str, Callable[..., Any]] = {
    "acos": T.arccos,
    "acosh": T.arccosh,
    "add_any": T.add,
    "asin": T.arcsin,
    "asinh": T.arcsinh,
    "atan": T.arctan,
    "atan2": T.arctan2,
    "atanh": T.arctanh,
    "bessel_i0e": i0e,
    "bessel_i1e": i1e,
    "erf_inv": T.erfinv,
    "igamma": T.gammainc,
    "igammac": T.gammaincc,
    "is_finite": T.isfinite,
    "lgamma": T.gammaln,
    "logistic": T.sigmoid,
    "ne": T.neq,
    "nextafter": T.nextafter,
    "not": T.invert,
    "regularized_incomplete_beta": T.betainc,
    "rsqrt": lambda x: T.reciprocal(T.sqrt(x)),
    "square": T.sqr,
}


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda t, op, node, *operands: function(*operands)


for _name, _declared in OPS.items():
    if _declared.kind == "elemwise":
        _function = getattr(T, _name, None) or getattr(T, f"{_name}_", None)
        if _function is not None:
            TABLE.on(_name)(_named(_function))
for _name, _function in SPELLED.items():
    TABLE.on(_name)(_named(_function))

TABLE.on("copy", "copy_p", "name", "pvary", "sharding_constraint", "stop_gradient")(lambda t, op, node, x: x)
TABLE.on("optimization_barrier", "device_put")(lambda t, op, node, *operands: list(operands))


def number(value: Any, like: Any) -> Any:
    """A number in the dtype of a variable."""
    return np.asarray(value, like.dtype)


def spread(v: Any, rank: int) -> Any:
    """A scalar as a tensor of a rank, and any other as it is."""
    return v.dimshuffle(*["x"] * rank) if v.ndim == 0 and rank else v


@TABLE.on("max", "min")
def extreme(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """Complex numbers are compared by real parts, and by imaginary parts where these are equal."""
    function = T.maximum if op.op_name == "max" else T.minimum
    if x.dtype not in COMPLEX:
        return function(x, y)
    compare = T.gt if op.op_name == "max" else T.lt
    same = T.eq(T.real(x), T.real(y))
    first = T.switch(same, compare(T.imag(x), T.imag(y)), compare(T.real(x), T.real(y)))
    return T.switch(first, x, y)


@TABLE.on("sign")
def sign(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Of a complex number the one of length 1 in its direction."""
    if x.dtype not in COMPLEX:
        return T.sign(x)
    zero = T.eq(x, number(0, x))
    length = T.abs(x)
    return T.switch(zero, number(0, x), x / T.cast(T.switch(zero, number(1, length), length), x.dtype))


@TABLE.on("div")
def quotient(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """Integers are rounded to zero; by zero they give -1, as the machine does."""
    if x.dtype not in INTEGERS:
        return T.truediv(x, y)
    zero = T.eq(y, number(0, y))
    y = T.switch(zero, number(1, y), y)
    down = T.floordiv(x, y)
    short = T.and_(T.neq(down * y, x), T.neq(T.lt(x, number(0, x)), T.lt(y, number(0, y))))
    return T.switch(zero, T.invert(T.zeros_like(x)), down + T.cast(short, x.dtype))


@TABLE.on("rem")
def remainder(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """The sign is that of x; an integer modulo zero is x."""
    if x.dtype not in INTEGERS:
        return T.fmod(x, y)
    zero = T.eq(y, number(0, y))
    return T.switch(zero, x, T.fmod(x, T.switch(zero, number(1, y), y)))


@TABLE.on("pow")
def power(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    return T.pow(x, y if y.dtype == x.dtype else T.cast(y, x.dtype))


@TABLE.on("integer_pow")
def integer_power(t: Any, op: Any, node: Any, x: Any) -> Any:
    n = op.params["y"]
    if n < 0 and x.dtype in INTEGERS:
        raise Refused("a negative power of an integer")
    raised = T.pow(x, number(abs(n), x))
    return raised if n >= 0 else T.reciprocal(raised)


@TABLE.on("round")
def rounded(t: Any, op: Any, node: Any, x: Any) -> Any:
    even = op.params["rounding_method"] == jax.lax.RoundingMethod.TO_NEAREST_EVEN
    return (T.round_half_to_even if even else T.round_half_away_from_zero)(x)


@TABLE.on("clamp")
def clamp(t: Any, op: Any, node: Any, low: Any, x: Any, high: Any) -> Any:
    return T.minimum(T.maximum(x, spread(low, x.ndim)), spread(high, x.ndim))


@TABLE.on("select_n")
def select(t: Any, op: Any, node: Any, which: Any, *cases: Any) -> Any:
    which = spread(which, cases[0].ndim)
    if which.dtype == "bool":
        return T.switch(which, cases[1], cases[0]) if len(cases) > 1 else cases[0]
    out = cases[-1]
    for k in range(len(cases) - 2, -1, -1):
        out = T.switch(T.eq(which, number(k, which)), cases[k], out)
    return out


@TABLE.on("convert_element_type")
def convert(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Of a complex number the real part; anything but 0 is true."""
    dtype = t.reader.type_of(node.outputs[0]).dtype
    if x.dtype in COMPLEX and dtype not in COMPLEX:
        x = T.neq(x, number(0, x)) if dtype == "bool" else T.real(x)
    return T.cast(x, dtype)


# ----------------------------------------------------------------------------------------------------------- bits


def unsigned(x: Any) -> Any:
    """The bits of an integer as a number without sign."""
    return x if x.dtype.startswith("u") else T.cast(x, f"u{x.dtype}")


@TABLE.on("shift_left")
def shift_left(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """Nothing is left of a number that is moved by as many places as it has."""
    return T.left_shift(x, y)


@TABLE.on("shift_right_logical")
def shift_right(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    return T.cast(T.right_shift(unsigned(x), unsigned(y)), x.dtype)


@TABLE.on("shift_right_arithmetic")
def shift_signed(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """The sign fills from above."""
    return T.right_shift(x, y)


@TABLE.on("population_count")
def population_count(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.cast(T.bit_count(x), x.dtype)


@TABLE.on("clz")
def leading_zeros(t: Any, op: Any, node: Any, x: Any) -> Any:
    """The places that are left when the highest bit has filled all below it."""
    bits, width, step = unsigned(x), width_of(x.dtype), 1
    while step < width:
        bits = T.or_(bits, T.right_shift(bits, number(step, bits)))
        step *= 2
    return T.cast(number(width, x) - T.cast(T.bit_count(bits), x.dtype), x.dtype)


def width_of(dtype: str) -> int:
    """The bits of a dtype."""
    return int(np.dtype(dtype).itemsize) * 8


@TABLE.on("bitcast_convert_type")
def bitcast(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Numbers of another width have one axis more, or one less; the lowest bits stand first."""
    dtype = t.reader.type_of(node.outputs[0]).dtype
    if x.dtype in COMPLEX or dtype in COMPLEX or "bool" in (x.dtype, dtype):
        raise Refused("the bits of complex numbers or truth values")
    old, new = width_of(x.dtype), width_of(dtype)
    if old == new:
        return T.bitcast(x, dtype)
    words = T.bitcast(x, f"uint{old}")
    if old > new:
        places = np.arange(0, old, new, dtype=words.dtype)
        parts = T.right_shift(words.dimshuffle(*range(x.ndim), "x"), places)
        return T.bitcast(T.cast(parts, f"uint{new}"), dtype)
    places = np.arange(0, new, old, dtype=f"uint{new}")
    moved = T.left_shift(T.cast(words, f"uint{new}"), places)
    return T.bitcast(T.sum(moved, axis=-1, dtype=f"uint{new}"), dtype)


@TABLE.on("reduce_precision")
def reduced_precision(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Rounded to fewer bits, halves to even; beyond the largest number infinity, below the smallest zero."""
    info, width = np.finfo(x.dtype), width_of(x.dtype)
    word, kept = f"uint{width}", int(op.params["mantissa_bits"])
    exponent = int(op.params["exponent_bits"])
    bits = T.bitcast(x, word)
    sign = T.and_(bits, np.asarray(1 << (width - 1), word))
    lost = info.nmant - kept
    if lost > 0:
        last = T.and_(T.right_shift(bits, np.asarray(lost, word)), np.asarray(1, word))
        bits = bits + last + np.asarray((1 << (lost - 1)) - 1, word)
        bits = T.and_(bits, np.asarray((1 << width) - (1 << lost), word))
    if exponent < info.nexp:
        middle, reach = (1 << (info.nexp - 1)) - 1, (1 << (exponent - 1)) - 1
        size = T.and_(bits, np.asarray(((1 << info.nexp) - 1) << info.nmant, word))
        infinite = T.or_(sign, np.asarray(((1 << info.nexp) - 1) << info.nmant, word))
        bits = T.switch(T.gt(size, np.asarray((middle + reach) << info.nmant, word)), infinite, bits)
        bits = T.switch(T.le(size, np.asarray((middle - reach) << info.nmant, word)), sign, bits)
    return T.switch(T.isnan(x), x, T.bitcast(bits, x.dtype))
