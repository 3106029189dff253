"""Exchanges of rows, as LAPACK names them, for all bridges."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.scan import scan


def permutation(pivots: Any, count: Any) -> Any:
    """The order of ``count`` rows after each was exchanged with another one in turn, counted from 0.

    >>> permutation(T.as_tensor_variable(np.array([2, 2, 2])), 3).eval()
    array([2, 0, 1])
    """
    at = T.arange(count)
    batch = [pivots.shape[a] for a in range(pivots.ndim - 1)]
    first = T.broadcast_to(at, [*batch, count]) if batch else at

    def exchanged(k: Any, other: Any, rows: Any) -> Any:
        here, place = rows[..., k], other.dimshuffle(*range(other.ndim), "x")
        met = T.eq(at, place)
        there = T.sum(T.switch(met, rows, np.int64(0)), axis=-1, keepdims=True)
        rows = T.switch(met, here.dimshuffle(*range(here.ndim), "x"), rows)
        return T.switch(T.eq(at, k), there, rows)

    last = pivots.ndim - 1
    given = [T.arange(pivots.shape[last]), T.cast(pivots, "int64").dimshuffle(last, *range(last))]
    found, _ = scan(exchanged, sequences=given, outputs_info=[first], return_list=True)
    return T.join(0, first.dimshuffle("x", *range(first.ndim)), found[0])[-1]
