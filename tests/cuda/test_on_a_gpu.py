"""What only a GPU can show: memory over many calls, the same bits in every run, arrays of other libraries, errors, the sanitizer."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import eqsat
import eqsat.cuda
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.cuda import driver
from eqsat.errors import BoundsError, DeviceError

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.c,
    pytest.mark.cuda,
    pytest.mark.skipif(driver.present() is None, reason="no GPU"),
]
x, v = T.fmatrix("x"), T.fvector("v")
USED = 7  # attribute of a pool: the bytes of it that are in use


@pytest.fixture(autouse=True)
def on_gpu() -> Iterator[None]:
    with config.change_flags(cuda_device=0, target="cuda"):
        yield


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


def left() -> int:
    """Bytes of the GPU that nobody has."""
    found = driver.driver()
    free, whole = found.ffi.new("size_t *"), found.ffi.new("size_t *")
    found.call("cuMemGetInfo", free, whole)
    return int(free[0])


def held_here() -> int:
    """Bytes of the driver's pool that this process uses: other programs have their own."""
    found = driver.driver()
    pool, used = found.pool(found.open(0)[0]), found.ffi.new("uint64_t *")
    get = found._function("cuMemPoolGetAttribute", "CUresult (*)(CUmemoryPool, int, void *)")
    assert not get(pool, USED, used)
    return int(used[0])


def library(name: str) -> Any:
    """A library that can use the GPU."""
    found = pytest.importorskip(name)
    if name == "torch" and not found.cuda.is_available():
        pytest.skip("torch has no GPU")
    return found


def test_many_calls_take_no_memory() -> None:
    i = T.lvector("i")
    f = eqsat.function([x, i], [T.softmax(x, axis=1) @ x.T, x[i].transfer("cuda"), T.sort(x.sum(0))])
    given = normal(20, 30), np.arange(10) % 7
    process = psutil.Process()
    before = []
    for calls in (2_000, 98_000):
        for _ in range(calls):
            f(*given)
        before.append((process.memory_info().rss, held_here()))
    (rss, held), (rss_after, held_after) = before
    assert rss_after - rss < 20e6 and held_after - held < 20e6


def programs() -> dict[str, tuple[list[Any], Any, list[Any]]]:
    """Inputs, outputs and values of programs whose sums many threads share."""
    i, w, images, filters = T.lvector("i"), T.fmatrix("w"), T.ftensor4("images"), T.ftensor4("filters")
    d, z = T.dmatrix("d"), T.tensor("complex64", (None, None), name="z")
    h, _ = eqsat.scan(lambda row, s, w: T.tanh(row + s @ w), x, T.zeros((64,), "float32"), w)
    conv = T.nnet.conv2d(images, filters)
    rows, square = normal(3000, 500), normal(64, 64)
    given = [normal(8, 3, 20, 20), normal(4, 3, 5, 5)]
    return {
        "sums of rows": ([x], x.sum(1), [rows]),
        "sums of columns": ([x], x.sum(0), [rows]),
        "sum of all": ([v], v.sum(), [normal(3_000_000)]),
        "mean of squares of doubles": ([d], (d * d).mean(), [rows.astype("float64")]),
        "softmax": ([x], T.softmax(x, axis=1), [rows]),
        "log-sum-exp backwards": ([x], T.grad(T.logsumexp(x, axis=1).sum(), x), [rows]),
        "running sums": ([v], T.cumsum(v), [normal(1_000_000)]),
        "products": ([x, w], x @ w, [rows, normal(500, 70)]),
        "large products": ([x, w], x @ w, [normal(700, 900), normal(900, 800)]),
        "complex products": ([z], z @ z.T, [(rows[:300] + 1j * rows[300:600]).astype("complex64")]),
        "convolution": (
            [images, filters],
            T.grad((conv * conv).sum(), [images, filters]),
            given,
        ),
        "rows added": ([x, i], T.grad((x[i] ** 2).sum(), x), [rows, np.arange(20_000) * 7 % 311]),
        "elements added": (
            [v, i],
            T.zeros((40,), "float32")[i].inc(v),
            [normal(20_000), np.arange(20_000) * 7 % 40],
        ),
        "a loop": ([x, w], h, [normal(50, 64), square / 8]),
        "a loop backwards": ([x, w], T.grad((h * h).sum(), w), [normal(50, 64), square / 8]),
    }


