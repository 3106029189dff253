"""Determinants, and the exponential of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.matrices import each_matrix, item
from eqsat.cgen.c.operand import COperand, CWriter


def logdet(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """The logarithm that slogdet gives; NaN for a negative determinant unless its size is asked for."""
    (x,) = ins
    n, m, t = x.n[-2], x.n[-1], x.ctype
    memory = w.fail("MemoryError", "logdet: no memory for a matrix")
    place = f"*({item(out, 0)})"
    call = f"{t} sign; if (eq_slogdet__{t}({n}, {m}, {item(x, 2)}, {x.s[-2]}, {x.s[-1]}, &sign, &{place})) {memory}"
    w.parallel(x.n[:-2], call if op.params["absolute"] else f"{call} if (sign < 0) {place} = NAN;")


det = each_matrix("eq_det", "no determinant")
slogdet = each_matrix("eq_slogdet", "no determinant")
expm = each_matrix("eq_expm", "the approximation has no solution")
