"""What NumPy refuses by lengths, places and numbers is an error here too, and what it allows at the ends is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import AssertError, TracingError
from tests.tracing.test_jit import V, assert_agree, assigned


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, np.float32("inf"), 1j])
@pytest.mark.parametrize("write", [assigned, lambda x, n: x.copy().fill(n), lambda x, n: x.min(initial=n)])
def test_a_number_that_numpy_does_not_write_is_refused(write: Any, number: Any) -> None:
    with pytest.raises((OverflowError, ValueError, TypeError)):
        write(np.arange(3), number)
    with pytest.raises(TracingError, match=r"test_\w+\.py:.*in an array of int64"):
        eqsat.jit(lambda x: write(x, number))(np.arange(3))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda x: np.gradient(x[:1]), "fewer than two"),
        (lambda x: np.gradient(x[6:]), "fewer than two"),
        (lambda x: np.insert(x, 7, 9), "insert: the index is outside"),
        (lambda x: np.insert(x[6:], 1, 9), "insert: the index is outside"),
        (lambda x: np.delete(x, len(x)), "delete: the index is outside"),
        (lambda x: np.delete(x, -7), "delete: the index is outside"),
        (lambda x: np.delete(x[6:], 0), "delete: the index is outside"),
    ],
)
def test_what_numpy_refuses_by_lengths_is_an_error_of_the_call(program: Any, text: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        program(V)
    for mode in ("reference", "FAST_RUN"):
        with pytest.raises(AssertError, match=text):
            eqsat.jit(program, mode=mode)(V)


def copied(x: Any) -> Any:
    y = np.zeros_like(x, dtype=int)
    np.copyto(y, 7, where=x > 0)
    np.copyto(y[:2], 1.5, casting="unsafe")
    return y, np.insert(x, len(x), 9), np.delete(x, 0 * len(x) - 1), np.insert(x, -6, 1), np.delete(x, -6)


def test_the_ends_of_an_axis_and_casts_that_numpy_allows() -> None:
    assert_agree(eqsat.jit(copied, mode="reference")(V), copied(V))
