"""What the rules make of matrix calculus: traces, diagonals, systems, determinants; and where a fact is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort

la = T.linalg
N = 12


def tensor(name: str, *shape: int | None, dtype: str = "float64") -> Any:
    """A variable of a shape."""
    return TensorType(dtype, shape=shape)(name)


A, B, C, K = (tensor(name, N, N) for name in "ABCK")
x, y, v = (tensor(name, N) for name in "xyv")
P, Q, s = tensor("P", N, 30), tensor("Q", 30, N), tensor("s")
W, table, i = tensor("W", N, 8), tensor("table", 3000, 8), tensor("i", 20, dtype="int64")
few, many = tensor("few", 20), tensor("many", 200000, dtype="int64")
label, place = tensor("label", N, dtype="int64"), T.arange(N)
L = la.cholesky(K)
half = T.sum(T.log(T.diagonal(L)))
white = la.solve_triangular(L, x, lower=True)

CASES: dict[str, tuple[Any, Any]] = {
    "trace of a product": (T.trace(A @ B), T.sum(A * B.T)),
    "trace of a transposed product": (T.trace((A @ B).T), T.sum(A * B.T)),
    "trace of a sum": (T.trace(A + 2 * B), T.sum(T.diagonal(A) + 2 * T.diagonal(B))),
    "trace of an outer product": (T.trace(T.outer(x, y)), T.sum(x * y)),
    "trace as a product with a unit matrix": (T.sum(A * T.eye(N)), T.trace(A)),
    "diagonal of a product": (T.diagonal(P @ Q), T.sum(P * Q.T, axis=1)),
    "diagonal of elementwise work": (T.diagonal(T.exp(A)), T.exp(T.diagonal(A))),
    "diagonal of scaled rows": (T.diagonal(x[:, None] * A), x * T.diagonal(A)),
    "diagonal of a diagonal matrix": (T.diagonal(T.diag(x)), x + 0),
    "diagonal matrix times matrix": (T.diag(x) @ A, x[:, None] * A),
    "matrix times diagonal matrix": (A @ T.diag(x), A * x),
    "unit matrix": (T.eye(N) @ A @ T.eye(N), A + 0),
    "inverse times vector": (la.inv(A) @ x, la.solve(A, x)),
    "row times inverse": (x @ la.inv(A), la.solve(A.T, x)),
    "inverse times chain": (la.inv(A) @ B @ x, la.solve(A, B @ x)),
    "inverse of inverse": (la.inv(la.inv(A)) @ x, A @ x),
    "inverse of a diagonal matrix": (la.inv(T.diag(x)) @ A, A / x[:, None]),
    "system with a product": (la.solve(A, A @ x), x + 0),
    "system with a lower matrix": (la.solve(L, x), white),
    "system with a factored matrix": (
        la.solve(L @ L.T, x),
        la.solve_triangular(L.T, white, lower=False),
    ),
    "determinant of a factor": (la.det(L), T.prod(T.diagonal(L))),
    "log of determinant": (T.log(abs(la.det(A))), la.slogdet(A)[1]),
    "log determinant of a factored matrix": (T.log(la.det(L @ L.T)), 2 * half),
    "Cholesky factor of a factored matrix": (la.cholesky(L @ L.T) @ x, L @ x),
    "density of a Gaussian": (
        x @ la.inv(L @ L.T) @ x + T.log(la.det(L @ L.T)),
        T.dot(white, white) + 2 * half,
    ),
}
CASES |= {
    "one-hot matrix times matrix": (T.eye(N)[i] @ W, W[i]),
    "rows of a function": ((2 * T.exp(table) + 1)[i], 2 * T.exp(table[i]) + 1),
    "a function of many picks of few": (T.exp(few[many]), T.exp(few)[many]),
    "rows of a product": ((A @ B @ W)[i[:3]], A[i[:3]] @ B @ W),
    "rows of rows": (table[i][i], table[i[i]]),
    "sums of rows": (T.sum(table, axis=1)[i], T.sum(table[i], axis=1)),
    "logarithms of picked probabilities": (
        T.log(T.softmax(A, axis=1)[place, label]),
        T.log_softmax(A, axis=1)[place, label],
    ),
    "shapes in turn": (T.exp(A.reshape((N * N,))).reshape((N, N)), T.exp(A)),
    "product of flat matrices": (T.dot(A.flatten(), B.flatten()), T.sum(A * B)),
    "einsum of a trace": (T.einsum("ij,ji->", A, B), T.sum(A * B.T)),
    "norm of a multiple": (la.norm(-3 * A), 3 * la.norm(A)),
    "squared norm of an outer product": (
        la.norm(T.outer(x, y)) ** 2,
        T.sum(T.sqr(x)) * T.sum(T.sqr(y)),
    ),
}
CASES["trace, turned"] = (T.trace(P @ (Q @ A)), T.sum((Q @ A) * P.T))


def values(outputs: list[Any], seed: int = 0) -> dict[Any, Any]:
    """Well conditioned matrices for what a graph reads; K is positive definite."""
    rng = np.random.default_rng(seed)
    leaves = {v for node in toposort(outputs) for v in node.inputs if v.owner is None and v.name}
    found = {}
    for leaf in sorted(leaves, key=lambda v: str(v.name)):
        shape = leaf.type.shape
        if "int" in leaf.type.dtype:
            found[leaf] = rng.integers(0, N, shape)
            continue
        found[leaf] = rng.normal(size=shape)
        if len(shape) == 2 and shape[0] == shape[1]:
            found[leaf] += 2 * shape[0] ** 0.5 * np.eye(shape[0])
        if leaf is K:
            found[leaf] = found[leaf] @ found[leaf].T
    return found


def agree(written: list[Any], rules: Any = None) -> list[Any]:
    """Compile, and compare with what the graph means."""
    given = values(written)
    found = eqsat.function(list(given), written, rules=rules)(*given.values())
    meant = eqsat.function(list(given), written, mode="reference")(*given.values())
    for a, b in zip(found, meant, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    return list(found)


def names(written: Any) -> set[str]:
    """The ops of the best graph."""
    outputs = written if isinstance(written, list) else [written]
    return {str(node.op.name) for node in toposort(eqsat.optimize(outputs).optimized)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(13)
def test_reaches_the_cheaper_form(name: str) -> None:
    written, expected = CASES[name]
    found, best = eqsat.optimize(written), eqsat.optimize(expected)
    assert found.cost_after <= 1.05 * best.cost_before + 5e-9, f"{found.optimized[0].owner} {found.rules}"
    agree([written])


@pytest.mark.sweep
def test_density_of_a_gaussian_is_finite_whatever_stands_beside_it() -> None:
    big = tensor("K", 200, 200)
    chol = la.cholesky(big)
    logdet = T.log(la.det(chol @ chol.T))
    r = tensor("r", 200)
    density = r @ la.inv(chol @ chol.T) @ r + logdet
    rng = np.random.default_rng(0)
    k = 1e-4 * (np.eye(200) + 0.1 * np.ones((200, 200)))
    value = rng.normal(size=200)
    alone = eqsat.function([big, r], density)(k, value)
    beside = eqsat.function([big, r], [density, logdet, la.inv(chol @ chol.T) @ r])(k, value)
    want = value @ np.linalg.solve(k, value) + np.linalg.slogdet(k)[1]
    np.testing.assert_allclose([alone, beside[0]], want, rtol=1e-9)
    assert not {"det", "inv", "solve", "lu_factors"} & names(density)


@pytest.mark.parametrize("name", ["quadratic form", "trace of a product"])
def test_spellings_of_a_form_cost_the_same(name: str) -> None:
    forms = {
        "quadratic form": [
            T.dot(x, A @ x),
            (x @ A) @ x,
            T.sum(x * (A @ x)),
            T.sum(A * T.outer(x, x)),
            T.einsum("i,ij,j->", x, A, x),
        ],
        "trace of a product": [T.trace(A @ B), T.trace(B.T @ A.T), T.sum(A * B.T), T.tensordot(A, B.T, 2)],
    }[name]
    costs = [eqsat.optimize(f).cost_after for f in forms]
    assert max(costs) <= 1.01 * min(costs) + 2e-9, costs
    agree(forms)


def test_systems_with_one_matrix_share_its_factors() -> None:
    big, u, w = tensor("A", 300, 300), tensor("u", 300), tensor("w", 300)
    pair = [la.inv(big) @ u, la.inv(big) @ w, la.solve(big.T, w)]
    nodes = [str(n.op.name) for n in toposort(eqsat.optimize(pair).optimized)]
    assert nodes.count("lu_factors") == 1 and nodes.count("lu_solve") == 3 and "inv" not in nodes
    agree(pair)
    assert "lu_factors" not in names([la.solve(big, u)])


def test_stacks_of_matrices_are_left_to_ops_that_take_them() -> None:
    stack, sides = tensor("S", 2, 4, 4), tensor("b", 2, 4, 2)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 4, 4))
    values = values @ values.transpose(0, 2, 1) + np.eye(4)
    chol = la.cholesky(stack)
    written = [
        la.solve(la.inv(stack), sides),
        la.solve(chol, sides),
        T.log(la.det(chol)),
        T.diagonal(T.exp(stack)),
    ]
    found = eqsat.function([stack, sides], written)(values, rng.normal(size=(2, 4, 2)))
    rng = np.random.default_rng(0)
    rng.normal(size=(2, 4, 4))
    meant = eqsat.function([stack, sides], written, mode="reference")(values, rng.normal(size=(2, 4, 2)))
    for a, b in zip(found, meant, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_matrices_changed_by_an_outer_product_on_request() -> None:
    written = la.det(T.eye(N) + T.outer(x, y))
    assert "det" in names(written)
    assert "det" not in {
        str(n.op.name) for n in toposort(eqsat.optimize(written, rules="default,rank-one").optimized)
    }
    agree([written], rules="default,rank-one")


def test_rows_of_two_tables_are_not_added_before_they_are_picked() -> None:
    u, w, k = T.dmatrix("u"), T.dmatrix("w"), T.lvector("k")
    f = eqsat.function([u, w, k], u[k] + w[k])
    assert f(np.ones((3, 2)), np.ones((2, 2)), [0, 1]).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_log_of_a_negative_determinant_stays_nan() -> None:
    f = eqsat.function([A], T.log(la.det(A)))
    m = np.diag(np.array([-1.0] + [2.0] * (N - 1)))
    assert np.isnan(f(m))
    np.testing.assert_allclose(f(-m[::-1]) if np.linalg.det(-m[::-1]) > 0 else f(abs(m)), (N - 1) * np.log(2))


def test_lengths_that_are_not_known_are_found_equal() -> None:
    F = T.dmatrix("F")
    c = la.cholesky(F)
    assert not {"det", "dot"} & names(T.log(la.det(c @ c.T)))


@pytest.mark.parametrize(
    "written",
    [
        la.solve(A, x) + la.solve(A @ B, x),
        T.eye(N, N, 1) @ A,
    ],
    ids=["solve", "eye"],
)
def test_stays_where_a_fact_is_missing(written: Any) -> None:
    before, after = (
        {str(n.op) for n in toposort(r)}
        for r in (eqsat.optimize(written).original, eqsat.optimize(written).optimized)
    )
    kept = {"dot", "solve"} & before
    assert kept <= after
