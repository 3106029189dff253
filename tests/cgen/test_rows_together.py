"""Folds over all pairs of elements, several rows of which run together: what is left of fours, empty sides, NaN, dtypes, accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config

pytestmark = pytest.mark.c
ROWS, COLUMNS = [0, 1, 2, 3, 4, 5, 7, 41], [0, 1, 23, 511, 512, 513, 9001]
Folds = Callable[[Any, Any, Any], list[Any]]


def sums(m: Any, x: Any, y: Any) -> list[Any]:
    d = x[:, None] - y[None, :]
    return [m.sum(d * d), m.sum(abs(d)), m.sum(m.maximum(x[:, None], y))]


def counts(m: Any, x: Any, y: Any) -> list[Any]:
    return [m.sum(x[:, None] > y[None, :]), m.sum((x[:, None] + 1) * y)]


def of_rows(m: Any, x: Any, y: Any) -> list[Any]:
    """A space of three axes, of which the first stays."""
    d = m.stack([x, 2 * x])[:, :, None] - y
    return [m.sum(d * d, (1, 2))]


FOLDS: dict[str, Folds] = {"sums": sums, "counts": counts, "of rows": of_rows}


def drawn(dtype: str, n: int) -> np.ndarray:
    return (np.random.default_rng(n).normal(size=n) * 9).astype(dtype)


@pytest.mark.parametrize("folds", FOLDS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_pairs(dtype: str, folds: str) -> None:
    x, y = (T.tensor(dtype, (None,), name=n) for n in "xy")
    f = eqsat.function([x, y], FOLDS[folds](T, x, y), mode="FAST_COMPILE")
    for n in ROWS:
        for m in COLUMNS:
            a, b = drawn(dtype, n), drawn(dtype, m)
            for p, q in ((a, b), (a[::-1], np.repeat(b, 2)[::2])):
                wide = [v.astype("float64") if v.dtype.kind == "f" else v for v in (p, q)]
                for have, want in zip(f(p, q), FOLDS[folds](np, *wide), strict=True):
                    np.testing.assert_allclose(have, want, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("at", [0, 4, 6])
def test_nan_and_infinity_arrive_wherever_they_stand(at: int) -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f = eqsat.function([x, y], sums(T, x, y), mode="FAST_COMPILE")
    for bad in (np.nan, np.inf, -np.inf):
        for where in (0, 1):
            pair = [np.arange(7.0), np.arange(600.0)]
            pair[where][at] = bad
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(f(*pair), sums(np, *pair))


def test_the_last_rows_are_read_within_their_memory() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f = eqsat.function([x, y], sums(T, x, y), mode="FAST_COMPILE")
    memory = np.full(64, np.nan)
    memory[:5] = np.arange(5)
    np.testing.assert_allclose(f(memory[:5], np.arange(40.0)), sums(np, memory[:5], np.arange(40.0)))


def test_sums_are_accurate() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f = eqsat.function([x, y], T.sum(abs(x[:, None] - y[None, :])), mode="FAST_COMPILE")
    a, b = np.full(1003, 0.3), np.full(5001, 0.2)
    exact = np.longdouble(a[0] - b[0]) * len(a) * len(b)
    assert abs(f(a, b) - exact) <= 2e-14 * exact


def test_threads_do_not_change_a_bit() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    found = set()
    for threads in (1, 2, 4):
        with config.change_flags(threads=threads):
            f = eqsat.function([x, y], sums(T, x, y), mode="FAST_COMPILE")
        found.add(
            b"".join(np.asarray(v).tobytes() for v in f(drawn("float64", 2001), drawn("float64", 3001)))
        )
    assert len(found) == 1
