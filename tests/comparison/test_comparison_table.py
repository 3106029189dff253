"""Tables of comparisons: rows as they come, jobs for other processes, errors in their rows, text, CSV, pages and the command."""

from __future__ import annotations

import csv
import io
import json
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError
from eqsat.inspect.comparison import Cell, ComparisonTable
from eqsat.inspect.comparison.cell import FIELDS
from eqsat.inspect.comparison.comparison_table import products

x, a = T.dvector("x"), T.dmatrix("a")
GRAPHS = {"soft": T.log(1 + T.exp(x)), "rows": T.log(T.sum(T.exp(a), axis=1)), "sum": [x + x, x - x]}
SETTINGS: dict[str, Any] = {"exact": {"rules": "exact"}, "default": {}, "wrong": {"rules": "nonsense"}}


@pytest.fixture(scope="module")
def found() -> ComparisonTable:
    return eqsat.compare(GRAPHS, SETTINGS).compute()


def test_a_row_is_what_optimize_says(found: ComparisonTable) -> None:
    for graph, outputs in GRAPHS.items():
        for settings in ("exact", "default"):
            report = eqsat.optimize(outputs, **SETTINGS[settings])
            row = found[graph, settings]
            assert (row.written, row.found, row.bound) == (
                report.cost_before,
                report.cost_after,
                report.bound,
            )
            assert (row.e_nodes, row.ops, row.rules) == (
                report.e_nodes,
                report.nodes_after,
                len(report.rules),
            )
            assert row.unstable_left == len(report.unstable) and row.budgets == tuple(report.budgets)


def test_what_exact_rules_leave_is_counted(found: ComparisonTable) -> None:
    left = {name: found[name, "exact"].unstable_left for name in GRAPHS}
    assert left == {"soft": 1, "rows": 1, "sum": 0}
    assert all(found[name, "default"].unstable_left == 0 for name in GRAPHS)
    assert found["rows", "default"].found > found["rows", "default"].written and "unstable forms count before" in str(found)  # fmt: skip


def test_rows_come_one_by_one_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    plain = Cell.__call__

    def watched(cell: Cell) -> Any:
        asked.append(f"{cell.graph} {cell.settings}")
        return plain(cell)

    monkeypatch.setattr(Cell, "__call__", watched)
    table = eqsat.compare(GRAPHS, {"exact": {"rules": "exact"}, "grow": {"rules": "rounds"}})
    assert asked == [] and len(table) == 6
    rows = iter(table)
    assert next(rows).name == "soft under exact" and asked == ["soft exact"]
    assert table["sum", "exact"].graph == "sum" and asked == ["soft exact", "sum exact"]
    str(table), table.csv(), list(rows)
    assert len(asked) == 6 == len(set(asked))


def test_an_error_is_a_row_and_not_the_end(found: ComparisonTable) -> None:
    bad = [row for row in found if row.error]
    assert [row.name for row in bad] == [f"{name} under wrong" for name in GRAPHS]
    assert all(row.found is None and "nonsense" in row.error for row in bad)
    assert str(found).count("error: there is no rule named 'nonsense'") == 3


def test_jobs_can_be_sent_elsewhere(found: ComparisonTable) -> None:
    def elsewhere(f: Any, cells: Any) -> Iterator[Any]:
        return (pickle.loads(pickle.dumps(pickle.loads(pickle.dumps((f, c)))[0](c))) for c in cells)

    hinted = {**SETTINGS, "hinted": {"shape_hints": {a: (5, None)}}}
    table = eqsat.compare({"rows": GRAPHS["rows"]}, hinted).compute(elsewhere)
    assert table["rows", "default"].found == found["rows", "default"].found
    assert (
        table["rows", "hinted"].error == "" and table["rows", "hinted"].found < table["rows", "default"].found
    )


@pytest.mark.sweep
def test_processes_give_the_same_rows() -> None:
    tables = []
    for many in (1, 2):  # new ones: ops and rules that other tests declared are of this process alone
        with ProcessPoolExecutor(many, get_context("spawn")) as pool:
            tables.append(eqsat.compare(GRAPHS, SETTINGS).compute(pool.map))
    for one, other in zip(*tables, strict=True):
        assert one.as_row() | {"seconds": 0} == other.as_row() | {"seconds": 0}


