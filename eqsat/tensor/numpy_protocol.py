"""NumPy's functions called with a tensor variable build the graph that the function of ``T`` of that name builds."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError

UFUNCS = {
    "absolute": "abs",
    "conjugate": "conj",
    "true_divide": "truediv",
    "divide": "truediv",
    "float_power": "pow",
}
FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "round": "around",
    "round_": "around",
    "isreal": "",
    "iscomplex": "",
}
# functions that take the same arguments here and in NumPy
SAME = [
    "all",
    "any",
    "argmax",
    "argmin",
    "average",
    "clip",
    "concatenate",
    "count_nonzero",
    "dot",
    "isclose",
    "allclose",
    "max",
    "mean",
    "min",
    "nan_to_num",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "ones_like",
    "outer",
    "prod",
    "ptp",
    "sinc",
    "stack",
    "std",
    "sum",
    "trace",
    "transpose",
    "var",
    "where",
    "zeros_like",
    "full_like",
    "diagonal",
    "take",
    "around",
    "real",
    "imag",
    "angle",
    "argwhere",
    "flatnonzero",
    "tril",
    "triu",
    "isposinf",
    "isneginf",
    "cumsum",
    "cumprod",
    "diff",
    "sort",
    "argsort",
    "squeeze",
    "expand_dims",
    "broadcast_to",
    "tile",
    "repeat",
    "roll",
    "ravel",
    "reshape",
    "diag",
    "tensordot",
    "kron",
    "median",
    "percentile",
    "quantile",
    "swapaxes",
    "moveaxis",
    "vstack",
    "hstack",
    "flip",
    "inner",
    "vdot",
    "matmul",
    "fix",
    "searchsorted",
]
PROPERTIES = ("shape", "ndim", "size")
REDUCING = ("numpy.core.fromnumeric", "numpy._core.fromnumeric")


def _unknown(name: str, values: Any) -> ArgumentError:
    from eqsat.graph.core import Variable

    found = [v for v in values if isinstance(v, Variable)]
    return ArgumentError(
        f"np.{name} does not take tensor variables",
        operands=[(str(v), v) for v in found],
        hint="a function of eqsat.tensor, or x.eval() for a value",
    )


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """``np.exp(x)`` for a variable x is ``T.exp(x)``.

    Errors   ArgumentError for a ufunc that ``T`` does not have, for ``out=`` and for ``ufunc.reduce`` and its kin
    """
    import eqsat.tensor as T

    name = ufunc.__name__
    function = getattr(T, UFUNCS.get(name, name), None) if method == "__call__" else None
    if function is None or options:
        text = name if method == "__call__" else f"{name}.{method}"
        raise _unknown(text + ("(..., " + "=, ".join(options) + "=)" if options else ""), inputs)
    return function(*inputs)


def array_function(self: Any, function: Any, types: Any, arguments: Any, options: Any) -> Any:
    """``np.sum(x, axis=0)`` for a variable x is ``T.sum(x, axis=0)``.

    Errors   ArgumentError for a function that ``T`` does not have, or has with other arguments
    """
    import eqsat.tensor as T

    name = FUNCTIONS.get(function.__name__, function.__name__)
    if name in PROPERTIES and len(arguments) == 1 and not options:
        return getattr(self, name)
    known = getattr(T, name, None) if name in SAME else None
    if known is None:
        raise _unknown(function.__name__, [self])
    return known(*arguments, **options)


def array(self: Any, *_: Any, **__: Any) -> np.ndarray:
    """A variable has no elements before it is computed: ``np.asarray(x)`` is an error.

    Where NumPy's own functions ask, as ``np.sum([x, y])`` does, they get an array of Python objects, which they add up.
    """
    if sys._getframe(1).f_globals.get("__name__") in REDUCING:
        held = np.empty((), object)
        held[()] = self
        return held
    raise ArgumentError(
        f"{self} is a variable and no array: it has no elements before it is computed",
        operands=[(str(self), self)],
        hint="x.eval({...}) for a value, T.stack([...]) for a list of variables",
    )
