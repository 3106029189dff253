"""The names that a function reads while it is traced: NumPy's makers of arrays, Python's ``len`` and others take traced values.

``np.zeros(n)`` and ``len(x)`` ask for numbers of Python before any method of a traced value is asked. A traced function therefore
runs with other globals, which look up each name where it lies and give a stand-in for the few things that would ask so.
"""

from __future__ import annotations

import builtins
import math
import os
import random
import sysconfig
from collections.abc import Callable
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.pytrees import flatten, mapped
from eqsat.errors import TracingError
from eqsat.graph.core import Variable
from eqsat.tracing.known import has_traced, known
from eqsat.tracing.layouts import Made, noted
from eqsat.tracing.memory import Memory
from eqsat.tracing.memory_names import ByElement, by_elements, goes_by_elements, vectorized
from eqsat.tracing.numpy_calls import call_function
from eqsat.tracing.operators import is_number, promoted
from eqsat.tracing.traced import SHOWN, Traced, fresh, plain, refuse, wrapped

_LIBRARIES = tuple(
    path + os.sep
    for path in {
        sysconfig.get_paths()["stdlib"],
        *(os.path.dirname(os.path.abspath(m.__file__ or "")) for m in (np,)),
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    }
)
_PACKAGES = ("scipy", "numpy", "eqsat", "jax", "torch", "pandas", "matplotlib")
_GENERATORS = np.random.Generator, np.random.RandomState, random.Random
_MAKERS = ("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like")
# makers of float64 by default, and the place of their dtype
_REAL = {"zeros": 1, "ones": 1, "empty": 1, "identity": 1, "eye": 3, "tri": 3}


class TracedNames(dict):  # type: ignore[type-arg]
    """The globals of a function, as it sees them while it is traced; what it sets is its own until the end."""

    def __init__(self, names: dict[str, Any], stands: StandIns) -> None:
        super().__init__()
        self.names, self.stands = names, stands

    def __getitem__(self, name: str) -> Any:
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        found = self.names[name] if name in self.names else vars(builtins)[name]
        return self.stands.of(found)

    def keep(self) -> None:
        """Give the names that were set to those that the function has.

        Errors   ArgumentError for a traced value, which means nothing after the trace
        """
        for name, value in self.items():
            if has_traced(value):
                refuse(
                    None,
                    f"the global name {name} is set to a traced value",
                    "return it, and set the name after the call",
                )
            self.names[name] = value
        self.clear()


