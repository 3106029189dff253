"""The formulas of ops over the real numbers, computed step by step so that a loss of all digits is seen."""

from __future__ import annotations

import ast
import operator
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath

from eqsat.graph.declare import OPS
from eqsat.verify.real_names import EXPONENT, NAMES, is_too_large
from eqsat.verify.sides import Undefined

Value = Any
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@cache
def formula_of(op: str) -> Callable[..., Value]:
    """The formula in the declaration of an op, as a function of mpmath numbers; NaN where there is no real value.

    What the formula does not read, as the value that a choice leaves, need not be real.

    Errors   Undefined for an op that has none
    """
    d = OPS[op]
    if d.real is None:
        raise Undefined(f"{op} has no formula over the reals")
    body = ast.parse(d.real, mode="eval").body

    def run(*operands: Value) -> Value:
        try:
            result = value_of(body, dict(zip(d.tensors, operands, strict=False)))
        except (ZeroDivisionError, ValueError, OverflowError):
            return mpmath.nan
        return mpmath.nan if isinstance(result, mpmath.mpc) else result

    return run


def value_of(node: ast.AST, names: dict[str, Value]) -> Value:
    """The value of a part of a formula."""
    if isinstance(node, ast.Constant):
        return mpmath.mpf(node.value)
    if isinstance(node, ast.Name):
        return finite(names[node.id])
    if isinstance(node, ast.UnaryOp):
        return -value_of(node.operand, names)
    if isinstance(node, ast.BinOp):
        sides = (value_of(node.left, names), value_of(node.right, names))
        if isinstance(node.op, ast.Pow) and is_too_large(sides[1], EXPONENT):
            return mpmath.nan
        return told(OPERATORS[type(node.op)], type(node.op).__name__, sides)
    if isinstance(node, ast.IfExp):
        return value_of(node.body if value_of(node.test, names) else node.orelse, names)
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ):  # a comparison: nothing is rounded
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in names:
                finite(names[part.id])
        return eval(compile(ast.Expression(node), "formula", "eval"), dict(NAMES), names)  # type: ignore[arg-type]
    operands = tuple(value_of(a, names) for a in node.args)
    return told(NAMES[node.func.id], node.func.id, operands)


def finite(value: Value) -> Value:
    """A value that a formula reads.

    Errors   ValueError for one that is no real number
    """
    if isinstance(value, mpmath.mpf) and not mpmath.isfinite(value):
        raise ValueError("an operand is no real number")
    return value


def told(call: Callable[..., Value], name: str, operands: tuple[Value, ...]) -> Value:
    """The result of a step; one that was rounded is changed by a few units in its last place, the same for equal operands.

    So runs with more digits differ where all digits are lost: ``sqrt(x + 1) - sqrt(x)`` is no exact 0 for a large x.
    """
    near = call(*operands)
    if not isinstance(near, mpmath.mpf) or all(rounded_to(way, call, operands) == near for way in "fc"):
        return near
    units = 2 + zlib.crc32(f"{name}{[getattr(o, '_mpf_', o) for o in operands]}".encode()) % 7
    return near * (1 + units * mpmath.mp.eps)


def rounded_to(way: str, call: Callable[..., Value], operands: tuple[Value, ...]) -> Value:
    """The result rounded down, "f", or up, "c"."""
    usual = mpmath.mp._prec_rounding[1]
    mpmath.mp._prec_rounding[1] = way
    try:
        return call(*operands)
    finally:
        mpmath.mp._prec_rounding[1] = usual
