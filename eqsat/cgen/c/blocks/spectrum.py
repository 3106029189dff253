"""Singular values and eigenvalues."""

from __future__ import annotations

from eqsat.cgen.c.blocks.matrices import each_matrix
from eqsat.graph.ops.matrices import (
    DIVERGED,
)
from eqsat.graph.ops.spectrum import UNSETTLED

svd = each_matrix("eq_svd", DIVERGED, flags=("full",))
svdvals = each_matrix("eq_svdvals", DIVERGED)
eigh = each_matrix("eq_eigh", UNSETTLED, flags=("lower",))
eigvalsh = each_matrix("eq_eigvalsh", UNSETTLED, flags=("lower",))
eig = each_matrix("eq_eig", UNSETTLED)
