"""Products, matrices and loops."""

from __future__ import annotations

import eqsat
import eqsat.tensor as T
from tests.rules.expression import (
    Expression,
    L,
    a,
    b,
    both,
    c,
    e,
    loop,
    n,
    s,
    t,
    t3,
    u3,
    w,
    x,
    y,
    z,
)

FAMILIES: dict[str, dict[str, Expression]] = {
    "diagonals and traces": {
        "trace AB": Expression(lambda: (T.trace(T.dot(a, b)), T.sum(a * b.T)), dims={"a": "mn", "b": "nm"}),
        "diag AB": Expression(
            lambda: (T.diag(T.dot(a, b)), T.sum(a * b.T, axis=1)), dims={"a": "mn", "b": "nm"}
        ),
        "diag AtA": Expression(lambda: (T.diag(T.dot(a.T, a)), T.sum(a * a, axis=0))),
        "trace ABC": Expression(lambda: (T.trace(a @ b @ c), T.sum(a @ b * c.T))),
        "trace outer": Expression(lambda: (T.trace(T.outer(x, x)), T.dot(x, x))),
        "sum of diag outer": Expression(lambda: (T.diag(T.outer(x, y)), x * y)),
        "diag of diag": Expression(lambda: (T.diag(T.diag(x)), x)),
        "trace scaled": Expression(lambda: (T.trace(s * a + b), s * T.trace(a) + T.trace(b))),
        "dot diag left": Expression(lambda: (T.dot(T.diag(x), a), x[:, None] * a), points="usual large one"),
        "dot diag both": Expression(lambda: (T.diag(x) @ a @ T.diag(y), x[:, None] * a * y), points="usual"),
        "quad form outer": Expression(lambda: (T.sum(a * T.outer(x, y)), T.dot(x, T.dot(a, y)))),
        "trace of transpose": Expression(lambda: (T.trace(a.T @ b), T.sum(a * b))),
        "eye mul": Expression(lambda: (T.sum(T.eye(a.shape[0]) * a), T.trace(a)), points="usual large"),
        "eye dot": Expression(lambda: (T.eye(a.shape[0]) @ a, a), points="usual large one"),
        "diag of sum": Expression(lambda: (T.diag(e(a) + b), e(T.diag(a)) + T.diag(b))),
    },
    "products by broadcasting": {
        "matmul by bc": Expression(lambda: ((a[:, :, None] * b[None]).sum(1), T.dot(a, b))),
        "mat-vec by bc": Expression(lambda: ((a * x[None, :]).sum(1), T.dot(a, x))),
        "vec-mat by bc": Expression(lambda: ((x[:, None] * a).sum(0), T.dot(x, a))),
        "einsum ij,jk": Expression(lambda: (T.einsum("ij,jk->ik", a, b), T.dot(a, b))),
        "einsum ii": Expression(lambda: (T.einsum("ii->", a), T.trace(a))),
        "einsum ij,ij": Expression(lambda: (T.einsum("ij,ij->", a, b), T.sum(a * b))),
        "einsum i,j": Expression(lambda: (T.einsum("i,j->ij", x, y), T.outer(x, y))),
        "einsum ij,j,i": Expression(lambda: (T.einsum("i,ij,j->", x, a, y), T.dot(x, T.dot(a, y)))),
        "outer sum": Expression(lambda: (T.sum(T.outer(x, y)), T.sum(x) * T.sum(y)), points="usual one none"),
        "outer sum axis": Expression(
            lambda: (T.sum(T.outer(x, y), axis=0), T.sum(x) * y), points="usual one none"
        ),
        "outer outer": Expression(
            lambda: (T.dot(T.outer(x, y), T.outer(z, w)), T.dot(y, z) * T.outer(x, w)), points="usual one"
        ),
        "batched by bc": Expression(
            lambda: ((t3[:, :, :, None] * u3[:, None, :, :]).sum(2), T.batched_dot(t3, u3)),
            points="usual one",
        ),
        "einsum batched": Expression(
            lambda: (T.einsum("bij,bjk->bik", t3, u3), T.batched_dot(t3, u3)), points="usual one"
        ),
        "sum of matmul": Expression(
            lambda: (T.sum(T.dot(a, b)), T.dot(T.sum(a, 0), T.sum(b, 1))), points="usual one none"
        ),
        "mean of matmul axis": Expression(
            lambda: (T.sum(T.dot(a, b), axis=0), T.dot(T.sum(a, 0), b)), points="usual one none"
        ),
        "weighted mean rows": Expression(
            lambda: (T.sum(a * (x / T.sum(x))[:, None], axis=0), T.dot(x, a) / T.sum(x)), points="usual"
        ),
        "tensordot": Expression(lambda: (T.tensordot(a, b, axes=[[1], [0]]), T.dot(a, b))),
        "sq col norms": Expression(lambda: (T.sum(a * a * x[:, None], 0), T.dot(x, a * a))),
        "gram": Expression(lambda: ((a[:, None, :] * a[None, :, :]).sum(2), T.dot(a, a.T))),
    },
    "matrices": {
        "inv@b": Expression(lambda: (L.inv(a) @ x, L.solve(a, x)), points="usual"),
        "solve prod": Expression(lambda: (L.solve(a @ b, x), L.solve(b, L.solve(a, x))), points="usual"),
        "det prod": Expression(lambda: (L.det(a @ b), L.det(a) * L.det(b)), points="usual"),
        "inv inv": Expression(lambda: (L.inv(L.inv(a)), a), points="usual"),
        "A inv(A)": Expression(lambda: (a @ L.inv(a) @ x, x), points="usual"),
        "AT.T": Expression(lambda: (a.T.T @ x, a @ x), points="usual"),
        "log det": Expression(lambda: (T.log(abs(L.det(a))), L.slogdet(a)[1]), points="usual"),
        "inv scaled": Expression(lambda: (L.inv(2.0 * a), L.inv(a) / 2), points="usual"),
        "chain vec": Expression(lambda: (a @ b @ c @ x, a @ (b @ (c @ x))), points="usual"),
        "AB + AC": Expression(lambda: (a @ b + a @ c, a @ (b + c)), points="usual"),
        "quad": Expression(lambda: (x @ L.inv(a) @ y, x @ L.solve(a, y)), points="usual"),
        "inv diag": Expression(lambda: (L.inv(T.diag(x)), T.diag(1 / x)), points="usual"),
        "det diag": Expression(lambda: (L.det(T.diag(x)), T.prod(x)), points="usual"),
        "tril tril": Expression(lambda: (T.tril(T.tril(a)), T.tril(a))),
        "triu of T": Expression(lambda: (T.triu(a.T).T, T.tril(a))),
        "chol logdet": Expression(
            lambda: (T.log(L.det(a @ a.T + T.eye(a.shape[0]))), T.log(L.det(a @ a.T + T.eye(a.shape[0])))),
            points="usual",
        ),
        "solve eye": Expression(lambda: (L.solve(a, T.eye(a.shape[0])), L.inv(a)), points="usual"),
        "det T": Expression(lambda: (L.det(a.T), L.det(a)), points="usual"),
        "det inv 2": Expression(lambda: (L.det(L.inv(a)), 1 / L.det(a)), points="usual"),
        "A^T A quad": Expression(lambda: (x @ (a.T @ (a @ x)), T.sum((a @ x) ** 2)), points="usual"),
        "matrix_power": Expression(lambda: (a @ a @ a @ a, (lambda v: v @ v)(a @ a)), points="usual"),
        "(A+B)x - Bx": Expression(lambda: ((a + b) @ x - b @ x, a @ x), points="usual"),
        "trace inv prod": Expression(lambda: (T.trace(L.inv(a) @ b), T.trace(L.solve(a, b))), points="usual"),
        "norm sq": Expression(lambda: (L.norm(x) ** 2, T.sum(x**2)), points="usual"),
        "dot T T": Expression(lambda: ((a.T @ b.T).T, b @ a), points="usual"),
        "inv of product": Expression(lambda: (L.inv(a @ b), L.inv(b) @ L.inv(a)), points="usual"),
        "solve_tri of diag": Expression(lambda: (L.solve(T.diag(x), y), y / x), points="usual"),
        "Ax.Ay": Expression(lambda: (T.dot(a @ x, y), T.dot(x, y @ a)), points="usual"),
    },
    "loops": {
        "order in step": Expression(
            lambda: (
                [loop(lambda u, h: h * u + s, [x], t), loop(lambda u, h: s + u * h, [x], t)],
                both(loop(lambda u, h: h * u + s, [x], t)),
            ),
            points="usual one none",
        ),
        "map loop": Expression(
            lambda: (loop(lambda u: T.tanh(u) * 2, [x]), T.tanh(x) * 2), points="usual one none"
        ),
        "sum loop": Expression(
            lambda: (loop(lambda u, h: h + u, [x], s)[-1], s + T.sum(x)), points="usual one large"
        ),
        "cumsum loop": Expression(
            lambda: (loop(lambda u, h: h + u, [x], T.constant(0.0)), T.cumsum(x)), points="usual one large"
        ),
        "prod loop": Expression(
            lambda: (loop(lambda u, h: h * u, [x], T.constant(1.0))[-1], T.prod(x)), points="usual one"
        ),
        "max loop": Expression(
            lambda: (loop(lambda u, h: T.maximum(h, u), [x], s)[-1], T.maximum(s, T.max(x))),
            points="usual one",
        ),
        "dot leaves": Expression(
            lambda: (
                loop(lambda row, h: T.tanh(T.dot(row, b) + h), [a], y),
                loop(lambda row, h: T.tanh(row + h), [T.dot(a, b)], y),
            ),
            points="usual one",
        ),
        "invariant leaves": Expression(
            lambda: (
                loop(lambda u, h: h * e(s) + u, [x], t),
                (lambda v: loop(lambda u, h: h * v + u, [x], t))(e(s)),
            ),
            points="usual one none",
        ),
        "rows dot": Expression(
            lambda: (loop(lambda row: T.dot(row, y), [a]), T.dot(a, y)), points="usual one"
        ),
        "row sums": Expression(
            lambda: (loop(lambda row: T.sum(row**2), [a]), T.sum(a**2, axis=1)), points="usual one none"
        ),
        "outer sum 2": Expression(
            lambda: (
                loop(lambda u, v, h: h + T.outer(u, v), [a, b], T.zeros((a.shape[1], b.shape[1])))[-1],
                T.dot(a.T, b),
            ),
            points="usual one",
        ),
        "count loop": Expression(
            lambda: (loop(lambda h: h + 1.0, (), s, n_steps=n)[-1], s + n), points="usual", ints=(1, 5)
        ),
        "backwards": Expression(
            lambda: (loop(lambda u: u * 2, [x], go_backwards=True), 2 * x[::-1]), points="usual one none"
        ),
        "horner": Expression(
            lambda: (loop(lambda u, h: h + u * 0.0, [x], s)[-1], s + 0 * T.sum(x)), points="usual one"
        ),
        "fibonacci order": Expression(
            lambda: (
                [
                    loop(lambda u, h: T.minimum(h, u) - 1, [x], t),
                    loop(lambda u, h: T.minimum(u, h) - 1, [x], t),
                ],
                both(loop(lambda u, h: T.minimum(h, u) - 1, [x], t)),
            ),
            points="usual one none",
        ),
        "last of map": Expression(lambda: (loop(lambda u: e(u), [x])[-1], e(x[-1])), points="usual one"),
        "after loop": Expression(
            lambda: (
                loop(lambda u, h: T.tanh(h + u), [a], y)[-1] * 2,
                2 * loop(lambda u, h: T.tanh(h + u), [a], y)[-1],
            ),
            points="usual one",
        ),
        "mean loop": Expression(
            lambda: (loop(lambda u, h: h + u / x.shape[0], [x], T.constant(0.0))[-1], T.mean(x)),
            points="usual one",
        ),
        "dot after": Expression(
            lambda: (loop(lambda u, h: [T.tanh(h + u)], [a], y), loop(lambda u, h: T.tanh(u + h), [a], y)),
            points="usual one",
        ),
        "output dot leaves": Expression(
            lambda: (
                eqsat.scan(lambda u, h: [T.tanh(h + u), T.dot(T.tanh(h + u), b)], [a], [y, None])[0][1],
                T.dot(loop(lambda u, h: T.tanh(h + u), [a], y), b),
            ),
            points="usual one",
        ),
        "log-sum loop": Expression(
            lambda: (T.log(loop(lambda u, h: h + e(u), [x], T.constant(0.0))[-1]), T.logsumexp(x)),
            points="usual one",
        ),
    },
}
