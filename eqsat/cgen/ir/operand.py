"""Memory as the builders of ops see it: an address, lengths, strides; and its elements by an index map."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.base.values import dataclass
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.expressions import (
    ZERO,
    Expression,
    Int,
    Pointer,
    Shifted,
    both,
    either,
    eq,
    expression,
    length,
    product,
)

Index = Sequence[Expression | int]


@dataclass(frozen=True, slots=True)
class Memory:
    """An array: ``x.at(i, j)`` is the element ``i*s[0] + j*s[1]`` after its address.

    ``mask`` are the axes that broadcast by type, whose length is 1.
    """

    address: Expression
    dtype: str
    n: tuple[Expression, ...]
    s: tuple[Expression, ...]
    mask: tuple[bool, ...] = ()

    @property
    def size(self) -> Expression:
        """Number of elements."""
        return product(self.n)

    def place(self, *index: Expression | int) -> Expression:
        """The address at an index of the first axes."""
        shift = sum((expression(i) * s for i, s in zip(index, self.s, strict=False)), start=ZERO)
        return self.address if shift == ZERO else Shifted(self.address, self.dtype, shift)

    def scalar(self) -> Element:
        """The value of an operand without axes."""
        return Element(self, ())

    def at(self, *index: Expression | int) -> Element:
        """The element at an index, one expression per axis, to be read or written."""
        return Element(self, tuple(expression(i) for i in index))

    def along(self, counters: Index) -> Element:
        """The element at an index whose axes that broadcast stay at 0."""
        return self.at(*(ZERO if m else i for m, i in zip(self.mask, counters, strict=True)))

    def seen(self, n: Sequence[Expression], s: Sequence[Expression], offset: Expression = ZERO) -> Memory:
        """A view of the memory: other lengths and strides, so many elements further."""
        address = self.address if offset == ZERO else Shifted(self.address, self.dtype, offset)
        return Memory(address, self.dtype, tuple(n), tuple(s), (False,) * len(n))

    def whole(self, first: int = 0) -> Expression:
        """True where the axes from ``first`` on lie in one piece, in order."""
        return both(
            *(
                either(eq(self.n[a], 1), eq(self.s[a], product(self.n[a + 1 :])))
                for a in range(first, len(self.n))
            )
        )


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """An element of memory, read as a value or written by a store; the index may hold elements of other memory."""

    memory: Memory
    index: tuple[Expression, ...]

    @property
    def dtype(self) -> str:
        return self.memory.dtype


def operand_of(array: Array) -> Memory:
    """An array of a segment as builders see it."""
    n = tuple(Int(1) if m else length(t) for t, m in zip(array.n, array.mask, strict=True))
    return Memory(Pointer(array.pointer), array.dtype, n, tuple(map(length, array.s)), array.mask)
