"""Operands in the C text of an op: C expressions for pointer, lengths and strides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from eqsat.cgen.ir.arrays import Array

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


def operand_of(array: Array) -> COperand:
    """An array as the C text of ops sees it; only axes of length 1 by type have the length ``1``."""
    n = tuple(
        "1" if m else f"({t})" if t.isdigit() and int(t) == 1 else t
        for t, m in zip(array.n, array.mask, strict=True)
    )
    return COperand(f"(({CTYPE[array.dtype]} *){array.pointer})", array.dtype, n, array.s)


def loops(lengths: Sequence[str], body: str, index: str = "i") -> str:
    """C loops over all lengths, outermost first, with the counters ``i0``, ``i1``, ... around a body."""
    heads = [f"for (int64_t {index}{k} = 0; {index}{k} < {n}; {index}{k}++)" for k, n in enumerate(lengths)]
    return " ".join([*heads, "{ " + body + " }"])


def c_strides(lengths: Sequence[str]) -> tuple[str, ...]:
    """Strides in elements of a C-contiguous array of these lengths."""
    strides, product = [], "1"
    for n in reversed(lengths):
        strides.append(product)
        product = n if product == "1" else f"{n}*{product}"
    return tuple(reversed(strides))


@dataclass(frozen=True)
class CView:
    """A window onto an operand's memory: what a view op gives for its result."""

    ptr: str
    n: tuple[str, ...]
    s: tuple[str, ...]


class CWriter(Protocol):
    """The writer that the code generator gives to the C text of an op."""

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

    def parallel(self, lengths: Sequence[str], body: str) -> None:
        """Emit C for each place of a space, at the counters ``i0``, ``i1`` ...; no place may need what another one does."""

    def each(self, operands: Sequence[COperand]) -> Iterator[tuple[str, COperand]]:
        """Number and operand of each in turn; of many, one stands for all in the body of a C loop over them.

        All have one dtype and rank. What changes from one to the next is a ``running`` number.
        """

    def running(self, hint: str) -> Running:
        """A number that begins with 0 and changes from one operand to the next."""


class Running:
    """An int64_t that changes from one operand to the next, as an offset does; ``text`` is its present value in C."""

    def __init__(self, w: CWriter, hint: str, in_loop: bool) -> None:
        self.w, self.hint, self.in_loop = w, hint, in_loop
        self.text = w.fresh(hint) if in_loop else "0"
        if in_loop:
            w.emit(f"int64_t {self.text} = 0;")

    def become(self, expression: str) -> None:
        """Give it the value of an expression."""
        if self.in_loop:
            self.w.emit(f"{self.text} = {expression};")
        else:
            self.text = self.w.define(self.hint, expression)


def total_length(w: CWriter, operands: Sequence[COperand], axis: int) -> str:
    """C text of the sum of the lengths of operands along an axis."""
    total = w.running("n")
    if not total.in_loop:
        return " + ".join(x.n[axis] for x in operands)
    for _, x in w.each(operands):
        total.become(f"{total.text} + {x.n[axis]}")
    return total.text
