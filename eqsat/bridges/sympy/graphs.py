"""From variables of eqsat to expressions of SymPy: by the formulas over the reals that ops declare."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from eqsat.bridges.sympy.heads import SPELLED, TRUTH
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import OPS
from eqsat.graph.walk import toposort

SHORT = 10_000  # the largest denominator of a float that is meant as a fraction
WORDS = {**{name: getattr(sympy, name) for name in sympy.__all__}, "__builtins__": {"abs": sympy.Abs}}
HEADS = {
    getattr(op, "name", ""): getattr(sympy, name)
    for name, op in [*SPELLED.items(), *TRUTH.items()]
    if hasattr(op, "declaration") and not name.startswith(("Mat", "Hada"))
}
TRUTH_OPS = {getattr(op, "name", "") for op in TRUTH.values()}
WRITERS: dict[str, Callable[..., Any]] = {}


def to_sympy(v: Any, symbols: Mapping[Variable, Any] | None = None) -> Any:
    """The expression of an elementwise graph, or of a list of them; inputs become real symbols with their names.

    A tensor stands for one of its elements. ``symbols`` maps variables, inner ones too, to expressions of your own.

    Errors   ArgumentError for an op that is not elementwise or has no formula, and for constants of several values

    >>> import eqsat.tensor as T
    >>> from eqsat.bridges import to_sympy
    >>> x = T.dscalar("x")
    >>> to_sympy(T.softplus(x) + x / 3)
    x/3 + log(exp(x) + 1)
    """
    if isinstance(v, (list, tuple)):
        table = _Expressions(symbols)
        return [table.of(one) for one in v]
    return _Expressions(symbols).of(v)


class _Expressions:
    """Expressions of the variables of a graph."""

    def __init__(self, symbols: Mapping[Variable, Any] | None) -> None:
        self.made: dict[Any, Any] = dict(symbols or {})
        self.names: set[str] = set()

    def of(self, v: Any) -> Any:
        """The expression of a variable."""
        for node in toposort([v], list(self.made)):
            (out,) = node.outputs if len(node.outputs) == 1 else (None,)
            if out is None:
                raise ArgumentError(f"to_sympy: {node.op} has several results")
            if out not in self.made:
                self.made[out] = _written(node, [self.leaf(x) for x in node.inputs])
        return self.leaf(v)

    def leaf(self, v: Any) -> Any:
        """The expression of a variable that was reached, of a constant, or of an input."""
        if v not in self.made:
            self.made[v] = number(v) if isinstance(v, Constant) else self.symbol(str(v))
        return self.made[v]

    def symbol(self, name: str) -> Any:
        """A symbol; of two inputs with one name the second is another symbol with the same text."""
        fresh = name not in self.names
        self.names.add(name)
        return sympy.Symbol(name, real=True) if fresh else sympy.Dummy(name, real=True)


def number(v: Any) -> Any:
    """The value of a constant: a fraction where its digits say so, pi, or a float.

    Errors   ArgumentError for several values
    """
    values = np.unique(np.asarray(v.data))
    if len(values) != 1:
        raise ArgumentError(f"to_sympy: {v} is no single number", operands=[(str(v), v)])
    value = values[0].item()
    if not isinstance(value, float) or not math.isfinite(value):
        return sympy.sympify(value)
    near = Fraction(value).limit_denominator(SHORT)
    if value == float(near):
        return sympy.Rational(near.numerator, near.denominator)
    return sympy.pi if value == math.pi else sympy.Float(value, 17)


def _written(node: Apply, operands: list[Any]) -> Any:
    name = getattr(node.op, "name", str(node.op))
    writer = WRITERS.get(name)
    if writer is not None:
        return writer(node, *operands)
    declared = OPS.find(name)
    if declared is None or declared.kind != "elemwise":
        raise _refused(node, "is not elementwise")
    if name in HEADS and (name not in TRUTH_OPS or _dtype(node.outputs[0]) == "bool"):
        return HEADS[name](*operands)
    if isinstance(getattr(sympy, name, None), sympy.core.function.FunctionClass):
        return getattr(sympy, name)(*operands)
    if declared.real is None or declared.signature.startswith(
        "i"
    ):  # a formula of truth values is Python's, not sympy's
        raise _refused(node, "has no formula over the reals")
    return eval(declared.real, WORDS, dict(zip(declared.tensors, operands)))


def _dtype(v: Variable) -> str:
    return str(v.type.dtype)  # type: ignore[attr-defined]


def _refused(node: Apply, why: str) -> ArgumentError:
    return ArgumentError(f"to_sympy: {node.op} {why}", operands=[(str(v), v) for v in node.inputs])


def _writer(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        WRITERS[name] = function
        return function

    return register


@_writer("switch")
def _switch(node: Apply, condition: Any, x: Any, y: Any) -> Any:
    return sympy.Piecewise((x, condition), (y, True))


@_writer("cast")
def _cast(node: Apply, x: Any) -> Any:
    """A number of another dtype, where none is cut off."""
    was, now = (np.dtype(_dtype(v)).kind for v in (node.inputs[0], node.outputs[0]))
    if "biufc".index(now) < "biufc".index(was):
        raise _refused(node, "cuts numbers off")
    return sympy.Piecewise((1, x), (0, True)) if was == "b" and now != "b" else x


@_writer("dimshuffle")
def _dimshuffle(node: Apply, x: Any) -> Any:
    """A tensor with more axes before its own, along which it repeats itself."""
    pattern = node.op.params["pattern"]  # type: ignore[attr-defined]
    kept = [a for a in pattern if a != "x"]
    if kept != sorted(kept) or list(pattern[len(pattern) - len(kept) :]) != kept:
        raise _refused(node, "moves axes")
    return x


@_writer("sinc")
def _sinc(node: Apply, x: Any) -> Any:
    return sympy.sinc(sympy.pi * x)


@_writer("trunc")
def _trunc(node: Apply, x: Any) -> Any:
    return sympy.sign(x) * sympy.floor(sympy.Abs(x))


@_writer("xlogy")
def _xlogy(node: Apply, x: Any, y: Any) -> Any:
    return sympy.Piecewise((0, sympy.Eq(x, 0)), (x * sympy.log(y), True))


@_writer("hypot")
def _hypot(node: Apply, x: Any, y: Any) -> Any:
    return sympy.sqrt(x**2 + y**2)


for _name, _order in (("j", sympy.besselj), ("i", sympy.besseli)):
    for _n in (0, 1):
        WRITERS[f"{_name}{_n}"] = lambda node, x, head=_order, n=_n: head(n, x)
