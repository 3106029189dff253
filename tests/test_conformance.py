"""Runs of other libraries' tests: a new failure and a pass that is not written down are errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("conformance", reason="a checkout alone has it")
from conformance import __main__ as runner
from conformance.suites import SUITES

ROOT = Path(__file__).resolve().parent.parent


def test_outcomes_are_compared_with_those_written_down() -> None:
    found = {"a": ("failed", "no op"), "b": ("passed", ""), "c": ("failed", "known"), "d": ("skipped", "")}
    wrong = runner.compared(found, {"b": "refused", "c": "known", "d": "refused", "e": "did not run"})
    assert wrong == ["new failure: a: no op", "passes, but is written down as failing: b"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    known = {"tests/a.py::test[x-1]": "a reason: with, signs", "tests/b.py::test": ""}
    runner.write_expected(tmp_path / "expected" / "x-1.txt", known)
    assert runner.read_expected(tmp_path / "expected" / "x-1.txt") == known
    assert runner.read_expected(tmp_path / "nothing") == {}


@pytest.mark.parametrize(
    "file", sorted((ROOT / "conformance" / "expected").glob("*.txt")), ids=lambda p: p.name
)
def test_every_known_failure_is_of_a_suite_and_has_a_reason(file: Path) -> None:
    suite = SUITES[file.name.partition("-")[0]]
    known = runner.read_expected(file)
    assert known and all(test.startswith(suite.tests) and why for test, why in known.items())


def test_a_folder_without_tests_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "conformance", "pytensor", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is not installed" in done.stderr or "has no tests/tensor" in done.stderr
