"""The fields of a declaration that name something: each says once of what, and checks and tests read it there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from typing import Any

from eqsat.graph.properties import words

WORD = re.compile(r"\w+")


def of_op(
    names: Callable[[Any], Iterable[str]] | None = None, default: Any = "", takes: int | None = None
) -> Any:
    """A field that names ops: those that ``names`` finds in a declaration, else each word that is given."""
    return field(default=default, metadata={"ops": names, "takes": takes})


def one_of(*choices: str, takes: int | None = None) -> Any:
    """A field that is one of some words, or is not given."""
    return field(default="", metadata={"one_of": choices, "takes": takes})


def taking(count: int, default: Any = False) -> Any:
    """A field of ops that take so many operands: of others it says nothing, and rules would write them wrongly."""
    return field(default=default, metadata={"takes": count})


def among(known: Callable[[Any], Collection[str]], default: Any = "") -> Any:
    """A field whose words are among those that ``known`` finds in a declaration."""
    return field(default=default, metadata={"among": known})


def operands(d: Any) -> tuple[str, ...]:
    """The operands of an op."""
    return d.tensors  # type: ignore[no-any-return]


def lengths(d: Any) -> list[str]:
    """The names of lengths of the operands in the signature of an op."""
    axes = d.shapes.operands if d.shapes is not None else ()
    return sorted({name for one in axes for text in (*one.before, *one.after) for name in WORD.findall(text)})


def named_in(given: str | tuple[str, ...]) -> list[str]:
    """The words of a field.

    >>> named_in("x, y"), named_in(("x", "y"))
    (['x', 'y'], ['x', 'y'])
    """
    return [word for text in words(given) for word in WORD.findall(text)]


def ops_named(d: Any, given: Iterable[str] | None = None) -> dict[str, list[str]]:
    """The names of ops in the fields of a declaration, or in some of them.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> ops_named(OPS["tan"])
    {'undoes': ['arctan'], 'ratio': ['sin', 'cos']}
    """
    fields = type(d).__dataclass_fields__
    found = {}
    for name in fields if given is None else given:
        about = fields[name].metadata
        if "ops" in about and getattr(d, name):
            read = about["ops"]
            found[name] = list(read(d)) if read else named_in(getattr(d, name))
    return found
