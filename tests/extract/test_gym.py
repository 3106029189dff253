"""Public e-graphs (egraph-serialize JSON in the folder EQSAT_EXTRACTION_GYM) against the best known costs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from eqsat.extract.choose import choose
from eqsat.extract.problem import Problem, check

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


def read(name: str) -> Problem:
    """Problem of one file; a root class that no e-node is in becomes a class without e-nodes."""
    path = Path(FOLDER) / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder")
    data = json.loads(path.read_text())
    nodes = data["nodes"]
    number: dict[str, int] = {}
    for cls in [node["eclass"] for node in nodes.values()] + data["root_eclasses"]:
        number.setdefault(cls, len(number))
    return Problem(
        node_class=[number[node["eclass"]] for node in nodes.values()],
        children=[tuple(number[nodes[kid]["eclass"]] for kid in node["children"]) for node in nodes.values()],
        cost=[float(node["cost"]) for node in nodes.values()],
        roots=[number[cls] for cls in data["root_eclasses"]],
        n_classes=len(number),
    )


@pytest.mark.parametrize("name", BEST)
def test_best_known_cost_is_reached(name: str, record_property: Callable[[str, object], None]) -> None:
    problem = read(name)
    found = choose(problem, seconds=2.0)
    check(problem, found.choice)
    record_property("cost / best known", found.cost / BEST[name])
    print(f"{name}: {found.cost:.8g}, best {BEST[name]:.8g}, bound {found.bound:.6g}, {found.seconds:.3f} s")
    assert found.cost == pytest.approx(BEST[name], rel=1e-7)


def test_a_missing_root_class_is_refused() -> None:
    problem = read("lean-egg/NatLit_21.json")
    with pytest.raises(ValueError, match="cannot be extracted"):
        choose(problem)


def test_negative_costs_are_refused() -> None:
    with pytest.raises(ValueError, match="a cost is >= 0"):
        read("maxsat/maxcut-140-630-0.7-1.json")
