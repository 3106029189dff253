"""Calls a C library with arrays of NumPy. It stands in wheels, beside the library, and needs NumPy alone."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Finder = Callable[[str, str], Callable[..., Any]]
_FIXED = 3  # words of an array that the library allocates, beside its lengths: data, ndim, room


def by_ctypes(path: str | Path) -> Finder:
    """The functions of a shared library, by name and a letter per argument: p a pointer, n a length; both are given as numbers."""
    library = ctypes.CDLL(str(path))
    types: dict[str, Any] = {"p": ctypes.c_void_p, "n": ctypes.c_int64, "i": ctypes.c_int}

    def find(name: str, kinds: str) -> Callable[..., Any]:
        found = library[name]
        found.restype = ctypes.c_char_p if kinds == "i" else ctypes.c_int
        found.argtypes = [types[kind] for kind in kinds]
        return found

    return find


class Kind:
    """An argument or a result: its name, its dtype and its lengths, None where a call says them."""

    def __init__(self, name: str, dtype: str, shape: Sequence[int | None]) -> None:
        self.name, self.dtype, self.shape = name, np.dtype(dtype), tuple(shape)
        self.known = None not in self.shape
        self.lengths = tuple(n or 0 for n in self.shape)

    def taken(self, value: Any) -> np.ndarray:
        """A value as the library takes it: contiguous, of its type.

        Errors   TypeError for an array whose elements would lose something; ValueError for one of another shape
        """
        if type(value) is np.ndarray and value.dtype is self.dtype and value.flags.c_contiguous:
            array = value
        else:
            array = self._converted(value)
        if array.shape != self.shape:
            self._check(array.shape)
        return np.asarray(np.not_equal(array, 0)) if self.dtype.kind == "b" else array

    def _converted(self, value: Any) -> np.ndarray:
        if isinstance(value, np.ndarray) and not np.can_cast(value.dtype, self.dtype, "safe"):
            raise TypeError(f"{self.name} is {value.dtype}, not {self.dtype}")
        return np.asarray(value, self.dtype, order="C")

    def _check(self, shape: tuple[int, ...]) -> None:
        """Refuse a shape that is none of this argument."""
        fits = [k in (None, n) for n, k in zip(shape, self.shape, strict=False)]
        if len(shape) != len(self.shape) or not all(fits):
            wanted = ", ".join("?" if n is None else str(n) for n in self.shape)
            raise ValueError(f"{self.name} has the shape {shape}, not ({wanted})")


class Library:
    """The functions of a library, whose ``table`` names its arguments, results and variables.

    ``call(*arrays)`` gives an array for each result, one alone as it is. Where calls update variables, the first argument is a
    state: ``init()`` makes one.
    """

    def __init__(self, table: Mapping[str, Any], find: Finder, module: str | None = None) -> None:
        self.table, self.name = table, str(table["name"])
        self.module = module  # which offers init, where a state that is unpickled comes from
        self._find = find
        self._inputs = [Kind(*row) for row in table["inputs"]]
        self._results = [Kind(*row) for row in table["results"]]
        self._fields = table["fields"]
        self._words = _FIXED + int(table["rank"])
        lengths = sum(kind.shape.count(None) for kind in self._inputs)
        kinds = "p" * (bool(self._fields) + len(self._inputs)) + "n" * lengths + "p" * len(self._results)
        self._call = find(self.name + ("_step" if self._fields else ""), kinds)
        self._message = find(f"{self.name}_message", "i")
        if table["routines"]:
            self._use_scipy(table["routines"])

    def _use_scipy(self, routines: Sequence[str]) -> None:
        """Give the library the matrix routines that come with SciPy."""
        pointers = np.array([_pointer(name) for name in routines], np.uintp)
        self._find(f"{self.name}_use", "p")(pointers.ctypes.data)

    def init(self) -> State:
        """A state with the first values of the variables that calls update."""
        state = State(self)
        self._check(self._find(f"{self.name}_init", "p")(state.words.ctypes.data))
        return state

    def call(self, *given: Any, **named: Any) -> Any:
        """The results for some arrays, by their places or names, after the state where there is one."""
        names = ["state"] * bool(self._fields) + [kind.name for kind in self._inputs]
        if named:
            given = self._in_order(names, given, named)
        state, *values = given if self._fields and given else (None, *given)
        if isinstance(state, State) != bool(self._fields) or len(values) != len(self._inputs):
            raise TypeError(f"{self.name} takes {len(self._inputs)} arrays: ({', '.join(names)})")
        arrays = [kind.taken(value) for value, kind in zip(values, self._inputs, strict=True)]
        made = [self._memory(kind) for kind in self._results]
        pointers = [a.ctypes.data for a in arrays]
        if state is not None:
            pointers.insert(0, state.words.ctypes.data)
        for array, kind in zip(arrays, self._inputs, strict=True):
            if not kind.known:
                pointers += [n for n, k in zip(array.shape, kind.shape, strict=True) if k is None]
        code = self._call(*pointers, *[a.ctypes.data for a in made])
        if code:
            self._check(code)
        found = [self._result(a, kind) for a, kind in zip(made, self._results, strict=True)]
        return found[0] if len(found) == 1 else found

    def _in_order(self, names: Sequence[str], given: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments of a call in the order of the names."""
        said = f"{self.name}() takes ({', '.join(names)})"
        for name in named:
            if name not in names:
                raise TypeError(f"{said}, and no {name!r}")
            if name in names[: len(given)]:
                raise TypeError(f"{said}: {name!r} is given twice")
        rest = names[len(given) :]
        if missing := [name for name in rest if name not in named]:
            raise TypeError(f"{said}: {', '.join(missing)} missing")
        return (*given, *(named[name] for name in rest))

    def _memory(self, kind: Kind) -> np.ndarray:
        """Memory for a result, or words for one whose lengths the call finds out."""
        return np.empty(kind.lengths, kind.dtype) if kind.known else np.zeros(self._words, np.int64)

    def _result(self, made: np.ndarray, kind: Kind) -> np.ndarray:
        if kind.known:
            return made
        found = self.array(made, kind.dtype)
        self._find(f"{self.name}_free", "p")(made.ctypes.data)
        return found

    def array(self, words: np.ndarray, dtype: Any) -> np.ndarray:
        """A copy of an array of the library."""
        data, ndim = int(words[0]), int(words[1])
        found = np.empty(words[2 : 2 + ndim], dtype)
        ctypes.memmove(found.ctypes.data, data, found.nbytes)
        return found

    def _check(self, code: int | None) -> None:
        """Raise the error that a call has reported by its number."""
        if not code:
            return
        text = self._message(code).decode(errors="replace")
        kind = "MemoryError" if code == -1 else self.table["errors"][code - 1] if code > 0 else "RuntimeError"
        known = {
            "MemoryError": MemoryError,
            "RuntimeError": RuntimeError,
            "LinAlgError": np.linalg.LinAlgError,
        }
        raise known.get(kind, ValueError)(text)


