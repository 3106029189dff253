"""Progress is a line on a terminal, an output in a notebook, and nothing anywhere else."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base import progress
from eqsat.base.progress import Progress
from eqsat.rules.rule import all_rules


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "EACH", 0.01)


def run(pause: float = 0.1, **options: Any) -> None:
    with Progress("work", **options) as outer, Progress("inside"):
        outer.step("first")
        time.sleep(pause)


def test_a_terminal_gets_a_line_that_goes_away(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    run(total=2)
    said = screen.getvalue()
    assert "work  ████████████············  1/2" in said and "first" in said and "inside" not in said
    assert said.endswith(progress.CLEARED)


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    run(0.0)
    assert screen.getvalue() == ""


def test_off_a_terminal_nothing_is_said(quick: None, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    assert capsys.readouterr() == ("", "") and Progress._outer is None


def test_a_notebook_gets_one_output(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def update(data: Any, raw: bool) -> None:
        said.append(data["text/plain"])

    def display(data: Any, raw: bool, display_id: bool) -> Any:
        said.append(f"new: {data['text/plain']}")
        return SimpleNamespace(update=update)

    shell = SimpleNamespace(kernel=True)
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)  # type: ignore[arg-type]
    run(seconds=0.1)
    assert said[0].startswith("new: work") and said[-1] == ""
    assert sum(line.startswith("new") for line in said) == 1


def test_an_error_ends_it(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen())
    with pytest.raises(ValueError, match="no"), Progress("work"):
        raise ValueError("no")
    assert Progress._outer is None


def test_lines() -> None:
    assert Progress("optimize").line(3.2) == "optimize  3 s"
    assert Progress("explain", seconds=20.0).line(100.0).count("█") == progress.WIDTH


class Slow(eqsat.Op):
    """A user's op on one vector, which takes a while to be applied while a constant is folded."""

    __props__ = ()
    itypes = otypes = [T.dvector]

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        time.sleep(0.1)
        output_storage[0][0] = inputs[0]


WORK: dict[str, Any] = {
    "optimize": lambda: eqsat.optimize(Slow()(T.constant([1.0])) + T.dvector("x")),
    "function": lambda: eqsat.function([T.dvector("x")], Slow()(T.constant([2.0])), on_unused_input="ignore"),
    "explain": lambda: REPORT.explain(5.0),
    "verify": lambda: eqsat.verify.verify(all_rules()["log-exp"], points=40),
    "profile rules": lambda: eqsat.profile_rules(T.log(T.exp(T.dvector("x")))),
}
REPORT = eqsat.optimize(T.log(T.exp(T.dvector("x"))))


@pytest.mark.parametrize("title", WORK)
def test_long_work_says_what_it_is(quick: None, monkeypatch: pytest.MonkeyPatch, title: str) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    WORK[title]()
    assert f"{title}  " in screen.getvalue() and screen.getvalue().endswith(progress.CLEARED)
