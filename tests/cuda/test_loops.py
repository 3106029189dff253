"""Loops on the emulated device: the forms they have, and values against the processor's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen import Tools, find_compiler
from eqsat.cgen.cuda import loops
from eqsat.cgen.cuda.device import open_device
from eqsat.scan import until

pytestmark = [pytest.mark.c, pytest.mark.cuda]


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


@contextlib.contextmanager
def turned() -> Iterator[None]:
    """Threads take turns from the last one on."""
    compiler = find_compiler()
    assert compiler is not None
    device = open_device(Tools(compiler, config.cache_dir, False))
    device.library.eq_emulate(1, 1)
    yield
    device.library.eq_emulate(0, 1)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape) / 4


def known(*shape: int) -> Any:
    return T.tensor("float64", shape)


def agree(inputs: Any, outputs: Any, *values: Any) -> Any:
    """Compare a function on the device, in both orders of threads, with that of the processor; gives the former."""
    ours, theirs = (eqsat.function(inputs, outputs, target=t) for t in ("cuda", "c"))
    assert ours.cuda_source is not None
    with turned():
        backwards = ours(*values)
    for a, again, b in zip(ours(*values), backwards, theirs(*values), strict=True):
        assert a.shape == b.shape and a.tobytes() == again.tobytes()
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    return ours


def kernels(f: Any) -> int:
    return int(f.cuda_source.count("__global__"))


def gated(row: Any, s: Any, U: Any, R: Any) -> Any:
    n = 20
    a, b = T.sigmoid(row[:n] + s @ U), T.sigmoid(row[n : 2 * n] + s @ R)
    return a * s + (1 - a) * T.tanh(row[2 * n :] + (b * s) @ U)


def test_a_recurrent_network_is_one_kernel_each_way() -> None:
    x, W = known(7, 128), known(128, 128)
    h, _ = eqsat.scan(lambda row, s, W: T.tanh(row + s @ W), x, T.zeros((128,)), W)
    f = agree([x, W], [h], normal(7, 128), normal(128, 128) / 4)
    assert "eq_together__double(" in f.cuda_source and "for (N[" not in f.c_source
    g = agree([x, W], T.grad((h**2).sum(), [x, W]), normal(7, 128), normal(128, 128) / 4)
    assert sum("n_" in line and "++) {" in line for line in g.cuda_source.splitlines()) >= 2


@pytest.mark.parametrize("most", [0, 1 << 40], ids=["launches", "block"])
def test_both_forms_of_a_loop_of_unknown_lengths(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "most_work", lambda: most)
    x, U, R = T.matrix("x"), T.matrix("U"), T.matrix("R")
    h, _ = eqsat.scan(gated, x, T.zeros((20,)), [U, R])
    values = normal(6, 60), normal(20, 20), normal(20, 20).T
    agree([x, U, R], [h[-1], *T.grad((h[-1] ** 2).sum(), [x, U, R])], *values)
    agree([x, U, R], [h[-1], h], values[0][:1], *values[1:])


def test_conditions_end_loops_of_a_block() -> None:
    W = known(20, 20)
    h, _ = eqsat.scan(
        lambda s, W: (T.tanh(s @ W), {}, until((s**2).sum() < 0.01)), outputs_info=T.ones(20), non_sequences=W,
        n_steps=50,
    )  # fmt: skip
    f = agree([W], [h, h[-1]], normal(20, 20) / 3)
    assert f(normal(20, 20) / 3)[0].shape[0] < 50


def test_short_vectors_stay_in_registers_of_a_thread() -> None:
    k = known(30, 3)
    M = np.eye(3) * 0.5 + 0.1
    h, _ = eqsat.scan(
        lambda e, a, b: T.tanh(a * M[0] + b + e), k, [{"initial": T.zeros((2, 3)), "taps": [-1, -2]}]
    )
    f = agree([k], [h], normal(30, 3))
    assert "__launch_bounds__(1)" in f.cuda_source


@pytest.mark.parametrize("steps", [0, 1, 2, 9])
@pytest.mark.sampled(2)
def test_states_end_in_the_right_buffer(steps: int) -> None:
    x = known(30)
    a, _ = eqsat.scan(lambda s, m: (T.tanh(s) * m.mean(), s), outputs_info=[x, x * 2], n_steps=steps)
    agree([x], [a[0][-1:], a[1]], normal(30))
    if steps:
        agree([x], [a[0][-1], a[1][-1]], normal(30))


def test_checks_of_lengths_are_the_hosts() -> None:
    x, W = T.matrix("x"), T.matrix("W")
    h, _ = eqsat.scan(lambda row, s, W: T.tanh(row + s @ W), x, T.zeros_like(x[0]), W)
    f = eqsat.function([x, W], h, target="cuda")
    with pytest.raises(eqsat.errors.ShapeError):
        f(normal(4, 5), normal(6, 5))
    assert f(normal(4, 5), normal(5, 5)).shape == (4, 5)


ROWS = {  # of a batch: a step, and whether rows need no others
    "products": (lambda r, s, W: T.tanh(r + s @ W), True),
    "gates": (
        lambda r, s, W: T.tanh(r + T.concatenate([(s @ W)[:, 4:], (s @ W)[:, :4]], axis=1)[:, ::-1]),
        None,
    ),
    "parts": (lambda r, s, W: (s @ W)[:, 3].dimshuffle(0, "x") * T.tanh(r + s), True),
    "softmax": (lambda r, s, W: T.softmax(r + s @ W, axis=1), True),
    "of columns": (lambda r, s, W: T.softmax(r + s @ W, axis=0), False),
    "turned": (lambda r, s, W: T.tanh(r + s[::-1] @ W), False),
    "the first row": (lambda r, s, W: T.tanh(r + s[0] * W[0]), False),
    "transposed": (lambda r, s, W: T.tanh(r + (s.T @ r)[:6]), False),
}


@pytest.mark.parametrize("lengths", ["known", pytest.param("unknown", marks=pytest.mark.sweep)])
def test_rows_that_need_no_others_are_shared_by_blocks(lengths: str) -> None:
    x, W = (known(5, 6, 8), known(8, 8)) if lengths == "known" else (T.tensor3("x"), T.matrix("W"))
    for name, (step, apart) in ROWS.items():
        first = T.zeros((6, 8)) if lengths == "known" else T.zeros_like(x[0])
        h, _ = eqsat.scan(step, x, first, W)
        f = agree([x, W], [h], normal(5, 6, 8), normal(8, 8))
        if apart is not None:
            assert ("eq_some" in f.cuda_source) is apart, name


def nested(row: Any, s: Any, W: Any) -> Any:
    inner, _ = eqsat.scan(lambda h, r: T.tanh(r + h @ W), outputs_info=s, non_sequences=row, n_steps=3)
    return inner[-1]


STEPS = {
    "a loop inside": nested,
    "running sums": lambda r, s, W: T.cumsum(r * s + 1),
    "joined": lambda r, s, W: T.concatenate([s[5:], r[:5]]) * T.max(s),
    "written": lambda r, s, W: T.set_subtensor(s[3:7], r[:4] * s.mean()),
    "picked": lambda r, s, W: s * 0.5 + W[T.argmax(r)],
    "turned": lambda r, s, W: T.tanh(r + s[::-1] * T.mean(s[::2])),
}


@pytest.mark.sweep
@pytest.mark.parametrize("most", [0, 1 << 40], ids=["launches", "block"])
@pytest.mark.parametrize("name", STEPS)
def test_steps_of_many_kinds(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "most_work", lambda: most)
    x, W = T.matrix("x"), T.matrix("W")
    h, _ = eqsat.scan(STEPS[name], x, T.ones((20,)), W)
    agree([x, W], [h, T.grad((h**2).sum(), x)], normal(4, 20), normal(20, 20) / 2)


def test_rows_of_unknown_lengths_are_shared_by_blocks_where_the_host_finds_them_apart() -> None:
    """Gates are slices of one product: whether these lie in a row of it is known by the host alone."""
    x, s0, W, b = T.tensor3("x"), T.matrix("s0"), T.matrix("W"), T.vector("b")
    h = 12

    def step(row: Any, s: Any, W: Any) -> Any:
        past = s @ W
        r, z = T.sigmoid(row[:, :h] + past[:, :h]), T.sigmoid(row[:, h : 2 * h] + past[:, h : 2 * h])
        return (1 - z) * T.tanh(row[:, 2 * h :] + r * past[:, 2 * h :]) + z * s

    states, _ = eqsat.scan(step, x + b, s0, W)
    f = agree(
        [x, s0, W, b],
        [states],
        normal(6, 5, 3 * h),
        normal(5, h),
        normal(h, 3 * h),
        normal(3 * h),
    )
    assert "blockIdx.x + 1" in f.cuda_source
    places = re.search(r'eq_placing_0 = \{"(\w+)"', f.c_source)
    assert places is not None and "b" not in places[1], "lengths and their number are the host's alone"


@pytest.mark.sweep
def test_integers_that_the_host_reads_are_its_own_and_those_that_kernels_read_are_theirs() -> None:
    """A length as a float is computed on the device; what it is as the shape of a result, by the host."""
    x, k = T.matrix("x"), T.lscalar("k")
    mean = x.sum(1) / x.shape[1]
    wide = x.reshape((x.shape[1] * 2, x.shape[0] // 2))
    f = agree([x, k], [mean, wide, T.arange(k + x.shape[0]) * 2], normal(6, 5), np.array(3))
    assert "eq_at" in f.c_source
    several = T.lvector("several")
    picked, _ = eqsat.scan(lambda s: s * 2, outputs_info=x, n_steps=several.max() + 1)
    agree([x, several], [picked[-1]], normal(3, 2), np.array([1, 4, 2]))
