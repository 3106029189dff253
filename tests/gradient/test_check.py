"""verify_grad finds wrong gradients and says where; numeric_grad is a central difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, VerifyGradError
from eqsat.gradient import E_grad, numeric_grad, verify_grad
from eqsat.graph.declare import elemwise, forget_op


@pytest.fixture
def wrong() -> Iterator[Any]:
    @elemwise(c="({x} * {x})", signature="f->f", grad=lambda x, dy: dy * x * T.switch(T.gt(x, 2), 3, 2))
    def wrong(x: Any) -> Any:
        """A square with a gradient that is wrong above 2."""
        return x * x

    yield wrong
    forget_op("wrong")


def test_right_gradients_pass_in_every_mode(seed_mode: str) -> None:
    rng = np.random.default_rng(1)
    verify_grad(
        lambda x, y: T.tanh(T.dot(x, y)), [rng.normal(size=(2, 3)), rng.normal(size=3)], mode=seed_mode
    )


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0), (1, 3), (2, 3)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_any_shape_and_both_dtypes(shape: Any, dtype: str) -> None:
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    T.verify_grad(lambda v: T.exp(v) * v, [x], n_tests=1, rng=np.random.default_rng(4))


def test_length_one_broadcasts() -> None:
    verify_grad(lambda x, y: x * y, [np.ones((1, 3)), np.full((2, 3), 2.0)])


def test_a_wrong_gradient_is_reported_with_its_place(wrong: Any) -> None:
    verify_grad(wrong, [np.array([0.5, 1.0])])
    with pytest.raises(
        VerifyGradError, match=r"^verify_grad: input 1, element \(1, 0\): the gradient is "
    ) as error:
        verify_grad(lambda y, x: wrong(x) + y, [np.ones((2, 2)), np.array([[0.5, 1.0], [3.0, 1.5]])])
    facts = error.value.facts
    assert facts["input"] == 1 and facts["element"] == (1, 0)
    np.testing.assert_allclose(facts["gradient"] / facts["numeric"], 1.5, rtol=1e-6)
    assert "differences give" in str(error.value) and "relative error of at most 0.0001, not 0.333" in str(
        error.value
    )
    assert E_grad is VerifyGradError is T.verify_grad.E_grad
    verify_grad(wrong, [np.array([3.0])], rel_tol=0.5, abs_tol=1e-9)


def test_not_a_number_is_wrong() -> None:
    with pytest.raises(VerifyGradError):
        verify_grad(lambda x: T.sqrt(x), [np.array([-1.0, 4.0])])


def test_mistakes_are_named() -> None:
    with pytest.raises(DTypeError, match="verify_grad: a point is int64\n  needs  float64 or float32"):
        verify_grad(T.sqr, [np.array([1])])
    with pytest.raises(DTypeError, match="verify_grad: the output is bool"):
        verify_grad(lambda x: x > 1, [np.ones(2)])
    with pytest.raises(ArgumentError, match="verify_grad: the function gives list, not one variable"):
        verify_grad(lambda x: [x], [np.ones(2)])
    verify_grad(lambda x: T.exp(x), [np.ones(2, "float32")], out_type="float64")


def test_numeric_grad_and_its_greatest_error() -> None:
    made: Any = T.numeric_grad(lambda x, y: float((x * x).sum() * y), [np.array([1.0, 2.0]), np.array(3.0)])
    assert isinstance(made, numeric_grad)
    np.testing.assert_allclose(made.gf[0], [6, 12], rtol=1e-8)
    np.testing.assert_allclose(made.gf[1], 5, rtol=1e-8)
    assert made.max_err([np.array([6.0, 13.0]), np.array(5.0)], 1e-4, 1e-4)[:2] == (0, (1,))
    alone = numeric_grad(lambda x: float(x**3), np.array(2.0), eps=1e-4)
    np.testing.assert_allclose(alone.gf, 12, rtol=1e-6)
    assert alone.max_err(np.array(12.0), 1e-4, 1e-4)[0] == 0
