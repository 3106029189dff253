"""Loops as people write them cost no more than the best form of them, written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort
from eqsat.scan.op import Scan
from tests.reference import evaluate
from tests.rules.helpers import ops_of

STEPS, IN, OUT, BATCH = 200, 30, 20, 8


def known(name: str, *shape: int) -> Any:
    return T.TensorType("float64", shape)(name)


x, X, X3, Y = known("x", STEPS), known("X", STEPS, IN), known("X3", STEPS, BATCH, IN), known("Y", STEPS, OUT)
h, H, u = known("h", IN), known("H", BATCH, IN), known("u", IN)
V, W = known("V", IN, OUT), known("W", IN, IN)
COEFFICIENTS = T.constant(np.arange(1.0, 9.0))
POWERS = T.constant(np.arange(8))


def loop(*args: Any, **options: Any) -> Any:
    return eqsat.scan(*args, **options)[0]


def tanh_of(rows: Any, start: Any = h) -> Any:
    """The recurrence that is left of many of these loops."""
    return loop(lambda row, s: T.tanh(row + s), rows, start)


def two_states() -> Any:
    return loop(lambda row, a, b: [T.tanh(row + a), T.tanh(row * b)], X, [h, h])


def gradient_by_hand() -> Any:
    """The gradient of the last value of s = tanh(u * s), without a term of zero in any step."""
    states = loop(lambda s: T.tanh(u * s), None, h, n_steps=STEPS)
    before = T.concatenate([h[None], states])[:-1]
    slopes = 1 - states**2

    def back(slope: Any, d: Any) -> Any:
        here = d * slope
        return here * u, here

    here = loop(back, slopes[::-1], [T.ones((IN,)), None])[1]
    return T.sum(here * before[::-1], axis=0)


WINS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "scan-reduce-sum": (
        lambda: loop(lambda row, s: s + row, X, T.zeros((IN,)))[-1],
        lambda: T.sum(X, axis=0),
    ),
    "scan-acc-outer": (
        lambda: loop(lambda a, b, s: s + T.outer(a, b), [X, Y], T.zeros((IN, OUT)))[-1],
        lambda: T.dot(X.T, Y),
    ),
    "scan-map-index": (lambda: loop(lambda i: X[i] * 2, T.arange(STEPS)), lambda: X * 2),
    "scan-cumsum": (lambda: loop(lambda row, s: s + row, X, T.zeros((IN,))), lambda: T.cumsum(X, axis=0)),
    "scan-seq-dot": (
        lambda: loop(lambda row, s: T.tanh(T.dot(row, W) + s), X, h),
        lambda: tanh_of(T.dot(X, W)),
    ),
    "scan-seq-matvec": (
        lambda: loop(lambda row, s: T.tanh(T.dot(W, row) + s), X, h),
        lambda: tanh_of(T.dot(X, W.T)),
    ),
    "scan-seq-dot-batch": (
        lambda: loop(lambda rows, s: T.tanh(T.dot(rows, W) + s), X3, H),
        lambda: tanh_of(T.dot(X3.reshape((STEPS * BATCH, IN)), W).reshape((STEPS, BATCH, IN)), H),
    ),
    "scan-map-sum": (lambda: loop(lambda row: T.exp(row).sum(), X), lambda: T.exp(X).sum(1)),
    "scan-output-push": (
        lambda: loop(lambda row, s: [T.tanh(row + s), T.dot(T.tanh(row + s), V)], X, [h, None])[1],
        lambda: T.dot(tanh_of(X), V),
    ),
    "scan-grad-last": (
        lambda: T.grad(loop(lambda s: T.tanh(u * s), None, h, n_steps=STEPS)[-1].sum(), u),
        gradient_by_hand,
    ),
    "scan-invariant-dot": (
        lambda: loop(lambda row, s: T.tanh(row + s + T.dot(u, W)), X, h),
        lambda: (lambda c: loop(lambda row, s: T.tanh(row + s + c), X, h))(T.dot(u, W)),
    ),
    "scan-invariant-chain": (
        lambda: loop(lambda row, s: s * T.exp(T.sin(u) + 1) + row, X, h),
        lambda: (lambda c: loop(lambda row, s: s * c + row, X, h))(T.exp(T.sin(u) + 1)),
    ),
    "scan-map": (lambda: loop(lambda row: T.tanh(row) * 2, X), lambda: T.tanh(X) * 2),
    "scan-poly": (
        lambda: loop(lambda c, p: c * x**p, [COEFFICIENTS, POWERS]).sum(0),
        lambda: T.sum(COEFFICIENTS[:, None] * x[None, :] ** POWERS[:, None], axis=0),
    ),
    "scan-two-merge": (
        lambda: tanh_of(X) + loop(lambda row, s: T.tanh(row * s), X, h),
        lambda: T.add(*two_states()),
    ),
    "scan-chain-fuse": (
        lambda: loop(lambda row: row * 3, loop(lambda row: T.exp(row), X)),
        lambda: T.exp(X) * 3,
    ),
    "scan-chain-fuse of states": (
        lambda: loop(lambda row, s: T.sin(row + s), tanh_of(X), h),
        lambda: loop(lambda row, a, b: [T.tanh(row + a), T.sin(T.tanh(row + a) + b)], X, [h, h])[1],
    ),
    "scan-unused": (lambda: two_states()[0], lambda: tanh_of(X)),
    "scan-const-steps": (
        lambda: loop(lambda s: s * 2, None, h, n_steps=4),
        lambda: T.stack([h * 2, h * 4, h * 8, h * 16]),
    ),
}


def ops_in(outputs: Any) -> Counter[str]:
    return Counter(str(node.op.name) for node in toposort(outputs))


def values_of(outputs: Any) -> list[Any]:
    rng = np.random.default_rng(3)
    given = {v: rng.normal(size=v.type.shape) * 0.3 for v in (x, X, X3, Y, h, H, u, V, W)}
    return evaluate(outputs, given)


@pytest.mark.parametrize("name", WINS)
def test_loop_costs_no_more_than_its_best_form(name: str) -> None:
    written, best = (make() for make in WINS[name])
    found, wanted = eqsat.optimize(written), eqsat.optimize(best)
    assert found.cost_after <= 1.05 * wanted.cost_after, (
        f"{found.cost_after / wanted.cost_after:.3f}\n{eqsat.dprint(found.optimized, file='str')}"
    )
    got, want, plain = values_of([found.optimized[0], best, written])
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(plain, want, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------------------------- gradients

GRADIENTS = {
    "of the recurrent weight": lambda: loop(lambda row, s: T.tanh(T.dot(s, W) + row), X, h),
    "of the recurrent weight of a batch": lambda: loop(lambda row, s: T.tanh(T.dot(s, W) + row), X3, H),
    "of the weight of the sequence": lambda: loop(lambda row, s: T.tanh(T.dot(row, W) + s), X, h),
    "of the weight of a sequence of batches": lambda: loop(lambda row, s: T.tanh(T.dot(row, W) + s), X3, H),
    "of a weight beside a vector": lambda: loop(lambda row, s: T.tanh(T.dot(W, row) + s), X, h),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient_of_a_weight_is_one_product_after_the_loop(name: str) -> None:
    gradient = T.grad(T.sum(GRADIENTS[name]() ** 2), W)
    (best,) = eqsat.optimize(gradient).optimized
    after = [node for node in toposort([best]) if node.op.name in ("dot", "sum_dots")]
    assert len(after) == 1, ops_in([best])
    forward = 1 if "recurrent" in name else 0  # of the state, in the loop of each direction
    for node in toposort([best]):
        if isinstance(node.op, Scan):
            inside = ops_in(node.op.inner_outputs)
            assert inside["dot"] == forward and not {"sum_dots", "batched_dot"} & set(inside), inside
            assert not any(v.type.shape == (IN, IN) for v in node.outputs)
    got, want = values_of([best, gradient])
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_a_gradient_of_the_last_value_adds_no_zeros() -> None:
    gradient = T.grad(loop(lambda s: T.tanh(u * s), None, h, n_steps=STEPS)[-1].sum(), u)
    (best,) = eqsat.optimize(gradient).optimized
    steps = [node.op for node in toposort([best]) if isinstance(node.op, Scan)]
    assert len(steps) == 2 and not any(ops_in(op.inner_outputs)["add"] for op in steps)


# ------------------------------------------------------------------------------------ loops that need not be loops

LEFT = {  # loops, and the ops that are left of them
    "running product": (lambda: loop(lambda row, s: s * row, X, T.ones((IN,))), {"cumprod": 1}),
    "running difference": (lambda: loop(lambda row, s: s - row, X, h), {"cumsum": 1, "sub": 1}),
    "running sum of two": (
        lambda: loop(lambda row, s: s + T.exp(row) + row, X, h),
        {"exp": 1, "add": 2, "cumsum": 1},
    ),
    "sorted rows": (lambda: loop(lambda row: T.sort(row), X), {"sort": 1}),
    "best of rows": (lambda: loop(lambda row: T.argmax(row), X), {"argmax": 1}),
    "softmax of rows": (lambda: loop(lambda row: T.exp(row) / T.sum(T.exp(row)), X), {"softmax": 1}),
    "products of rows": (lambda: loop(lambda a, b: T.dot(a, b.T), [X3, X3 * 2]), {"batched_dot": 1, "mul": 1}),
    "squares of rows": (lambda: loop(lambda row: T.dot(row, row), X), {"sum": 1, "sqr": 1}),
    "largest so far, at the end": (
        lambda: loop(lambda row, s: T.maximum(s, row), X, h)[-1],
        {"max": 1, "maximum": 1},
    ),
    "product at the end": (lambda: loop(lambda row, s: row * s, X, T.ones((IN,)))[-1], {"prod": 1}),
    "whether any is": (
        lambda: loop(lambda a, s: s | (a > 0), x, T.constant(False))[-1],
        {"gt": 1, "any": 1, "or": 1},
    ),
    "last row": (lambda: loop(lambda row: T.exp(row) * 2, X)[-1], {"subtensor": 1, "exp": 1, "mul": 1}),
    "parts of rows": (lambda: loop(lambda row: row[0] * row[1], X), {"subtensor": 2, "mul": 1}),
    "rows by number": (
        lambda: loop(lambda i: X[i] * Y[i, 0], T.arange(STEPS)),
        {"first_rows": 2, "subtensor": 1, "mul": 1},
    ),
    "rows joined": (lambda: loop(lambda a, b: T.concatenate([a, b]), [X, Y]), {"concatenate": 1}),
    "loop in a loop": (
        lambda: loop(lambda rows: loop(lambda row: T.sum(T.exp(row)), rows).sum(), X3),
        {"exp": 1, "sum": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_no_loop_is_left(name: str) -> None:
    make, wanted = LEFT[name]
    written = make()
    (best,) = eqsat.optimize(written).optimized
    found = ops_of([best])
    assert found == wanted, eqsat.dprint(best, file="str")
    got, want = values_of([best, written])
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
