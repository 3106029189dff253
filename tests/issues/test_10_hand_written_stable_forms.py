"""Stable forms as they are written by hand: with a weight, a part, a choice or a join between their two halves.

The reference is the graph as written, computed with so many digits that it loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import eqsat
import eqsat.tensor as T
from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS
from eqsat.graph.walk import toposort
from eqsat.verify.sides import Point, Reals, lift

DIGITS = 1000
X, Y, W = T.dmatrices("X", "Y", "W")
I = T.lvector("I")
LARGE = np.array([[1000.0, -1000.0, 3.0, 0.5], [800.0, -750.0, -30.0, 30.0], [1e-3, 1000.0, 999.0, -999.0]])
TAILS = np.array([[30.0, 28.0, 5.0, -6.0], [-30.0, 27.0, 6.0, 10.0], [12.0, -8.0, 40.0, 9.0]])
SMALL = np.array([[1e-10, -1e-9, 1e-3, 0.1], [0.4, -0.5, 1e-12, -1e-5], [1e-7, -1e-6, 0.2, -0.2]])
OTHER = np.array([[2.0, -1e-3, 5.0, 0.3], [3.0, -0.7, 1.0, 2.0], [3.0, 4.0, -0.1, 9.0]])
WEIGHTS = np.array([[2.1, 0.101, 5.1, 0.4], [0.1, 7.1, 1.1, 2.1], [3.1, 4.1, 0.2, 9.1]])
PICKS = np.array([2, 0, 1])
REALS = Reals(Point({}))


def exactly(output: Any, given: dict[Any, Any]) -> Any:
    """The value of a graph with many digits, rounded at the end."""
    known = {v: lift(a) if a.dtype.kind == "f" else a for v, a in given.items()}

    def value(v: Any) -> Any:
        if isinstance(v, Constant):
            return lift(v.data) if v.data.dtype.kind == "f" else v.data
        return known[v]

    node: Any
    for node in toposort([output]):
        (result,), op, operands = node.outputs, node.op, [value(v) for v in node.inputs]
        if op.name == "cast" and not result.dtype.startswith("float"):
            known[result] = operands[0].astype(result.dtype)
        elif OPS[op.name].kind in ("elemwise", "reduce") or "softmax" in op.name:
            known[result] = REALS.apply(op.name, operands, op.params)
        else:
            known[result] = op.declaration.meaning(*operands, **op.params)
    return np.asarray(known[output], object).astype("float64")


def agrees(
    output: Any, values: Any, mode: str = "numpy", weights: Any = WEIGHTS, limit: float = 1e-12
) -> None:
    """Fail where the compiled value has not the digits of the exact one."""
    given = {X: values, Y: OTHER, W: weights, I: PICKS}
    compute = eqsat.function(list(given), output, mode=mode, on_unused_input="ignore")
    with mpmath.workdps(DIGITS), np.errstate(all="ignore"):
        np.testing.assert_allclose(compute(*given.values()), exactly(output, given), rtol=limit, atol=1e-300)


def shares(x: Any) -> Any:
    """Softmax of rows as written in a textbook."""
    return T.exp(x) / T.exp(x).sum(axis=1, keepdims=True)


def of_masked(e: Any) -> Any:
    return e / T.sum(e, axis=1, keepdims=True)


def soft(x: Any = X) -> Any:
    return T.softmax(x, axis=1)


ODDS = T.cast(T.gt(Y, 0), "float64")
SMOOTH = 0.9 * np.eye(4)[[1, 0, 3]] + 0.025
ROWS = T.arange(3)
Case = tuple[Callable[[], Any], Any]
VALUES: dict[str, Case] = {
    # error functions
    "one less erf": (lambda: 1 - T.erf(X), TAILS),
    "log of one less erf": (lambda: T.log(1 - T.erf(X)), TAILS),
    "log of erfc": (lambda: T.log(T.erfc(X)), TAILS),
    "log of picked erfc": (lambda: T.log(T.erfc(X)[I]), TAILS),
    "log of part of transposed erfc": (lambda: T.log(T.erfc(X).T[1:]), TAILS),
    "log of weighted erfc": (lambda: T.log(abs(W) * T.erfc(X)), TAILS),
    "log of power of erfc": (lambda: T.log(T.erfc(X) ** 3), TAILS),
    "log10 of erfc": (lambda: T.log10(T.erfc(X)), TAILS),
    "log of upper tail": (lambda: T.log(1 - T.ndtr(X)), TAILS),
    "log of lower tail by erf": (lambda: T.log(0.5 * (1 + T.erf(X / np.sqrt(2)))), -TAILS),
    "lower tail by erf": (lambda: 0.5 * (1 + T.erf(X / np.sqrt(2))), -TAILS),
    "one less joined erf": (lambda: 1 - T.concatenate([T.erf(X)[I], T.erf(Y)]).T, TAILS),
    "multiple less multiple by erf": (lambda: (2 - 2 * T.erf(X))[I], TAILS),
    "density over tail": (lambda: T.exp(-(X**2)) / T.erfc(X), TAILS),
    # angles and roots
    "one less cosine": (lambda: 1 - T.cos(X), SMALL),
    "square of a half angle": (lambda: (T.cos(X) - 1) / X**2, SMALL),
    "hyperbolic cosine less one": (lambda: T.cosh(X) - 1, SMALL),
    "neighbouring roots": (lambda: T.sqrt(abs(X) + 1) - T.sqrt(abs(X)), 1e10 + abs(SMALL)),
    "hypotenuse less a side": (lambda: T.sqrt(abs(X) ** 2 + 1) - abs(X), 1e8 + abs(SMALL)),
    "root less one": (lambda: T.sqrt(1 + X**2) - 1, SMALL),
    "one less root": (lambda: 1 - T.sqrt(1 - X), SMALL),
    "mean of one less cosine": (lambda: T.mean(1 - T.cos(1e-6 * X)), SMALL),
    "mean of roots less one": (lambda: T.mean(T.sqrt(1 + (1e-6 * X) ** 2) - 1, axis=1), SMALL),
    "sum of one less sigmoid": (lambda: T.sum(1 - T.sigmoid(30 + abs(X)), axis=1), LARGE),
    # hyperbolic functions
    "sinh": (lambda: (T.exp(X) - T.exp(-X)) / 2, SMALL),
    "sinh by one over exp": (lambda: 0.5 * (T.exp(X) - 1 / T.exp(X)), SMALL),
    "sinh of what is picked": (lambda: (T.exp(X)[I] - T.exp(-X)[I]) / 2, SMALL),
    "tanh by squares": (lambda: (T.exp(2 * X) - 1) / (T.exp(2 * X) + 1), LARGE),
    "one less tanh": (lambda: 1 - T.tanh(X), LARGE),
    "log of cosh": (lambda: T.log(T.cosh(X)), LARGE),
    "log of cosh near 0": (lambda: T.log(T.cosh(X)), SMALL),
    "log of cosh by exp": (lambda: T.log((T.exp(X) + T.exp(-X)) / 2), LARGE),
    "loss by tanh": (lambda: -T.log((1 + T.tanh(X)) / 2), LARGE),
    "arctanh": (lambda: 0.5 * T.log((1 + X) / (1 - X)), SMALL),
    # logarithms of sums
    "weights": (lambda: T.log(T.sum(abs(W) * T.exp(X), axis=1)), LARGE),
    "weights of any sign": (lambda: T.log(T.sum(W * T.exp(X), axis=1)), LARGE),
    "weights that are picked": (lambda: T.log(T.sum(W[I] * T.exp(X)[I], axis=1)), LARGE),
    "mean": (lambda: T.log(T.mean(T.exp(X))), LARGE),
    "mean of columns": (lambda: T.log(T.mean(T.exp(X), axis=0)), LARGE),
    "base 10": (lambda: T.log10(T.sum(T.exp(X))), LARGE),
    "base 2 of one and exp": (lambda: T.log2(1 + T.exp(X)), LARGE),
    "third": (lambda: T.log(1 + T.exp(X) / 3), LARGE),
    "exp and 3": (lambda: T.log(T.exp(X) + 3), LARGE),
    "two weighted": (lambda: T.log(2 * T.exp(X) + 3 * T.exp(Y)), LARGE),
    "join inside": (lambda: T.log(T.sum(T.exp(T.concatenate([X, Y], axis=1)), axis=1)), LARGE),
    "part": (lambda: T.log(T.sum(T.exp(X)[:, 1:], axis=1)), LARGE),
    "mask that multiplies": (lambda: T.log(T.sum((Y > 0) * T.exp(X), axis=1)), LARGE),
    "product with a vector": (lambda: T.log(T.dot(T.exp(X), T.exp(W[0]))), LARGE),
    "vector times a matrix": (lambda: T.log(T.dot(T.exp(W[:, 0]), T.exp(X))), LARGE),
    "product of vectors": (lambda: T.log(T.dot(T.exp(W[0]), T.exp(X[0]))), LARGE),
    # logarithms of shares and chances
    "one less softmax": (lambda: T.log(1 - soft()), LARGE),
    "softmax transposed": (lambda: T.log(soft().T), LARGE),
    "row of softmax": (lambda: T.log(soft()[1]), LARGE),
    "rows of softmax": (lambda: T.log(soft()[I]), LARGE),
    "softmax over weights": (lambda: T.log(soft() / abs(W)), LARGE),
    "softmax in another shape": (lambda: T.log(soft().reshape((4, 3))), LARGE),
    "choice of sigmoids": (lambda: T.log(T.switch(Y > 0, T.sigmoid(X), 1 - T.sigmoid(X))), LARGE),
    "join of sigmoids": (lambda: T.log(T.join(0, T.sigmoid(X), T.sigmoid(Y))), LARGE),
    "product of sigmoids": (lambda: T.log(T.prod(T.sigmoid(X), axis=1)), LARGE),
    "sigmoid over half": (lambda: T.log(T.sigmoid(X) / 0.5), LARGE),
    "sigmoid set in places": (lambda: T.log(T.set_subtensor(T.sigmoid(X)[0], 0.5)), LARGE),
    "log odds": (lambda: T.log(T.sigmoid(X)) - T.log(1 - T.sigmoid(X)), LARGE),
    "divergence": (lambda: T.sum(soft() * T.log(soft() / soft(Y)), axis=1), LARGE),
    "divergence by hand": (
        lambda: T.sum(shares(X) * (T.log(shares(X)) - T.log(shares(Y))), axis=1),
        LARGE,
    ),
    "smoothed labels": (lambda: -T.sum(SMOOTH * T.log(shares(X)), axis=1), LARGE),
    "focal loss": (lambda: -((1 - T.sigmoid(X)) ** 2) * T.log(T.sigmoid(X)), LARGE),
    # shares
    "softmax transposed by hand": (lambda: (T.exp(X).T / T.sum(T.exp(X), 1)).T, LARGE),
    "log of it": (lambda: T.log((T.exp(X).T / T.sum(T.exp(X), 1)).T), LARGE),
    "softmax with temperature": (lambda: shares(X / 2), LARGE),
    "column of shares": (lambda: T.exp(X)[:, 1] / T.sum(T.exp(X), 1), LARGE),
    "weighted shares": (lambda: of_masked(abs(W) * T.exp(X)), LARGE),
    "mask that multiplies shares": (lambda: of_masked((Y > 0) * T.exp(X)), LARGE),
    "slope of sigmoid": (lambda: T.exp(X) / (1 + T.exp(X)) ** 2, LARGE),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.sampled(18)
def test_values_keep_their_digits(name: str) -> None:
    written, values = VALUES[name]
    agrees(written(), values)


GRADIENTS: dict[str, Case] = {
    "log of erfc": (lambda: T.log(T.erfc(X)), TAILS),
    "weighted log of erfc": (lambda: W * T.log(T.erfc(X)), TAILS),
    "log of one less erf": (lambda: T.log(1 - T.erf(X)), TAILS),
    "log of a choice of erfc": (lambda: T.log(T.switch(Y > 0, T.erfc(X), 0.5)), TAILS),
    "log of lower tail by erf": (lambda: T.log(0.5 * (1 + T.erf(X / np.sqrt(2)))), -TAILS),
    "log of lower tail": (lambda: T.log(T.ndtr(X)), -TAILS),
    "weighted sum": (lambda: T.log(T.sum(abs(W) * T.exp(X), axis=1)), LARGE),
    "sum of transposed": (lambda: T.log(T.sum(T.exp(X).T, axis=0)), LARGE),
    "masked sum": (lambda: T.log(T.sum(T.switch(Y > 0, T.exp(X), 0), axis=1)), LARGE),
    "log of cosh": (lambda: T.log(T.cosh(X)), LARGE),
    "log odds": (lambda: T.log(T.sigmoid(X)) - T.log(1 - T.sigmoid(X)), LARGE),
    "smoothed labels": (lambda: -T.sum(SMOOTH * T.log(shares(X)), axis=1), LARGE),
    "square of one less cosine": (lambda: (1 - T.cos(X)) ** 2, SMALL),
    "product with a vector": (lambda: T.log(T.dot(T.exp(X), T.exp(W[0]))), LARGE),
}


def test_roots_that_are_infinite_stay() -> None:
    x = T.dvector("x")
    compute = eqsat.function([x], [T.sqrt(x + 1) - 1, 1 - T.sqrt(1 - x), T.sqrt(1 + x**2) - 1], mode="numpy")
    found = compute(np.array([np.inf, -np.inf, 1e200, 0.0, -1.0]))
    wanted = np.array(
        [
            [np.inf, np.nan, 1e100, 0, -1],
            [np.nan, -np.inf, np.nan, 0, 1 - 2**0.5],
            [np.inf, np.inf, np.inf, 0, 2**0.5 - 1],
        ]
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.sampled(5)
def test_gradients_keep_their_digits(name: str) -> None:
    written, values = GRADIENTS[name]
    agrees(T.grad(written().sum(), X), values)


@pytest.mark.parametrize("name", ["weights", "choice of sigmoids", "softmax transposed by hand"])
def test_compiled_to_c(name: str) -> None:
    written, values = VALUES[name]
    agrees(written(), values, mode="FAST_RUN")


def test_the_logarithm_of_a_sum_with_weights_of_both_signs() -> None:
    weights = np.array([[2.0, -1e-3, 5.0, 0.3], [0.0, 0.7, 1.0, 2.0], [3.0, 4.0, -0.1, 9.0]])
    agrees(T.log(T.sum(W * T.exp(X), axis=1)), LARGE, weights=weights)
    negative = eqsat.function([X, W], T.log(T.sum(W * T.exp(X), axis=1)), mode="numpy")
    assert np.isnan(negative(LARGE, -WEIGHTS)).all()


def test_float32() -> None:
    x = T.fvector("x")
    values = np.array([3.0, 12.0, 60.0], "float32")
    written = [T.log(T.erfc(x)), 1 - T.erf(x[:1]), T.log(T.sum(2 * T.exp(x * 10)))]
    log_tail, tail, total = eqsat.function([x], written)(values)
    np.testing.assert_allclose(
        log_tail, special.log_ndtr(-values.astype(float) * 2**0.5) + np.log(2), rtol=1e-6
    )
    np.testing.assert_allclose(tail, special.erfc(3.0), rtol=1e-6)
    np.testing.assert_allclose(total, 600 + np.log(2), rtol=1e-6)
    assert log_tail.dtype == tail.dtype == total.dtype == np.float32


def test_products_that_were_shifted_by_hand_stay_products() -> None:
    odds, a = T.dmatrix("odds"), T.dvector("a")
    largest = a.max()
    step = T.log(T.dot(odds.T, T.exp(a - largest))) + largest
    assert "dot" in {node.op.name for node in toposort(eqsat.optimize(step).optimized)}


def test_products_with_exponentials_that_may_vanish_are_stable() -> None:
    weights, a = T.dmatrix("weights"), T.dvector("a")
    far = eqsat.function([weights, a], T.log(T.dot(weights, T.exp(-T.sqr(a)))))
    np.testing.assert_allclose(far([[1.0, 2.0]], [30.0, 31.0]), [-900.0], rtol=1e-12)


def test_log_odds_whose_gradient_is_an_output_too() -> None:
    x = T.dvector("x")
    s = T.sigmoid(x)
    odds = T.log(s) - T.log(1 - s)
    value, slope = eqsat.function([x], [odds, T.grad(odds.sum(), x)], mode="numpy")([-1000.0, 1000.0, 0.3])
    np.testing.assert_allclose(value, [-1000.0, 1000.0, 0.3], rtol=1e-14)
    np.testing.assert_allclose(slope, 1.0, rtol=1e-14)


def test_masked_values_are_those_of_the_graph_as_written() -> None:
    x = T.dmatrix("x")
    masked = T.switch(x > -100, T.exp(x), 0)
    values = np.array([[1.0, -200.0, 2.0], [-500.0, -300.0, -np.inf]])
    for written in (T.log(masked.sum(axis=1)), T.log(masked), masked / masked.sum(axis=1, keepdims=True)):
        found, wanted = (eqsat.function([x], written, mode=m)(values) for m in ("numpy", "reference"))
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_whole_numbers() -> None:
    k = T.lvector("k")
    written = [1 - T.erf(k), T.log(T.erfc(k)), T.log(T.sum(k * T.exp(k))), T.log(k * T.sigmoid(k))]
    results = [eqsat.function([k], written, mode=m)([1, 2, 3]) for m in ("numpy", "reference")]
    for found, wanted in zip(*results, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-10)  # as written, 1 - erf loses digits
