"""Factorisations."""

from __future__ import annotations

from eqsat.cgen.builders.matrices import each_matrix

cholesky = each_matrix("cholesky")
lu = each_matrix("lu")
qr = each_matrix("qr", flags=("full",))