class StandIns:
    """The stand-ins of one trace: one for each thing, so that a thing stays itself."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}
        self._names: list[TracedNames] = []

    def called(self, function: Any, arguments: Any, keywords: Any) -> Any:
        """Call a function as it runs while it is traced; one that calls another is told which."""
        inner = getattr(function, "called", None)
        bare = function.fn if inner is not None else function
        if not isinstance(bare, (FunctionType, MethodType, partial, type)):
            bare = bare.__call__  # of an object
        if isinstance(bare, MethodType):
            arguments, bare = (bare.__self__, *arguments), bare.__func__
        run = self.of(bare)
        try:
            answer = (run if inner is None else partial(inner, run))(*arguments, **keywords)
        except ValueError as error:  # NumPy's, of a write into an array of its own
            if isinstance(error.__cause__, TracingError):
                raise error.__cause__ from None
            raise
        for names in self._names:
            names.keep()
        return answer

    def of(self, thing: Any) -> Any:
        """The stand-in of a function, a module or a generator; other things are themselves."""
        known = self._made.get(id(thing))
        if known is None:
            made = self._stand_in(thing)
            if made is thing:
                return thing
            known = self._made[id(thing)] = (thing, made)
        return known[1]

    def behind(self, made: Any) -> Any:
        """The thing for which something stands; other things are themselves."""
        return next((thing for thing, stand_in in self._made.values() if stand_in is made), made)

    def _stand_in(self, thing: Any) -> Any:
        if isinstance(thing, FunctionType) and is_users(thing):
            return self.function(thing)
        if isinstance(thing, partial):
            return partial(self.of(thing.func), *thing.args, **thing.keywords)
        if isinstance(thing, np.ndarray):
            return known(thing)
        if isinstance(thing, np.vectorize):
            return ByElement(thing)
        if isinstance(thing, ModuleType):
            return self._module(thing)
        if isinstance(thing, _GENERATORS):
            return Draws(f"the generator {type(thing).__name__}")
        if callable(thing) and isinstance(owner := getattr(thing, "__self__", None), _GENERATORS):
            return getattr(self.of(owner), thing.__name__)  # as of np.random.normal
        try:
            return _BUILTINS.get(thing, thing) if callable(thing) else thing
        except TypeError:  # it has no hash
            return thing

    def _module(self, module: ModuleType) -> Any:
        if module in (np.random, random):
            return Draws(module.__name__.replace("numpy", "np"))
        if module is np or module.__name__.startswith("numpy."):
            return Stand(module, numpy_name)
        if module is math:
            return Stand(module, math_name)
        if module.__name__.startswith("eqsat"):
            return Stand(module, eqsat_name)
        return module

    def function(self, function: FunctionType) -> FunctionType:
        """A function of the user's as it runs while it is traced."""
        cells = tuple(self._cell(cell) for cell in function.__closure__ or ())
        names = TracedNames(function.__globals__, self)
        self._names.append(names)
        made = FunctionType(
            function.__code__,
            names,
            function.__name__,
            function.__defaults__,
            cells or None,
        )
        made.__kwdefaults__ = function.__kwdefaults__
        self._made[id(function)] = (function, made)
        return made

    def _cell(self, cell: CellType) -> CellType:
        try:
            held = cell.cell_contents
        except ValueError:  # nothing yet
            return cell
        seen = self.of(held)
        return cell if seen is held else CellType(seen)


def is_users(function: FunctionType) -> bool:
    """True for a function that a user wrote, in a script, a notebook or a package of their own."""
    path = function.__code__.co_filename
    top = (function.__module__ or "").partition(".")[0]
    return top not in _PACKAGES and not any(
        path.startswith(place) and "site-packages" not in path[len(place) :] for place in _LIBRARIES
    )


