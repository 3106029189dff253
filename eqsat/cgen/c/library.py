"""Calls of library functions in C: ``eq_NAME__TYPE`` of the files in helpers/, save those whose arguments C has in another form."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.statements import Call, Stop
from eqsat.graph.dtypes import INEXACT

# The fields of a plan of a convolution, and how many numbers each has, in the order of the arguments.
_PLAN = [
    *((name, 0) for name in ("what", "b", "c", "o", "groups", "flip")),
    *((name, 3) for name in ("n", "k", "m", "before", "stride", "gap")),
    *((name, 5) for name in ("x", "w", "y")),
]


def called(s: Call, stopped: Callable[[Stop], str]) -> str:
    """C statements of a call."""
    args = [c_text(a) for a in s.args]
    if s.function == "conv":
        return _convolution(s.dtype, args)
    call = f"{_opened(s.function, s.dtype)}{', '.join(args)})"
    if s.result:
        call = f"{s.result} = {call}"
    if not s.stops:
        return f"{call};"
    if len(s.stops) == 1:
        return f"if ({call}) {stopped(s.stops[0])}"
    first, last = map(stopped, s.stops)
    return f"{{ const int64_t bad = {call}; if (bad == 1) {first} if (bad) {last} }}"


def _opened(function: str, dtype: str) -> str:
    """The name of a C function, and what it takes before the arguments."""
    ctype = CTYPE[dtype]
    if function != "dot":
        return f"eq_{function}__{ctype}("
    if dtype in ("float32", "float64"):
        return f"eq_dot__{ctype}(c, "
    kind = "blas" if dtype in INEXACT else "bool" if dtype == "bool" else "loops"
    return f"eq_dot_{kind}__{ctype}("


def _convolution(dtype: str, args: list[str]) -> str:
    ctype, numbers = CTYPE[dtype], args
    fields, at = [], 0
    for name, count in _PLAN:
        given = numbers[at : at + max(count, 1)]
        fields.append(f".{name} = {{{', '.join(given)}}}" if count else f".{name} = {given[0]}")
        at += max(count, 1)
    *pointers, room = numbers[at:]
    operands = ", ".join(f"({ctype} *){p}" for p in pointers)
    plan = f"eq_conv_plan plan = {{{', '.join(fields)}}};"
    return f"{plan}\neq_blas_convolution__{ctype}(c, &plan, {operands}, {room});"
