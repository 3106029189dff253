"""Optimisers take the steps of the papers' formulas, written out in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import optim
from eqsat.errors import ArgumentError, DTypeError

STEPS = 5


def sgd(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    return p - 0.1 * g


def momentum(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    s["v"] = 0.9 * s.get("v", 0) - 0.1 * g
    return p + s["v"]


def nesterov(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    s["v"] = 0.9 * s.get("v", 0) - 0.1 * g
    return p + 0.9 * s["v"] - 0.1 * g


def adam(p: Any, g: Any, s: dict[str, Any], t: int, decay: float = 0.0) -> Any:
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g**2
    m, v = s["m"] / (1 - 0.9**t), s["v"] / (1 - 0.999**t)
    return p - 0.1 * (m / (np.sqrt(v) + 1e-8) + decay * p)


def adamw(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    return adam(p, g, s, t, decay=0.01)


def rmsprop(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    s["v"] = 0.9 * s.get("v", 0) + 0.1 * g**2
    return p - 0.1 * g / (np.sqrt(s["v"]) + 1e-8)


def adadelta(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    s["g"] = 0.95 * s.get("g", 0) + 0.05 * g**2
    d = -np.sqrt(s.get("d", 0) + 1e-6) / np.sqrt(s["g"] + 1e-6) * g
    s["d"] = 0.95 * s.get("d", 0) + 0.05 * d**2
    return p + 0.1 * d


def adagrad(p: Any, g: Any, s: dict[str, Any], t: int) -> Any:
    s["v"] = s.get("v", 0) + g**2
    return p - 0.1 * g / (np.sqrt(s["v"]) + 1e-8)


FORMULAS = [sgd, momentum, nesterov, adam, adamw, rmsprop, adadelta, adagrad]


def slope(p: Any) -> Any:
    """The gradient of sum(p**4 / 4 + cos(p))."""
    return p**3 - np.sin(p)


def updates_of(formula: Any, loss: Any, parameters: Any, rate: Any = 0.1) -> Any:
    if formula is nesterov:
        return optim.momentum(loss, parameters, rate, nesterov=True)
    return getattr(optim, formula.__name__)(loss, parameters, rate)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.__name__)
@pytest.mark.sampled(6)
def test_steps_are_those_of_the_formula(formula: Any, dtype: str) -> None:
    begin = np.linspace(-1.5, 2.0, 6).reshape(2, 3).astype(dtype)
    w, b = eqsat.shared(begin, "w"), eqsat.shared(begin[0, 1], "b")
    loss = sum(T.sum(p**4 / 4 + T.cos(p)) for p in (w, b))
    step = eqsat.function([], loss, updates=updates_of(formula, loss, [w, b]))
    p, states = begin.astype("float64"), {}  # type: ignore[var-annotated]
    for t in range(1, STEPS + 1):
        step()
        p = formula(p, slope(p), states, t)
        np.testing.assert_allclose(w.get_value(), p, rtol=2e-5 if dtype == "float32" else 1e-12)
    assert w.dtype == dtype
    np.testing.assert_allclose(b.get_value(), w.get_value()[0, 1], rtol=1e-6)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.__name__)
def test_modes_agree(formula: Any) -> None:
    ends = []
    for mode in ("FAST_RUN", "reference"):
        w = eqsat.shared(np.linspace(-1.0, 1.0, 7), "w")
        step = eqsat.function([], [], updates=updates_of(formula, T.sum(w**4 + w), [w]), mode=mode)
        for _ in range(3):
            step()
        ends.append(w.get_value())
    np.testing.assert_allclose(*ends, rtol=1e-12)


def test_a_parameter_may_stand_alone_and_gradients_may_be_given() -> None:
    w = eqsat.shared(np.ones(3), "w")
    eqsat.function([], [], updates=optim.sgd([np.arange(3.0)], w, 0.5))()
    assert w.get_value().tolist() == [1.0, 0.5, 0.0]


def test_a_rate_may_be_a_variable_or_a_function_of_the_step() -> None:
    w, rate = eqsat.shared(0.0, "w"), T.dscalar("rate")
    step = eqsat.function([rate], [], updates=optim.sgd(-w, [w], rate))
    step(0.25)
    step(0.5)
    assert w.get_value() == 0.75
    v = eqsat.shared(0.0, "v")
    halved = eqsat.function([], [], updates=optim.sgd(-v, [v], lambda k: optim.exponential(k, 1.0, 0.5)))
    seen = [halved() or float(v.get_value()) for _ in range(3)]
    assert seen == [1.0, 1.5, 1.75]


def test_adam_and_its_schedule_count_the_same_steps() -> None:
    w = eqsat.shared(np.ones(2, "float32"), "w")
    updates = optim.adam(T.sum(w**2), [w], lambda k: optim.cosine(k, 0.1, 10))
    assert [v.name for v in updates].count("adam_step") == 1
    step = eqsat.function([], [], updates=updates)
    for _ in range(10):
        step()
    assert next(v for v in updates if v.name == "adam_step").get_value() == 10
    before = w.get_value()
    step()
    assert (w.get_value() == before).all()  # the rate has come to nothing


def test_states_of_a_length_that_changes() -> None:
    w = eqsat.shared(np.zeros((0, 3)), "w")
    step = eqsat.function([], [], updates=optim.momentum(T.sum(w), [w]))
    step()
    assert w.get_value().shape == (0, 3)


def test_rows_of_a_table_are_trained_alone() -> None:
    table, rows = eqsat.shared(np.ones((5, 2)), "table"), T.lvector("rows")
    step = eqsat.function([rows], [], updates=optim.sgd(T.sum(table[rows] ** 2), [table], 0.25))
    step([1, 3, 3])
    assert table.get_value()[:, 0].tolist() == [1.0, 0.5, 1.0, 0.0, 1.0]


def test_refusals_name_the_parameter() -> None:
    x, w, k = T.dscalar("x"), eqsat.shared(1.0, "w"), eqsat.shared(1, "k")
    with pytest.raises(ArgumentError, match="adam: parameter 1, x, is not a shared variable"):
        optim.adam(w * x, [w, x])
    with pytest.raises(DTypeError, match="sgd: parameter k is int64"):
        optim.sgd(w, [k])
    with pytest.raises(ArgumentError, match="sgd: 1 gradients for 2 parameters"):
        optim.sgd([w], [w, eqsat.shared(2.0)])


@pytest.mark.sweep
def test_clipping() -> None:
    a, b = np.array([3.0, 0.0]), np.array([[4.0]], "float32")
    assert [g.eval().tolist() for g in optim.clip_by_value([a, b], 2)] == [[2.0, 0.0], [[2.0]]]
    assert [g.eval().tolist() for g in optim.clip_by_norm([a, b], 4.0)] == [[3.0, 0.0], [[4.0]]]
    both = optim.clip_by_global_norm([a, b], 2.5)
    assert [g.eval().tolist() for g in both] == [[1.5, 0.0], [[2.0]]]
    assert [g.dtype for g in both] == ["float64", "float32"]
    assert optim.clip_by_global_norm([], 1.0) == []
    assert optim.clip_by_norm([np.zeros(2)], 1.0)[0].eval().tolist() == [0.0, 0.0]
    assert np.isnan(optim.clip_by_value([np.array([np.nan])], 1.0)[0].eval()).all()
    with pytest.raises(ArgumentError, match="clip_by_norm: the bound is 0"):
        optim.clip_by_norm([a], 0)


def test_schedules_over_a_variable() -> None:
    k = T.lscalar("k")
    rates = [
        optim.constant(k, 0.5),
        optim.exponential(k, 1.0, 0.5, 2, staircase=True),
        optim.cosine(k, 1.0, 4, end=0.5),
        optim.piecewise(k, [1.0, 0.1], [3]),
        optim.warmup(k, optim.cosine(k, 1.0, 4), 2),
    ]
    found = np.array([eqsat.function([k], rates)(i) for i in range(6)]).T
    half = 0.5 + 0.25 * (1 + np.cos(np.pi * np.minimum(np.arange(6) / 4, 1)))
    whole = 2 * half - 1
    assert found[0].tolist() == [0.5] * 6
    assert found[1].tolist() == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    np.testing.assert_allclose(found[2], half, atol=1e-15)
    assert found[3].tolist() == [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    np.testing.assert_allclose(found[4], whole * [0.5, 1, 1, 1, 1, 1], atol=1e-15)
    with pytest.raises(ArgumentError, match="2 rates and 2 beginnings"):
        optim.piecewise(k, [1.0, 0.1], [3, 4])
