"""Zeros that a gradient starts from have the lengths of what a loop collects; none is read inside the loop."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.filterwarnings("error::eqsat.errors.EqsatWarning")
def test_the_gradient_of_gates_cut_from_one_product() -> None:
    x, h, c = T.ftensor3("x"), T.fmatrix("h"), T.fmatrix("c")
    w, u, b = T.fmatrix("w"), T.fmatrix("u"), T.fvector("b")

    def step(x, h, c, w, u, b):
        gates = T.dot(x, w) + T.dot(h, u) + b
        i, f, o = (T.sigmoid(gates[:, 128 * k : 128 * k + 128]) for k in range(3))
        c = f * c + i * T.tanh(gates[:, 384:])
        return o * T.tanh(c), c

    (hs, _), _ = eqsat.scan(step, sequences=x, outputs_info=[h, c], non_sequences=[w, u, b])
    loss = T.mean(T.sqr(hs))
    inputs, outputs = [x, h, c, w, u, b], [loss, *T.grad(loss, [w, u, b])]
    rng = np.random.default_rng(0)
    shapes = [(3, 2, 5), (2, 128), (2, 128), (5, 512), (128, 512), (512,)]
    values = [rng.normal(size=s).astype("f4") for s in shapes]
    wanted = eqsat.function(inputs, outputs, mode="reference")(*values)
    for found, right in zip(eqsat.function(inputs, outputs, mode="numpy")(*values), wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-6)
