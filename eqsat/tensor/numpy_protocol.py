"""NumPy's functions called with a tensor variable build the graph that the function of ``T`` of that name builds."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.tensor.array_likes import with_arrays

UFUNCS = {
    "absolute": "abs",
    "conjugate": "conj",
    "true_divide": "truediv",
    "divide": "truediv",
    "float_power": "pow",
    "positive": "tensor_copy",
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
    "copy": "tensor_copy",
    "isreal": "",
    "iscomplex": "",
}
REDUCED = {  # the function of NumPy that a ufunc's reduce is
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
RUNNING: dict[Any, str] = {
    **{np.add: "cumsum", np.multiply: "cumprod"},
    **{np.maximum: "cummax", np.minimum: "cummin", np.logaddexp: "logcumsumexp"},
}
IN_PLACE = ("fill_diagonal", "put_along_axis")  # NumPy's change their argument, which a variable cannot be
PROPERTIES = ("shape", "ndim", "size", "mT")
ARGUMENTS = {"a_min": "low", "a_max": "high", "min": "low", "max": "high"}
REDUCING = ("numpy.core.fromnumeric", "numpy._core.fromnumeric")


class NotOfVariables(ArgumentError):
    """A function of NumPy that eqsat does not have."""


def _unknown(name: str, values: Any, calls: str = "") -> ArgumentError:
    """The error for a function of NumPy that eqsat does not have, or that calls a function of Python for each part."""
    from eqsat.graph.core import Variable

    found = [v for v in values if isinstance(v, Variable)]
    return NotOfVariables(
        f"np.{name} of a tensor variable calls {calls} in Python, which needs values"
        if calls
        else f"np.{name} does not take tensor variables",
        operands=[(str(v), v) for v in found],
        hint=f"{calls}(x) itself, eqsat.map({calls}, x)[0] for each row of x, or eqsat.wrap_py for what only Python computes"
        if calls
        else "a function of eqsat.tensor, or x.eval() for a value",
    )


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """``np.exp(x)`` for a variable x is ``T.exp(x)``.

    Errors   ArgumentError for a ufunc that ``T`` does not have, for ``out=``, ``ufunc.at`` and ``ufunc.reduceat``
    """
    import eqsat.tensor as T

    name = ufunc.__name__
    function = getattr(T, UFUNCS.get(name, name), None)
    if method == "reduce" and ufunc in REDUCED:
        return array_function(self, REDUCED[ufunc], (), inputs, {"axis": 0, **options})
    if method == "reduce" and ufunc is np.logaddexp and not set(options) - {"axis", "keepdims"}:
        return T.logsumexp(*inputs, **{"axis": 0, **options})
    if method == "accumulate" and ufunc in RUNNING and not set(options) - {"axis"}:
        return getattr(T, RUNNING[ufunc])(*inputs, **{"axis": 0, **options})
    if method == "outer" and function is not None and not options:
        a, b = (T.as_tensor(v) for v in inputs)
        return function(T.shape_padright(a, b.type.ndim) if b.type.ndim else a, b)
    if set(ufunc.types) == {"O" * ufunc.nin + "->" + "O" * ufunc.nout}:
        raise _unknown("frompyfunc", inputs, calls=name.removesuffix(" (vectorized)"))
    if method != "__call__" or function is None or options:
        text = name if method == "__call__" else f"{name}.{method}"
        raise _unknown(text + ("(..., " + "=, ".join(options) + "=)" if options else ""), inputs)
    return function(*inputs)


def _of_some(function: Any, arguments: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The arguments of a reduction over the elements ``where`` a condition holds: the others have no effect.

    Errors   ArgumentError for a reduction that cannot be said so, and for an extreme without ``initial=``
    """
    import eqsat.tensor as T

    where, rest = options["where"], {k: v for k, v in options.items() if k != "where"}
    ufunc = next((u for u, f in REDUCED.items() if f is function), None)
    x = T.as_tensor(arguments[0])
    neutral = None if ufunc is None else rest.get("initial") if ufunc.identity is None else ufunc.identity
    if neutral is None:
        raise ArgumentError(
            f"np.{function.__name__} of a variable does not take where="
            + (" without initial=" if ufunc is not None else ""),
            operands=[(str(x), x)],
            hint="np.where(condition, x, value) as its operand",
        )
    filled = T.switch(where, x, T.cast(T.as_tensor(neutral), x.type.dtype))
    return [filled, *arguments[1:]], rest


def array_function(self: Any, function: Any, types: Any, arguments: Any, options: Any) -> Any:
    """``np.sum(x, axis=0)`` for a variable x is ``T.sum(x, axis=0)``, ``np.linalg.inv(A)`` is ``T.linalg.inv(A)``.

    Errors   ArgumentError for a function that ``T`` does not have, or that has an argument which the one of ``T`` does not take
    """
    name = FUNCTIONS.get(function.__name__, function.__name__)
    if name in PROPERTIES and len(arguments) == 1 and not options:
        return getattr(self, name)
    known = None if name in IN_PLACE else getattr(_of_module(function.__module__), name, None)
    if known is None:
        calls = [getattr(a, "__name__", "f") for a in arguments if callable(a) and not isinstance(a, type)]
        raise _unknown(_full_name(function), [self], *calls[:1])
    if options.get("where", True) is not True:
        arguments, options = _of_some(function, arguments, options)
    arguments, options = with_arrays(function, arguments, options)
    given, named = _translated(self, function, known, arguments, options)
    return known(*given, **named)


def _full_name(function: Any) -> str:
    """A function of NumPy as users write it, without the ``np``: ``fft.fft``."""
    return ".".join([*function.__module__.split(".")[1:], function.__name__])


def _of_module(module: str) -> Any:
    """The module of ours that has the functions of a module of NumPy; those of ``np.lib`` stand with the others."""
    import eqsat.tensor as T

    found: Any = T
    if module.startswith("numpy.lib"):
        return None if "scimath" in module else T  # there results are complex where values ask for it
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
