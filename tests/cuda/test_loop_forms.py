"""Prices of the forms of a loop on an H200: the cheapest form depends on how much a step has to do, and for how many steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.cuda.costs import RECORDED, constants
from eqsat.extract.cost import CostModel
from eqsat.extract.loop_forms import form_prices, forms_of
from eqsat.extract.step_costs import step_cost
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import Loop

pytestmark = pytest.mark.cuda
MODEL = replace(CostModel(), **constants(RECORDED["sm_90"]))


def known(*shape: int) -> Any:
    return T.tensor("float64", shape)


def loop(inputs: Any, output: Any, model: CostModel = MODEL) -> Loop:
    """The only loop of a plan."""
    (found,) = [s for s in plan_graph(inputs, [output], True, model).steps if isinstance(s, Loop)]
    return found


def epidemic(steps: int, lanes: int) -> Loop:
    x = known(lanes)
    s, _ = eqsat.scan(
        lambda s, i: (s - 0.3 * s * i, i + 0.3 * s * i - 0.1 * i), outputs_info=[x, x], n_steps=steps
    )
    return loop([x], s[0][-1] + s[1][-1])


def recurrent(n: int) -> Loop:
    x, W = known(200, n), known(n, n)
    h, _ = eqsat.scan(lambda row, s, W: T.tanh(row + T.dot(s, W)), x, T.zeros((n,)), W)
    return loop([x, W], h)


def numbers(steps: int) -> Loop:
    x = known(steps)
    h, _ = eqsat.scan(lambda e, s: T.tanh(0.5 * s + e), x, T.zeros(()))
    return loop([x], h)


def test_many_lanes_are_lanes() -> None:
    found = epidemic(10_000, 10_000)
    assert found.forms[0] == "lanes"
    seconds = step_cost(found, MODEL).seconds
    assert seconds == form_prices(found, MODEL)["lanes"]
    assert 2e-9 * 10_000 < seconds < 1e-6 * 10_000, "a launch, and up to a microsecond for each step"
    assert form_prices(found, MODEL)["launches"] > 2e-6 * 10_000


def test_a_recurrent_network_is_a_block_while_its_product_is_small() -> None:
    prices = form_prices(recurrent(128), MODEL)
    assert recurrent(128).forms[0] == "block" and prices["block"] < 200 * 3e-6
    prices = form_prices(recurrent(4096), MODEL)
    assert prices["launches"] < prices["block"]


def test_few_numbers_stay_on_the_device_for_some_steps_and_go_to_the_host_for_many() -> None:
    assert numbers(100).forms[0] == "block"
    assert numbers(1_000_000).forms[0] == "host"


def test_a_processor_has_one_form() -> None:
    x = known(40)
    s, _ = eqsat.scan(lambda s: T.tanh(s), outputs_info=x, n_steps=5)
    assert loop([x], s[-1], CostModel()).forms == () == forms_of(loop([x], s[-1]), CostModel())
