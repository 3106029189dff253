"""What the default rules make of expressions that people write, and where a missing fact must stop them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from tests.rules.helpers import assert_best, assert_stays, numbers, optimise

x, y, z = (T.matrix(n, dtype="float64") for n in "xyz")
A, B, C = (T.matrix(n, dtype="float64") for n in "ABC")
u, v, w = (T.vector(n, dtype="float64") for n in "uvw")
s = T.scalar("s", dtype="float64")

BEST = {
    "mul-div-cancel": (x * y / y, x),
    "constants-cancel": (x + 1 - 1, x),
    "one-minus-one-minus": (1 - (1 - x), x),
    "double-neg": (T.neg(-x), x),
    "log1p": (T.log(1 + x), T.log1p(x)),
    "log-one-minus": (T.log(1 - x), T.log1p(-x)),
    "softplus": (T.log(1 + T.exp(x)), T.softplus(x)),
    "log-sigmoid": (T.log(T.sigmoid(x)), -T.softplus(-x)),
    "log-one-minus-sigmoid": (T.log(1 - T.sigmoid(x)), -T.softplus(x)),
    "expm1": (T.exp(x) - 1, T.expm1(x)),
    "expm1-b": ((1 - T.exp(x)) * -1, T.expm1(x)),
    "logsumexp": (T.log(T.sum(T.exp(x))), T.logsumexp(x)),
    "logsumexp-axis": (T.log(T.sum(T.exp(x), axis=1)), T.logsumexp(x, axis=1)),
    "logsumexp-scaled": (T.log(3 * T.sum(T.exp(x), axis=1)), T.log(np.float64(3)) + T.logsumexp(x, axis=1)),
    "softmax": (T.exp(x) / T.sum(T.exp(x), axis=1, keepdims=True), T.softmax(x, axis=1)),
    "softmax-over": (T.exp(x) * (1 / T.sum(T.exp(x), axis=1, keepdims=True)), T.softmax(x, axis=1)),
    "softmax-scaled": (
        2 * T.exp(x) / T.sum(T.exp(x), axis=1, keepdims=True) * y,
        2 * (y * T.softmax(x, axis=1)),
    ),
    "log-softmax": (T.log(T.softmax(x, axis=1)), T.log_softmax(x, axis=1)),
    "softmax-shifted": (T.softmax(x - T.max(x, axis=1, keepdims=True), axis=1), T.softmax(x, axis=1)),
    "softplus-log": (T.softplus(T.log(T.sqr(x))), T.log1p(T.sqr(x))),
    "sigmoid": (1 / (1 + T.exp(-x)), T.sigmoid(x)),
    "sigmoid-from-tanh": ((T.tanh(x / 2) + 1) / 2, T.sigmoid(x)),
    "relu-forms": (
        T.maximum(T.maximum(x, 0), 0) + T.switch(x > 0, x, 0) + (x + abs(x)) / 2 + x * (x > 0),
        4 * T.maximum(x, 0),
    ),
    "mul-chain": (x * x * x * x * x * x * x * x, T.sqr(T.sqr(T.sqr(x)))),
    "sqr-diff-merge": (T.exp(-((x - y) ** 2)) + T.exp(-((y - x) ** 2)), 2 * T.exp(-T.sqr(x - y))),
    "max-mono": (T.max(T.exp(x)), T.exp(T.max(x))),
    "max-shifted": (T.max(x + s), T.max(x) + s),
    "outer-dot": (T.dot(T.outer(u, v), w), u * T.dot(v, w)),
    "matvec": (T.dot(T.dot(A, B), v), T.dot(A, T.dot(B, v))),
    "dot-scale": (T.dot(s * A, v), T.dot(A, s * v)),
    "transposes": (T.transpose(T.dot(T.transpose(A), T.transpose(B))), T.dot(B, A)),
    "sum-of-scaled": (T.sum(2 * x), 2 * T.sum(x)),
    "sum-of-sum": (T.sum(T.sum(x, axis=1)), T.sum(x)),
    "sum-of-transpose": (T.sum(T.transpose(x)), T.sum(x)),
    "l2-grad": (T.grad(T.sum(w**2) * s + T.dot(w, v), w), 2 * s * w + v),
    "sqrt-known-sign": (T.sqrt(2 + u**2) * T.sqrt(2 + u**2) * abs(T.exp(u)), (2 + T.sqr(u)) * T.exp(u)),
    "two-x-two-y": (2 * x + 2 * y, 2 * (x + y)),
    "tanh-grad": (T.grad(T.sum(T.tanh(u)), u), 1 - T.sqr(T.tanh(u))),
    "factor": (x * y + x * z, x * (y + z)),
    "pow-half": (x**0.5, T.sqrt(x)),
    "pow-three": (x**3, x * T.sqr(x)),
    "over-sqrt": (x / T.sqrt(x), T.sqrt(x)),
    "exp-log-nonneg": (T.exp(T.log(abs(x))), abs(x)),
    "cast-there-and-back": (T.cast(T.cast(x, "float64"), "float64"), x),
    "switch-same": (T.switch(x > y, z, z), z),
    "reshuffle": (T.transpose(T.transpose(x)), x),
    "trailing-zero": (x + 0 * y, T.add(x, 0 * y)),
}


@pytest.mark.parametrize("name", BEST)
def test_best(name: str) -> None:
    written, best = BEST[name]
    assert_best(written, best)


SHARED: dict[str, tuple[list[Any], dict[str, int]]] = {
    "one product": ([T.dot(A, B), 2 * T.dot(A, B)], {"dot": 1, "mul": 1}),
    "one exp": ([T.exp(x + y) * 2, T.exp(y + x) * 3], {"exp": 1, "add": 1, "mul": 2}),
    "one exp of a difference": ([T.exp(x - y), T.exp(-(y - x))], {"exp": 1, "sub": 1}),
    "exps are not added up": ([T.exp(x), T.exp(y), T.exp(x) * T.exp(y)], {"exp": 2, "mul": 1}),
    "one sigmoid": (
        [1 / (1 + T.exp(-x)), T.exp(x) / (1 + T.exp(x)), (T.tanh(x / 2) + 1) / 2],
        {"sigmoid": 1},
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_sharing(name: str) -> None:
    outputs, wanted = SHARED[name]
    found = optimise(outputs)
    assert dict(found.ops()) == wanted, str(found)


STAYS = {
    "sign unknown": T.sqrt(x) * T.sqrt(y),
    "log of products": T.log(x) + T.log(y),
    "factor of one": x * y + x,
    "associativity of floats": [(x + y) + z, x + (y + z)],
    "exp of a sum": T.exp(x + y),
    "division by a tensor": x / y / z,
    "max of a product": T.max(x * s),
    "log of a power": T.log(x**2.6),
    "varying factor": T.sum(x * y, axis=1),
    "comparison negated": T.invert(x < y),
}


@pytest.mark.parametrize("name", STAYS)
def test_stays_where_a_fact_is_missing(name: str) -> None:
    assert_stays(STAYS[name])


ASKED = {
    "factor": (x * y + x, x * (y + 1), "default,factor-self"),
    "log-add": (
        T.log(T.exp(x) + 1e-3) + T.log(T.exp(y) + 1e-3),
        T.log((T.exp(x) + 1e-3) * (T.exp(y) + 1e-3)),
        "default,log-add",
    ),
    "div-div-rows": (x / y / z, x / (y * z), "default,div-div-rows"),
    "exp-add": (
        [T.exp(x), T.exp(y), T.exp(x + y)],
        [T.exp(x), T.exp(y), T.exp(x) * T.exp(y)],
        "default,exp-add",
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_loose_rules_on_request(name: str) -> None:
    written, best, rules = ASKED[name]
    found = assert_best(written, best, rules)
    assert rules.split(",")[1] in found.fired


FINITE = {
    "log1p": (T.log(1 + u), [1e-20, 1e300], [1e-20, np.log(1e300)]),
    "logsumexp": (T.log(T.sum(T.exp(u))), [800.0, -800.0], 800.0),
    "log-sigmoid": (T.log(T.sigmoid(u)), [800.0, -800.0], [0.0, -800.0]),
    "softmax": (T.exp(u) / T.sum(T.exp(u)), [800.0, -800.0], [1.0, 0.0]),
    "softmax-over": (T.exp(u) * (1 / T.sum(T.exp(u))), [800.0, -800.0], [1.0, 0.0]),
    "log-softmax": (T.log(T.exp(u) / T.sum(T.exp(u))), [800.0, -800.0], [0.0, -1600.0]),
    "softplus": (T.log(1 + T.exp(u)), [800.0, -800.0], [800.0, 0.0]),
    "logaddexp": (T.log(T.exp(u) + T.exp(-u)), [800.0, -800.0], [800.0, 800.0]),
    "logmeanexp": (T.log(T.mean(T.exp(u))), [800.0, 800.0], 800.0),
    "sigmoid": (T.exp(u) / (1 + T.exp(u)), [800.0, -800.0], [1.0, 0.0]),
    "weighted": (T.log(T.sum(T.sqr(u) * T.exp(u))), [800.0, -800.0], 800.0 + np.log(800.0**2)),
}


@pytest.mark.parametrize("name", FINITE)
def test_no_overflow(name: str) -> None:
    written, at, wanted = FINITE[name]
    found = optimise(written)
    leaf = found.extracted.outputs
    (value,) = numbers(leaf, {u: np.array(at)})
    assert np.allclose(value, wanted, rtol=1e-12, atol=0), (str(found), value)


def training_step() -> list[Any]:
    """Loss and updates of a network of two layers with softmax and cross-entropy."""
    rng = np.random.default_rng(0)
    sizes = {"w1": (64, 128), "b1": (128,), "w2": (128, 10), "b2": (10,)}
    w1, b1, w2, b2 = params = [eqsat.shared(rng.normal(size=n) * 0.1, name=k) for k, n in sizes.items()]
    hidden = T.maximum(T.dot(x, w1) + b1, 0)
    p = T.softmax(T.dot(hidden, w2) + b2)
    loss = -T.mean(T.sum(y * T.log(p), axis=1))
    return [loss, *(q - 0.1 * g for q, g in zip(params, T.grad(loss, params)))]


def test_training_step_is_small_stable_and_right() -> None:
    written = training_step()
    found = optimise(written)
    assert found.extracted.e_nodes < 2000
    assert [p.stopped for p in found.saturated.phases] == ["saturated"] * len(found.saturated.phases)
    assert found.ops()["log_softmax"] == 1 and found.ops()["log"] == 0 and found.ops()["dot"] == 5
    rng = np.random.default_rng(1)
    data = {x: rng.normal(size=(7, 64)), y: np.eye(10)[rng.integers(0, 10, 7)]}
    leaves = [n for n in found.saturated.enodes if n.op == "Leaf"]
    assert len(leaves) == 6
    from eqsat.graph.walk import ancestors

    for leaf in ancestors(written):
        if hasattr(leaf, "get_value"):
            data[leaf] = leaf.get_value()
    for a, b in zip(numbers(found.outputs, data), numbers(written, data)):
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12)


def test_no_rule_makes_a_good_form_dearer() -> None:
    for good in (T.exp(u)[:, None] * T.exp(v)[None, :], [T.dot(A, B), 2 * T.dot(A, B)], 2 * s * w + v):
        found = optimise(good)
        written = found.extracted.extraction.written_cost
        assert written is not None and found.cost <= written * (1 + 1e-9)


def test_a_sum_that_overflows_is_priced_out_wherever_it_is_read() -> None:
    gradient = T.grad(T.log(T.sum(T.exp(u))), u)
    assert dict(optimise(gradient).ops()) == {"softmax": 1}
    both = optimise([T.sum(T.exp(u)), T.log(T.sum(T.exp(u)))])
    assert both.ops()["sum"] == 1 and both.ops()["logsumexp"] == 1
    report = eqsat.optimize([T.sum(T.exp(u)), T.log(T.sum(T.exp(u)))])
    assert 0 < report.cost_after < 1e-3


def test_only_parts_of_a_left_side_are_priced_out() -> None:
    from eqsat.errors import RuleError
    from eqsat.rules.pattern import reals
    from eqsat.rules.rule import rule

    a, b = reals("a b")
    with pytest.raises(RuleError, match="only parts of the left side"):
        rule("other", (a + b) + b, b, tier="stabilises", prices=[b * a], cite="definition")
