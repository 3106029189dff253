"""Spellings that programs for Theano and PyTensor use: many operands, shapes in constructors, indices as lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatError, ShapeError
from eqsat.graph import ancestors, graph_inputs
from eqsat.graph.walk import free_inputs
from eqsat.rules.pattern import reals

M = np.arange(12.0).reshape(3, 4)
a, b, i, j = T.dmatrix("a"), T.dmatrix("b"), T.iscalar("i"), T.lscalar("j")


def test_inputs_are_found_from_the_last_root() -> None:
    x, y, z = T.dscalars("x", "y", "z")
    assert graph_inputs([x, y]) == [y, x] and graph_inputs([z * x + y, z]) == [z, x, y]
    assert free_inputs([T.exp(x), y, x]) == [x, y] and list(ancestors([x, y])) == [y, x]


@pytest.mark.parametrize(
    ("op", "numpy_op"),
    [
        *((T.add, np.add), (T.mul, np.multiply), (T.maximum, np.maximum), (T.minimum, np.minimum)),
        *((T.and_, np.bitwise_and), (T.or_, np.bitwise_or), (T.xor, np.bitwise_xor)),
    ],
)
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_an_associative_op_takes_any_number_of_operands(op: Any, numpy_op: Any, count: int) -> None:
    values = [np.array([k, 5 - k]) for k in range(count)]
    found = op(*map(T.constant, values))
    np.testing.assert_array_equal(found.eval(mode="reference"), numpy_op.reduce(values))


def test_operands_meet_in_the_dtype_that_holds_all() -> None:
    total = T.add(np.int8(100), np.int8(100), np.int32(0))
    assert total.dtype == "int32" and int(total.eval()) == 200
    assert T.add(True, True, np.int8(0)).eval() == 2
    assert T.mul(T.fscalar(), T.iscalar(), 2).dtype == "float64" and T.add(a) is a


def test_other_ops_take_as_many_as_they_have() -> None:
    for op, operands in ((T.sub, (a, b, a)), (T.add, ()), (T.exp, (a, b)), (T.switch, (a, b))):
        with pytest.raises(ArgumentError, match="tensors, got"):
            op(*operands)


def test_rules_may_add_three() -> None:
    x, y, z = reals("x y z")
    assert str(T.add(x, y, z)) == str((x + y) + z)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: T.vector("x", shape=(5,)), (5,)),
        (lambda: T.dvector("x", shape=(5,)), (5,)),
        (lambda: T.matrix("x", dtype="int8", shape=(None, 3)), (None, 3)),
        (lambda: T.row("x", shape=(1, 3)), (1, 3)),
        (lambda: T.tensor3(shape=(1, None, 2)), (1, None, 2)),
        (lambda: T.fmatrices("x", "y", shape=(2, 2))[1], (2, 2)),
        (lambda: T.vectors(["p", "q"])[1], (None,)),
        (lambda: T.tensor(dtype="float32", broadcastable=(False, True)), (None, 1)),
        (lambda: T.tensor("float32", (False, True), name="x"), (None, 1)),
        (lambda: T.TensorType("float64", (False,), name="x")(), (None,)),
        (lambda: T.TensorType("float64", (False, False))("x", shape=(None, 7)), (None, 7)),
    ],
)
def test_shapes_in_constructors(make: Callable[[], Any], shape: Any) -> None:
    assert make().type.shape == shape


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: T.vector("x", shape=(5, 1)), ShapeError),
        (lambda: T.drow("x", shape=(5, 1)), ShapeError),
        (lambda: T.matrix("x", shape=(5, -1)), ShapeError),
        (lambda: T.tensor("float32", (1,), broadcastable=(True,)), ArgumentError),
        (lambda: T.vectors([]), ArgumentError),
    ],
)
def test_shapes_that_do_not_fit(make: Callable[[], Any], error: type[EqsatError]) -> None:
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("pick", "wanted"),
    [
        (lambda x: x[[slice(None), slice(0, 1)]], M[:, 0:1]),
        (lambda x: x[[slice(1, None), i]], M[1:, 2]),
        (lambda x: x[[slice(None), None, [0, 1]]], M[:, None, [0, 1]]),
        (lambda x: x[[i, 0], :], M[[2, 0], :]),
        (lambda x: x[[i, 0]], M[[2, 0]]),
        (lambda x: x[:, [j, i, j]], M[:, [1, 2, 1]]),
        (lambda x: x[[[i], [j]], [0, j]], M[[[2], [1]], [0, 1]]),
        (lambda x: x[[i > 1, j > 1, i > 0]], M[[True, False, True]]),
        (lambda x: x[[]], M[[]]),
        (lambda x: x[:, [[]]], M[:, np.zeros((1, 0), int)]),
    ],
)
def test_indices_as_lists(pick: Callable[[Any], Any], wanted: Any) -> None:
    f = eqsat.function([a, i, j], pick(a), mode="reference", on_unused_input="ignore")
    found = f(M, 2, 1)
    np.testing.assert_array_equal(found, wanted)
    assert found.shape == wanted.shape


def test_lists_are_written_to_as_well() -> None:
    changed = np.array(M)
    changed[[2, 0], 1:] = 7
    part = T.set_subtensor(a[[i, 0], 1:], 7)
    np.testing.assert_array_equal(part.eval({a: M, i: 2}, mode="reference"), changed)
    changed[:, 0:1] += 1
    part = T.inc_subtensor(part[[slice(None), slice(0, 1)]], 1)
    np.testing.assert_array_equal(part.eval({a: M, i: 2}, mode="reference"), changed)
