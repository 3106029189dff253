"""Every rewrite that a report lists can be shown by its name and switched off by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import RuleError
from eqsat.graph.declare import elemwise, forget_op
from eqsat.pipeline.modes import get_mode
from eqsat.rules import default_rules
from eqsat.rules.rule import RuleSet, rule, select_rules
from eqsat.rules.standing import standing_rules
from eqsat.verify.egraph_trial import joins
from eqsat.verify.promises import find_failures

A, B = T.dmatrices("A", "B")
i, j, k = T.lvectors("i", "j", "k")
p, q = T.TensorType("bool", (None,))("p"), T.TensorType("bool", (None,))("q")


def _chain() -> Any:
    found = A
    for _ in range(8):
        found = T.dot(found, B.T)
    return found


def _loop() -> Any:
    states, _ = eqsat.scan(lambda r, h: T.tanh(T.dot(r, B) + h), A, T.zeros((4,)))
    return [states[-1], T.grad(states.sum(), B)]


GRAPHS: dict[str, Callable[[], Any]] = {
    "products": lambda: T.exp(A) * B + B * T.exp(A),
    "integers": lambda: [i + j + k, k + (j + i), (i * j) * k, T.maximum(i, j) - T.maximum(j, i)],
    "bits and bools": lambda: [(i & j) & k, k & (j & i), (p | q) ^ (q | p)],
    "comparisons": lambda: [T.eq(A, B), T.eq(B, A), T.neq(i, j)],
    "a chain": lambda: [_chain(), _chain().T],
    "a loop": _loop,
    "indices": lambda: T.concatenate([A, B])[2:][::-1][0] + A.T.reshape((-1,))[0],
    "linear algebra": lambda: T.linalg.inv(A @ B) @ A.T @ (B @ A.T),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_what_a_report_lists_is_a_rule(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = eqsat.optimize(GRAPHS[name]())
    assert report.rules
    for listed in report.rules:
        assert report.settings is not None and report.settings.rules[listed].name == listed
    own = [r.name for r in standing_rules() if r.name in report.rules][:3] + ["dot-chain"]
    assert main(["rules", "show", *own, "--points", "1"]) == 0
    text = capsys.readouterr().out
    assert all(f"{shown}\n  left " in text for shown in own)


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_switched_off_does_not_run(name: str) -> None:
    outputs = GRAPHS[name]()
    ours = {r.name for r in standing_rules()} | {"dot-chain"}
    listed = sorted(ours & eqsat.optimize(outputs).rules.keys())
    assert listed or name in ("indices", "linear algebra")
    found = eqsat.optimize(outputs, rules=",".join(f"-{n}" for n in listed))
    assert not found.rules.keys() & set(listed)
    explained = eqsat.optimize(outputs, rules=default_rules() - listed)
    assert not explained.rules.keys() & set(listed)


def test_what_is_off_changes_what_is_found() -> None:
    graph = T.exp(A) * B - B * T.exp(A)
    assert eqsat.optimize(graph).nodes_after < eqsat.optimize(graph, rules="-commute-mul").nodes_after
    sums = [(i + j) + k, i + (j + k)]
    assert (
        eqsat.optimize(sums).nodes_after == 2 and eqsat.optimize(sums, rules="-regroup-add").nodes_after == 4
    )
    f = eqsat.function([i, j, k], sums, rules="-regroup-add,-commute-add", mode="numpy")
    assert np.array_equal(f([1], [2], [3]), [[6], [6]])


def test_sets_keep_what_is_off() -> None:
    without = default_rules() - "commute-mul"
    assert without != default_rules() and hash(without) != hash(default_rules())
    assert without.key() != default_rules().key() and len(without) == len(default_rules())
    for other in (
        without.tiers("exact"),
        without + [],
        without - "switch-same",
        without.where(lambda r: True),
    ):
        assert other.off == {"commute-mul"}
    with pytest.raises(RuleError, match="no rule named 'commute-mul'"):
        without["commute-mul"]
    assert (
        select_rules("-commute-mul,commute-mul") == default_rules() == select_rules([without, "commute-mul"])
    )
    assert select_rules("commute-mul") == RuleSet([])
    assert get_mode("FAST_RUN").excluding("commute-mul").rules == "default,-commute-mul"


def test_why_not_knows_them() -> None:
    report = eqsat.optimize(T.exp(A) * B)
    assert report.why_not("commute-mul").startswith("commute-mul matched ")
    assert "did not match" in report.why_not("commute-maximum")
    off = eqsat.optimize(T.exp(A) * B, rules="-commute-mul")
    assert "is not among the rules of the report" in off.why_not("commute-mul")


def test_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--tag", "declared"]) == 0
    text = capsys.readouterr().out
    assert all(r.name in text for r in standing_rules())
    with pytest.raises(RuleError) as error:
        select_rules("-commute-mull")
    assert str(error.value).endswith("try    commute-mul")


@pytest.mark.parametrize("one", standing_rules(), ids=lambda r: r.name)
def test_they_keep_their_promise(one: Any) -> None:
    assert find_failures(one, 30) == [] and one.made_at.partition(":")[0].endswith(".py")
    assert one.multiset or joins(one)


def test_they_can_be_verified_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "commute-maximum,regroup-add", "--points", "20", "-n", "1"]) == 0
    assert "commute-maximum" in capsys.readouterr().out


def test_ops_of_users_bring_them() -> None:
    @elemwise(c="({x} + {y} + {x} * {y})", signature="t,t->t", commutative=True, associative=True)
    def join_rates(x: Any, y: Any) -> Any:
        return x + y + x * y

    try:
        report = eqsat.optimize([join_rates(A, B), join_rates(B, A)])
        assert report.nodes_after == 1 and "commute-join_rates" in report.rules
        assert str(report.settings.rules["commute-join_rates"]).startswith(
            "commute-join_rates: join_rates(x, y)"
        )
        assert (
            eqsat.optimize([join_rates(A, B), join_rates(B, A)], rules="-commute-join_rates").nodes_after == 2
        )
    finally:
        forget_op("join_rates")


def test_names_of_books_are_refused() -> None:
    x = eqsat.rules.pattern.reals("x")
    with pytest.raises(RuleError, match="a name does not start with %"):
        rule("%mine", T.exp(x), x, cite="definition")
