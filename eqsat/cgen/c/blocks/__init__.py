"""Builders of ops in C, found by the names that the ops give: ``builder="cumulate.total"`` is ``total`` in ``cumulate.py``.

The builder of a block is given a writer, the op, its operands and its results, and writes the statements of a C function;
that of a view gives the ``CView`` of its result. Beside it may stand ``total_lengths``, the lengths of the results of an op
whose declaration does not say them, and ``total_room``, C text of the elements of working memory that it knows as ``room``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from eqsat.cgen.c.signature import c_lengths

Builder = Callable[..., Any]


def saying(**facts: Any) -> Callable[[Builder], Builder]:
    """Note something about a builder: ``light`` where its work is small beside that of a call, ``calls`` a library."""

    def note(build: Builder) -> Builder:
        vars(build).update(facts)
        return build

    return note


def fact(declaration: Any, name: str, default: Any = None) -> Any:
    """A fact that the builder of a view or block states about itself."""
    return getattr(builder_of(declaration), name, default)


def builder_of(declaration: Any) -> Builder | None:
    """The builder of a view or block: its own C text, else what it names; None for an op that runs in Python."""
    if declaration.c is not None:
        return declaration.c  # type: ignore[no-any-return]
    return builder(declaration.builder) if declaration.builder else None


def lengths_of(declaration: Any) -> Builder:
    """The function that gives the lengths of the results of a block: its own, else what follows from its signature."""
    own = declaration.dims or _beside(declaration.builder, "_lengths")
    return own or c_lengths  # type: ignore[no-any-return]


def room_of(declaration: Any) -> Builder | None:
    """The function that gives the size of the working memory of a block, if it has one."""
    return declaration.scratch or _beside(declaration.builder, "_room")  # type: ignore[no-any-return]


@functools.cache
def _beside(name: str, end: str) -> Builder | None:
    """The function beside a builder whose name has an end more; None where there is none."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function + end, None) if name else None


@functools.cache
def builder(name: str) -> Builder:
    """The builder of a name."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function)  # type: ignore[no-any-return]
