"""Conditions of rules that users write: joined by ``|``, after ``~``, and comparisons of two terms."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import conditions
from eqsat.errors import RuleError
from eqsat.rules.rule import Rule
from eqsat.verify import verify

a, b = eqsat.metavars("a b")
c = eqsat.metaconstants("c")
u, v = T.dvectors("u", "v")
UP, DOWN = T.assume(u, "positive"), T.assume(v, "negative")


def made(when: Any, left: Any = None, right: Any = None, **options: Any) -> Rule:
    """A rule with a condition, by itself that the root of a square is its operand's size."""
    left, right = (T.sqrt(a * a), a) if left is None else (left, right)
    return eqsat.rule("mine", left, right, when=when, **options)


def applies(rule: Rule, graph: Any) -> bool:
    """True where the rule alone changes a graph."""
    return "mine" in eqsat.optimize(graph, rules=[rule]).rules


SQUARE = (abs(a) * a, T.sqr(a) * T.sign(a))


@pytest.mark.parametrize(
    ("when", "text", "fitting", "others"),
    [
        (
            (a > 0) | (a < 0),
            "(positive(a) or negative(a))",
            [abs(UP) * UP, abs(DOWN) * DOWN],
            [abs(u) * u, abs(UP + DOWN) * (UP + DOWN)],
        ),
        (
            conditions.finite(a) & ((a >= 1) | (a <= -1)),
            "finite(a) and (not_below(a, 1.0) or not_above(a, -1.0))",
            [abs(T.assume(w, "finite")) * w for w in [T.exp(UP) + 1, -1 - T.exp(UP)]],
            [abs(T.exp(UP) + 1) * (T.exp(UP) + 1)],
        ),
        (~(a <= 0), "positive(a)", [abs(UP) * UP], [abs(DOWN) * DOWN, abs(u) * u]),
        (
            ~((a <= 0) & (a >= 0)),
            "(positive(a) or negative(a))",
            [abs(UP) * UP, abs(DOWN) * DOWN],
            [abs(u) * u],
        ),
        (~~(a > 0), "positive(a)", [abs(UP) * UP], [abs(u) * u]),
        (a > 2, "exceeds(a, 2.0)", [abs(UP + 3) * (UP + 3)], [abs(UP + 2) * (UP + 2)]),
        (-1 > a, "falls_below(a, -1.0)", [abs(DOWN - 2) * (DOWN - 2)], [abs(DOWN - 1) * (DOWN - 1)]),
        ((a > 0) | ((a < 0) | conditions.one_element(a)), None, [abs(DOWN) * DOWN], [abs(u) * u]),
    ],
)
def test_one_of_several_is_enough(when: Any, text: str | None, fitting: list[Any], others: list[Any]) -> None:
    rule = made(when, *SQUARE)
    assert text is None or str(rule.when) == text
    assert [applies(rule, g) for g in fitting] == [True] * len(fitting)
    assert [applies(rule, g) for g in others] == [False] * len(others)


def test_terms_are_compared() -> None:
    rule = made(a + b >= 0, abs(a + b), a + b, tier="exact")
    assert applies(rule, abs(T.exp(u) + T.exp(v))) and not applies(rule, abs(T.exp(u) + v))
    above = made(T.exp(a) > b, T.maximum(T.exp(a), b), T.exp(a))
    assert applies(above, T.maximum(T.exp(u), DOWN)) and not applies(above, T.maximum(T.exp(u), v))
    # the term need not be in the graph
    unseen = made(T.exp(a) + 1 > 0, T.expm1(a), T.exp(a) - 1, tier="loose")
    assert applies(unseen, T.expm1(u))


def test_verify_draws_points_of_every_choice() -> None:
    assert verify(made((a >= 0) | (conditions.finite(a) & (a >= 1)))).verdict == "kept"
    assert verify(made((a >= 0) | (a < 0))).verdict == "BROKEN"
    assert verify(made(a + b >= 0, abs(a + b), a + b)).verdict == "kept"
    assert verify(made(a - b >= 0, abs(a + b), a + b, tier="exact")).verdict == "BROKEN"


def test_verify_finds_points_between_two_tensors() -> None:
    for when in (a >= b, a > b, b < a, b <= a):
        assert verify(made(when & conditions.finite(b), T.maximum(a, b), a, tier="exact")).verdict == "kept"
        assert verify(made(when, T.maximum(a, b), a, tier="exact")).verdict == "BROKEN"  # b may be NaN
    assert verify(made(a > 2, T.maximum(a, 2.0), a, tier="exact")).verdict == "kept"
    assert verify(made(a < 2, T.maximum(a, 1.0), a, tier="exact")).verdict == "BROKEN"


def test_a_metaconstant_is_compared_with_a_number() -> None:
    for when, fitting, other in ((c >= 2, 2.0, 1.5), (c > 2, 2.5, 2.0), (~(c > 2), 2.0, 2.5)):
        rule = eqsat.rule("mine", T.sin(a * c), T.cos(a * c), when=when, tier="loose")
        assert applies(rule, T.sin(u * fitting)) and not applies(rule, T.sin(u * other))


def test_reports_and_explanations_name_the_rule_once() -> None:
    rule = made((a > 0) | (a < 0), *SQUARE)
    report = eqsat.optimize([abs(UP) * UP, abs(DOWN) * DOWN], rules=[rule])
    assert report.rules["mine"] == 2
    unknown = eqsat.optimize(abs(u) * u, rules=[rule])
    assert "(positive(a) or negative(a)) is not known there" in str(unknown.why_not("mine"))


@pytest.mark.parametrize(
    ("when", "message"),
    [
        (lambda: ~conditions.finite(a), "never knows that finite"),
        (lambda: T.exp(a), "cannot tell whether this comparison holds"),
        (lambda: ~T.isnan(a), "the opposite of isnan"),
        (lambda: (a > 0) | (eqsat.metavars("q") > 0), "does not bind q"),
    ],
)
def test_what_cannot_be_known_is_refused(when: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        made(when())
