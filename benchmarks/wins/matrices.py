"""Rows on products of matrices, solving, and parts of tables."""

from __future__ import annotations

import numpy as np

import eqsat.tensor as T
from wins.case import case, known

N = 200
A, B, C, D = (known(n, N, N) for n in "ABCD")
v, r = known("v", N), known("r", N)
s = known("s")
x, y, z = known("x", 800), known("y", 600), known("z", 600)
tall, thin = known("tall", 600, 600), known("thin", 600, 10)
square = known("square", 600, 600)
table, chosen = known("table", 20000, 64), known("chosen", 50, dtype="int64")
few, often = known("few", 20), known("often", 200000, dtype="int64")
words = known("words", 2000, 64)
rows = known("rows", 50, 64)
p, q, o = known("p", 300, 300), known("q", 300, 300), known("o", 300, 300)
K = T.dot(A, A.T) + N * T.eye(N)


def log_density(covariance: object, factor: object) -> object:
    """Of a Gaussian, without its constants, by inverse and determinant of the product of the factors."""
    product = T.dot(factor, factor.T)  # type: ignore[attr-defined]
    return T.dot(T.dot(r, T.linalg.inv(product)), r) + T.log(T.linalg.det(product))


def log_density_by_triangles(factor: object) -> object:
    """The same by one substitution."""
    half = T.slinalg.solve_triangular(factor, r, lower=True)
    return T.sum(T.sqr(half)) + 2 * T.sum(T.log(T.diag(factor)))


L = T.slinalg.cholesky(K)

SLOWER = [
    case("trace-dot", lambda: (T.trace(T.dot(A, B)), T.sum(A * B.T))),
    case("outer-dot", lambda: (T.dot(T.outer(x, y), z), x * T.dot(y, z))),
    case("matvec-assoc", lambda: (T.dot(T.dot(A, B), v), T.dot(A, T.dot(B, v))), "size"),
    case(
        "chain3-bad",
        lambda: (T.dot(T.dot(tall, square), thin), T.dot(tall, T.dot(square, thin))),
        "size",
    ),
    case(
        "inv-dot-dot",
        lambda: (T.dot(T.dot(T.linalg.inv(K), B), v), T.slinalg.solve(K, T.dot(B, v))),
        "size",
        "fast",
    ),
    case("dot-scale-small", lambda: (T.dot(s * A, v), T.dot(A, s * v)), "size"),
    case("onehot-dot", lambda: (T.dot(T.eye(2000)[chosen], words), words[chosen])),
    case("gather-elem", lambda: (T.exp(table)[chosen], T.exp(table[chosen])), "size"),
    case("gather-elem-many2", lambda: (T.exp(few[often]), T.exp(few)[often]), "size"),
    case("stack-index", lambda: (T.stack([p, q, o])[1], q)),
    case("logdet-chol", lambda: (T.log(T.linalg.det(T.dot(L, L.T))), 2 * T.sum(T.log(T.diag(L)))), "stab"),
]

BY_MODEL = [
    case(
        "dot-shared-scale",
        lambda: ([T.dot(A, B), 2 * T.dot(A, B)], (lambda c: [c, 2 * c])(T.dot(A, B))),
        "multi",
    ),
]

UNSTABLE = [
    case("gauss-logp", lambda: (log_density(K, L), log_density_by_triangles(L)), finite=True),
]

SHARP = [
    case(
        "gauss-logp beside a log-determinant",
        lambda: (
            [log_density(K, L), T.log(T.linalg.det(T.dot(L, L.T)))],
            (lambda d: [T.sum(T.sqr(T.slinalg.solve_triangular(L, r, lower=True))) + d, d])(
                2 * T.sum(T.log(T.diag(L)))
            ),
        ),
        finite=True,
    ),
    case(
        "gauss-logp beside the factor",
        lambda: ([log_density(K, L), L, K], [log_density_by_triangles(L), L, K]),
        finite=True,
    ),
    case("one product of two", lambda: ([T.dot(A, B), 2 * T.dot(A, B)], (lambda c: [c, 2 * c])(T.dot(A, B)))),
]

GOOD = [
    case("dot-shared-scale", lambda: ((lambda c: [c, 2 * c])(T.dot(A, B)),) * 2),
    case("l2-grad", lambda: (2 * s * v + r,) * 2),
    case("outer-exp", lambda: (T.exp(x)[:, None] * T.exp(y)[None, :],) * 2),
    case("div-rows", lambda: (T.exp(A) * (1 / (v * r))[:, None],) * 2),
    case("commut-merge-exp", lambda: ((lambda e: [2 * e, 3 * e])(T.dot(T.exp(A + B), C)),) * 2),
    case("assoc-merge", lambda: ([T.dot(T.tanh(A + B + C), D)] * 2,) * 2),
    case("exp-mul-shared", lambda: ([T.exp(A), T.exp(B), T.exp(A) * T.exp(B)],) * 2),
    case("exp-sum-shared", lambda: ([T.exp(A), T.exp(B), T.exp(A) * T.exp(B)],) * 2),
]

KEPT = [
    case("dot-T", lambda: (T.dot(A.T, B.T).T, T.dot(B, A))),
    case("chain3", lambda: (T.dot(A, T.dot(B, v)),) * 2),
    case(
        "shared-dots", lambda: ([T.dot(A, B) + C, T.dot(A, B) * D], (lambda c: [c + C, c * D])(T.dot(A, B)))
    ),
    case("gemm-shared-acc", lambda: ((lambda c: [c, C + c])(T.dot(A, B)),) * 2),
    case("diag-mul", lambda: (T.dot(T.diag(v), A), v[:, None] * A)),
    case("dot-eye", lambda: (T.dot(A, T.eye(N)), A)),
    case("inv-dot", lambda: (T.dot(T.linalg.inv(K), v), T.slinalg.solve(K, v))),
    case(
        "gauss-logp-K",
        lambda: (
            T.dot(T.dot(r, T.linalg.inv(K)), r) + T.log(T.linalg.det(K)),
            T.dot(r, T.slinalg.solve(K, r)) + T.log(T.linalg.det(K)),
        ),
    ),
    case("gemm-accum", lambda: (C * 0.5 + 2 * T.dot(A, B),) * 2),
    case("gemm-two", lambda: (C + T.dot(A, B) + T.dot(B, D),) * 2),
    case("dot-row", lambda: (T.dot(A, B)[3], T.dot(A[3], B))),
    case("dot-chain-row", lambda: (T.dot(T.dot(A, B), C)[3], T.dot(T.dot(A[3], B), C))),
    case("logdet", lambda: (T.log(T.linalg.det(K)),) * 2),
    case(
        "one factorisation for two right-hand sides",
        lambda: (
            [T.dot(T.linalg.inv(K), v), T.dot(T.linalg.inv(K), r)],
            (lambda both: [both[:, 0], both[:, 1]])(T.slinalg.solve(K, T.stack([v, r], axis=1))),
        ),
    ),
    case("diag of a product", lambda: (T.diag(T.dot(A, B)), T.sum(A * B.T, axis=1))),
    case("eye from the left", lambda: (T.dot(T.eye(N), A) + T.dot(B, T.eye(N)), A + B)),
    case(
        "hess-quad",
        lambda: (T.grad(T.sum(T.grad(T.dot(v, T.dot(A, v)), v) * r), v), T.dot(A, r) + T.dot(r, A)),
    ),
    case("gather-elem-many", lambda: (T.exp(few)[often],) * 2),
    case("rows of a table", lambda: (np.float64(2) * table[chosen] + rows,) * 2),
]
