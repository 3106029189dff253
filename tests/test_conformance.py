"""Runs of other libraries' tests: a new failure and a pass that is not written down are errors."""

from __future__ import annotations

import json
import os
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


def test_groups_that_fail_for_one_reason_share_a_line() -> None:
    found = {
        "a.py::X::f[1]": ("failed", "no op"),
        "a.py::X::f[2]": ("failed", "no op"),
        "a.py::X::g": ("failed", "text"),
        "a.py::X::h": ("skipped", ""),
        "a.py::f[1]": ("passed", ""),
        "b.py::f": ("failed", "no op"),
        "b.py::g": ("failed", "no op"),
        "c.py::f": ("failed", "no op"),
    }
    known = runner.folded(found)
    assert known == {"a.py::X::f[*": "no op", "a.py::X::g": "text", "b.py::*": "no op", "c.py::f": "no op"}
    assert runner.compared(found, known) == []
    now = {"b.py::f": ("passed", ""), "b.py::new": ("failed", "no op"), "c.py::g": ("failed", "no op")}
    assert runner.compared(now, known) == [
        "new failure: c.py::g: no op",
        "passes, but is written down as failing: b.py::f",
    ]


PROGRAM = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("no such file\\nat all")

def test_setup(broken): ...
def test_fixture(nothing): ...
def test_graph():
    f = type("F", (), {})()
    f.maker.fgraph
def test_value():
    assert 1 == 2
def test_passes(): ...
"""


def test_every_failure_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(PROGRAM, encoding="utf-8")
    outcomes = tmp_path / "outcomes"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CONFORMANCE_OUTCOMES": str(outcomes)}
    environment.pop("CONFORMANCE_SUITE", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "conformance.plugin", "-p", "no:cacheprovider"]
    subprocess.run(
        [*command, "--rootdir", "."], cwd=tmp_path, env=environment, check=False, capture_output=True
    )
    lines = map(json.loads, outcomes.read_text(encoding="utf-8").splitlines())
    found = {test: (outcome, why) for test, outcome, why in lines}
    assert found["test_a.py::test_setup"] == ("failed", "in its setup: ValueError: no such file")
    assert found["test_a.py::test_fixture"] == ("failed", "in its setup: fixture 'nothing' not found")
    assert found["test_a.py::test_graph"] == ("failed", "looks at the library's own graph")
    assert found["test_a.py::test_value"] == ("failed", "assert 1 == 2")
    assert found["test_a.py::test_passes"] == ("passed", "")


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
