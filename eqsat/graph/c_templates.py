"""C expressions of elementwise ops, as they are declared: by dtypes, with the C functions that they call."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eqsat.errors import DeclarationError
from eqsat.graph.dtypes import COMPLEX, FLOATS, INTEGERS

if TYPE_CHECKING:
    from eqsat.graph.declared_op import DeclaredOp


CLASSES = ("bool", "int", "uint", "float", "complex")  # of dtypes


def check_templates(name: str, c: Any, tensors: Sequence[str]) -> None:
    """Raise DeclarationError where the C texts of an elementwise op are none, or one of them does not fit the op."""
    if callable(c):
        return
    texts = c if isinstance(c, dict) else {"else": c}
    if not all(isinstance(text, str) for text in texts.values()) or not {*texts} <= {*CLASSES, "else"}:
        raise DeclarationError(
            f"{name}: c is {c!r}",
            needs=f"C text, a dict of C texts by {', '.join(CLASSES)} or else, or a function of two dtypes that gives C text",
        )
    for text in texts.values():
        check_template(name, text, tensors)


def check_template(name: str, text: str, tensors: Sequence[str]) -> None:
    """Raise DeclarationError where a C template cannot be read, or names something that is not a parameter of the op."""
    known = {*tensors, "f", "T", "U"}
    try:
        unknown = {part[1] for part in string.Formatter().parse(text) if part[1] is not None} - known
    except ValueError as error:
        raise DeclarationError(
            f"{name}: the C text {text!r} cannot be read: {error}",
            needs="operands in braces; other braces of C are doubled",
        ) from None
    if unknown:
        raise DeclarationError(f"{name}: the C text names {sorted(unknown)}, the op has {list(tensors)}")


def dtype_class(dtype: str) -> str:
    """The key under which a C template of a dtype is found: bool, int, uint, float or complex."""
    if dtype in COMPLEX:
        return "complex"
    if dtype in FLOATS:
        return "float"
    if dtype in INTEGERS:
        return "uint" if dtype.startswith("u") else "int"
    return "bool"


def c_template(op: DeclaredOp, operand: str, result: str) -> str:
    """C text of an elementwise op for an operand dtype and a result dtype."""
    c = op.declaration.c
    if callable(c):
        return str(c(operand, result))
    if isinstance(c, str):
        return c
    found = c.get(dtype_class(operand), c.get("else"))
    assert found is not None, (op.name, operand)
    return str(found)


C_HELPERS: dict[str, str] = {}


def c_helper(name: str, text: str) -> str:
    """Register a C function used by templates as ``name__double(...)``.

    ``@T`` in the text is the C type, ``@R`` that of its real part, ``@f`` the suffix of C's float functions.
    """
    C_HELPERS[name] = text
    return name
