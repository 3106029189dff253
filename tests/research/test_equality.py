"""equal(a, b): what rules show, what they do not, limits, steps, and sides that can never be equal."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.research.question import Question

x, y = T.dvectors("x", "y")


def test_two_forms_are_equal_and_the_steps_say_why() -> None:
    found = eqsat.equal(T.log(T.exp(x) * T.exp(y)), y + x)
    assert found and found.verdict == "equal" and found.limit == ""
    why = found.explain()
    assert {"log-exp"} < {r.name for r in why.rules} and len(why.rules) == 2 and why.smallest and why.checked
    assert str(found).startswith("log((exp(x) * exp(y))) and (y + x): equal\n")


def test_one_graph_is_equal_to_itself() -> None:
    assert eqsat.equal(x + y, x + y) and eqsat.equal(x, x, rules="exact")


def test_what_is_not_equal_is_not_shown() -> None:
    found = eqsat.equal(x + y, x - y)
    assert not found and found.verdict == "not shown" and "all rules have run" in str(found)
    with pytest.raises(ArgumentError, match="explain: there are no steps, since the answer is 'not shown'"):
        found.explain()


def test_fewer_rules_show_less() -> None:
    assert eqsat.equal(T.log(T.exp(x)), x)
    assert not eqsat.equal(T.log(T.exp(x)), x, rules="-log-exp")
    assert not eqsat.equal(T.log(T.exp(x)), x, rules="exact")


def test_a_limit_is_no_answer() -> None:
    found = eqsat.equal(T.log(T.exp(x) * T.exp(y)), y + x + 1.0, seconds=0.0)
    assert not found and found.verdict == "a limit was met"
    assert "the limit of seconds: more may show it" in str(found)


def test_loops_and_products_are_compared_too() -> None:
    a, b = T.dmatrices("a", "b")
    assert eqsat.equal(T.dot(a, b).T, T.dot(b.T, a.T))
    first, _ = eqsat.scan(lambda v: T.exp(-v), sequences=[x])
    second, _ = eqsat.scan(lambda v: T.exp(0 - v), sequences=[x])
    assert eqsat.equal(first, second)


def test_sides_of_two_types_are_refused() -> None:
    with pytest.raises(ArgumentError, match="equal: the sides have two types") as error:
        eqsat.equal(x, T.fvector("v"))
    assert error.value.needs == "sides of one dtype and one number of axes"
    with pytest.raises(ArgumentError, match=r"equal: 1\.0 is not a variable"):
        eqsat.equal(x, 1.0)


def test_what_is_known_of_inputs_is_stated() -> None:
    asked = Question.between(abs(x), x, None, None, 5.0)
    assert not asked.answered(asked.encoded())[1]
    for fact in ("nonneg", "positive"):
        told = Question.between(abs(x), x, None, None, 5.0, known=((fact, (x,)),))
        assert told.answered(told.encoded())[1]
    other = Question.between(abs(x), x, None, None, 5.0, known=(("nonneg", (y,)),))
    assert not other.answered(other.encoded())[1]


def test_the_answer_agrees_with_values() -> None:
    rng = np.random.default_rng(0)
    pairs = [(T.sqr(-x), x * x), (T.exp(x - y), T.exp(x) / T.exp(y)), (x * y - y, y), (abs(x), x)]
    for left, right in pairs:
        values = rng.normal(size=4), rng.normal(size=4)
        first, second = eqsat.function([x, y], [left, right], mode="reference", on_unused_input="ignore")(
            *values
        )
        assert np.allclose(first, second) == bool(eqsat.equal(left, right))
