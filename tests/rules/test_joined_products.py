"""Products of joined matrices become one product; products of one tensor by several weights are made at once on request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.rules import all_rules, default_rules
from tests.rules.helpers import assert_best


def matrix(name: str, *shape: int | None) -> Any:
    return T.TensorType("float64", shape=shape)(name)


x, y = matrix("x", 2000, 30), matrix("y", 2000, 4)
B, C, D = matrix("B", 30, 5), matrix("C", 30, 7), matrix("D", 30, 5)
V, W = matrix("V", 5, 30), matrix("W", 7, 30)
narrow, wide = matrix("narrow", 30, 2000), matrix("wide", 4, 5)
ON_REQUEST = "default,optional"


def agree(outputs: Any, rules: Any) -> eqsat.report.Report:
    """The function compiled with rules gives what the reference gives; its report."""
    inputs = list(dict.fromkeys(v for v in (x, y, B, C, D, V, W, narrow, wide) if uses(outputs, v)))
    rng = np.random.default_rng(0)
    values = [rng.normal(size=v.type.shape) for v in inputs]
    made = eqsat.function(inputs, outputs, rules=rules)
    for a, b in zip(made(*values), eqsat.function(inputs, outputs, mode="reference")(*values), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    return made.report


def uses(outputs: Any, v: Any) -> bool:
    from eqsat.graph.walk import toposort

    return any(v in n.inputs for n in toposort(outputs))


def test_joined_products_are_one_product() -> None:
    assert_best(
        T.concatenate([x @ B, x @ C], axis=1), x @ T.concatenate([B, C], axis=1), by="join-of-dot-right-1"
    )
    assert_best(
        T.concatenate([V @ narrow, W @ narrow]), T.concatenate([V, W]) @ narrow, by="join-of-dot-left-0"
    )
    three = T.concatenate([x @ B, x @ C, x @ D], axis=1)
    assert_best(three, x @ T.concatenate([B, C, D], axis=1), by="join-of-three-dot-right-1")


def test_products_of_joined_operands_are_sums_where_the_pieces_meet() -> None:
    joined = T.concatenate([x, y], axis=1) @ T.concatenate([D, wide], axis=0)
    assert_best(joined, x @ D + y @ wide, by="dot-of-joins")
    other = T.concatenate([y, x], axis=1) @ T.concatenate([D, wide], axis=0)
    assert "dot-of-joins" not in eqsat.optimize(other).rules


@pytest.mark.parametrize(
    ("outputs", "by", "products"),
    [
        ([x @ B, x @ C], "two-dots-by-column", 1),
        ([x @ B, x @ C, x @ D], "three-dots-by-column", 1),
        ([V @ narrow, W @ narrow], "two-dots-by-row", 1),
        ([T.exp(x @ B), T.sqr(x @ C).sum()], "two-dots-by-column", 1),
        ([x @ B, V @ narrow], None, 2),
    ],
)
def test_products_of_one_tensor_are_made_at_once(outputs: Any, by: str | None, products: int) -> None:
    report = agree(outputs, ON_REQUEST)
    assert by is None or by in report.rules
    from eqsat.graph.walk import toposort

    assert sum(n.op.name == "dot" for n in toposort(report.optimized)) == products  # type: ignore[attr-defined]


def test_many_products_of_one_tensor_are_left_alone() -> None:
    weights = [matrix(f"w{i}", 30, 5) for i in range(12)]
    report = eqsat.optimize([x @ w for w in weights], rules=ON_REQUEST)
    assert not any("dots-by" in name for name in report.rules)
    assert report.e_nodes < 60


def test_they_wait_until_they_are_asked_for() -> None:
    assert "two-dots-by-column" not in [r.name for r in default_rules()]
    assert "two-dots-by-column" in [r.name for r in all_rules()]
    assert "two-dots-by-column" not in eqsat.optimize([x @ B, x @ C]).rules


def test_a_user_writes_a_rule_over_two_outputs() -> None:
    u = eqsat.metavars("u")
    both = eqsat.rule(
        "cosh-sinh",
        (T.cosh(u), T.sinh(u)),
        ((T.exp(u) + T.exp(-u)) / 2, (T.exp(u) - T.exp(-u)) / 2),
        tier="loose",
    )
    assert str(both).startswith("cosh-sinh: (cosh(u), sinh(u)) = (truediv(")
    assert not eqsat.verify.find_failures(both, guarded=False)
    v = T.dvector("v")
    assert "cosh-sinh" in eqsat.optimize([T.cosh(v), T.sinh(v)], rules=both).rules
    assert "cosh-sinh" not in eqsat.optimize([T.cosh(v), T.sinh(v + 1)], rules=both).rules
    wrong = eqsat.rule("crossed", (T.cosh(u), T.sinh(u)), (T.sinh(u) + T.exp(-u), T.sinh(-u)), tier="loose")
    assert len(eqsat.verify.find_failures(wrong, guarded=False)) > 0
