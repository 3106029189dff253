"""Operands of linear algebra: tensors of at least two axes, and the two sides of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.dtypes import COMPLEX, promote
from eqsat.graph.ops.matrices import column
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.or_nan import or_nan
from eqsat.tensor.norms import real_floats


def as_matrix(name: str, x: Any, complex: bool = False) -> Any:
    """Floating tensor of at least two dimensions; integers and bool become float64, as in NumPy.

    ``complex`` says that complex numbers are taken too.
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise RankError(
            f"{name}: {x} has {x.ndim} dimensions", operands=[(str(x), x)], needs="at least 2: f[..., m, n]"
        )
    return x if complex and x.dtype in COMPLEX else real_floats(name, x)


def as_numpy_gives(function: Any, *parts: Any) -> Any:
    """Parts of a result in the named tuple of a function of NumPy.

    >>> as_numpy_gives(np.linalg.eigh, 1, 2).eigenvalues
    1
    """
    return type(function(np.eye(1)))(*parts)


def system(name: str, a: Any, b: Any, complex: bool = False) -> tuple[Any, Any, bool]:
    """Both sides in one dtype and rank; True where b is a vector."""
    a, b = as_matrix(name, a, complex), as_tensor(b)
    if b.ndim == 0:
        raise RankError(
            f"{name}: the right side {b} is a number", operands=[(str(b), b)], needs="f[n] or f[..., n, k]"
        )
    vector = b.ndim == 1
    b = as_matrix(name, column(b) if vector else b, complex)
    dtype = promote(a.dtype, b.dtype)
    ndim = max(a.ndim, b.ndim)
    return pad_left(cast_to(a, dtype), ndim), pad_left(cast_to(b, dtype), ndim), vector


def on_failure(name: str, op: Any, on_error: str) -> Any:
    """The op, or the one beside it that gives NaN for a matrix that fails."""
    choices = ("raise", "nan")
    if on_error not in choices:
        raise ArgumentError(f"{name}: on_error does not take {on_error!r}", among=(on_error, choices))
    return or_nan(op) if on_error == "nan" else op


def shaped(x: Any, vector: bool) -> Any:
    """The solution without the axis that stood for a vector on the right side."""
    return dimshuffle(x, *range(x.ndim - 1)) if vector else x
