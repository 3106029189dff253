"""Eigenvalues and eigenvectors of matrices that need not be symmetric; the results are complex."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import GradientError
from eqsat.graph.declare import structural
from eqsat.graph.ops.complex import conj, real
from eqsat.graph.ops.decompose import per_matrix
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.matrices import column, numpy_call, swap
from eqsat.graph.ops.solve import solve_op

UNSETTLED = "the eigenvalues did not converge"
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def _grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    """Giles 2008, 3.1: from the eigenvalues alone; the length and phase of an eigenvector are a convention."""
    (_, v), (dw, dv) = outputs, gradients
    if dv is not None:
        raise GradientError(
            "eig: the eigenvectors have no gradient",
            operands=[(str(inputs[0]), inputs[0])],
            hint="eigh for a symmetric matrix, or list the eigenvectors in consider_constant",
        )
    turned = swap(v)
    return [real(solve_op(turned, mul(column(conj(dw)), turned)))]


@structural(
    "block",
    name="eig",
    signature="(...,n,n)->(...,n),(...,n,n)",
    dtypes="f->c,c",
    outputs=2,
    grad=_grad,
    conjugate=False,
    builder="spectrum.eig",
    failure=UNSETTLED,
    cost=per_matrix(lambda m, n: 25 * n**3),
)
def eig_op(a: Any) -> Any:
    """Eigenvalues of real matrices, in no order, and eigenvectors as columns of length 1; both are complex.

    Shapes   a: f[..., n, n] -> c[..., n], c[..., n, n]
    """
    return tuple(numpy_call("eig", UNSETTLED, np.linalg.eig, a))
