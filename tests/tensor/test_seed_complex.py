"""Complex numbers row by row of the specification: transposes, conjugates, parts, moduli and angles."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.tensor import verify_grad
from tests.graph.test_complex import differences, weighted
from tests.reference import evaluate

seed = pytest.mark.seed
KINDS = ["int8", "uint16", "float32", "float64", "complex64", "complex128"]


def example(dtype: str) -> Any:
    values = np.array([[0, 1, 2], [3, 4, 5]])
    if dtype.startswith("complex"):
        values = values * (1 - 0.5j) + np.array([[0, 2j, 0], [1j, 0, -7]])
    elif not dtype.startswith("u"):
        values = values - 2
    return values.astype(dtype)


BUILDS: dict[str, tuple[Any, Any]] = {
    "T": (lambda x: x.T, lambda a: a.T),
    "conj": (lambda x: x.conj(), np.conj),
    "conf": (lambda x: x.conf(), np.conj),
    "real": (T.real, np.real),
    "imag": (T.imag, np.imag),
    "abs": (T.abs, np.abs),
    "abs_": (T.abs_, np.abs),
    "__abs__": (abs, np.abs),
    "angle": (T.angle, np.angle),
}


@functools.cache
def results(mode: str) -> dict[tuple[str, str], Any]:
    """Values of every function of a matrix of every dtype, from one compiled function."""
    inputs = [T.matrix("x", dtype=dtype) for dtype in KINDS]
    outputs = [build(x) for x in inputs for build, _ in BUILDS.values()]
    values = eqsat.function(inputs, outputs, mode=mode)(*map(example, KINDS))
    return dict(zip([(d, n) for d in KINDS for n in BUILDS], values, strict=True))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=seed(row))
        for n, row in [
            ("T", "D017"),
            ("conj", "D039"),
            ("conf", "D039"),
            ("real", "H016"),
            ("imag", "H017"),
            ("abs", "H039"),
            ("abs_", "H039"),
            ("__abs__", "H039"),
            ("angle", "H040"),
        ]
    ],
)
def test_values_are_those_of_numpy(name: str, seed_mode: str) -> None:
    for dtype in KINDS:
        have, want = results(seed_mode)[dtype, name], BUILDS[name][1](example(dtype))
        half = want.dtype == "float16"  # which NumPy takes for the angle of small integers
        assert half or name == "angle" or have.dtype == want.dtype, dtype
        np.testing.assert_allclose(have, want, rtol=1e-3 if half else 1e-6, err_msg=dtype)


@seed("D017")
def test_transposes(seed_mode: str) -> None:
    z, v = T.zmatrix("z"), T.dvector("v")
    f = eqsat.function([z, v], [3 + 0.2j * z.T, v.T], mode=seed_mode)
    value = example("complex128")
    turned, same = f(value, [1, 2])
    np.testing.assert_allclose(turned, 3 + 0.2j * value.T, rtol=1e-15)
    assert turned.dtype == "complex128" and same.tolist() == [1, 2]
    verify_grad(lambda x: x.T * x.T, [np.arange(6.0).reshape(2, 3)], rng=np.random.default_rng(0))
    cost = weighted(3 + 0.2j * z.T)
    found = evaluate([T.grad(cost, z)], {z: value})[0]
    np.testing.assert_allclose(found, differences(cost, z, value), rtol=1e-6, atol=1e-8)


@seed("D039")
def test_the_conjugate_of_a_real_tensor_is_that_tensor() -> None:
    x = T.dmatrix("x")
    assert x.conj() is x and x.conf() is x and T.conj(x) is x and x.real is x


@seed("H039")
def test_gradients_of_the_absolute_value(seed_mode: str) -> None:
    verify_grad(T.abs, [np.array([-1.5, 0.5, 3.0])], rng=np.random.default_rng(0))
    z = T.zvector("z")
    value = np.array([1 + 2j, -0.5j, -3 + 0.25j])
    cost = weighted(T.abs_(z))
    found = eqsat.function([z], T.grad(cost, z), mode=seed_mode)(value)
    np.testing.assert_allclose(found, differences(cost, z, value), rtol=1e-6, atol=1e-8)


@seed("H040")
def test_angles_on_the_axes_and_of_zeros(seed_mode: str) -> None:
    value = np.array([0j, 1, -1, 1j, -1j, complex(-1, -0.0), complex(-0.0, 0.0), complex(np.nan, 1)])
    z = T.zvector("z")
    np.testing.assert_allclose(
        eqsat.function([z], T.angle(z), mode=seed_mode)(value), np.angle(value), rtol=1e-15
    )
