"""Equality of tensors, choices by conditions, and small statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.dtypes import FLOATS, promote
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.complex import complex as of_parts
from eqsat.graph.ops.complex import conj, imag, real
from eqsat.graph.ops.linalg import dot
from eqsat.graph.ops.shape import dimshuffle, length, transpose
from eqsat.tensor import reduction


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """True where two tensors have the same elements; False where ranks or known lengths differ.

    Shapes   a1, a2: any[...] -> bool[]

    >>> import eqsat.tensor as T
    >>> bool(T.array_equal([1, 2], [1, 2]).eval())
    True
    """
    x, y = as_tensor(a1), as_tensor(a2)
    known = zip(x.type.shape, y.type.shape, strict=False)
    if x.ndim != y.ndim or any(n is not None and m is not None and n != m for n, m in known):
        return constant(False)
    same = e.eq(x, y)
    if equal_nan and x.dtype in FLOATS and y.dtype in FLOATS:
        same = e.or_(same, e.and_(e.isnan(x), e.isnan(y)))
    return reduction.all(same)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Elements of the first choice whose condition holds, and a default elsewhere.

    Shapes   k conditions and k choices [...], default -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.select([[True, False]], [[1, 2]], 7).eval()
    array([1, 7])
    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentError(f"select: {len(condlist)} conditions for {len(choicelist)} choices")
    result = as_tensor(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = e.switch(condition, choice, result)
    return result


def polyval(p: Any, x: Any) -> Any:
    """Value of the polynomial with coefficients p, the highest power first; the number of them is known.

    Shapes   p: any[n], x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> int(T.polyval([1, 0, 2], 3).eval())
    11
    """
    p, x = as_tensor(p), as_tensor(x)
    count = p.type.shape[0] if p.ndim == 1 else None
    if count is None:
        raise ArgumentError(
            f"polyval: the number of coefficients in {p} is not known",
            operands=[("p", p)],
            hint="T.specify_shape(p, (3,))",
        )
    dtype = promote(p.dtype, x.dtype)
    x = cast_to(x, dtype)
    total = e.fill(x, np.zeros((), dtype))
    for k in range(count):
        total = e.add(e.mul(total, x), cast_to(p[k], dtype))
    return total


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Any:
    """Covariances of variables whose observations are the rows (columns unless ``rowvar``) of a matrix.

    Shapes   m: any[k, n] -> f[k, k]

    >>> import eqsat.tensor as T
    >>> T.cov([[1.0, 2.0], [2.0, 0.0]]).eval()
    array([[ 0.5, -1. ],
           [-1. ,  2. ]])
    """
    from eqsat.graph.ops.join import concatenate

    x = _observations(m, rowvar)
    if y is not None:
        row = as_tensor(y).type.shape[0] == 1  # which NumPy takes for a variable
        x = concatenate([x, _observations(y, rowvar or row)], 0)
    x = cast_to(x, promote(x.dtype, "float64"))
    missing = ddof if ddof is not None else 0 if bias else 1
    centred = e.sub(x, reduction.mean(x, 1, keepdims=True))
    count = e.maximum(length(x, 1) - missing, 0)
    result = e.truediv(dot(centred, conj(transpose(centred))), cast_to(count, x.dtype))
    single = y is None and result.type.shape == (1, 1)
    return dimshuffle(result) if single else result


def _observations(m: Any, rowvar: bool) -> Any:
    x = as_tensor(m)
    if x.ndim > 2:
        raise RankError(f"cov: {x} has {x.ndim} dimensions", operands=[(str(x), x)], needs="at most 2")
    if x.ndim < 2:
        return dimshuffle(x, *("x",) * (2 - x.ndim), *range(x.ndim))
    return x if rowvar else transpose(x)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Correlations of variables whose observations are the rows of a matrix.

    Shapes   x: any[k, n] -> f[k, k]

    >>> import eqsat.tensor as T
    >>> T.corrcoef([[1.0, 2.0], [2.0, 0.0]]).eval().round(6)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    from eqsat.graph.ops.diagonal import diagonal

    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = e.sqrt(real(diagonal(c)))
    c = c / dimshuffle(deviation, 0, "x") / dimshuffle(deviation, "x", 0)
    return _within_one(c) if c.dtype in FLOATS else of_parts(_within_one(real(c)), _within_one(imag(c)))


def _within_one(c: Any) -> Any:
    return e.minimum(e.maximum(c, np.float64(-1)), np.float64(1))
