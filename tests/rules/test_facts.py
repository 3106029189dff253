"""Conditions are declared once: names, texts, meanings and makers fit together, and become text in order."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph.compile_rule import PLACE, RuleText, rule_texts
from eqsat.egraph.infix import atoms
from eqsat.egraph.packed import LONE, NDIM
from eqsat.errors import DeclarationError, RuleError
from eqsat.graph.ops.elemwise import exp, log
from eqsat.rules import facts
from eqsat.rules.condition import EITHER, Condition
from eqsat.rules.facts import FACTS
from eqsat.rules.pattern import parameters, reals, value
from eqsat.rules.rule import RuleSet, default_rules, rule
from eqsat.verify import breaks_outside, verify
from eqsat.verify.points import holds
from eqsat.verify.sides import Point

x, y = reals("x y")
s, t = parameters("s t")
PLAIN = rule("plain", log(exp(x)), x, cite="definition")


@pytest.mark.parametrize("name", sorted(FACTS.keys() - {EITHER}))  # which | makes
def test_text_and_maker_take_the_operands_of_the_meaning(name: str) -> None:
    fact = FACTS[name]
    operands = tuple("abc"[: fact.holds.__code__.co_argcount])
    text = " ".join(atoms(fact.text))
    assert {operand for _, operand in PLACE.findall(text)} <= {*operands, "first"}
    assert "{" not in PLACE.sub("", text) and text.count("(") == text.count(")")
    maker = getattr(facts, name)
    assert maker(*operands).facts == ((name, operands),)
    assert re.fullmatch(r"\S.*\.", maker.__doc__)
    with pytest.raises(RuleError, match=f"{name} is said of"):
        maker(*operands, x)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (x >= 0, "(= ?_lo_x (lo ?x)) (>= ?_lo_x 0.0)"),
        (facts.uniform(x), "(= ?_cval_x (cval ?x))"),
        (
            facts.single(x),
            f"(= ?_cval_x (cval ?x)) (= ?_info_x (info ?x)) (= {LONE} (& {LONE} ?_info_x))",
        ),
        (
            facts.congruent(x, y),
            "(= ?_rows_x (rows ?x)) (= ?_rows_y (rows ?y)) (= ?_rows_x ?_rows_y)"
            " (= ?_columns_x (columns ?x)) (= ?_columns_y (columns ?y)) (= ?_columns_x ?_columns_y)",
        ),
        (
            facts.above(value(x) * value(y), 2),
            "(= ?_cval_x (cval ?x)) (= ?_cval_y (cval ?y)) (= ?_v1 (* ?_cval_x ?_cval_y)) (> ?_v1 2.0)",
        ),
        (facts.rank(x, 2), f"(= ?_info_x (info ?x)) (= ?_ndim_x (& (>> ?_info_x {NDIM}) 63)) (= 2 ?_ndim_x)"),
        (facts.disjoint(s | t, (0, 2)), "(= 0 (& (| ?s ?t) 5))"),
    ],
    ids=str,
)
def test_text_of_a_condition(condition: Condition, text: str) -> None:
    made = RuleText(PLAIN)
    for name, args in condition.facts:
        made.condition(name, args)
    assert " ".join(made.body) == text


@pytest.mark.parametrize(
    ("condition", "true"),
    [(facts.disjoint(s | t, (1,)), True), (facts.disjoint((0, 1), s), False)],
    ids=str,
)
def test_sets_of_axes_may_be_joined_or_given(condition: Condition, true: bool) -> None:
    point = Point({}, {"s": (0,), "t": (2,)})
    assert holds(replace(PLAIN, when=condition), point) is true


@pytest.mark.parametrize(
    ("fact", "operand", "text"),
    [
        ("bogus", x, "unknown condition 'bogus'"),
        ("whole", x, "unknown condition 'whole'"),
        ("finite", value(x), "unknown condition 'finite' on a number"),
    ],
)
def test_unknown_conditions_are_refused(fact: str, operand: object, text: str) -> None:
    wrong = rule("wrong", log(exp(x)), x, when=Condition(((fact, (operand,)),)), cite="definition")
    with pytest.raises(RuleError) as caught:
        rule_texts(wrong)
    assert caught.value.message == f"rule wrong: {text}"


TEXTS = {
    "lo(a) > 1": "1 beside a float, which is 1.0,",
    "0.0 < 2 * hi(a)": "2 beside a float, which is 2.0,",
    "low(a) > 1.0": "low cannot stand there",
    "lo(b) > 1.0": "b cannot stand there",
    "lo(a) >": "such as lo(a) > 0.0",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_the_e_graph_could_not_ask_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match=r"^fact over_one: ") as caught:
        facts.fact("over_one", text, lambda x: bool(x > 1), "x > 1")
    assert TEXTS[text] in str(caught.value) and "over_one" not in FACTS


def test_lengths_are_equal_where_types_or_ops_say_so() -> None:
    x, y = eqsat.metavars("x y", ndim=1)
    when = eqsat.conditions.equal_lengths(x, y, 0)
    law = eqsat.rule("sums", T.sum(x) + T.sum(y), T.sum(x + y), when=when, tier="loose")
    assert verify(law) and breaks_outside(law)

    rules = RuleSet([law, *default_rules().schemes])

    def shown(a: Any, b: Any, seen: Any = 0.0) -> bool:
        return bool(eqsat.equal(T.sum(a) + T.sum(b) + seen, T.sum(a + b) + seen, rules))

    a, b = T.dvectors("a", "b")
    assert not shown(a, T.tanh(b)) and shown(a, T.tanh(a))
    assert shown(*(T.tensor("float64", shape=(3,)) for _ in "ab"))
    assert not shown(*(T.tensor("float64", shape=(n,)) for n in (1, 3)))
    with pytest.raises(RuleError, match="-1 is no axis"):
        eqsat.conditions.equal_lengths(x, y, -1)


def test_a_condition_counts_its_operands() -> None:
    with pytest.raises(RuleError, match="covers is said of x, axes, not of 1 operands: x"):
        facts.covers(reals("x"))


def test_what_is_no_condition_or_no_term_names_the_rule() -> None:
    x = reals("x")
    with pytest.raises(RuleError, match="rule mine: when is 'positive', no condition"):
        rule("mine", log(exp(x)), x, when="positive")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match=r"rule mine: exp\(1\) cannot stand in a rule") as caught:
        rule("mine", log(exp(x)), exp(1))
    assert "test_facts.py:" in str(caught.value) and "rounded=True" in str(caught.value)


@pytest.mark.parametrize("number", [-1, -1.0, np.int64(-1), np.float32(-1)], ids=repr)
def test_a_number_that_a_fact_compares_with_floats_becomes_one(number: float) -> None:
    either = facts.not_below(x, number) | facts.not_above(x, number)
    made = rule("mine", log(exp(x)), x, when=either & facts.not_below(x, number))
    assert [type(args[1]) for _, args in made.when.every()] == [float] * 3
    assert all("(>= ?_lo_x -1.0)" in text for text in rule_texts(made))
    assert type(rule("mine", log(exp(x)), x, when=facts.rank(x, np.int64(2))).when.facts[0][1][1]) is int


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (facts.rank(x, 2.5), "rank is said of ndim, which is a whole number, not of 2.5"),
        (facts.not_below(x, y), "not_below is said of v, which is a number, not of y"),
        (facts.not_below(x, True), "not_below is said of v, which is a number, not of True"),
        (facts.at_least(x, 3), "at_least is said of y, which is a metavariable, not of 3"),
        (facts.finite(x) | facts.positive(1), "positive is said of x, which is a metavariable, not of 1"),
    ],
    ids=str,
)
def test_an_operand_that_the_e_graph_does_not_take_is_refused(condition: Condition, text: str) -> None:
    with pytest.raises(RuleError) as caught:
        rule("mine", log(exp(x)) + y, x + y, when=condition)
    assert caught.value.message == f"rule mine: {text}"
