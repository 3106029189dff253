"""Arithmetic on integers, which wraps, is joined and factored without rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

FORMS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "terms": lambda i, j, n: (i * n(2) + i * n(3), n(5) * i),
    "with itself": lambda i, j, n: (i + i * n(2), i * n(3)),
    "differences": lambda i, j, n: (i * n(3) - i, i * n(2)),
    "a factor": lambda i, j, n: (i * j + i * n(2), i * (j + n(2))),
    "products": lambda i, j, n: (i * n(2) * n(3), i * n(6)),
    "sums": lambda i, j, n: (i + n(1) + n(2), i + n(3)),
    "sums and differences": lambda i, j, n: (i - n(1) + n(2), i + n(1)),
    "of differences": lambda i, j, n: (n(1) - (i - n(3)), n(4) - i),
    "bits": lambda i, j, n: ((i & n(3)) & n(1), i & n(1)),
    "more bits": lambda i, j, n: ((i | n(4)) | n(2), i | n(6)),
    "extremes": lambda i, j, n: (T.maximum(T.maximum(i, n(1)), n(2)), T.maximum(i, n(2))),
}


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8"])
@pytest.mark.parametrize("form", FORMS)
def test_spellings_cost_the_same(form: str, dtype: str) -> None:
    i, j = (T.vector(name, dtype=dtype) for name in "ij")
    written, short = FORMS[form](i, j, lambda n: T.constant(np.array(n, dtype)))
    assert written.dtype == dtype
    plain, f = (
        eqsat.function([i, j], written, mode=mode, on_unused_input="ignore")
        for mode in ("reference", "numpy")
    )
    assert f.report.cost_after <= eqsat.optimize(short).cost_after * 1.0001
    rng, info = np.random.default_rng(0), np.iinfo(dtype)
    values = [rng.integers(info.min, info.max, 50, dtype, endpoint=True) for _ in "ij"]
    np.testing.assert_array_equal(plain(*values), f(*values))


def test_floats_of_which_one_is_chosen_join_too() -> None:
    x = T.dvector("x")
    found = eqsat.optimize(T.minimum(T.minimum(x, 3.0), 2.0))
    assert found.cost_after <= eqsat.optimize(T.minimum(x, 2.0)).cost_after * 1.0001


EDGES: dict[str, Callable[..., Any]] = {
    "choice by size": lambda i, n: T.switch(abs(i) > 0, n(0), i),
    "choice by least size": lambda i, n: T.switch(abs(i) <= 0, i, n(1)),
    "negative of a number": lambda i, n: T.maximum(T.zeros_like(i), -n(3)),
    "between": lambda i, n: T.minimum(T.maximum(n(1), i), -n(9)),
    "all bits": lambda i, n: (i | ~i) + (i ^ ~i) + (i + ~i),
    "size of size": lambda i, n: abs(abs(i)),
    "signs": lambda i, n: T.sign(T.sign(i)) * abs(T.sign(i)),
    "beside extremes": lambda i, n: T.switch(T.eq(i, T.maximum(i, n(3))), i, -i),
}


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint64", "uint8"])
@pytest.mark.parametrize("form", EDGES)
def test_the_ends_of_a_dtype(form: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    i = T.vector("i", dtype=dtype)
    written = EDGES[form](i, lambda n: T.constant(np.array(n, dtype)))
    ends = np.array([info.min, info.min + 1, 0, 1, 3, info.max - 1, info.max], dtype)
    plain, fast = (eqsat.function([i], written, mode=mode)(ends) for mode in ("reference", "FAST_RUN"))
    assert plain.dtype == fast.dtype and np.array_equal(plain, fast), (plain, fast)
