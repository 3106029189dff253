"""Expressions with joins, reductions, movements, lengths and indices."""

from __future__ import annotations

import numpy as np

import eqsat.tensor as T
from tests.rules.expression import (
    Expression,
    V,
    X,
    Y,
    a,
    b,
    e,
    f1,
    iv,
    jv,
    k,
    loop,
    n,
    r,
    s,
    softmax,
    t,
    t3,
    x,
    y,
    z,
)

FAMILIES: dict[str, dict[str, Expression]] = {
    "sums and extrema of joins and fills": {
        "max of stack axis0 then max": Expression(
            lambda: (T.max(T.stack([x, y, z])), T.maximum(T.maximum(T.max(x), T.max(y)), T.max(z))),
            points="usual large one",
        ),
        "mean of concat": Expression(
            lambda: (T.mean(T.concatenate([x, y])), (T.sum(x) + T.sum(y)) / (x.shape[0] + y.shape[0]))
        ),
        "sum of sqr of concat": Expression(
            lambda: (T.sum(T.concatenate([x, y]) ** 2), T.dot(x, x) + T.dot(y, y))
        ),
        "prod of concat": Expression(lambda: (T.prod(T.concatenate([x, y])), T.prod(x) * T.prod(y))),
        "all of stack": Expression(lambda: (T.all(T.stack([x > 0, y > 0]), axis=0), T.and_(x > 0, y > 0))),
        "any of stack3": Expression(
            lambda: (T.any(T.stack([x > 0, y > 0, z > 0]), axis=0), T.or_(T.or_(x > 0, y > 0), z > 0))
        ),
        "sum of alloc": Expression(lambda: (T.sum(T.alloc(s, n, k)), s * n * k), ints=(0, 4)),
        "mean of zeros_like": Expression(lambda: (T.sum(T.zeros_like(a) + s), s * a.size)),
        "concat zeros sum": Expression(
            lambda: (T.sum(T.concatenate([x, T.zeros((n,))])), T.sum(x)), ints=(0, 4)
        ),
        "sum pad": Expression(lambda: (T.sum(T.pad(x, (2, 3))), T.sum(x))),
        "sum of repeat": Expression(lambda: (T.sum(T.repeat(x, 3)), 3 * T.sum(x))),
        "sum of tile": Expression(lambda: (T.sum(T.tile(x, 3)), 3 * T.sum(x))),
        "max of tile": Expression(lambda: (T.max(T.tile(x, 3)), T.max(x)), points="usual large one"),
        "argmax of scalar + x": Expression(lambda: (T.argmax(s + x), T.argmax(x)), points="usual large one"),
        "norm of concat": Expression(
            lambda: (T.sqrt(T.sum(T.stack([x, y], axis=1) ** 2, axis=1)), T.sqrt(x**2 + y**2))
        ),
        "logsumexp of stack2": Expression(lambda: (T.logsumexp(T.stack([x, y]), axis=0), T.logaddexp(x, y))),
        "max stack scalars": Expression(lambda: (T.max(T.stack([s, t, r])), T.maximum(T.maximum(s, t), r))),
        "sum stack scalars": Expression(lambda: (T.sum(T.stack([s, t, r])), s + t + r)),
    },
    "what orders elements, of monotone functions": {
        "min exp neg": Expression(lambda: (T.min(e(-x)), e(-T.max(x))), points="usual large one"),
        "argmax log softmax": Expression(
            lambda: (T.argmax(T.log_softmax(a, axis=1), axis=1), T.argmax(a, axis=1)),
            points="usual large one",
        ),
        "argmin sigmoid": Expression(
            lambda: (T.argmin(T.sigmoid(x * 2 + 1)), T.argmin(x)), points="usual one"
        ),
        "max tanh of scaled neg": Expression(
            lambda: (T.max(T.tanh(-2 * x)), T.tanh(-2 * T.min(x))), points="usual large one"
        ),
        "sort of affine": Expression(
            lambda: (T.sort(2 * x + 1), 2 * T.sort(x) + 1), points="usual large one"
        ),
        "sort arctan": Expression(
            lambda: (T.sort(T.arctan(x))[0], T.arctan(T.min(x))), points="usual large one"
        ),
        "argsort exp": Expression(lambda: (T.argsort(e(x)), T.argsort(x)), points="usual one"),
        "max sqrt sum sq": Expression(
            lambda: (T.max(T.sqrt(T.sum(a**2, 1))), T.sqrt(T.max(T.sum(a**2, 1)))), points="usual large one"
        ),
        "max of abs": Expression(lambda: (T.max(abs(-x)), T.max(abs(x))), points="usual large one"),
        "max cast": Expression(
            lambda: (T.max(T.cast(f1, "float64")), T.cast(T.max(f1), "float64")), points="usual large one"
        ),
        "min of relu": Expression(
            lambda: (T.max(T.maximum(x, 0.0)), T.maximum(T.max(x), 0.0)), points="usual large one"
        ),
        "max of clip": Expression(
            lambda: (T.max(T.clip(x, -1, 1)), T.clip(T.max(x), -1, 1)), points="usual large one"
        ),
        "max of where": Expression(
            lambda: (T.max(T.switch(x > 0, x, 0)), T.maximum(T.max(x), 0)), points="usual large one"
        ),
        "log sum as argmax": Expression(
            lambda: (T.argmax(T.sum(a, 1) / a.shape[1]), T.argmax(T.sum(a, 1))), points="usual one"
        ),
        "max erf expm1": Expression(
            lambda: (T.max(T.erf(T.expm1(a)), axis=0), T.erf(T.expm1(T.max(a, axis=0)))),
            points="usual large one",
        ),
        "sort desc": Expression(lambda: (-T.sort(-x), T.sort(x)[::-1]), points="usual large one"),
        "median of sort": Expression(lambda: (T.argsort(-x)[0], T.argmax(x)), points="usual one"),
        "max of maximum": Expression(
            lambda: (T.max(T.maximum(x, s)), T.maximum(T.max(x), s)), points="usual large one"
        ),
        "max of outer add": Expression(
            lambda: (T.max(x[:, None] + y[None, :]), T.max(x) + T.max(y)), points="usual large one"
        ),
        "max of exp outer": Expression(
            lambda: (T.max(e(x[:, None]) * e(y[None, :])), e(T.max(x) + T.max(y))), points="usual one"
        ),
    },
    "running sums and products": {
        "cumsum last col": Expression(
            lambda: (T.cumsum(a, axis=1)[:, -1], T.sum(a, axis=1)), points="usual large one"
        ),
        "cumsum second": Expression(lambda: (T.cumsum(x)[1], x[0] + x[1]), points="usual large one"),
        "cumprod first rows": Expression(lambda: (T.cumprod(a, axis=0)[0], a[0]), points="usual large one"),
        "diff cumsum": Expression(lambda: (T.diff(T.cumsum(x)), x[1:])),
        "cumsum of scaled": Expression(lambda: (T.cumsum(s * x), s * T.cumsum(x))),
        "cummax last": Expression(lambda: (T.cummax(x)[-1], T.max(x)), points="usual large one"),
        "cumsum + cumsum": Expression(lambda: (T.cumsum(x) + T.cumsum(y), T.cumsum(x + y))),
        "cumsum cols of T": Expression(lambda: (T.cumsum(a.T, axis=0).T, T.cumsum(a, axis=1))),
        "cumsum of row part": Expression(lambda: (T.cumsum(a, axis=1)[2], T.cumsum(a[2])), points="usual"),
        "cumsum mean": Expression(lambda: (T.cumsum(x - s), T.cumsum(x) - s * (1 + T.arange(x.shape[0])))),
    },
    "lengths": {
        "x[:n].shape": Expression(lambda: (x[:n].shape[0], T.minimum(n, x.shape[0])), ints=(0, 6)),
        "alloc shape": Expression(lambda: (T.alloc(s, n).shape[0], n), ints=(0, 6)),
        "concat len": Expression(lambda: (T.concatenate([x, y]).shape[0], x.shape[0] + y.shape[0])),
        "concat minus": Expression(lambda: (T.concatenate([x, y]).shape[0] - y.shape[0], x.shape[0])),
        "reshape len": Expression(lambda: (a.reshape((-1,)).shape[0], a.shape[0] * a.shape[1])),
        "x[1:] len": Expression(lambda: (e(x)[1:].shape[0], T.maximum(x.shape[0] - 1, 0))),
        "x[n:] + x[:n]": Expression(lambda: (x[:n].shape[0] + x[n:].shape[0], x.shape[0]), ints=(0, 6)),
        "dot shape": Expression(lambda: (T.dot(a, b).shape[0] * 2, 2 * a.shape[0])),
        "rep": Expression(lambda: (T.repeat(x, 3).shape[0], 3 * x.shape[0])),
        "tile": Expression(lambda: (T.tile(x, 2).shape[0], 2 * x.shape[0])),
        "arange index": Expression(lambda: (x[T.arange(x.shape[0])], x)),
        "x[::2] len": Expression(lambda: (x[::2].shape[0], (x.shape[0] + 1) // 2)),
        "sort size": Expression(lambda: (T.sort(e(x)).size, x.size)),
        "diag len": Expression(lambda: (T.diag(x).shape[1], x.shape[0])),
        "transposed": Expression(lambda: (a.T.shape[0], a.shape[1])),
        "scan len": Expression(lambda: (loop(lambda u: u * 2, [x]).shape[0], x.shape[0])),
        "flip arange": Expression(lambda: (T.arange(n)[::-1], T.arange(n - 1, -1, -1)), ints=(0, 6)),
    },
    "movements": {
        "flip flip": Expression(lambda: (x[::-1][::-1], x)),
        "reshape reshape": Expression(lambda: (a.reshape((-1,)).reshape(a.shape), a)),
        "sum reshape": Expression(lambda: (T.sum(a.reshape((-1,))), T.sum(a))),
        "exp T T": Expression(lambda: (e(a.T).T, e(a))),
        "flip reduce": Expression(lambda: (T.sum(a[::-1], axis=0), T.sum(a, axis=0))),
        "stack index": Expression(lambda: (T.stack([x, y])[0] + T.stack([x, y])[1], x + y)),
        "swap swap": Expression(lambda: (T.swapaxes(T.swapaxes(t3, 0, 1), 0, 1), t3)),
        "f of tile": Expression(lambda: (e(T.tile(x, 3)), T.tile(e(x), 3))),
        "f of repeat": Expression(lambda: (T.tanh(T.repeat(x, 5)), T.repeat(T.tanh(x), 5))),
        "split join": Expression(lambda: (T.concatenate([x[:2], x[2:]]), x)),
        "transpose dims": Expression(lambda: (t3.transpose(1, 2, 0).transpose(2, 0, 1), t3)),
        "squeeze expand": Expression(lambda: (T.squeeze(T.expand_dims(x, 0), 0), x)),
        "flip dot flip": Expression(lambda: (T.dot(x[::-1], y[::-1]), T.dot(x, y))),
        "roll sum": Expression(lambda: (T.sum(T.roll(a, 1, axis=0), axis=0), T.sum(a, axis=0))),
        "flip sort": Expression(lambda: (T.sort(x[::-1]), T.sort(x)), points="usual large one"),
        "dot of perm": Expression(lambda: (T.sum(a.T * b.T), T.sum(a * b))),
        "argmax flip": Expression(lambda: (T.max(x[::-1]), T.max(x)), points="usual large one"),
        "atleast": Expression(lambda: (T.max(a.ravel()), T.max(a)), points="usual large one"),
        "repeat sum axis": Expression(lambda: (T.sum(T.repeat(a, 2, axis=0), axis=0), 2 * T.sum(a, axis=0))),
        "sum stack axis": Expression(lambda: (T.stack([x, y, z], axis=1).sum(axis=1), x + y + z)),
    },
    "indices": {
        "gather gather": Expression(lambda: (x[iv][jv], x[iv[jv]]), points="usual one", ints=(0, 1)),
        "exp gather": Expression(lambda: (e(x)[iv], e(x[iv])), points="usual one", ints=(0, 1)),
        "set read": Expression(lambda: (T.set_subtensor(x[1], s)[1], s), points="usual"),
        "set read other": Expression(lambda: (T.set_subtensor(x[1], s)[0], x[0]), points="usual"),
        "inc read": Expression(lambda: (T.inc_subtensor(x[1], s)[1], x[1] + s), points="usual"),
        "set set": Expression(
            lambda: (T.set_subtensor(T.set_subtensor(x[1], t)[1], s), T.set_subtensor(x[1], s)),
            points="usual",
        ),
        "set slice read": Expression(lambda: (T.set_subtensor(x[:2], y[:2])[:2], y[:2]), points="usual"),
        "rows of product": Expression(lambda: ((a @ b)[1], a[1] @ b), points="usual"),
        "elem of product": Expression(lambda: ((a @ b)[1, 2], T.dot(a[1], b[:, 2])), points="usual"),
        "gather rows of product": Expression(lambda: ((a @ b)[iv], a[iv] @ b), points="usual", ints=(0, 2)),
        "take of fill": Expression(lambda: (T.full_like(x, s)[0], s), points="usual"),
        "sum of gather of exp": Expression(
            lambda: (T.sum(T.log(e(x)[iv])), T.sum(x[iv])), points="usual", ints=(0, 1)
        ),
        "row of outer": Expression(lambda: (T.outer(x, y)[1], x[1] * y), points="usual"),
        "softmax row": Expression(lambda: (softmax(a)[0], softmax(a[0:1])[0]), points="usual"),
        "take reversed": Expression(lambda: (x[::-1][0], x[-1]), points="usual"),
        "gather of scaled": Expression(lambda: ((s * x)[iv], s * x[iv]), points="usual", ints=(0, 1)),
    },
    "constants of one number": {
        "const of ones": Expression(lambda: (x * np.ones(3), x + 0 * x), points="usual", dims={"x": "m"}),
        "dot with const ones": Expression(lambda: (T.dot(X, np.ones(40)), T.sum(X, 1)), points="usual"),
        "sum of const full": Expression(lambda: (T.sum(V * np.full(40, 3.0)), 3 * T.sum(V)), points="usual"),
        "const zeros": Expression(lambda: (X + np.zeros((30, 40)), X), points="usual large"),
        "const ones pow": Expression(lambda: (X ** np.full((30, 40), 2.0), T.sqr(X)), points="usual"),
        "const div": Expression(lambda: (X / np.full((1, 40), 2.0), X * 0.5), points="usual"),
        "max const": Expression(
            lambda: (T.maximum(T.maximum(X, np.zeros(40)), 0), T.maximum(X, 0)), points="usual"
        ),
        "softmax plus const": Expression(
            lambda: (softmax(X + np.full((30, 40), 3.0)), softmax(X)), points="usual"
        ),
        "eye const": Expression(lambda: (T.dot(np.eye(30), X), X), points="usual"),
        "log of const": Expression(
            lambda: (T.log(X * np.full((30, 1), np.e)), T.log(X * np.e)), points="usual", positive=True
        ),
        "switch const": Expression(lambda: (T.switch(np.ones((30, 40), bool), X, Y), X), points="usual"),
    },
}
