"""The command line as a user meets it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from eqsat.cli import main
from eqsat.rules.rule import all_rules
from eqsat.rules.standing import standing_rules


def test_every_rule_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = sorted(r.name for r in [*all_rules(), *standing_rules()])
    assert [line.split()[0] for line in lines[1:-1]] == names
    assert lines[-1].startswith(f"{len(names)} rules: ")


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
