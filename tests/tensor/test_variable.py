"""Operators and methods of tensors: each does what NumPy's does, from either side."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config, shared
from eqsat.errors import ArgumentError, AxisError, DTypeError, ShapeError
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

A = np.array([[1.5, -2.0, 0.5], [3.0, 0.25, -1.0]])
B = np.array([[0.5, 2.0, 1.5], [-3.0, 4.0, 2.0]])
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor]


def name(f: Any) -> str:
    return str(f.__name__)


@pytest.mark.parametrize("f", [*ARITHMETIC, *COMPARISONS], ids=name)
def test_operators_of_two_tensors_and_reflected(f: Any) -> None:
    x, y = T.dmatrices("x", "y")
    given = {x: A, y: B}
    outs = [f(x, y), f(x, B), f(A, y), f(x, 2), f(2, x), f(x, 0.5), f(np.float64(2), x), f(x, np.float32(2)),
            f(x, B.tolist()), f(shared(A), y)]  # fmt: skip
    wanted = [f(A, B), f(A, B), f(A, B), f(A, 2), f(2, A), f(A, 0.5), f(2, A), f(A, 2), f(A, B), f(A, B)]
    for out, value in zip(evaluate(outs, given), wanted, strict=True):
        np.testing.assert_array_equal(out, value)
        assert out.dtype == value.dtype


@pytest.mark.parametrize("f", BITS, ids=name)
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_bitwise_operators(f: Any, dtype: str) -> None:
    a, b = np.array([0, 1, 5, 6]).astype(dtype), np.array([1, 1, 3, 0]).astype(dtype)
    x, y = T.vector(dtype=dtype), T.vector(dtype=dtype)
    for out in evaluate([f(x, y), f(a, y), f(x, b)], {x: a, y: b}):
        np.testing.assert_array_equal(out, f(a, b))
    np.testing.assert_array_equal(evaluate([~x], {x: a})[0], ~a)


def test_power_negation_and_absolute_value() -> None:
    x = T.dmatrix()
    outs = evaluate([x**2, 2**x, abs(x) ** np.full(3, 0.5), -x, abs(x)], {x: A})
    for out, wanted in zip(outs, [A**2, 2**A, abs(A) ** 0.5, -A, abs(A)], strict=True):
        np.testing.assert_allclose(out, wanted, rtol=1e-15)


def test_matrix_product_from_either_side() -> None:
    x = T.dmatrix()
    for out in evaluate([x @ B.T, x.dot(B.T)], {x: A}) + evaluate([A @ x], {x: B.T}):
        np.testing.assert_allclose(out, A @ B.T)


def test_other_objects_are_left_to_python() -> None:
    for f in [*ARITHMETIC, operator.matmul, operator.lt]:
        with pytest.raises(TypeError):
            f(T.dvector(), "text")


def test_equality_of_variables_is_identity_and_eq_compares_values() -> None:
    x, y = T.dvectors("x", "y")
    assert x == x and x != y and len({x, y}) == 2
    out = evaluate([T.eq(x, y), T.neq(x, y)], {x: [1.0, 2.0], y: [1.0, 3.0]})
    assert [v.tolist() for v in out] == [[True, False], [False, True]]


def test_a_comparison_has_no_truth_value() -> None:
    x = T.dscalar("x")
    with pytest.raises(ArgumentError) as error:
        bool(x > 0)
    assert str(error.value).startswith(
        "x > 0 has no truth value before it is computed\n  x > 0  bool[]   made at "
    )


def test_comparisons_are_int8_on_request() -> None:
    x = T.dvector()
    with config.change_flags(compare_dtype="int8"):
        out = x > 0
    assert out.dtype == "int8" and (x > 0).dtype == "bool"
    assert T.lt.__name__ == "lt" and T.lt.__doc__ == "True where x < y."


def test_bool_has_no_arithmetic_but_or_and_and() -> None:
    x = T.vector("x", dtype="bool")
    value = np.array([True, False])
    assert evaluate([x + x, x * x], {x: value})[0].dtype == "bool"
    with pytest.raises(DTypeError) as error:
        x - x
    assert str(error.value) == (
        f"sub is not defined for bool, bool\n  x      bool[?]   made at {x.made_at}\n"
        f"  x      bool[?]   made at {x.made_at}\n  needs  numbers, not bool\n  try    sub(x.astype('int8'), ...)"
    )
    with pytest.raises(
        DTypeError, match=r"and is not defined for f64, f64\n(.*\n)*  needs  integers or bool"
    ):
        T.dvector() & T.dvector()


def test_lengths_that_differ_name_both_operands() -> None:
    x, y = TensorType("float32", shape=(3, None))("x"), TensorType("float32", shape=(4, None))()
    with pytest.raises(ShapeError) as error:
        x + y
    assert str(error.value) == (
        f"add: axis 0 has the lengths 3 and 4\n  x      f32[3, ?]   made at {x.made_at}\n"
        f"  y      f32[4, ?]   made at {y.made_at}\n"
        "  needs  equal lengths, or length 1 in the type of one operand"
    )
    a, b = T.dmatrices("a", "b")
    with pytest.raises(ShapeError) as error:
        evaluate([(c := a + b)], {a: np.ones((1, 3)), b: np.ones((5, 3))})
    assert str(error.value) == (
        f"add: axis 0 has the lengths 1 in a and 5 in b at run time\n  a      f64[?, ?]   made at {a.made_at}\n"
        f"  b      f64[?, ?]   made at {b.made_at}\n"
        f"  in     a + b   written at {c.made_at}\n"
        "  needs  equal lengths; length 1 broadcasts only where the type says so\n"
        "  try    T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))"
    )


def test_properties() -> None:
    x = TensorType("float32", shape=(1, None, 3))("x")
    assert (x.ndim, x.dtype, x.broadcastable) == (3, "float32", (True, False, False))
    value = np.zeros((1, 4, 3), "float32")
    found = evaluate([x.shape, x.size, T.dscalar().size, x.T.shape], {x: value})
    assert [v.tolist() for v in found] == [[1, 4, 3], 12, 1, [3, 4, 1]]
    assert {v.dtype.name for v in found} == {"int64"}


METHODS: list[tuple[str, Any, Any]] = [
    ("dimshuffle", lambda x: x.dimshuffle(1, "x", 0), lambda v: v.T[:, None]),
    ("transpose", lambda x: x.transpose(), lambda v: v.T),
    ("transpose none", lambda x: x.transpose(None), lambda v: v.T),
    ("transpose axes", lambda x: x.transpose(0, 1), lambda v: v),
    ("transpose tuple", lambda x: x.transpose((1, -2)), lambda v: v.T),
    ("reshape", lambda x: x.reshape(3, 2), lambda v: v.reshape(3, 2)),
    ("reshape tuple", lambda x: x.reshape((-1,)), lambda v: v.reshape(-1)),
    ("flatten", lambda x: x.flatten(), lambda v: v.ravel()),
    ("flatten 2", lambda x: x.flatten(2), lambda v: v),
    ("ravel", lambda x: x.ravel(), lambda v: v.ravel()),
    ("astype", lambda x: x.astype("int8"), lambda v: v.astype("int8")),
    ("clip", lambda x: x.clip(-1, 1), lambda v: v.clip(-1, 1)),
    ("sum", lambda x: x.sum(0), lambda v: v.sum(0)),
    ("prod", lambda x: x.prod(1), lambda v: v.prod(1)),
    ("mean", lambda x: x.mean(), lambda v: v.mean()),
    ("var", lambda x: x.var(1, ddof=1), lambda v: v.var(1, ddof=1)),
    ("std", lambda x: x.std(keepdims=True), lambda v: v.std(keepdims=True)),
    ("max", lambda x: x.max(-1), lambda v: v.max(-1)),
    ("min", lambda x: x.min(0), lambda v: v.min(0)),
    ("argmax", lambda x: x.argmax(), lambda v: v.argmax()),
    ("argmin", lambda x: x.argmin(1), lambda v: v.argmin(1)),
    ("any", lambda x: (x > 2).any(0), lambda v: (v > 2).any(0)),
    ("all", lambda x: (x > -9).all(), lambda v: (v > -9).all()),
    ("trace", lambda x: x[:, :2].trace(), lambda v: v[:, :2].trace()),
    ("copy", lambda x: x.copy("c"), lambda v: v),
    ("copy int", lambda x: x.astype("int64").copy(), lambda v: v.astype("int64")),
    ("copy bool", lambda x: (x > 0).copy(), lambda v: v > 0),
]


@pytest.mark.parametrize("number", range(len(METHODS)), ids=[m[0] for m in METHODS])
def test_methods(number: int) -> None:
    _, build, wanted = METHODS[number]
    x = T.dmatrix("x")
    found = evaluate([build(x)], {x: A})[0]
    np.testing.assert_allclose(found, wanted(A), rtol=1e-14)
    assert found.shape == np.shape(wanted(A)) and found.dtype == np.asarray(wanted(A)).dtype


def test_a_copy_is_a_new_variable_with_a_name() -> None:
    x = T.dvector("x")
    y = x.copy("y")
    assert y is not x and y.name == "y"


def test_constants_and_shared_variables_have_the_same_operators() -> None:
    c, w = T.constant([1.0, 2.0]), shared([3.0, 4.0])
    assert evaluate([c + w, w[1] * c.sum(), -c, w.T])[0].tolist() == [4, 6]
    for v in (c, w, c + w):
        assert isinstance(v, T._tensor_py_operators)


def test_wrong_axes_of_transpose_and_flatten() -> None:
    x = T.dmatrix("x")
    at = f"\n  x    f64[?, ?]   made at {x.made_at}"
    with pytest.raises(AxisError) as error:
        x.transpose(0)
    assert str(error.value) == "transpose: (0,) does not order the 2 axes of x" + at
    with pytest.raises(AxisError) as error:
        x.flatten(3)
    assert str(error.value) == "flatten: x has 2 dimensions, not 3 or more" + at


def test_gradient_names_are_found_in_the_tensor_module() -> None:
    from eqsat import gradient

    assert T.grad is gradient.grad
    with pytest.raises(AttributeError, match=r"'eqsat.tensor' has no attribute 'nothing'"):
        T.nothing  # noqa: B018


def test_an_unknown_name_gets_the_nearest_ones() -> None:
    with pytest.raises(
        AttributeError, match=r"'eqsat.tensor' has no attribute 'sofmax'; did you mean softmax"
    ):
        T.sofmax  # noqa: B018
