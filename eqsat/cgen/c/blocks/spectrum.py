"""Singular values and eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.decompose import shorter
from eqsat.cgen.c.blocks.matrices import each_matrix
from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.matrices import (
    DIVERGED,
)
from eqsat.graph.ops.spectrum import UNSETTLED


def svd_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[Any]:
    (x,) = ins
    *batch, m, n = x.n
    k, full = shorter(x), op.params["full"]
    return [[*batch, m, m if full else k], [*batch, k], [*batch, n if full else k, n]]


svd = each_matrix("eq_svd", DIVERGED, flags=("full",))
svdvals = each_matrix("eq_svdvals", DIVERGED)
eigh = each_matrix("eq_eigh", UNSETTLED, flags=("lower",))
eigvalsh = each_matrix("eq_eigvalsh", UNSETTLED, flags=("lower",))
eig = each_matrix("eq_eig", UNSETTLED)
