"""Operands of a block that are too many for names of their own: tables of pointers, lengths and strides, and loops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import CTYPE, COperand
from eqsat.cgen.ir.arrays import Storage, bare

MANY = 64  # operands from which they are looked up in a table
LONG = 1000  # arguments from which a call takes them from a table
_PLACE = re.compile(r"[NP]\[(\d+)\]")


class OperandTable:
    """Many operands, whose pointers stand first in ``p`` and whose numbers first in ``v``, the same count for each."""

    def __init__(self, arrays: Sequence[COperand]) -> None:
        self.arrays = arrays
        self.rank = max(len(a.n) for a in arrays)
        self.operands = [self._operand(k) for k in range(len(arrays))]

    def numbers(self) -> list[str]:
        """C texts of the numbers of all operands."""
        return [t for a in self.arrays for texts in (a.n, a.s) for t in self._padded(texts)]

    def _padded(self, texts: Sequence[str]) -> list[str]:
        return [*texts, *["0"] * (self.rank - len(texts))]

    def _operand(self, k: int) -> COperand:
        array = self.arrays[k]
        n, s = (
            tuple(
                t if bare(t).isdigit() else f"v[{(2 * k + half) * self.rank + a}]"
                for a, t in enumerate(texts)
            )
            for half, texts in enumerate((array.n, array.s))
        )
        return COperand(f"((const {array.ctype} *)p[{k}])", array.dtype, n, s)

    def any_of(self, w: Any, operands: Sequence[COperand], counter: str) -> COperand:
        """The operand of a run of them that has the number ``counter``; its parts become constants of ``w``."""
        first = self.operands.index(operands[0])
        arrays = self.arrays[first : first + len(operands)]
        place = f"({first} + {counter})" if first else counter
        name = w.fresh("x")
        w.emit(f"const {arrays[0].ctype} *const {name} = p[{place}];")
        n, s = (
            tuple(
                self._common([texts[a] for texts in lists])
                or w.define("n", f"v[(2*{place} + {half})*{self.rank} + {a}]")
                for a in range(len(lists[0]))
            )
            for half, lists in enumerate(([a.n for a in arrays], [a.s for a in arrays]))
        )
        return COperand(name, arrays[0].dtype, n, s)

    def _common(self, texts: Sequence[str]) -> str:
        return texts[0] if len(set(texts)) == 1 and bare(texts[0]).isdigit() else ""


def tabled(w: Any, pointers: Sequence[str], numbers: Sequence[str]) -> tuple[str, str, str, Storage]:
    """A statement that fills memory with arguments, the two arguments that lead to them, what they depend on, the memory."""
    found = [t if _PLACE.fullmatch(t) else w.point(t) for t in pointers]
    found += [t if bare(t).isdigit() or _PLACE.fullmatch(t) else w.define("a", t) for t in numbers]
    codes = [~int(bare(t)) if bare(t).isdigit() else int(t[2:-1]) for t in found]
    size = str(len(codes))
    storage = w.slots.take(size)
    room = w.buffer(storage, size, CTYPE["int64"])
    depends = " ".join(t for t in found if not bare(t).isdigit())
    w.table.same_content(room, depends)
    fill = f"eq_fill(c, (int64_t *){room}, {w.unit.table(codes)}, {len(pointers)}, {size}); "
    return fill, f"(void **){room}, (int64_t *){room} + {len(pointers)}", depends, storage
