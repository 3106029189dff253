"""Lengths by signature: for every op that rules see, and for one that is declared here."""

from __future__ import annotations

from typing import Any

import pytest

from eqsat import verify
from eqsat.graph.declare import OPS, forget_op, structural
from eqsat.rules.schemes.lengths import length
from eqsat.verify.result import KEPT


def test_every_rule_keeps_its_promise() -> None:
    rules = list(length.every())
    assert len(rules) >= 29
    assert [r.name for r in rules if verify.verify(r, 8, proof=False).verdict != KEPT] == []


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("(n,k),(k)->(n)", ["length{0}(told(x, y)) = length{0}(x) when rank(x, 2) and rank(y, 1) [exact]"]),
        ("x,x->x", ["length{_axis}(told(x, y)) = length{_axis}(x) [exact]"]),
        ("(m),(n)->(m+n-1)", []),
        ("(n,x...),(n)->(x...)", []),
    ],
)
def test_an_op_of_the_user(signature: str, said: list[str]) -> None:
    def told(x: Any, y: Any) -> Any:
        """Some of x and y."""

    structural("block", signature=signature)(told)
    try:
        assert [str(r).partition(": ")[2] for r in length.rules(OPS["told"])] == said
    finally:
        forget_op("told")
