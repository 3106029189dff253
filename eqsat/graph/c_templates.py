"""C expressions of elementwise ops, as they are declared: by dtypes, with the C functions that they call."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat.errors import DeclarationError
from eqsat.graph.dtypes import COMPLEX, FLOATS, INTEGERS

if TYPE_CHECKING:
    from eqsat.graph.declared_op import DeclaredOp


def check_template(name: str, text: str, tensors: Sequence[str]) -> None:
    """Raise DeclarationError where a C template names something that is not a parameter of the op."""
    known = {*tensors, "f", "T", "U"}
    unknown = {part[1] for part in string.Formatter().parse(text) if part[1] is not None} - known
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
