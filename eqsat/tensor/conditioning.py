"""The condition number of matrices, as numpy.linalg.cond."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.ops.elemwise import and_, invert, isnan, mul, switch, truediv
from eqsat.graph.ops.reduce import any_op
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.ops.solve import inv_op
from eqsat.tensor.matrix_operands import as_matrix, on_failure
from eqsat.tensor.norms import norm


def cond(a: Any, p: Any = None) -> Any:
    """Norm of a matrix times that of its inverse, infinite for a singular one.

    ``p`` is an order of ``norm``; None and 2 divide the largest singular value by the smallest, -2 the other way round,
    and the matrix need not be square then.

    Shapes   a: f[..., m, n] -> f[...]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; ShapeError where a is not square and p
             asks for its inverse; LinAlgError at run time where singular values do not converge, as for NaN

    >>> import eqsat.tensor as T
    >>> float(T.linalg.cond([[4.0, 0.0], [0.0, 0.5]]).eval())
    8.0
    """
    axes = (-2, -1)
    if p in (None, 2, -2):
        a = as_matrix("cond", a)
        one, other = (-2, 2) if p == -2 else (2, -2)
        found = truediv(norm(a, one, axes), norm(a, other, axes))
    else:
        a = as_matrix("cond", a, True)
        found = mul(norm(a, p, axes), norm(on_failure("inv", inv_op, "nan")(a), p, axes))
    last = a.ndim - 1
    unknown = dimshuffle(any_op(isnan(a), axes=(last - 1, last)), *range(a.ndim - 2))
    return switch(and_(isnan(found), invert(unknown)), np.asarray(np.inf, found.dtype), found)
