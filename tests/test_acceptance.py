"""What the compiler promises in the README: the classic rewrites, stability, sharing, long chains."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions.planning import plan_graph
from eqsat.graph.declare import DeclaredOp, elemwise, forget_op
from eqsat.graph.walk import toposort

FAR = np.array([-800.0, -1.0, 0.0, 1e-18, 1.0, 800.0])
MODES = ["numpy", "FAST_RUN"]


def ops(function: Any) -> list[str]:
    """Names of the ops of the rewritten graph, views left out."""
    found = [str(node.op).split("{")[0] for node in toposort(function.outputs_optimised)]
    return sorted(name for name in found if name not in ("dimshuffle", "reshape", "length"))


@pytest.mark.seed("K005")
@pytest.mark.parametrize("mode", MODES)
def test_a_product_divided_by_a_factor_needs_no_arithmetic(mode: str) -> None:
    x, y = T.dvectors("x", "y")
    f = eqsat.function([x, y], x * y / y, mode=mode, on_unused_input="ignore")
    assert ops(f) == []
    np.testing.assert_array_equal(f(FAR, np.zeros(6)), FAR)


@pytest.mark.seed("K009")
def test_a_rewritten_power_is_more_compact() -> None:
    """What runs is one node: a fused loop, where the graph as written has a node per op."""
    a = T.dvector("a")
    b = a + a**10
    f = eqsat.function([a], b)
    np.testing.assert_array_equal(f([0.0, 1.0, 2.0]), [0.0, 2.0, 1026.0])
    written, fused = plan_graph([a], [b], fused=False), plan_graph([a], f.outputs_optimised, fused=True)
    assert len(fused.steps) == 1 < len(written.steps)
    if f.c_source is not None:
        assert len(re.findall(r"^  eq_spread\(c, eq_\w+", f.c_source, re.M)) == 1


@pytest.mark.seed("K007")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "build, wanted",
    [
        (lambda x: T.log(1 + x), lambda x: np.log1p(x)),
        (lambda x: T.log(T.sigmoid(x)), lambda x: -np.logaddexp(0, -x)),
        (lambda x: T.log(1 + T.exp(x)), lambda x: np.logaddexp(0, x)),
        (lambda x: T.log(T.sum(T.exp(x))), lambda x: np.logaddexp.reduce(x)),
        (lambda x: T.exp(x) / T.sum(T.exp(x)), lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()),
        (lambda x: 1 - T.sigmoid(x), lambda x: 1 / (1 + np.exp(np.minimum(x, 700)))),
    ],
    ids=["log1p", "log-sigmoid", "softplus", "logsumexp", "softmax", "one-minus-sigmoid"],
)
def test_unstable_forms_are_finite_and_right_far_out(mode: str, build: Any, wanted: Any) -> None:
    x = T.dvector("x")
    with np.errstate(all="ignore"):
        made = build(x)
        below = made.owner.inputs[0].owner
        data = np.abs(FAR) if made.owner.op.name == "log" and below.op.name == "add" else FAR
        result = eqsat.function([x], made, mode=mode)(data)
        assert np.isfinite(result).all()
        np.testing.assert_allclose(result, wanted(data), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("mode", MODES)
def test_a_matrix_chain_on_a_vector_runs_two_matrix_vector_products(mode: str) -> None:
    a, b, v = T.dmatrix("a"), T.dmatrix("b"), T.dvector("v")
    f = eqsat.function([a, b, v], (a @ b) @ v, mode=mode)
    products = [node for node in toposort(f.outputs_optimised) if str(node.op) == "dot"]
    assert len(products) == 2
    assert all(node.outputs[0].type.shape[1] == 1 for node in products)
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(4, 5)), rng.normal(size=(5, 6)), rng.normal(size=6)
    np.testing.assert_allclose(f(x, y, z), x @ y @ z)


@pytest.mark.parametrize("mode", MODES)
def test_a_product_and_its_multiple_share_one_product(mode: str) -> None:
    a, b = T.dmatrices("a", "b")
    f = eqsat.function([a, b], [a @ b, 2 * (a @ b)], mode=mode)
    assert ops(f).count("dot") == 1


@pytest.mark.seed("K008")
@pytest.mark.parametrize("mode", MODES)
def test_commuted_operands_are_computed_once(mode: str) -> None:
    x, y = T.dvectors("x", "y")
    f = eqsat.function([x, y], [T.exp(x + y), T.exp(y + x) * 2], mode=mode)
    assert ops(f).count("exp") == 1 and ops(f).count("add") == 1


@pytest.mark.seed("A034")
def test_constants_fold_to_no_nodes() -> None:
    f = eqsat.function([], T.constant(2.0) * 3.0, mode="numpy")
    assert ops(f) == [] and float(f()) == 6.0


def long_chain(length: int) -> tuple[Any, Any]:
    x = T.dvector("x")
    y = x
    for k in range(length // 2):
        y = T.tanh(y) if k % 2 else T.sin(y)
        y = y + 0.5
    return x, y


@pytest.mark.sweep
def test_a_chain_of_50000_nodes_goes_through_everything() -> None:
    start = time.perf_counter()
    x, y = long_chain(50_000)
    text = eqsat.dprint(y, file="str")
    assert text.count("\n") >= 50_000 and len(text) < 20_000_000
    slope = T.grad(y.sum(), x)
    assert len(toposort([slope])) > 50_000
    report = eqsat.optimize(y)
    assert report.fallback is None
    assert report.seconds["saturate"] < 20 * eqsat.config.egraph_seconds
    f = eqsat.function([x], y)
    data = np.linspace(-1, 1, 5)
    expected = data
    for k in range(25_000):
        expected = (np.tanh(expected) if k % 2 else np.sin(expected)) + 0.5
    np.testing.assert_allclose(f(data), expected, rtol=1e-9)
    assert time.perf_counter() - start < 240


def test_a_new_op_and_a_new_rule_take_part_everywhere() -> None:
    from eqsat.rules.pattern import reals
    from eqsat.rules.rule import default_rules, rule

    @elemwise(
        c="({x} / (1 + fabs{f}({x})))",
        signature="f->f",
        grad=lambda x, dy: dy / T.sqr(1 + T.abs(x)),
        image=(-1.0, 1.0),
        real="x / (1 + abs(x))",
    )
    def softsign(x: Any) -> Any:
        """x / (1 + abs(x))."""
        return x / (1 + np.abs(x))

    try:
        assert isinstance(softsign, DeclaredOp) and "abs" in softsign.declaration.doc
        u = reals("u")
        new = rule("softsign-form", u / (1 + T.abs(u)), softsign(u), tier="exact", cite="definition")
        x = T.dvector("x")
        report = eqsat.optimize(x / (1 + T.abs(x)), rules=default_rules() + [new])
        assert [str(node.op) for node in toposort(report.optimized)] == ["softsign"]
        assert report.rules["softsign-form"] == 1
        f = eqsat.function([x], [softsign(x), T.grad(softsign(x).sum(), x)])
        value, slope = f(np.array([-2.0, 0.0, 3.0]))
        np.testing.assert_allclose(value, [-2 / 3, 0, 0.75])
        np.testing.assert_allclose(slope, [1 / 9, 1, 1 / 16])
    finally:
        forget_op("softsign")
