"""Sweeps of rules, ablations, extractions and campaigns by several workers give what one process gives, and go on from a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import eqsat
from eqsat.base import hooks
from eqsat.cli import main
from eqsat.errors import ArgumentError
from eqsat.verify import sweep
from eqsat.verify.sweep import verify

OWN = """
import numpy as np
import eqsat, eqsat.tensor as T

u = eqsat.metavars("u")

@eqsat.as_op(signature="(n)->(n)", dtypes="f->f")
def turned_round(v):
    return v[::-1].copy()

RULES = [
    eqsat.rule("twice-log", T.log(T.exp(u)) + T.log(T.exp(u)), 2 * T.log(T.exp(u)), tier="rounds"),
    eqsat.rule("wrong-log", T.log(u) * 2, T.log(u) * 3, tier="loose"),
]
x = T.dvector("x")
GRAPHS = {"soft": T.log(1 + T.exp(x)), "own": turned_round(T.log(T.exp(x))), "sum": x + x}
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    path = tmp_path / "own_rules.py"
    path.write_text(OWN)
    return str(path)


def lines(text: str, *times: str) -> list[dict[str, Any]]:
    """Objects of lines without what a clock says, in an order of their own."""
    found = [{k: v for k, v in json.loads(line).items() if k not in times} for line in text.splitlines()]
    return sorted(found, key=json.dumps)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """The exit status of a command and its output."""

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        return main(list(words)), capsys.readouterr().out

    return run