PROGRAMS = programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hundred_runs_give_the_same_bits_and_the_values_of_the_processor(name: str) -> None:
    inputs, outputs, values = PROGRAMS[name]
    outputs = outputs if isinstance(outputs, list) else [outputs]
    f = eqsat.function(inputs, outputs)
    assert f.cuda_source is not None
    first = f(*values)
    for _ in range(99):
        for one, again in zip(first, f(*values), strict=True):
            assert one.tobytes() == again.tobytes()
    wanted = eqsat.function(inputs, outputs, target="c")(*values)
    for found, w in zip(first, wanted, strict=True):
        assert found.dtype == w.dtype
        off = np.abs(found - w).max() / max(np.abs(w).max(), 1e-30)
        assert off < (1e-11 if w.dtype.itemsize == 8 and w.dtype.kind == "f" else 2e-5)


def test_large_products_go_to_the_library() -> None:
    a = normal(1500, 1500)
    f = eqsat.function([x], (x @ x).transfer("cuda"))
    before = eqsat.cuda.large_products()
    found = f(a)
    after = eqsat.cuda.large_products()
    if len(after) > 1:
        (name,) = (n for n in after if n.startswith("cuBLAS"))
        assert after[name] == before.get(name, 0) + 1
    assert np.abs(found.numpy() - a.astype("float64") @ a).max() < 1e-2, "as floats, not as tensor floats"


def test_a_training_step_becomes_a_graph_and_follows_the_processor() -> None:
    rng = np.random.default_rng(0)
    start = [rng.normal(size=s).astype("float32") / 8 for s in ((30, 50), (50,), (50, 10))]
    y = T.lvector("y")

    def step(target: str) -> Any:
        w, b, u = (eqsat.shared(a.copy()) for a in start)
        loss = T.nnet.categorical_crossentropy(T.softmax(T.tanh(x @ w + b) @ u, axis=1), y).mean()
        slopes = T.grad(loss, [w, b, u])
        updates = [(p, p - np.float32(0.1) * g) for p, g in zip((w, b, u), slopes, strict=True)]
        return eqsat.function([x, y], loss, updates=updates, target=target), (w, b, u)

    data, labels = normal(200, 30), np.arange(200) % 10
    (ours, mine), (theirs, others) = step("cuda"), step("c")
    found = [float(ours(data, labels)) for _ in range(60)]
    wanted = [float(theirs(data, labels)) for _ in range(60)]
    np.testing.assert_allclose(found, wanted, rtol=2e-5)
    for a, b in zip(mine, others, strict=True):
        np.testing.assert_allclose(a.get_value(), b.get_value(), rtol=1e-3, atol=1e-5)


def test_tensors_of_torch_go_in_and_out_without_a_copy() -> None:
    torch = library("torch")
    f = eqsat.function([x], (x * 2).transfer("cuda"))
    given = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    there = eqsat.cuda.asarray(given)
    assert there.__cuda_array_interface__["data"][0] == given.data_ptr()
    found = f(given)
    back = torch.from_dlpack(found)
    assert back.data_ptr() == found.__cuda_array_interface__["data"][0]
    assert torch.equal(back, given * 2)
    again = torch.as_tensor(found, device="cuda")
    assert again.data_ptr() == back.data_ptr()
    assert torch.equal(torch.from_dlpack(f(given.T)), given.T * 2), "a strided tensor is copied on the device"
    del found, again
    torch.cuda.synchronize()
    assert torch.equal(back, given * 2), "the consumer keeps the memory"


def test_a_stream_of_torch() -> None:
    torch = library("torch")
    f = eqsat.function([v], T.exp(v * 0.5).transfer("cuda"))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), eqsat.cuda.stream(stream.cuda_stream):
        given = torch.ones(1_000_000, device="cuda")
        for _ in range(20):
            given = torch.from_dlpack(f(given)) * 0.5
    stream.synchronize()
    wanted = 1.0
    for _ in range(20):
        wanted = np.exp(wanted * 0.5) * 0.5
    assert abs(float(given[0]) - wanted) < 1e-5


