"""Heads of SymPy as functions of eqsat.

A function of SymPy with the name of an elementwise op is that op; ``SPELLED`` has those with other names, and functions below
the heads that need more than their operands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import sympy

import eqsat.tensor as T
from eqsat.bridges.translate import Refused, Table, Translation
from eqsat.graph.declare import OPS

TABLE = Table()

SPELLED: dict[str, Callable[..., Any]] = {
    "Abs": T.abs,
    "Max": T.maximum,
    "Min": T.minimum,
    "Mod": T.mod,
    "acos": T.arccos,
    "acosh": T.arccosh,
    "arg": T.angle,
    "asin": T.arcsin,
    "asinh": T.arcsinh,
    "atan": T.arctan,
    "atan2": T.arctan2,
    "atanh": T.arctanh,
    "ceiling": T.ceil,
    "conjugate": T.conj,
    "im": T.imag,
    "loggamma": T.gammaln,
    "re": T.real,
    "Equality": T.eq,
    "GreaterThan": T.ge,
    "LessThan": T.le,
    "StrictGreaterThan": T.gt,
    "StrictLessThan": T.lt,
    "Unequality": T.neq,
    "Add": T.add,
    "Mul": T.mul,
    "HadamardProduct": T.mul,
    "MatAdd": T.add,
    "MatMul": lambda x, y: T.dot(x, y) if x.ndim and y.ndim else x * y,
    "Transpose": T.transpose,
    "Inverse": T.linalg.inv,
    "Determinant": T.linalg.det,
    "Trace": T.trace,
    "Same": lambda x: x,
}
TRUTH: dict[str, Callable[..., Any]] = {"And": T.and_, "Or": T.or_, "Xor": T.xor, "Not": T.invert}
BESSEL = {("besselj", 0): T.j0, ("besselj", 1): T.j1, ("besseli", 0): T.i0, ("besseli", 1): T.i1}


def _fold(function: Callable[..., Any]) -> Callable[..., Any]:
    """An entry that applies a function to its operands, one after the other where there are more than two."""

    def entry(translation: Translation, op: Any, node: Any, *operands: Any) -> Any:
        return reduce(function, operands) if len(operands) > 1 else function(*operands)

    return entry


def truth(x: Any) -> Any:
    """A condition; a symbol of numbers is true where it is not zero."""
    return x if x.type.dtype == "bool" else T.neq(x, 0)


def _of_truths(function: Callable[..., Any]) -> Callable[..., Any]:
    folded = _fold(function)
    return lambda translation, op, node, *given: folded(translation, op, node, *map(truth, given))


for _name, _op in OPS.items():
    if _op.kind == "elemwise" and isinstance(getattr(sympy, _name, None), sympy.core.function.FunctionClass):
        TABLE.on(_name)(_fold(getattr(T, _name)))
for _name, _function in SPELLED.items():
    TABLE.on(_name)(_fold(_function))
for _name, _function in TRUTH.items():
    TABLE.on(_name)(_of_truths(_function))


@TABLE.on("Pow", "MatPow")
def power(translation: Translation, op: Any, node: Any, x: Any, n: Any) -> Any:
    """A power: of a matrix by products, a root, a reciprocal, or a number to another."""
    exponent = op.exp
    if isinstance(op, sympy.MatPow):
        return T.linalg.matrix_power(x, int(exponent))
    if exponent == sympy.S.Half:
        return T.sqrt(x)
    if exponent.could_extract_minus_sign() and exponent.is_number:
        return T.reciprocal(power(translation, op.base**-exponent, node, x, -n) if exponent != -1 else x)
    return T.pow(x, int(exponent)) if exponent.is_Integer else T.pow(x, n)


@TABLE.on("Piecewise")
def piecewise(translation: Translation, op: Any, node: Any, *parts: Any) -> Any:
    """The value of the first condition that holds; NaN where none does."""
    values, conditions = parts[::2], parts[1::2]
    found: Any = T.constant(np.nan, dtype=T.add(*values).dtype if len(values) > 1 else values[0].dtype)
    for k in reversed(range(len(values))):
        always = op.args[k].cond == sympy.true
        found = values[k] if always else T.switch(truth(conditions[k]), values[k], found)
    return found


@TABLE.on("ITE")
def if_then_else(translation: Translation, op: Any, node: Any, c: Any, a: Any, b: Any) -> Any:
    """One condition or another."""
    return T.switch(truth(c), truth(a), truth(b))


@TABLE.on("sinc")
def sinc(translation: Translation, op: Any, node: Any, x: Any) -> Any:
    """sin(x) / x, where NumPy's has a factor of pi."""
    return T.sinc(x / np.pi)


@TABLE.on("besselj", "besseli")
def bessel(translation: Translation, op: Any, node: Any, n: Any, x: Any) -> Any:
    """Bessel functions of the orders that eqsat has."""
    found = BESSEL.get((type(op).__name__, op.args[0]))
    if found is None:
        raise Refused(f"{op}: eqsat has orders 0 and 1")
    return found(x)


@TABLE.on(
    "ImmutableDenseMatrix", "ImmutableSparseMatrix", "ImmutableDenseNDimArray", "ImmutableSparseNDimArray"
)
def array(translation: Translation, op: Any, node: Any, *elements: Any) -> Any:
    """A matrix of expressions: the lengths of the matrix first, then those of the symbols."""
    if not elements:
        return T.zeros([int(n) for n in op.shape], dtype=translation.reader.dtype)  # type: ignore[attr-defined]
    whole = T.stack(T.broadcast_arrays(*elements) if len(elements) > 1 else list(elements))
    return T.reshape(
        whole,
        (*map(int, op.shape), *(whole.shape[k] for k in range(1, whole.ndim))),
        ndim=whole.ndim + len(op.shape) - 1,
    )


@TABLE.on("MatrixElement")
def element(translation: Translation, op: Any, node: Any, x: Any) -> Any:
    """An element with numbers as indices."""
    return x[_place(op, op.i), _place(op, op.j)]


@TABLE.on("MatrixSlice")
def part(translation: Translation, op: Any, node: Any, x: Any) -> Any:
    """A part with numbers as bounds."""
    rows, columns = (slice(*(_place(op, n) for n in bounds)) for bounds in (op.rowslice, op.colslice))
    return x[rows, columns]


def _place(op: Any, index: Any) -> int:
    if not sympy.sympify(index).is_Integer:
        raise Refused(f"the index {index} of {op} is no number")
    return int(index)


@TABLE.on("Identity")
def identity(translation: Translation, op: Any, node: Any, *lengths: Any) -> Any:
    """A unit matrix of a length that is a number."""
    return T.eye(_place(op, op.shape[0]))


@TABLE.on("ZeroMatrix")
def zero_matrix(translation: Translation, op: Any, node: Any, *lengths: Any) -> Any:
    """A matrix of zeros of lengths that are numbers."""
    return T.zeros([_place(op, n) for n in op.shape])
