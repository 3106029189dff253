"""Rules are selected by what is new: the same ones come, in whatever parts a graph comes to exist."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

import eqsat.tensor as T
from eqsat.egraph.encode import encode
from eqsat.egraph.operands_seen import pairs_of
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.pattern import numbers
from eqsat.rules.rule import RuleSet, default_rules, rule
from eqsat.rules.schemes.scheme import Chosen, scheme

x, y, A, B = T.dvector("x"), T.dvector("y"), T.dmatrix("A"), T.dmatrix("B")
GRAPHS: dict[str, Any] = {
    "softmax": lambda: T.exp(A) / T.sum(T.exp(A), axis=1, keepdims=True),
    "gradient": lambda: T.grad(T.mean(T.log(1 + T.exp(-y * (A @ x)))), x),
    "parts": lambda: T.concatenate([T.sin(x)[2:], -x, y[::-1]])[1:] - T.cumsum(y),
    "matrices": lambda: T.linalg.det(A @ T.diag(x)) * T.trace(B @ A),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", GRAPHS)
def test_rules_come_once_in_whatever_parts_a_graph_comes(name: str, seed: int) -> None:
    rules = default_rules()
    encoded = encode([GRAPHS[name]()])
    needs = encoded.ops | encoded.pairs | (pairs_of(set(encoded.ops)) if seed == 3 else set())
    whole = {r.name for r in RuleSelection(rules).add(needs)}
    parts: dict[str, set[Any]] = {}  # what is said of an op comes with the op
    for need in needs:
        parts.setdefault(need if isinstance(need, str) else need[0], set()).add(need)
    order = sorted(parts)
    random.Random(seed).shuffle(order)
    selection, found = RuleSelection(rules), list[str]()
    for op in order:
        selection = selection.copy() if seed % 2 else selection
        found += [r.name for r in selection.add(parts[op])]
    assert len(found) == len(whole) and {*found} == whole == selection.given.keys()
    assert not selection.add(needs), "each is given once"


def test_a_law_of_ops_that_are_there_comes_when_it_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    z = numbers("z")

    @scheme("doubled", "f(f(x)) = f(x)", holds=lambda d: d.doc == "ours", needs=lambda op: [op])
    def doubled(d: Declaration) -> Any:
        yield rule(f"{d.name}-doubled", d(d(z)), d(z), tier="exact", cite="definition")

    selection = RuleSelection(RuleSet([Chosen(doubled)]))
    assert selection.add({"exp", ("exp", "exp")}) == []
    monkeypatch.setitem(OPS, "exp", dataclasses.replace(OPS["exp"], doc="ours"))
    assert [r.name for r in selection.add({"sin"})] == ["exp-doubled"]


def test_a_test_that_takes_long_is_put_where_the_scheme_is_woken() -> None:
    asked: list[str] = []
    z = numbers("z")

    @scheme(
        "tested",
        "f(-x) = -f(x)",
        holds=lambda d: d.name in ("exp", "sin"),
        test=lambda d: asked.append(d.name) or d.name == "sin",  # type: ignore[func-returns-value]
        needs=lambda op: [(op, "neg")],
    )
    def tested(d: Declaration) -> Any:
        yield rule(f"{d.name}-tested", d(-z), -d(z), tier="exact", cite="definition")

    selection = RuleSelection(RuleSet([Chosen(tested)]))
    assert selection.add({"exp", "sin"}) == [] and not asked
    assert [r.name for r in selection.add({"neg", ("sin", "neg"), ("exp", "neg")})] == ["sin-tested"]
    assert sorted(asked) == ["exp", "sin"] and [d.name for d in tested.ops()] == ["sin"]
