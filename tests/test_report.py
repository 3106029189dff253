"""What ``eqsat.optimize`` says: fields, text and picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.units import time_text
from eqsat.egraph import saturate
from eqsat.errors import ArgumentError
from eqsat.extract.cost import CostModel
from eqsat.inspect.report import Report


def graph() -> Any:
    x, y = T.dvectors("x", "y")
    return T.log(1 + T.exp(x * y / y))


def steady(text: str) -> str:
    """The text of a report with S for seconds and N for numbers that grow with the rule set."""
    start = text.index("\ne-graph ")
    text = text[:start] + re.sub(r"[\d.,]+ (µs|ms|s)\b", "S", text[start:])
    return re.sub(r"\d+ (e-nodes|classes|rules tried|iterations)", r"N \1", text)


def test_the_text_of_a_report() -> None:
    text = steady(str(eqsat.optimize(graph(), rules="exact,extends,stabilises")))
    lines = [line for line in text.splitlines() if not re.match(r"rules|  +\d+  ", line)]
    assert lines[0] == "ops     6 -> 1"
    assert re.fullmatch(
        r"cost    [\d.]+ µs -> [\d.]+ µs   \(no stable graph in the e-graph is below [\d.]+ µs\)", lines[1]
    )
    assert lines[2:5] == [
        "        1 unstable form as written, all replaced",
        "        lengths assumed: x 256, y 256 (shape_hints= says others)",
        "e-graph N e-nodes in N classes, N rules tried",
    ]
    assert set(lines[5:-1]) == {
        "phase   settle   S, N iterations, saturated",
        "phase   shrink   S, N iterations, saturated",
    }
    assert lines[-1] == "time    encode S, template S, load S, saturate S, read S, extract S"


def test_the_rules_that_matched_come_most_frequent_first() -> None:
    report = eqsat.optimize(graph())
    lines = str(report).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("rules"))
    assert lines[start] == f"rules   {len(report.rules)} matched"
    counts = [int(line.split()[0]) for line in lines[start + 1 :]]
    assert counts == sorted(counts, reverse=True) and sum(counts) == sum(report.rules.values())
    assert report.rules["log1p-exp"] >= 1 and all(count > 0 for count in report.rules.values())
    assert list(report.rules) == sorted(report.rules)


def test_the_fields_of_a_report() -> None:
    y = graph()
    report = eqsat.optimize(y)
    assert report.original == [y] and (report.nodes_before, report.nodes_after) == (6, 1)
    assert 0 < report.bound <= report.cost_after < report.cost_before
    assert report.unstable_before == 1 and report.fallback is None and report.budgets == []
    assert report.e_nodes >= report.e_classes > 0 and report.rules_tried > len(report.rules)
    assert list(report.seconds) == ["encode", "template", "load", "saturate", "read", "extract"]


def test_phases_are_left_out_of_which_no_rule_could_match(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = T.dvectors("x", "y")
    for out, phases in ((graph(), {"settle", "shrink", "grow"}), (T.log(1 + T.exp(x * y)), {"settle"})):
        monkeypatch.setattr(saturate, "_BOOKS", {})  # without the rules of other tests
        assert {p.name for p in eqsat.optimize(out).phases} == phases


def test_a_report_of_nothing_to_do() -> None:
    x = T.dvector("x")
    report = eqsat.optimize(x)
    assert report.optimized == [x] and (report.nodes_before, report.nodes_after) == (0, 0)
    assert str(report).endswith("rules   0 matched; nothing to rewrite")
    assert report.cost_before == report.cost_after == 0.0


def test_a_report_of_a_fallback_and_of_budgets_says_so() -> None:
    y = graph()
    assert str(Report([y], [y], fallback="it broke")) == (
        "ops     6\nthe graph is compiled as written: it broke"
    )
    text = "phase grow stopped at its limit of rows after 0.10 s and 9 rows"
    assert f"\nbudget  {text}\n" in str(Report([y], [y], budgets=[text]))


class Flat(CostModel):
    """A millisecond for each op."""

    def op_seconds(self, op: Any, operands: Any, out: Any, itemsize: int) -> float:
        return 1e-3


def test_the_golden_text() -> None:
    y = graph()
    report = Report([y], eqsat.optimize(y).optimized, 9e-4, {"log1p-exp": 1, "commute-mul": 2}, model=Flat())
    report.seconds, report.e_nodes, report.e_classes, report.rules_tried = {"encode": 0.001}, 20, 8, 90
    assert str(report) == (
        "ops     6 -> 1\n"
        "cost    5.00 ms -> 1.00 ms   (no stable graph in the e-graph is below 0.90 ms)\n"
        "        lengths assumed: x 256, y 256\n"
        "e-graph 20 e-nodes in 8 classes, 90 rules tried\n"
        "time    encode 1.00 ms\n"
        "rules   2 matched\n"
        "       2  commute-mul\n"
        "       1  log1p-exp"
    )


@pytest.mark.parametrize(
    "seconds, text",
    [(0.0, "0.00 µs"), (2.5e-7, "0.25 µs"), (3.2e-3, "3.20 ms"), (1.0, "1.00 s"), (75.0, "75.00 s")],
)
def test_units_of_time(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


def test_the_picture_of_a_report(tmp_path: Path) -> None:
    report = eqsat.optimize(graph())
    text = report.draw(tmp_path / "both.svg")
    assert (tmp_path / "both.svg").read_text() == text == report._repr_svg_()
    root = xml.etree.ElementTree.fromstring(text)
    words = " ".join(root.itertext())
    assert root.tag.endswith("svg")
    assert all(part in words for part in ("as written", "optimised", "6 ops", "1 ops", "softplus", "log"))


def test_the_report_of_a_function() -> None:
    x = T.dvector("x")
    f = eqsat.function([x], T.log(T.exp(x)) * 2, mode="numpy")
    assert f.report.optimized == f.outputs_optimised
    assert eqsat.function([x], x * 2, mode="reference").report is None


def test_costs_are_those_of_the_model() -> None:
    slow = eqsat.optimize(graph(), model=CostModel(flop=1e-6))
    assert slow.cost_after > 100 * eqsat.optimize(graph()).cost_after
    assert slow.optimized[0].owner.op.name == "softplus"


def test_only_variables_are_optimised() -> None:
    x = T.dvector("x")
    with pytest.raises(ArgumentError, match=r"optimize: \[x\] is not a variable"):
        eqsat.optimize([x, [x]])