@pytest.mark.parametrize("name", ["cupy", "jax"])
def test_arrays_of_other_libraries(name: str) -> None:
    found = library(name)
    if name == "jax":
        found = importlib.import_module("jax.numpy")
        try:
            importlib.import_module("jax").devices("cuda")
        except RuntimeError:
            pytest.skip("JAX has no GPU")
    f = eqsat.function([x], (x + 1).transfer("cuda"))
    given = found.arange(12, dtype="float32").reshape(3, 4)
    back = found.from_dlpack(f(given))
    np.testing.assert_array_equal(np.asarray(back.get() if name == "cupy" else back), np.arange(1.0, 13).reshape(3, 4))  # fmt: skip


def test_an_index_outside_is_an_error_and_the_device_stays_usable() -> None:
    i = T.lvector("i")
    s = eqsat.shared(np.zeros(5))
    f = eqsat.function([i], s[i], updates=[(s, s + s[i].sum() + 1)])
    f([0, 4])
    with pytest.raises(BoundsError):
        f([0, 5])
    assert s.get_value().tolist() == [1.0] * 5
    assert f([1]).tolist() == [1.0]


def test_a_full_device_is_an_error_and_stays_usable() -> None:
    n = int(left() ** 0.5)  # a matrix of floats takes four times what is left
    a, b = T.fvector("a"), T.fvector("b")
    f = eqsat.function([a, b], (a[:, None] * b).transfer("cuda"))
    with pytest.raises(MemoryError, match="no memory on the device for"):
        f(np.ones(n, "float32"), np.ones(n, "float32"))
    assert f(np.ones(3, "float32"), np.ones(2, "float32")).numpy().tolist() == [[1.0, 1.0]] * 3


def test_values_that_both_sides_touch() -> None:
    outputs = [T.sort(x * 2, axis=0) + 1, T.linalg.inv(x @ x.T + T.eye(4) * 9).sum(0)]
    ours, theirs = (eqsat.function([x], outputs, target=target) for target in ("cuda", "c"))
    given = normal(4, 50)
    for _ in range(5):
        np.testing.assert_allclose(ours(given)[0], theirs(given)[0], rtol=1e-6)


def test_after_a_fork_a_call_in_the_child_says_so() -> None:
    f = eqsat.function([v], v * 3)
    f([1.0])
    place, to = os.pipe()
    child = os.fork()
    if not child:
        try:
            f([1.0])
            os.write(to, b"worked")
        except DeviceError as error:
            os.write(to, str(error).encode()[:500])
        os._exit(0)
    os.waitpid(child, 0)
    assert b"fork" in os.read(place, 500)
    assert f([2.0]).tolist() == [6.0]


def test_the_bandwidth_of_copies_and_the_constants_are_plausible() -> None:
    from eqsat.cgen.cuda.costs import costs
    from eqsat.cgen.cuda.measure import copy_bandwidth, measured

    usual, found = costs(), measured()
    assert 0.4 < copy_bandwidth() * usual["byte"] < 2.5
    off = {k: found[k] / usual[k] for k in found if usual.get(k) and not 0.1 < found[k] / usual[k] < 10}
    assert not off


SANITIZED = {
    "memcheck": "test_running.py",
    "racecheck": "test_reductions.py",
    "initcheck": "test_rows.py",
    "synccheck": "test_rows.py",
}


@pytest.mark.sweep
@pytest.mark.parametrize("tool", SANITIZED)
def test_the_sanitizer_finds_nothing(tool: str, tmp_path: Path) -> None:
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        pytest.skip("no compute-sanitizer")
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    flags = f"cache_dir={tmp_path},target=cuda,cuda_device=0"
    words = [
        "-p",
        "on_device",
        "-q",
        "-m",
        "not sweep",
        "-p",
        "no:cacheprovider",
        "-k",
        "axis or rows or sum or running",
    ]
    command = [sanitizer, f"--tool={tool}", "--error-exitcode=77", sys.executable, "-m", "pytest", *words]
    done = subprocess.run(
        [*command, f"tests/cgen/{SANITIZED[tool]}"],
        cwd=ROOT,
        env={**os.environ, "EQSAT_FLAGS": flags, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout
    assert done.returncode == 0 and " passed" in said and re.search(r"SUMMARY: 0 ", said), said[-4000:]
