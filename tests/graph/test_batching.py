"""A batched graph gives what the graph gives for each entry of the batch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, BatchError, RankError
from eqsat.graph.batching import batch
from eqsat.graph.core import Apply, Op
from eqsat.graph.declare import OPS
from eqsat.graph.ops.conv import conv_input_op, conv_kernel_op, conv_op
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.ops.rows import add_rows, set_rows
from eqsat.graph.tensor_type import TensorType
from tests.graph.test_every_op import CASES
from tests.reference import evaluate

COUNT = 3


def compare(build: Any, values: list[Any], flags: Any, static: bool = False) -> None:
    """A batch of values for some inputs against one evaluation per entry."""
    rng = np.random.default_rng(7)
    inputs = [TensorType(v.dtype.name, shape=[1 if n == 1 else None for n in v.shape])() for v in values]
    out = build(*inputs)
    out = out[0] if isinstance(out, list) else out
    replace, given, rows = {}, {}, []
    for v, value, flag in zip(inputs, values, flags, strict=True):
        if not flag:
            given[v] = value
            continue
        many = np.stack([rng.permutation(value.ravel()).reshape(value.shape) for _ in range(COUNT)])
        replace[v] = TensorType(v.dtype, shape=(COUNT if static else None, *v.type.shape))()
        given[replace[v]] = many
        rows.append((v, many))
    wide = batch([out], replace)[0]
    assert wide.ndim == out.ndim + 1 and wide.broadcastable[1:] == out.broadcastable
    found = evaluate([wide], given)[0]
    for k in range(COUNT):
        one = dict(zip(inputs, values, strict=True)) | {v: many[k] for v, many in rows}
        np.testing.assert_allclose(found[k], evaluate([out], one)[0], rtol=1e-13, atol=1e-14)


def some(count: int) -> list[tuple[bool, ...]]:
    return [f for f in itertools.product([True, False], repeat=count) if any(f)]


NO_RULE = {"nonzero", "run_starts"}
COPIED = {"lu_factors", "lu_solve"}  # made by rules, of single matrices


@pytest.mark.parametrize("name", sorted(set(CASES) - NO_RULE))
def test_every_structural_op(name: str) -> None:
    rng = np.random.default_rng(5)
    for build, shapes in CASES[name]:
        values = [rng.normal(size=s) for s in shapes]
        for flags in some(len(shapes)):
            compare(build, values, flags, static=name in COPIED)


I, J = np.array([2, 0, 2]), np.array([[0, 1], [1, 0]])
X, Y = np.arange(24.0).reshape(2, 3, 4), np.arange(6.0).reshape(2, 3)
WHOLE = ("slice", None, None, None)
INDEXED: list[tuple[Any, list[Any]]] = [
    (lambda x, i: gather_op(x, i, pattern=(-1, 0, -1)), [X, I]),
    (lambda x, i: gather_op(x, i, i, pattern=(0, -1, 1)), [X, np.array([0, 1, 1])]),
    (lambda x, i: gather_op(x, i, pattern=(-1, -1, 0)), [X, J]),
    (lambda x, i: gather_op(x, i, i, pattern=(-1, 0, 1)), [X, J]),
    (lambda x, i: x[i], [X, J]),
    (lambda x, i: x[i, 1], [X, np.array(1)]),
    (lambda x, i: x[:, i], [X, np.array(2)]),
    (lambda x, i, j: x[i, 1:, j], [X, np.array(1), np.array(3)]),
    (lambda x, i: part_op(x, i, pattern=(("int", "?"), WHOLE, ("int", 1))), [X, np.array(1)]),
    (lambda x, y, i: scatter_op(x, y.dimshuffle(0, 1, "x"), i, pattern=(-1, 0, -1), add=1), [X, Y, I]),
    (lambda x, y, i: scatter_op(x, y, i, i, pattern=(0, -1, 1), add=1), [X, Y, np.array([0, 1])]),
    (lambda x, y, i: scatter_op(x, y.dimshuffle("x", 0, 1), i, pattern=(0, -1, -1), add=0),
     [X, np.arange(12.0).reshape(3, 4), np.array([1])]),
    (lambda x, a, y, i: add_rows(x, a, y, i), [Y, np.array([[3.0]]), np.arange(9.0).reshape(3, 3), np.array([1, 0, 1])]),
    (lambda x, y, i: set_rows(x, y, i), [Y, np.arange(3.0).reshape(1, 3), np.array([1])]),
    (lambda x: x.flatten(2), [X]), (lambda x: x.reshape((x.shape[1], -1)), [X]),
    (lambda x: x.reshape(T.stack([x.shape[1], x.shape[0]]), ndim=2), [Y]),
    (lambda x, y: T.batched_dot(x, y), [X, np.arange(16.0).reshape(2, 4, 2)]),
    (lambda x, y: x.sum(axis=(0, 2)).dimshuffle("x", 0) * T.switch(y > 1, y, -1), [X, Y]),
    (lambda x, y: x.shape[1] + y, [X, Y]), (lambda x: x.shape, [X]),
    (lambda x: T.constant(3.0) * 2, [X]), (lambda x: max_and_argmax_op(x, axes=(1,))[1], [X]),
    (lambda x: T.take(x, [0, 1], axis=2), [X]), (lambda x: x[[0, 1], [1, 1]], [X]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(INDEXED)))
def test_indices_may_be_batched_too(number: int) -> None:
    build, values = INDEXED[number]
    for flags, static in itertools.product(some(len(values)), [False, True]):
        compare(build, values, flags, static)


def geometry(spatial: int, groups: int, border: Any = "valid") -> dict[str, Any]:
    ones = (1,) * spatial
    return {"border": border, "strides": ones, "dilation": ones, "groups": groups, "flip": False}


def windows(groups: int) -> list[tuple[Any, list[Any]]]:
    """Convolutions in groups, and their adjoints, with the operands of one entry."""
    rng = np.random.default_rng(11)
    one, two, more = geometry(1, groups, "half"), geometry(2, groups), geometry(3, groups, "full")
    x, w, y = (rng.normal(size=s) for s in [(2, 4, 5), (6, 4 // (groups or 2), 3), (2, 6, 5)])
    grow = [(..., *[None] * k) for k in (0, 1, 2)]
    some = [] if groups else [4]
    per = [] if groups else [2]
    return [
        (conv_op.bind(**one), [x, w]),
        (lambda w, y: conv_input_op.bind(**one)(w, y, *some, 5), [w, y]),
        (lambda x, y: conv_kernel_op.bind(**one)(x, y, *per, 3), [x, y]),
        (conv_op.bind(**two), [x[grow[1]], w[grow[1]]]),
        (conv_op.bind(**more), [x[grow[2]], w[grow[2]]]),
        (lambda x, w: T.grad((conv_op.bind(**one)(x, w) ** 2).sum(), x), [x, w]),
        (lambda x, w: T.grad((conv_op.bind(**one)(x, w) ** 2).sum(), w), [x, w]),
    ]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("groups", [1, 2, 0])
def test_convolutions_in_groups(groups: int, number: int) -> None:
    build, values = windows(groups)[number]
    for flags, static in itertools.product(some(2), [False, True]):
        compare(build, values, flags, static)


def test_a_convolution_may_be_batched_twice_and_empty() -> None:
    x, w = T.dtensor4("x"), T.dtensor4("w")
    wider: Any = [TensorType("float64", shape=(None,) * 5)() for _ in range(2)]
    widest: Any = [TensorType("float64", shape=(None,) * 6)() for _ in range(2)]
    once = batch([conv_op.bind(**geometry(2, 1))(x, w)], dict(zip((x, w), wider, strict=True)))
    twice = batch(once, dict(zip(wider, widest, strict=True)))[0]
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3, 1, 2, 4, 4)), rng.normal(size=(2, 3, 5, 2, 3, 2))
    found = evaluate([twice], dict(zip(widest, (a, b), strict=True)))[0]
    for k in np.ndindex(2, 3):
        wanted = evaluate([conv_op.bind(**geometry(2, 1))(x, w)], {x: a[k], w: b[k]})[0]
        np.testing.assert_allclose(found[k], wanted, rtol=1e-13, atol=1e-14)
    assert evaluate(once, dict(zip(wider, (a[0, :0], b[0, :0]), strict=True)))[0].shape == (0, 1, 5, 2, 3)


def test_an_empty_batch_and_a_batch_of_none() -> None:
    x, many = T.dmatrix("x"), T.dtensor3("many")
    outs = batch([x.reshape((-1,)), T.dot(x, x.T), T.constant(1.0)], {x: many})
    found = evaluate(outs, {many: np.zeros((0, 2, 3))})
    assert [v.shape for v in found] == [(0, 6), (0, 2, 2), (0,)]


class Twice(Op):
    """An op of the user without a rule."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        assert inputs[0].ndim == 1
        output_storage[0][0] = inputs[0] * 2


