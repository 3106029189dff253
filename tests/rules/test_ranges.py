"""A right side may not lie outside what is declared of the left where the left is no number: facts are of the class."""

from __future__ import annotations

from typing import Any

import pytest

from eqsat.graph.ops.elemwise import abs, exp, ge, log, log1p, sigmoid, sin, softplus, sqr, sqrt, switch
from eqsat.graph.ops.trigonometry import arcsin
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule
from eqsat.verify import find_failures
from eqsat.verify.ranges import declared_range

x, y = reals("x y")
inf, nan = float("inf"), float("nan")


@pytest.mark.parametrize(
    "left, right, low",
    [
        (sqr(sqrt(x)), x, 0),
        (sqrt(x) * sqrt(x), x, 0),
        (exp(log(x)), x, 0),
        (softplus(log(x)), log1p(x), 0),
        (sin(arcsin(x)), x, -1),
    ],
    ids=str,
)
def test_rules_that_would_put_a_bound_on_an_input_are_refused(left: Any, right: Any, low: float) -> None:
    assert declared_range(left)[0] == low
    (first, *_) = find_failures(rule("leaves", left, right, tier="extends", cite="definition"), guarded=True)
    assert "lies outside" in first.why and "the left side is no number" in first.why


def test_the_same_with_a_choice_is_kept() -> None:
    good = rule("chosen", sqr(sqrt(x)), switch(ge(x, 0), x, nan), cite="definition")
    assert not find_failures(good, guarded=True)


@pytest.mark.parametrize(
    "pattern, wanted",
    [
        (exp(x) * abs(y), (0.0, inf)),
        (exp(x) * y, (-inf, inf)),
        (sigmoid(x), (0.0, 1.0)),
        (sqrt(x) / exp(y), (-inf, inf)),  # exp may be 0
    ],
    ids=str,
)
def test_ranges_follow_from_declarations(pattern: Any, wanted: Any) -> None:
    assert declared_range(pattern) == wanted
