"""Families of expressions: each row with the form that an expert would write, whose cost is reached, and stable values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.extract.cost import CostModel
from eqsat.tensor.nnet import softmax

HALF_A_CALL = CostModel().call / 2
a, b = T.dmatrices("a", "b")
x, y, z = T.dvectors("x", "y", "z")
s = T.dscalar("s")
i, k = T.lvector("i"), T.lscalar("k")
e = T.exp

CHEAPEST: dict[str, tuple[Any, Any]] = {
    # joins
    "largest of four": (
        T.max(T.stack([x, y, z, s + x]), axis=0),
        T.maximum(T.maximum(x, y), T.maximum(z, s + x)),
    ),
    "sum of four": (T.sum(T.concatenate([x, y, e(z), z])), T.sum(x) + T.sum(y) + T.sum(e(z)) + T.sum(z)),
    "one of four": (T.stack([x, y, z, x + 1])[3], x + 1),
    "both halves": (T.concatenate([x[:k], x[k:]]), x),
    "rolled": (T.sum(T.roll(e(x), 3)), T.sum(e(x))),
    "first of two": (T.concatenate([x, y])[: x.shape[0]], x),
    "last of two": (T.concatenate([x, y])[x.shape[0] :], y),
    "second of three": (T.concatenate([x, y, z])[x.shape[0] : x.shape[0] + y.shape[0]], y),
    "first of four": (T.concatenate([x, y, z, x])[: x.shape[0]], x),
    "first columns": (T.exp(T.concatenate([a, b], axis=1))[:, : a.shape[1]], e(a)),
    # running and sorted
    "part of a running sum": (T.cumsum(e(x))[10:20], T.cumsum(e(x[:20]))[10:]),
    "part of a running product": (T.cumprod(x)[3:9:2], T.cumprod(x[:9])[3::2]),
    "last of sorted": (T.sort(T.tanh(x))[-1], T.tanh(T.max(x))),
    "last of sorted columns": (T.sort(a, axis=0)[-1], T.max(a, axis=0)),
    "first of sorted": (T.sort(e(x))[0], e(T.min(x))),
    "first of sorted rows": (T.sort(a, axis=1)[:, 0], T.min(a, axis=1)),
    "first place of sorted": (T.argsort(x)[0], T.argmin(x)),
    "first places of sorted rows": (T.argsort(a, axis=1)[:, 0], T.argmin(a, axis=1)),
    "least of negatives": (-T.sort(-x)[0], T.max(x)),
    "sorted twice": (T.sort(T.sort(x)), T.sort(x)),
    # what is shifted
    "variance of shifted": (T.var(x + s), T.var(x)),
    "variance of shifted columns": (T.var(a + x, axis=0), T.var(a, axis=0)),
    "variance of a shifted matrix": (T.var(a - s), T.var(a)),
    "deviation of shifted": (T.std(x - 3.0), T.std(x)),
    "covariance of shifted": (
        T.mean((x + s - T.mean(x + s)) * (y - T.mean(y))),
        T.mean((x - T.mean(x)) * (y - T.mean(y))),
    ),
    "centred exponentials": (e(x) + s - T.mean(e(x) + s), e(x) - T.mean(e(x))),
    "distance to the largest": (x + s - T.max(x + s), x - T.max(x)),
    "range of scaled": (T.max(2 * x + 1) - T.min(2 * x + 1), 2 * (T.max(x) - T.min(x))),
    # products
    "matrix and outer product": (T.dot(a + T.outer(x, y), z), T.dot(a, z) + x * T.dot(y, z)),
    "matrix less outer product": (T.dot(z, a - T.outer(x, y)), T.dot(z, a) - T.dot(z, x) * y),
    "matrix and diagonal": (T.dot(a + T.diag(x), z), T.dot(a, z) + x * z),
    "product with ones": (T.dot(a, T.ones(a.shape[1])), T.sum(a, axis=1)),
    "product with twos": (T.dot(T.full((a.shape[0],), 2.0), a), 2 * T.sum(a, axis=0)),
    "product by broadcasting": (T.sum(a[:, :, None] * b[None], axis=1), T.dot(a, b)),
    "product with a transpose": (T.sum(b[None] * a[:, None, :], axis=2), T.dot(a, b.T)),
    "outer product times a matrix": (T.dot(x[:, None] * y[None, :], a), x[:, None] * T.dot(y, a)[None, :]),
    # pairs
    "exponentials of both signs": ([e(x), e(-x)], [e(x), 1 / e(x)]),
    "an exponential and its square": ([e(x), e(2 * x)], [e(x), e(x) * e(x)]),
    "sums over fewer axes and more": (
        [T.sum(a, axis=0), T.sum(a)],
        [T.sum(a, axis=0), T.sum(T.sum(a, axis=0))],
    ),
    "extrema over fewer axes and more": (
        [T.max(a, axis=1), T.max(a)],
        [T.max(a, axis=1), T.max(T.max(a, axis=1))],
    ),
    "a sigmoid and the rest to 1": ([T.sigmoid(x), 1 - T.sigmoid(x)], [T.sigmoid(x), 1 - T.sigmoid(x)]),
    # ranges and infinite numbers
    "ramp by a range": (T.clip(x, 0, np.inf), T.maximum(x, 0)),
    "no range": (T.clip(x, -np.inf, np.inf), x),
    "larger than the least": (T.maximum(x, -np.inf), x),
    "range of negatives": (-T.clip(-x, -1, 2), T.clip(x, -2, 1)),
    "range of a range": (T.clip(T.clip(x, 0, 2), 1, 3), T.clip(x, 1, 2)),
    "range by choice": (T.switch(x < -1, -1, T.minimum(x, 1)), T.clip(x, -1, 1)),
    "range by another choice": (T.switch(x <= 1, T.maximum(x, -1), 1), T.clip(x, -1, 1)),
    # comparisons
    "true by comparison": (T.eq(x > y, True), x > y),
    "false by comparison": (T.neq(x > y, True), ~(x > y)),
    "one of two bounds": ((x > 0) | (x > 1), x > 0),
    "both of two bounds": ((x >= 0) & (x > 1), x > 1),
    "bounds that exclude each other": (T.switch((x > 0) & (x < -1), y, z), z),
    "comparison of a multiple": (x * -2 > 4, x < -2),
    "comparison of a sum": (x + 1 > 4, x > 3),
    "comparison of a rest": (3 - x > 1, x < 2),
    "comparison of an exponential": (e(x) >= 1, x >= 0),
    "comparison of a share": (T.sigmoid(x) > 0.5, x > 0),
    "comparison of a root": (T.sqrt(x) > 2, x > 4),
    "size below 0": (T.switch(abs(x) < 0, y, z), z),
    "sign of a function": (T.sign(T.sinh(x)), T.sign(x)),
    # whole numbers
    "shifts": ((i << 1) << 2, i << 3),
    "quotients in turn": ((i // 2) // 3, i // 6),
    "rests in turn": ((i % 6) % 3, i % 3),
    "negative of the complement": (-(~i), i + 1),
    # multiples
    "quotient by the root of a number": (x / T.sqrt(s), x * (1 / T.sqrt(s))),
    "cube of a root": (T.cbrt(x) ** 3, x),
    "root of a cube": (T.cbrt(x**3), x),
    "logarithm of a power": (T.log10(10.0**x), x),
    # shapes
    "own shape": (T.sqrt(e(a).flatten()).reshape(a.shape), T.sqrt(e(a))),
}


def loop(step: Any, *sequences: Any) -> Any:
    """All values of a state that begins with s."""
    return eqsat.scan(step, list(sequences), s)[0]


one = loop(lambda u, h: T.tanh(h + u), x)
two = loop(lambda u, v, h: h * u + v, x, y)
top = loop(lambda u, h: T.maximum(h, u) * 2, x)
CHEAPEST |= {
    "order of a sum in a step": ([one, loop(lambda u, h: T.tanh(u + h), x)], [one, one]),
    "order of factors in a step": ([two, loop(lambda v, u, h: v + u * h, y, x)], [two, two]),
    "order of extremes in a step": ([top[-1], loop(lambda u, h: 2 * T.maximum(u, h), x)], [top[-1], top]),
}


def cost(v: Any) -> Any:
    report = eqsat.optimize(v)
    return report.cost_after, report.unstable_after


@pytest.mark.parametrize("name", CHEAPEST)
@pytest.mark.sampled(15)
def test_is_as_cheap_as_the_form_that_an_expert_writes(name: str) -> None:
    written, expected = CHEAPEST[name]
    (found, unstable), (wanted, least) = cost(written), cost(expected)
    assert unstable <= least and found <= wanted + HALF_A_CALL, eqsat.optimize(written).optimized


SCORES = np.array([[1000.0, 999.0, -1000.0], [0.0, 1.0, 800.0], [-900.0, -901.0, -1000.0]])
LOGITS = np.array([1000.0, -1000.0, 0.0, 3.0])
OTHERS = np.array([999.0, -1001.0, 2.0, -800.0])


def shares(v: Any) -> Any:
    return T.log_softmax(v, axis=1)


STABLE: dict[str, tuple[Any, Any, list[Any]]] = {
    "joined shares": (
        lambda u, v: T.sum(T.log(T.concatenate([softmax(u), softmax(v)]))),
        lambda u, v: T.sum(shares(u)) + T.sum(shares(v)),
        [SCORES, SCORES[::-1]],
    ),
    "three joined shares": (
        lambda u, v: T.sum(T.log(T.concatenate([softmax(u), softmax(v), softmax(u * 2)]))),
        lambda u, v: T.sum(shares(u)) + T.sum(shares(v)) + T.sum(shares(2 * u)),
        [SCORES, SCORES[::-1]],
    ),
    "four joined sigmoids": (
        lambda u, v: T.sum(
            T.log(T.concatenate([T.sigmoid(u), T.sigmoid(v), T.sigmoid(v + 1), T.sigmoid(2 * u)]))
        ),
        lambda u, v: -T.sum(T.softplus(-u) + T.softplus(-v) + T.softplus(-v - 1) + T.softplus(-2 * u)),
        [LOGITS, OTHERS],
    ),
    "mixture": (
        lambda u, v, p: T.sum(T.log(p * e(u) + (1 - p) * e(v))),
        lambda u, v, p: T.sum(T.logaddexp(T.log(p) + u, T.log1p(-p) + v)),
        [LOGITS, OTHERS, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "flat shares": (lambda u: T.sum(T.log(softmax(u).flatten())), lambda u: T.sum(shares(u)), [SCORES]),
    "weighted exponentials, as a product": (
        lambda u, p: T.sum(T.log(T.dot(e(u), p[:3]))),
        lambda u, p: T.sum(T.logsumexp(u + T.log(p[:3]), axis=1)),
        [SCORES, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "one less shares": (
        lambda u: T.sum(T.log(1 - softmax(u))),
        lambda u: (
            T.sum(T.stack([T.logaddexp(u[:, k - 1], u[:, k - 2]) for k in range(3)]))
            - 3 * T.sum(T.logsumexp(u, axis=1))
        ),
        [SCORES],
    ),
    "shares with their rests": (
        lambda u, p: T.sum(p * T.log(T.sigmoid(u)) + (1 - p) * T.log(1 - T.sigmoid(u))),
        lambda u, p: -T.sum(p * T.softplus(-u) + (1 - p) * T.softplus(u)),
        [LOGITS, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "squashed density": (
        lambda u: T.sum(T.log(1 - T.tanh(u) ** 2)),
        lambda u: T.sum(2 * (np.log(2.0) - u - T.softplus(-2 * u))),
        [LOGITS],
    ),
    "one of the flat shares": (
        lambda u: T.log(softmax(u).reshape((-1,)))[3],
        lambda u: shares(u).reshape((-1,))[3],
        [SCORES],
    ),
}


@pytest.mark.parametrize("name", STABLE)
@pytest.mark.sampled(4)
def test_value_and_gradient_are_those_of_the_stable_form(name: str) -> None:
    written, stable, values = STABLE[name]
    inputs = [T.dmatrix() if v.ndim == 2 else T.dvector() for v in values]
    results = []
    for loss, how in ((written(*inputs), "numpy"), (stable(*inputs), "reference")):
        results.append(eqsat.function(inputs, [loss, *T.grad(loss, inputs)], mode=how)(*values))
    alone = eqsat.function(inputs, T.grad(written(*inputs), inputs), mode="numpy", on_unused_input="ignore")
    for found, wanted in zip([*results[0], *alone(*values)], [*results[1], *results[1][1:]], strict=True):
        assert np.isfinite(wanted).all()
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


VALUES: dict[str, tuple[Any, Any, list[Any]]] = {
    "log odds of weighted sums": (
        lambda u, p: T.log(T.sum(p * e(u)) / T.sum((1 - p) * e(u))),
        lambda u, p: T.logsumexp(u + T.log(p)) - T.logsumexp(u + T.log1p(-p)),
        [LOGITS, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "log odds of a mixture": (
        lambda u, v, p: (
            T.log(p * e(u) / (p * e(u) + (1 - p) * e(v))) - T.log(1 - p * e(u) / (p * e(u) + (1 - p) * e(v)))
        ),
        lambda u, v, p: u - v + T.log(p) - T.log1p(-p),
        [LOGITS, OTHERS, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "two matrices of exponentials": (
        lambda u, v: T.log(e(u) @ e(v)),
        lambda u, v: T.logsumexp(u[:, :, None] + v[None], axis=1),
        [SCORES, SCORES[::-1]],
    ),
    "mixture of scales": (
        lambda u, m, p: T.log(T.sum(p * e(-((u[:, None] - m) ** 2)) / (2 * T.abs(m)), axis=1)),
        lambda u, m, p: T.logsumexp(T.log(p / (2 * T.abs(m))) - (u[:, None] - m) ** 2, axis=1),
        [LOGITS, OTHERS, np.array([0.2, 0.5, 0.7, 0.9])],
    ),
    "difference of both shares": (
        lambda u: T.sigmoid(u) - T.sigmoid(-u),
        lambda u: T.tanh(u / 2),
        [np.array([1e-20, -1e-9, 1e-3, 50.0])],
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_value_is_that_of_the_stable_form(name: str) -> None:
    written, stable, values = VALUES[name]
    inputs = [T.dmatrix() if v.ndim == 2 else T.dvector() for v in values]
    found = eqsat.function(inputs, written(*inputs), mode="numpy")(*values)
    wanted = eqsat.function(inputs, stable(*inputs), mode="reference")(*values)
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)


def test_ends_that_are_lengths_do_not_breed() -> None:
    """A part up to one end twice is that part, whatever rules are there from other graphs."""
    a, v, c = T.dmatrix("a"), T.dvector("v"), T.dtensor4("c")
    blocks = T.linalg.block_diag(a, v)
    for other in (T.linalg.tensorinv(c), blocks[:, : v.shape[0]][:, : v.shape[0]]):
        eqsat.optimize(other)
        report = eqsat.optimize([blocks, *T.grad((blocks**2).sum(), [a, v])])
        assert not report.budgets and report.e_nodes < 400
