"""The reduction, the integer program and the neighbourhoods against the optimum by brute force."""

from __future__ import annotations

import itertools
import math
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqsat.extract.choose import choose
from eqsat.extract.closure import closure, components, ranks, weigh
from eqsat.extract.extractors import EXTRACTORS, extract_with
from eqsat.extract.generate import KINDS
from eqsat.extract.greedy import tree_greedy
from eqsat.extract.milp import Program, solve
from eqsat.extract.neighbourhoods import Neighbourhoods
from eqsat.extract.problem import Choice, Problem, check, dag_cost, reached
from eqsat.extract.reduce import granularity, reduce
from eqsat.extract.relax import force, tighten

SEEDS = st.integers(0, 2**32)


def any_problem(seed: int, negative: bool = False, classes: int = 7) -> Problem:
    """Cycles, sharing, several roots; each class can be built, else there would be little to compare."""
    dice = random.Random(seed)
    count = dice.randint(3, classes)
    costs = [0.0, 1.0, 1.0, 2.0, 3.0, 0.75] + [-1.0, -2.5] * negative
    node_class, children, cost = [], [], []
    for cls in range(count):
        for option in range(dice.randint(1, 3)):
            top = count if option else cls
            node_class.append(cls)
            wide = dice.choice((0, 1, 2, 2, 3)) if top else 0
            children.append(tuple(dice.randrange(top) for _ in range(wide)))
            cost.append(dice.choice(costs))
    roots = [dice.randrange(count) for _ in range(dice.randint(1, 3))] + [count - 1]
    return Problem(node_class, children, cost, roots, count, negative)


def optimum(problem: Problem) -> float:
    """Least cost of all valid choices."""
    costs = [math.inf]
    for picked in itertools.product(*problem.nodes_of):
        choice = reached(problem, picked)
        try:
            check(problem, choice)
        except AssertionError:
            continue
        costs.append(dag_cost(problem, choice))
    return min(costs)


def assert_valid(problem: Problem, choice: Choice) -> float:
    check(problem, choice)
    return dag_cost(problem, choice)


