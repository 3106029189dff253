"""Loops as people write them cost no more than the best form of them, written by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort
from eqsat.scan.op import Scan
from tests.reference import evaluate
from tests.rules.helpers import ops_of
from wins import loops
from wins.loops import IN, STEPS, X3, H, V, W, X, Y, h, loop, u, x

WINS = {c.name: c.make for c in (*loops.SLOWER, *loops.BY_MODEL, *loops.KEPT)}


def ops_in(outputs: Any) -> Counter[str]:
    return Counter(str(node.op.name) for node in toposort(outputs))


def values_of(outputs: Any) -> list[Any]:
    rng = np.random.default_rng(3)
    given = {v: rng.normal(size=v.type.shape) * 0.3 for v in (x, X, X3, Y, h, H, u, V, W)}
    return evaluate(outputs, given)


@pytest.mark.parametrize("name", WINS)
@pytest.mark.sampled(7)
def test_loop_costs_no_more_than_its_best_form(name: str) -> None:
    written, best = WINS[name]()
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
        {"gt": 1, "any": 1},
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
