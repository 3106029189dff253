"""Elementwise expressions, and stable forms."""

from __future__ import annotations

import numpy as np

import eqsat.tensor as T
from tests.rules.expression import (
    Z1,
    Expression,
    L,
    a,
    b,
    e,
    f1,
    i8,
    iv,
    jv,
    p,
    pm,
    q,
    s,
    softmax,
    t,
    u8,
    w,
    x,
    y,
    z,
)

FAMILIES: dict[str, dict[str, Expression]] = {
    "choices and comparisons": {
        "switch T F": Expression(lambda: (T.switch(x > y, True, False), x > y)),
        "switch F T": Expression(lambda: (T.switch(x > y, False, True), ~(x > y))),
        "nested same": Expression(lambda: (T.switch(x > y, T.switch(x > y, x, z), y), T.switch(x > y, x, y))),
        "nested not": Expression(lambda: (T.switch(x > y, x, T.switch(x > y, z, w)), T.switch(x > y, x, w))),
        "and self": Expression(lambda: (T.and_(p, p), p)),
        "absorb": Expression(lambda: (T.or_(p, T.and_(p, q)), p)),
        "demorgan": Expression(lambda: (~T.and_(~p, ~q), T.or_(p, q))),
        "exp compare": Expression(lambda: (e(x) > e(y), x > y), points="usual one"),
        "log compare": Expression(lambda: (T.log(x) < T.log(y), x < y), points="usual one", positive=True),
        "switch not": Expression(lambda: (T.switch(~p, x, y), T.switch(p, y, x))),
        "switch op": Expression(lambda: (T.switch(x > 0, x + y, x + z), x + T.switch(x > 0, y, z))),
        "f switch": Expression(
            lambda: (T.switch(p, e(x), e(y)), e(T.switch(p, x, y))), points="usual special"
        ),
        "sum of switch 0": Expression(lambda: (T.sum(T.switch(p, x, 0.0)), T.dot(p, x)), points="usual"),
        "mult of cond": Expression(
            lambda: (T.cast(p, "float64") * T.cast(q, "float64"), T.cast(T.and_(p, q), "float64"))
        ),
        "max by switch": Expression(lambda: (T.switch(x < y, y, x), T.maximum(x, y)), points="usual large"),
        "clip by switches": Expression(
            lambda: (T.switch(x < -1, -1, T.switch(x > 1, 1, x)), T.clip(x, -1, 1)), points="usual large"
        ),
        "abs by switch": Expression(lambda: (T.switch(x < 0, -x, x), abs(x)), points="usual large"),
        "x*1 > 0": Expression(lambda: (2 * x > 2 * y, x > y), points="usual one"),
        "x-y > 0": Expression(lambda: (x - y > 0, x > y), points="usual one"),
        "sq compare": Expression(lambda: (T.sqrt(x) > T.sqrt(y), x > y), points="usual one", positive=True),
        "beside max": Expression(lambda: (T.eq(x, T.maximum(x, y)), y <= x)),
        "below max": Expression(lambda: (x < T.maximum(x, y), x < y)),
        "above min never": Expression(lambda: (T.minimum(x, y) > x, x < x), points="usual one"),
        "own size": Expression(lambda: (x < abs(x), x < 0)),
        "own negative": Expression(lambda: (-x >= x, x <= 0)),
        "max with exp": Expression(lambda: (T.maximum(x, e(x)), e(x))),
        "min with log1p": Expression(
            lambda: (T.minimum(T.log1p(x), x), T.log1p(x)), points="usual", positive=True
        ),
        "max beside sum": Expression(lambda: (T.maximum(x, x + T.sqr(y)), x + T.sqr(y)), points="usual one"),
        "neg of max of neg": Expression(lambda: (-T.maximum(x, -y), T.minimum(-x, y))),
        "sign of sign": Expression(lambda: (T.sign(T.sign(x)), T.sign(x))),
        "size of known sign": Expression(
            lambda: (abs(T.sinh(T.sqr(x))), T.sinh(T.sqr(x))), points="usual one"
        ),
        "all bits": Expression(lambda: ((iv & -1) ^ (jv | 0), iv ^ jv)),
        "not by arithmetic": Expression(lambda: (-iv - 1, ~iv)),
        "with its not": Expression(lambda: (iv + ~iv, iv | -1)),
        "truths differ": Expression(lambda: (T.eq(p, ~q), p ^ q)),
        "neg compare": Expression(lambda: (-x > -y, x < y)),
        "not eq": Expression(lambda: (~T.eq(x, y), T.neq(x, y))),
        "and of compare": Expression(
            lambda: (T.and_(x > s, x > t), x > T.maximum(s, t)), points="usual none"
        ),
        "xor true": Expression(lambda: (T.xor(p, True), ~p)),
        "any not": Expression(lambda: (~T.any(~pm, axis=1), T.all(pm, axis=1))),
        "x+1>y+1": Expression(lambda: (x + 1 > y + 1, x > y), points="usual none"),
        "iv+1>jv+1": Expression(lambda: (T.switch(iv >= 0, iv, -iv), abs(iv)), ints=(-3, 3)),
        "and/or distribute": Expression(lambda: (T.or_(T.and_(p, q), T.and_(p, ~q)), p)),
        "switch switch cond": Expression(
            lambda: (T.switch(T.switch(p, q, False), x, y), T.switch(T.and_(p, q), x, y))
        ),
        "switch p 1 q": Expression(lambda: (T.switch(p, True, q), T.or_(p, q))),
    },
    "powers and multiples with something between": {
        "square below": Expression(lambda: (x / T.sqr(y) * y, x / y), points="usual", positive=True),
        "square below, twice": Expression(
            lambda: (x / T.sqr(y) * (2 * y), 2 * (x / y)), points="usual", positive=True
        ),
        "product below": Expression(lambda: (x / (y * y) * y, x / y), points="usual", positive=True),
        "above a square": Expression(lambda: (x * y / T.sqr(y), x / y), points="usual", positive=True),
        "sum squared": Expression(
            lambda: (x / (T.sqr(y) + 1) ** 2 * (T.sqr(y) + 1), x / (T.sqr(y) + 1)), points="usual"
        ),
        "a multiple beside": Expression(
            lambda: (x / (T.sqr(y) + 1) * ((T.sqr(y) + 1) * 2), x * 2), points="usual"
        ),
        "factors beside": Expression(
            lambda: (x / (T.sqr(y) + 1) ** 2 * ((T.sqr(y) + 1) * z), x / (T.sqr(y) + 1) * z), points="usual"
        ),
        "root below": Expression(lambda: (x / T.sqrt(y) * y, x * T.sqrt(y)), points="usual", positive=True),
        "root twice": Expression(
            lambda: (x / T.sqrt(T.sqr(y) + 1) / T.sqrt(T.sqr(y) + 1), x / (T.sqr(y) + 1)), points="usual"
        ),
        "in turn": Expression(lambda: (x / T.sqr(y) / z * y, x / y / z), points="usual", positive=True),
        "quotients of quotients": Expression(
            lambda: ((x / T.sqr(y)) / (z / y), x / y / z), points="usual", positive=True
        ),
        "cube below": Expression(lambda: (x / y**3 * y, x / T.sqr(y)), points="usual", positive=True),
        "squares over difference": Expression(lambda: ((x * x - y * y) / (x - y), x + y), points="usual"),
        "square and number": Expression(lambda: ((x**2 - 4) / (x + 2), x - 2), points="usual"),
        "less twice, and one": Expression(lambda: (x - 2 * y + y, x - y), points="usual"),
        "three more, less one": Expression(lambda: (x + 3 * y - y, x + 2 * y), points="usual"),
        "less a product": Expression(lambda: ((x - y * z) + y * z * 2, x + y * z), points="usual"),
    },
    "angles and hyperbolic functions": {
        "2sc": Expression(lambda: (2 * T.sin(x) * T.cos(x), T.sin(2 * x)), points="usual"),
        "c2-s2": Expression(lambda: (T.cos(x) ** 2 - T.sin(x) ** 2, T.cos(2 * x)), points="usual"),
        "tan": Expression(lambda: (T.sin(x) / T.cos(x), T.tan(x)), points="usual"),
        "1+tan2": Expression(lambda: (1 + T.tan(x) ** 2, 1 / T.cos(x) ** 2), points="usual"),
        "sinh/cosh": Expression(lambda: (T.sinh(x) / T.cosh(x), T.tanh(x)), points="usual large one"),
        "cosh+sinh": Expression(lambda: (T.cosh(x) + T.sinh(x), e(x)), points="usual one"),
        "arctan tan": Expression(lambda: (T.tan(T.arctan(x)), x), points="usual large one"),
        "cos neg": Expression(lambda: (T.cos(-x) + T.sin(-y), T.cos(x) - T.sin(y)), points="usual"),
        "1-cos2": Expression(lambda: (1 - T.cos(x) ** 2, T.sin(x) ** 2), points="usual"),
        "sin/cos pair prod": Expression(lambda: (T.tan(x) * T.cos(x), T.sin(x)), points="usual"),
        "sech": Expression(lambda: (2 / (e(x) + e(-x)), 1 / T.cosh(x)), points="usual large one"),
        "arcsinh": Expression(lambda: (T.log(x + T.sqrt(x**2 + 1)), T.arcsinh(x)), points="usual large"),
        "arctanh": Expression(lambda: (0.5 * T.log((1 + x) / (1 - x)), T.arctanh(x)), points="usual"),
        "2cosh2-1": Expression(lambda: (2 * T.cosh(x) ** 2 - 1, T.cosh(2 * x)), points="usual"),
        "cos2+": Expression(lambda: (2 * T.cos(x) ** 2 - 1, T.cos(2 * x)), points="usual"),
        "coshes": Expression(lambda: ((e(x) + e(-x)) / 2, T.cosh(x)), points="usual large one"),
        "tanh/2": Expression(lambda: (T.sinh(x) / (1 + T.cosh(x)), T.tanh(x / 2)), points="usual"),
    },
    "quotients and powers": {
        "1/(1/x)": Expression(lambda: (1 / (1 / x), x), points="usual"),
        "x/x**2": Expression(lambda: (x / x**2, 1 / x), points="usual"),
        "x**3/x": Expression(lambda: (x**3 / x, x**2), points="usual"),
        "x**1.5": Expression(lambda: (x**1.5, x * T.sqrt(x)), points="usual", positive=True),
        "a*b/b*c": Expression(lambda: (x * y / y * z, x * z), points="usual"),
        "div of sum": Expression(lambda: ((x + y) / s - x / s, y / s), points="usual"),
        "x/s + y/s": Expression(lambda: (x / s + y / s, (x + y) / s), points="usual"),
        "exp^n": Expression(lambda: (e(x) ** 3, e(3 * x)), points="usual"),
        "2**x": Expression(lambda: (2.0**x, T.exp2(x)), points="usual"),
        "log2 exp2": Expression(lambda: (T.log2(T.exp2(x)), x), points="usual"),
        "x*x*x*x/x": Expression(lambda: (x * x * x * x / (x * x), x * x), points="usual"),
        "abs^2": Expression(lambda: (abs(x) ** 2, x**2), points="usual large"),
        "sgn*abs": Expression(lambda: (T.sgn(x) * abs(x), x), points="usual large"),
        "x/abs": Expression(lambda: (x / abs(x), T.sgn(x)), points="usual large"),
        "n*m//m": Expression(lambda: (iv // 3 * 3 + iv % 3, iv), ints=(-9, 9)),
        "c1x+c2x": Expression(lambda: (0.3 * x + 0.7 * x, x), points="usual"),
    },
    "dtypes": {
        "f32 log1p": Expression(lambda: (T.log(1 + f1), T.log1p(f1)), points="usual"),
        "f32 softplus": Expression(lambda: (T.log(1 + e(f1)), T.softplus(f1)), points="usual large"),
        "conj conj": Expression(lambda: (T.conj(T.conj(Z1)), Z1), points="usual"),
        "abs2": Expression(
            lambda: (T.real(Z1 * T.conj(Z1)), T.real(Z1) ** 2 + T.imag(Z1) ** 2), points="usual"
        ),
        "int8 add": Expression(lambda: (i8 + i8, i8 * 2), ints=(-120, 120)),
        "cast bool": Expression(lambda: (T.cast(T.cast(p, "int64"), "bool"), p)),
        "bool sum cast": Expression(lambda: (T.sum(T.cast(p, "float64")), T.cast(T.sum(p), "float64"))),
        "xor xor": Expression(lambda: (T.xor(T.xor(iv, jv), jv), iv), ints=(-5, 5)),
        "and or": Expression(lambda: (T.bitwise_and(iv, T.bitwise_or(iv, jv)), iv), ints=(-5, 5)),
        "not not": Expression(lambda: (~~iv, iv), ints=(-5, 5)),
        "dot of ints": Expression(lambda: (T.sum(iv * jv), T.dot(iv, jv)), ints=(-5, 5)),
        "cplx log exp": Expression(lambda: (T.conj(e(Z1)), e(T.conj(Z1))), points="usual"),
        "f32 sum cast": Expression(
            lambda: (
                T.cast(T.sum(T.cast(f1, "float64")), "float32"),
                T.cast(T.sum(T.cast(f1, "float64")), "float32"),
            ),
            points="usual",
        ),
        "int pow": Expression(lambda: (iv**2 * iv, iv**3), ints=(-5, 5)),
        "uint cast": Expression(lambda: (T.cast(T.cast(u8, "int64"), "uint8"), u8), ints=(0, 250)),
        "eq mask": Expression(lambda: (T.switch(T.eq(iv, jv), iv, jv), jv), ints=(-2, 2)),
    },
    "results that share work": {
        "sigmoid pair": Expression(
            lambda: ([T.sigmoid(x), 1 - T.sigmoid(x)], [T.sigmoid(x), T.sigmoid(-x)]), points="usual large"
        ),
        "sin2 cos2": Expression(
            lambda: ([T.sin(x) ** 2, T.cos(x) ** 2], (lambda v: [v, 1 - v])(T.sin(x) ** 2)), points="usual"
        ),
        "mean var": Expression(
            lambda: ([T.mean(x), T.var(x)], (lambda m: [m, T.mean((x - m) ** 2)])(T.mean(x))), points="usual"
        ),
        "sum mean": Expression(
            lambda: ([T.sum(x), T.mean(x)], (lambda v: [v, v / x.shape[0]])(T.sum(x))), points="usual"
        ),
        "exp expm1": Expression(lambda: ([e(x), T.expm1(x)], [e(x), T.expm1(x)]), points="usual"),
        "sinh cosh": Expression(lambda: ([T.sinh(x), T.cosh(x)], [T.sinh(x), T.cosh(x)]), points="usual"),
        "max argmax": Expression(lambda: ([T.max(x), T.argmax(x)], [T.max(x), T.argmax(x)]), points="usual"),
        "std var": Expression(
            lambda: ([T.std(x), T.var(x)], (lambda v: [T.sqrt(v), v])(T.var(x))), points="usual"
        ),
        "norm normalised": Expression(
            lambda: ([x / T.sqrt(T.sum(x**2)), T.sum(x**2)], (lambda v: [x / T.sqrt(v), v])(T.sum(x**2))),
            points="usual",
        ),
        "AB and (AB)T": Expression(
            lambda: ([T.dot(a, b), T.dot(b.T, a.T)], (lambda v: [v, v.T])(T.dot(a, b))), points="usual"
        ),
        "x^2 x^4": Expression(lambda: ([x**2, x**4], (lambda v: [v, v * v])(x**2)), points="usual"),
        "inv sqrt": Expression(
            lambda: ([T.sqrt(x), 1 / T.sqrt(x)], (lambda v: [v, 1 / v])(T.sqrt(x))), points="usual"
        ),
        "det inv": Expression(
            lambda: ([L.inv(a), L.inv(a.T)], (lambda v: [v, v.T])(L.inv(a))), points="usual"
        ),
        "sort max": Expression(
            lambda: ([T.sort(x), T.max(x)], (lambda v: [v, v[-1]])(T.sort(x))), points="usual"
        ),
    },
    "stable forms with something between": {
        "log of weighted softmax": Expression(
            lambda: (T.log(0.5 * softmax(a)), T.log(0.5) + T.log_softmax(a, axis=1)), points="usual one"
        ),
        "log of picked softmax": Expression(
            lambda: (
                T.log(softmax(a)[T.arange(iv.shape[0]), iv]),
                T.log_softmax(a, axis=1)[T.arange(iv.shape[0]), iv],
            ),
            points="usual large",
        ),
        "log of transposed softmax": Expression(
            lambda: (T.log(softmax(a).T), T.log_softmax(a, axis=1).T), points="usual one"
        ),
        "log switch sigmoid": Expression(
            lambda: (
                T.log(T.switch(y > 0, T.sigmoid(x), 1 - T.sigmoid(x))),
                -T.softplus(T.switch(y > 0, -x, x)),
            ),
            points="usual large",
        ),
        "mean log sigmoid": Expression(
            lambda: (T.mean(T.log(T.sigmoid(x))), -T.mean(T.softplus(-x))), points="usual large"
        ),
        "nll": Expression(
            lambda: (-T.mean(T.log(T.clip(softmax(a), 0, 1))), -T.mean(T.log_softmax(a, axis=1))),
            points="usual large",
        ),
        "log sum softmax rows": Expression(
            lambda: (T.log(T.sum(softmax(a) * b, axis=1)), T.log(T.sum(softmax(a) * b, axis=1))),
            points="usual large",
            positive=True,
        ),
        "kl": Expression(
            lambda: (
                T.sum(softmax(a) * (T.log(softmax(a)) - T.log(softmax(b)))),
                T.sum(softmax(a) * (T.log_softmax(a, axis=1) - T.log_softmax(b, axis=1))),
            ),
            points="usual large",
        ),
        "entropy": Expression(
            lambda: (
                -T.sum(softmax(a) * T.log(softmax(a)), axis=1),
                -T.sum(softmax(a) * T.log_softmax(a, axis=1), axis=1),
            ),
            points="usual large",
        ),
        "log of 1-exp(-x)": Expression(
            lambda: (T.log(1 - e(-x)), T.log1mexp(-x)), points="usual large", positive=True
        ),
        "log mean exp rows": Expression(
            lambda: (T.log(T.mean(e(a), axis=1)), T.logsumexp(a, axis=1) - T.log(a.shape[1])),
            points="usual large",
        ),
        "tanh from exp": Expression(
            lambda: ((e(2 * x) - 1) / (e(2 * x) + 1), T.tanh(x)), points="usual large"
        ),
        "tanh from both": Expression(
            lambda: ((e(x) - e(-x)) / (e(x) + e(-x)), T.tanh(x)), points="usual large"
        ),
        "softmax temp": Expression(
            lambda: (e(a / s) / T.sum(e(a / s), axis=1, keepdims=True), softmax(a / s)), points="usual large"
        ),
        "log odds": Expression(lambda: (T.log(T.sigmoid(x) / (1 - T.sigmoid(x))), x), points="usual large"),
        "logit": Expression(lambda: (T.log(s / (1 - s)), T.logit(s)), points="usual"),
        "hypot": Expression(lambda: (T.sqrt(x**2 + y**2), T.sqrt(x**2 + y**2)), points="usual"),
        "sum exp minus max": Expression(
            lambda: (
                T.log(T.sum(e(a - T.max(a, axis=1, keepdims=True)), axis=1)) + T.max(a, axis=1),
                T.logsumexp(a, axis=1),
            ),
            points="usual large",
        ),
        "log10 exp": Expression(
            lambda: (T.log10(T.sum(e(x))), T.logsumexp(x) / np.log(10)), points="usual large"
        ),
        "log1p of expm1": Expression(lambda: (T.log1p(T.expm1(x)), x), points="usual"),
        "attention": Expression(
            lambda: (T.dot(e(a) / T.sum(e(a), 1, keepdims=True), b), T.dot(softmax(a), b)),
            points="usual large",
        ),
        "softplus beta": Expression(
            lambda: (T.log(1 + e(2.0 * x)) / 2.0, T.softplus(2 * x) / 2), points="usual large"
        ),
        "binary xent": Expression(
            lambda: (-(y * T.log(T.sigmoid(x)) + (1 - y) * T.log(1 - T.sigmoid(x))), T.softplus(x) - x * y),
            points="usual",
        ),
        "log softmax reshaped mean": Expression(
            lambda: (T.mean(T.log(softmax(a).reshape((-1,)))), T.mean(T.log_softmax(a, axis=1))),
            points="usual large",
        ),
        "log prod sigmoid": Expression(
            lambda: (T.log(T.prod(T.sigmoid(x))), -T.sum(T.softplus(-x))), points="usual large"
        ),
        "log sqrt sigmoid": Expression(
            lambda: (T.log(T.sqrt(T.sigmoid(x))), -0.5 * T.softplus(-x)), points="usual large"
        ),
        "log inv softmax": Expression(
            lambda: (T.log(1 / softmax(a)), -T.log_softmax(a, axis=1)), points="usual large"
        ),
        "perplexity": Expression(
            lambda: (e(-T.mean(T.log(softmax(a)))), e(-T.mean(T.log_softmax(a, axis=1)))), points="usual"
        ),
        "log of joined+picked": Expression(
            lambda: (
                T.log(T.concatenate([T.sigmoid(x), T.sigmoid(y)])[iv]),
                -T.softplus(-T.concatenate([x, y]))[iv],
            ),
            points="usual large",
        ),
        "normal pdf log": Expression(
            lambda: (
                T.log(e(-0.5 * (x - s) ** 2) / T.sqrt(2 * np.pi)),
                -0.5 * (x - s) ** 2 - 0.5 * np.log(2 * np.pi),
            ),
            points="usual large",
        ),
        "geometric mean": Expression(
            lambda: (T.prod(x) ** (1 / 3.0), T.prod(x) ** (1 / 3.0)), points="usual", positive=True
        ),
        "arcsin of sin": Expression(lambda: (T.arcsin(T.sin(T.tanh(x))), T.tanh(x)), points="usual one"),
        "arccosh of cosh": Expression(lambda: (T.arccosh(T.cosh(x)), abs(x)), points="usual large one"),
        "sin of arccos": Expression(
            lambda: (T.sin(T.arccos(x)), T.sqrt((1 - x) * (1 + x))), points="usual one"
        ),
        "cos of arctan": Expression(
            lambda: (T.cos(T.arctan(x)), 1 / T.hypot(1, x)), points="usual large one"
        ),
        "neg sin of less": Expression(lambda: (-T.sin(x - y), T.sin(y - x)), points="usual one"),
        "squares": Expression(lambda: (T.sqr(x) * T.sqr(y), T.sqr(x * y)), points="usual one"),
        "squares over": Expression(
            lambda: (T.sqr(x) / T.sqr(y), T.sqr(x / y)), points="usual one", positive=True
        ),
        "product of squares": Expression(lambda: (T.prod(T.sqr(x)), T.sqr(T.prod(x))), points="usual one"),
        "over cube root": Expression(
            lambda: (x / T.cbrt(x), T.sqr(T.cbrt(x))), points="usual one", positive=True
        ),
        "cos of small": Expression(lambda: (1 - T.cos(x), 2 * T.sqr(T.sin(x / 2))), points="usual"),
        "sqrt diff": Expression(
            lambda: (T.sqrt(x + 1) - T.sqrt(x), 1 / (T.sqrt(x + 1) + T.sqrt(x))),
            points="usual",
            positive=True,
        ),
        "log cast sigmoid": Expression(
            lambda: (T.log(T.cast(T.sigmoid(f1), "float64")), -T.softplus(-T.cast(f1, "float64"))),
            points="usual large one none",
        ),
        "one less cast exp": Expression(
            lambda: (1 - T.cast(e(f1), "float64"), -T.expm1(T.cast(f1, "float64"))), points="usual one none"
        ),
    },
}
