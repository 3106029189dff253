"""Families of expressions over wide ranges: values and gradients held against the reals, alone and together, and costs by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.extract.cost import CostModel
from eqsat.tensor.nnet import softmax
from tests.rules.real_values import exactly, off, room

HALF_A_CALL = CostModel().call / 2
e = T.exp
SCORES = np.array([[1000.0, 999.0, -1000.0], [0.0, 1.0, 800.0]])
SMALL = np.array([[1e-9, 0.3, -2.0], [1.0, -0.5, 0.0]])
LOW = np.array([[-900.0, -901.0, -1000.0], [1e-3, 1e3, 5.0]])
TALL = np.array([[1.0, -800.0], [900.0, 2.0], [-3.0, 1000.0]])
FAR = np.array([1000.0, -1000.0, 0.0, 3.0, -40.0])
NEAR = np.array([1e-12, -1e-9, 1e-3, 0.5, -3.0])
MASK = np.array([[True, False, True], [True, True, True]])
PLACES, MEANS = np.array([0.0, 1e3, -50.0, 1e-8]), np.array([0.0, 10.0, -3.0])
SIGNED = np.array([3.0, -2.0, 0.5, 0.0, -1e3])
SCALES, WEIGHTS = np.array([1e-2, 1.0, 3.0]), np.array([0.2, 0.3, 0.5])


class Case(NamedTuple):
    """An expression, the points at which it is computed, and the form that an expert would write, of which the cost is reached.

    ``gradients`` says what is asked of gradients, too: "values", "values costs", or nothing.
    """

    written: Callable[..., Any]
    points: list[tuple[Any, ...]]
    by_hand: Callable[..., Any] | None = None
    gradients: str = "values costs"


def odds(p: Any) -> Any:
    return T.log(p) - T.log1p(-p)


def terms(x: Any, m: Any, s: Any, w: Any) -> Any:
    return w * e(-0.5 * ((x[:, None] - m) / s) ** 2) / s


PAIRS = [(SCORES, TALL), (SMALL, SMALL.T.copy())]
MIXTURE = [(PLACES, MEANS, SCALES, WEIGHTS)]
CASES: dict[str, Case] = {
    # products of exponentials
    "matrices of exponentials": Case(
        lambda a, b: T.log(T.dot(e(a), e(b))),
        [*PAIRS, (LOW, TALL)],
        lambda a, b: T.logsumexp(a[:, :, None] + b[None], axis=1),
    ),
    "mean of products": Case(lambda a, b: T.mean(T.log(T.dot(e(a - 1), e(2 * b)))), PAIRS),
    "transposed exponentials": Case(
        lambda a, b: T.log(T.dot(e(a).T, e(b))), [(SCORES, LOW), (SMALL, SCORES)]
    ),
    "exponentials and a vector": Case(
        lambda a, v: T.log(T.dot(e(a), e(v))),
        [(SCORES, TALL[:, 0]), (SMALL, SMALL[0])],
        lambda a, v: T.logsumexp(a + v, axis=1),
    ),
    "vectors of exponentials": Case(
        lambda v, w: T.log(T.dot(e(v), e(w))), [(FAR, NEAR)], lambda v, w: T.logsumexp(v + w)
    ),
    # log odds
    "log odds": Case(lambda x: odds(T.sigmoid(x)), [(FAR,), (NEAR,)], lambda x: x),
    "log odds of shares": Case(lambda x: odds(softmax(x)), [(SCORES,), (SMALL,), (LOW,)], gradients=""),
    "log odds of a quotient": Case(
        lambda x: T.log(T.sigmoid(x) / (1 - T.sigmoid(x))), [(FAR,), (NEAR,)], lambda x: x
    ),
    # squares that are written out
    "square of a difference": Case(
        lambda x, y: x * x - 2 * x * y + y * y,
        [(FAR, FAR + 1e-9), (FAR, NEAR)],
        lambda x, y: (x - y) ** 2,
        gradients="values",
    ),
    "square of a sum": Case(
        lambda x, y: x**2 + y**2 + 2 * x * y,
        [(FAR, 1e-9 - FAR), (FAR, NEAR)],
        lambda x, y: (x + y) ** 2,
        gradients="values",
    ),
    "distance": Case(
        lambda x, y: T.dot(x, x) - 2 * T.dot(x, y) + T.dot(y, y),
        [(FAR, FAR + 1e-9), (FAR, NEAR)],
        lambda x, y: T.sum((x - y) ** 2),
        gradients="values",
    ),
    "distances of rows": Case(
        lambda a, b: T.sum(a * a, axis=1) + T.sum(b * b, axis=1) - 2 * T.sum(a * b, axis=1),
        [(SCORES, SCORES + 1e-9), (SCORES, SMALL)],
        lambda a, b: T.sum((a - b) ** 2, axis=1),
        gradients="values",
    ),
    # mixtures with scales
    "mixture": Case(lambda *of: T.log(T.sum(terms(*of), axis=1)), MIXTURE, gradients=""),
    "mixture of shares": Case(
        lambda x, m, s, w: T.log(T.sum(terms(x, m, e(s), softmax(w)), axis=1)),
        [(PLACES, MEANS, np.log(SCALES), WEIGHTS)],
        gradients="",
    ),
    # shares that are picked
    "share of a column": Case(
        lambda x: e(x[:, 1]) / T.sum(e(x), axis=1),
        [(SCORES,), (SMALL,)],
        lambda x: e(x[:, 1] - T.logsumexp(x, axis=1)),
    ),
    "shares of two columns": Case(
        lambda x: T.log(e(x[:, :2]).sum(axis=1) / T.sum(e(x), axis=1)), [(SCORES,), (SMALL,)]
    ),
    "rest of a column": Case(lambda x: T.log(1 - softmax(x)[:, 1]), [(SCORES,), (SMALL,)]),
    # masks
    "masked exponentials": Case(
        lambda x, m: T.log(T.sum(T.switch(m, e(x), 0), axis=1)), [(SCORES, MASK), (SMALL, MASK)]
    ),
    "masked shares": Case(
        lambda x, m: (lambda z: (z / T.sum(z, axis=1, keepdims=True)) ** 2)(T.switch(m, e(x), 0)),
        [(SCORES, MASK), (SMALL, MASK)],
    ),
    # a weight of any sign beside a quotient of exponentials
    **{
        f"a weight and exponentials: {name}": Case(written, [(FAR, SIGNED)], gradients="values")
        for name, written in {
            "above": lambda x, v: v * e(-x) / (1 + e(-x)) ** 2,
            "below": lambda x, v: v * e(x) / (1 + e(2 * x)),
            "apart": lambda x, v: v / (1 + e(-x)) ** 2 * e(-x),
            "a square": lambda x, v: v * e(x) ** 2 / (1 + e(x)) ** 2,
            "a number": lambda x, v: v * e(x) / (2 + e(x)) ** 2,
            "with its argument": lambda x, v: v / (1 + e(-x)) + x * e(-x) / (1 + e(-x)) ** 2,
        }.items()
    },
}
QUICK = (
    "log odds of a quotient",
    "matrices of exponentials",
    "masked exponentials",
    "square of a difference",
    "distance",
)


def among(names: list[str]) -> list[Any]:
    """The names of cases; most are tried by the longer sweep."""
    return [n if n in QUICK else pytest.param(n, marks=pytest.mark.sweep) for n in names]


@pytest.mark.parametrize("name", among(list(CASES)))
@pytest.mark.sampled(2)
def test_values_and_gradients_are_those_of_real_numbers(name: str) -> None:
    written, points, _, gradients = CASES[name]
    inputs = [variable(v) for v in points[0]]
    value = written(*inputs)
    gradient = T.grad(T.sum(value), [v for v in inputs if v.type.dtype == "float64"]) if gradients else []
    outputs = [[value], gradient, [value, *gradient]]
    functions = [eqsat.function(inputs, o, mode="numpy", on_unused_input="ignore") for o in outputs]
    for point in points:
        values = dict(zip(inputs, point, strict=True))
        real = exactly(outputs[-1], values)
        known = room(outputs[-1], values, real)
        for function, first, last in zip(functions, (0, 1, 0), (1, None, None), strict=True):
            for found, r, k in zip(function(*point), real[first:last], known[first:last], strict=True):
                assert not off(found, r, k)


def variable(v: Any) -> Any:
    """A variable for an array, of unknown lengths."""
    return T.TensorType(str(v.dtype), (None,) * v.ndim)()


@pytest.mark.parametrize("name", among([n for n, case in CASES.items() if case.by_hand]))
def test_costs_are_those_of_the_form_by_hand(name: str) -> None:
    written, points, by_hand, gradients = CASES[name]
    assert by_hand is not None
    inputs = [variable(v) for v in points[0]]
    asked = [lambda v: v, lambda v: T.grad(T.sum(v), inputs)]
    for of in asked if "costs" in gradients else asked[:1]:
        found, wanted = (eqsat.optimize(of(f(*inputs))) for f in (written, by_hand))
        assert found.unstable_after <= wanted.unstable_after
        assert found.cost_after <= wanted.cost_after + HALF_A_CALL, found.optimized


a, b, x, y, z = T.dmatrix("a"), T.dmatrix("b"), T.dvector("x"), T.dvector("y"), T.dvector("z")
s, k = T.dscalar("s"), T.lscalar("k")
i, j = T.lvector("i"), T.lvector("j")
UNIT = T.eye(a.shape[0])

CHEAPEST: dict[str, tuple[Any, Any]] = {
    "order of exponentials": (T.gt(e(x), e(y)), T.gt(x, y)),
    "order of negatives": (T.le(-x, -y), T.ge(x, y)),
    "order of falling exponentials": (T.lt(e(-x), e(-y)), T.gt(x, y)),
    "order of roots": (T.ge(T.sqrt(abs(x)), T.sqrt(abs(y))), T.ge(abs(x), abs(y))),
    "equal exponentials": (T.eq(e(x), e(y)), T.eq(x, y)),
    "chosen by exponentials": (T.switch(T.gt(e(x), e(y)), x, y), T.maximum(x, y)),
    "sum of differences": (T.sum(x[1:] - x[:-1]), T.sum(x[-1:]) - T.sum(x[:1])),
    "sum of differences in rows": (
        T.sum(a[:, 1:] - a[:, :-1], axis=1),
        T.sum(a[:, -1:], axis=1) - T.sum(a[:, :1], axis=1),
    ),
    "sum of differences of exponentials": (
        T.sum(e(x)[3:] - e(x)[:-3]),
        T.sum(e(x[-3:])) - T.sum(e(x[:3])),
    ),
    "sum of differences backwards": (T.sum(x[:-1] - x[1:]), T.sum(x[:1]) - T.sum(x[-1:])),
    "element of a product": (T.dot(a, b)[k, 1], T.dot(a[k], b[:, 1])),
    "element of a longer product": (T.dot(T.dot(a, b), a)[k, 0], T.dot(T.dot(a[k], b), a[:, 0])),
    "function of an element": (T.tanh(T.dot(a, b) + 1)[0, k], T.tanh(T.dot(a[0], b[:, k]) + 1)),
    "elements of a product": (T.dot(a, b)[i, j], T.sum(a[i] * b.T[j], axis=1)),
    "matrix and multiple of a unit": (T.dot(a + s * UNIT, z), T.dot(a, z) + s * z),
    "unit less matrix": (T.dot(UNIT - a, z), z - T.dot(a, z)),
    "matrix and unit, from the left": (T.dot(z, a + UNIT), T.dot(z, a) + z),
    "ridge": (T.dot(T.dot(a.T, a) + s * T.eye(a.shape[1]), z), T.dot(a.T, T.dot(a, z)) + s * z),
    "unit less outer product": (T.dot(T.eye(x.shape[0]) - T.outer(x, y), z), z - x * T.dot(y, z)),
}


@pytest.mark.parametrize("name", CHEAPEST)
def test_is_as_cheap_as_by_hand(name: str) -> None:
    found, wanted = map(eqsat.optimize, CHEAPEST[name])
    assert found.unstable_after <= wanted.unstable_after
    assert found.cost_after <= wanted.cost_after + HALF_A_CALL, found.optimized
