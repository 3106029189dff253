"""Laws on bits and on whole numbers: they hold of every op that declares so, and of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.declare import OPS, elemwise, forget_op
from eqsat.rules import bits
from eqsat.rules.rule import all_rules
from eqsat.verify import verify

x = T.dvector("x")
i, j = T.lvectors("i", "j")


def best(v: Any) -> Any:
    return eqsat.optimize(v).optimized[0]


@pytest.fixture
def nearest_ten() -> Iterator[None]:
    """An op of the user with whole results, which leaves no other whole number as it is."""
    elemwise(c="(10 * rint({x} / 10))", signature="f->f", name="nearest_ten", whole="made")(
        lambda x: 10 * np.rint(x / 10)
    )
    yield
    forget_op("nearest_ten")


def test_whole_numbers_are_not_rounded_again() -> None:
    for inner in (T.ceil(x), T.sgn(x), T.trunc(x)):
        assert best(T.floor(inner)).owner.op is inner.owner.op
    assert best(T.floor(x * 2.0)).owner.op.name == "floor"


def test_results_of_an_op_of_the_user_are_whole_where_it_says_so(nearest_ten: None) -> None:
    made = OPS["nearest_ten"](x)
    assert best(T.floor(made)).owner.op.name == "nearest_ten"
    assert best(OPS["nearest_ten"](T.floor(x))).owner.op.name == "nearest_ten"
    assert all_rules().find("nearest_ten-of-floor") is None
    assert verify(all_rules()["floor-of-nearest_ten"], proof=False)


def test_what_is_declared_whole_is_whole() -> None:
    points = np.array([-2.5, -1.0, -0.5, -0.0, 0.0, 0.3, 0.5, 1.5, 2.5, 7.0, 1e17, np.inf, np.nan])
    whole = [d for d in OPS.values() if d.whole]
    assert len(whole) >= 6
    for d in whole:
        with np.errstate(all="ignore"):
            found = d.meaning(points)
        assert np.array_equal(found, np.trunc(found), equal_nan=True), d.name
        if d.whole == "kept":
            with np.errstate(all="ignore"):
                assert np.array_equal(d.meaning(found), found, equal_nan=True), d.name


@pytest.mark.parametrize("law", bits.RULES, ids=lambda r: r.name)
def test_laws_of_bits_are_kept(law: eqsat.rules.Rule) -> None:
    assert verify(law, points=20, proof=False)


def test_bits_become_fewer() -> None:
    assert best(i & (i ^ j)).owner.op.name == "and" and "xor" not in str(best(i & (i ^ j)))
    assert np.array_equal(best(i ^ i).eval({i: [5, -3]}), [0, 0])
