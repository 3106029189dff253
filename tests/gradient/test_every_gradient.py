"""Every differentiable declared op: verify_grad over shapes and dtypes, and gradients that repeat no work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.gradient import verify_grad
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.dtypes import FLOATS
from tests.gradient.merged import distinct
from tests.graph.test_every_op import CASES, DIFFERENTIABLE, POSITIVE, operands_away_from_kinks

SHAPES = [(), (0,), (1,), (2, 0), (2, 3)]
REPEATS = {
    "gather",
    "dot",
    "batched_dot",
}  # a product of other operands, or a part of the gradient, is no repetition


def one(d: Declaration) -> Any:
    return d.bind(dtype="float64") if d.name == "cast" else d.bind()


def output(made: Any) -> Any:
    """The floating result of an op, in one piece."""
    return next(v for v in (made if isinstance(made, list) else [made]) if v.dtype in FLOATS)


REAL = [d for d in DIFFERENTIABLE if set(d.parameters) <= {"dtype"}]


@pytest.mark.parametrize("d", REAL, ids=lambda d: d.name)
def test_elementwise_gradients_over_shapes_and_dtypes(d: Declaration) -> None:
    values = operands_away_from_kinks(d)
    for dtype in FLOATS:
        for shape in SHAPES:
            count = int(np.prod(shape))
            points = [v.ravel()[:count].reshape(shape).astype(dtype) for v in values]
            op = d.bind(dtype=dtype) if d.name == "cast" else one(d)
            if op(*(T.tensor(dtype, (None,) * len(shape)) for _ in points)).dtype in FLOATS:
                verify_grad(op, points, n_tests=1)


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.sampled(30)
def test_structural_gradients_in_both_dtypes(name: str) -> None:
    rng = np.random.default_rng(11)
    for build, shapes in CASES[name]:
        points = [rng.normal(size=s) for s in shapes]
        for dtype in FLOATS:
            verify_grad(lambda *xs, b=build: output(b(*xs)), [p.astype(dtype) for p in points], n_tests=1)


@pytest.mark.parametrize("d", REAL, ids=lambda d: d.name)
def test_no_gradient_computes_an_expensive_value_again(d: Declaration) -> None:
    """An op that costs more than a few flops is applied once to its operands in the value and the gradient."""
    inputs = T.dmatrices(len(d.tensors))
    out = one(d)(*inputs)
    if out.dtype not in FLOATS:
        return
    together = distinct([out, *T.grad(out.sum(), inputs, disconnected_inputs="ignore")])
    for (op, _), nodes in together.items():
        flops = getattr(op.declaration.cost, "flops", 1.0)
        assert len(nodes) == 1 or flops <= 6, (d.name, str(op), len(nodes))


@pytest.mark.parametrize("name", sorted(set(CASES) - REPEATS))
def test_no_structural_gradient_runs_its_op_again_on_the_same_operands(name: str) -> None:
    for build, shapes in CASES[name]:
        inputs = [T.tensor("float64", (None,) * len(s)) for s in shapes]
        out = output(build(*inputs))
        before = distinct([out])
        together = distinct([out, *T.grad(out.sum(), inputs, disconnected_inputs="ignore")])
        for key, nodes in together.items():
            if key[0].name == name and OPS[name].kind != "view" and OPS[name].cost is not None:
                assert len(nodes) <= max(1, len(before.get(key, []))), (name, len(nodes))


def test_the_positive_ops_are_among_them() -> None:
    assert {d.name for d in REAL} >= POSITIVE
