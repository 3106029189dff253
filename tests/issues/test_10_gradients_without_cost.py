"""A gradient is what it is whether its cost is an output too or not, and finite where the cost is."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import graph_inputs

pytestmark = pytest.mark.sweep  # several functions for each of many losses

RULES = Path(__file__).resolve().parent.parent / "rules"


def table(file: str, name: str) -> Any:
    """A table of losses of another test file."""
    spec = importlib.util.spec_from_file_location(f"losses_{file}", RULES / f"{file}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


FAR = np.array([1000.0, 0.0, 3.0])
HIT = T.eq(T.arange(3), 1)
OF_CLASSES: dict[str, Callable[[Any], Any]] = {  # of the probabilities of a softmax
    "sum of logarithms": lambda p: T.sum(T.log(p)),
    "focal": lambda p: -T.sum((1 - p) ** 2 * T.log(p)),
    "focal of the third power": lambda p: -T.sum(0.25 * (1 - p) ** 3 * T.log(p)),
    "focal of one class": lambda p: -((1 - p[1]) ** 2) * T.log(p[1]),
    "entropy": lambda p: T.sum(p * T.log(p)),
    "divergence": lambda p: T.sum(p * (T.log(p) - np.log(0.25))),
    "smoothed": lambda p: -T.sum((0.9 * HIT + 0.1 / 3) * T.log(p)),
    "chosen": lambda p: T.sum(T.switch(HIT, T.log(p), 2 * T.log(p) - p)),
    "weighted sums": lambda p: T.sum((T.log(p) + p) * 3 - T.log(p) * T.exp(p)),
    "power": lambda p: (1 - p[0] ** 0.7) / 0.7,
    "a polynomial beside it": lambda p: -T.log(p[0]) + 2 * (1 - p[0]),
}
OF_TWO: dict[str, Callable[[Any], Any]] = {  # of the probabilities of a sigmoid
    "focal": lambda q: -T.mean((1 - q) ** 2 * T.log(q)),
    "focal of both": lambda q: -T.mean(0.3 * (1 - q) ** 2 * T.log(q) + 0.7 * q**2 * T.log(1 - q)),
    "chosen focal": lambda q: -T.mean(T.switch(HIT, (1 - q) ** 2 * T.log(q), q**2 * T.log(1 - q))),
    "tempered": lambda q: T.mean(T.log(q) * T.exp(-q) + T.log(q) ** 2 / 4),
}


def gradients(cost: Any, inputs: list[Any], values: list[Any]) -> list[Any]:
    """Those of a function of the gradient alone, and of one that gives the cost too."""
    wanted = [v for v in inputs if v.type.dtype == "float64"]
    grads = T.grad(cost, wanted)
    alone = eqsat.function(inputs, grads, mode="numpy", on_unused_input="ignore")
    beside = eqsat.function(inputs, [cost, *grads], mode="numpy", on_unused_input="ignore")
    return [alone(*values), beside(*values)[1:]]


def check(cost: Any, inputs: list[Any], values: list[Any]) -> None:
    for one, other in zip(*gradients(cost, inputs, values), strict=True):
        assert np.isfinite(one).all()
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_losses_on_classes(name: str) -> None:
    z = T.dvector("z")
    check(OF_CLASSES[name](T.softmax(z)), [z], [FAR])


@pytest.mark.parametrize("name", OF_TWO)
def test_losses_on_two_classes(name: str) -> None:
    z = T.dvector("z")
    check(OF_TWO[name](T.sigmoid(z)), [z], [np.array([1000.0, -900.0, 3.0])])


@pytest.mark.parametrize("name", table("test_stable_gradients", "LOSSES"))
def test_losses_written_by_hand(name: str) -> None:
    loss, _, values = table("test_stable_gradients", "LOSSES")[name]
    inputs = [T.as_tensor_variable(v).type() for v in values]
    check(loss(*inputs), inputs, values)


@pytest.mark.parametrize("probability", ["sigmoid", "written out"])
@pytest.mark.parametrize("name", table("test_loss_of_classes", "SPELLINGS"))
def test_spellings_of_one_loss(name: str, probability: str) -> None:
    z, y = T.dvectors("z", "y")
    cost = table("test_loss_of_classes", "SPELLINGS")[name](
        table("test_loss_of_classes", "PROBABILITIES")[probability](z), y
    )
    (one, _), (other, _) = gradients(
        cost, [z, y], [np.array([40.0, 800.0, -1000.0, 0.5]), np.array([0.0, 1.0, 1.0, 0.0])]
    )
    assert np.isfinite(one).all()
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-300)


def test_a_step_without_its_cost_leaves_weights_that_are_numbers() -> None:
    w = eqsat.shared(FAR.copy(), name="w")
    cost = -T.sum((1 - T.softmax(w)) ** 2 * T.log(T.softmax(w)))
    step = eqsat.function([], updates=[(w, w - 0.1 * T.grad(cost, w))])
    for _ in range(3):
        step()
    assert np.isfinite(w.get_value()).all() and graph_inputs([cost])


def test_another_rule_makes_no_gradient_dearer_or_worse() -> None:
    z = T.dvector("z")
    gradient = T.grad(T.sum(T.log(T.softmax(z))), z)
    fewer, all_rules = eqsat.optimize(gradient, rules="-div-mul-cancel"), eqsat.optimize(gradient)
    assert all_rules.cost_after <= fewer.cost_after
    for report in (fewer, all_rules):
        assert np.isfinite(eqsat.function([z], report.optimized, mode="reference")(FAR)[0]).all()