def test_rules_of_a_module_by_workers_and_from_a_file(
    module: str, tmp_path: Path, printed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = str(tmp_path / "rows")
    asked = ("rules", "verify", "--module", module, "--points", "3", "--json")
    alone = printed(*asked, "-n", "1")
    assert alone[0] == 1
    many = printed(*asked, "--executor", "processes:1", "--resume", rows)
    assert (many[0], lines(many[1], "seconds")) == (1, lines(alone[1], "seconds"))
    monkeypatch.setattr(sys.modules[verify.__module__], "find_failures", _refused)
    again = printed(*asked, "-n", "1", "--resume", rows)
    assert (again[0], lines(again[1])) == (1, lines(many[1]))
    Path(module).write_text(OWN.replace("* 3", "* 5"))
    monkeypatch.delitem(sys.modules, "eqsat_rules_of_own_rules")
    with pytest.raises(AssertionError, match="tried again"):
        printed(*asked, "-n", "1", "--resume", rows)  # of the rule that is another now


def _refused(*_: Any) -> Any:
    raise AssertionError("tried again")


def test_rows_of_other_points_are_refused(tmp_path: Path, printed: Any) -> None:
    sweep("log-exp", points=2, proof=False, egraph=False, resume=tmp_path / "rows")
    with pytest.raises(ArgumentError, match=r"'points': 2"):
        sweep("log-exp", points=3, proof=False, egraph=False, resume=tmp_path / "rows")


def test_results_belong_to_the_rules_that_were_given() -> None:
    rules = eqsat.rules.select_rules("log-exp,cos-arccos-anywhere,exp-log")
    seen: list[Any] = []
    with ThreadPoolExecutor(2) as pool:
        found = sweep(rules, points=3, executor=pool, seen=seen.append, proof=False, egraph=False)
    assert all(a.rule is b for a, b in zip(found, rules, strict=True))
    assert sorted(map(id, seen)) == sorted(map(id, found))


@pytest.mark.sweep
def test_ablation_by_workers_and_from_a_file(
    module: str, tmp_path: Path, printed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = str(tmp_path / "rows")
    asked = ("rules", "ablate", "--graphs", module, "--json")
    times = ("seconds", "seconds_with")
    alone = printed(*asked)
    many = printed(*asked, "--executor", "processes:1", "--resume", rows)
    assert many[0] == alone[0] == 0 and lines(many[1], *times) == lines(alone[1], *times) != []
    monkeypatch.setitem(hooks._PLACES, "optimize", f"{__name__}:_refused")
    again = printed(*asked, "--resume", rows)
    assert lines(again[1]) == lines(many[1])


def test_effects_are_in_the_order_of_rules_by_any_executor() -> None:
    x = eqsat.tensor.dvector("x")
    graphs = {"a": eqsat.tensor.log(1 + eqsat.tensor.exp(x)), "b": x * 1 + 0}
    alone = eqsat.ablate(graphs, rules="stabilises,exact")
    with ThreadPoolExecutor(1) as pool:
        many = eqsat.ablate(graphs, rules="stabilises,exact", executor=pool)
    assert [(e.rule, e.graph, e.left_out.cost, e.left_out.enodes) for e in many] == [
        (e.rule, e.graph, e.left_out.cost, e.left_out.enodes) for e in alone
    ]


def egraph(costs: list[float]) -> str:
    nodes = {
        f"n{k}": {"op": "f", "cost": c, "eclass": str(k // 2), "children": [] if k < 2 else [f"n{k - 2}"]}
        for k, c in enumerate(costs)
    }
    return json.dumps({"nodes": nodes, "root_eclasses": [str((len(costs) - 1) // 2)]})


def test_extraction_over_a_folder_by_workers_and_from_a_file(
    tmp_path: Path, printed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, rows = tmp_path / "graphs", str(tmp_path / "rows")
    (folder / "below").mkdir(parents=True)
    for k in range(5):
        (folder / "below" / f"{k}.json").write_text(egraph([1.0 + k, 2.0, 3.0, 0.5 * k]))
    (folder / "bad.json").write_text("[")
    asked = ("extract", str(folder), "--json")
    alone = printed(*asked, "--output", str(tmp_path / "one"))
    many = printed(*asked, "--output", str(tmp_path / "many"), "--executor", "processes:1", "--resume", rows)
    assert many[0] == alone[0] == 1
    assert lines(many[1], "seconds") == lines(alone[1], "seconds") and len(lines(many[1])) == 6
    one, two = (
        {p.name: json.loads(p.read_text()) for p in (tmp_path / n).rglob("*.json")} for n in ("one", "many")
    )
    assert len(one) == 5
    assert all(one[name] | {"seconds": 0} == two[name] | {"seconds": 0} for name in one | two)
    (folder / "bad.json").write_text(egraph([1.0]))
    (folder / "below" / "3.json").write_text(egraph([7.0]))
    read: list[str] = []
    monkeypatch.setattr(
        "eqsat.cli.extract.read", lambda file, negative: read.append(file.name) or _egraph(file)
    )
    again = printed(*asked, "--output", str(tmp_path / "again"), "--resume", rows)
    assert again[0] == 0 and sorted(read) == ["3.json", "bad.json"]
    assert len(lines(again[1])) == len(list((tmp_path / "again").rglob("*.json"))) == 6


def _egraph(file: Path) -> Any:
    from eqsat.extract.serialize import read

    return read(file)


def test_an_executor_that_is_unknown_is_refused(printed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "log-exp", "--executor", "cluster"]) == 2
    assert "processes:N, dask:ADDRESS" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_campaign_by_workers_tries_the_same_seeds(tmp_path: Path) -> None:
    pytest.importorskip("campaign", reason="a checkout alone has it")
    from campaign.__main__ import main as campaign

    words = ["--parts", "gradients", "--seeds", "1003:1006", "--hours", "0.1"]
    sums = []
    for name, more in (
        ("alone", []),
        ("many", ["--executor", "processes:1", "--resume", str(tmp_path / "rows")]),
        ("again", ["--resume", str(tmp_path / "rows"), "--executor", "processes:1"]),
    ):
        report = tmp_path / f"{name}.md"
        assert campaign([*words, *more, "--report", str(report)]) == 0
        sums.append(json.loads(report.with_suffix(".json").read_text()))
    assert sums[0] == sums[1] == sums[2] and sums[0]["gradients"]["tried"] > 0
