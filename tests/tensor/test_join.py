"""Tensors joined along an axis that they have, or along a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, RankError, ShapeError
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

A, B = np.arange(6.0).reshape(2, 3), np.ones((2, 3), "int8")


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_concatenate_promotes_and_joins(axis: int) -> None:
    x, y = T.dmatrix(), T.bmatrix()
    found = evaluate([T.concatenate([x, y, A], axis), T.join([y, y], axis)], {x: A, y: B})
    np.testing.assert_array_equal(found[0], np.concatenate([A, B, A], axis))
    assert found[0].dtype == "float64" and found[1].dtype == "int8"


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_stack_makes_a_new_axis(axis: int) -> None:
    x, y = T.dmatrix(), T.bmatrix()
    for out in (T.stack([x, y], axis=axis), T.stack(x, y, axis=axis)):
        np.testing.assert_array_equal(evaluate([out], {x: A, y: B})[0], np.stack([A, B], axis))


def test_scalars_are_stacked() -> None:
    s = T.dscalar()
    assert evaluate([T.stack([s, 2, s * 3])], {s: 5.0})[0].tolist() == [5, 2, 15]


def test_known_lengths_add_up() -> None:
    x, y = TensorType("float64", shape=(2, None))(), TensorType("float64", shape=(3, 4))()
    assert T.concatenate([x, y]).type.shape == (5, 4) and T.stack([x, x]).type.shape == (2, 2, None)
    assert T.concatenate([x, T.dmatrix()]).type.shape == (None, None)


def test_a_single_tensor_and_empty_ones() -> None:
    x = T.dvector()
    assert evaluate([T.concatenate([x, x[:0], x])], {x: [1.0]})[0].tolist() == [1, 1]
    assert evaluate([T.concatenate([x])], {x: [1.0]})[0].tolist() == [1]


def test_what_cannot_be_joined_is_refused() -> None:
    x, y, v, s = (
        TensorType("float64", shape=t)(n) for t, n in (((2, 3), "x"), ((4, 5), "y"), ((2,), "v"), ((), "s"))
    )
    at = {n: w.made_at for n, w in (("x", x), ("y", y), ("v", v), ("s", s))}
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: T.concatenate([]), ArgumentError, "concatenate: no tensors are given"),
        (lambda: T.stack([]), ArgumentError, "stack: no tensors are given"),
        (lambda: T.concatenate([x, y]), ShapeError,
         f"concatenate: axis 1 has the lengths 3 and 5\n  x      f64[2, 3]   made at {at['x']}\n"
         f"  y      f64[4, 5]   made at {at['y']}\n  needs  equal lengths on every axis but axis 0"),
        (lambda: T.concatenate([x, v]), RankError,
         f"concatenate: the tensors have 2, 1 dimensions\n  x      f64[2, 3]   made at {at['x']}\n"
         f"  v      f64[2]   made at {at['v']}\n  needs  one rank of at least 1 for all\n"
         "  try    T.stack(tensors) for scalars"),
        (lambda: T.concatenate([s, s]), RankError,
         f"concatenate: the tensors have 0, 0 dimensions\n  s      f64[]   made at {at['s']}\n"
         f"  s      f64[]   made at {at['s']}\n  needs  one rank of at least 1 for all\n"
         "  try    T.stack(tensors) for scalars"),
        (lambda: T.stack([x, v]), RankError,
         f"stack: the tensors differ in rank\n  x    f64[2, 3]   made at {at['x']}\n"
         f"  v    f64[2]   made at {at['v']}"),
        (lambda: T.concatenate([x, x], 2), AxisError,
         f"concatenate: x has no axis 2\n  x      f64[2, 3]   made at {at['x']}\n  needs  -2 to 1"),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        assert str(error.value) == text
    a, b = T.dmatrices("a", "b")
    with pytest.raises(ShapeError) as error:
        evaluate([T.concatenate([a, b])], {a: A, b: np.ones((1, 4))})
    assert str(error.value) == "concatenate: axis 1 has the lengths 3 and 4"
