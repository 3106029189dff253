"""A report, its page, its picture, its text, a comparison and an explanation say one number of ops and one cost of each graph."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.costs
import eqsat.tensor as T
from eqsat.base.units import times
from eqsat.inspect.report import Report

x, y = T.dmatrices("x", "y")
v, n = T.dvector("v"), T.lscalar("n")
w = eqsat.shared(np.ones((4, 4)), "w")


def _loop() -> Any:
    states, _ = eqsat.scan(lambda r, h: T.tanh(T.dot(r, w) + h * T.exp(v)), x, T.zeros((4,)))
    return [states[-1], T.grad(states.sum(), w)]


def _loop_in_a_loop() -> Any:
    def row(r: Any, s: Any) -> Any:
        return eqsat.scan(lambda e, h: T.tanh(e * h), r, s)[0][-1]

    return eqsat.scan(row, x, T.constant(1.0))[0]


GRAPHS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "shared parts": (lambda: T.exp(v) * T.exp(v) + T.exp(v), {}),
    "unstable": (lambda: T.log(1 + T.exp(x * y / y)), {}),
    "lengths that rules find": (lambda: T.dot(T.ones((30, 40)).flatten(), (v[:1200] * 2).flatten()), {}),
    "reshaped": (lambda: T.sum(T.exp(x.reshape((5, -1))).flatten() * 2), {}),
    "hints": (lambda: T.dot(T.dot(x, y), v), {"shape_hints": {x: (10, 2000), y: (2000, 3)}}),
    "a loop": (_loop, {}),
    "a loop with hints": (_loop, {"shape_hints": {x: (1000, 4)}}),
    "steps with a hint": (lambda: eqsat.scan(T.tanh, outputs_info=v, n_steps=n)[0], {"shape_hints": {n: 7}}),
    "a loop in a loop": (_loop_in_a_loop, {}),
    "a loop that stops": (lambda: eqsat.scan(lambda r: (2 * r, eqsat.scan.until(r > 3)), v)[0], {}),
    "nothing": (lambda: v, {}),
    "counted": (lambda: T.log(T.exp(x) * T.exp(x)), {"model": eqsat.costs.flops()}),
    "a loop counted": (_loop, {"model": eqsat.costs.nodes()}),
}


@pytest.fixture(params=GRAPHS, scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    make, settings = GRAPHS[request.param]
    return eqsat.optimize(make(), **settings)


def test_one_cost_and_one_number_of_ops(report: Report) -> None:
    found = eqsat.compare(report)
    assert found.seconds == (report.cost_before, report.cost_after)
    assert found.sizes == (report.nodes_before, report.nodes_after)
    for lines, graph in zip((found.only_a, found.only_b), found.graphs, strict=True):
        own = sum(line.seconds[0] for line in lines) + sum(found.alignment.shared_seconds)
        assert own <= graph.total[0] * (1 + 1e-9)
    before, after = found.captions
    assert f"ops     {report.nodes_before} -> {report.nodes_after}\n" in str(report)
    costs = [caption.partition("ops, ")[2] for caption in (before, after)]
    assert repr(report).endswith(f"{costs[0]} -> {costs[1]}>")
    page = report.html()
    assert page.count(f"<span>{before}</span>") >= 1 and page.count(f"<span>{after}</span>") >= 1
    assert f"{report.nodes_before} ops as written, {report.nodes_after} optimised" in page
    drawn = report.draw()
    assert all(c.replace("&", "&amp;") in drawn for c in (before, after))


def test_the_bound_is_no_more_than_the_cost(report: Report) -> None:
    assert 0 <= report.bound <= report.cost_after
    assert "stable graph in the e-graph is below" in str(report) or report.unstable_after


@pytest.mark.parametrize("name", ["unstable", "a loop", "hints"])
def test_explanations_say_the_same_costs(name: str) -> None:
    make, settings = GRAPHS[name]
    report = eqsat.optimize(make(), **settings)
    why = report.explain(5.0)
    assert why.cost == report.cost_before
    assert not why.steps or why.steps[-1].cost == pytest.approx(report.cost_after, rel=0.02)


def units(line: str) -> set[str]:
    return set(re.findall(r"[\d.]+ (µs|us|ms|s)\b", line))


def test_a_line_has_one_unit(report: Report) -> None:
    texts = [str(report), repr(report), str(eqsat.compare(report)), *map(str, report.loops)]
    for line in "\n".join(texts).splitlines():
        assert len(units(line)) <= 1 and "us" not in units(line), line


def test_lengths_that_are_assumed_are_said() -> None:
    assert "lengths assumed: x 256 x 256, v 256" in str(eqsat.optimize(T.dot(x, v)))
    with eqsat.config.change_flags(default_length=30):
        assert eqsat.optimize(T.exp(v)).lengths == "lengths assumed: v 30 (shape_hints= says others)"
    hinted = eqsat.optimize(T.dot(x, v), shape_hints={x: (10, 20)})
    assert hinted.lengths == "lengths assumed: x 10 x 20, v 20"
    known = T.TensorType("float64", (3, 4))("known")
    assert eqsat.optimize(T.exp(known)).lengths == ""
    assert eqsat.optimize(T.exp(known[known > 0])).lengths == "lengths that are not known are taken to be 256 (shape_hints= says others)"  # fmt: skip
    many = sum(T.dvectors(*(f"v{k}" for k in range(9))))
    assert eqsat.optimize(many).lengths.partition(" (")[0].endswith("v5 256 and 3 more inputs")
    report = eqsat.optimize(T.dot(x, v))
    assert report.compared.lengths in report.html() and report.compared.lengths in str(eqsat.compare(report))


def test_unstable_forms_that_are_left_are_said() -> None:
    both = eqsat.optimize(T.log(1 + T.exp(v)), rules="stabilises")
    assert both.unstable_after == 0 and "1 unstable form as written, all replaced" in str(both)
    left = Report([v], [v], unstable_before=3, unstable_after=2)
    assert "3 unstable forms as written, 2 left: the e-graph holds nothing stable that is equal" in str(left)
    assert "no graph with 2 unstable forms or fewer in the e-graph is below" in str(left)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        ((2.75e-3, 7.4e-4), ["2.75 ms", "0.74 ms"]),
        ((2.75e-3, 7.4e-6), ["2,750.00 µs", "7.40 µs"]),
        ((0.0, 3e-9), ["0.00 µs", "0.003 µs"]),
        ((75.0, 3e-7), ["75,000.00 ms", "0.0003 ms"]),
        ((), []),
    ],
)
def test_times_of_a_line(seconds: tuple[float, ...], words: list[str]) -> None:
    assert times(*seconds) == words
