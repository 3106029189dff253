"""Expressions of SymPy as bridges read them: applications in an order in which they can be computed, and constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.tensor.array import NDimArray

from eqsat.base.values import dataclass
from eqsat.bridges.translate import Refused, Table
from eqsat.graph.core import Type, Variable
from eqsat.tensor import constant

FEW = 100  # terms of a sum that are written out; SymPy is asked for a closed form of longer ones
FORMS = (sympy.Piecewise, sympy.cos, sympy.gamma, sympy.erf, sympy.floor, sympy.exp)


@dataclass(frozen=True)
class Application:
    """A head of SymPy applied to expressions."""

    op: Any
    inputs: list[Any]
    outputs: list[Any]


class Same:
    """The op of an expression that another one stands for."""


class SympyReader:
    """Reads expressions of SymPy, with numbers of one dtype."""

    library = "sympy"

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def type_of(self, variable: Any) -> Type | None:
        """Nothing: dtypes follow from those of the symbols."""
        return None

    def constant(self, variable: Any) -> Variable | None:
        """A number, to more digits than a float has; None for what is none."""
        if variable in (sympy.true, sympy.false):
            return constant(bool(variable))  # type: ignore[no-any-return]
        if not isinstance(variable, (sympy.Number, sympy.NumberSymbol, sympy.core.numbers.ImaginaryUnit)):
            return None
        number = complex(variable)
        if not number.imag:
            return constant(number.real, dtype=self.dtype)  # type: ignore[no-any-return]
        return constant(number, dtype=self.dtype if "complex" in self.dtype else "complex128")  # type: ignore[no-any-return]

    def name_of(self, variable: Any) -> str | None:
        """Expressions have no names."""
        return None

    def run(self, node: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Nothing runs as it is: SymPy computes with expressions."""
        raise Refused(f"{node.op} does not run on arrays")


class Reading:
    """Expressions over symbols as applications, operands first."""

    def __init__(self, table: Table, reader: SympyReader, symbols: Iterable[Any]) -> None:
        self.table, self.reader = table, reader
        self.made: list[Application] = []
        self.done: set[Any] = set(symbols)
        self.begun: dict[Any, Application] = {}
        self.numbers: dict[Any, bool] = {}

    def read(self, exprs: Iterable[Any]) -> list[Application]:
        """The applications that expressions are made of."""
        stack = list(exprs)
        while stack:
            expr = stack[-1]
            if expr in self.done or expr in self.begun or self.reader.constant(expr) is not None:
                self._finish(stack.pop())
            else:
                application = self.begun[expr] = self.application(expr)
                stack.extend(application.inputs)
        return self.made

    def _finish(self, expr: Any) -> None:
        if expr not in self.done:
            self.done.add(expr)
            self.made += [self.begun[expr]] if expr in self.begun else []

    def application(self, expr: Any) -> Application:
        """An expression as a head over operands; one that stands for another where eqsat has no such head."""
        if self.is_number(expr) and (value := expr.evalf(25)).is_number and value != expr and not value.args:
            return Application(Same(), [value], [expr])
        return _application(self.table, expr)

    def is_number(self, expr: Any) -> bool:
        """True for an expression without symbols."""
        stack = [expr]
        while stack:
            one = stack[-1]
            unknown = [a for a in one.args if a not in self.numbers]
            if one in self.numbers or not unknown:
                stack.pop()
                self.numbers[one] = (
                    isinstance(one, sympy.Expr)
                    and not getattr(one, "is_Matrix", False)
                    and (all(self.numbers[a] for a in one.args) if one.args else bool(one.is_number))
                )
            stack.extend(unknown if one not in self.numbers else [])
        return self.numbers[expr]


def _application(table: Table, expr: Any) -> Application:
    if expr.is_Symbol or isinstance(expr, sympy.MatrixSymbol):
        raise Refused(f"the symbol {expr} is not among the symbols that are given")
    if isinstance(expr, AppliedUndef):
        raise Refused(f"the function {type(expr).__name__} of {expr} has no definition")
    if table.entry(expr) is not None:
        return Application(expr, operands(expr), [expr])
    return Application(Same(), [written(expr)], [expr])


def operands(expr: Any) -> list[Any]:
    """The expressions inside one that are computed before it."""
    if isinstance(expr, sympy.Piecewise):
        return [part for pair in expr.args for part in pair.args]
    if isinstance(expr, (sympy.ImmutableDenseMatrix, sympy.ImmutableSparseMatrix)):
        return list(expr.flat())
    if isinstance(expr, NDimArray):
        return list(expr.args[0])
    return [a for a in expr.args if not isinstance(a, sympy.Tuple)][: 1 if _has_places(expr) else None]


def _has_places(expr: Any) -> bool:
    """True for a part of a matrix, whose further arguments are indices, and for an inverse."""
    return isinstance(expr, (sympy.matrices.expressions.matexpr.MatrixElement, sympy.Inverse)) or (
        type(expr).__name__ == "MatrixSlice"
    )


def written(expr: Any) -> Any:
    """An expression in other heads: what SymPy evaluates it to, or rewrites it as.

    Errors   Refused where SymPy knows no other form
    """
    head = type(expr)
    if isinstance(expr, (sympy.Sum, sympy.Product)) and (terms := _terms(expr)) is not None:
        return terms
    found = expr.doit()
    if not found.has(head):
        return found
    for form in FORMS:
        found = expr.rewrite(form)
        if not found.has(head) and (expr.has(sympy.I) or not found.has(sympy.I)):
            return found
    raise Refused(f"{head.__name__} of {expr} has no form in functions of eqsat")


def _terms(expr: Any) -> Any:
    """A sum or product with few terms written out."""
    if len(expr.limits) != 1 or len(expr.limits[0]) != 3:
        return None
    index, first, last = expr.limits[0]
    if not (first.is_Integer and last.is_Integer and -1 <= last - first < FEW):
        return None
    terms = [expr.function.subs(index, k) for k in range(int(first), int(last) + 1)]
    return (sympy.Add if isinstance(expr, sympy.Sum) else sympy.Mul)(*terms)
