"""Singular values and eigenvalues."""

from __future__ import annotations

from eqsat.cgen.builders.matrices import each_matrix

svd = each_matrix("svd", flags=("full",))
svdvals = each_matrix("svdvals")
eigh = each_matrix("eigh", flags=("lower",))
eigvalsh = each_matrix("eigvalsh", flags=("lower",))
eig = each_matrix("eig")
