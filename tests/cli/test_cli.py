"""The command line as a user meets it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from eqsat import cli
from eqsat.cli import main
from eqsat.rules.rule import all_rules
from eqsat.rules.standing import standing_rules


def test_every_rule_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rules = sorted([*all_rules(), *standing_rules()], key=lambda r: r.name)
    count = Counter(r.scheme for r in rules if r.scheme)
    names = dict.fromkeys(r.scheme if count[r.scheme] > 1 else r.name for r in rules)
    assert [line.split()[0] for line in lines[1:-1]] == list(names)
    assert lines[-1].startswith(f"{len(rules)} rules: ") and lines[-1].endswith(" schemes")


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
