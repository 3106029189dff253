"""The distinct elements of tensors, and what they have in common."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import promote
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.search import searchsorted_op
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.sort import argsort_op, run_starts_op, sort_op
from eqsat.tensor.cumulative import diff
from eqsat.tensor.sorting import ordered

FEW = 12  # known elements that one is compared with, without a search


def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
) -> Any:
    """The distinct elements in increasing order; their number is known only when the function runs.

    On request also where each occurs first, which of them every element of x is, and how often each occurs.

    Shapes   x: any[...] -> [k], and on request i64[k], i64 places, i64[k]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.unique([3, 1, 3], return_counts=True)]
    [[1, 3], [1, 2]]
    """
    x = ordered("unique", x)
    if axis is not None:
        from eqsat.errors import ArgumentError

        raise ArgumentError("unique: rows are not compared", operands=[(str(x), x)], hint="axis=None")
    flat = flatten(x)
    order = argsort_op(flat, axis=0) if return_index else None
    rows = sort_op(flat, axis=0) if order is None else flat[order]
    starts = run_starts_op(rows)
    values = rows[starts]
    results = [values]
    if order is not None:
        results.append(order[starts])
    if return_inverse:
        places = searchsorted_op(values, flat, right=0)
        results.append(reshape(places, [length(x, a) for a in range(x.ndim)]))
    if return_counts:
        from eqsat.graph.ops.shape import make_vector

        results.append(diff(concatenate([starts, make_vector([length(flat, 0)])])))
    return results[0] if len(results) == 1 else results


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """True where an element is among others; NaN never is.

    Shapes   element: any[...], test_elements: any[...] -> bool[...], the shape of element

    >>> import eqsat.tensor as T
    >>> T.isin([1, 2, 3], [3, 1]).eval()
    array([ True, False,  True])
    """
    x, y = ordered("isin", element), ordered("isin", test_elements)
    dtype = promote(x.dtype, y.dtype)
    x, y = cast_to(x, dtype), cast_to(flatten(y), dtype)
    known = np.unique(y.data) if isinstance(y, Constant) else None
    if known is not None and 0 < len(known) <= FEW:
        found = functools.reduce(e.or_, (e.eq(x, constant(one, dtype=dtype)) for one in known))
        return e.invert(found) if invert else found
    rows, n = sort_op(y, axis=0), length(y, 0)
    places = searchsorted_op(rows, x, right=0)
    behind = concatenate([rows, constant(np.zeros(1, dtype))])  # what the place behind all has
    found = e.and_(e.lt(places, n), e.eq(behind[places], x))
    return e.invert(found) if invert else found


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """``isin`` of all elements of a tensor in one vector.

    Shapes   ar1: any[...] of n elements, ar2: any[...] -> bool[n]

    >>> import eqsat.tensor as T
    >>> T.in1d([[1, 2]], [2]).eval()
    array([False,  True])
    """
    return isin(flatten(ar1), ar2, assume_unique, invert)


def union1d(ar1: Any, ar2: Any) -> Any:
    """The distinct elements of two tensors.

    Shapes   two tensors -> [n]

    >>> import eqsat.tensor as T
    >>> T.union1d([1, 2], [2, 3]).eval()
    array([1, 2, 3])
    """
    return unique(concatenate([flatten(ar1), flatten(ar2)]))


def intersect1d(ar1: Any, ar2: Any) -> Any:
    """The distinct elements that two tensors share.

    Shapes   two tensors -> [n]

    >>> import eqsat.tensor as T
    >>> T.intersect1d([1, 2, 2], [2, 3]).eval()
    array([2])
    """
    dtype = promote(as_tensor(ar1).dtype, as_tensor(ar2).dtype)
    values = unique(cast_to(flatten(ar1), dtype))
    return values[isin(values, ar2)]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The distinct elements of one tensor that are not in another.

    Shapes   two tensors -> [n]

    >>> import eqsat.tensor as T
    >>> T.setdiff1d([3, 1, 2], [2]).eval()
    array([1, 3])
    """
    values = flatten(ar1) if assume_unique else unique(ar1)
    return values[isin(values, ar2, invert=True)]


def setxor1d(ar1: Any, ar2: Any) -> Any:
    """The distinct elements that are in one of two tensors only.

    Shapes   two tensors -> [n]

    >>> import eqsat.tensor as T
    >>> T.setxor1d([1, 2], [2, 3]).eval()
    array([1, 3])
    """
    values, counts = unique(concatenate([unique(ar1), unique(ar2)]), return_counts=True)
    return values[e.eq(counts, 1)]
