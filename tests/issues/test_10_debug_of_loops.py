"""DebugMode and ``check=`` open loops as the optimiser does, so that a wrong rule about loops is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import scan
from eqsat.base.notices import forget_warnings
from eqsat.debug import values_over_time as timed
from eqsat.errors import DebugModeError, EqsatWarning
from eqsat.graph.loops import last_op
from eqsat.graph.ops.elemwise import exp, neg, tanh
from eqsat.rules.loops import L, e, i, n, o, old, row, stack, x
from eqsat.rules.rule import Rule, default_rules, rule
from eqsat.scan import until

a, b, m, w = T.dvector("a"), T.dscalar("b"), T.dmatrix("m"), T.dmatrix("w")
VALUES: dict[Any, Any] = {
    a: [0.5, -1.0, 2.0, 0.3],
    b: 0.7,
    m: np.linspace(-1, 1, 12).reshape(4, 3),
    w: np.linspace(-0.4, 0.5, 9).reshape(3, 3),
}

state = scan(lambda r, s: T.tanh(s * r) + b, a, T.constant(1.0))[0]
mapped = scan(lambda r: T.exp(r) * b, a)[0]
taps = scan(lambda s, t: s * b - T.tanh(t), outputs_info=[{"initial": a, "taps": [-1, -3]}], n_steps=5)[0]
last = scan(lambda r, s: T.tanh(T.dot(w, s) + r), m, T.zeros((3,)))[0][-1]
nested = scan(lambda r: scan(lambda q, s: s + T.tanh(q * r.sum()), r, T.constant(0.0))[0], m)[0]
stopped = scan(lambda s: (s * 2, until(s > 50)), outputs_info=[b], n_steps=20)[0]
ragged = scan(
    lambda k: scan(lambda s: s * b, outputs_info=[T.constant(1.0)], n_steps=k)[0].sum(), T.arange(4)
)[0]
chosen = scan(lambda r: eqsat.ifelse(r > 0, T.sqrt(T.exp(r)), r), a)[0]
one = scan(lambda r: T.exp(r), a[:0])[0].sum() + b
whole = scan(lambda r: r + 2, T.cast(a, "int64"))[0]

GRAPHS = {
    "state": state,
    "mapped": mapped,
    "several taps": taps,
    "last": last,
    "nested": nested,
    "stopped": stopped,
    "ragged": ragged,
    "chosen": chosen,
    "no steps": one,
    "whole numbers": whole,
    "gradient": T.grad(state.sum(), b),
}
WRONG: dict[str, tuple[Rule, Any]] = {
    "elem": (rule("wrong-row", row(x), neg(row(x)), cite="definition"), mapped),
    "elem of a nested loop": (rule("wrong-row", row(x), exp(row(x)), cite="definition"), nested),
    "collect": (
        rule("wrong-stack", stack(tanh(x)), stack(x), cite="definition"),
        scan(lambda r: T.tanh(r * b), a)[0],
    ),
    "collect that may stop": (rule("wrong-stack", stack(e), neg(stack(e)), cite="definition"), stopped),
    "last": (
        rule(
            "wrong-last", last_op(e, n, loop=L, open=o), neg(last_op(e, n, loop=L, open=o)), cite="definition"
        ),
        last,
    ),
    "state": (rule("wrong-state", old(i), i, cite="definition"), state),
    "state of several taps": (rule("wrong-state", old(i), i, cite="definition"), taps),
    "state of a nested loop": (rule("wrong-state", old(i), i, cite="definition"), nested),
    "state of a gradient": (rule("wrong-state", old(i), i, cite="definition"), T.grad(state.sum(), b)),
    "inside": (rule("wrong-inside", tanh(x), x, cite="definition"), state),
}


def given(graph: Any) -> dict[Any, Any]:
    """Values of the inputs of a graph."""
    inputs = set(eqsat.graph.graph_inputs([graph]))
    return {v: value for v, value in VALUES.items() if v in inputs}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.sampled(4)
def test_right_rules_pass(name: str) -> None:
    report = eqsat.optimize(GRAPHS[name], check=given(GRAPHS[name]))
    assert not report.budgets and report.fallback is None


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(3)
def test_check_names_a_wrong_rule_about_loops(name: str) -> None:
    wrong, graph = WRONG[name]
    with pytest.raises(DebugModeError, match="two forms that the rules made equal differ") as caught:
        eqsat.optimize(graph, rules=default_rules() + wrong, check=given(graph))
    assert f"eqsat.verify.verify of {wrong.name}" in str(caught.value)


@pytest.mark.parametrize("name", ["state", "elem of a nested loop", "collect", "last"])
@pytest.mark.sampled(2)
def test_debug_mode_names_a_wrong_rule_about_loops(name: str) -> None:
    wrong, graph = WRONG[name]
    values = given(graph)
    f = eqsat.function(list(values), graph, mode="DebugMode", rules=default_rules() + wrong)
    with pytest.raises(DebugModeError, match="two forms that the rules made equal differ") as caught:
        f(*values.values())
    assert f"eqsat.verify.verify of {wrong.name}" in str(caught.value)


def test_debug_mode_runs_loops() -> None:
    f = eqsat.function([a, b], [state, T.grad(state.sum(), b)], mode="DebugMode")
    g = eqsat.function([a, b], [state, T.grad(state.sum(), b)], mode="reference")
    for rows in ([0.5, -1.0], [2.0]):
        for found, wanted in zip(f(rows, 0.7), g(rows, 0.7), strict=True):
            np.testing.assert_allclose(found, wanted)


def test_the_step_at_which_forms_differ_is_told() -> None:
    wrong, graph = WRONG["state"]
    with pytest.raises(DebugModeError) as caught:
        eqsat.optimize(graph, rules=default_rules() + wrong, check=given(graph))
    assert ", at step 1 of" in str(caught.value).splitlines()[0]


def test_long_loops_are_checked_up_to_a_limit_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "MOST_VALUES", 50)
    forget_warnings()
    with pytest.warns(EqsatWarning, match="check: forms were compared up to a limit"):
        report = eqsat.optimize(state, check=given(state))
    assert "up to a limit" in report.budgets[-1]
    wrong, graph = WRONG["state"]
    with pytest.raises(DebugModeError):  # the first steps are looked at first
        eqsat.optimize(graph, rules=default_rules() + wrong, check=given(graph))
