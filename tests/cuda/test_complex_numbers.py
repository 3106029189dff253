"""Complex numbers on the emulated device: every op that takes them, reductions, products, loops; and the type that stands for C's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.cuda.complex_numbers import STRUCT
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import COMPLEX
from tests.cuda.orders import in_both_orders
from tests.graph.test_complex import MEANING

pytestmark = [pytest.mark.c, pytest.mark.cuda]
EXACT = ("add", "sub", "mul", "truediv", "neg", "reciprocal", "sqr", "real", "imag", "conj", "eq", "neq")
NOT_AT_INFINITY = ("pow", "sigmoid")  # where C's library and NumPy have numbers for infinity times NaN
ROUNDED_AT_ONE = ("sigmoid",)  # 0.5 + 0.5*tanh(z/2)
_PARTS = (0.0, -0.0, 1e-30, -1e-6, 0.3, -1.0, 1.0, 1.5, -30.0, 1e5)
POINTS = np.array([complex(x, y) for x in _PARTS for y in _PARTS])
BEYOND = np.array([complex(x, y) for x in (np.inf, -np.inf, np.nan, 2.0) for y in (np.inf, np.nan, -0.0)])


def made(inputs: list[Any], outputs: list[Any]) -> Any:
    with config.change_flags(cuda_device="emulated"):
        f = eqsat.function(inputs, outputs, mode="FAST_COMPILE", target="cuda", on_unused_input="ignore")
    assert f.cuda_source is not None and "eq_wait" not in f.c_source.split("eq_part")[-1]
    return f


def near(found: Any, wanted: Any, dtype: str, name: str) -> None:
    """Numbers agree up to a share of their modulus; where one has a part that is NaN the other has, too."""
    most = (4 if name in EXACT else 20) * np.finfo(dtype).eps
    if wanted.dtype == bool:
        return np.testing.assert_array_equal(found, wanted, err_msg=name)
    off = np.isnan(wanted)
    np.testing.assert_array_equal(np.isnan(found), off, err_msg=name)
    found, wanted = found[~off], wanted[~off]
    endless = np.isinf(wanted)
    np.testing.assert_array_equal(np.isinf(found), endless, err_msg=name)
    size = np.abs(wanted[~endless]) + (name in ROUNDED_AT_ONE)
    far = np.abs(found[~endless] - wanted[~endless]) > most * size
    assert not far.any(), (name, found[~endless][far], wanted[~endless][far])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_every_op_of_complex_numbers_agrees_with_numpy(dtype: str) -> None:
    z, w = (T.tensor(dtype, (None,), name=n) for n in "zw")
    names = [n for n in MEANING if n in OPS]
    outputs = [OPS[n].bind()(*[z, w][: len(OPS[n].tensors)]) for n in names]
    f = made([z, w], outputs)
    reference = eqsat.function([z, w], outputs, mode="reference")
    for points in (POINTS, BEYOND):
        values = points.astype(dtype), (np.roll(points, 7) + (points is POINTS)).astype(dtype)
        with np.errstate(all="ignore"):
            wanted = reference(*values)
        for name, have, want in zip(names, in_both_orders(f, values), wanted, strict=True):
            if points is POINTS or name not in NOT_AT_INFINITY:
                near(have, want, dtype, name)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_reductions_products_and_loops(dtype: str) -> None:
    z, u, i = T.tensor(dtype, (None, None), name="z"), T.tensor(dtype, (None,), name="u"), T.lvector("i")
    decay, _ = eqsat.scan(lambda h: h * np.asarray(0.9 + 0.1j, dtype) + u, None, T.zeros_like(u), n_steps=5)
    turned, _ = eqsat.scan(lambda h: T.dot(z, h) * np.asarray(0.1, dtype), None, u, n_steps=3)
    outputs = [
        z.sum(1), z.prod(0), z.sum(), T.any(z), z.mean(0), z[::-1, 1:].T * np.asarray(2j, dtype), T.conj(z) + u,
        T.dot(z, T.conj(z).T), T.dot(z, u), T.dot(z.T, u), T.cumsum(z, 1), T.cumsum(u), T.cumprod(u), z[i], T.inc_subtensor(z[i], u),
        T.concatenate([z, -z]), (z - z.mean(1, keepdims=True)) / T.abs(z).sum(1, keepdims=True), decay[-1], turned,
        T.batched_dot(T.conj(z)[None], z[None]), T.real(z).astype(dtype) + T.abs(u), z.astype("complex64"), T.neq(z, 0).sum(),
    ]  # fmt: skip
    outputs = [v.astype(dtype) if v.dtype == "complex64" else v for v in outputs]
    with config.change_flags(cuda_device="emulated"):
        f = eqsat.function([z, u, i], outputs, mode="FAST_COMPILE", target="cuda")
    reference = eqsat.function([z, u, i], outputs, mode="reference")
    dice = np.random.default_rng(4)
    for n in (1, 5, 40):
        value, row = (dice.normal(size=s) + 1j * dice.normal(size=s) for s in ((n, n), n))
        values = value.astype(dtype), row.astype(dtype), dice.integers(0, n, n)
        for k, (have, want) in enumerate(zip(in_both_orders(f, values), reference(*values), strict=True)):
            close = 2e-4 if want.dtype in ("complex64", "float32") else 1e-11
            assert have.dtype == want.dtype and have.shape == want.shape
            np.testing.assert_allclose(have, want, rtol=close, atol=close, err_msg=str(k))


def test_the_type_of_the_device_has_the_operators_of_c(tmp_path: Path) -> None:
    """The emulator has C's type, and compilers of CUDA do not run what they compile: a compiler of C++ runs the structure."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++")
    text = re.sub(r"template <typename R> static __device__ .* __shfl_xor_sync(?s:.*)", "", STRUCT)
    program = """#include <complex>
#include <cstdio>
#define __device__
#define __forceinline__ inline
#define __align__(n) alignas(n)
%s
typedef std::complex<double> wanted;
static int wrong;
static void same(complex128_t a, wanted b, int line) { if (a.re != b.real() || a.im != b.imag()) { wrong = 1; printf("%%d\\n", line); } }
#define SAME(text) { complex128_t x(1.5, -2), y(0.25, 3); complex128_t a = text; { wanted x(1.5, -2), y(0.25, 3); same(a, text, __LINE__); } }
int main() {
  SAME(x + y) SAME(x - y) SAME(x * y) SAME(-x) SAME(x + 2.0) SAME(2.0 + x) SAME(x - 2.0) SAME(2.0 - x) SAME(x * 2.0) SAME(2.0 * x) SAME(x / 2.0)
  complex128_t x(1.5, -2), y = 0, z; z = 1;
  if (!(y == 0) || x == y || !(x != y) || x == complex128_t(1.5, 2) || z != 1 || (~x).im != 2 || eq_real(x) != 1.5 || eq_imag(x) != -2) wrong = 2;
  complex64_t s = (complex64_t)x; if (s.re != 1.5f || s.im != -2 || (complex128_t)s != x || (s / 2).re != 0.75f || sizeof(s) != 8 || sizeof(x) != 16) wrong = 3;
  if ((true ? 0 : x) != 0 || eq_complex(1.0f, 2.0f) != complex64_t(1, 2)) wrong = 4;
  return wrong;
}
"""
    source, made_program = tmp_path / "complex.cpp", tmp_path / "complex"
    source.write_text(program % text)
    subprocess.run([compiler, "-std=c++17", "-w", "-o", made_program, source], check=True)
    done = subprocess.run([made_program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stdout)
