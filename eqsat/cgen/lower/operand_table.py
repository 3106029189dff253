"""Operands of a block that are too many for names of their own: tables of pointers, lengths and strides, and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Argument, Expression, Int, Name
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Let

MANY = 64  # operands from which they are looked up in a table


class OperandTable:
    """Many operands, whose pointers stand first in ``p`` and whose numbers first in ``v``, the same count for each."""

    def __init__(self, arrays: Sequence[Memory]) -> None:
        self.arrays = arrays
        self.rank = max(len(a.n) for a in arrays)
        self.operands = [self._operand(k) for k in range(len(arrays))]

    def numbers(self) -> list[Expression]:
        """The numbers of all operands."""
        return [x for a in self.arrays for half in (a.n, a.s) for x in self._padded(half)]

    def _padded(self, half: Sequence[Expression]) -> list[Expression]:
        return [*half, *[Int(0)] * (self.rank - len(half))]

    def _operand(self, k: int) -> Memory:
        array = self.arrays[k]
        n, s = (
            tuple(
                x if isinstance(x, Int) else Argument(Int((2 * k + half) * self.rank + a))
                for a, x in enumerate(numbers)
            )
            for half, numbers in enumerate((array.n, array.s))
        )
        return Memory(Argument(Int(k), array.dtype), array.dtype, n, s, array.mask)

    def any_of(self, w: Any, operands: Sequence[Memory], counter: Expression) -> Memory:
        """The operand of a run of them that has the number ``counter``; its parts become constants of ``w``."""
        first = self.operands.index(operands[0])
        arrays = self.arrays[first : first + len(operands)]
        place = counter + first
        name, dtype = w.fresh("x"), arrays[0].dtype
        w.emit(Let(name, dtype, Argument(place, dtype)))
        n, s = (
            tuple(
                self._common([numbers[a] for numbers in lists])
                or w.define("n", Argument((place * 2 + half) * self.rank + a))
                for a in range(len(lists[0]))
            )
            for half, lists in enumerate(([a.n for a in arrays], [a.s for a in arrays]))
        )
        return Memory(Name(name, dtype), dtype, n, s, arrays[0].mask)

    def _common(self, numbers: Sequence[Expression]) -> Expression | None:
        return numbers[0] if len(set(numbers)) == 1 and isinstance(numbers[0], Int) else None
