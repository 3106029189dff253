"""A few seeds of every part, and faults that are planted: they are found, made small and reported."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaign.check import Failure, Reference, check_mode
from campaign.children import in_child
from campaign.digest import finding
from campaign.driver import part_names
from campaign.program import Input, Program, Step
from campaign.report import Report
from campaign.shrink import shrink
from campaign.surface import functions, ways
from campaign.trial import Finding, Trial
from eqsat.rules.rule import RuleSet, default_rules, rule

pytestmark = pytest.mark.sweep  # parts of the campaign, in processes of their own

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = [
    "degenerate",
    "graphs",
    "gradients",
    "kernels",
    "rule_sets",
]  # run in this process, which has loaded egglog
PYTHON = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}


@pytest.mark.parametrize("name", HERE)
def test_a_few_seeds(name: str) -> None:
    part = importlib.import_module(f"campaign.parts.{name}")
    seeds = {"degenerate": range(1000, 1006), "graphs": range(1, 3)}.get(name, range(1003, 1006))
    trials = [part.trial(seed) for seed in seeds]
    assert sum(t.tried for t in trials) >= 2
    assert [f.python for t in trials for f in t.findings] == []


@pytest.mark.c
def test_the_program_runs_parts_in_processes_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    command = [
        sys.executable,
        "-m",
        "campaign",
        "--parts",
        "kills,threads,faults,scans",
        "--seeds",
        "0:1",
        "--hours",
        "0.1",
    ]
    done = subprocess.run(
        [*command, "--report", str(path)], cwd=ROOT, env=PYTHON, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[1:]] == ["| faults", "| kills", "| scans", "| threads"]
    assert "| 0 to 0 | 5 scans | 0 |" in rows[3]


def test_seeds_are_programs() -> None:
    from campaign.parts import degenerate

    first, again = degenerate.grow(7), degenerate.grow(7)
    assert first.text() == again.text() != degenerate.grow(8).text()
    for a, b in zip(first.values(), again.values()):
        np.testing.assert_array_equal(a, b)


def test_bits_that_depend_on_threads_are_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    from campaign.parts import kernels

    right = kernels.on_threads

    def wrong(reference: Reference, outputs: Any) -> list[list[Any]]:
        one, two, four = right(reference, outputs)
        return [one, two, [np.nextafter(v, np.inf) for v in four]]

    monkeypatch.setattr(kernels, "on_threads", wrong)
    program = Program(
        (Input("v0", "float64", (None,), np.array([0.5, 2.0])),), (Step("r0", "T.exp(v0)"),), ("r0",)
    )
    failure = kernels.failure_of(program)
    assert failure is not None and failure.kind == "threads" and "on 4 threads" in failure.text


def test_steps_that_kernels_of_every_form_come_of() -> None:
    from campaign.forms import forms
    from campaign.parts import kernels
    from eqsat.functions.planning import plan_graph

    found: Counter[str] = Counter()
    for seed in range(120):
        inputs, outputs, _ = kernels.grow(seed).graph()
        found.update(forms(plan_graph(inputs, outputs, fused=True)))
    some = """kernel several-results pieces pick fold-of-all fold-of-rows fold-of-columns fold-of-a-middle-axis contraction-nest group
        group-reduced-over-rows group-with-a-call loop loop-in-a-loop state:-stack state:-buffer view read-through-a-dimshuffle
        read-through-a-subtensor call-of-dot call-of-conv call-of-pool_max call-of-cumsum call-of-gather call-of-add_rows call-of-set_rows"""
    assert [name for name in some.split() if found[name.replace("-", " ")] < 2] == []


def test_the_text_of_a_program_runs() -> None:
    from campaign.parts import degenerate

    done = subprocess.run(
        [sys.executable, "-c", degenerate.grow(3).text("numpy")],
        env=PYTHON,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.startswith("reference ["), done.stderr


def test_every_function_can_be_called_or_takes_part_no_further() -> None:
    some = [
        f
        for f in functions()
        if f.path in ("T.exp", "T.tensordot", "T.linalg.solve", "T.nnet.softmax", "T.clip")
    ]
    assert len(functions()) > 300 and len(some) == 5
    assert all(ways(f) for f in some)


# ------------------------------------------------------------------------------------------------ planted faults


def program(*texts: str, outputs: Any = None) -> Program:
    """A program of two vectors and steps."""
    inputs = tuple(
        Input(f"v{k}", "float64", (None,), np.array([0.5, 1.5, -2.0]) + k, "[::-1]") for k in range(2)
    )
    steps = tuple(Step(f"r{k}", text) for k, text in enumerate(texts))
    return Program(inputs, steps, tuple(outputs or (s.name for s in steps)))


def planted() -> RuleSet:
    """The default rules and one that is wrong."""
    from eqsat.graph.ops.elemwise import mul, sin
    from eqsat.rules.pattern import reals

    x, y = reals("x y")
    return RuleSet([*default_rules(), rule("planted", mul(sin(x), y), mul(x, y), cite="definition")])


def test_a_wrong_rule_is_found_and_made_small() -> None:
    large = program(
        "T.tanh(v0)", "v1 + 2.0", "T.exp(r1)", "T.sin(r0) * r2", "r3 - v1", "T.softplus(r4)", "v0 * v1"
    )
    failure = check_mode(Reference(large), "numpy", planted())
    assert failure is not None and failure.kind == "value"
    found = finding(large, failure, rules=planted())
    assert found is not None and found.rules == ("planted",)
    lines = found.python.splitlines()
    assert len(lines) <= 8 and "T.softplus" not in found.python and "[::-1]" not in found.python, found.python


def test_what_makes_an_error_is_what_is_left() -> None:
    bad = program("v0 + 1.0", "v0[5:][0]", "T.exp(r0)")

    def bounds(p: Program) -> bool:
        try:
            Reference(p)
        except IndexError:
            return True
        return False

    small = shrink(bad, bounds)
    assert [str(s) for s in small.steps] == ["r1 = v0[5:][0]"] and small.outputs == ("r1",)


def test_values_of_no_meaning_are_not_compared() -> None:
    infinite = program("v0 / (v0 - v0)", "T.eq(r0 * 0.0, 0.0)", "T.exp(v0)")
    reference = Reference(infinite)
    wanted = [np.asarray(v) for v in reference.wanted]
    assert reference.wrong("numpy", [wanted[0], ~wanted[1], wanted[2]], rewritten=True) is None
    assert reference.wrong("FAST_COMPILE", [wanted[0], ~wanted[1], wanted[2]], rewritten=False) is not None
    assert reference.wrong("numpy", [wanted[0], wanted[1], np.ones(3)], rewritten=True) is not None


def test_a_child_that_crashes_or_hangs_is_told() -> None:
    assert in_child(lambda: 3).value == 3
    assert in_child(lambda: os.kill(os.getpid(), signal.SIGSEGV)).bad == "was ended by SIGSEGV"
    assert in_child(lambda: time.sleep(60), seconds=0.2).bad == "hangs"
    assert str(in_child(lambda: 1 / 0).bad).startswith("ZeroDivisionError: division by zero")


def test_equal_findings_are_reported_once(tmp_path: Path) -> None:
    report = Report(str(tmp_path / "report.md"), said=False)
    for seed in (4, 5):
        found = Finding("key", "numpy: r0 is 1, as written 2", "print(1)", ("planted",), seed, "graphs")
        report.add("graphs", Trial(10, 1, {"refused": 2}, [found]), 2.0, seed)
    report.write()
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| graphs | 4 to 5 | 20 graphs | 2 | 5.00 | 4 refused |" in text
    assert text.count("```python") == 1 and "seed 4, 2 times: key" in text and "enough: planted" in text


def test_every_part_says_what_it_counts() -> None:
    for name in part_names():
        part = importlib.import_module(f"campaign.parts.{name}")
        assert part.UNIT and part.__doc__ and callable(part.trial), name


def test_failures_of_another_kind_are_not_alike() -> None:
    one = Failure("numpy", "value", "r0 is 1")
    assert one.alike(Failure("numpy", "value", "r7 is 2"))
    assert (
        not one.alike(None)
        and not one.alike(Failure("numpy", "ShapeError", ""))
        and not one.alike(Failure("FAST_RUN", "value", ""))
    )
