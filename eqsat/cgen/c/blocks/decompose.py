"""Factorisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.matrices import each_matrix
from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.decompose import INDEFINITE


def shorter(x: COperand) -> str:
    m, n = x.n[-2:]
    return str(min(int(m), int(n))) if m.isdigit() and n.isdigit() else f"eq_least({m}, {n})"


def qr_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[Any]:
    (x,) = ins
    *batch, m, n = x.n
    k = m if op.params["full"] else shorter(x)
    return [[*batch, m, k], [*batch, k, n]]


cholesky = each_matrix("eq_cholesky", INDEFINITE)
lu = each_matrix("eq_lu", "no factors")
qr = each_matrix("eq_qr", "no factors", flags=("full",))
