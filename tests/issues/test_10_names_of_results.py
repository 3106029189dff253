"""A result without a name is called by the expression that it is, shortened, wherever somebody reads of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.core import Variable
from eqsat.printing.short_text import LONGEST, short

x, y = T.dvectors("x", "y")
A = T.dmatrix("A")
s = T.dscalar("s")
i = T.ivector("i")
n = T.lscalar("n")

TEXTS: list[tuple[Callable[[], Variable], str]] = [
    (lambda: T.sum(x * y), "sum(x * y)"),
    (lambda: x.mean(), "sum(x) / x.shape[0]"),
    (lambda: A.sum(0), "sum(A, axis=0)"),
    (lambda: A.max(1, keepdims=True), "max(A, axis=1)"),
    (lambda: T.argmax(A, axis=1), "argmax(A, axis=1)"),
    (lambda: T.softmax(A), "softmax(A, axis=1)"),
    (lambda: A + x, "A + x"),
    (lambda: x + i, "x + i"),
    (lambda: s + x, "s + x"),
    (lambda: x - (y - s), "x - (y - s)"),
    (lambda: (x - y) - s, "x - y - s"),
    (lambda: (x + 1) * (-x), "(x + 1) * -x"),
    (lambda: -(x + y), "-(x + y)"),
    (lambda: (x**2) ** y, "(x ** 2) ** y"),
    (lambda: (-x) ** 2, "(-x) ** 2"),
    (lambda: (x > 0) & (y < x), "(x > 0) & (y < x)"),
    (lambda: (x + 1)[1:], "(x + 1)[1:]"),
    (lambda: T.dot(A, x), "dot(A, x)"),
    (lambda: T.dot(x, y), "dot(x, y)"),
    (lambda: T.dot(A.T, A), "dot(A.T, A)"),
    (lambda: A.dimshuffle(0, "x", 1), "A[:, None, :]"),
    (lambda: A[n, 1:], "A[n, 1:]"),
    (lambda: A[0][::-1], "A[0][::-1]"),
    (lambda: x[i], "x[i]"),
    (lambda: x.shape[0], "x.shape[0]"),
    (lambda: A.shape, "A.shape"),
    (lambda: T.set_subtensor(x[0], s), "set_subtensor(x[0], s)"),
    (lambda: T.inc_subtensor(A[n, :2], 1.0), "inc_subtensor(A[n, :2], 1)"),
    (lambda: T.join(1, A, A), "concatenate(A, A, axis=1)"),
    (lambda: T.join(0, x, y, x, y, x, y), "concatenate(x, y, x, …, y)"),
    (lambda: T.cast(x, "float32"), "cast(x, dtype=float32)"),
    (lambda: T.reshape(A, (2, n)), "reshape(A, [2, n])"),
    (lambda: T.nlinalg.svd(A)[1], "svd(A, full=1)[1]"),
    (lambda: eqsat.scan(lambda a, h: h + a, x, T.constant(0.0))[0][-1], "scan(h[t] = h[t-1] + x[t])[-1]"),
    (lambda: T.exp(T.dvector()), "exp(<f64[?]>)"),
    (lambda: x * (1 / 3), "x * 0.333333"),
    (lambda: T.dvector("a_name_of_a_variable_that_does_not_end") + 1, "a_name_of_a_variable_th… + 1"),
]


@pytest.mark.parametrize(("make", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_expressions(make: Callable[[], Variable], text: str) -> None:
    assert str(make()) == repr(make()) == text


def test_names_are_kept_and_end_the_expression() -> None:
    loss = T.sum(x * y)
    loss.name = "loss"
    assert (str(loss), str(T.log(loss + 1))) == ("loss", "log(loss + 1)")


@pytest.mark.parametrize(
    "grow", [lambda v: T.sin(v) + v, lambda v: v[None][0], lambda v: v * v, lambda v: -v]
)
def test_large_graphs_have_short_names(grow: Callable[[Any], Any]) -> None:
    v: Any = x + y
    for _ in range(3000):
        v = grow(v)
    text = str(v)
    assert len(text) <= LONGEST and text.count("(") == text.count(")") and text == str(v)


def test_many_operands_and_large_constants_are_short() -> None:
    wide = T.concatenate([x + k for k in range(500)])
    assert len(str(wide)) <= LONGEST and len(str(x + np.arange(5000.0))) <= LONGEST
    assert len(short(T.log(T.exp(x) * (T.sqr(x) + 3 * x)), 20)) <= 20


def test_user_s_ops_and_graphs_of_ops() -> None:
    class Twice(eqsat.Op):
        __props__ = ("times",)
        itypes = otypes = [T.dvector]

        def __init__(self) -> None:
            self.times = 2

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = 2 * inputs[0]

    inside = eqsat.OpFromGraph([x, y], [x + y, x - y])
    assert str(Twice()(x + 1)) == "Twice(x + 1)"
    assert str(inside(x, y * 2)[1]) == "OpFromGraph(x, y * 2)[1]"


w = eqsat.shared(np.ones(3), "w")
total = T.sum(x * y)

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: eqsat.function([x, total], x), "no output depends on the input sum(x * y)"),
    (lambda: eqsat.function([x], total), "the graph needs y"),
    (lambda: eqsat.function([x, y], x, givens={total: x}), "the replacement of sum(x * y) has 1 dimensions"),
    (lambda: eqsat.function([x, y], x, updates=[(total, x)]), "sum(x * y)"),
    (lambda: T.grad(x * y, x), "the cost x * y has 1 dimensions"),
    (lambda: T.grad(total, [x.sum()]), "the cost does not depend on sum(x)"),
    (lambda: total[0], "sum(x * y) has 0 dimensions"),
    (lambda: bool(x.sum() > 0), "sum(x) > 0 has no truth value"),
    (lambda: T.join(0, x.sum(0, keepdims=True), A), "sum(x)"),
    (lambda: T.dot(x[:2], A[:3][None]).eval({x: [1.0, 2.0], A: np.ones((3, 4))}), ""),
    (lambda: (T.sqr(A)[n]).eval({A: np.ones((2, 2)), n: 5}), "index 5 is outside axis 0"),
    (
        lambda: eqsat.scan(lambda a: a, x[1:], n_steps=n)[0].eval({x: [1.0], n: 3}, mode="FAST_COMPILE"),
        "x[1:]",
    ),
    (lambda: eqsat.optimize(total, shape_hints={"z": 3}), ""),
    (lambda: eqsat.function([x], T.log(x.sum()), mode="NanGuardMode")([-1.0]), "log(sum(x)) gives NaN"),
]


@pytest.mark.parametrize(("call", "said"), MISTAKES, ids=[str(k) for k in range(len(MISTAKES))])
def test_errors(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(Exception) as error:
        call()
    assert said in str(error.value)
    without(str(error.value))


def without(text: str) -> None:
    """No name of a result says an op, a pattern and a number."""
    assert "{()}" not in text and "}.0" not in text and "((int" not in text and "(slice" not in text, text


@pytest.mark.sweep
def test_what_is_read_of_a_function() -> None:
    cost = T.sum(T.sqr(x[1:] * w)) + T.log(T.exp(A.sum(0)))[0]
    g = T.grad(cost, w)
    f = eqsat.function([x, A], [cost, g], updates=[(w, w - 0.1 * g)], profile=True, mode="numpy")
    f(np.ones(4), np.ones((2, 2)))
    report = eqsat.optimize([cost, g])
    texts = [str(f), repr(f), str(f.profile), str(f.report), str(report), report.html(), str(report.compared)]
    texts += [str(report.explain()), report.why_not("log-exp"), eqsat.compare(total, T.dot(x, y)).html()]
    texts += [eqsat.printing.dprint([cost, g], file="str"), eqsat.pp(cost), report.draw()]
    for text in texts:
        without(text)


def test_steps_of_a_profile_are_expressions() -> None:
    f = eqsat.function([A], T.argsort(T.sin(A))[0], profile=True, mode="numpy")
    f(np.ones((2, 2)))
    assert "argsort(sin(A[0])) -> i64[?]" in str(f.profile) or "argsort(sin(A), axis=1)" in str(f.profile)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: x.sum(), "dimshuffle"),
        (lambda: A[n, ::-1], "subtensor{[?, ::-1]}"),
        (lambda: x[:2], "subtensor{[:2]}"),
        (lambda: A.T, "dimshuffle{(1, 0)}"),
    ],
)
def test_ops_leave_out_what_says_nothing(make: Callable[[], Variable], text: str) -> None:
    owner = make().owner
    assert owner is not None and str(owner.op) == text
