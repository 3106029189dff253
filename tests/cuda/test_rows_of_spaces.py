"""Spaces by rows: rows that are picked, joined or written go by wide accesses where memory allows, and have the right values everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.errors import BoundsError
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
DTYPES = ("float32", "float64", "int8", "bool", "int16", "complex64", "complex128")
WIDTHS = (0, 1, 3, 4, 33, 64, 1024, 1031)


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 9).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.sampled(2)
def test_picked_rows(dtype: str) -> None:
    x, i = T.tensor(dtype, (None, None), name="x"), T.lvector("i")
    f = eqsat.function([x, i], [x[i], x[:, 1:][i], x[:, 4:][i]], target="cuda")
    assert f.cuda_source is not None and "threadIdx.y" in f.cuda_source
    assert ("eq_vector" in f.cuda_source) == (dtype != "complex128")
    for width in WIDTHS:
        for count in (0, 1, 9, 40):
            value = drawn(dtype, 7, width)
            at = np.random.default_rng(count).integers(-7, 7, count)
            have = in_both_orders(f, [value, at])
            for h, w in zip(have, (value[at], value[:, 1:][at], value[:, 4:][at]), strict=True):
                np.testing.assert_array_equal(h, w)


def test_few_long_rows_are_shared_by_blocks() -> None:
    x, i = T.fmatrix("x"), T.lvector("i")
    f = eqsat.function([x, i], [x[i]], target="cuda")
    value = drawn("float32", 3, 70_001)
    np.testing.assert_array_equal(in_both_orders(f, [value, [2, 0]])[0], value[[2, 0]])
    many = drawn("float32", 2, 5)
    at = np.random.default_rng(0).integers(0, 2, 9000)
    np.testing.assert_array_equal(f(many, at)[0], many[at])


def test_nan_is_copied_and_an_index_outside_is_told() -> None:
    x, i = T.fmatrix("x"), T.lvector("i")
    f = eqsat.function([x, i], x[i], target="cuda")
    value = drawn("float32", 5, 8)
    value[2, 3:6] = np.nan, np.inf, -0.0
    assert f(value, [2, 2, 0]).tobytes() == value[[2, 2, 0]].tobytes()
    with pytest.raises(BoundsError, match="5"):
        f(value, [0, 5])


def test_rows_of_more_axes() -> None:
    a, i, j = T.ftensor3("a"), T.lvector("i"), T.lvector("j")
    outputs = [a[i], a[:, i], a[:, :, i], a[i, j], a.dimshuffle(0, 2, 1)[i], a[i][:, ::-1]]
    f = eqsat.function([a, i, j], outputs, target="cuda")
    for shape in ((4, 4, 4), (4, 5, 12), (4, 4, 37)):
        value, one, other = drawn("float32", *shape), np.array([3, -1, 0, 2, 2]), np.array([0, 1, 1, -2, 3])
        wanted = [
            value[one], value[:, one], value[:, :, one], value[one, other], value.transpose(0, 2, 1)[one], value[one][:, ::-1],
        ]  # fmt: skip
        for h, w in zip(in_both_orders(f, [value, one, other]), wanted, strict=True):
            np.testing.assert_array_equal(h, w)