class State:
    """The variables that calls of a library update; ``state[name]`` is a copy of one, and ``state[name] = array`` sets it.

    ``list(state)`` has their names. A state of a package is copied and pickled.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kinds = {row[0]: (k, Kind(*row)) for k, row in enumerate(library.table["fields"])}
        size = _FIXED + int(library.table["rank"])
        self.words = np.zeros((2 * len(self._kinds), size), np.int64)
        drop = library._find(f"{library.name}_drop", "p")
        weakref.finalize(self, lambda words: drop(words.ctypes.data), self.words).atexit = False

    def __getitem__(self, name: str) -> np.ndarray:
        place, kind = self._kinds[name]
        return self._library.array(self.words[place], kind.dtype)

    def __setitem__(self, name: str, value: Any) -> None:
        place, kind = self._kinds[name]
        array, words = kind.taken(value), self.words[place]
        if self._library._find(f"{self._library.name}_reserve", "pn")(words.ctypes.data, array.nbytes):
            raise MemoryError(f"no memory for {name}")
        words[2 : 2 + array.ndim] = array.shape
        ctypes.memmove(int(words[0]), array.ctypes.data, array.nbytes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __reduce__(self) -> Any:
        if self._library.module is None:
            raise TypeError(
                f"a state of {self._library.name} is copied by a package alone: state[name] is a copy of a variable"
            )
        return _restored, (self._library.module, {name: self[name] for name in self})


def _restored(module: str, values: Mapping[str, np.ndarray]) -> State:
    """The state of a package with some values."""
    state: State = import_module(module).init()
    for name, value in values.items():
        state[name] = value
    return state


def _pointer(name: str) -> int:
    """The address of a matrix routine that comes with SciPy."""
    from scipy.linalg import cython_blas, cython_lapack

    table = cython_blas.__pyx_capi__ if name in cython_blas.__pyx_capi__ else cython_lapack.__pyx_capi__
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer_of(table[name], name_of(table[name])))
