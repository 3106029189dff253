"""A problem refuses numbers that make no sense, and check finds each way in which a choice can be wrong."""

from __future__ import annotations

import math

import pytest

from eqsat.extract.problem import Problem, check, children_first, dag_cost, reached

DIAMOND = Problem([0, 1, 2, 3, 3], [(), (0,), (0,), (1, 2), (3,)], [8.0, 1.0, 1.0, 1.0, math.inf], [3], 4)
WHOLE = {0: 0, 1: 1, 2: 2, 3: 3}


def test_a_shared_class_is_paid_once() -> None:
    check(DIAMOND, WHOLE)
    assert dag_cost(DIAMOND, WHOLE) == 11.0
    assert reached(DIAMOND, WHOLE) == WHOLE


def test_repeated_children_and_repeated_roots_count_once() -> None:
    square = Problem([0, 1], [(), (0, 0)], [2.0, 3.0], [1, 1], 2)
    assert square.needs[1] == (0,)
    assert dag_cost(square, {0: 0, 1: 1}) == 5.0


def test_children_stand_before_parents() -> None:
    order = children_first(DIAMOND, WHOLE)
    assert order[0] == 0
    assert order[-1] == 3


def test_options_leave_out_what_another_e_node_makes_useless() -> None:
    problem = Problem(
        node_class=[0, 1, 2, 2, 2, 2, 3],
        children=[(), (), (0,), (0, 1), (1,), (2,), ()],
        cost=[1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 1.0],
        roots=[2],
        n_classes=4,
    )
    assert problem.options == [[0], [1], [2, 4], []]


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({}, "root class 3 has no chosen e-node"),
        ({0: 0, 1: 1, 3: 3}, "class 2, needed by class 3, has no chosen e-node"),
        ({**WHOLE, 2: 1}, "class 2 chose e-node 1 of another class"),
        ({**WHOLE, 3: 4}, "class 3 chose e-node 4 of infinite cost"),
    ],
    ids=["root", "child", "other class", "infinite"],
)
def test_check_names_the_class(choice: dict[int, int], text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        check(DIAMOND, choice)


def test_check_finds_needless_classes_and_cycles() -> None:
    problem = Problem([0, 1, 2], [(1,), (0,), ()], [1.0, 1.0, 1.0], [0], 3)
    with pytest.raises(AssertionError, match="class 2 is chosen, but the roots do not reach it"):
        check(problem, {0: 0, 1: 1, 2: 2})
    with pytest.raises(AssertionError, match="class 0 is on a cycle"):
        check(problem, {0: 0, 1: 1})


@pytest.mark.parametrize("cost", [-1.0, math.nan])
def test_costs_are_not_negative(cost: float) -> None:
    with pytest.raises(ValueError, match="e-node 1 costs"):
        Problem([0, 0], [(), ()], [1.0, cost], [0], 1)


def test_lengths_and_classes_must_fit() -> None:
    with pytest.raises(ValueError, match="1 classes, 2 child lists and 1 costs"):
        Problem([0], [(), ()], [1.0], [0], 1)
    with pytest.raises(ValueError, match="class 1 in roots, but there are 1 classes"):
        Problem([0], [()], [1.0], [1], 1)
    with pytest.raises(ValueError, match="class 5 in children of e-node 0"):
        Problem([0], [(5,)], [1.0], [0], 1)
