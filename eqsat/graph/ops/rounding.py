"""Rounding, remainders that follow the dividend, signs and shifts of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.ops.elemwise import _number, _zero, eq, exp, pow, switch


def _rounds(x: Any) -> bool:
    return bool(x.dtype.kind == "f")


@elemwise(
    c={"float": "trunc{f}({x})", "else": "({x})"},
    grad=lambda x, dy: _zero(x),
    monotone="nondecreasing",
    parity="odd",
    whole="kept",
)
def trunc(x: Any) -> Any:
    """x without its fraction, in x's dtype."""
    return np.trunc(x) if _rounds(x) else x


@elemwise(
    c={"float": "rint{f}({x})", "else": "({x})"},
    grad=lambda x, dy: _zero(x),
    monotone="nondecreasing",
    parity="odd",
    whole="kept",
)
def round_half_to_even(x: Any) -> Any:
    """Nearest integer in x's dtype; halves go to the even neighbour, as in NumPy."""
    return np.rint(x) if _rounds(x) else x


@elemwise(
    c={"float": "round{f}({x})", "else": "({x})"},
    grad=lambda x, dy: _zero(x),
    monotone="nondecreasing",
    parity="odd",
    whole="kept",
)
def round_half_away_from_zero(x: Any) -> Any:
    """Nearest integer in x's dtype; halves go away from zero."""
    if not _rounds(x):
        return x
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.asarray(1, x.dtype), x), whole)


@elemwise(
    c="(rint{f}({x} * {y}) / {y})",
    signature="f,f->f",
    grad=lambda x, y, dy: (_zero(x), -dy * round_to_parts(x, y) / y),
)
def round_to_parts(x: Any, y: Any) -> Any:
    """The nearest of the parts of 1 that a count of them makes, as of tenths: a quotient, as in NumPy, and no product with a tenth."""
    return np.rint(x * y) / y


@elemwise(
    c="(rint{f}({x} / {y}) * {y})",
    signature="f,f->f",
    grad=lambda x, y, dy: (_zero(x), dy * round_half_to_even(x / y)),
)
def round_to_multiples(x: Any, y: Any) -> Any:
    """The nearest multiple of a number."""
    return np.rint(x / y) * y


@elemwise(
    c={"int": "eq_fmod_i__{T}({x}, {y})", "uint": "eq_fmod_u__{T}({x}, {y})", "float": "fmod{f}({x}, {y})"},
    signature="n,n->n",
    of_bools="int8",
    grad=lambda x, y, dy: (dy, -dy * trunc(x / y)),
    cost=Cost(flops=115, vector=False),
    poles=("y",),
)
def fmod(x: Any, y: Any) -> Any:
    """Remainder with the sign of the dividend, as in C; an integer modulo zero gives 0."""
    return np.fmod(x, y)


@elemwise(
    c={"int": "({x} < 0)", "else": "0", "float": "(signbit({x}) != 0)"}, signature="t->?", image=(0.0, 1.0)
)
def signbit(x: Any) -> Any:
    """True where the sign is minus: below zero, and for -0.0."""
    return np.signbit(x) if _rounds(x) else np.less(x, 0)


def _copysign_grad(x: Any, y: Any, dy: Any) -> tuple[Any, Any]:
    return switch(eq(signbit(x), signbit(y)), dy, -dy), _zero(y)


@elemwise(
    c="copysign{f}({x}, {y})",
    signature="f,f->f",
    grad=_copysign_grad,
    real="abs(x) if y >= 0 else -abs(x)",
)
def copysign(x: Any, y: Any) -> Any:
    """Magnitude of x with the sign of y, that of a zero too."""
    return np.copysign(x, y)


@elemwise(
    c={
        "float": "(fabs{f}({x}) < INFINITY)",
        "complex": "(fabs{f}(__real__ {x}) < INFINITY && fabs{f}(__imag__ {x}) < INFINITY)",
        "else": "1",
    },
    signature="t->?",
    image=(0.0, 1.0),
)
def isfinite(x: Any) -> Any:
    """True where x, and each part of a complex x, is neither infinite nor NaN."""
    return np.isfinite(x)


@elemwise(
    c={"bool": "({x} & !{y})", "else": "eq_shl__{T}({x}, {y})"},
    signature="i,i->i",
    cost=Cost(flops=3),
    iterated="add",
)
def left_shift(x: Any, y: Any) -> Any:
    """Bits of x moved up by y places; bits that leave are lost, and a bool has one bit."""
    return x & ~y if x.dtype == bool else np.left_shift(x, y)


@elemwise(
    c={"bool": "({x} & !{y})", "else": "eq_shr__{T}({x}, {y})"},
    signature="i,i->i",
    cost=Cost(flops=3),
    iterated="add",
)
def right_shift(x: Any, y: Any) -> Any:
    """Bits of x moved down by y places; the sign fills from above."""
    return x & ~y if x.dtype == bool else np.right_shift(x, y)


@elemwise(
    c="exp2{f}({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (out * _number(np.log(2.0), x)),
    cost=Cost(flops=16),
    image=(0.0, float("inf")),
    real="2 ** x",
    monotone="increasing",
    undoes="log2",
    turns=("add into mul", "sub into truediv"),
    spelled=lambda x: {"exp2-from-pow": pow(2, x), "exp2-from-exp": exp(x * np.log(2.0))},
)
def exp2(x: Any) -> Any:
    """Two to the power x."""
    return np.exp2(x)


@elemwise(
    c="cbrt{f}({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy / (3 * (out * out)),
    cost=Cost(flops=18),
    monotone="increasing",
    parity="odd",
    real="sign(x) * abs(x) ** (sqrt(1) / 3)",
    turns=("mul into mul", "truediv into truediv"),
)
def cbrt(x: Any) -> Any:
    """Cube root, negative below zero."""
    return np.cbrt(x)
