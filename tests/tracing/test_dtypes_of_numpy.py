"""Numbers, bools and writes have in a traced function the dtypes and values that NumPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import TracingError
from eqsat.graph.dtypes import ALL

VALUES = [[0, 1, 2], [1, 3, 0]]
FLOATING = (np.hypot, np.arctan2, np.heaviside, np.logaddexp, np.copysign, np.float_power, np.nextafter)
REAL = [d for d in ALL if d[0] != "c"]


def assert_as_numpy(program: Callable[..., Any], *given: Any) -> None:
    """The program gives what it gives without ``jit``, and leaves its arguments so; float16 is float32 here."""
    ours, theirs = ([v.copy() if isinstance(v, np.ndarray) else v for v in given] for _ in range(2))
    with np.errstate(all="ignore"):
        want, got = program(*theirs), eqsat.jit(program, mode="numpy")(*ours)
    for a, b in zip([got, *ours], [want, *theirs], strict=True):
        a, b = np.asarray(a), np.asarray(b)
        rough = b.dtype.name == "float16"
        assert a.dtype == (np.dtype("float32") if rough else b.dtype), (given, a.dtype, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-2 if rough else 1e-6, atol=1e-3 if rough else 0)


@pytest.mark.parametrize("dtype", REAL)
def test_a_whole_number_in_a_ufunc_of_floats_need_not_fit_into_whole_elements(dtype: str) -> None:
    x = np.array(VALUES, dtype)
    for ufunc in FLOATING:
        assert_as_numpy(lambda x, ufunc=ufunc: ufunc(x, -1), x)
        assert_as_numpy(lambda x, k, ufunc=ufunc: ufunc(k, x), x, -300)
        assert_as_numpy(lambda x, ufunc=ufunc: ufunc(x, 0.5), x)


@pytest.mark.parametrize("dtype", REAL)
def test_clip_takes_every_real_dtype(dtype: str) -> None:
    x = np.array(VALUES, dtype)
    for low, high in ((0, 1), (None, 1), (1, None), (0.5, None)):
        assert_as_numpy(lambda x, low=low, high=high: np.clip(x, low, high), x)
    assert_as_numpy(lambda x, y: np.clip(x, y, None), x, np.array([0.5, 1.5, -1.0]))


def test_the_result_of_clip_is_another_array() -> None:
    def program(x: Any) -> Any:
        y = np.clip(x, None, 1000)
        y += 1
        return y

    assert_as_numpy(program, np.array(VALUES, "int8"))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex64"])
def test_a_reciprocal_of_whole_numbers_is_whole(dtype: str) -> None:
    x = np.array([1, 0, 3] if dtype in ("uint8", "int16") else [1, -2, 4], dtype)
    assert_as_numpy(np.reciprocal, x)


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 0), (1, 3)])
@pytest.mark.parametrize("values", [[10.0, 20.0], [[1.0], [2.0]], 5.0, list(np.arange(1.0, 9.0))])
def test_masked_writes_repeat_values_in_the_order_of_memory(shape: tuple[int, ...], values: Any) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)

    def put(x: Any, v: Any) -> Any:
        y = x.copy()
        np.putmask(y, x % 2 == 0, v)
        return y

    def place(x: Any, v: Any) -> Any:
        np.place(x, x % 2 == 1, [v, 2 * v] if not np.ndim(v) else v)
        return x

    assert_as_numpy(put, x * 1.0, np.asarray(values) if np.ndim(values) else values)
    assert_as_numpy(place, x * 1.0, np.ravel(values) if np.ndim(values) else values)


@pytest.mark.parametrize("dtype", ["bool", "uint16", "int64"])
def test_numbers_that_fill_a_diagonal_are_cut(dtype: str) -> None:
    def program(x: Any) -> Any:
        np.fill_diagonal(x, 1.5)
        return x

    assert_as_numpy(program, np.array(VALUES, dtype))


def test_items_of_unsigned_arrays_are_numbers() -> None:
    x = np.array([7], "uint64")
    assert eqsat.jit(lambda x: x.item())(x) == 7
    assert_as_numpy(lambda x, y: y * x.item(), x, np.array([2, 3], "int16"))


def test_leading_axes_of_length_1_of_what_is_written_are_left_out() -> None:
    def program(x: Any, y: Any) -> Any:
        x[0] = y
        x[:, 1] += y[0, 0, 0]
        return x

    assert_as_numpy(program, np.ones((2, 3)), np.full((1, 1, 3), 4.0))
    assert_as_numpy(program, np.ones((2, 3)), np.full((1, 1, 1), 4.0))


SEVERAL: tuple[Any, ...] = (
    *(
        np.meshgrid,
        np.broadcast_arrays,
        np.atleast_2d,
        np.ix_,
        np.nonzero,
        np.modf,
        np.gradient,
        np.histogram,
    ),
    *(lambda x: np.unique(x, return_index=True), lambda x: np.split(x, 2), lambda x: np.array_split(x, 3)),
    *(
        lambda x: np.histogram(x, bins=3),
        lambda x: np.gradient(x[:, None] * x),
        lambda x: np.linalg.qr(x[:, None]),
    ),
)


@pytest.mark.parametrize("k", range(len(SEVERAL)))
def test_several_results_are_in_a_list_or_tuple_as_numpy_has_them(k: int) -> None:
    x = np.array([1, 3, 2, 7])
    pairs = SEVERAL[k] in (np.meshgrid, np.broadcast_arrays, np.atleast_2d, np.ix_)

    def program(x: Any) -> Any:
        return SEVERAL[k](x, x) if pairs else SEVERAL[k](x)

    want, got = program(x), eqsat.jit(program, mode="reference")(x)
    assert isinstance(got, list) is isinstance(want, list) and isinstance(got, tuple) is isinstance(
        want, tuple
    )
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b)


def test_a_write_into_an_array_of_numbers_says_the_way_out() -> None:
    def program(x: Any) -> Any:
        y = np.array([1.0, 2.0])
        y += x
        return y

    with pytest.raises(TracingError, match=r"in place, into an array that was made outside") as error:
        eqsat.jit(program)(np.ones(2))
    assert "x.copy() inside the function" in str(error.value)
