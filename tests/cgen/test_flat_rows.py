"""Short rows run as one: whatever their length, the values are those of rows one by one, NaN and infinities included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 17, 31, 32, 33, 48, 63, 64, 70]


def _softmax(x: Any, r: Any, c: Any) -> Any:
    return T.softmax(x)


def _of_rows_and_columns(x: Any, r: Any, c: Any) -> Any:
    """Values of a row, one of them a function, and of a column, folded and kept."""
    y = T.exp(x * c - T.sqrt(abs(r))[:, None]) + r[:, None]
    return [y, y.sum(1), y.max(1)]


def _smallest(x: Any, r: Any, c: Any) -> Any:
    return [T.log(abs(x) + 1).min(1), T.tanh(x + r[:, None]).prod(1), T.exp(x) * c]


PROGRAMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "softmax": _softmax,
    "rows and columns": _of_rows_and_columns,
    "smallest": _smallest,
}


def _data(dtype: str, rows: int, length: int, hard: bool) -> list[np.ndarray]:
    rng = np.random.default_rng(length)
    x = rng.normal(size=(rows, length)).astype(dtype)
    if hard and length:
        x[rng.random(x.shape) < 0.05] = np.nan
        x[rng.random(x.shape) < 0.05] = np.inf
        x[rng.random(x.shape) < 0.05] = -np.inf
    return [x, rng.normal(size=rows).astype(dtype), rng.normal(size=length).astype(dtype)]


def _agree(given: Any, wanted: Any, dtype: str) -> None:
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for a, b in zip(given, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_short_rows_of_unknown_length(program: str, dtype: str) -> None:
    x, r, c = T.matrix("x", dtype=dtype), T.vector("r", dtype=dtype), T.vector("c", dtype=dtype)
    made = PROGRAMS[program](x, r, c)
    outputs = made if isinstance(made, list) else [made]
    f = eqsat.function([x, r, c], outputs, on_unused_input="ignore")
    plain = eqsat.function([x, r, c], outputs, mode="numpy", on_unused_input="ignore")
    if program != "smallest":
        assert "many = 512 / n" in str(f.c_source)
    for length in LENGTHS:
        if not length and program != "softmax":
            continue
        for rows, hard in ((1, False), (37, True), (1000, True)):
            data = _data(dtype, rows, length, hard)
            with np.errstate(all="ignore"):
                _agree(f(*data), plain(*data), dtype)
            turned = np.asfortranarray(data[0])[::-1]
            with np.errstate(all="ignore"):
                _agree(f(turned, *data[1:]), plain(turned, *data[1:]), dtype)


@pytest.mark.c
@pytest.mark.parametrize("length", [2, 5, 16, 31])
def test_short_rows_of_known_length(length: int) -> None:
    x, r, c = T.tensor("float32", (None, length), "x"), T.fvector("r"), T.tensor("float32", (length,), "c")
    outputs = [*_of_rows_and_columns(x, r, c), _softmax(x, r, c)]
    f, plain = (eqsat.function([x, r, c], outputs, mode=m) for m in (None, "numpy"))
    for rows in (0, 1, 700):
        data = _data("float32", rows, length, rows > 1)
        with np.errstate(all="ignore"):
            _agree(f(*data), plain(*data), "float32")


@pytest.mark.c
def test_the_number_of_rows_does_not_change_a_row() -> None:
    x = T.fmatrix("x")
    f = eqsat.function([x], T.softmax(x))
    value = np.random.default_rng(0).normal(size=(999, 11)).astype(np.float32)
    whole = f(value)
    for start, stop in ((0, 1), (3, 50), (40, 999), (998, 999)):
        assert f(value[start:stop]).tobytes() == whole[start:stop].tobytes()
