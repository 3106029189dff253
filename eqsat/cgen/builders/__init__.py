"""Builders of ops, found by the names that the ops give: ``builder="cumulate.total"`` is ``total`` in ``cumulate.py``.

The builder of a block is given a writer, the op, its operands and its results, and writes statements of the loop program;
that of a view gives the memory of its result. Beside it may stand ``total_lengths``, the lengths of the results of an op
whose declaration does not say them, ``total_room``, the number of elements of working memory that it is given last, and
``total_pieces``, the places of the operands in the result of a block that only moves elements (``Cut`` in ``cgen/ir/cuts.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from eqsat.errors import DeclarationError

Builder = Callable[..., Any]


def saying(**facts: Any) -> Callable[[Builder], Builder]:
    """Note something about a builder: ``light`` where its work is small beside that of a call, ``calls`` a library."""

    def note(build: Builder) -> Builder:
        vars(build).update(facts)
        return build

    return note


@functools.cache
def beside(name: str, end: str) -> Builder | None:
    """The function beside a builder whose name has an end more; None where there is none."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function + end, None) if name else None


@functools.cache
def builder(name: str) -> Builder:
    """The builder of a name."""
    module, _, function = name.partition(".")
    try:
        found = getattr(import_module(f"{__name__}.{module}"), function, None)
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{module}":
            raise
        found = None
    if found is None:
        raise DeclarationError(
            f"there is no builder {name!r}", needs=f"a function {function} in eqsat/cgen/builders/{module}.py"
        )
    return found  # type: ignore[no-any-return]
