"""eqsat rules profile: graphs from files, pickles and expressions, and what each rule did on them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError


def test_rules_are_timed_on_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rules", "profile", "T.log(1 + T.exp(x * y / y))", "--with", "x y: dmatrix"]
    assert main([*asked, "--top", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["rule", "tier", "matches", "new", "e-nodes", "ms"] and len(lines) == 6
    assert lines[-2].startswith("... and ") and lines[-1].endswith("rounds, saturated")
    assert main([*asked, "--json"]) == 0
    found = {r["name"]: r for r in json.loads(capsys.readouterr().out)}
    assert found["mul-div-cancel"]["matches"] >= 1 and found["log1p-exp"]["matches"] >= 1
    assert all(r["seconds"] > 0 for r in found.values())


def test_rules_of_a_file_are_profiled_beside_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import eqsat, eqsat.tensor as T\n"
        "x = eqsat.metavars('x')\n"
        "RULES = [eqsat.rule('mine', T.sin(-x), -T.sin(x), cite='definition')]\n"
    )
    asked = ["rules", "profile", "T.sin(-x) + T.log(T.exp(x))", "--with", "x: dvector", "--module", str(file)]
    assert main([*asked, "--json"]) == 0
    found = {r["name"]: r for r in json.loads(capsys.readouterr().out)}
    assert found["mine"]["matches"] == 1 and found["log-exp"]["matches"] >= 1


def test_seconds_fall_and_new_nodes_are_counted() -> None:
    x, y, z = T.dvectors("x", "y", "z")
    found = eqsat.profile_rules(x * (y + z), rules="default,distribute")
    seconds = [r.seconds for r in found]
    assert seconds == sorted(seconds, reverse=True) and found["distribute"].enodes >= 3
    assert found["distribute"].matches >= 1 and found.stopped == "saturated"
    assert eqsat.profile_rules(x, rules=[]).rules == []
    with pytest.raises(ArgumentError, match=r"(?s)no rule named 'distribut'.*try  distribute"):
        found["distribut"]


def test_graphs_come_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "graph.py"
    path.write_text("import eqsat.tensor as T\nx = T.dvector('x')\noutputs = [T.log(T.exp(x))]\n")
    assert main(["rules", "profile", str(path)]) == 0
    assert "log-exp  " in capsys.readouterr().out
    kept = tmp_path / "graph.pkl"
    kept.write_bytes(pickle.dumps(T.exp(T.log(T.dvector("v")))))
    assert main(["rules", "profile", str(kept), "--rules", "exp-log"]) == 0
    assert "exp-log" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["T.exp(x)"], "name 'x' is not defined\n  needs  --with"),
        (["T.exp(x)", "--with", "x: colour"], "'x: colour' declares no variable"),
        (["no such file.pkl"], "is no file and no expression"),
        (
            ["T.nosuch(x)", "--with", "x: dmatrix"],
            "T.nosuch(x): module 'eqsat.tensor' has no attribute 'nosuch'",
        ),
        (["T.dscalar('x') + T.exp"], "T.dscalar('x') + T.exp: "),
        (["3"], "profile_rules: 3 is not a variable"),
        ([__file__], "defines no outputs"),
    ],
)
def test_what_is_no_graph_is_refused(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "profile", *asked]) == 2
    assert said in capsys.readouterr().err