class Stand:
    """A module whose functions take traced values."""

    def __init__(self, module: ModuleType, stand_in: Callable[[Any, str], Any]) -> None:
        self._module, self._stand_in = module, stand_in

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if found is np.random:
            return Draws("np.random")
        if isinstance(found, ModuleType):
            return Stand(found, self._stand_in)
        return self._stand_in(found, name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._stand_in(self._module, "")(*arguments, **options)  # as eqsat.scan

    def __repr__(self) -> str:
        return f"{self._module.__name__} while a function is traced"


class Draws:
    """A source of random numbers, which a trace would ask once for all calls; generators with a seed give the same in every call."""

    def __init__(self, said: str) -> None:
        self._said = said

    def __getattr__(self, name: str) -> Any:
        found = getattr(np.random, name, None)
        if isinstance(found, type):
            return found
        if name == "default_rng":
            return _seeded
        refuse(
            None,
            f"{self._said}.{name}: a traced function would draw once, for all its calls",
            "draws as an argument of the function, eqsat.tensor.random, or np.random.default_rng(seed) inside the function",
        )


def _seeded(seed: Any = None) -> Any:
    if seed is None or has_traced(seed):
        refuse(
            seed,
            "np.random.default_rng without a seed that is known: a traced function would draw once, for all its calls",
            "static_argnames= for the seed, draws as an argument of the function, or eqsat.tensor.random",
        )
    return np.random.default_rng(seed)


# ---------------------------------------------------------------------------------------------------------------- NumPy


def numpy_name(found: Any, name: str) -> Any:
    """The stand-in of a name of NumPy: its functions take traced lengths, its makers give arrays that can be written."""
    if name in ("r_", "c_"):
        return Joined(found, name)
    if found is np.vectorize:
        return vectorized
    if goes_by_elements(found):
        return partial(by_elements, found)
    if not callable(found) or isinstance(found, (type, np.ufunc)):
        return found
    return partial(_numpy_call, found, name)


def _numpy_call(function: Any, name: str, /, *arguments: Any, **options: Any) -> Any:
    if not has_traced(list(arguments), list(options.values())):
        made = function(*arguments, **options)
        if name not in _MAKERS:
            return mapped(known, made)
        return Traced(Memory(T.constant(made), made=Made(lambda: made, (), {})))
    if name in _REAL and "dtype" not in options and len(arguments) <= _REAL[name]:
        options["dtype"] = np.float64
    if name == "full" and "dtype" not in options and len(arguments) < 3:
        options["dtype"] = (
            np.asarray(arguments[1]).dtype if not has_traced(arguments[1]) else arguments[1].dtype
        )
    made = call_function(function, arguments, options)
    if name not in _MAKERS or type(made) is not Traced:
        return made
    return noted(Traced(Memory(made.variable)), function, arguments, options)


class Joined:
    """``np.r_`` and ``np.c_`` of traced arrays."""

    def __init__(self, real: Any, name: str) -> None:
        self._real, self._name = real, name

    def __getitem__(self, item: Any) -> Any:
        parts = item if isinstance(item, tuple) else (item,)
        if not has_traced(list(parts)):
            return self._real[item]
        if any(isinstance(p, (slice, str)) for p in parts):
            refuse(None, f"np.{self._name} with slices or text", "np.concatenate and np.arange")
        if self._name == "c_":
            return np.column_stack(list(parts))  # type: ignore[call-overload]
        return np.concatenate([np.atleast_1d(fresh(T.as_tensor_variable(p))) for p in promoted(parts)[0]])


# ------------------------------------------------------------------------------------------------- math, eqsat, builtins


def math_name(found: Any, name: str) -> Any:
    """The stand-in of a function of ``math``: of a traced number it gives one."""
    if not callable(found) or not hasattr(T, name):
        return found

    def call(*values: Any) -> Any:
        if not has_traced(list(values)):
            return found(*values)
        whole = found in (math.floor, math.ceil, math.trunc)
        made = getattr(T, name)(*(T.cast(plain(v), "float64") for v in values))
        return fresh(T.cast(made, "int64") if whole else made, number=True)

    return call


def eqsat_name(found: Any, name: str) -> Any:
    """The stand-in of a function of eqsat: it takes and gives traced values, and so do functions among its arguments."""
    if isinstance(found, type) or not callable(found) or getattr(found, "traces", False):
        return found

    def call(*arguments: Any, **options: Any) -> Any:
        given, named = (mapped(_inner, v) for v in (list(arguments), options))
        return wrapped(found(*given, **named))

    return call


def _inner(value: Any) -> Any:
    """An argument as eqsat takes it."""
    if not isinstance(value, FunctionType):
        return plain(value)

    def body(*arguments: Any) -> Any:
        traced = [fresh(a) if isinstance(a, Variable) else a for a in arguments]
        return mapped(plain, value(*traced))

    return body


def _len(value: Any) -> Any:
    if type(value) is Traced and value.ndim:
        return value.shape[0]
    return len(value)


def _sum(values: Any, /, start: Any = 0) -> Any:
    return np.sum(values, axis=0) + start if type(values) is Traced else sum(values, start)


def _extreme(function: Any, numpy_function: Any, reduction: Any) -> Any:
    def call(*values: Any, **options: Any) -> Any:
        if len(values) == 1 and type(values[0]) is Traced:
            return reduction(values[0])
        given = values[0] if len(values) == 1 else values
        if options or not has_traced(list(given)):
            return function(*values, **options)
        numbers = all(is_number(v) for v in given)
        found = given[0]
        for v in given[1:]:
            found = numpy_function(found, v)
        if numbers:
            found.number = True
        return found

    return call


def _print(*values: Any, **options: Any) -> None:
    for value in values:
        if has_traced(value):
            refuse(
                next(v for _, v in flatten(value)[0] if type(v) is Traced),
                "print(...) of a traced value",
                SHOWN,
            )
    print(*values, **options)


_BUILTINS: dict[Any, Any] = {
    len: _len,
    sum: _sum,
    max: _extreme(max, np.maximum, np.max),
    min: _extreme(min, np.minimum, np.min),
    print: _print,
}
