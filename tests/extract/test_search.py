"""Greedy answers, the bound and the state of local search, each by itself."""

from __future__ import annotations

import math
import random

import pytest

from eqsat.extract.bound import lower_bound
from eqsat.extract.greedy import dag_greedy, settle, tree_greedy
from eqsat.extract.problem import Problem, check, dag_cost
from eqsat.extract.solution import Solution

SHARED = Problem(  # class 3: two cheap children apart, or two dear ones that share class 0
    node_class=[0, 1, 2, 1, 2, 3],
    children=[(), (0,), (0,), (), (), (1, 2)],
    cost=[6.0, 0.0, 0.0, 5.0, 5.0, 1.0],
    roots=[3],
    n_classes=4,
)


def ladder(count: int, dice: random.Random) -> Problem:
    """Class i from one or two of the three below it, in three ways."""
    ways = [(cls, way) for cls in range(count) for way in range(3)]
    children = [tuple({max(cls - 1, 0), max(cls - way - 1, 0)} - {cls}) for cls, way in ways]
    cost = [float(dice.randint(1, 9)) for _ in ways]
    return Problem([cls for cls, _ in ways], children, cost, [count - 1], count)


def test_greedy_by_trees_and_by_sets() -> None:
    assert dag_cost(SHARED, tree_greedy(SHARED)) == 11.0
    wide = Problem([0, 1, 2, 3, 3, 4], [(), (0,), (0,), (1, 2), (4,), ()], [6, 0, 0, 1, 1, 9], [3], 5)
    assert dag_cost(wide, tree_greedy(wide)) == 10.0
    by_sets = dag_greedy(wide)
    assert by_sets is not None
    assert dag_cost(wide, by_sets) == 7.0


def test_ties_go_to_the_lower_e_node() -> None:
    problem = Problem([0, 0, 0], [(), (), ()], [2.0, 1.0, 1.0], [0], 1)
    assert tree_greedy(problem) == dag_greedy(problem) == {0: 1}


def test_free_classes_are_left_out_of_settling() -> None:
    preferred, order = settle(SHARED, free=[0])
    assert preferred == [-1, 1, 2, 5]
    assert order == [1, 2, 3]


def test_sets_that_get_too_big_are_given_up() -> None:
    problem = ladder(2000, random.Random(0))
    assert dag_greedy(problem, cone_bytes=1000) is None
    assert dag_greedy(problem) is not None


def test_the_sets_of_wide_graphs_are_summed_like_dag_cost() -> None:
    count = 300
    leaves = [float(cls % 7) for cls in range(count)]
    halves = [tuple(range(0, 200)), tuple(range(100, 300)), (count, count + 1)]
    problem = Problem(
        list(range(count + 3)), [()] * count + halves, [*leaves, 1, 1, 1], [count + 2], count + 3
    )
    choice = dag_greedy(problem)
    assert choice is not None
    assert dag_cost(problem, choice) == sum(leaves) + 3


def test_the_bound_knows_what_every_option_needs_further_down() -> None:
    two_ways = Problem([0, 1, 2, 3, 3], [(), (0,), (0,), (1,), (2,)], [5.0, 2.0, 3.0, 1.0, 1.0], [3], 4)
    assert lower_bound(two_ways) == 6.0  # the root and class 0, but neither way
    assert lower_bound(two_ways, seconds=0.0) == 1.0


def test_the_bound_ignores_options_that_must_close_a_cycle() -> None:
    problem = Problem([0, 1, 1, 2, 2], [(), (0,), (2,), (1,), (1, 0)], [4.0, 3.0, 0.0, 2.0, 1.0], [2], 3)
    assert lower_bound(problem) == 8.0


def test_the_bound_of_a_root_that_cannot_be_built() -> None:
    assert lower_bound(Problem([0], [(0,)], [1.0], [0], 1)) == math.inf


def assert_sound(solution: Solution, problem: Problem) -> None:
    choice = solution.choice()
    check(problem, choice)
    assert solution.total == pytest.approx(dag_cost(problem, choice))
    assert {cls for cls, count in enumerate(solution.refs) if count} == choice.keys()
    for cls, node in enumerate(solution.chosen):
        for child in problem.needs[node] if node >= 0 else ():
            assert solution.place[child] < solution.place[cls]


def test_switches_keep_counts_order_and_total_and_can_be_undone() -> None:
    dice = random.Random(3)
    problem = ladder(60, dice)
    solution = Solution(problem, tree_greedy(problem))
    start, total = list(solution.chosen), solution.total
    for _ in range(400):
        cls = dice.randrange(60)
        solution.switch(cls, dice.choice(problem.options[cls]))
        assert_sound(solution, problem)
    solution.undo(0)
    assert_sound(solution, problem)
    assert solution.chosen == start
    assert solution.total == pytest.approx(total)


def test_a_switch_that_closes_a_cycle_is_refused() -> None:
    problem = Problem([0, 0, 1, 1], [(1,), (), (0,), ()], [0.0, 5.0, 0.0, 5.0], [0, 1], 2)
    solution = Solution(problem, {0: 0, 1: 3})
    assert not solution.switch(1, 2)
    assert solution.switch(0, 1)
    assert solution.switch(1, 2)
    assert_sound(solution, problem)


def test_the_order_survives_many_moves_to_the_same_spot() -> None:
    count = 40
    node_class = [0, *(cls for cls in range(1, count) for _ in range(2))]
    children = [(), *(kids for cls in range(1, count) for kids in ((0,), (cls % (count - 1) + 1,)))]
    problem = Problem(node_class, children, [1.0] * len(node_class), list(range(count)), count)
    solution = Solution(problem, tree_greedy(problem))
    dice = random.Random(1)
    for _ in range(3000):
        cls = dice.randrange(1, count)
        solution.switch(cls, dice.choice(problem.nodes_of[cls]))
    assert_sound(solution, problem)
