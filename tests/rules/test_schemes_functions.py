"""Laws of functions hold for every op that declares the property, one that a test declares among them; wrong ones are caught."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import verify
from eqsat.egraph.declared_facts import known_results
from eqsat.graph.declare import OPS, elemwise, forget_op
from eqsat.graph.properties import monotone, of_parity
from eqsat.rules.rule import Rule, all_rules
from eqsat.rules.schemes import compared_functions, functions, own_bounds
from eqsat.rules.schemes.functions import ordering
from eqsat.rules.schemes.scheme import Scheme
from eqsat.verify.result import BROKEN, KEPT
from tests.rules.helpers import assert_best, optimise

x, y = T.dvectors("x", "y")
SCHEMES = [*functions.RULES, *compared_functions.RULES, *own_bounds.RULES]


@pytest.fixture
def ours() -> Iterator[Any]:
    """An increasing odd op of the user that no rule names."""
    op = elemwise(
        c="({x} + {x} * {x} * {x})",
        signature="f->f",
        name="sprung",
        monotone="increasing",
        parity="odd",
        real="x + x**3",
    )(lambda x: x + x * x * x)
    yield op
    forget_op("sprung")


def test_ops_of_the_user_obey_the_laws_of_what_they_declare(ours: Any) -> None:
    assert_best(T.max(ours(x)), ours(T.max(x)))
    assert_best(T.min(ours(x)), ours(T.min(x)))
    assert_best(T.argmax(ours(x)), T.argmax(x))
    assert optimise([T.sort(ours(x)), T.sort(x)]).ops()["sort"] == 1
    assert_best(T.maximum(ours(x), ours(y)), ours(T.maximum(x, y)))
    assert optimise([ours(-x), ours(x)]).ops()["sprung"] == 1


def test_signs_of_a_function_that_rises_follow_from_its_meaning(ours: Any) -> None:
    assert_best(abs(ours(T.sqr(x))), ours(T.sqr(x)))
    assert_best(T.maximum(ours(-T.exp(x)), 0) + x, x)
    assert known_results("log2(x)") == [(1.0, 0.0)] and known_results(None) == []


def test_a_function_that_is_never_below_its_operand() -> None:
    op = elemwise(c="({x} + {x} * {x})", signature="f->f", name="lifted", stays="above", real="x + x * x")(
        lambda x: x + x * x
    )
    try:
        assert_best(T.maximum(op(x), x), op(x))
        assert_best(T.minimum(x, op(x)) + y, x + y)
        found = [r for r in all_rules() if r.scheme == "own-bound" and "lifted" in r.name]
        assert len(found) == 4 and all(verify.verify(r) for r in found)
    finally:
        forget_op("lifted")


def test_laws_of_an_op_of_the_user_are_kept(ours: Any) -> None:
    rules = [r for s in SCHEMES for r in s.rules(OPS["sprung"])]
    assert len(rules) > 8
    for one in rules:
        found = verify.verify(one, 6, proof=False)
        assert found.verdict == KEPT, str(found)


@pytest.mark.parametrize(
    "fields",
    [{"monotone": "increasing"}, {"parity": "odd"}, {"parity": "even"}, {"stays": "below"}],
    ids=str,
)
def test_a_law_that_follows_from_a_wrong_declaration_is_broken(fields: dict[str, Any]) -> None:
    op = elemwise(c="({x} * ({x} + 1))", signature="f->f", name="bent", real="x * (x + 1)", **fields)
    op(lambda x: x * (x + 1))
    try:
        rules = [r for s in SCHEMES for r in s.rules(OPS["bent"])]
        assert rules and any(verify.verify(r, 20, proof=False, egraph=False).verdict == BROKEN for r in rules)
    finally:
        forget_op("bent")


@pytest.mark.parametrize("one", SCHEMES, ids=lambda s: s.name)
def test_a_scheme_holds_for_several_ops_and_says_its_law(one: Scheme) -> None:
    assert len(one.ops()) > 1 and one.law and all(r.scheme == one.name for r in one.every())
    assert {r.name for r in one.every()} <= {r.name for r in all_rules()}


def increasing() -> list[str]:
    """The ops of one operand that rise everywhere, by their declarations."""
    return [
        n
        for n, d in OPS.items()
        if len(d.tensors) == 1 and any(m.strict and m.rises and not m.signs for m in monotone(d))
    ]


@pytest.mark.parametrize("name", increasing())
def test_what_chooses_by_order_meets_every_increasing_function(name: str) -> None:
    """The function is applied to what is chosen, and not at all where only places are asked for."""
    f, domain = OPS[name], OPS[name].domain
    if domain[0] > 0 or domain[1] < np.inf:
        return  # no fact of the e-graph says that a vector lies in so narrow a domain
    v = x if domain[0] == -np.inf else T.abs(x)
    chosen = [d for d in ordering("values") if d.parameters.keys() == {"axes"}]
    found = optimise([d(f(v), axes=(0,)) for d in chosen])
    assert found.ops()[name] == len(chosen), str(found)
    assert found.ops() == optimise([f(d(v, axes=(0,))) for d in chosen]).ops()
    places = [
        d.bind(**({"axes": (0,)} if "axes" in d.parameters else {"axis": 0})) for d in ordering("places")
    ]
    assert name not in optimise([d(f(v)) for d in places]).ops()


def parities() -> list[tuple[str, str]]:
    """The ops of one operand that are odd or even, by their declarations."""
    return [
        (n, p)
        for n, d in OPS.items()
        for p in ("odd", "even")
        if len(d.tensors) == 1 and any(of_parity(d, p))
    ]


@pytest.mark.parametrize("name, parity", parities())
def test_signs_leave_odd_and_even_functions(name: str, parity: str) -> None:
    """With and without the sign of its operand, the function is computed once."""
    assert optimise([OPS[name](-x), OPS[name](x)]).ops()[name] <= 1, parity


def every_rule() -> list[Rule]:
    return [r for s in SCHEMES for r in s.every()]


def test_names_are_names_of_one_rule() -> None:
    names = [r.name for r in every_rule()]
    assert len(names) == len(set(names)) > 500


def test_an_operation_of_the_user_obeys_the_laws_of_what_it_declares() -> None:
    """Idempotent, with a neutral number: the larger of two, but for a number that stands for nothing."""
    op = elemwise(
        c="({x} == 0 ? {y} : {y} == 0 ? {x} : {x} > {y} ? {x} : {y})",
        signature="f,f->f",
        name="later",
        commutative=True,
        idempotent=True,
        neutral=0,
    )(lambda x, y: np.where(x == 0, y, np.where(y == 0, x, np.maximum(x, y))))
    try:
        assert_best(op(x, x), x)
        assert_best(op(x, T.zeros_like(x)), x)
        assert_best(op(op(x, y), y), op(x, y))
    finally:
        forget_op("later")


@pytest.mark.parametrize(
    "body, condition", [(lambda x: x / (1 + abs(x)), "finite(x)"), (np.arctan, "None")], ids=["NaN", "number"]
)
def test_what_is_sorted_is_finite_where_infinity_gives_no_number(body: Any, condition: str) -> None:
    op = elemwise(c="({x})", signature="f->f", name="squashed", monotone="increasing")(lambda x: body(x))
    try:
        rules = {r.name: r for r in functions.monotone_values.rules(op.declaration)}
        assert str(rules["sort-of-squashed"].when) == condition
    finally:
        forget_op("squashed")
