"""Products of matrices on the emulated device: stacks as one launch, and a library that stands for cuBLAS."""

from __future__ import annotations

import ctypes
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.cuda
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.base.notices import forget_warnings
from eqsat.cgen import Tools, find_compiler
from eqsat.cgen.cuda import library, products
from eqsat.cgen.cuda.costs import RECORDED, constants
from eqsat.cgen.cuda.device import open_device
from eqsat.cgen.texts import host_text
from eqsat.errors import DeviceError
from tests.cuda.forms import source_of
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
DICE = np.random.default_rng(8)


def made(inputs: list[Any], outputs: list[Any]) -> Any:
    with config.change_flags(cuda_device="emulated", cache=False):
        return eqsat.function(inputs, outputs, target="cuda", on_unused_input="ignore")


def drawn(*shape: int, dtype: str = "float64") -> np.ndarray:
    found = DICE.normal(size=shape)
    return (found + 1j * DICE.normal(size=shape) if dtype.startswith("complex") else found).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bool"])
def test_a_stack_of_products_is_one_launch(dtype: str) -> None:
    a, b = (T.tensor(dtype, (None,) * 3, name=n) for n in "ab")
    c, d = T.tensor(dtype, (None,) * 4, name="c"), T.tensor(dtype, (2, 1, 3, 4, 5), name="d")
    outputs = [
        T.batched_dot(a, b),
        T.matmul(c, a.dimshuffle("x", 0, 2, 1)),
        T.matmul(c.dimshuffle(0, 1, 3, 2)[::-1, :, 1:], c),
        T.matmul(d, d.dimshuffle(0, 1, 2, 4, 3)[:, ::-1]),
        T.matmul(d[:, :, None], d.dimshuffle(0, 1, "x", 2, 4, 3)),
    ]
    f = made([a, b, c, d], outputs)
    calls = [line for line in host_text(f.c_source).splitlines() if "if (eq_product" in line]
    assert calls and all("(const int64_t[]){" in line for line in calls), calls
    reference = eqsat.function([a, b, c, d], outputs, mode="reference")
    for m, n, k, q in ((5, 6, 4, 3), (70, 1, 5, 2), (1, 65, 1, 1), (3, 2, 0, 2), (2, 3, 4, 0)):
        shapes = (q, m, k), (q, k, n), (2, q, n, k), (2, 1, 3, 4, 5)
        values = [
            np.abs(drawn(*s) * 3).astype(dtype) if dtype in ("int32", "bool") else drawn(*s, dtype=dtype)
            for s in shapes
        ]
        near = 1e-5 if dtype in ("float32", "complex64") else 1e-12
        for have, want in zip(in_both_orders(f, values), reference(*values), strict=True):
            assert have.dtype == want.dtype
            np.testing.assert_allclose(have, want, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "bool"])
def test_products_with_a_vector_have_a_kernel_of_their_own(dtype: str) -> None:
    a, u, w = (
        T.tensor(dtype, (None, None), name="a"),
        T.tensor(dtype, (None,), name="u"),
        T.tensor(dtype, (None,), name="w"),
    )
    c = T.tensor(dtype, (2, 3, 4, 5), name="c")
    outputs = [
        T.dot(a, u), T.dot(w, a), T.dot(a.T, w), T.dot(a[:, ::-1], u), T.dot(w[::-1], a[:, :1]),
        T.matmul(c, c[:, :, :1].dimshuffle(0, 1, 3, 2)), T.matmul(c[:, :, :1], c.dimshuffle(0, 1, 3, 2)),
    ]  # fmt: skip
    f = made([a, u, w, c], outputs)
    assert "const int turned" in f.cuda_source
    reference = eqsat.function([a, u, w, c], outputs, mode="reference")
    for m, k in ((3, 5), (1, 1), (1100, 2), (2, 700), (40, 40)):
        values: list[np.ndarray] = []
        for shape in ((m, k), (k,), (m,), (2, 3, 4, 5)):
            value = drawn(*shape, dtype=dtype if dtype in ("float32", "complex128") else "float64")
            values.append(value if value.dtype == dtype else np.abs(3 * value).astype(dtype))
        near = 1e-4 if dtype == "float32" else 1e-11
        for number, (have, want) in enumerate(
            zip(in_both_orders(f, values), reference(*values), strict=True)
        ):
            np.testing.assert_allclose(have, want, rtol=near, atol=near, err_msg=f"{number} {m} {k}")


