"""Kernels that copy or clear a piece of memory, in place of the host's statements that would."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eqsat.cgen.c.expressions import address, c_text, place
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.kernels import THREADS, Kernel
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.statements import Clear, Copy, For

_, PIECE, ZEROS = sections(__file__, "copies.cu").values()


def copier(s: Copy | Clear) -> Kernel:
    """The kernel of a copy, or of zeros; numbers move as integers of their size."""
    size = SIZE[s.to.dtype if isinstance(s, Copy) else s.memory.dtype]
    kind, each = ("uint64_t", size // 8) if size > 8 else (f"uint{8 * size}_t", 1)
    count = c_text(s.count, 10) + (f"*{each}" if each > 1 else "")
    ends = (
        [place(s.to), place(s.source)] if isinstance(s, Copy) else [address(s.memory.address, s.memory.dtype)]
    )
    text = PIECE if isinstance(s, Copy) else ZEROS
    grid = (f"eq_grid({count}, {THREADS})", "1")
    return Kernel(text.replace("@T", kind), (*ends, count), grid, test=f"{count} > 0")


def only_moves(s: Any) -> bool:
    """True for a copy or zeros, and for a loop over such statements."""
    if isinstance(s, For):
        return bool(s.body) and all(map(only_moves, s.body))
    return isinstance(s, (Copy, Clear))


def by_kernels(s: Any, unit: Any) -> Any:
    """Such a statement with launches in place of copies and zeros."""
    if isinstance(s, For):
        return replace(s, body=[by_kernels(inner, unit) for inner in s.body])
    return unit.launched(copier(s))
