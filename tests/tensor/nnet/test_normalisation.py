"""Batch and layer normalisation against NumPy, with running averages and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatError, RankError
from eqsat.gradient import verify_grad

N = T.nnet
rng = np.random.default_rng(2)
X = rng.normal(2, 3, size=(4, 3, 2, 5))


def test_given_statistics() -> None:
    x, gamma, beta, mean, std = (rng.uniform(1, 2, size=n) for n in [(4, 3), 3, 3, 3, 3])
    for mode in ("low_mem", "high_mem"):
        y = N.batch_normalization(x, gamma, beta, mean, std, mode=mode)
        np.testing.assert_allclose(y.eval(mode="reference"), (x - mean) * gamma / std + beta)


@pytest.mark.parametrize("axes, over", [("per-activation", (0,)), ("spatial", (0, 2, 3)), ((0, 1), (0, 1))])
@pytest.mark.parametrize("full", [True, False])
def test_batch_statistics_and_running_averages(axes: Any, over: Any, full: bool) -> None:
    shape = [1 if a in over else n for a, n in enumerate(X.shape)]
    if not full:
        shape = [n for a, n in enumerate(X.shape) if a not in over]
    gamma, beta, old_mean, old_var = (rng.uniform(1, 2, size=shape) for _ in range(4))
    found = N.batch_normalization_train(X, gamma, beta, axes, 1e-3, 0.25, old_mean, old_var)
    out, mean, inverse, new_mean, new_var = (v.eval(mode="reference") for v in found)
    back = [n if a not in over else 1 for a, n in enumerate(X.shape)]
    g, b, om, ov = (v.reshape(back) for v in (gamma, beta, old_mean, old_var))
    m = X.mean(over, keepdims=True)
    v = X.var(over, keepdims=True)
    count = X.size / m.size
    np.testing.assert_allclose(out, (X - m) / np.sqrt(v + 1e-3) * g + b)
    np.testing.assert_allclose(mean, m)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(v + 1e-3))
    np.testing.assert_allclose(new_mean, 0.75 * om + 0.25 * m)
    np.testing.assert_allclose(new_var, 0.75 * ov + 0.25 * v * count / (count - 1))
    tested = N.batch_normalization_test(X, gamma, beta, old_mean, old_var, axes, 1e-3).eval(mode="reference")
    np.testing.assert_allclose(tested, (X - om) / np.sqrt(ov + 1e-3) * g + b)


def test_gradients_and_compiled_values(seed_mode: str) -> None:
    x, gamma, beta = T.dmatrix(), T.dvector(), T.dvector()
    out, _, _ = N.batch_normalization_train(x, gamma, beta)
    grads = T.grad((out * T.cos(out)).sum(), [x, gamma, beta])
    values = [rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=3)]
    found = eqsat.function([x, gamma, beta], [out, *grads], mode=seed_mode)(*values)
    meant = eqsat.function([x, gamma, beta], [out, *grads], mode="reference")(*values)
    for one, other in zip(found, meant, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    if seed_mode == "reference":
        verify_grad(lambda a, b, c: N.batch_normalization_train(a, b, c)[0], values)


def test_layers() -> None:
    gamma, beta = rng.normal(size=5), rng.normal(size=5)
    m, v = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    found = N.layer_normalization(X, gamma, beta).eval(mode="reference")
    np.testing.assert_allclose(found, (X - m) / np.sqrt(v + 1e-5) * gamma + beta)
    verify_grad(lambda x: N.layer_normalization(x), [X[0, 0]])


x = T.dmatrix("x")
BAD: list[tuple[Any, type[EqsatError], str]] = [
    (lambda: N.batch_normalization(x, 1, 0, 0, 1, mode="best"), ArgumentError, "batch_normalization: unknown mode"),
    (lambda: N.batch_normalization_train(x, [1.0], [0.0], axes="all"), ArgumentError,
     "batch_normalization_train: unknown axes 'all'"),
    (lambda: N.batch_normalization_train(x, 1.0, [0.0]), RankError, "batch_normalization_train: gamma"),
    (lambda: N.batch_normalization_train(x, [1.0], [0.0], epsilon=-1), ArgumentError,
     "batch_normalization_train: epsilon=-1 is negative"),
    (lambda: N.batch_normalization_train(x, [1.0], [0.0], running_mean=[0.0]), ArgumentError,
     "batch_normalization_train: running_mean and running_var are given together"),
    (lambda: N.batch_normalization_test(T.dscalar("s"), 1.0, 0.0, 0.0, 1.0), RankError,
     "batch_normalization_test: s is a scalar"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", BAD)
def test_mistakes_are_refused_when_the_graph_is_built(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
