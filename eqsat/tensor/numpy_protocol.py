"""NumPy's functions called with a tensor variable build the graph that the function of ``T`` of that name builds."""

from __future__ import annotations

import inspect
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
    "split": "array_split",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "matrix_transpose": "mT",
    "isreal": "",
    "iscomplex": "",
}
IN_PLACE = ("fill_diagonal", "put_along_axis")  # NumPy's change their argument, which a variable cannot be
PROPERTIES = ("shape", "ndim", "size", "mT")
ARGUMENTS = {"a_min": "low", "a_max": "high", "min": "low", "max": "high"}
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
    """``np.sum(x, axis=0)`` for a variable x is ``T.sum(x, axis=0)``, ``np.linalg.inv(A)`` is ``T.linalg.inv(A)``.

    Errors   ArgumentError for a function that ``T`` does not have, or that has an argument which the one of ``T`` does not take
    """
    name = FUNCTIONS.get(function.__name__, function.__name__)
    if name in PROPERTIES and len(arguments) == 1 and not options:
        return getattr(self, name)
    known = None if name in IN_PLACE else getattr(_of_module(function.__module__), name, None)
    if known is None:
        raise _unknown(function.__name__, [self])
    given, named = _translated(self, function, known, arguments, options)
    return known(*given, **named)


def _of_module(module: str) -> Any:
    """The module of ours that has the functions of a module of NumPy."""
    import eqsat.tensor as T

    found: Any = T
    for part in module.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _translated(
    self: Any, function: Any, known: Any, arguments: Any, options: Any
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of NumPy's function for ours: what has no default by its place, the rest by its name."""
    try:
        bound = inspect.signature(function).bind(*arguments, **options)
    except ValueError:  # NumPy does not tell the arguments of its functions in C
        return list(arguments), options
    ours = inspect.signature(known).parameters
    any_place = next(iter(ours.values())).kind is inspect.Parameter.VAR_POSITIONAL
    given: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in bound.signature.parameters.items():
        if name not in bound.arguments:
            continue
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            given.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is parameter.empty:
            given.append(value)
        elif name in ours or ARGUMENTS.get(name) in ours:
            named[name if name in ours else ARGUMENTS[name]] = value
        elif any_place:
            given.append(value)
        elif value is not parameter.default:
            raise ArgumentError(
                f"np.{function.__name__} of a variable does not take {name}=",
                operands=[(str(self), self)],
                needs=f"one of {', '.join(ours)}, which T.{known.__name__} takes",
            )
    return given, named


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
