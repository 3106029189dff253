"""Initial values with axes of length 1: a step that does not know the length is traced again, and nobody need say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.gradient import verify_grad
from eqsat.scan import scan, until

X = np.random.default_rng(3).normal(size=(4, 1, 3))  # steps, batch, features
x = T.dtensor3("x")
start = T.drow("start")
features = x.shape[2]


def tanh(row: Any, h: Any) -> Any:
    return T.tanh(row + h)


def one(initial: Any, **options: Any) -> Any:
    return scan(tanh, x, initial, **options)[0]


def loop() -> Any:
    h, found = np.zeros((1, 3)), []
    for row in X:
        h = np.tanh(row + h)
        found.append(h)
    return np.array(found)


FORMS: dict[str, Callable[[], Any]] = {
    "zeros": lambda: one(T.zeros((1, features))),
    "alloc": lambda: one(T.alloc(0.0, 1, features)),
    "zeros_like": lambda: one(T.zeros_like(T.dot(T.ones((1, features)), T.eye(features)))),
    "unbroadcast": lambda: one(T.unbroadcast(T.zeros((1, features)), 0)),
    "patternbroadcast": lambda: one(T.patternbroadcast(T.zeros((x.shape[1], features)), (True, False))),
    "dimshuffle": lambda: one(T.zeros((features,)).dimshuffle("x", 0)),
    "keepdims": lambda: one(x[:1].sum(0) * 0),
    "array": lambda: one(np.zeros((1, 3))),
    "narrow array": lambda: one(np.zeros((1, 3), "float32")),
    "shared": lambda: one(eqsat.shared(np.zeros((1, 3)))),
    "shared row": lambda: one(eqsat.shared(np.zeros((1, 3)), broadcastable=(True, False))),
    "in a list": lambda: one([T.zeros((1, features))]),
    "in a dict": lambda: one({"initial": T.zeros((1, features))}),
    "with a tap": lambda: one([{"initial": T.zeros((1, features)), "taps": [-1]}]),
    "with a tap, stacked twice": lambda: scan(
        lambda row, before, h: T.tanh(row + h) + 0 * before,
        x,
        {"initial": T.zeros((2, 1, features)), "taps": [-2, -1]},
    )[0],
    "more stacked than read": lambda: scan(
        lambda row, two, h: T.tanh(row + h) + 0 * two,
        x,
        {"initial": T.alloc(0.0, 2 * x.shape[1] + 3, 1, features)[-2:], "taps": [-2, -1]},
    )[0],
    "until": lambda: scan(lambda row, h: (T.tanh(row + h), until(h.sum() > 99)), x, T.zeros((1, features)))[
        0
    ],
    "one state out of another": lambda: scan(
        lambda row, a, b: [T.tanh(row + a), a], x, [T.zeros((1, features)), T.zeros((1, features))]
    )[0][0],
    "nested": lambda: scan(
        lambda row, h: scan(lambda r, s: T.tanh(r + s), row[None], h)[0][-1], x, T.zeros((1, features))
    )[0],
    "foldl": lambda: T.concatenate(
        [one(T.zeros((1, features)))[:-1], eqsat.foldl(tanh, x, T.zeros((1, features)))[0][None]]
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_initial_values(name: str) -> None:
    out = FORMS[name]()
    assert out.dtype == "float64"
    slopes = [T.grad((v**2).sum(), x) for v in (out, one(T.unbroadcast(start, 0)))]
    f = eqsat.function([x, start], [out, *slopes], mode="reference")
    got, slope, want = f(X, np.zeros((1, 3)))
    np.testing.assert_allclose(got, loop(), rtol=1e-12)
    np.testing.assert_allclose(slope, want, rtol=1e-9)


def test_forms_of_initial_values_in_one_function(seed_mode: str) -> None:
    want = loop()
    for got in eqsat.function([x], [form() for form in FORMS.values()], mode=seed_mode)(X):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_gradients_reach_an_initial_row(seed_mode: str) -> None:
    verify_grad(lambda v, h: scan(tanh, v, T.addbroadcast(h, 0))[0], [X, X[0]], n_tests=1, mode=seed_mode)
    two = np.concatenate([X[0], X[1]])[:, None]
    verify_grad(
        lambda v, h: scan(
            lambda row, a, b: T.tanh(row + a * b), v, {"initial": T.addbroadcast(h, 1), "taps": [-2, -1]}
        )[0],
        [X, two],
        n_tests=1,
        mode=seed_mode,
    )


def test_lengths_that_a_step_knows_are_kept() -> None:
    """An axis stays of length 1 where the step says so too, and then it broadcasts in what follows."""
    kept = scan(lambda row, h: h + row.sum(axis=1, keepdims=True), x, T.zeros((x.shape[1], 1)))[0]
    total = scan(lambda row, h: h + row.sum(), x, T.zeros((1, 1)))[0]
    assert kept.type.shape == (None, None, 1) and total.type.shape == (None, 1, 1)
    assert (kept + x).eval({x: X}, mode="reference").shape == (4, 1, 3)


def test_a_row_is_not_stretched_to_a_batch() -> None:
    """The values of a state have one shape; where the initial value would have to broadcast, the loop says so."""
    f = eqsat.function([x], one(T.zeros((1, features))), mode="reference")
    with pytest.raises(
        ShapeError, match=r"axis 0 has the lengths 2 in x\[t\] and 1 in h at run time"
    ) as caught:
        f(np.ones((4, 2, 3)))
    assert [line.split()[0] for line in str(caught.value).splitlines()[1:3]] == ["x[t]", "h"]
