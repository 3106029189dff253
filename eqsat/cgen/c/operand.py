"""The C text of ops of the user: C expressions for pointer, lengths and strides of operands, and the writer they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from eqsat.base.values import dataclass

if TYPE_CHECKING:
    from eqsat.graph.core import Apply

CTYPE = {
    "bool": "bool8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float32": "float",
    "float64": "double",
    "complex64": "complex64_t",
    "complex128": "complex128_t",
}


@dataclass(frozen=True)
class COperand:
    """An array in generated C: element ``[i, j]`` is ``ptr[i*s[0] + j*s[1]]``.

    ``n`` and ``s`` hold C expressions of type int64_t: lengths, and strides in elements.
    """

    ptr: str
    dtype: str
    n: tuple[str, ...]
    s: tuple[str, ...]

    @property
    def ctype(self) -> str:
        """Name of the element type in C."""
        return CTYPE[self.dtype]

    @property
    def size(self) -> str:
        """Number of elements."""
        return "*".join(f"({n})" for n in self.n) or "1"

    def scalar(self) -> str:
        """Value of a 0-d operand."""
        return f"({self.ptr})[0]"

    def at(self, index: Sequence[str]) -> str:
        """Element at C index expressions, one per axis."""
        terms = [f"({i})*({s})" for i, s in zip(index, self.s, strict=True) if s != "0" and i != "0"]
        return f"({self.ptr})[{' + '.join(terms) or '0'}]"


def loops(lengths: Sequence[str], body: str, index: str = "i") -> str:
    """C loops over all lengths, outermost first, with the counters ``i0``, ``i1``, ... around a body."""
    heads = [f"for (int64_t {index}{k} = 0; {index}{k} < {n}; {index}{k}++)" for k, n in enumerate(lengths)]
    return " ".join([*heads, "{ " + body + " }"])


@dataclass(frozen=True)
class CView:
    """A window onto an operand's memory: what a view op gives for its result."""

    ptr: str
    n: tuple[str, ...]
    s: tuple[str, ...]


class CWriter(Protocol):
    """The writer that the code generator gives to the C text of an op of the user."""

    @property
    def applied(self) -> Apply:
        """The application that is written."""

    def fresh(self, hint: str) -> str:
        """A C identifier that is not in use."""

    def emit(self, text: str) -> None:
        """Append statements to the function."""

    def define(self, hint: str, expression: str) -> str:
        """Emit a constant of type int64_t and return its name."""

    def fail(self, error: str, message: str, *values: str, needs: str | None = None) -> str:
        """A C statement that ends the call with an error.

        ``error`` names a class of eqsat.errors, or MemoryError; ``{0}``, ``{1}`` in ``message`` become the run-time values of
        the C expressions given.
        """

    def check(self, test: str, error: str, message: str, *values: str, needs: str | None = None) -> None:
        """Emit a check that ends the call with an error, as of ``fail``, where a test holds."""
