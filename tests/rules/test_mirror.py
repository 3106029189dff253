"""Laws read in a mirror: twice mirrored they are what they were, and a wrong law has a wrong mirror."""

from __future__ import annotations

from typing import Any

import pytest

from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.facts import covers, invariant
from eqsat.rules.mirror import mirror, with_mirror
from eqsat.rules.pattern import moved, reals
from eqsat.rules.rule import all_rules, rule
from eqsat.verify import verify

x, y, s = reals("x y s")
TWINS = [
    ("dot-left", "dot-right"),
    ("row-times-column", "column-times-matrix"),
    ("diagonal-matrix-dot", "dot-diagonal-matrix"),
    ("one-hot-dot", "dot-one-hot"),
    ("two-dots-by-column", "two-dots-by-row"),
    ("unit-dot", "dot-unit"),
]


@pytest.mark.parametrize(("one", "twin"), TWINS)
def test_a_mirror_in_a_mirror_is_the_law(one: str, twin: str) -> None:
    law, other = all_rules()[one], all_rules()[twin]
    assert mirror(other.left) == law.left and mirror(other.right) == law.right
    assert mirror(law.left) == other.left and str(law) != str(other)


def test_an_op_without_a_twin_stands_between_transposes() -> None:
    assert str(all_rules()["dot-inverse"].right).count("dimshuffle{swap()}") == 3
    assert str(all_rules()["loop-row-dot-left"].right).count("dimshuffle{lift(swap())}") == 2


def test_a_wrong_law_has_a_wrong_mirror() -> None:
    laws: list[Any] = list(
        with_mirror(rule("wrong", dot_op(x * s, y), dot_op(x, y) * s, when=covers(x, (1,))), "wrong-too")
    )
    right = rule(
        "right", sum_op(x * s, axes=(1,)), sum_op(x, axes=(1,)) * s, when=invariant(s, (1,)) & covers(x, (1,))
    )
    assert not any(verify(law, points=30) for law in laws)
    assert all(verify(law, points=10) for law in with_mirror(right, "right-too"))


def test_vectors_and_lengths_change_sides() -> None:
    assert str(mirror(moved(x, "row"))) == str(moved(x, "column"))
