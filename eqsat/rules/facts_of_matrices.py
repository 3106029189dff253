"""Conditions on matrices: what is known of them lies in egraph/matrix_schema.py."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from eqsat.rules.fact import fact


def is_square(x: Any) -> bool:
    """True for a square matrix."""
    return bool(x.ndim == 2 and x.shape[0] == x.shape[1])


def is_posdef(x: Any) -> bool:
    """True for a symmetric positive definite matrix."""
    return (
        is_square(x) and np.array_equal(x, x.T) and bool(np.all(np.linalg.eigvalsh(np.asarray(x, float)) > 0))
    )


on_matrices = partial(fact, about="matrices", offered=True)
closes = on_matrices(
    "closes",
    "rows(a) == columns(b)",
    lambda x, y: x.ndim == y.ndim == 2 and x.shape[0] == y.shape[1],
    "The matrix x has as many rows as y has columns, so that dot(x, y), or x itself, is square.",
)
unmatched = on_matrices(
    "unmatched",
    "rows(a) != columns(b)",
    lambda x, y: True,
    "The matrix x is not known to have as many rows as y has columns; keeps a rule from what another one does better.",
    offered=False,
)
congruent = on_matrices(
    "congruent",
    "rows(a) == rows(b) and columns(a) == columns(b)",
    lambda x, y: x.ndim == y.ndim == 2 and x.shape == y.shape,
    "The matrices x and y have as many rows and as many columns.",
)
identity = on_matrices(
    "identity",
    "identity(a)",
    lambda x: is_square(x) and np.array_equal(x, np.eye(len(x))),
    "x is a unit matrix.",
)
lower = on_matrices(
    "lower",
    "lower(a)",
    lambda x: x.ndim == 2 and np.array_equal(x, np.tril(x)),
    "The matrix x has zeros above its diagonal.",
)
upper = on_matrices(
    "upper",
    "upper(a)",
    lambda x: x.ndim == 2 and np.array_equal(x, np.triu(x)),
    "The matrix x has zeros below its diagonal.",
)
symmetric = on_matrices(
    "symmetric",
    "symmetric(a)",
    lambda x: is_square(x) and np.array_equal(x, x.T),
    "x is its own transpose.",
)
posdef = on_matrices("posdef", "posdef(a)", is_posdef, "x is a symmetric positive definite matrix.")
positive_diagonal = on_matrices(
    "positive_diagonal",
    "positive_diagonal(a)",
    lambda x: x.ndim == 2 and np.all(np.diagonal(x) > 0),
    "The diagonal of the matrix x is above 0.",
)
