"""Loops whose elements need no other ones run lane by lane: values against the reference, and what the text holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import scan
from tests.cgen.test_short_states import both

pytestmark = pytest.mark.c
RNG = np.random.default_rng(0)


def decay(row: Any, s: Any) -> Any:
    return T.cast(2, s.dtype) * row - s


def rows(*lengths: int, dtype: str = "float64") -> np.ndarray:
    """Data of some lengths."""
    return np.asarray(
        RNG.integers(-3, 4, lengths) if dtype[0] in "iu" else RNG.uniform(-1, 1, lengths), dtype
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "uint8"])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_dtypes_and_lengths(dtype: str, steps: int) -> None:
    x, s = T.matrix("x", dtype), T.vector("s", dtype)
    f = both(
        [x, s],
        [scan(decay, sequences=x, outputs_info=s)[0]],
        rows(steps, 6, dtype=dtype),
        rows(6, dtype=dtype),
        rtol=1e-5,
    )
    assert "eq_series" in f.c_source and "eq_loop" not in f.c_source
    for lanes in (0, 1, 4097):
        data, start = rows(3, lanes, dtype=dtype), rows(lanes, dtype=dtype)
        want, now = [], start
        for row in data:
            now = (np.asarray(2, dtype) * row - now).astype(dtype)
            want.append(now)
        np.testing.assert_allclose(f(data, start)[0], np.reshape(want, (3, lanes)), rtol=1e-4, atol=1e-5)


x, s, v, n = T.dtensor3("x"), T.dmatrix("s"), T.dvector("v"), T.lscalar("n")
PLACES: dict[str, Callable[[], tuple[list[Any], list[Any]]]] = {
    "rank_two": lambda: ([x, s], [scan(lambda r, a: T.sin(r) * a, sequences=x, outputs_info=s)[0]]),
    "backwards": lambda: ([x, s], [scan(lambda r, a: r - 0.5 * a, sequences=x[::-1], outputs_info=s)[0]]),
    "numbers_of_steps": lambda: ([v, s], [scan(lambda r, a: a * r + 1, sequences=v, outputs_info=s)[0]]),
    "last": lambda: ([s, n], [scan(lambda a: a * a - 0.5, outputs_info=s, n_steps=n)[0][-1]]),
    "several": lambda: (
        [x, s],
        list(scan(lambda r, a, b: (a + b * r, T.tanh(a), r * r - a), sequences=x, outputs_info=[s, s * 2, None])[0]),
    ),
    "taps": lambda: (
        [x],
        [scan(lambda r, a, b: r + 0.3 * a - 0.2 * b, sequences=x[3:], outputs_info={"initial": x[:3], "taps": [-3, -1]})[0]],
    ),
    "old_value": lambda: ([s, n], [o[-1] for o in scan(lambda a, b: (a * 0.5 + b, a), outputs_info=[s, s + 1], n_steps=n)[0]]),
    "fixed": lambda: ([x, s, v], [scan(lambda r, a, c: T.exp(-r * r) * c[0] + a * s, x, s, v[:1])[0][-1]]),
    "gradient": lambda: (
        [x, s],
        T.grad(T.sum(scan(lambda r, a: T.tanh(r + a), sequences=x, outputs_info=s)[0] ** 2), [x, s]),
    ),
}  # fmt: skip
DATA = {"x": rows(6, 3, 7), "s": rows(3, 7), "v": rows(5), "n": np.int64(4)}


@pytest.mark.parametrize("name", PLACES)
def test_places(name: str) -> None:
    inputs, outputs = PLACES[name]()
    f = both(inputs, outputs, *(DATA[i.name] for i in inputs))
    assert "eq_series" in f.c_source


def test_rows_of_other_lengths_are_refused_but_not_without_steps() -> None:
    m, start = T.dmatrix("m"), T.dvector("start")
    f = eqsat.function([m, start], scan(decay, sequences=m, outputs_info=start)[0])
    with pytest.raises(eqsat.errors.ShapeError, match=r"lengths 3 in x and 4 in start\[t-1\] at run time"):
        f(rows(2, 3), rows(4))
    assert f(rows(0, 3), rows(4)).shape == (0, 4)


def test_elements_that_need_others_are_no_lanes() -> None:
    m, start = T.dmatrix("m"), T.dvector("start")
    for step in (lambda r, a: r - a.sum(), lambda r, a: r + a[::-1]):
        f = both([m, start], [scan(step, sequences=m, outputs_info=start)[0]], rows(4, 9), rows(9))
        assert "eq_series" not in f.c_source


def test_numbers_that_are_not_finite() -> None:
    m, start = T.dmatrix("m"), T.dvector("start")
    data = rows(5, 8)
    data[1, :3] = np.nan, np.inf, -np.inf
    both(
        [m, start],
        [scan(lambda r, a: T.maximum(r, 0.9 * a), sequences=m, outputs_info=start)[0]],
        data,
        rows(8),
    )


def test_lanes_have_the_same_bits_on_any_number_of_threads() -> None:
    m, start = T.dmatrix("m"), T.dvector("start")
    out = scan(lambda r, a: T.tanh(r + a), sequences=m, outputs_info=start)[0]
    data, first = rows(40, 5003), rows(5003)
    found = []
    for threads in (1, 2, 4):
        with eqsat.config.change_flags(threads=threads):
            found.append(eqsat.function([m, start], out)(data, first))
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
