"""explain() is done when its seconds are up, whatever part of the search it is in, and says what it had no time for."""

from __future__ import annotations

import time
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.inspect.explanation import explanation
from eqsat.inspect.explanation.deadline import Deadline
from eqsat.inspect.explanation.values import Points
from eqsat.inspect.report import Report

SLACK = 10.0  # seconds in which a busy machine rewrites the graph again and ends the iteration that runs


@pytest.fixture(scope="module")
def recurrent() -> Report:
    """A rewriting of many rules, whose explanation took 70 s for its 20."""
    x, *ws = T.dmatrices("x", *(f"w{k}" for k in range(6)))

    def step(r: Any, h: Any) -> Any:
        z = T.nnet.sigmoid(T.dot(r, ws[0]) + T.dot(h, ws[1]))
        g = T.nnet.sigmoid(T.dot(r, ws[2]) + T.dot(h, ws[3]))
        return z * h + (1 - z) * T.tanh(T.dot(r, ws[4]) + T.dot(g * h, ws[5]))

    cost = T.mean(T.sqr(eqsat.scan(step, x, T.zeros((16,)))[0]))
    return eqsat.optimize([cost, *T.grad(cost, ws)])


@pytest.mark.parametrize("seconds", [0.0, 1.0, 4.0])
def test_it_ends_in_time_and_says_so(recurrent: Report, seconds: float) -> None:
    start = time.monotonic()
    why = recurrent.explain(seconds)
    assert time.monotonic() - start < seconds + SLACK and why.seconds < seconds + SLACK
    assert why.limits and all(f"{seconds:g} s" in limit for limit in why.limits) and not why.smallest
    text = str(why)
    assert all(f"limit   {limit}\n" in text for limit in why.limits)
    if not why.steps:
        assert text.startswith("no step was found; ") and f"rules   {why.rules[0].name}, " in text
    assert why.html()


def test_what_is_found_in_time_has_no_limits() -> None:
    x = T.dvector("x")
    why = eqsat.optimize(T.log(1 + T.exp(x))).explain(60.0)
    assert why.limits == [] and why.smallest and why.checked


def test_steps_whose_values_were_not_compared_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    x = T.dvector("x")
    report = eqsat.optimize(T.log(1 + T.exp(x)))
    whole = explanation.steps_of
    monkeypatch.setattr(explanation, "steps_of", lambda a, b, c, d: whole(a, b, c, Deadline.after(0.0)))
    why = report.explain(30.0)
    assert why.limits == ["within 30 s the values of 2 of 2 steps were not compared"] and not why.checked
    assert [step.difference for step in why.steps] == ["time was up"] * 2
    assert "values not compared: time was up" in str(why)


def test_values_are_looked_for_while_there_is_time() -> None:
    x = T.dvector("x")
    assert Points([T.exp(x)], Deadline.after(10.0)).difference([T.exp(x)], [T.exp(x) + 0.0]) == 0.0
    none = Points([T.exp(x)], Deadline.after(0.0))
    assert none.values is None and none.difference([x], [x]) == none.why


def test_a_graph_that_was_not_rewritten_is_refused() -> None:
    x = T.dvector("x")
    with pytest.raises(ArgumentError, match="explain: nothing was rewritten"):
        Report([x], [x], fallback="no egglog").explain(1.0)
