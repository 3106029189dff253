"""Singular values, eigenvalues and their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.ops import eigen, spectrum
from eqsat.tensor.matrix_operands import as_matrix, as_numpy_gives, on_failure


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, on_error: str = "raise") -> Any:
    """Singular value decomposition a = U diag(s) V, s falling; ``compute_uv=False`` gives s alone.

    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., m, n] -> f[..., m, m], f[..., k], f[..., n, n] with k = min(m, n);
             full_matrices=False -> f[..., m, k], f[..., k], f[..., k, n]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; LinAlgError at run time
             without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> T.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).eval()
    array([4., 3.])
    """
    a = as_matrix("svd", a)
    if not compute_uv:
        return on_failure("svd", spectrum.svdvals_op, on_error)(a)
    return as_numpy_gives(
        np.linalg.svd, *on_failure("svd", spectrum.svd_op, on_error)(a, full=int(full_matrices))
    )


def svdvals(a: Any, on_error: str = "raise") -> Any:
    """Singular values, falling.

    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., m, n] -> f[..., min(m, n)]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; LinAlgError at run time
             without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> T.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]]).eval()
    array([4., 3.])
    """
    return on_failure("svdvals", spectrum.svdvals_op, on_error)(as_matrix("svdvals", a))


def _low(name: str, uplo: str) -> int:
    if uplo not in ("L", "U", "l", "u"):
        raise ArgumentError(f"{name}: UPLO does not take {uplo!r}", needs="'L' or 'U'")
    return int(uplo in ("L", "l"))


def eigh(a: Any, UPLO: str = "L", on_error: str = "raise") -> tuple[Any, Any]:
    """Eigenvalues of a symmetric matrix, rising, and its eigenvectors as columns; one triangle is read.

    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., n, n] -> f[..., n], f[..., n, n]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; LinAlgError at
             run time without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> w, v = T.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> w.eval()
    array([1., 2.])
    """
    op = on_failure("eigh", spectrum.eigh_op, on_error)
    return as_numpy_gives(np.linalg.eigh, *op(as_matrix("eigh", a), lower=_low("eigh", UPLO)))


def eig(a: Any, on_error: str = "raise") -> tuple[Any, Any]:
    """Eigenvalues of a square matrix, in no order, and its eigenvectors as columns; both are always complex.

    The eigenvalues have a gradient, the eigenvectors have none.
    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., n, n] -> c[..., n], c[..., n, n]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; LinAlgError at
             run time without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> w, v = T.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> w.eval()
    array([0.+1.j, 0.-1.j])
    """
    return as_numpy_gives(np.linalg.eig, *on_failure("eig", eigen.eig_op, on_error)(as_matrix("eig", a)))


def eigvals(a: Any, on_error: str = "raise") -> Any:
    """Eigenvalues of a square matrix, in no order; always complex.

    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., n, n] -> c[..., n]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; LinAlgError at
             run time without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> T.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).eval()
    array([2.+0.j, 1.+0.j])
    """
    return on_failure("eigvals", eigen.eig_op, on_error)(as_matrix("eigvals", a))[0]
