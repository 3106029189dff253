"""From expressions of SymPy to variables of eqsat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from eqsat.base.configuration import config
from eqsat.base.pytrees import flatten, unflatten
from eqsat.bridges.sympy.heads import TABLE
from eqsat.bridges.sympy.reading import Reading, SympyReader
from eqsat.bridges.translate import Refused, Translation
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.graph.tensor_type import TensorType


def from_sympy(
    exprs: Any, symbols: Any, ndim: int = 0, dtype: str | None = None
) -> tuple[list[Variable], Any]:
    """Variables for symbols, and the graphs of one expression or of a list of them.

    A symbol becomes a tensor of ``ndim`` dimensions, a MatrixSymbol a matrix. Sums, derivatives and integrals are evaluated by SymPy
    first; a head without a function here is rewritten by SymPy, as ``binomial`` by gamma functions.

    Errors   ArgumentError for a function without a definition, a symbol that is not given, a head that eqsat cannot say

    >>> import sympy
    >>> from eqsat.bridges import from_sympy
    >>> x, y = sympy.symbols("x y")
    >>> (a, b), z = from_sympy(sympy.exp(x) * sympy.Max(x, y), [x, y])
    >>> z.eval({a: 0.0, b: 3.0}).item()
    3.0
    """
    given = listed(symbols)
    dtype = dtype or str(config.floatX)
    types = [TensorType(dtype, shape=_lengths(s, ndim)) for s in given]
    inputs = [kind(str(s)) for kind, s in zip(types, given)]
    return inputs, translated(exprs, given, inputs, dtype)


def translated(exprs: Any, symbols: Sequence[Any], inputs: Sequence[Any], dtype: str) -> Any:
    """The graphs of expressions over variables in the place of symbols."""
    leaves, form = flatten(exprs)
    wanted = [_immutable(e) for _, e in leaves]
    reader = SympyReader(dtype)
    try:
        nodes = Reading(TABLE, reader, symbols).read(wanted)
        made = Translation(TABLE, reader, opaque=False).graph(nodes, symbols, wanted, inputs)
    except Refused as why:
        raise ArgumentError(f"from_sympy: {why}") from None
    return unflatten(form, made)


def _immutable(expr: Any) -> Any:
    """An expression that does not change, so that equal ones are found again."""
    expr = sympy.sympify(expr)
    return expr.as_immutable() if hasattr(expr, "as_immutable") else expr


def listed(symbols: Any) -> list[Any]:
    """Symbols as a list: one alone, several, or a text of names."""
    found = sympy.symbols(symbols) if isinstance(symbols, str) else symbols
    given = list(found) if isinstance(found, (list, tuple, sympy.Tuple)) else [found]
    for s in given:
        if not isinstance(s, (sympy.Symbol, sympy.MatrixSymbol)):
            raise ArgumentError(
                f"from_sympy: {s!r} is no symbol", needs="symbols, as sympy.symbols('x y') gives"
            )
    return given


def _lengths(symbol: Any, ndim: int) -> tuple[int | None, ...]:
    """Lengths in the type of a symbol's variable."""
    if isinstance(symbol, sympy.MatrixSymbol):
        return tuple(int(n) if n.is_Integer else None for n in symbol.shape)
    return (None,) * ndim
