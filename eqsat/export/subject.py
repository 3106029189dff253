"""A function as a C library sees it; what needs Python is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.cgen.library.interface import Field, Interface, Source, Value, is_name, names
from eqsat.cgen.runtime.lapack import SCIPY
from eqsat.cgen.texts import host_text
from eqsat.errors import ArgumentError
from eqsat.functions.function import Function
from eqsat.graph.tensor_type import TensorType


def interface(f: Function, name: str, what: str) -> Interface:
    """The facts about a function that a C program needs; errors name the caller, ``what``.

    Errors   ArgumentError for a function that has no C, or of which not all is C
    """
    if not is_name(name):
        raise ArgumentError(
            f"{what}: {name!r} is no name of C, or one that C or Python has taken", hint='name="net"'
        )
    made = _in_c(f, what)
    results = f.roots[: len(f.roots) - len(f.updated)]
    inputs, outputs = _values(f.inputs, results, name)
    sources, held = _sources(f)
    return Interface(name, inputs, outputs, _fields(f), sources, held, made.meta, host_text(made.source))


def _values(given: Sequence[Any], results: Sequence[Any], name: str) -> tuple[list[Value], list[Value]]:
    """The arguments and results under their own names, else ``in`` or ``out`` with their number."""
    wanted = [
        v.name or f"{kind}{k}" for kind, all in (("in", given), ("out", results)) for k, v in enumerate(all)
    ]
    found = [Value(n, v.type) for n, v in zip(names(wanted, [name]), [*given, *results], strict=True)]
    return found[: len(given)], found[len(given) :]


def _sources(f: Function) -> tuple[list[Source], list[np.ndarray]]:
    """The values of the plan's arguments, and the shared variables among them that no call updates."""
    place = {id(v): k for k, v in enumerate(f.updated)}
    given: Sequence[Any] = f.inputs
    sources, held = [Source("given", k, v.type) for k, v in enumerate(given)], []
    for v in f.state:
        if id(v) in place:
            sources.append(Source("field", place[id(v)], v.type))
        else:
            held.append(np.array(v.local(), order="C"))
            sources.append(Source("held", len(held) - 1, TensorType(v.type.dtype, shape=held[-1].shape)))
    return sources, held


def _fields(f: Function) -> list[Field]:
    """The variables that calls update, with their values now."""
    found = names([v.name or f"state{k}" for k, v in enumerate(f.updated)])
    return [
        Field(Value(n, v.type), np.array(v.local(), order="C")) for n, v in zip(found, f.updated, strict=True)
    ]


def _in_c(f: Function, what: str) -> Any:
    """The compiled plan of a function that is all C, else the error that says why not."""
    said = f"{what}: {f}"
    if f.settings.target != "c":
        raise ArgumentError(f"{said} is compiled for {f.settings.target!r}", hint='function(..., target="c")')
    made = f.executable.compiled
    if f.variants:
        raise ArgumentError(
            f"{said} chooses between {len(f.variants)} graphs", hint="function(..., variants=None)"
        )
    if f.settings.profile:
        raise ArgumentError(f"{said} is timed, which a library is not", hint="function(..., profile=False)")
    if made is None:
        raise ArgumentError(
            f"{said} has no C: it runs in NumPy",
            needs="a mode that compiles, and a C compiler",
            hint='mode="FAST_RUN"',
        )
    _refuse_python(said, made)
    other = next((v for v in [*f.inputs, *f.roots] if not isinstance(v.type, TensorType)), None)
    if other is not None:
        raise ArgumentError(f"{said}: {other} is no tensor", operands=[(str(other), other)])
    return made


def _refuse_python(said: str, made: Any) -> None:
    """Refuse a function some ops of which run in Python, or in SciPy; those in Python are named with the lines that made them."""
    if far := [name.removeprefix(SCIPY) for name, _ in made.meta.blas if name.startswith(SCIPY)]:
        raise ArgumentError(
            f"{said} calls {', '.join(far)} of SciPy", needs="ops whose C is eqsat's own, or of LAPACK"
        )
    if not made.opaque:
        return
    named = list(dict.fromkeys(str(node.op) for node in made.opaque))
    raise ArgumentError(
        f"{said}: {', '.join(named)} {'runs' if len(named) == 1 else 'run'} in Python",
        operands=[(str(node.op), node.outputs[0]) for node in made.opaque[:8]],
        needs="ops that are compiled",
        hint="an op of yours with C code (docs/extend.md), or the parts before and after it as functions of their own",
    )