def test_an_op_without_a_rule_is_copied_or_named() -> None:
    compare(lambda x: Twice()(x), [np.arange(4.0)], [True], static=True)
    x, many = T.dvector("x"), T.dmatrix("many")
    with pytest.raises(BatchError, match=r"Twice has no rule for a batch of values\n  many  f64\[\?, \?\]"):
        batch([Twice()(x)], {x: many})


def test_what_cannot_be_batched_is_refused() -> None:
    x, n, ns = T.dvector("x"), T.lscalar("n"), T.lvector("ns")
    with pytest.raises(BatchError, match=r"subtensor.*: the bound of a slice would differ within the batch"):
        batch([x[:n]], {n: ns})
    with pytest.raises(BatchError, match="alloc: a length would differ"):
        batch([T.alloc(1.0, n)], {n: ns})
    with pytest.raises(BatchError, match=r"reshape.*: the shape would differ"):
        batch([x.reshape((n, 2))], {n: ns})
    with pytest.raises(BatchError, match="nonzero has no rule"):
        batch([x[x > 0]], {x: T.dmatrix()})
    many = OPS["pool_spread"].bind(window=(2,), strides=(2,), pads=(0,), partial=True)(x, n)
    with pytest.raises(BatchError, match=r"pool_spread.*: a length would differ"):
        batch([many], {n: ns})
    y = T.dtensor3()
    for op in (conv_input_op, conv_kernel_op):
        with pytest.raises(BatchError, match=f"{op.name}.*: a length would differ"):
            batch([op.bind(**geometry(1, 1))(y, y, n)], {n: ns})
    with pytest.raises(RankError, match="batch: n is not a batch of x"):
        batch([x], {x: n})
    with pytest.raises(ArgumentError, match="batch: no variable is replaced"):
        batch([x], {})


@pytest.mark.sweep
def test_a_chain_of_50_000_nodes_is_batched() -> None:
    x, many = T.dscalar("x"), T.dvector("many")
    y = x
    for _ in range(50_000):
        y = T.tanh(y)
    assert batch([y], {x: many})[0].ndim == 1
