"""Public e-graphs (egraph-serialize JSON in the folder EQSAT_EXTRACTION_GYM) against the best known costs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from eqsat.errors import EGraphFileError
from eqsat.extract.choose import choose
from eqsat.extract.problem import Problem, check
from eqsat.extract.serialize import read

FOLDER = os.environ.get("EQSAT_EXTRACTION_GYM", "")
BEST = {
    "tensat/vgg.json": 4.85075702,
    "tensat/vgg_acyclic.json": 4.86677495,
    "rover/fir_8_tap_5iteration_egraph.json": 5936,
    "rover/box_filter_3iteration_egraph.json": 1701,
    "rover/box_filter_5iteration_egraph.json": 1819,
    "flexc/03d369d0-bb23-477a-8ea1-a452efc850fe.json": 36,
    "diospyros/vector_mac_root_21.json": 2.312,
    "eggcc-bril/gamma_pull_in.bril.json": 36,
    "dummy_examples/choice.json": 37,
    "dummy_examples/ab_add.json": 7,
    "set_covering/test.json": 2,
    "egg/integ_part2.json": 4,
    "babble/text_text_ellisk_2019-01-24T21.53.45--bench003_it6.json": 135,
    "lean-egg/Tags_1.json": 33,
}

pytestmark = pytest.mark.skipif(not FOLDER, reason="EQSAT_EXTRACTION_GYM names no folder")


def problem_of(name: str) -> Problem:
    """Problem of one file."""
    path = Path(FOLDER) / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder")
    return read(path).problem


@pytest.mark.parametrize("name", BEST)
def test_best_known_cost_is_reached(name: str, record_property: Callable[[str, object], None]) -> None:
    problem = problem_of(name)
    found = choose(problem, seconds=2.0, clock=time.perf_counter)
    check(problem, found.choice)
    record_property("cost / best known", found.cost / BEST[name])
    print(f"{name}: {found.cost:.8g}, best {BEST[name]:.8g}, bound {found.bound:.6g}, {found.seconds:.3f} s")
    assert found.cost == pytest.approx(BEST[name], rel=1e-7)


def test_a_missing_root_class_is_refused() -> None:
    with pytest.raises(EGraphFileError, match="root class '19' is missing"):
        problem_of("lean-egg/NatLit_21.json")


def test_rewards_are_only_collected_where_the_roots_reach_them() -> None:
    problem = problem_of("maxsat/maxcut-140-630-0.7-1.json")
    found = choose(problem, seconds=2.0, clock=time.perf_counter)
    check(problem, found.choice)
    assert -1260 <= found.bound <= found.cost < -1000
