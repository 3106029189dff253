"""Fillings and ranges are NumPy's, with lengths known where they can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config
from eqsat.errors import DTypeError, RankError, ShapeError
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate


@pytest.mark.parametrize(
    "args",
    [(5,), (0,), (-3,), (2, 7), (7, 2), (7, 2, -2), (0, 10, 3), (0, -10, -3), (10, 0, 3), (0.5, 3.0), (0, 1, 0.1),
     (1.0, 0.0, -0.3), (0.0, 1.0, 0.25), (3, 3), (0.1, 0.1), (-1.5, 2)],
)  # fmt: skip
def test_arange_has_numpys_length_and_values(args: Any) -> None:
    wanted = np.arange(*args)
    out = T.arange(*args)
    found = evaluate([out])[0]
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if out.dtype == "float32" else 1e-15, atol=1e-15)
    assert out.type.shape == wanted.shape
    symbols = [T.dscalar() if isinstance(a, float) else T.lscalar() for a in args]
    again = evaluate([T.arange(*symbols)], dict(zip(symbols, args, strict=True)))[0]
    np.testing.assert_allclose(again, wanted, rtol=1e-15, atol=1e-15)
    assert again.dtype == wanted.dtype


def test_arange_in_a_chosen_dtype() -> None:
    for dtype in ("int8", "uint16", "float32", "float64"):
        found = evaluate([T.arange(1, 6, 2, dtype=dtype)])[0]
        np.testing.assert_array_equal(found, np.arange(1, 6, 2, dtype=dtype))
        assert found.dtype == dtype
    assert evaluate([T.arange(0, 2, 0.5, dtype="int64")])[0].tolist() == [0, 0, 1, 1]
    assert evaluate([T.arange(0.0, 1.0, 0.1, dtype="float32")])[0].shape == (10,)
    assert T.arange(T.bscalar()).dtype == "int64" and T.arange(T.fscalar()).dtype == "float32"


def test_arange_refuses_what_has_no_length() -> None:
    step, x, v = T.dscalar("step"), T.dscalar("x"), T.dvector("v")
    with pytest.raises(ShapeError, match=r"^arange: the step is 0$"):
        T.arange(0, 5, 0)
    with pytest.raises(ShapeError, match=r"^arange: the step is 0$"):
        evaluate([T.arange(0.0, 5.0, step)], {step: 0.0})
    for value in (np.inf, np.nan):
        with pytest.raises(ShapeError, match=r"^arange: the length is not finite$"):
            evaluate([T.arange(x)], {x: value})
    with pytest.raises(RankError) as error:
        T.arange(v)
    assert str(error.value) == f"arange: v is not a scalar\n  v    f64[?]   made at {v.made_at}"


def test_alloc_repeats_a_value() -> None:
    n, x = T.lscalar(), T.drow()
    given: dict[Any, Any] = {n: 3, x: np.array([[1.0, 2.0]])}
    outs = [
        T.alloc(x, n, 2),
        T.alloc(7.0, n),
        T.alloc(x, (2, n, 2)),
        T.alloc(1, 2, 0),
        T.alloc(np.int8(1), ()),
    ]
    wanted = [np.broadcast_to(given[x], (3, 2)), np.full(3, 7.0), np.broadcast_to(given[x], (2, 3, 2)), np.ones((2, 0)),
              np.ones(())]  # fmt: skip
    for found, value in zip(evaluate(outs, given), wanted, strict=True):
        np.testing.assert_array_equal(found, value)
    assert outs[0].type.shape == (None, 2) and outs[4].dtype == "int8"
    shape = T.dmatrix()
    assert evaluate([T.alloc(1.0, shape.shape)], {shape: np.zeros((2, 5))})[0].shape == (2, 5)


def test_zeros_and_ones_follow_float_x_and_their_models() -> None:
    with config.change_flags(floatX="float32"):
        assert T.zeros((2, 3)).type.short() == "f32[2, 3]"
    assert evaluate([T.ones(3, "int8")])[0].tolist() == [1, 1, 1]
    x = TensorType("float32", shape=(1, None))()
    outs = [T.zeros_like(x), T.ones_like(x, "int64"), T.full_like(x, 2.5)]
    assert [v.type.short() for v in outs] == ["f32[1, ?]", "i64[1, ?]", "f32[1, ?]"]
    found = evaluate(outs, {x: np.zeros((1, 2), "float32")})
    assert [v.tolist() for v in found] == [[[0, 0]], [[1, 1]], [[2.5, 2.5]]]
    assert T.zeros_like(T.dmatrix()).broadcastable == (False, False)


def test_alloc_refuses_shapes_that_cannot_be() -> None:
    x, n, m = TensorType("float64", shape=(3,))("x"), T.lscalar("n"), T.lmatrix("m")
    at = f"\n  x    f64[3]   made at {x.made_at}"
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: T.alloc(x, 4), ShapeError, "alloc: axis 0 of the value has length 3, not 4" + at),
        (lambda: T.alloc(x, ()), RankError, "alloc: x has 1 dimensions, the shape 0" + at),
        (lambda: T.zeros((2, -1)), ShapeError, "alloc: the shape (2, -1) has a negative length"),
        (lambda: T.alloc(1.0, x), DTypeError,
         f"alloc: x is not a shape\n  x      f64[3]   made at {x.made_at}\n  needs  integers"),
        (lambda: T.alloc(1.0, 2, 0.5), DTypeError, "alloc: 0.5 is not an integer\n  0.5  f32[]   made at {here}"),
        (lambda: T.zeros(m), RankError, f"alloc: m is not a scalar\n  m    i64[?, ?]   made at {m.made_at}"),
        (lambda: T.zeros(T.lvector("v")), RankError,
         "alloc: the length of v is not known, so the result has no rank\n  v    i64[?]   made at {here}\n"
         "  try  T.specify_shape(shape, (2,)) where it always has 2 lengths"),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        place = error.value.operands[0][1].made_at if error.value.operands else ""  # type: ignore[attr-defined]
        assert str(error.value) == text.replace("{here}", str(place))
    y = T.dvector("y")
    for value, length, text in (
        ([1.0, 2.0], 3, "alloc: axis 0 of the value has length 2, not 3"),
        ([1.0], 3, "alloc: axis 0 of the value has length 1, not 3"),
        ([1.0], -2, "alloc: the length -2 is negative"),
    ):
        with pytest.raises(ShapeError) as error:
            evaluate([T.alloc(y, n)], {y: value, n: length})
        assert str(error.value) == text
    with pytest.raises(ShapeError, match="axis 0 of the value has length 2, not 3"):
        T.alloc(y, n).owner.op.compute(np.zeros(2), np.array(3))