def test_text_rows_and_csv_say_the_same(found: ComparisonTable) -> None:
    rows = found.rows()
    read = list(csv.DictReader(io.StringIO(found.csv())))
    assert [tuple(r) for r in rows] == [FIELDS] * 9 and len(read) == 9
    for row, text in zip(rows, read, strict=True):
        assert all(str("" if v is None else v) == text[k] for k, v in row.items())
        json.dumps(row)


def test_keywords_with_several_values_are_multiplied() -> None:
    table = eqsat.compare({"soft": GRAPHS["soft"]}, rules=("exact", "default"), extractor=("greedy", "best"))
    assert len(table.settings) == 4 and table.settings[1] == "rules='exact', extractor='best'"
    assert eqsat.compare(GRAPHS).settings == ["default"]
    assert products({"shape_hints": {x: (3,)}}) == [{"shape_hints": {x: (3,)}}]
    assert eqsat.compare(GRAPHS, {"shape_hints": {x: (3,)}}).cells[0].keywords == {"shape_hints": {x: (3,)}}
    assert eqsat.compare(GRAPHS, {"rules": "exact"}, {}, names=("e", "d")).settings == ["e", "d"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: eqsat.compare({}), "there are no graphs"),
        (lambda: eqsat.compare({"x": 3}), "3 is not a variable"),
        (lambda: eqsat.compare(GRAPHS, {"exact": {"rule": "exact"}}), "there is no setting 'rule'"),
        (lambda: eqsat.compare(GRAPHS, [{}, {}]), "two settings are called 'default'"),
        (lambda: eqsat.compare(GRAPHS, [3]), "3 are no settings"),
        (lambda: eqsat.compare(GRAPHS, {"a": {}}, rules=("exact",)), "settings are given twice"),
        (lambda: eqsat.compare(GRAPHS, rules=()), "rules=() has no value"),
        (lambda: eqsat.compare(GRAPHS, rules=("exact",), names=("a", "b")), "names=('a', 'b')"),
        (lambda: eqsat.compare(x + 1, x, pairs=True), "pairs= is for tables"),
        (lambda: eqsat.compare(GRAPHS)["soft", "exactly"], "there is no cell ('soft', 'exactly')"),
    ],
)
def test_what_is_asked_wrongly_is_said(wrong: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(words)):
        wrong()


def test_a_page_leads_to_the_graphs_of_each_pair(found: ComparisonTable, tmp_path: Path) -> None:
    plain = found.html()
    assert plain.count("<table") == 7 and 'href="#pair' not in plain and "nonsense" in plain
    table = eqsat.compare({"<soft>": GRAPHS["soft"]}, SETTINGS, pairs=True)
    table.save_html(tmp_path / "t.html")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    targets = set(re.findall(r'id="(pair-\d)"', page))
    assert len(targets) == 2 and set(re.findall(r'href="#(pair-\d)"', page)) == targets
    assert "&lt;soft&gt;" in page and "<soft>" not in page and not re.search(r'(src|href)="(?!#)', page)


FILE = """
import eqsat.tensor as T
x, y = T.dvectors("x", "y")
GRAPHS = {"soft": T.log(1 + T.exp(x)), "made": lambda: x * y / y}
"""


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page, rows = tmp_path / "graphs.py", tmp_path / "t.html", tmp_path / "t.csv"
    file.write_text(FILE, encoding="utf-8")
    words = ["compare", str(file), "--rules", "exact", "--rules", "default"]
    assert main([*words, "--html", str(page), "--csv", str(rows)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["graph", "settings", "written"] and len(lines) == 6
    assert (
        page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        and len(rows.read_text().splitlines()) == 5
    )
    assert main([*words, "--json", "--only", "made", "--model", "flops"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["found"] for row in found] == [1280, 0]
    assert main(["compare", str(file), "--rules", "nonsense"]) == 1
    assert capsys.readouterr().out.count("error: there is no rule named 'nonsense'") == 2
