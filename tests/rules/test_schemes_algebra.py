"""Laws of groups, powers, sums, comparisons and stable forms hold for every op that declares the property; wrong ones are caught."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat.rules
import eqsat.tensor as T
from eqsat import verify
from eqsat.errors import DeclarationError
from eqsat.graph.declare import OPS, elemwise, forget_op, structural
from eqsat.graph.ops.reduce import AXES
from eqsat.rules.rule import Rule
from eqsat.rules.schemes import comparisons, distribution, groups, operations, powers, stable
from eqsat.rules.schemes.scheme import Scheme
from eqsat.verify.result import BROKEN, KEPT
from tests.rules.helpers import assert_best, optimise

x, y, z = T.dvectors("x", "y", "z")
SCHEMES = [s for m in (groups, powers, distribution, comparisons, stable) for s in m.RULES]
MOST_WRITTEN = 400


def written_calls() -> int:
    """The calls of ``rule`` in the folder of rules."""
    folder = Path(eqsat.rules.__file__).parent
    trees = [ast.parse(path.read_text()) for path in folder.rglob("*.py")]
    calls = (n.func for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call))
    return sum(getattr(f, "id", getattr(f, "attr", "")) == "rule" for f in calls)


def test_rules_become_no_more() -> None:
    assert 100 < written_calls() <= MOST_WRITTEN


@pytest.fixture
def declared() -> Iterator[Any]:
    """Declares elementwise ops of the user for one test."""
    names: list[str] = []

    def declare(name: str, signature: str, meaning: Any, **fields: Any) -> Any:
        names.append(name)
        tensors = meaning.__code__.co_varnames[: meaning.__code__.co_argcount]
        text = "(" + " + ".join(f"{{{t}}}" for t in tensors) + ")"
        return elemwise(c=text, signature=signature, name=name, **fields)(meaning)

    yield declare
    for name in names:
        forget_op(name)


def laws(name: str) -> list[Rule]:
    """The rules of the schemes that have an op in them."""
    return [r for s in [*SCHEMES, *operations.RULES] for r in s.every() if name in f"{r.left} {r.right}"]


def assert_kept(name: str, least: int) -> None:
    rules = laws(name)
    assert len(rules) >= least, [r.name for r in rules]
    for one in rules:
        found = verify.verify(one, 6, proof=False)
        assert found.verdict == KEPT, str(found)


@pytest.mark.parametrize("one", SCHEMES, ids=lambda s: s.name)
def test_a_scheme_holds_for_several_ops_and_says_its_law(one: Scheme) -> None:
    rules = list(one.every())
    assert len(rules) > 1 and one.law and all(r.scheme == one.name for r in rules)
    assert all(one.named(r.name) == r for r in rules)


def test_a_group_of_the_user(declared: Any) -> None:
    """x + y + 1 with the neutral number -1."""
    unmerge = declared("unmerge", "f,f->f", lambda x, y: x - y - 1)
    opposite = declared("opposite", "f->f", lambda x: -2 - x)
    merge = declared(
        "merge",
        "f,f->f",
        lambda x, y: x + y + 1,
        neutral=-1,
        inverse="unmerge",
        inverse_element="opposite",
        commutative=True,
    )
    assert_best(unmerge(merge(x, y), y), x)
    assert_best(merge(unmerge(x, y), y), x)
    assert "unmerge" not in optimise(unmerge(x, x)).ops()
    assert_best(unmerge(-1.0, x), opposite(x))
    assert_best(merge(x, opposite(y)), unmerge(x, y))
    assert_best(opposite(unmerge(x, y)), unmerge(y, x))


@pytest.mark.sweep
def test_a_power_of_the_user(declared: Any) -> None:
    cube = declared("cube", "f->f", lambda x: x * x * x, power=3, real="x**3")
    found = optimise([T.pow(x, 3), cube(x)])
    assert found.ops() == optimise([cube(x)]).ops()
    assert_best(cube(x) / x, T.sqr(x))
    assert_best(T.log(cube(T.exp(x))), x * 3)
    assert_kept("cube", 12)


def test_what_is_additive_for_the_user(declared: Any) -> None:
    twice = declared("weighted", "f,f->f", lambda x, y: x * y * 2, additive="x", real="2 * x * y")
    assert_best(twice(x, z) + twice(y, z), twice(x + y, z))
    assert_best(twice(x, z) - twice(y, z), twice(x - y, z))
    assert_kept("weighted", 4)


def test_a_comparison_of_the_user(declared: Any) -> None:
    """Below or above, and no NaN: no other comparison says so."""
    apart = declared(
        "apart", "t,t->?", lambda x, y: (x < y) | (x > y), compares=True, commutative=True, image=(0.0, 1.0)
    )
    assert_best(T.or_(T.lt(x, y), T.lt(y, x)), apart(x, y))
    assert_best(T.and_(T.neq(x, y), apart(x, y)), apart(x, y))
    assert "apart" not in optimise(apart(x, x)).ops()
    assert_kept("apart", 5)


def test_a_stable_form_of_the_user(declared: Any) -> None:
    exp2m1 = declared(
        "exp2m1", "f->f", lambda x: np.expm1(x * np.log(2.0)), shifted="exp2(x) - 1", real="2**x - 1"
    )
    assert_best(T.exp2(x) - 1, exp2m1(x))
    assert_best(1 - T.exp2(x), -exp2m1(x))
    assert_best(exp2m1(x) + 1, T.exp2(x))


def test_other_ways_to_write_an_op_of_the_user(declared: Any) -> None:
    bell = declared(
        "bell",
        "f->f",
        lambda x: np.exp(-x) / (1 + np.exp(-x)),
        unstable=lambda x: {"bell-from-exp": T.exp(-x) / (1 + T.exp(-x))},
        spelled=lambda x: {"bell-from-softplus": T.exp(-T.softplus(x))},
    )
    assert_best(T.exp(-x) / (1 + T.exp(-x)), bell(x), by="bell-from-exp")
    assert_best(T.exp(x) / (1 + T.exp(x)), bell(-x), by="bell-from-exp-reflected")
    assert optimise([T.exp(-T.softplus(x)), bell(x)]).ops() == optimise([bell(x)]).ops()


def test_a_complement_and_a_logarithm_of_the_user(declared: Any) -> None:
    share = declared("share", "f->f", lambda x: 1 / (1 + np.exp(-2 * x)), complement="1 - share(-x)")
    log_share = declared("log_share", "f->f", lambda x: -np.logaddexp(0, -2 * x), logarithm_of="share")
    assert_best(1 - share(x), share(-x))
    assert_best(share(x) - 1, -share(-x))
    assert_best(T.log(share(x)), log_share(x))
    assert_best(T.log1p(-share(x)), log_share(-x))


def test_what_a_translation_does_to_an_op_of_the_user() -> None:
    """The span of a row does not change with its mean."""
    rows = T.dmatrix("rows")
    made = structural(
        "block",
        name="span",
        signature="x->x[axes:=1]",
        dtypes="f->f",
        parameters={"axes": AXES},
        translated="unchanged",
    )
    span = made(lambda x, *, axes: np.ptp(x, axis=axes, keepdims=True))
    try:
        m = T.max(rows, axis=1, keepdims=True)
        assert_best(span(rows - m, axes=(1,)), span(rows, axes=(1,)))
        assert_best(span(rows + m, axes=(1,)), span(rows, axes=(1,)))
    finally:
        forget_op("span")


@pytest.mark.parametrize(
    "fields",
    [{"complement": "1 - bent(-x)"}, {"shifted": "exp(x) - 1"}, {"power": 3.0}, {"logarithm_of": "cosh"}],
    ids=str,
)
def test_a_law_that_follows_from_a_wrong_declaration_is_broken(declared: Any, fields: dict[str, Any]) -> None:
    declared("bent", "f->f", lambda x: x * (x + 1), **fields)
    assert any(verify.verify(r, 20, proof=False, egraph=False).verdict == BROKEN for r in laws("bent"))


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"shifted": "exp of x"}, "does not say which op this one shifts"),
        ({"complement": "sigmoid"}, "does not say what the op is a number less of"),
        ({"translated": "away"}, "translated is 'away'"),
    ],
)
def test_a_declaration_that_cannot_be_read(declared: Any, fields: dict[str, Any], text: str) -> None:
    with pytest.raises(DeclarationError, match=text):
        declared("vague", "f->f", lambda x: x, **fields)
    assert "vague" not in OPS
