"""When something is in the way the result is still right, and one warning says what happened."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config, function
from eqsat.egraph import adapter
from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable, Session
from eqsat.errors import EqsatWarning, RuleError
from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import exp
from eqsat.rules.pattern import reals
from eqsat.rules.rule import default_rules, rule

DATA = np.array([0.5, 1.0, 2.0])
MISSING = "egglog is not installed: install it with: pip install 'egglog>=13.2,<14'"
WRITTEN = "the graph is compiled as written, without rewriting: "


def graph() -> tuple[Any, Any]:
    """An input, and a graph of it that rewriting and fusion change."""
    x = T.dvector("x")
    return x, T.log(T.exp(x * 2 / 2)) + T.sum(T.exp(x))


def check(f: Any) -> None:
    """Refuse a function of ``graph`` that gives anything else than NumPy does."""
    np.testing.assert_allclose(f(DATA), DATA + np.exp(DATA).sum(), rtol=1e-13)


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of a test."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def texts(told: list[warnings.WarningMessage]) -> list[str]:
    """The texts of warnings, after a look at who gave them and where."""
    assert all(w.category is EqsatWarning and w.filename == __file__ for w in told), [str(w) for w in told]
    return [str(w.message) for w in told]


def panic(*_: Any) -> Any:
    """A panic in Rust as Python sees it."""
    raise type("PanicException", (BaseException,), {})("index out of bounds")


# ------------------------------------------------------------------------------------------------------- egglog


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_egglog_is_missing(mode: str, told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise EGraphUnavailable(MISSING)

    monkeypatch.setattr(adapter, "bindings", missing)
    x, y = graph()
    with config.change_flags(cache=False):
        f = function([x], y, mode=mode)
        check(f)
        check(function([x], y, mode=mode))
    said = [text for text in texts(told) if not text.startswith(("no C compiler", "kernels are not fused"))]
    assert said == [WRITTEN + MISSING]
    assert f.report.fallback == MISSING and f.outputs_optimised == [y]
    assert str(f.report) == f"ops     {f.report.nodes_before}\nthe graph is compiled as written: {MISSING}"


@pytest.mark.c
def test_nothing_is_fused_without_egglog_either(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "bindings", lambda: (_ for _ in ()).throw(EGraphUnavailable(MISSING)))
    x, y = graph()
    with config.change_flags(cache=False):
        for _ in range(2):
            check(function([x], y))
    assert texts(told) == [WRITTEN + MISSING, "kernels are not fused: " + MISSING]


def test_a_rule_that_joins_two_dtypes(told: Any) -> None:
    u = reals("u")
    wrong = rule("joins-dtypes", exp(u), cast_op(exp(u), dtype="float32"), tier="exact", cite="definition")
    x, y = graph()
    for _ in range(2):
        with pytest.raises(
            RuleError, match="rule joins-dtypes makes values of different dtypes or ranks equal"
        ):
            function([x], y, mode="numpy", rules=default_rules() + [wrong])
    assert not texts(told)
    check(function([x], y, mode="numpy"))
    assert eqsat.optimize(y).fallback is None, "the next e-graph is a new one"


def test_a_panic_in_rust(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run, calls = Session.run, [0]

    def later(self: Session, ruleset: str, times: int = 1) -> Any:
        calls[0] += 1
        return run(self, ruleset, times) if calls[0] < 5 else self._live().guard(f"run {ruleset}", panic)

    monkeypatch.setattr(Session, "run", later)
    x, y = graph()
    check(function([x], y, mode="numpy"))
    assert calls[0] == 5
    (said,) = texts(told)
    assert said.startswith(WRITTEN + "run ") and said.endswith(": index out of bounds")
    monkeypatch.undo()
    assert eqsat.optimize(y).fallback is None


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        eqsat.optimize(graph()[1])
    monkeypatch.undo()
    assert eqsat.optimize(graph()[1]).fallback is None


@pytest.mark.c
def test_kernels_are_not_fused_where_the_plan_fails(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise EGraphFailure("run fuse: it broke")

    monkeypatch.setattr("eqsat.extract.plan.fuse", fail)
    x, y = graph()
    with config.change_flags(cache=False):
        for _ in range(2):
            f = function([x], y)
            check(f)
    assert texts(told) == ["kernels are not fused: run fuse: it broke"]
    assert f.report.fallback is None and f.c_source is not None


# ------------------------------------------------------------------------------------------------------- budgets


def deep(levels: int = 30) -> tuple[Any, Any]:
    """A graph in which every level can be rewritten, and products of sums that can grow."""
    x = T.dvector("x")
    y = x
    for k in range(levels):
        y = T.log(T.exp(y) * 2 + k)
    return x, ((y + 1) * (y + 2) * (T.exp(x) + 3)).sum()


@pytest.mark.parametrize(
    "flags, limit",
    [({"egraph_seconds": 1e-6}, "seconds"), ({"egraph_nodes": 1}, "rows")],
    ids=["seconds", "rows"],
)
def test_a_budget_that_runs_out(flags: dict[str, Any], limit: str, told: Any) -> None:
    x, y = deep()
    want = function([x], y, mode="reference")(DATA)
    with config.change_flags(**flags):
        f = function([x], y, mode="numpy")
        second = function([x], y + 1, mode="numpy")
    np.testing.assert_allclose(f(DATA), want, rtol=1e-12)
    np.testing.assert_allclose(second(DATA), want + 1, rtol=1e-12)
    budgets = f.report.budgets
    assert budgets and all(f"stopped at its limit of {limit} after" in text for text in budgets)
    tail = "; the best graph found so far is used (config.egraph_seconds, egraph_nodes)"
    assert texts(told) == [budgets[0] + tail]
    assert f"budget  {budgets[0]}" in str(f.report)
    assert f.report.cost_after <= f.report.cost_before


@pytest.mark.c
def test_a_graph_of_a_budget_that_ran_out_is_not_kept(told: Any) -> None:
    x, y = deep(31)
    with config.change_flags(egraph_seconds=1e-6):
        function([x], y)
        assert "lookup" not in function([x], y).seconds


def test_seconds_of_optimize_are_a_budget(told: Any) -> None:
    assert eqsat.optimize(deep()[1], seconds=1e-6).budgets


# ------------------------------------------------------------------------------------------------------ compiler


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize(
    "flag, cause", [("", "no C compiler was found"), ("no-such-cc", "config.cc, 'no-such-cc', is no program")]
)
def test_there_is_no_compiler(
    mode: str, flag: str, cause: str, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    x, y = graph()
    with config.change_flags(cc=flag):
        for _ in range(2):
            f = function([x], y, mode=mode)
            check(f)
    assert f.c_source is None
    assert texts(told) == [cause + ": functions run op by op in NumPy, which is slower"]


def test_a_compiler_that_fails(told: Any, tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'cc: fatal error: no space left' >&2\nexit 1\n")
    broken.chmod(0o700)
    x, y = graph()
    with config.change_flags(cc=str(broken), cache=False):
        for _ in range(2):
            f = function([x], y)
            check(f)
    assert f.c_source is None
    assert texts(told) == [
        f"the C compiler {broken} failed (cc: fatal error: no space left): "
        "the function runs op by op in NumPy, which is slower"
    ]


@pytest.mark.parametrize(
    "text, reason", [("#!/bin/sh\nexit 1\n", "it said nothing"), ("#!/no/shell\n", "No such file")]
)
def test_a_compiler_that_does_not_start(text: str, reason: str, told: Any, tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text(text)
    broken.chmod(0o700)
    x, y = graph()
    with config.change_flags(cc=str(broken), cache=False):
        check(function([x], y))
    (said,) = texts(told)
    assert said.startswith(f"the C compiler {broken} failed (") and reason in said


# --------------------------------------------------------------------------------------------------------- cache


@pytest.mark.c
def test_a_cache_that_is_no_folder(told: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "cache")
    x, y = graph()
    with config.change_flags(cache_dir=place):
        for _ in range(2):
            f = function([x], y)
            check(f)
    assert f.c_source is not None
    (said,) = [str(w.message) for w in told]
    assert said.startswith(f"the cache directory {place} cannot be used: ")
    assert said.endswith("; compiled functions are kept for this process only")


@pytest.mark.c
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written(told: Any, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    x, y = graph()
    with config.change_flags(cache_dir=str(locked)):
        check(function([x], y))
    (said,) = [str(w.message) for w in told]
    assert (
        said
        == f"the cache directory {locked} cannot be written: Permission denied; compiled functions are kept for this process only"
    )


# ---------------------------------------------------------------------------------------------------------- fork


def in_child(work: Callable[[], None], seconds: float = 60) -> int:
    """Exit status of a forked child that does some work; a child that hangs is ended and fails."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"child: {type(error).__name__}: {error}\n".encode())
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_a_forked_child_calls_and_makes_functions(mode: str) -> None:
    x, y = graph()
    f = function([x], y, mode=mode)
    check(f)
    big = T.dmatrix("big")
    large = function([big], T.exp(big).sum(axis=1), mode=mode)
    many = np.ones((500, 500))
    large(many)

    def work() -> None:
        check(f)
        np.testing.assert_allclose(large(many), np.exp(many).sum(axis=1))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for shift in (1.0, 2.0):
                made = function([x], y + shift, mode=mode)
                np.testing.assert_allclose(made(DATA), DATA + np.exp(DATA).sum() + shift)
        assert found == [], "graphs are rewritten and compiled there as here"

    assert in_child(work) == 0
    check(f)
    check(function([x], y, mode=mode))
