"""A function as a folder of files: a header, C, a Makefile, and, if asked for, a Python package without eqsat."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from eqsat.cgen.library import text
from eqsat.errors import ArgumentError
from eqsat.export.package import package
from eqsat.export.processors import check_processor
from eqsat.export.project import makefile
from eqsat.export.subject import interface
from eqsat.functions.function import Function


def export(
    f: Function,
    folder: str | os.PathLike[str],
    name: str | None = None,
    target: str | None = "native",
    python: str | None = None,
) -> list[str]:
    """Write a compiled function as a C library that needs neither Python nor eqsat; the names of the files.

    ``name`` is that of the library and of its function, by default the function's own. ``target`` is the processor for which the
    Makefile compiles, as gcc's ``-march`` has it: "native" for the machine that compiles, "x86-64-v3", or None for any.
    Arguments and results are pointers to elements in C order. A result whose lengths the types do not know is an array that the
    library allocates. Variables that calls update are a struct. A call gives 0 or the number of an error.
    ``python="cffi"`` adds a Python project, of which ``pip wheel`` makes a package that needs NumPy and no eqsat.

    Errors   ArgumentError for a function of which some ops run in Python, which are named, or that has no C, and for
             another word than "cffi", or for a name of a processor that looks misspelt to the compiler here

    >>> import tempfile, eqsat, eqsat.tensor as T
    >>> x = T.TensorType("float64", shape=(3,))("x")
    >>> f = eqsat.function([x], 2 * x, mode="FAST_RUN")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     f.export(folder, name="twice")
    ['twice.h', 'twice.c', 'twice_kernels.c', 'Makefile']
    """
    if python not in (None, "cffi"):
        raise ArgumentError(f"export: python does not take {python!r}", among=(python, ("cffi",)))
    if target is not None:
        check_processor(target)
    made = interface(f, name or f.name or "function", "export")
    title = f"made by eqsat of {f!r}"
    files = {f"{made.name}.h": text.header(made, title), f"{made.name}.c": text.source(made)}
    files |= text.kernels(made)
    files["Makefile"] = makefile(made, list(files), target)
    files |= package(made, target) if python else {}
    _write(folder, files)
    return list(files)


def _write(folder: str | os.PathLike[str], files: Mapping[str, str]) -> None:
    """Write texts into a folder, which is made where it is not there."""
    try:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"export: {folder} cannot be written: {error.strerror}") from error
