"""Groups of rows are made where their price is below that of the same steps one after the other."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat.tensor as T
from eqsat.extract.cost import CostModel
from eqsat.extract.group_costs import blocks_of, group_seconds, steps_seconds
from eqsat.extract.rows import grouped
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import BLOCK_BYTES, Plan, Rows

MODEL = CostModel()


def steps(*shape: int | None, f: Any = None, model: CostModel = MODEL) -> list[Any]:
    """The steps of a softmax along rows of some lengths, or of another graph."""
    x = T.TensorType("float64", shape=shape)("x")
    return plan_graph([x], [(f or (lambda x: T.softmax(x, 1) * 2))(x)], True, model).steps


def group_of(found: list[Any]) -> Any:
    (group,) = (s for s in found if isinstance(s, Rows))
    return group


@pytest.mark.parametrize("shape", [(2000, 500), (20, 100_000), (None, None), (None, 300)])
def test_what_is_large_or_may_be_is_a_group(shape: tuple[int | None, ...]) -> None:
    group = group_of(steps(*shape))
    assert steps_seconds([group], MODEL) < steps_seconds(group.members, MODEL)


@pytest.mark.parametrize("shape", [(8, 8), (20, 20), (1, 1000), (0, 100)])
def test_what_is_near_anyway_is_none(shape: tuple[int, int]) -> None:
    assert not any(isinstance(s, Rows) for s in steps(*shape))


def test_a_machine_that_starts_groups_slowly_makes_fewer() -> None:
    slow = CostModel(group=1e-2)
    assert group_of(steps(2000, 500)) and not any(isinstance(s, Rows) for s in steps(2000, 500, model=slow))


def test_a_group_costs_less_where_more_stays_inside() -> None:
    group = group_of(steps(None, None))
    far, near = (group_seconds(group, MODEL, unknown=held) for held in (1e9, 1e4))
    assert near < far < steps_seconds(group.members, MODEL)
    slower = CostModel(byte=10 * MODEL.byte)
    assert group_seconds(group, slower, unknown=1e9) > 2 * far


def test_blocks_hold_as_many_rows_as_are_near() -> None:
    for rows, columns in ((2000, 500), (20, 100_000), (500, 90)):
        x = T.TensorType("float32", shape=(rows, columns))("x")
        made = plan_graph([x], [T.softmax(x, 1)], True, MODEL)
        group = group_of(made.steps)
        count, some, block = blocks_of(group, MODEL)
        assert count == rows and 1 <= some <= rows
        assert block <= BLOCK_BYTES or some == 1


def test_a_product_that_begins_anew_for_each_block_is_priced_so() -> None:
    x, v = T.TensorType("float64", shape=(100_000, 4))("x"), T.TensorType("float64", shape=(4,))("v")
    made = plan_graph([x, v], [T.dot(T.exp(x), v)], True, MODEL)
    whole = Plan(made.inputs, made.outputs, [m for s in made.steps for m in getattr(s, "members", [s])])
    dear = CostModel(blas_call=1.0)
    assert grouped(whole, dear) == whole.steps


def test_groups_that_meet_in_a_step_are_one_where_that_costs_less() -> None:
    x, y = T.dmatrices("x", "y")
    outputs = [(T.softmax(x, 1) * y / y.sum(1, keepdims=True)).sum(1), T.exp(x).sum(1)]
    found = plan_graph([x, y], outputs, True, MODEL).steps
    group = group_of(found)
    assert {v for v, _, _ in group.rowed} == {x, y}


def test_groups_of_other_rows_stay_apart() -> None:
    x, y = T.dmatrices("x", "y")
    outputs = [T.softmax(x, 1) * 2, T.softmax(y, 1) * 2]
    groups = [s for s in plan_graph([x, y], outputs, True, MODEL).steps if isinstance(s, Rows)]
    assert [{v for v, _, _ in g.rowed} for g in groups] == [{x}, {y}]
