"""Memory, elements one at a time, and labels of axes: NumPy's arrays and their kin have them, and traced ones have not."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import numpy as np

from eqsat.base.names import MissingNameError
from eqsat.tracing.known import has_traced
from eqsat.tracing.traced import Traced, refuse

OUTSIDE = "the arguments of the function have some before the call, its results after it"


def attribute_of_memory(x: Traced, name: str) -> Any:
    """An attribute of arrays that is about their memory: ``view`` where nothing is read in another way.

    Errors   AttributeError, as Python's ``hasattr`` asks for
    """
    if name == "view":
        return partial(_viewed, x)
    text = f"x.{name}: a traced array has elements, and no memory that could be looked at; {OUTSIDE}"
    raise MissingNameError(text, name, list)


def _viewed(x: Traced, dtype: Any = None, type: Any = None) -> Any:
    """The array itself, as a view."""
    asked = [a for a in (dtype, type) if a not in (None, np.ndarray)]
    if all(isinstance(a, (str, np.dtype)) or not _is_array(a) for a in asked) and all(
        np.dtype(a) == x.dtype for a in asked
    ):
        return x[...]
    return refuse(
        x,
        f"x.view({', '.join(getattr(a, '__name__', str(a)) for a in asked)}): a traced array has elements, and no bits of memory",
        "x.astype(dtype), which converts the elements; bits are looked at before the call or after it",
    )


def _is_array(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, np.ndarray)


def goes_by_elements(thing: Any) -> bool:
    """True for a class of NumPy that gives elements or indices one at a time, as ``np.nditer``."""
    return isinstance(thing, type) and hasattr(thing, "__next__") and thing.__module__.startswith("numpy")


def by_elements(kind: Any, /, *arguments: Any, **options: Any) -> Any:
    """The iterator of arrays that are known; of traced ones it is refused."""
    if not has_traced(list(arguments), options):
        return kind(*arguments, **options)
    refuse(
        None,
        f"np.{kind.__name__} of a traced array goes through elements, which are not known before the compiled function runs",
        "operations on whole arrays; eqsat.scan where each step needs the one before it",
    )


class ByElement:
    """A function that ``np.vectorize`` calls with each element; of traced arrays that is refused."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not has_traced(list(arguments), options):
            return self._real(*arguments, **options)
        name = getattr(self._real.pyfunc, "__name__", "f")
        _refuse_vectorized(name if name.isidentifier() else "f")


def _refuse_vectorized(name: str) -> NoReturn:
    refuse(
        None,
        f"np.vectorize({name}) of a traced array calls {name} in Python for each element",
        f"{name}(x) itself, with np.where(condition, a, b) in place of `if`; its operations are compiled for all elements",
    )


def vectorized(*arguments: Any, **options: Any) -> Any:
    """``np.vectorize``, as a function or a decorator with options."""
    made = np.vectorize(*arguments, **options)
    return ByElement(made) if callable(getattr(made, "pyfunc", None)) else vectorized_later(made)


def vectorized_later(made: Any) -> Any:
    """The decorator that ``np.vectorize(otypes=...)`` is."""
    return lambda function: ByElement(made(function))