def test_products_of_which_one_reads_what_another_writes_stay_apart() -> None:
    """A loop over matrices whose results are read in its next round is no stack."""
    from eqsat.cgen.cuda.products import stack_of
    from eqsat.cgen.ir.expressions import Int, Name, Shifted
    from eqsat.cgen.ir.statements import Call, For

    i, size = Name("q"), Int(9)
    a, b, c = (Name(n) for n in "abc")

    def loop(left: Any, to: Any, rows: Any = size) -> For:
        args = (
            rows,
            Int(3),
            Int(3),
            left,
            Int(3),
            Int(1),
            Shifted(b, "float64", i * size),
            Int(3),
            Int(1),
            to,
        )
        return For("q", Int(4), [Call("dot", "float64", args)])

    moved = Shifted(c, "float64", i * size)
    assert stack_of(loop(Shifted(a, "float64", i * size), moved)) is not None
    assert stack_of(loop(a, moved)) is not None  # one matrix for all
    assert stack_of(loop(Shifted(c, "float64", i * size), moved)) is None  # read and written
    assert stack_of(loop(a, c)) is None  # all in one place
    assert stack_of(loop(Shifted(a, "float64", i * i), moved)) is None  # no even distance
    assert stack_of(loop(a, moved, rows=i)) is None  # lengths that differ


class Counts:
    """What the library that stands for cuBLAS has seen."""

    def __init__(self, path: str, device: Any) -> None:
        self.library, self.device = ctypes.CDLL(path), device

    def __getattr__(self, name: str) -> int:
        return ctypes.c_int64.in_dll(self.library, name).value

    def refuse(self, status: int) -> None:
        ctypes.c_int.in_dll(self.library, "refuse").value = status


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("needs a C compiler")
    found = tmp_path_factory.mktemp("blas") / "libstand_in_blas.so"
    source = Path(__file__).with_name("stand_in_blas.c")
    subprocess.run(
        [compiler, "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", str(source), "-o", str(found)],
        check=True,
    )
    return str(found)


