"""Functions in which something is divided by zero, beside outputs that must keep their values; e-graphs that contradict themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import EqsatWarning
from eqsat.rules import default_rules

v, w, s = T.dvector("v"), T.dvector("w"), T.dscalar("s")
X, A = T.drow("X"), T.dmatrix("A")
POINT = {
    v: np.array([1.0, 2.0, -3.0]),
    w: np.array([3.0, 5.0, 0.5]),
    s: np.array(2.0),
    X: np.array([[1.0, -2.0]]),
    A: np.array([[1.0, 2.0], [3.0, 5.0]]),
}
none, spread = s - s, X.std(0, keepdims=True)
late = (v + w) ** 2 - v**2 - 2 * v * w - w**2
DEGENERATE: dict[str, Any] = {  # what is divided by zero, in the graph of outputs that are not
    "quotient by v - v": (v / (v - v)) * (v - v),
    "quotient of zeros": T.sum((v * 0) / 0.0),
    "chosen": T.switch(T.eq(none, 0), T.exp(s), s / none * none),
    "one row by its spread": (X / spread) * spread,
    "one row by its spread, moved": ((X - X.mean(0)) / spread * spread + X).T,
    "product over itself": (v * (w * 0)) / (w * 0),
    "zero that is found late": [v * late / late, w * late / late, T.exp(w) * late / late],
    "zeros over zeros": (A - A) / (A - A),
    "power": (v - v) ** -1 * (v - v),
    "remainder": T.mod(v, w - w) * (w - w),
    "over over": T.reciprocal(T.reciprocal(v * 0)),
    "constants": [(1 + T.constant(np.inf)) - T.constant(np.inf), v + T.constant(np.inf) - T.constant(np.inf)],
    "mean of none": v[:0].mean() * 0 + (v[:0] / 0.0).sum(),
    "sign of a root": [T.sqr(T.sqrt(v)), T.sqrt(v) * T.sqrt(v), T.softplus(T.log(v))],
}
PLAIN = [
    T.exp(v),
    T.log(1 + T.exp(w)),
    abs(v),
    T.exp(s),
    X * 2 + 1,
    T.exp(A),
    T.abs(T.log1p(v / 4)),
    v.sum(),
    T.maximum(v, w),
]


@pytest.mark.parametrize("name", DEGENERATE)
def test_outputs_beside_a_division_by_zero_keep_their_values(name: str) -> None:
    odd = DEGENERATE[name]
    outputs = [*(odd if isinstance(odd, list) else [odd]), *PLAIN]
    wanted = eqsat.function(list(POINT), outputs, mode="reference", on_unused_input="ignore")(*POINT.values())
    found = eqsat.function(list(POINT), outputs, mode="numpy", on_unused_input="ignore")(*POINT.values())
    for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
        defined = np.isfinite(other)
        np.testing.assert_allclose(
            np.where(defined, one, 0), np.where(defined, other, 0), rtol=1e-12, err_msg=str(outputs[k])
        )


@pytest.mark.parametrize("name", [n for n in DEGENERATE if "late" not in n])
def test_what_is_seen_to_be_zero_is_no_reason_to_leave_rules_out(name: str) -> None:
    odd = DEGENERATE[name]
    report = eqsat.optimize([*(odd if isinstance(odd, list) else [odd]), v * w / w])
    assert not report.budgets and report.optimized[-1] is v


# ------------------------------------------------------------------------------------ rules that contradict each other

x, y = eqsat.metavars("x y")


def planted(*pairs: tuple[Any, Any], tier: str = "extends") -> Any:
    """The default rules and some that are wrong together."""
    return default_rules() + [
        eqsat.rule(f"planted-{k}", left, right, tier=tier, cite="definition")
        for k, (left, right) in enumerate(pairs)
    ]


CONTRADICTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "an input and a number": (
        lambda: planted((T.log(1 + T.exp(x)), x), (T.log(1 + T.exp(x)), T.cos(x) * 0)),
        "an input and a number",
    ),
    "two inputs": (lambda: planted((T.erf(x * y), x), (T.erf(x * y), y)), "both an input and an input"),
    "two numbers": (
        lambda: planted((T.erf(x), T.exp(T.cos(x) * 0)), (T.erf(x), T.cos(x) * 0)),
        "both at least .* and at most 0",
    ),
    "bounds": (lambda: planted((T.erf(x), T.exp(x) + 1), (T.erf(x), -T.exp(x))), "at least .* and at most"),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_an_egraph_that_contradicts_itself_is_thrown_away(name: str) -> None:
    rules, why = CONTRADICTIONS[name]
    outputs = [T.erf(v * w), T.erf(v), T.log(1 + T.exp(v)), v * w]
    with pytest.warns(EqsatWarning, match="extends and loose, and all that divide, are left out"):
        report = eqsat.optimize(outputs, rules=rules())
    assert len(report.budgets) == 1 and re.search(why, report.budgets[0])
    wanted = eqsat.function([v, w], outputs, mode="reference")(POINT[v], POINT[w])
    found = eqsat.function([v, w], report.optimized, mode="reference")(POINT[v], POINT[w])
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert [str(o.owner.op) for o in report.optimized] == ["erf", "erf", "softplus", "mul"]


def test_rules_that_contradict_each_other_bit_by_bit_leave_the_graph_as_written() -> None:
    rules = planted((T.erf(x * y), x), (T.erf(x * y), y), tier="exact")
    with pytest.warns(EqsatWarning, match="compiled as written, without rewriting: rules make one value"):
        report = eqsat.optimize([T.erf(v * w)], rules=rules)
    assert report.fallback and str(report.optimized[0].owner.op) == "erf"


def test_no_value_is_its_own_negative() -> None:
    outputs = [T.log(-T.exp(v)) + w, T.exp(-v), -v]
    rules = planted((T.log(-T.exp(x)), x), (T.log(-T.exp(x)), -x))
    with pytest.warns(EqsatWarning, match="both some value and its negative"):
        report = eqsat.optimize(outputs, rules=rules)
    found = eqsat.function([v, w], report.optimized, mode="reference")(POINT[v], POINT[w])
    np.testing.assert_allclose(found[1], np.exp(-POINT[v]))
    np.testing.assert_allclose(found[2], -POINT[v])


def test_the_negative_of_a_multiple_of_zero_is_no_contradiction() -> None:
    zero = 0.0 * v
    for outputs in (
        [-zero, T.switch(T.eq(zero, 0), w, v / zero * zero)],
        [-(w * 0.0) / zero, -zero, T.exp(w)],
    ):
        report = eqsat.optimize(outputs)
        assert not report.fallback and not any("exact" in text for text in report.budgets), report.budgets


@pytest.mark.sweep
def test_a_multiple_of_zero_may_be_its_own_negative() -> None:
    """It is 0 or NaN; no rule has to be left out for it, as it was for log densities with second derivatives."""
    scale, x, k, n = T.dscalar("scale"), T.dvector("x"), T.dvector("k"), T.dmatrix("n")
    size, mean = T.exp(scale), T.exp(n @ x)
    cost = (
        T.gammaln(k + size) - T.gammaln(size) + size * T.log(size / (size + mean)) + k * T.log(mean)
    ).sum()
    slope = T.grad(cost, scale)
    report = eqsat.optimize([cost, slope, T.grad(slope, scale)])
    assert not any("negative" in budget for budget in report.budgets)
