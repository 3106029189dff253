"""``T.assume``: facts that only the user knows, in rules, in DebugMode, and in messages; and conditions that users declare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph.assumptions import assumable
from eqsat.errors import ArgumentError, DebugModeError, RuleError
from eqsat.rules.conditions import PREDICATES
from eqsat.rules.fact import FACTS

x, y, b = T.dvectors("x", "y", "b")
K, L = T.dmatrices("K", "L")
s = T.dscalar("s")
POSDEF, LOWER = T.assume(K, "posdef"), T.assume(L, "lower")


def ops_of(*outputs: Any) -> set[str]:
    """The names of the ops of the chosen graph."""
    graph = eqsat.optimize(list(outputs)).optimized
    return {node.op.name for node in eqsat.FunctionGraph(None, graph, clone=False).toposort()}


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (T.sqrt(T.assume(x, "nonneg") ** 2), x),
        (abs(T.assume(x, "negative")), -x),
        (T.maximum(T.assume(x, "positive"), 0), x),
        (T.isnan(T.assume(x, "finite")), T.lt(x, x)),
        (POSDEF.T, K),
        (T.linalg.cholesky(POSDEF) @ T.linalg.cholesky(POSDEF).T, K),
        (T.assume(T.assume(x, "nonneg"), "finite"), x),
    ],
)
def test_what_is_assumed_makes_rules_apply(written: Any, wanted: Any) -> None:
    found, best = eqsat.optimize(written), eqsat.optimize(wanted)
    assert found.cost_after <= best.cost_after
    assert "assume" not in ops_of(written)


@pytest.mark.parametrize(
    "matrix",
    [
        POSDEF,
        POSDEF + T.exp(s) * T.eye(K.shape[0]),
        POSDEF * T.exp(s) + POSDEF,
        2 * POSDEF,
        POSDEF + T.assume(L, "posdef"),
    ],
    ids=["itself", "with noise", "weighted", "twice", "a sum"],
)
def test_sums_and_multiples_of_definite_matrices_are_factored(matrix: Any) -> None:
    assert "cholesky" in ops_of(T.linalg.solve(matrix, b)) | ops_of(T.log(T.linalg.det(matrix)))
    a = np.random.default_rng(3).normal(size=(4, 4))
    given: dict[Any, Any] = {
        K: a @ a.T + np.eye(4),
        L: a.T @ a + np.eye(4),
        s: np.log(0.5),
        b: np.arange(4.0),
    }
    inputs = list(given)
    outputs = [T.linalg.solve(matrix, b), T.log(T.linalg.det(matrix))]
    made = [
        eqsat.function(inputs, outputs, mode=m, on_unused_input="ignore") for m in ("reference", "FAST_RUN")
    ]
    for wanted, found in zip(*(f(*given.values()) for f in made), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_no_more_is_known_than_what_was_said() -> None:
    assert "cholesky" not in ops_of(T.linalg.solve(POSDEF - T.assume(L, "posdef"), b))
    assert "cholesky" not in ops_of(T.linalg.solve(T.exp(POSDEF), b))
    column = T.assume(T.dcol("c"), "lower")  # its copies side by side are no triangle
    assert "solve_triangular" not in {str(n) for n in ops_of(T.linalg.solve(LOWER + column, b))}
    assert "solve_triangular" in ops_of(T.linalg.solve(LOWER, b))


def test_debug_mode_checks_what_is_assumed() -> None:
    f = eqsat.function([x], T.sqrt(T.assume(x, "nonneg") ** 2), mode="DebugMode")
    np.testing.assert_array_equal(f([1.0, 0.0]), [1.0, 0.0])
    with pytest.raises(DebugModeError, match="x is assumed to be nonneg, and is") as raised:
        f([1.0, -2.0])
    assert "test_assume.py" in str(raised.value)


@pytest.mark.parametrize("mode", ["reference", "numpy", "FAST_COMPILE", "FAST_RUN"])
def test_it_is_its_operand_in_every_mode_with_its_gradient(mode: str) -> None:
    v = T.assume(x, "positive")
    f = eqsat.function([x], [v, T.grad(T.sum(v**2), x)], mode=mode)
    for found, wanted in zip(f([1.0, 3.0]), ([1.0, 3.0], [2.0, 6.0]), strict=True):
        np.testing.assert_allclose(found, wanted)


def test_it_holds_in_each_step_of_a_loop() -> None:
    out, _ = eqsat.scan(lambda v, c: c + abs(T.assume(v, "nonneg")), [x], [T.zeros(())])
    values = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(eqsat.function([x], out)(values), np.cumsum(values))


def test_a_batch_of_matrices_is_no_matrix() -> None:
    stack = T.dtensor3("stack")
    out = eqsat.vectorize_graph(T.linalg.solve(POSDEF, b), {K: stack})
    a = np.stack([np.eye(3) * 2, np.eye(3) * 4])
    found = eqsat.function([stack, b], out)(a, np.ones(3))
    np.testing.assert_allclose(found, [[0.5] * 3, [0.25] * 3])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: T.assume(x, "psitive"), "there is no fact 'psitive'"),
        (lambda: T.assume(x, "posdef"), "posdef is said of matrices"),
        (lambda: T.assume(T.zvector("z"), "positive"), "complex numbers are not positive"),
        (lambda: T.assume(x), "no fact is named"),
    ],
)
def test_messages(wrong: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as raised:
        wrong()
    assert "test_assume.py" in str(raised.value)


def test_every_fact_that_is_offered_of_one_tensor_is_checked_by_its_meaning() -> None:
    assert {"positive", "finite", "posdef", "lower"} <= assumable().keys()
    for name, fact in assumable().items():
        if name not in PREDICATES:  # which other tests declare
            assert fact.doc in T.assume.__doc__ or name in (T.assume.__doc__ or ""), name


def test_a_condition_of_ones_own() -> None:
    share = eqsat.conditions.predicate(
        "test_share", lambda v: abs(v.sum() - 1) < 1e-6, into=lambda v: v * 0 + 1 / max(v.size, 1)
    )
    v = eqsat.metavars("v", ndim=1)
    try:
        one = eqsat.rule("total-of-share", T.sum(v), 1.0, when=share(v), tier="rounds")
        assert eqsat.verify.verify(one).verdict == "kept"
        wrong = eqsat.rule("wrong-total", T.sum(v), 2.0, when=share(v), tier="rounds")
        assert eqsat.verify.verify(wrong).verdict == "BROKEN"
        known, unknown = T.sum(T.assume(x, "test_share")), T.sum(x)
        assert eqsat.optimize(known, rules=[one]).cost_after == 0
        report = eqsat.optimize(unknown, rules=[one])
        assert report.cost_after > 0
        assert "test_share(v) is not known" in str(report.why_not("total-of-share"))
        assert "test_share(v)" in str(one)
    finally:
        del FACTS["test_share"]
    with pytest.raises(RuleError, match="'positive' cannot be declared"):
        eqsat.conditions.predicate("positive", lambda v: True)