@pytest.fixture
def blas(path: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    """The emulated device with a library, for which every product is large."""
    compiler = find_compiler()
    assert compiler is not None
    with config.change_flags(cuda_device="emulated"):
        device = open_device(Tools(compiler, config.cache_dir, False))
    monkeypatch.setattr(products, "least_for_library", lambda dtype: 1)
    device.use_products(library.Library(path))
    found = Counts(path, device)
    yield found
    found.refuse(0)
    device.products = None
    device.library.eq_use_library(ctypes.byref(library.Functions()))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_a_library_does_large_products_in_all_orders_of_memory(dtype: str, blas: Counts) -> None:
    a, b, u = (
        T.tensor(dtype, (None, None), name="a"),
        T.tensor(dtype, (None, None), name="b"),
        T.tensor(dtype, (None,), name="u"),
    )
    c, d = T.tensor(dtype, (2, 3, 4, 5), name="c"), T.tensor(dtype, (3, 5, 2), name="d")
    outputs = [
        T.dot(a, b), T.dot(a, a.T), T.dot(b.T, b), T.dot(b.T, a.T), T.dot(a[:, 1:], b[1:]), T.dot(a, u), T.dot(u, b),
        T.matmul(c, d), T.matmul(c.dimshuffle(0, 2, 1, 3), c.dimshuffle(0, 2, 3, 1)), T.batched_dot(c[0], d),
    ]  # fmt: skip
    f = made([a, b, u, c, d], outputs)
    reference = eqsat.function([a, b, u, c, d], outputs, mode="reference")
    for m, k, n in ((3, 4, 5), (1, 6, 1), (7, 2, 1)):
        values = [drawn(*s, dtype=dtype) for s in ((m, k), (k, n), (k,), (2, 3, 4, 5), (3, 5, 2))]
        before = blas.calls
        near = 1e-5 if dtype in ("float32", "complex64") else 1e-12
        for number, (have, want) in enumerate(zip(f(*values), reference(*values), strict=True)):
            np.testing.assert_allclose(have, want, rtol=near, atol=near, err_msg=str(number))
        assert blas.calls - before >= 9
    assert (blas.handles, blas.atomics, blas.workspace) == (1, 0, 32 << 20)
    assert blas.kind == {"float32": 0, "float64": 1, "complex64": 4, "complex128": 5}[dtype]
    assert blas.compute == (68 if dtype in ("float32", "complex64") else 70)  # no tensor floats


def test_what_the_library_cannot_take_runs_in_kernels(blas: Counts) -> None:
    x, y = T.matrix("x"), T.lmatrix("y")
    f = made([x, y], [T.dot(x[:, ::2], x[:, ::2].T), T.dot(x, x[::-1].T), T.dot(y, y.T)])
    before = blas.calls, blas.device.large_products(by_library=False)
    value, whole = drawn(4, 6), np.arange(24).reshape(4, 6)
    found = f(value, whole)
    np.testing.assert_allclose(found[0], value[:, ::2] @ value[:, ::2].T)
    np.testing.assert_allclose(found[1], value @ value[::-1].T)
    assert np.array_equal(found[2], whole @ whole.T)
    with config.change_flags(cuda_device="emulated"):
        assert eqsat.cuda.large_products().keys() == {"kernels of our own", "cuBLAS 13.12.11"}
    assert (blas.calls, blas.device.large_products(by_library=False)) == (before[0], before[1] + 2)


def test_small_products_and_those_of_functions_made_without_it_leave_the_library_alone(
    blas: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = T.matrix("x")
    before = blas.calls
    monkeypatch.setattr(products, "least_for_library", lambda dtype: 2 * 4 * 4 * 6 + 1)
    f = made([x], [T.dot(x, x.T)])
    f(drawn(4, 6))
    assert blas.calls == before
    f(drawn(4, 7))
    assert blas.calls == before + 1
    with config.change_flags(cuda_blas="off"):
        f = made([x], [T.dot(x, x.T)])
    f(drawn(40, 60))
    assert blas.calls == before + 1


def test_a_library_that_fails_ends_the_call_with_its_words_and_the_device_stays_usable(blas: Counts) -> None:
    x = T.matrix("x")
    f = made([x], [T.dot(x, x.T)])
    blas.refuse(13)
    with pytest.raises(DeviceError, match="a product by cuBLAS: CUBLAS_STATUS_EXECUTION_FAILED"):
        f(np.ones((3, 3)))
    blas.refuse(0)
    assert np.array_equal(f(np.ones((3, 3)))[0], np.full((3, 3), 3.0))


def test_a_library_is_found_by_its_path_or_is_none(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_paths", lambda: iter(["/nowhere/libcublas.so", path]))
    library._found.cache_clear()
    try:
        found = library.find_library()
        assert found is not None and found.path == path and found.version == "13.12.11"
        with config.change_flags(cuda_blas="off"):
            assert library.find_library() is None
    finally:
        library._found.cache_clear()


def test_the_cost_model_chooses_the_size() -> None:
    flop, cheaper = (constants(RECORDED["sm_90"], library=has)["blas_flop"] for has in (False, True))
    assert cheaper < flop
    sizes = {dtype: products.least_for_library(dtype) for dtype in products.LIBRARY_TAKES}
    assert sizes["float32"] == 2 * sizes["float64"] == sizes["complex64"]
    assert 200 < (sizes["float64"] / 2) ** (1 / 3) < 1000  # the order of square matrices


@pytest.mark.parametrize("n, said", [(2000, 1), (20, 0), (None, 0)])
def test_a_gpu_without_the_library_is_told_once_where_products_are_known_to_be_large(
    n: int | None, said: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "present", lambda: {"multiprocessors": 132})
    monkeypatch.setattr(products, "find_library", lambda: None)
    forget_warnings()
    x, a = T.TensorType("float32", shape=(n, n))("x"), T.TensorType("float32", shape=(3, n, n))("a")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        source_of([T.dot(x, x), T.batched_dot(a, a)])
    texts = [str(w.message) for w in found if "cuBLAS" in str(w.message)]
    assert len(texts) == said and all("eqsat[cuda-blas]" in text for text in texts)
