"""Singular values and eigenvalues."""

from __future__ import annotations

from eqsat.cgen.builders.matrices import each_matrix
from eqsat.graph.ops.matrices import (
    DIVERGED,
)
from eqsat.graph.ops.spectrum import UNSETTLED

svd = each_matrix("svd", DIVERGED, flags=("full",))
svdvals = each_matrix("svdvals", DIVERGED)
eigh = each_matrix("eigh", UNSETTLED, flags=("lower",))
eigvalsh = each_matrix("eigvalsh", UNSETTLED, flags=("lower",))
eig = each_matrix("eig", UNSETTLED)
