"""Confusion matrices, and the softmax in two levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DTypeError, EqsatError, RankError
from eqsat.gradient import verify_grad

N = T.nnet
rng = np.random.default_rng(5)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_confusion_matrix(mode: str) -> None:
    a, p, f = T.lvector("a"), T.bvector("p"), T.dvector("f")
    out = [*N.confusion_matrix(a, p), *N.confusion_matrix(f, f)]
    run = eqsat.function([a, p, f], out, mode=mode)
    for n in (40, 1, 0):
        x, y, z = rng.integers(-3, 3, n), rng.integers(-1, 5, n).astype("int8"), rng.normal(size=n).round()
        found = run(x, y, z)
        for (actual, pred), counts, order in zip([(x, y), (z, z)], found[::2], found[1::2], strict=True):
            classes = np.unique(np.concatenate([actual, pred]))
            np.testing.assert_array_equal(order, classes)
            hits = [[((actual == i) & (pred == j)).sum() for j in classes] for i in classes]
            np.testing.assert_array_equal(counts, np.array(hits, np.int64).reshape((len(classes),) * 2))
            assert counts.dtype == np.int64
    with pytest.raises(EqsatError):
        run(np.array([1, 2]), np.array([1], "int8"), np.zeros(0))


def test_what_is_no_vector_is_refused() -> None:
    with pytest.raises(RankError, match="confusion_matrix: m has 2 dimensions"):
        N.confusion_matrix(T.lmatrix("m"), T.lvector())


def soft(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


SHAPES = [(5, 3), (3, 4), (4,), (4, 3, 6), (4, 6)]


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_h_softmax(mode: str) -> None:
    values = [rng.normal(size=s) for s in SHAPES]
    x, w1, b1, w2, b2 = inputs = [T.tensor("float64", (None,) * len(s)) for s in SHAPES]
    target = T.lmatrix("target")
    some = N.h_softmax(x, x.shape[0], 23, 4, 6, w1, b1, w2, b2, target)
    whole = N.h_softmax(x, x.shape[0], 23, 4, 6, w1, b1, w2, b2)
    loss = -T.log(some).mean()
    f = eqsat.function([*inputs, target], [whole, some, loss, *T.grad(loss, [w1, w2])], mode=mode)
    a, v1, c1, v2, c2 = values
    picks = np.array([[0], [5], [22], [13], [6]])
    classes, inner = soft(a @ v1 + c1), soft(np.einsum("bd,cdp->bcp", a, v2) + c2)
    wanted = (classes[:, :, None] * inner).reshape(5, 24)[:, :23]
    found = f(*values, picks)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12)
    np.testing.assert_allclose(found[1], wanted[np.arange(5), picks[:, 0]], rtol=1e-12)
    np.testing.assert_allclose(found[2], -np.log(found[1]).mean(), rtol=1e-12)
    if mode == "FAST_RUN":  # the logarithm of a probability that is 0 in float64
        far = f(a, v1 * 1e4, c1, v2, c2, picks)
        assert np.isfinite(far[2]) and all(np.isfinite(g).all() for g in far[3:])


def test_gradient_of_h_softmax() -> None:
    values = [rng.normal(size=s) for s in SHAPES]
    target = np.array([0, 5, 22, 13, 6])
    verify_grad(lambda *v: N.h_softmax(v[0], 5, 23, 4, 6, *v[1:], target), values, rng=rng)


def test_wrong_operands_of_h_softmax() -> None:
    x, w, b = T.dmatrix(), T.dmatrix(), T.dvector()
    with pytest.raises(RankError, match="h_softmax: W2 has 2 dimensions"):
        N.h_softmax(x, 2, 4, 2, 2, w, b, w, w)
    with pytest.raises(DTypeError, match="h_softmax: the targets are float64"):
        N.h_softmax(x, 2, 4, 2, 2, w, b, T.dtensor3(), w, b)
