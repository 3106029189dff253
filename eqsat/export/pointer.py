"""Compiled functions as addresses that other programs in this process call, without Python and without its lock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.cgen.library.entry import WRONG_LENGTH, Parameter, entry_text, parsed
from eqsat.cgen.runtime.build import build, find_compiler
from eqsat.errors import ArgumentError
from eqsat.export.subject import interface
from eqsat.functions.function import Function


class CFunction:
    """A C function of a signature; ``address`` is valid as long as this object is there.

    ``ctypes`` is the same function for Python and SciPy, ``message(code)`` the text of an error that it returned.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> square = eqsat.function([x], x * x, mode="FAST_RUN").c_function("double(double)")
    >>> square(3.0)
    9.0
    """

    def __init__(
        self, f: Function, signature: str, finite: bool = False, results: Sequence[int] | None = None
    ) -> None:
        known = interface(f, "function", "c_function")
        if known.fields:
            named = ", ".join(str(v) for v in f.updated)
            raise ArgumentError(
                f"c_function: {f} updates {named}, and an address has no state",
                hint="f.export(folder): its library has one",
            )
        self.signature, self._meta, self._finite = signature, known.meta, finite
        order = list(range(len(known.results)))
        if results is not None and sorted(results) != order:
            raise ArgumentError(f"c_function: results={results!r} is no order of {len(order)} results")
        order = order if results is None else list(results)
        compiler, made = find_compiler(), f.executable.compiled
        assert compiler is not None, "a function was compiled without a compiler"
        directory = config.cache_dir if config.cache else None
        names = ["eq_entry", "eq_known"]
        entry = build(entry_text(known, signature, finite, order), compiler, ["-O1"], directory, names).object
        constants, held = _pointers(known.meta.constants), _pointers(known.held)
        entry.library.eq_known(ctypes.c_void_p(made.shared.address("eq_segment_0")), constants, held)
        entry.kept = (made, constants, held, known)
        self._entry = entry
        self.address = entry.address("eq_entry")

    @property
    def ctypes(self) -> Any:
        """The function as ``ctypes`` calls it; it is valid as long as this object."""
        answer, given = parsed(self.signature)
        return ctypes.CFUNCTYPE(_of_ctypes(answer), *map(_of_ctypes, given))(self.address)

    def __call__(self, *given: Any) -> Any:
        """Call the function from Python: an array stands for a pointer to its elements, which are neither checked nor converted."""
        found = self.ctypes
        if len(given) != len(found.argtypes):
            raise ArgumentError(
                f"{self.signature} is called with {len(given)} values", needs=f"{len(found.argtypes)}"
            )
        values = (
            ctypes.cast(v.ctypes.data, kind) if isinstance(v, np.ndarray) else v
            for v, kind in zip(given, found.argtypes, strict=True)
        )
        return found(*values)

    def message(self, code: int) -> str:
        """The text of a number that the function returned; places of lengths are numbers in braces."""
        fixed = {0: "", -1: "no memory", WRONG_LENGTH: "a length is not that of the type"}
        errors = [e.message for e in self._meta.errors] + ["a result is not finite"] * self._finite
        return fixed.get(code) or (errors[code - 1] if 0 < code <= len(errors) else "")

    def __int__(self) -> int:
        return self.address

    def __repr__(self) -> str:
        return f"<eqsat.CFunction {self.signature} at {self.address:#x}>"


def c_function(
    f: Function, signature: str, finite: bool = False, results: Sequence[int] | None = None
) -> CFunction:
    """The address of a C function that computes what a compiled function does.

    ``signature`` has types of C or NumPy, as ``"int64(uint64, double*, double*, double*, void*)"``. Pointers stand for the
    arguments in order, then for the results, whose memory is the caller's; an argument that is one number may be given as it is.
    ``results`` has their numbers in another order. Integers stand for lengths: those that the types do not know, or all, those of
    results behind them, or one for every argument of one axis. What is behind a ``void*`` is not looked at. An integer that is returned is 0 or the number of an error; a ``double`` that is returned is the first
    result that is one number, NaN where there is an error. With ``finite`` a result that is not finite is an error. Shared variables
    have the values that they had when the address was made.

    Errors   ArgumentError for a signature that does not fit, for a function of which some ops run in Python, and for one with updates

    >>> import numpy as np, eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> density = eqsat.function([x], [-T.sum(x**2), -2 * x], mode="FAST_RUN")
    >>> density = density.c_function("int64(uint64, double*, double*, double*, void*)")
    >>> point, value, slope = np.array([1.0, 2.0]), np.zeros(1), np.zeros(2)
    >>> density(2, point, value, slope, None)
    0
    >>> value, slope
    (array([-5.]), array([-2., -4.]))
    """
    return CFunction(f, signature, finite, results)


def _pointers(arrays: Any) -> Any:
    """The addresses of the elements of some arrays."""
    return (ctypes.c_void_p * (len(arrays) + 1))(*(a.ctypes.data for a in arrays))


def _of_ctypes(p: Parameter) -> Any:
    """The type of ctypes for a type of a signature; None for nothing. It has no complex numbers, to which pointers are plain ones."""
    if p.dtype == "void" or "complex" in p.dtype:
        return ctypes.c_void_p if p.pointer else None
    found = np.ctypeslib.as_ctypes_type(np.dtype(p.dtype))
    return ctypes.POINTER(found) if p.pointer else found
