"""What ops cost: seconds that grow with work and traffic, and stated lengths where none are known."""

from __future__ import annotations

import math

import pytest

from eqsat import config
from eqsat.extract.cost import CostModel
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.ops.elemwise import add, exp

MODEL = CostModel()


def test_unknown_lengths_have_a_default() -> None:
    assert MODEL.lengths((3, None, 1)) == [3.0, float(config.default_length), 1.0]
    with config.change_flags(default_length=10):
        assert MODEL.lengths((None,)) == [10.0]
    assert CostModel(default_length=7).lengths((None,)) == [7.0]


def test_an_elementwise_op_costs_a_call_flops_and_traffic() -> None:
    cheap = MODEL.op_seconds(add, [(1000,), (1000,)], (1000,), 8)
    dear = MODEL.op_seconds(exp, [(1000,)], (1000,), 8)
    assert MODEL.call < cheap < dear
    twice = MODEL.op_seconds(add, [(2000,), (2000,)], (2000,), 8)
    assert twice - MODEL.call == pytest.approx(2 * (cheap - MODEL.call))
    assert MODEL.op_seconds(add, [(1000,), (1000,)], (1000,), 4) < cheap


def test_matrix_products_prefer_the_short_way_round() -> None:
    dot = find_op("dot", ())
    square = MODEL.op_seconds(dot, [(100, 100), (100, 100)], (100, 100), 8)
    vector = MODEL.op_seconds(dot, [(100, 100), (100, 1)], (100, 1), 8)
    assert vector < square / 5


@pytest.mark.parametrize("shape", [(), (0,), (5,), (None, None)])
def test_every_elementwise_op_has_a_finite_cost(shape: tuple[int | None, ...]) -> None:
    for name, declaration in OPS.items():
        if declaration.kind == "elemwise" and not declaration.parameters:
            count = max(1, len(declaration.tensors))
            seconds = MODEL.op_seconds(find_op(name, ()), [shape] * count, shape, 8)
            assert math.isfinite(seconds) and seconds > 0, name


def test_a_model_is_part_of_what_a_function_is_kept_under() -> None:
    assert repr(CostModel()) == repr(CostModel()) != repr(CostModel(byte=1.0))
