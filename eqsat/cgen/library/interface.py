"""Facts about a function that a C program needs to call it: its arguments, results, variables that calls update, errors."""

from __future__ import annotations

import ctypes
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.cgen.c_files import sections
from eqsat.cgen.ir.meta import Meta
from eqsat.graph.tensor_type import TensorType

_TAKEN = set(sections(__file__, "library.c")["WORDS"].split())


@dataclass(frozen=True)
class Value:
    """An argument, a result or an updated variable: its name in C and its type."""

    name: str
    type: TensorType

    @property
    def known(self) -> bool:
        """True where the type knows every length."""
        return None not in self.type.shape

    @property
    def text(self) -> str:
        """The type in words."""
        lengths = " by ".join("?" if n is None else str(n) for n in self.type.shape)
        return f"{self.type.dtype}, {lengths or 'one number'}"


@dataclass(frozen=True)
class Field:
    """A variable that calls update: its name, its type and its first value."""

    value: Value
    first: np.ndarray


@dataclass(frozen=True)
class Source:
    """The value of an argument of the plan: one of the caller's (``given``), a field of the state, or an array that stays as it is."""

    kind: str
    place: int
    type: TensorType


@dataclass(frozen=True, eq=False)
class Interface:
    """A function as a C program sees it.

    ``sources`` has the arguments of the plan in order. The outputs after the results are the next values of the ``fields``.
    ``held`` has the values of the shared variables that no call updates.
    """

    name: str
    inputs: Sequence[Value]
    results: Sequence[Value]
    fields: Sequence[Field]
    sources: Sequence[Source]
    held: Sequence[np.ndarray]
    meta: Meta
    source: str

    @property
    def arrays(self) -> bool:
        """True where the library allocates: for results of unknown lengths, and for a state."""
        return bool(self.fields) or not all(r.known for r in self.results)

    @property
    def call(self) -> str:
        """The name of the function that computes."""
        return f"{self.name}_step" if self.fields else self.name

    @property
    def rank(self) -> int:
        """The most axes of an array that the library allocates."""
        found = [f.value.type.ndim for f in self.fields] + [r.type.ndim for r in self.results]
        return max([1, *found])

    @property
    def own(self) -> list[tuple[str, str]]:
        """The libraries of eqsat that the kernels call, with their C types."""
        return [pair for pair in self.meta.blas if pair[0] in ("product", "convolution")]

    @property
    def foreign(self) -> list[tuple[str, str]]:
        """The routines of LAPACK and BLAS that the kernels call, with their C types."""
        return [pair for pair in self.meta.blas if pair not in self.own]

    def lengths(self) -> Iterator[tuple[Value, int]]:
        """The arguments and axes whose lengths a caller gives."""
        for v in self.inputs:
            yield from ((v, axis) for axis, n in enumerate(v.type.shape) if n is None)


def names(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names of C for some variables, each once.

    >>> names(["x", "x", "for", "learning rate", "2nd"])
    ['x', 'x_1', 'for_2', 'learning_rate', 'v2nd']
    """
    used, found = {*_TAKEN, *taken}, []
    for k, word in enumerate(wanted):
        name = re.sub(r"\W", "_", word, flags=re.ASCII)
        name = name if name[0].isalpha() else f"v{name}"
        while not used.isdisjoint(own := {name, *(f"{name}_len{axis}" for axis in range(10))}):
            name = f"{name}_{k}"
        used |= own
        found.append(name)
    return found


def is_name(word: Any) -> bool:
    """True for a name that a C library, its files and a Python module may have, and that no function of C has.

    >>> is_name("net"), is_name("2nd"), is_name("a-b"), is_name("for"), is_name("exp")
    (True, False, False, False, False)
    """
    return (
        isinstance(word, str)
        and bool(re.fullmatch(r"(?!eq_)[A-Za-z]\w{0,60}", word, re.ASCII))
        and not (word in _TAKEN or keyword.iskeyword(word))
        and not hasattr(ctypes.CDLL(None), word)
    )


def table_of(f: Interface, routines: Sequence[str]) -> dict[str, Any]:
    """The facts that a caller who knows no C needs, as plain values."""

    def rows(values: Iterable[Value]) -> list[tuple[str, str, list[int | None]]]:
        return [(v.name, v.type.dtype, list(v.type.shape)) for v in values]

    return {
        "name": f.name,
        "inputs": rows(f.inputs),
        "results": rows(f.results),
        "fields": rows(x.value for x in f.fields),
        "rank": f.rank,
        "routines": list(routines),
        "errors": [e.error for e in f.meta.errors],
    }
