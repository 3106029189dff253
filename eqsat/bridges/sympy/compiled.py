"""``lambdify``: expressions of SymPy as compiled functions of numbers and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.pytrees import flatten, unflatten
from eqsat.bridges.sympy.expressions import listed, translated
from eqsat.errors import ArgumentError
from eqsat.functions.function import function
from eqsat.graph.tensor_type import TensorType

KEPT = ("f", "c", "b")  # kinds of dtypes that arguments keep; integers become floats


class Lambdified:
    """A function of numbers and arrays, compiled at the first call with arguments of new ranks or dtypes.

    ``functions`` has what was compiled, by the types of the arguments.
    """

    def __init__(self, symbols: Any, exprs: Any, options: dict[str, Any]) -> None:
        self.symbols, self.exprs, self.options = listed(symbols), exprs, options
        self.form = flatten(exprs)[1]
        self.functions: dict[tuple[TensorType, ...], Any] = {}

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.symbols):
            wanted = ", ".join(map(str, self.symbols))
            raise ArgumentError(f"lambdify: {len(values)} arguments for the symbols {wanted}")
        arrays = [np.asarray(v) for v in values]
        types = tuple(map(_type_of, arrays))
        if types not in self.functions:
            self.functions[types] = self.compiled(types)
        found = self.functions[types](*[a.astype(k.dtype, copy=False) for a, k in zip(arrays, types)])
        return unflatten(self.form, found)

    def compiled(self, types: tuple[TensorType, ...]) -> Any:
        """The function for arguments of some types."""
        inputs = [kind(str(s)) for kind, s in zip(types, self.symbols)]
        made = translated(self.exprs, self.symbols, inputs, str(config.floatX))
        return function(
            inputs, [v for _, v in flatten(made)[0]], **{"on_unused_input": "ignore", **self.options}
        )

    def __repr__(self) -> str:
        return f"lambdify(({', '.join(map(str, self.symbols))}), {self.exprs})"


def _type_of(array: Any) -> TensorType:
    """The type of an argument: rank, dtype, and which lengths are 1, so that it broadcasts as in NumPy."""
    dtype = array.dtype.name if array.dtype.kind in KEPT else str(config.floatX)
    return TensorType(dtype, shape=tuple(1 if n == 1 else None for n in array.shape))


def lambdify(symbols: Any, exprs: Any, **options: Any) -> Lambdified:
    """A compiled function of SymPy expressions, for numbers and arrays that broadcast as in NumPy.

    Options are those of ``eqsat.function``. A list of expressions gives a list of arrays, a matrix one array;
    lists, tuples and dicts may be nested.

    Errors   ArgumentError, at a call, for what eqsat cannot say

    >>> import eqsat, sympy
    >>> x, y = sympy.symbols("x y")
    >>> f = eqsat.lambdify([x, y], sympy.sqrt(x**2 + y**2))
    >>> f(3.0, 4.0).item(), f([3.0, 6.0], 8.0).round(3)
    (5.0, array([ 8.544, 10.   ]))
    """
    return Lambdified(symbols, exprs, options)
