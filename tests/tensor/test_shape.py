"""Axes moved, lengths read, forgotten and promised, and elements under another shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, DTypeError, RankError, ShapeError
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import length
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

A = np.arange(6.0).reshape(2, 3)


def test_dimshuffle_permutes_adds_and_drops_axes() -> None:
    x, r = T.dmatrix(), T.drow()
    outs = [x.dimshuffle(1, 0), x.dimshuffle(("x", 0, 1)), x.dimshuffle(-1, 0, "x"), r.dimshuffle(1), T.shape_padleft(x),
            T.shape_padright(x, 2), x.dimshuffle(np.int64(1), np.int64(0))]  # fmt: skip
    wanted = [A.T, A[None], A.T[..., None], A[0], A[None], A[..., None, None], A.T]
    for found, value in zip(evaluate(outs, {x: A, r: A[:1]}), wanted, strict=True):
        np.testing.assert_array_equal(found, value)
    assert x.dimshuffle(0, 1) is x and outs[2].broadcastable == (False, False, True)


def test_dimshuffle_refuses_what_it_cannot_do() -> None:
    x, s = T.dmatrix("x"), T.dscalar("s")
    at = f"x      f64[?, ?]   made at {x.made_at}"
    for wrong in (2, -3, "y", 0.5):
        with pytest.raises(AxisError) as error:
            x.dimshuffle(0, wrong)
        assert str(error.value) == (
            f"dimshuffle: {wrong!r} is not an axis of x\n  {at}\n  needs  0 to 1, or 'x' for a new axis"
        )
    with pytest.raises(
        AxisError, match=r"dimshuffle: 0 is not an axis of s\n.*\n  needs  'x' for a new axis"
    ):
        s.dimshuffle(0)
    with pytest.raises(AxisError, match=r"dimshuffle: \(0, 0, 1\) names an axis twice\n  x    f64"):
        x.dimshuffle(0, 0, 1)
    with pytest.raises(ShapeError) as refused:
        x.dimshuffle(1)
    assert str(refused.value) == (
        f"dimshuffle: axis 0 is dropped but its length is unknown\n  {at}\n"
        "  needs  length 1 in the type of a dropped axis\n  try    x.sum(0) or T.addbroadcast(x, 0)"
    )
    with pytest.raises(ShapeError, match="axis 0 is dropped but its length is 3"):
        TensorType("float64", shape=(3,))().dimshuffle()


def test_a_length_is_read_from_where_it_comes() -> None:
    x = T.dmatrix("x")
    out = T.exp(x.T * 2 + 1)
    n = length(out, 0)
    assert n.owner.inputs == [x] and n.owner.op.params == {"axis": 1}
    assert length(TensorType("float64", shape=(4,))(), 0).data == 4
    assert evaluate([T.shape(out)], {x: A})[0].tolist() == [3, 2]
    assert T.shape(T.dscalar()).data.tolist() == []


@pytest.mark.parametrize("shape", [(6,), (3, 2), (-1, 2), (1, -1, 1), (2, 3)])
def test_reshape_with_known_and_symbolic_shapes(shape: Any) -> None:
    x, v = T.dmatrix(), T.lvector()
    symbols = [T.iscalar() for _ in shape]
    given = {x: A, v: np.array(shape), **dict(zip(symbols, shape, strict=True))}
    outs = [x.reshape(shape), x.reshape(symbols), x.reshape(v, ndim=len(shape)), x.reshape(T.stack(symbols))]
    for found in evaluate(outs, given):
        np.testing.assert_array_equal(found, A.reshape(shape))
    known = TensorType("float64", shape=(2, 3))().reshape(shape)
    assert known.type.shape == A.reshape(shape).shape


def test_reshape_of_scalars_and_empty_tensors() -> None:
    s, e = T.dscalar(), T.dmatrix()
    outs = [s.reshape(1, 1), s.flatten(), s.reshape(-1), e.reshape(0), e.reshape((-1, 3)), T.reshape(s, 1)]
    found = evaluate(outs, {s: 2.0, e: np.zeros((0, 3))})
    assert [v.shape for v in found] == [(1, 1), (1,), (1,), (0,), (0, 3), (1,)]


def test_flatten_keeps_leading_axes() -> None:
    x = TensorType("float64", shape=(2, 3, None))()
    out = T.flatten(x, 2)
    assert out.type.shape == (2, None) and evaluate([out], {x: np.zeros((2, 3, 4))})[0].shape == (2, 12)


def test_reshape_refuses_shapes_that_cannot_be() -> None:
    x, v, f = TensorType("float64", shape=(2, 3))("x"), T.lvector("v"), T.dvector("f")
    at = f"\n  x    f64[2, 3]   made at {x.made_at}"
    wide = f"\n  x      f64[2, 3]   made at {x.made_at}"
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: x.reshape(4, 2), ShapeError, "reshape: 6 elements do not fit the shape (4, 2)" + at),
        (lambda: x.reshape(-1, 4), ShapeError, "reshape: 6 elements do not fit the shape (-1, 4)" + at),
        (lambda: x.reshape(-1, -1), ShapeError, f"reshape: (-1, -1) is not a shape{wide}\n"
                                                "  needs  lengths of 0 or more, of which one may be -1"),
        (lambda: x.reshape(-2, T.lscalar()), ShapeError, f"reshape: (-2, ?) is not a shape{wide}\n"
                                                         "  needs  lengths of 0 or more, of which one may be -1"),
        (lambda: x.reshape((2.5, 2)), DTypeError, "reshape: 2.5 is not an integer\n  2.5  f32[]   made at {here}"),
        (lambda: x.reshape((T.lvector("w"),)[0], ndim=1).reshape([v]), RankError,
         f"reshape: v is not a scalar\n  v    i64[?]   made at {v.made_at}"),
        (lambda: x.reshape(f, ndim=1), DTypeError,
         f"reshape: f is not a shape{wide}\n  shape  f64[?]   made at {f.made_at}\n"
         "  needs  a tuple of integers, or an integer vector"),
        (lambda: x.reshape(v), ArgumentError,
         f"reshape: the number of dimensions is not known from a symbolic shape\n  v    i64[?]   made at {v.made_at}\n"
         "  try  x.reshape(shape, ndim=2)"),
        (lambda: x.reshape((3, 2), ndim=3), RankError,
         "reshape: the new shape has 2 lengths, ndim is 3\n"
         f"  x      f64[2, 3]   made at {x.made_at}\n  shape  i64[2]   made at {{here}}"),
        (lambda: reshape_op(x, f, ndim=1), ShapeError,
         f"reshape: the new shape is not an int64 vector\n  shape  f64[?]   made at {f.made_at}"),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        place = error.value.operands[-1][1].made_at  # type: ignore[attr-defined]
        assert str(error.value) == text.replace("{here}", str(place))
    y = T.dmatrix()
    for shape, text in (([4, 2], "reshape: 6 elements do not fit the new shape"), ([6], "reshape: the new shape has 1 lengths, ndim is 2")):  # fmt: skip
        with pytest.raises(ShapeError) as error:
            evaluate([y.reshape(v, ndim=2)], {y: A, v: np.array(shape)})
        assert str(error.value) == text


def test_promised_lengths_are_checked() -> None:
    x = T.dmatrix("x")
    lengths: Any = (None, np.int64(3))
    y = T.specify_shape(x, lengths)
    assert y.type.shape == (None, 3) and evaluate([y], {x: A})[0] is not None
    for kind in (ShapeError, AssertionError):  # the second as in Theano, Aesara and PyTensor
        with pytest.raises(kind) as error:
            evaluate([T.specify_shape(x, (None, 4))], {x: A})
        assert str(error.value) == "specify_shape: axis 1 has length 3, not 4"
    with pytest.raises(
        ShapeError, match=r"^specify_shape: axis 1 has length 3, not 4\n  specify_shape.* f64\[\?, 3\]"
    ):
        T.specify_shape(y, (None, 4))
    with pytest.raises(RankError) as refused:
        T.specify_shape(x, (3,))
    assert (
        str(refused.value) == f"specify_shape: (3,) gives 1 lengths\n  x    f64[?, ?]   made at {x.made_at}"
    )
    wrong: Any
    for wrong in (3, (2, -1), ("a", 1), (True, 1)):
        with pytest.raises(ArgumentError) as unusable:
            T.specify_shape(x, wrong)
        assert str(unusable.value) == (
            f"specify_shape: {wrong!r} is not a shape\n  x      f64[?, ?]   made at {x.made_at}\n"
            "  needs  a tuple of lengths and None\n  try    T.specify_shape(x, (None, 3))"
        )


def test_broadcasting_is_switched_on_and_off_by_axis() -> None:
    x, r = T.dmatrix("x"), T.drow("r")
    assert T.addbroadcast(x, 0, -1).broadcastable == (True, True) and T.unbroadcast(r, 0).broadcastable == (
        False,
        False,
    )
    assert T.addbroadcast(r, 0) is r and T.addbroadcast(x) is x and T.unbroadcast(r) is r
    assert T.unbroadcast(r, -2).type.shape == (None, None)
    with pytest.raises(AxisError, match="addbroadcast: x has no axis 2"):
        T.addbroadcast(x, 2)
    with pytest.raises(AxisError, match="unbroadcast: r has no axis 5"):
        T.unbroadcast(r, 5)
    with pytest.raises(ShapeError, match="specify_shape: axis 0 has length 3, not 1"):
        T.addbroadcast(TensorType("float64", shape=(3,))("t"), 0)
