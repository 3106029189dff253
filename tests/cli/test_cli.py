"""The command line as a user meets it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import cli
from eqsat.cli import main
from eqsat.cli.rules.list import BUILT_IN
from eqsat.rules.rule import all_rules
from eqsat.rules.standing import standing_rules


def test_every_rule_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rules, built_in = sorted(all_rules(), key=lambda r: r.name), standing_rules()
    count = Counter(r.scheme for r in rules if r.scheme)
    names = dict.fromkeys(r.scheme if count[r.scheme] > 1 else r.name for r in rules)
    apart = lines.index(BUILT_IN)
    assert [line.split()[0] for line in lines[1:apart]] == list(names)
    assert [line.split()[0] for line in lines[apart + 2 : -1]] == [r.name for r in built_in]
    both = len(rules) + len(built_in)
    assert lines[-1].startswith(f"{both} rules: ") and lines[-1].endswith(
        f" schemes; {len(built_in)} built in"
    )


def test_what_is_built_in_is_listed_and_shown_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "commute-add,log-exp"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "log-exp", "built", "name", "commute-add", "2"]
    assert main(["rules", "list", "log-exp"]) == 0 and BUILT_IN not in capsys.readouterr().out
    assert main(["rules", "list", "declared"]) == 0 and capsys.readouterr().out.startswith(BUILT_IN)


def test_what_a_report_names_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c = T.dmatrices("a", "b", "c")
    graphs = [T.dot(T.dot(a, b), c), (a + b) * 2 + c * 2 + a * 3, T.log(T.exp(a) * T.exp(b)), (a.T + 1)[0]]
    named = {name for g in graphs for name in eqsat.optimize(g).rules}
    assert len(named) > 10 and {"commute-add", "log-exp"} < named
    assert main(["rules", "show", "--points", "0", *sorted(named)]) == 0


def test_a_scheme_is_one_line_with_the_number_of_its_ops(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--each", "--tag", "part-of-elementwise"]) == 0
    assert "part-of-exp" in [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert main(["rules", "list", "--tag", "part-of-elementwise", "--columns", "name,ops,rule"]) == 0
    line = capsys.readouterr().out.splitlines()[1].split(maxsplit=2)
    ops = next(c.scheme for c in all_rules().schemes if c.scheme.name == "part-of-elementwise").ops()
    assert line == ["part-of-elementwise", str(len(ops)), "part(f(x, ...)) = f(part(x), ...)"]


def test_an_unknown_rule_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "no-such-rule"]) == 2
    assert capsys.readouterr().err.startswith(
        "eqsat: there is no rule named 'no-such-rule'\n  needs  a rule,"
    )


@pytest.mark.parametrize("script", [False, True])
def test_flags_of_the_environment_that_there_are_not_are_an_error_without_a_traceback(
    script: bool, tmp_path: Path
) -> None:
    (tmp_path / "eqsat").write_text("import sys\nfrom eqsat.cli import main\nsys.exit(main())\n")
    command = [str(tmp_path / "eqsat")] if script else ["-m", "eqsat"]
    flags = {
        **os.environ,
        "EQSAT_FLAGS": "modee=FAST_RUN",
        "PYTHONPATH": str(Path(eqsat.__file__).parents[1]),
    }
    run = [sys.executable, *command, "rules", "list"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, env=flags, cwd=tmp_path / "..")
    lines = done.stderr.splitlines()
    assert lines[0] == "eqsat: the variable EQSAT_FLAGS: config has no flag 'modee'" and done.returncode == 2
    assert [line.split()[0] for line in lines[1:]] == ["needs", "try"] and not done.stdout
    program = [sys.executable, "-c", "import eqsat"]
    asked = subprocess.run(program, capture_output=True, text=True, check=False, env=flags)
    assert "UnknownFlagError: the variable EQSAT_FLAGS" in asked.stderr and asked.returncode == 1


def test_python_m_eqsat_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "eqsat", "rules", "list", "log-exp"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "1 rule: 1 stabilises"


@pytest.mark.parametrize("text", ["", '"""A command without anything."""'])
def test_a_file_that_is_no_subcommand_is_named(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half_done.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(cli, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "eqsat.cli.half_done", raising=False)
    assert main(["half_done"]) == 2
    assert "half_done.py is no subcommand" in capsys.readouterr().err
