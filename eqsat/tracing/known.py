"""Arrays that are known while a function is traced, which take traced values as indices and arguments of their methods."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.pytrees import mapped
from eqsat.tracing.traced import Traced, plain, refuse, wrapped


class Known(np.ndarray):
    """An array as NumPy has it, of which ``a[i]`` and ``a.dot(x)`` with traced i and x are traced."""

    def __getitem__(self, item: Any) -> Any:
        if has_traced(item):
            return wrapped(T.constant(self.view(np.ndarray))[mapped(plain, item)])
        return super().__getitem__(item)

    def __setitem__(self, item: Any, value: Any) -> None:
        if has_traced(item, value):
            refuse(
                None,
                "x[...] = y: traced values are written into an array that was made outside the traced function, or by a computation",
                "np.zeros, np.empty or x.copy() inside the function",
            )
        super().__setitem__(item, value)

    def copy(self, order: Any = "C") -> Any:
        """A traced array, which can be written."""
        from eqsat.tracing.memory import Memory

        return Traced(Memory(T.constant(self.view(np.ndarray))))


def known(value: Any) -> Any:
    """An array as one that takes traced indices; other things as they are."""
    return value.view(Known) if type(value) is np.ndarray and value.dtype.kind in "biufc" else value


def has_traced(*values: Any) -> bool:
    """True where some leaf of the values is traced."""
    found: list[bool] = []
    mapped(lambda v: found.append(type(v) is Traced), list(values))
    return any(found)


def _method(name: str) -> Any:
    plain_method, function = getattr(np.ndarray, name), getattr(np, name)

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if has_traced(list(arguments), options):
            return function(self, *arguments, **options)
        return plain_method(self, *arguments, **options)

    return method


for _name in dir(np.ndarray):
    if _name[0] != "_" and _name != "copy" and callable(getattr(np.ndarray, _name)) and hasattr(np, _name):
        setattr(Known, _name, _method(_name))
