"""Factorisations."""

from __future__ import annotations

from eqsat.cgen.builders.matrices import each_matrix
from eqsat.graph.ops.decompose import INDEFINITE

cholesky = each_matrix("cholesky", INDEFINITE)
lu = each_matrix("lu", "no factors")
qr = each_matrix("qr", "no factors", flags=("full",))
