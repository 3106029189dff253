"""The chosen graph against the optimum by brute force, the graph as written, and known answers."""

from __future__ import annotations

import itertools
import math
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqsat.extract.bound import lower_bound
from eqsat.extract.choose import choose
from eqsat.extract.greedy import dag_greedy, tree_greedy
from eqsat.extract.improve import improve
from eqsat.extract.problem import Choice, Problem, check, dag_cost, reached

COSTS = (0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.25, math.inf)
PATIENT = 30.0  # seconds that are never used up: small problems end by their count of attempts


def random_problem(dice: random.Random, classes: int, per_class: int = 3) -> Problem:
    """Any graph: cycles, self-loops, repeated children, infinite costs, classes that cannot be built."""
    count = dice.randint(2, classes)
    node_class, children, cost = [], [], []
    for cls in range(count):
        for _ in range(dice.randint(1, per_class)):
            node_class.append(cls)
            children.append(tuple(dice.randrange(count) for _ in range(dice.choice((0, 1, 1, 2, 2, 3)))))
            cost.append(dice.choice(COSTS))
    roots = [dice.randrange(count) for _ in range(dice.randint(1, 3))]
    return Problem(node_class, children, cost, roots, count)


def layered_problem(dice: random.Random, classes: int) -> Problem:
    """Mostly acyclic with much sharing, as e-graphs of programs are; first options can always be built."""
    node_class, children, cost = [], [], []
    for cls in range(classes):
        for option in range(dice.randint(1, 4)):
            forward = option and dice.random() < 0.1
            top = classes if forward else cls
            node_class.append(cls)
            children.append(
                tuple(dice.randrange(top) for _ in range(dice.choice((1, 2, 2, 3)) if cls else 0))
            )
            cost.append(float(dice.randint(0, 9)))
    return Problem(node_class, children, cost, [classes - 1, classes - 2], classes)


def all_choices(problem: Problem) -> list[Choice]:
    """Every valid choice of a small problem."""
    found = []
    for picked in itertools.product(*(nodes or [-1] for nodes in problem.nodes_of)):
        choice = reached(problem, picked)
        if is_valid(problem, choice):
            found.append(choice)
    return found


def is_valid(problem: Problem, choice: Choice) -> bool:
    try:
        check(problem, choice)
    except AssertionError:
        return False
    return True


def exp_problem(exp: float = 10.0, roots: tuple[int, ...] = (2, 3, 4)) -> Problem:
    """[exp(a), exp(b), product], where product is exp(a) * exp(b) or exp(a + b)."""
    return Problem(
        node_class=[0, 1, 2, 3, 4, 5, 4],
        children=[(), (), (0,), (1,), (2, 3), (0, 1), (5,)],
        cost=[0.0, 0.0, exp, exp, 1.0, 1.0, exp],
        roots=roots,
        n_classes=6,
    )


@given(st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_random_graphs_lie_between_the_optimum_and_the_written_graph(seed: int) -> None:
    problem = random_problem(random.Random(seed), classes=6)
    choices = all_choices(problem)
    if not choices:
        with pytest.raises(ValueError, match="cannot be extracted"):
            choose(problem)
        assert lower_bound(problem) == math.inf
        return
    optimum = min(dag_cost(problem, choice) for choice in choices)
    written = random.Random(seed).choice(choices)
    found = choose(problem, written, seconds=PATIENT)
    check(problem, found.choice)
    assert found.cost == dag_cost(problem, found.choice)
    assert found.written_cost == dag_cost(problem, written)
    assert optimum <= found.cost <= found.written_cost
    assert lower_bound(problem) <= optimum * (1 + 1e-12)
    assert found.bound <= optimum


def test_almost_every_small_graph_is_solved() -> None:
    dice = random.Random(7)
    solved = tree = tried = 0
    for _ in range(250):
        problem = random_problem(dice, classes=7)
        costs = [dag_cost(problem, choice) for choice in all_choices(problem)]
        if costs:
            tried += 1
            solved += choose(problem, seconds=PATIENT).cost == min(costs)
            tree += dag_cost(problem, tree_greedy(problem)) == min(costs)
    assert tried > 80
    assert solved >= 0.98 * tried > tree


@given(st.integers(0, 2**32), st.integers(10, 80))
@settings(max_examples=50, deadline=None)
def test_larger_graphs_are_valid_and_no_dearer_than_any_start(seed: int, classes: int) -> None:
    problem = layered_problem(random.Random(seed), classes)
    tree, by_sets = tree_greedy(problem), dag_greedy(problem)
    assert by_sets is not None
    written = reached(problem, [nodes[0] for nodes in problem.nodes_of])
    found = choose(problem, written, seconds=PATIENT / 100)
    check(problem, found.choice)
    starts = [dag_cost(problem, choice) for choice in (tree, by_sets, written)]
    assert found.bound <= found.cost <= min(starts)


def test_sharing_between_roots_wins_over_one_exp() -> None:
    found = choose(exp_problem())
    assert found.choice == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}
    assert (found.cost, found.bound) == (21.0, 21.0)
    assert found.proved


