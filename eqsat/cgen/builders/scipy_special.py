"""Functions of numbers that SciPy computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def each(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """The function of SciPy that has the name of the op, of each element."""
    with w.parallel(out.n) as index:
        w.call(f"scipy_{op.name}", out.dtype, *(x.place(*index) for x in ins), out.place(*index))
