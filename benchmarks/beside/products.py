"""Products of matrices in the order in which they were thought of."""

from __future__ import annotations

from typing import Any

import numpy as np

from beside.workload import Maker, normal, workload

N = 1000
MATRIX, VECTOR = normal("float64", N, N), normal("float64", N)
LONG = normal("float64", 4000)


@workload("((A B) C) v, n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX, c=MATRIX, v=VECTOR)
def matchain(m: Any, a: Any, b: Any, c: Any, v: Any) -> Any:
    return ((a @ b) @ c) @ v


@workload("trace(A B), n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX)
def trace_ab(m: Any, a: Any, b: Any) -> Any:
    return m.trace(a @ b)


@workload("diagonal of A B, n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX)
def diag_ab(m: Any, a: Any, b: Any) -> Any:
    return m.diag(a @ b)


@workload("sum of A B, n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX)
def sum_ab(m: Any, a: Any, b: Any) -> Any:
    return (a @ b).sum()


@workload("(A B)' v, n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX, v=VECTOR)
def abt_v(m: Any, a: Any, b: Any, v: Any) -> Any:
    return (a @ b).T @ v


@workload("A B + A C, n = 1000 float64", 1e-9, a=MATRIX, b=MATRIX, c=MATRIX)
def ab_ac(m: Any, a: Any, b: Any, c: Any) -> Any:
    return a @ b + a @ c


@workload("(u v') w, n = 4000 float64", 1e-9, u=LONG, v=LONG, w=LONG)
def outer_mv(m: Any, u: Any, v: Any, w: Any) -> Any:
    return (u[:, None] * v[None, :]) @ w


@workload("sum of squares of all differences, n = 4000 float64", 1e-9, x=LONG, y=LONG)
def pair_sum(m: Any, x: Any, y: Any) -> Any:
    return ((x[:, None] - y[None, :]) ** 2).sum()


def positive(n: int) -> Maker:
    """A positive definite matrix."""

    def make(rng: np.random.Generator) -> Any:
        a = rng.standard_normal((n, n))
        return a @ a.T + n * np.eye(n)

    return make


@workload("inv(A) b, n = 500 float64", 1e-8, a=positive(500), b=normal("float64", 500))
def inv_solve(m: Any, a: Any, b: Any) -> Any:
    return m.inverse(a) @ b


@workload(
    "product, bias, tanh and sum of rows, 2048 x 256 x 256 float32",
    1e-4,
    x=normal("float32", 2048, 256),
    w=normal("float32", 256, 256, scale=0.06),
    b=normal("float32", 256),
)
def dense_layer(m: Any, x: Any, w: Any, b: Any) -> Any:
    return m.tanh(x @ w + b)


@workload("cosines of all pairs of rows, 1500 x 64 float32", 1e-5, x=normal("float32", 1500, 64))
def cosines(m: Any, x: Any) -> Any:
    unit = x / m.sqrt((x * x).sum(1, keepdims=True))
    return unit @ unit.T
