"""ablate: what is measured and what is not, limits of runs, tables, pages, and where the command finds graphs."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.cli.rules.ablate import chosen_graphs
from eqsat.errors import ArgumentError, RuleError
from wins.measure import GROUPS, SECTIONS

x, y = T.dvectors("x", "y")
GRAPHS = {"soft": T.log(1 + T.exp(x)), "log": T.log(T.exp(x) * T.exp(y)), "sum": x + y}


@pytest.fixture(scope="module")
def found() -> eqsat.research.Ablation:
    return eqsat.ablate(GRAPHS)


def test_leaving_out_a_rule_is_what_optimize_does_without_it(found: eqsat.research.Ablation) -> None:
    for e in list(found)[::5]:
        alone = eqsat.optimize(GRAPHS[e.graph], rules=f"default,-{e.rule}")
        assert (e.left_out.cost, e.left_out.enodes) == (alone.cost_after, alone.e_nodes)
        whole = eqsat.optimize(GRAPHS[e.graph])
        assert (e.whole.cost, e.whole.enodes, e.matches) == (
            whole.cost_after,
            whole.e_nodes,
            whole.rules[e.rule],
        )


def test_rules_that_do_not_fire_are_not_measured_and_change_nothing(found: eqsat.research.Ablation) -> None:
    fired = {(rule, graph) for graph, rules in found.fired.items() for rule in rules}
    assert {(e.rule, e.graph) for e in found} == fired and found.unmeasured == 0
    for name in ("sin-of-neg", "exp-minus-one", "max-over-ones"):
        assert all(name not in rules for rules in found.fired.values())
        for graph, outputs in GRAPHS.items():
            alone = eqsat.optimize(outputs, rules=f"default,-{name}")
            assert (alone.cost_after, alone.e_nodes) == (found.whole[graph].cost, found.whole[graph].enodes)


def test_rules_that_pay_and_rules_that_do_not(found: eqsat.research.Ablation) -> None:
    paid = {e.rule for e in found if e.times > 1}
    assert "log1p-exp" in paid and paid.isdisjoint(found.useless)
    assert paid | set(found.useless) == {e.rule for e in found}


def test_the_limit_of_runs_takes_the_most_used_rules_first() -> None:
    found = eqsat.ablate(GRAPHS)  # which rules fire beside those that pay depends on what was compiled before
    few = eqsat.ablate(GRAPHS, runs=3)
    assert [(e.rule, e.graph) for e in few] == [(e.rule, e.graph) for e in found][:3]
    assert few.unmeasured == len(found) - 3 and f"{len(found) - 3} more runs" in str(few)
    counts = [sum(e.rule == o.rule for o in found) for e in found]
    assert counts == sorted(counts, reverse=True)


def test_rules_by_name_and_what_is_built_in() -> None:
    one = eqsat.ablate(GRAPHS["log"], leave_out="log-exp,commute-add,sin-of-neg")
    assert {e.rule for e in one} <= {"log-exp", "commute-add"} and "log-exp" in {e.rule for e in one}
    assert list(one.whole) == ["0"]
    with pytest.raises(RuleError, match="there is no rule named 'lgo-exp'"):
        eqsat.ablate(GRAPHS, leave_out="lgo-exp")
    with pytest.raises(ArgumentError, match="ablate: there are no graphs"):
        eqsat.ablate({})
    with pytest.raises(ArgumentError, match="ablate: 3 is not a variable"):
        eqsat.ablate({"three": 3})


def test_tables(found: eqsat.research.Ablation) -> None:
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    assert [r["graph"] for r in rows[:3]] == list(GRAPHS) and not any(r["rule"] for r in rows[:3])
    assert len(rows) == 3 + len(found) == 3 + len(found.rows())
    assert float(rows[0]["cost"]) == found.whole["soft"].cost
    assert json.loads(json.dumps(found.rows())) == found.rows()
    page = found.html()
    assert all(f"<td>{e.rule}</td>" in page for e in found) and "Drag to move" not in page
    assert page.count("(all rules)") == 3 and "log1p-exp" in found._repr_html_()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    text = "import eqsat.tensor as T\nx = T.dvector('x')\n"
    file.write_text(text + "GRAPHS = {'a': T.log(1 + T.exp(x)), 'b': lambda: T.exp(x + 0)}\n")
    table, page = tmp_path / "out.csv", tmp_path / "out.html"
    given = ["rules", "ablate", "--graphs", str(file)]
    assert main([*given, "--csv", str(table), "--html", str(page)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("left out") and any(line.startswith("log1p-exp ") for line in lines)
    assert "2 graphs" in lines[-2] and "make some graph cheaper" in lines[-1]
    assert table.read_text().startswith("rule,graph,matches") and "<table>" in page.read_text()
    assert main([*given, "log1p-exp", "--only", "a", "--json"]) == 0
    assert [json.loads(line)["rule"] for line in capsys.readouterr().out.splitlines()] == ["log1p-exp"]
    assert main([*given, "--only", "c"]) == 2 and "has no graph 'c'" in capsys.readouterr().err
    assert main([*given, "log1p-exp", "--csv", str(tmp_path / "no" / "x.csv")]) == 2


def test_where_graphs_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import eqsat.tensor as T\nfrom eqsat.tensor import exp\nx = T.dvector('x')\n"
    plain, outputs, none = (tmp_path / name for name in ("plain.py", "outputs.py", "none.py"))
    plain.write_text(
        text + "y = exp(x)\nboth = [y, x]\ndef f():\n    return -x\ndef g(a):\n    return a\n_z = -y\n"
    )
    outputs.write_text(text + "y = exp(x)\noutputs = [y + 1]\n")
    none.write_text(text)
    assert list(chosen_graphs(str(plain), None)) == ["y", "both", "f"]
    assert list(chosen_graphs(str(plain), "f")) == ["f"] and str(chosen_graphs(str(plain), "f")["f"]) == "-x"
    assert list(chosen_graphs(str(outputs), None)) == ["outputs"]
    with pytest.raises(ArgumentError, match="has no graphs"):
        chosen_graphs(str(none), None)
    wins = chosen_graphs("wins", "mul-chain,log-add")
    every = import_module("wins.graphs").GRAPHS
    assert len(every) == sum(map(len, SECTIONS.values())) + sum(len(g.spellings) for g in GROUPS)
    assert list(wins) == ["mul-chain", "log-add"] and [v.type.dtype for v in wins.values()] == ["float64"] * 2
    monkeypatch.setattr("eqsat.__file__", str(tmp_path / "lib" / "eqsat" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="there is no benchmarks/wins here"):
        chosen_graphs("wins", None)
