"""eqsat rules: what is listed, what is said of a rule, and what is found when rules are verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eqsat.cli import main
from eqsat.cli.rules.list import width_of_terminal
from eqsat.rules.rule import all_rules, default_rules
from eqsat.verify.opposite_rules import reverses
from eqsat.verify.rule_description import sources

RULES = '''
"""Two rules of a user, one of them wrong."""
from eqsat.graph.ops.elemwise import cos, sin, sqr
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y = reals("x y")
RULES = [
    rule("cos2-sin2", sqr(cos(x)) + sqr(sin(x)), 1 + 0 * x, tier="extends", cite="definition"),
    rule("turned", -(x - y), x - y, tier="exact", cite="definition"),
]
'''


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "my_rules.py"
    path.write_text(RULES)
    return str(path)


def test_filters_hold_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["rules", "list", "--op", "dot", "--tier", "rounds", "--columns", "name,tier,file", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert {r["tier"] for r in found} == {"rounds"} and "traces" in {r["file"] for r in found}
    assert {r["name"] for r in found} == {
        r.name for r in all_rules() if r.tier == "rounds" and "dot" in r.needs | r.makes
    }
    assert main(["rules", "list", "--file", "minmax", "--columns", "name,phase"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "phase"] and ["max-minus-min", "shrink"] in map(str.split, lines)
    assert main(["rules", "list", "--columns", "colour"]) == 2
    assert main(["rules", "list", "--file", "minmax", "--op", "dot"]) == 0
    assert capsys.readouterr().out == "0 rules\n"


@pytest.mark.parametrize(
    ("option", "given", "near"),
    [("op", "dott", "dot"), ("tag", "optinal", "optional"), ("file", "minmaxx.py", "minmax")],
)
def test_words_that_no_rule_has_are_refused(
    option: str, given: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", "list", f"--{option}", given]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"eqsat: no rule has the {option} {given.removesuffix('.py')!r}"
    assert near in lines[1].removeprefix("  try").split(" or ")[0].split()


def test_several_choices_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "log-exp", "exp-log,maximum-self", "-maximum-self", "--json"]) == 0
    assert [r["name"] for r in json.loads(capsys.readouterr().out)] == ["exp-log", "log-exp"]


def test_a_leading_minus_leaves_out(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    for choice, names in (("-exact", ["cos2-sin2"]), ("-turned", ["cos2-sin2"]), ("exact,-turned", [])):
        assert main(["rules", "list", choice, "--module", file, "--json"]) == 0
        assert [r["name"] for r in json.loads(capsys.readouterr().out)] == names
    assert main(["rules", "list", "-exact", "--json"]) == 0
    left = {r["name"] for r in json.loads(capsys.readouterr().out)}
    assert left == {r.name for r in default_rules() if r.tier != "exact"}


def test_no_points_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rules", "verify", "log-exp", "--points", "0"])
    assert "--points: 0 is not a whole number above 0" in capsys.readouterr().err


def test_a_rule_is_told_with_all_that_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "exp-log", "sum-of-mul-in-x", "loop-last-add"]) == 0
    first, second, third = capsys.readouterr().out.split("\n\n")
    for line in ("  left        exp(log(x))", "  when        nonneg(x)", "  proof       proved"):
        assert line in first.splitlines()
    assert "functions.py:" in first and "  holds       x=" in first and "  needs when  x=" in first
    assert "Accuracy and Stability of Numerical Algorithms, SIAM, 2002 [higham2002]" in second
    assert "loop_sums.py:" in third and "  needs when  " in third


def test_close_names_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "log-expp"]) == 2
    assert "try    log-exp" in capsys.readouterr().err


def test_every_rule_says_where_it_is_declared() -> None:
    for one in all_rules():
        path, _, line = one.made_at.rpartition(":")
        assert Path(path).parent.name in ("rules", "schemes") and int(line) > 1, one


def test_reverse_rules_are_found_under_other_names() -> None:
    rules = all_rules()
    assert "factor" in [r.name for r in reverses(rules["distribute"], rules)]
    assert "distribute" in [r.name for r in reverses(rules["factor"], rules)]
    assert not reverses(rules["log-exp"], rules)


def test_every_source_has_a_title_and_a_year() -> None:
    assert {r.cite for r in all_rules()} - {"definition"} <= set(sources())
    assert all({"title", "year"} <= set(fields) for fields in sources().values())
    assert sources()["maechler2012"]["author"] == "Mächler, Martin"


def test_rules_of_a_file_are_verified(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "--module", file, "--points", "6", "-n", "1"]) == 1
    out = capsys.readouterr().out
    assert "cos2-sin2  extends  kept" in out and "turned     exact    BROKEN" in out
    assert "  at    x=[" in out and out.splitlines()[-1].startswith("2 rules: 1 kept, 1 BROKEN; ")
    assert main(["rules", "verify", "cos2-sin2", "--module", file, "--points", "3", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["verdict"] == "kept" and json.loads(line)["points"] == 3


@pytest.mark.sweep
def test_processes_find_what_one_finds(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "--module", file, "--points", "3", "--json", "-n", "2"]) == 1
    several = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert main(["rules", "verify", "--module", file, "--points", "3", "--json", "-n", "1"]) == 1
    alone = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for result in (*several, *alone):
        result.pop("seconds")
    assert several == alone


def test_a_name_is_looked_for_in_the_module_alone(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "log-exp", "--module", file]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"eqsat: {file} has no rule, tag or tier 'log-exp'"
    assert said[1] == "  needs  rules of the module, as --module leaves out those of eqsat"


def test_all_axes_are_not_counted_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--columns", "when"]) == 0
    said = capsys.readouterr().out
    assert "alike(x, z, all axes)" in said and "5, 6, 7" not in said


def test_help_is_for_users(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [],
        ["rules"],
        ["extract"],
        ["calibrate"],
        *(["rules", w] for w in ("list", "show", "verify")),
    ):
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        said = capsys.readouterr().out
        assert "docstring" not in said and "add(parser)" not in said


def test_a_module_that_raises_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd.py"
    for text, said in (
        ("x = 1\nx / 0\n", "ZeroDivisionError: division by zero ({odd}:2)"),
        ("import eqsat\n\neqsat.rule('a b', 1, 2)\n", "RuleError: a rule cannot be named 'a b' ({odd}:3)"),
        ("x = (\n", "SyntaxError: '(' was never closed (odd.py, line 1)"),
    ):
        odd.write_text(text)
        assert main(["rules", "list", "--module", str(odd)]) == 2
        assert capsys.readouterr().err.splitlines()[0] == f"eqsat: cannot run {odd}: {said.format(odd=odd)}"


def test_a_module_without_rules_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("RULES = []\n")
    assert main(["rules", "verify", "--module", str(empty)]) == 2
    assert "there are no rules in" in capsys.readouterr().err
    assert main(["rules", "list", "--module", str(tmp_path / "missing.py")]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert main(["rules", "list", "--module", "no_such_module_at_all"]) == 2
    assert "cannot import no_such_module_at_all" in capsys.readouterr().err
    (tmp_path / "mixed.py").write_text("RULES = [3]\n")
    assert main(["rules", "list", "--module", str(tmp_path / "mixed.py")]) == 2
    assert "holds 3, which is no rule" in capsys.readouterr().err


@pytest.mark.parametrize("width", [20, 40, 80, 120, 300])
@pytest.mark.parametrize("more", [[], ["--columns", "name,tags,rule,file,line"], ["--each", "--op", "dot"]])
def test_the_list_fits_the_terminal(
    width: int, more: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eqsat.cli.rules.list.width_of_terminal", lambda: width)
    assert main(["rules", "list", *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width and len(lines) > 20
    if width >= 80:
        assert "rule" in lines[0].split() and lines[0].startswith("name")


def test_the_width_is_that_of_a_terminal_and_wide_cuts_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["rules", "list", "--wide"]) == 0
    said = capsys.readouterr().out
    assert "…" not in said
    equations = {r.name: str(r).removeprefix(f"{r.name}: ").partition(" when ")[0] for r in all_rules()}
    listed = [line for line in said.splitlines() if line.split()[0] in equations]
    assert len(listed) > 300
    assert all(equations[line.split()[0]].split(" [")[0] in line for line in listed)
    monkeypatch.setenv("COLUMNS", "50")
    assert width_of_terminal() == 220
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert width_of_terminal() == 50
