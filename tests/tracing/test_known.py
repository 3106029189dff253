"""Arrays that a traced function finds or makes of numbers: they take traced indices, and are refused traced values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import ArgumentError, TracingError

W = np.arange(12.0).reshape(4, 3)
TABLE = np.array([10.0, 20.0, 30.0])
X = np.arange(3.0) + 1
PLACES = np.array([0, 2, 1])


class Scale:
    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        return np.zeros(len(x)) + x * self.k


def doubled(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def g(*a: Any) -> Any:
        return f(*a) * 2

    return g


@doubled
def decorated(x: Any) -> Any:
    return np.ones(len(x)) * x


def fractal(xs: Any, ys: Any) -> Any:
    x, y = np.meshgrid(xs, ys)
    z = x + 1j * y
    c = np.full(z.shape, -0.4 + 0.6j)
    steps, inside = np.zeros(z.shape), np.ones(z.shape, bool)
    for k in range(5):
        z[inside] = z[inside] ** 2 + c[inside]
        out = np.abs(z) > 2
        steps[out & inside] = k
        inside[out] = False
    return steps


def written_copy(x: Any) -> Any:
    y = W.copy()
    y[0] = x
    return y


PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "dot": (lambda x: W.dot(x), X),
    "looked up": (lambda i: TABLE[i], PLACES),
    "one-hot": (lambda i: np.eye(3)[i.astype(int)] * W[0], PLACES),
    "pairs of places": (lambda i: W[i, i], PLACES),
    "columns": (lambda i: W[:, i].T, PLACES),
    "method of a table": (lambda x: TABLE.searchsorted(x * 10), X),
    "reversed": (lambda x: np.arange(3)[::-1].clip(0, x.sum()), X),
    "given back": (lambda x: [TABLE, W[0], x], X),
    "decided": (lambda x: x * float(TABLE[0]) if TABLE.sum() > 3 else 2 * x, X),
    "copied": (written_copy, X),
    "partial": (functools.partial(lambda x, k: np.zeros(len(x)) + k * x, k=3), X),
    "object": (Scale(2.0), X),
    "decorated": (decorated, X),
    "masks of a picture": (lambda x: fractal(x - 2, x / 3), X),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_arrays_take_traced_values(name: str) -> None:
    function, given = PROGRAMS[name]
    found, wanted = eqsat.jit(function, mode="reference")(given), function(given)
    for a, b in zip(*((v if isinstance(v, list) else [v]) for v in (found, wanted)), strict=True):
        assert type(a) is np.ndarray
        np.testing.assert_allclose(a, b)


def rebinds(p: Any) -> Any:
    p["w"] = p["w"] * 2


def written_literal(x: Any) -> Any:
    y = np.array([1.0, 2.0, 3.0])
    y[1] = x[0]
    return y


REFUSED: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "a key is set": (rebinds, {"w": X}, "puts something else into a list, a dict"),
    "a generator": (lambda x: (v for v in [x]), X, "result is of the class generator"),
    "a literal is written": (written_literal, X, "test_known.py:.*traced values are written"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_changes_that_would_be_lost_are_refused(name: str) -> None:
    function, given, text = REFUSED[name]
    with pytest.raises((TracingError, ArgumentError), match=text):
        eqsat.jit(function, mode="reference")(given)


def test_a_function_calls_itself_while_it_is_traced() -> None:
    @eqsat.jit(mode="reference", static_argnames="n")
    def power(x: Any, n: int) -> Any:
        return power(x, n - 1) * x if n else 1.0 + 0 * x

    np.testing.assert_allclose(power(X, 3), X**3)

    @eqsat.jit(mode="reference")
    def base(x: Any, more: bool = True) -> Any:
        return x + base(np.ones(3), False) if more else x

    np.testing.assert_allclose(base(X), X + 1)
