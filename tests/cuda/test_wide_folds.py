"""Folds by wide accesses: values at lengths around those of tiles, and the same bits wherever the memory begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
SHAPES = [(3, 0), (0, 3), (1, 1), (5, 4), (9, 15), (70, 64), (3, 127), (300, 128), (40, 1000), (6, 2047), (6, 2048), (6, 2049), (2049, 6), (700, 256), (2, 40_000), (30_000, 3), (700, 513)]  # fmt: skip
DTYPES = ("float32", "float64", "int8", "int32", "bool", "complex64")


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 2).astype(dtype)


def compare(have: Any, wanted: Any, dtype: str) -> None:
    close = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-11}.get(dtype, 0)
    for h, w in zip(have, wanted, strict=True):
        np.testing.assert_allclose(h, w, rtol=close, atol=close * 100)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.sampled(2)
def test_values(dtype: str) -> None:
    x = T.tensor(dtype, (None, None), name="x")
    outputs = [x.sum(0), x.sum(1), x.sum(), (x * x).sum(0), T.any(T.neq(x, 0), 1)]
    if dtype in ("float32", "float64", "int32"):
        outputs += [x.prod(1), abs(x).sum(0)]
    f = eqsat.function([x], outputs, target="cuda")
    reference = eqsat.function([x], outputs, mode="reference")
    assert f.cuda_source is not None and "const int wide" in f.cuda_source
    for shape in SHAPES:
        value = drawn(dtype, *shape)
        compare(in_both_orders(f, [value]), reference(value), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_and_nan(dtype: str) -> None:
    x = T.tensor(dtype, (None, None), name="x")
    f = eqsat.function([x], [x.max(0), x.min(1), x.max(), x.sum(0), x.sum(1)], target="cuda")
    reference = eqsat.function([x], [x.max(0), x.min(1), x.max(), x.sum(0), x.sum(1)], mode="reference")
    for shape in [s for s in SHAPES if 0 not in s]:
        value = drawn(dtype, *shape)
        compare(in_both_orders(f, [value]), reference(value), dtype)
        value[-1, shape[1] // 2], value[0, -1] = np.nan, np.inf
        with np.errstate(invalid="ignore"):
            compare(in_both_orders(f, [value]), reference(value), dtype)


@pytest.mark.parametrize("shape", [(40, 1024), (5, 2049), (3, 9000), (700, 256), (33, 517)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
@pytest.mark.sampled(4)
@pytest.mark.sampled(2)
def test_bits_depend_on_lengths_alone(dtype: str, shape: tuple[int, int]) -> None:
    """Views begin at any address; a copy of one gives the same bits."""
    x = T.tensor(dtype, (None, None), name="x")
    rows, wide = shape
    views = [x[1:, 1 : wide + 1], x[:rows, :wide]]
    f = eqsat.function(
        [x], [g for v in views for g in ((v * v).sum(0), (v * v).sum(1), v.sum())], target="cuda"
    )
    for more in (1, 4, 7):
        value = drawn(dtype, rows + 1, wide + more)
        have = f(value)
        whole = np.zeros((rows + 1, wide + 4), dtype)
        for k, view in enumerate((value[1:, 1 : wide + 1], value[:rows, :wide])):
            whole[:rows, :wide] = view
            again = f(whole)[3:]
            for one, other in zip(have[3 * k : 3 * k + 3], again, strict=True):
                assert one.tobytes() == other.tobytes()


def test_operands_of_several_kinds() -> None:
    x, d, u, c = T.fmatrix("x"), T.dmatrix("d"), T.fvector("u"), T.fvector("c")
    a = T.ftensor3("a")
    column = c.dimshuffle(0, "x")
    outputs = [
        (x * d).sum(0), (x * u).sum(1), (x * column).sum(0), T.exp(x - column).sum(1), a.sum(1), a.sum((0, 2)), a.sum((0, 1)),
        (x + 1).sum(0) + (x * 2).sum(0), a.sum(2),
    ]  # fmt: skip
    f = eqsat.function([x, d, u, c, a], outputs, target="cuda")
    reference = eqsat.function([x, d, u, c, a], outputs, mode="reference")
    for rows, wide in ((5, 12), (300, 260), (7, 1028), (2, 131)):
        given = [
            drawn("float32", rows, wide),
            drawn("float64", rows, wide),
            drawn("float32", wide),
            drawn("float32", rows),
        ]
        given.append(drawn("float32", 3, rows, wide))
        compare(in_both_orders(f, given), reference(*given), "float32")


def test_what_is_stored_beside_a_fold() -> None:
    x, u = T.fmatrix("x"), T.dvector("u")
    y, z = T.tanh(x), T.exp(u)
    outputs = [y, y.sum(1), z, z.sum(), T.sinh(x), T.sinh(x).sum(0)]
    f = eqsat.function([x, u], outputs, target="cuda")
    reference = eqsat.function([x, u], outputs, mode="reference")
    for rows, wide in ((5, 12), (4, 1029), (300, 256), (3, 7)):
        given = [drawn("float32", rows, wide), drawn("float64", rows * wide)]
        compare(in_both_orders(f, given), reference(*given), "float32")
