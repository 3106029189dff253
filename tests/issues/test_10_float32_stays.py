"""Functions never widen a float32 operand by a number that is a parameter; flags and errors for where expressions do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.errors import DTypeError
from eqsat.graph.walk import ancestors
from eqsat.tensor.random import RandomStream

X, Y, A, B = T.fvector("x"), T.fvector("y"), T.fmatrix("a"), T.fmatrix("b")
IMAGES, FILTERS, CLASSES = T.ftensor4("images"), T.ftensor4("filters"), T.lvector("classes")
N = T.nnet

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "relu": lambda: T.relu(X, 0.01),
    "relu of a NumPy number": lambda: T.relu(X, np.float64(0.01)),
    "nnet.relu": lambda: N.relu(X, 0.01),
    "elu": lambda: T.elu(X, 0.3),
    "selu": lambda: T.selu(X),
    "gelu": lambda: T.gelu(X),
    "gelu tanh": lambda: T.gelu(X, True),
    "mish": lambda: T.mish(X),
    "hard_sigmoid": lambda: T.hard_sigmoid(X),
    "ultra_fast_sigmoid": lambda: T.ultra_fast_sigmoid(X),
    "clip": lambda: T.clip(X, -0.1, 0.1),
    "clip method": lambda: X.clip(-0.1, 0.1),
    "grad_clip": lambda: T.grad(T.grad_clip(X, -0.1, 0.1).sum(), X),
    "grad_scale": lambda: T.grad(T.grad_scale(X, 0.1).sum(), X),
    "binary_crossentropy": lambda: N.binary_crossentropy(X, Y),
    "sigmoid_binary_crossentropy": lambda: N.sigmoid_binary_crossentropy(X, Y),
    "categorical_crossentropy": lambda: N.categorical_crossentropy(A, CLASSES),
    "categorical_crossentropy of chances": lambda: N.categorical_crossentropy(A, B),
    "batch_normalization_train": lambda: list(N.batch_normalization_train(A, X, Y, epsilon=1e-3)),
    "batch_normalization_test": lambda: N.batch_normalization_test(A, X, Y, X, Y, epsilon=1e-3),
    "layer_normalization": lambda: N.layer_normalization(A, X, Y),
    "norm": lambda: T.norm(X, 3.3),
    "norm of rows": lambda: T.linalg.norm(A, 2.7, axis=1),
    "isclose": lambda: T.switch(T.isclose(X, Y, 1e-3, 1e-7), X, Y),
    "nan_to_num": lambda: T.nan_to_num(X, nan=0.1, posinf=1e3, neginf=-1e3),
    "quantile": lambda: T.quantile(X, 0.3),
    "percentile": lambda: T.percentile(X, 30.3),
    "pad": lambda: T.pad(X, 2, constant_values=0.1),
    "trapezoid": lambda: T.trapezoid(X, dx=0.1),
    "diff": lambda: T.diff(X, prepend=0.1, append=0.3),
    "average": lambda: T.average(X, weights=Y),
    "heaviside": lambda: T.heaviside(X, 0.1),
    "fill_diagonal": lambda: T.fill_diagonal(A, 0.1),
    "full_like": lambda: T.full_like(X, np.float32(0.1)),
    "set_subtensor": lambda: T.set_subtensor(X[0], 0.1),
    "inc_subtensor": lambda: T.inc_subtensor(X[0], 0.1),
    "std": lambda: T.std(X, ddof=1),
    "var": lambda: T.var(X, ddof=1),
    "mean": lambda: T.mean(X),
    "median": lambda: T.median(X),
    "softmax": lambda: T.softmax(A),
    "logsumexp": lambda: T.logsumexp(A),
    "deg2rad": lambda: T.deg2rad(X),
    "sinc": lambda: T.grad(T.sinc(X).sum(), X),
    "ndtr": lambda: T.grad(T.ndtr(X).sum(), X),
    "append": lambda: T.concatenate([X, T.zeros_like(X)]),
    "pinv": lambda: T.linalg.pinv(A, 1e-3),
    "matrix_power": lambda: T.linalg.matrix_power(A, -2),
    "expm": lambda: T.linalg.expm(A),
    "conv2d": lambda: N.conv2d(IMAGES, FILTERS),
    "bilinear_upsampling": lambda: N.bilinear_upsampling(IMAGES, 2),
    "nanmean": lambda: T.nanmean(X),
    "nanstd": lambda: T.nanstd(X),
    "normal": lambda: RandomStream(1).normal(X, 0.1),
    "normal of spread": lambda: RandomStream(1).normal(0.1, X),
    "uniform": lambda: RandomStream(1).uniform(X, 0.7),
    "exponential": lambda: RandomStream(1).exponential(X),
    "gumbel": lambda: RandomStream(1).gumbel(X, 0.3),
    "lognormal": lambda: RandomStream(1).lognormal(X, 0.3),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_result_is_as_narrow_as_the_operand(name: str) -> None:
    made = FUNCTIONS[name]()
    for variable in made if isinstance(made, list) else [made]:
        assert variable.dtype == "float32"


@pytest.mark.parametrize("alpha", [0.01, 1, np.float64(0.3)])
def test_relu_and_clip_give_values_of_float32(alpha: Any, mode: str) -> None:
    value = np.array([-3.0, 0.05, 2.0], "float32")
    f = eqsat.function([X], [T.relu(X, alpha), T.clip(X, -0.1, 0.1)], mode=mode)
    slope = np.float32(alpha)
    np.testing.assert_allclose(f(value)[0], np.where(value > 0, value, value * slope), rtol=1e-6)
    np.testing.assert_array_equal(f(value)[1], np.clip(value, np.float32(-0.1), np.float32(0.1)))


def test_wide_parameters_that_are_tensors_still_count() -> None:
    assert T.clip(X, T.dvector(), 1).dtype == "float64"
    assert T.clip(T.ivector(), 0.5, 0.7).dtype == "float64"
    assert RandomStream(1).normal(T.dvector(), 1.0).dtype == "float64"
    assert RandomStream(1).normal(0.1, 0.3, size=(2,)).dtype == config.floatX


EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "times": lambda x, n: x * 0.1,
    "from the left": lambda x, n: 0.1 - x,
    "root": lambda x, n: (x + 1e-8) ** 0.5,
    "power": lambda x, n: x**2.1,
    "length": lambda x, n: x.sum() / n,
    "whole": lambda x, n: x // 3,
    "large": lambda x, n: x * 100_000,
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "bool"])
@pytest.mark.parametrize("name", sorted(EXPRESSIONS))
def test_weak_scalars_are_those_of_numpy(name: str, dtype: str) -> None:
    given = np.ones(3, dtype)
    try:
        wanted = EXPRESSIONS[name](given, given.shape[0]).dtype
    except OverflowError:
        wanted = None
    with config.change_flags(weak_scalars=True):
        x = T.vector("x", dtype=dtype)
        if wanted is None:
            with pytest.raises(DTypeError, match="does not fit"):
                EXPRESSIONS[name](x, x.shape[0])
        elif name not in ("whole", "times", "power", "length") or dtype in ("float32", "float64"):
            assert EXPRESSIONS[name](x, x.shape[0]).dtype == wanted
    assert (T.fvector() * 0.1).dtype == "float64"


def test_a_model_in_float32_has_no_doubles_where_scalars_are_weak() -> None:
    with config.change_flags(weak_scalars=True):
        w, x = T.shared(np.ones((3, 2), "float32"), "w"), T.fmatrix("x")
        h = T.sqrt(T.relu(T.dot(x, w), 0.01) + 1e-8)
        cost = T.sum(T.sqr(h - 0.1)) / x.shape[0]
        new = w - 0.1 * T.grad(cost, w)
        assert [v for v in ancestors([new]) if getattr(v, "dtype", "") == "float64"] == []
        f = eqsat.function([x], cost, updates=[(w, new)], mode="FAST_COMPILE")
        assert f(np.ones((4, 3), "float32")).dtype == "float32"


@pytest.mark.parametrize(
    "step, op",
    [
        (lambda w, g, x: w - 0.1 * g, "mul"),
        (lambda w, g, x: w - g / T.sqrt(T.sum(g**2) + 1e-8), "add"),
        (lambda w, g, x: w - g.sum() / x.shape[0], "truediv"),
    ],
)
def test_a_refused_update_says_where_doubles_came_from(step: Any, op: str) -> None:
    w = T.shared(np.zeros(3, "float32"), name="w")
    new = step(w, T.grad(T.sum(T.sqr(w * X)), w), X)
    with pytest.raises(DTypeError) as error:
        eqsat.function([X], [], updates=[(w, new)])
    text = str(error.value)
    assert "function: the update of w is float64, not float32" in text
    assert f"float64 since  {op} of " in text and "test_10_float32_stays.py" in text
    assert "value.astype('float32')" in text and "config.weak_scalars = True" in text
