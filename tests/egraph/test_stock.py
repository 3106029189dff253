"""Rules are added when the tables that they read have rows, and something reads what they write."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph import saturate as module
from eqsat.egraph.encode import encode
from eqsat.egraph.reading import Saturated
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.egraph.stock import Stock
from eqsat.rules import default_rules

SCHEMA = ["(sort T)", *(f"(relation {name} (T))" for name in ("in_a", "a", "b", "c", "d", "free"))]
LOADED = "(rule ((in_a x)) ((a x)) :ruleset load)"
PASSED = "(rule ((a x)) ((b x)) :ruleset facts)"
USED = "(rule ((b x) (= y (max x 1))) ((union x y)) :ruleset grow)"
UNREAD = "(rule ((b x)) ((c x)) :ruleset facts)"
UNFILLED = "(rule ((d x)) ((b x)) :ruleset facts)"


def stock(*rules: str) -> Stock:
    """A stock in which ``in_`` tables are filled from outside, and ``free`` is read there."""
    made = Stock(["free"], given=("in_",))
    assert made.put([*SCHEMA, *rules]) == SCHEMA
    return made


def test_a_rule_waits_for_rows() -> None:
    made = stock(LOADED, PASSED, USED)
    assert made.take() == []
    assert made.take({"in_a"}) == [LOADED]
    assert made.take({"a", "c"}) == [PASSED]
    assert made.take({"b"}) == [USED]
    assert not (made.waiting or made.unread or made.unable)


def test_a_rule_waits_for_a_reader() -> None:
    made = stock(LOADED, PASSED, UNREAD)
    assert made.take({"in_a", "a", "b"}) == []
    made.put(["(rule ((c x)) ((free x)) :ruleset facts)"])
    assert made.take() == [LOADED, PASSED, UNREAD], "in the order in which they came"
    assert len(made.take({"c"})) == 1


def test_what_can_never_be_filled_makes_nothing_needed() -> None:
    """The reader of b needs rows of d too, which nothing makes."""
    made = stock(LOADED, PASSED, "(rule ((b x) (d x)) ((union x x)) :ruleset facts)")
    assert made.take({"in_a", "a", "b"}) == []


def test_a_copy_changes_on_its_own() -> None:
    made = stock(LOADED, PASSED, USED, UNFILLED)
    assert made.copy().take({"in_a", "a"}) == [LOADED, PASSED]
    assert made.take({"a"}) == [PASSED]


def graphs() -> dict[str, Any]:
    x, y = T.matrices("x", "y")
    v = T.vector("v")
    p = T.nnet.softmax(x)
    return {
        "sums": [(x + 1) * 2 - y, T.sum(x * y, axis=0)],
        "losses": [eqsat.grad(-T.mean(T.log(p[T.arange(3), T.argmax(y, axis=1)])), x)],
        "products": [T.dot(x, T.dot(y, T.dot(x.T, v))), T.dot(x, y).T],
        "parts": [T.exp(x)[1:][:, 0], T.concatenate([v, v])[2], T.log(1 + T.exp(v))],
        "quotients": [v * (2 / v - T.sin(v)), v**2 / v],
    }


def found(roots: Any, monkeypatch: pytest.MonkeyPatch) -> Saturated:
    """The e-graph without a template from before."""
    monkeypatch.setattr(module, "_BOOKS", {})
    return saturate(encode(roots), default_rules(), Budget(20000, 100000, 30))


@pytest.mark.parametrize("name", list(graphs()))
def test_the_same_is_found_as_with_all_rules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = found(graphs()[name], monkeypatch)
    [book] = module._BOOKS[(default_rules().identity, False)]

    def everything(self: Stock, filled: Any = ()) -> list[str]:
        waiting = [self.unable, self.unread, self.waiting]
        lines = sorted((rule for rules in waiting for rule in rules), key=self.numbers.__getitem__)
        self.unable, self.unread, self.waiting = {}, {}, {}
        return lines

    monkeypatch.setattr(Stock, "take", everything)
    every = found(graphs()[name], monkeypatch)
    [full] = module._BOOKS[(default_rules().identity, False)]
    assert Counter((e.op, e.unstable) for e in few.enodes) == Counter(
        (e.op, e.unstable) for e in every.enodes
    )
    assert few.rules == every.rules and len(book.template.lines) < len(full.template.lines)