@given(SEEDS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_the_reduction_keeps_the_optimum_and_its_bound_is_true(seed: int, negative: bool) -> None:
    problem = any_problem(seed, negative)
    best = optimum(problem)
    whole = reduce(problem)
    assert whole.problem is not None
    assert optimum(whole.problem) == pytest.approx(best)
    assert whole.bound <= best + 1e-9
    above = reduce(problem, best + 0.25)
    assert above.problem is not None, "the optimum is below the limit"
    assert optimum(above.problem) == pytest.approx(best)
    at = reduce(problem, best)
    assert at.problem is None or optimum(at.problem) >= best - 1e-9


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_a_choice_has_a_counterpart_in_the_reduction_that_is_no_dearer(seed: int) -> None:
    problem = any_problem(seed)
    left = reduce(problem)
    choice = tree_greedy(problem)
    inside = left.restrict(choice)
    assert inside is not None
    assert assert_valid(problem, left.lift(inside)) <= dag_cost(problem, choice) + 1e-9


@given(SEEDS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_integer_programs_find_the_optimum(seed: int, negative: bool) -> None:
    problem = any_problem(seed, negative)
    best = optimum(problem)
    for rounds in (30, 1):  # cycles cut off as they come up, and kept out by levels
        found = solve(problem, 10.0, rounds)
        assert found.done and found.choice is not None
        assert assert_valid(problem, found.choice) == pytest.approx(best)
        assert found.bound == pytest.approx(best)
    assert solve(problem, 10.0, most=best - 0.1).choice is None


@given(SEEDS, st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_extractor_lies_between_its_bound_and_the_rest(seed: int, negative: bool) -> None:
    problem = any_problem(seed, negative)
    best = optimum(problem)
    for name in EXTRACTORS:
        found = extract_with(name, problem, 5.0)
        assert found.bound <= best + 1e-9 <= assert_valid(problem, found.choice) + 2e-9
        if name in ("exact", "best"):
            assert found.proved and found.cost == pytest.approx(best)


@given(SEEDS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_bound_by_fractions_is_true_and_its_rows_cut_off_no_choice(seed: int, negative: bool) -> None:
    problem = any_problem(seed, negative)
    best = optimum(problem)
    sets = closure(problem, 10.0)
    assert sets is not None
    program = Program(problem)
    own = len(program.rows)
    plain = float(program.solve(10.0, integer=False).fun)
    force(program, sets)
    bound = tighten(program, sets, time.perf_counter() + 10.0, time.perf_counter)
    assert plain - 1e-6 <= bound <= best + 1e-6
    found = solve(problem, 10.0, rows=program.rows[own:])
    assert found.choice is not None and assert_valid(problem, found.choice) == pytest.approx(best)


def two_layers(seed: int, count: int = 24) -> Problem:
    """Each of many classes can be had from any of three parts, which are shared: a set cover."""
    dice = random.Random(seed)
    node_class = list(range(count))
    children: list[tuple[int, ...]] = [()] * count
    cost = [float(dice.randint(3, 9)) for _ in range(count)]
    for cls in range(count, 3 * count):
        for _ in range(3):
            node_class.append(cls)
            children.append((dice.randrange(count),))
            cost.append(0.0)
    return Problem(node_class, children, cost, list(range(count, 3 * count)), 3 * count)


def test_neighbourhoods_reach_the_optimum_from_greedy() -> None:
    problem = two_layers(5)
    exact = solve(problem, 20.0)
    assert exact.done and exact.choice is not None
    walk = Neighbourhoods(problem, tree_greedy(problem), time.perf_counter)
    before = walk.cost
    costs = []
    for _ in range(12):
        walk.step(5.0)
        costs.append(walk.cost)
    assert_valid(problem, walk.choice)
    assert costs == sorted(costs, reverse=True)
    assert walk.cost == pytest.approx(dag_cost(problem, exact.choice)) and walk.cost < before


def test_the_best_extractor_beats_greedy_and_proves_it() -> None:
    problem = two_layers(6)
    found = choose(problem, seconds=10.0, clock=time.perf_counter)
    assert found.proved and found.cost < dag_cost(problem, tree_greedy(problem))


def test_rewards_that_the_roots_do_not_reach_are_not_collected() -> None:
    problem = Problem([0, 1, 1, 2], [(), (), (0,), ()], [-3.0, 0.0, 1.0, -50.0], [1], 3, negative=True)
    found = choose(problem, seconds=5.0)
    assert (found.choice, found.cost, found.proved) == ({0: 0, 1: 2}, -2.0, True)


def test_a_root_that_cannot_be_built_is_named() -> None:
    with pytest.raises(ValueError, match="root class 1 cannot be extracted"):
        reduce(Problem([0, 1, 2], [(), (2,), (1,)], [1.0] * 3, [0, 1], 3))


def test_components_come_children_first() -> None:
    problem = Problem([0, 1, 2, 2, 3], [(), (2,), (1,), (0,), (1,)], [1.0] * 5, [3], 4)
    component = components(problem)
    assert component[1] == component[2]
    assert component[0] < component[1] < component[3]


@pytest.mark.parametrize("bits", [0, 1, 0b1011, (1 << 70) - 1, 1 << 100 | 5])
def test_bits_are_listed_and_weighed(bits: int) -> None:
    import numpy as np

    weight = np.arange(101, dtype=np.float64)
    places = [k for k in range(101) if bits >> k & 1]
    assert ranks(bits) == places
    assert weigh(bits, weight) == sum(places)


def test_the_closure_gives_up_when_time_is_over() -> None:
    assert closure(two_layers(1), -1.0) is None
    late = reduce(two_layers(1), seconds=-1.0)
    assert late.problem is not None and late.bound == -math.inf


@pytest.mark.parametrize(
    ("costs", "step"),
    [([2.0, 4.0, 6.0], 2.0), ([0.5, 0.75], 0.25), ([1.0, math.pi], 0.0), ([0.0], 0.0), ([1e9, 1.0], 0.0)],
)
def test_granularity(costs: list[float], step: float) -> None:
    assert granularity(costs) == step


def test_greedy_and_closure_of_20_000_e_nodes_take_less_than_a_second() -> None:
    for make in KINDS.values():
        problem = make(20_000, 1)
        assert len(problem.cost) >= 20_000
        start = time.thread_time()
        found = closure(problem, math.inf)
        assert found is not None
        assert time.thread_time() - start < 3.0  # 0.05 to 0.5 s on an idle machine
