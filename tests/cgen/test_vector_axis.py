"""Nests over pairs of points, whose coordinates are an axis too short for vectors: the loop runs along another axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.functions.planning import plan_graph
from tests.cgen.conftest import reference

DICE = np.random.default_rng(5)
SIZES = [
    (40, 50, 3),
    (50, 20, 40),
    (3, 40, 2),
    (40, 3, 3),
    (17, 600, 1),
    (2, 3, 4),
    (40, 0, 3),
    (0, 40, 3),
    (20, 30, 0),
]


def sums(x: Any, y: Any, w: Any) -> list[Any]:
    """Folds of differences of all pairs over each of the three axes and over two; as the largest and the smallest, too."""
    apart = x.dimshuffle(0, "x", 1) - y.dimshuffle("x", 0, 1)
    pulled = w.dimshuffle(0, 1, "x") * apart
    return [
        (apart * apart).sum(2),
        pulled.sum(1),
        pulled.sum(0),
        T.abs(apart).sum((0, 2)),
        T.exp(pulled).sum((1, 2)),
        T.abs(apart).sum((0, 1, 2)),
    ]


def extremes(x: Any, y: Any, w: Any) -> list[Any]:
    """The largest and the smallest, where NaN stays."""
    apart = w.dimshuffle(0, 1, "x") * (x.dimshuffle(0, "x", 1) - y.dimshuffle("x", 0, 1))
    return [apart.max(0), apart.min(1), T.abs(apart).max(2), apart.max((0, 1))]


def values(n: int, m: int, k: int, dtype: str) -> list[np.ndarray]:
    """Points, and weights of pairs."""
    made = [DICE.normal(size=s) * 4 for s in ((n, k), (m, k), (n, m))]
    return [a.astype(dtype) for a in made]


@pytest.fixture
def check(compiled: Any) -> Any:
    """Compare kernels of whole expressions with the meaning of their ops."""

    def run(inputs: list[Any], outputs: list[Any], *calls: Any, **tolerances: Any) -> None:
        f = compiled(plan_graph(inputs, outputs, fused=True))
        for given in calls:
            with np.errstate(all="ignore"):
                wanted = reference(inputs, outputs, given)
            for found, exact in zip(f(*given), wanted, strict=True):
                assert found.dtype == exact.dtype and found.shape == exact.shape
                np.testing.assert_allclose(found, exact, **tolerances)

    return run


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_sums_over_pairs(check: Any, dtype: str) -> None:
    x, y, w = (T.tensor(dtype, (None, None)) for _ in range(3))
    outputs = sums(x, y, w) if dtype != "int32" else sums(x, y, w)[:4]
    calls = [values(*size, dtype) for size in SIZES]
    if dtype != "int32":
        calls[0][2][3, 4] = np.nan
        calls[1][0][0] = np.inf
    check(
        [x, y, w],
        outputs,
        *calls,
        rtol=2e-4 if dtype == "float32" else 1e-11,
        atol=1e-2 if dtype == "float32" else 1e-9,
    )


def test_extremes_over_pairs(check: Any) -> None:
    x, y, w = (T.dmatrix(n) for n in "xyw")
    calls = [values(*size, "float64") for size in SIZES if 0 not in size]
    calls[0][2][3, 4] = np.nan
    check([x, y, w], extremes(x, y, w), *calls, rtol=0)


def test_layouts_and_known_lengths(check: Any) -> None:
    given = values(30, 40, 3, "float64")
    for place, shape in enumerate([(None, 3), (30, 3), (None, None)]):
        x, y, w = T.tensor("float64", shape), T.tensor("float64", (None, 3)), T.dmatrix()
        turned = [np.asfortranarray(given[0]), given[1][:, ::-1].copy()[:, ::-1], given[2].T.copy().T]
        check(
            [x, y, w], sums(x[::-1], y, w) if place else sums(x, y[:, ::-1], w), turned, rtol=1e-11, atol=1e-9
        )


def test_bits_do_not_depend_on_threads(compiled: Any) -> None:
    x, y, w = (T.dmatrix(n) for n in "xyw")
    given = values(700, 900, 3, "float64")
    plan = plan_graph([x, y, w], sums(x, y, w), fused=True)
    results = []
    for threads in (1, 2, 4):
        with config.change_flags(threads=threads):
            results.append(compiled(plan)(*given))
    for others in results[1:]:
        for a, b in zip(results[0], others, strict=True):
            np.testing.assert_array_equal(a, b)


def test_no_loop_runs_over_three_coordinates(compiled: Any) -> None:
    """Where their number is known to be 3, sums over pairs have one form, with a loop over points inside."""
    x, y, w = T.tensor("float64", (None, 3)), T.tensor("float64", (None, 3)), T.dmatrix("w")
    text = compiled(plan_graph([x, y, w], sums(x, y, w)[:3], fused=True)).source
    inner = [part.lstrip() for part in text.split("#pragma omp simd")[1:]]
    assert inner and not any(
        loop.startswith(("for (int64_t j = 0; j < 3;", "for (int64_t j = first")) for loop in inner
    )
