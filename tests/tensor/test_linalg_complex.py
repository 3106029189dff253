"""Eigenvalues of any real matrix, and systems of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import GradientError
from tests.reference import evaluate, numeric_gradient

L = T.linalg
DICE = np.random.default_rng(3)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_eig_is_numpy(mode: str) -> None:
    a, s, b = T.dmatrix("a"), T.fmatrix("s"), T.dtensor4("b")
    f = eqsat.function([a, s, b], [*L.eig(a), L.eigvals(s), *L.eig(b)], mode=mode)
    stack = DICE.normal(size=(2, 3, 4, 4))
    for v in (
        DICE.normal(size=(5, 5)),
        np.diag([1.0, 2.0, 3.0]),
        np.zeros((0, 0)),
        np.array([[0.0, 1.0], [-1.0, 0.0]]),
    ):
        w, vectors, single, ws, vs = f(v, v.astype("float32"), stack)
        assert w.dtype == vectors.dtype == "complex128" and single.dtype == "complex64"
        np.testing.assert_allclose(w, np.linalg.eigvals(v), atol=1e-12)
        np.testing.assert_allclose(v @ vectors, vectors * w, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), np.ones(len(v)), atol=1e-12)
        np.testing.assert_allclose(single, np.linalg.eigvals(v.astype("float32")), atol=1e-5)
        np.testing.assert_allclose(stack @ vs, vs * ws[..., None, :], atol=1e-11)


def test_eigenvalues_have_a_gradient_and_eigenvectors_none() -> None:
    a = T.dmatrix("a")
    w, v = L.eig(a)
    cost = (T.real(w) ** 3).sum() + (T.imag(w) ** 2 * T.real(w)).sum()
    value = DICE.normal(size=(4, 4))
    found = evaluate([T.grad(cost, a)], {a: value})[0]
    np.testing.assert_allclose(found, numeric_gradient(cost, a, {a: value}), rtol=1e-5, atol=1e-6)
    with pytest.raises(GradientError, match="eig: the eigenvectors have no gradient"):
        T.grad(T.real(v).sum(), a)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_complex_systems(mode: str) -> None:
    a, b = (T.matrix(n, dtype="complex128") for n in "ab")
    f = eqsat.function([a, b], [L.solve(a, b), L.inv(a), L.solve(a, T.real(b)), a @ b], mode=mode)
    x, y = (DICE.normal(size=s) + 1j * DICE.normal(size=s) for s in ((3, 3), (3, 2)))
    wanted: list[Any] = [np.linalg.solve(x, y), np.linalg.inv(x), np.linalg.solve(x, y.real), x @ y]
    for found, value in zip(f(x, y), wanted, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-10)
    p, q = T.dmatrices("p", "q")
    cost = (T.real(L.inv(p + 1j * q)) ** 2 + T.imag(L.solve(p + 1j * q, p)) ** 2).sum()
    given = {p: x.real, q: x.imag}
    for v, g in zip((p, q), evaluate(T.grad(cost, [p, q]), given), strict=True):
        np.testing.assert_allclose(g, numeric_gradient(cost, v, given), rtol=1e-5, atol=1e-6)
