"""Forms that lose range are seen where no rule knows them, and none is seen in graphs that keep it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.inspect import lost_range as finder
from eqsat.inspect.lost_range import lost_range, why_not_run

x, y, a = T.dvector("x"), T.dvector("y"), T.dmatrix("a")
e, log = T.exp, T.log
f = T.fvector("f")

LOSING: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "logarithm of a sum": (lambda: log(1 + e(x)), ["log((1.0 + exp(x)))"]),
    "vanishing": (lambda: log(e(-(x**2))), ["log(exp((-(x ** 2.0))))"]),
    "single precision": (lambda: log(e(f)), ["log(exp(f))"]),
    "quotient": (lambda: e(x) / (e(x) + e(y)), ["(exp(x) / (exp(x) + exp(y)))"]),
    "product": (lambda: e(x) * e(-x), ["(exp(x) * exp((-x)))"]),
    "difference": (
        lambda: log(e(x) - e(x - 1)),
        ["(exp(x) - exp((x - 1.0)))", "log((exp(x) - exp((x - 1.0))))"],
    ),
    "root": (lambda: T.sqrt(e(x)), ["sqrt(exp(x))"]),
    "rows": (
        lambda: log(T.dot(e(a), e(x))),
        ["dot(exp(a), exp(x)[:, None])", "log((dot(exp(a), exp(x)[:, None])))"],
    ),
    "two": (lambda: [log(e(x)), log(e(a))], ["log(exp(a))", "log(exp(x))"]),
    "beside what follows": (lambda: T.tanh(log(1 + e(x)) * 2 + 1), ["log((1.0 + exp(x)))"]),
}
KEEPING: dict[str, Callable[[], Any]] = {
    "softmax": lambda: T.softmax(x),
    "shifted by hand": lambda: e(x - T.max(x)) / T.sum(e(x - T.max(x))),
    "sigmoid of huge": lambda: T.sigmoid(e(x)),
    "what has no value": lambda: log(x) + T.sqrt(x) + x / 0.0,
    "what is huge": lambda: e(x) + 1,
    "digits alone": lambda: (x + 1e20) - 1e20,
    "norm": lambda: T.sqrt(T.sum(x**2)),
    "a loop": lambda: eqsat.scan(lambda r, s: s + T.tanh(r), x, T.constant(0.0))[0],
    "whole numbers": lambda: T.lvector("i")[:2] // 3,
    "switched": lambda: T.switch(x > 0, T.log1p(abs(x)), e(-abs(x))),
}


def several(outputs: Any) -> list[Any]:
    return outputs if isinstance(outputs, list) else [outputs]


@pytest.mark.parametrize("name", LOSING)
def test_what_loses_range_is_seen(name: str) -> None:
    made, wanted = LOSING[name]
    found = lost_range(several(made()))
    assert sorted(form.text.replace("squeeze", "") for form in found) == wanted
    assert all(
        "where the value is" in f.why and f.made_at and "test_lost_range.py:" in f.made_at for f in found
    )


@pytest.mark.parametrize("name", KEEPING)
def test_what_keeps_range_is_not_named(name: str) -> None:
    assert lost_range(several(KEEPING[name]())) == []


def test_a_report_names_what_is_left_and_no_more() -> None:
    loss = T.sum(log(1 + e(x)) ** 2)
    exact, default = eqsat.optimize(loss, rules="exact"), eqsat.optimize(loss)
    assert [form.text for form in exact.unstable] == ["log((1.0 + exp(x)))"] and default.unstable == []
    text = str(exact)
    assert (
        "range   1 unstable form can lose range or digits, and no rule that knows stable forms was asked for:"
        in text
    )
    assert "no graph without known unstable forms in the e-graph is below" in text
    page = exact.html()
    assert "Unstable forms left: 1" in page and "overflows" in page and "test_lost_range.py" in page
    assert "range " not in str(default) and "Unstable forms left" not in default.html()


def test_a_cost_that_rises_for_stability_is_said() -> None:
    risen = eqsat.optimize(log(T.sum(e(a), axis=1)))
    assert risen.cost_after > risen.cost_before and risen.unstable_after == 0
    assert "all replaced; the cost rises, since fewer unstable forms come before fewer seconds" in str(risen)
    assert "the cost rises" in risen.html()
    fallen = eqsat.optimize(log(1 + e(x)))
    assert fallen.cost_after < fallen.cost_before and "the cost rises" not in str(fallen)


def test_a_graph_that_is_not_run_is_said_not_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "LARGEST", 2)
    report = eqsat.optimize(T.tanh(x) * e(y) + 1)
    assert why_not_run(report.optimized).endswith("ops are more than 2")
    assert "range   whether forms lose range is not known: " in str(report)
    assert lost_range(report.optimized) == []


def test_ops_that_may_do_more_than_compute_are_not_run() -> None:
    class Loud(eqsat.graph.Op):
        __props__ = ()

        def make_node(self, v: Any) -> Any:
            return eqsat.graph.Apply(self, [v], [v.type()])

        def perform(self, node: Any, inputs: Any, storage: Any) -> None:
            raise AssertionError("it was run")

    assert "may do more than compute" in why_not_run([Loud()(x)])
    assert lost_range([Loud()(x)]) == []