def test_without_the_other_roots_one_exp_wins() -> None:
    found = choose(exp_problem(roots=(4,)))
    assert found.choice == {0: 0, 1: 1, 4: 6, 5: 5}
    assert found.cost == 11.0


def test_the_written_graph_stays_when_nothing_is_cheaper() -> None:
    written = {0: 0, 1: 1, 4: 6, 5: 5}
    found = choose(exp_problem(roots=(4,)), written)
    assert found.choice == written
    assert found.method == "written"


def test_a_part_that_pays_only_when_three_share_it_is_pulled_in() -> None:
    problem = Problem(
        node_class=[0, 1, 1, 2, 2, 3, 3],
        children=[(), (), (0,), (), (0,), (), (0,)],
        cost=[5.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0],
        roots=[1, 2, 3],
        n_classes=4,
    )
    assert dag_cost(problem, tree_greedy(problem)) == 9.0
    assert choose(problem).cost == 5.0


def test_a_cycle_of_free_e_nodes_is_no_extraction() -> None:
    problem = Problem([0, 1, 0, 1], [(1,), (0,), (), ()], [0.0, 0.0, 9.0, 7.0], [0], 2)
    found = choose(problem)
    assert found.choice == {0: 0, 1: 3}
    assert found.cost == 7.0


@pytest.mark.parametrize(
    ("children", "cost"),
    [([(0,), ()], [1.0, 1.0]), ([(1,), (0,)], [1.0, 1.0]), ([(), ()], [math.inf, 1.0])],
    ids=["self-loop", "cycle", "infinite"],
)
def test_a_root_that_cannot_be_built_is_named(children: list[tuple[int, ...]], cost: list[float]) -> None:
    with pytest.raises(ValueError, match="root class 0 cannot be extracted: each of its 1 e-nodes"):
        choose(Problem([0, 1], children, cost, [0], 2))


def test_a_written_graph_with_a_cycle_is_refused() -> None:
    problem = Problem([0, 1, 0], [(1,), (0,), ()], [1.0, 1.0, 1.0], [0], 2)
    with pytest.raises(AssertionError, match="class 0 is on a cycle"):
        choose(problem, {0: 0, 1: 1})


def test_no_roots_cost_nothing() -> None:
    found = choose(Problem([0], [()], [1.0], [], 1))
    assert (found.choice, found.cost, found.bound) == ({}, 0.0, 0.0)


def test_the_answer_is_the_same_each_time() -> None:
    for seed in range(20):
        first, second = (
            choose(layered_problem(random.Random(seed), 60), seconds=PATIENT / 100) for _ in range(2)
        )
        assert (first.choice, first.method, first.bound) == (second.choice, second.method, second.bound)


def test_improve_without_time_returns_the_start() -> None:
    problem = exp_problem(roots=(4,))
    start = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}
    assert improve(problem, start, seconds=0.0) is start
    assert dag_cost(problem, improve(problem, start, seconds=1.0)) == 11.0


def test_small_graphs_take_milliseconds() -> None:
    problems = [layered_problem(random.Random(seed), 90) for seed in range(5)]
    assert all(len(problem.cost) < 300 for problem in problems)
    fastest = min(choose(problem).seconds for problem in problems)
    assert fastest < 0.05  # 5 ms on an idle machine


@pytest.mark.parametrize("written", [False, True])
def test_a_chain_of_50_000_classes(written: bool) -> None:
    count = 50_000
    children = [(cls - 1,) if cls else () for cls in range(count) for _ in range(2)]
    cost = [1.0 + option for _ in range(count) for option in range(2)]
    problem = Problem([node // 2 for node in range(2 * count)], children, cost, [count - 1], count)
    start = time.perf_counter()
    found = choose(problem, {cls: 2 * cls + 1 for cls in range(count)} if written else None)
    assert time.perf_counter() - start < 10.0  # about one second on an idle machine
    assert found.cost == found.bound == count
