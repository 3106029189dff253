"""Reports of functions tell their steps: what each reads and writes, and how long the cost model expects it to take."""

from __future__ import annotations

from pathlib import Path

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.inspect.planned_step import MOST, PlannedStep, step_lines

pytestmark = pytest.mark.c
X = T.TensorType("float64", shape=(1000,))("x")


def test_a_kernel_says_what_it_reads_and_writes() -> None:
    report = eqsat.function([X], T.exp(X) * X + X).report
    (step,) = report.steps
    assert (step.kind, step.read, step.written) == ("kernel", 8000, 8000)
    assert 0 < step.seconds < 1e-3
    (line,) = (text for text in str(report).splitlines() if "reads" in text)
    assert "kernel" in line and "(reads 8 kB, writes 8 kB)" in line and "exp" in line
    assert "Steps of the function: 1" in report.html()


def test_a_loop_shows_the_steps_inside() -> None:
    states, _ = eqsat.scan(lambda r, h: T.tanh(h * 0.5 + r), sequences=[X], outputs_info=[T.zeros(())])
    report = eqsat.function([X], states).report
    (loop,) = (step for step in report.steps if step.kind == "loop")
    assert loop.inside and all(s.seconds < loop.seconds for s in loop.inside)
    assert any(
        text.lstrip().split()[2:3] == ["kernel"] for text in str(report).splitlines() if "tanh" in text
    )


def test_a_function_from_disk_tells_the_same_steps(tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path)):
        first, second = (eqsat.function([X], T.log(X).sum()) for _ in range(2))
        assert first.report.steps == second.report.steps != []


def test_only_compiled_functions_have_steps() -> None:
    assert eqsat.optimize(T.exp(X)).steps == []
    assert "steps" not in str(eqsat.optimize(T.exp(X)))


def test_long_functions_show_their_dearest_steps() -> None:
    steps = [PlannedStep("kernel", f"number {k}", 10.0**k, 1.0, 1e-6 * (k % 7)) for k in range(MOST + 5)]
    *lines, last = step_lines(steps)
    assert len(lines) == MOST and last == "  and 5 shorter steps"
    assert "reads 1 B" not in lines[0] and any("reads 1e+" in t or "GB" in t for t in lines)
    assert not list(step_lines([]))


def test_a_group_of_rows_shows_its_kernels() -> None:
    m = T.TensorType("float32", shape=(500, 300))("m")
    (step,) = eqsat.function([m], T.softmax(T.tanh(m), 1) * 2).report.steps
    assert (step.kind, step.read, step.written) == ("rows", 600_000, 600_000)


@pytest.mark.parametrize("target", ["c", "cuda"])
def test_steps_inside_a_group_have_their_prices_inside(target: str) -> None:
    m = T.TensorType("float32", shape=(4096, 1024))("m")
    with config.change_flags(cuda_device="emulated"):
        report = eqsat.function([m], T.softmax(m, 1) * 2, target=target).report
    (step,) = report.steps
    inside, model = sum(s.seconds for s in step.inside), report.model
    assert len(step.inside) > 1 and step.seconds == pytest.approx(inside + model.group)
    assert target == "c" or all(
        s.seconds < step.seconds / 2 for s in step.inside
    )  # none holds a launch of its own
