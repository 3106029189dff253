"""Calling compiled plans: forms of arrays, fresh outputs, recycled memory, threads, and errors."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.cgen.runtime import layout, load
from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.tensor_type import TensorType


@pytest.fixture(params=["launcher", "plain"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the launcher, and without knowledge of NumPy's struct."""
    if request.param == "plain":
        monkeypatch.setattr(load, "_function", load._plain_function)
    else:
        assert layout.table() is not None
    return str(request.param)


def test_every_form_of_array(compiled: Any, way: str) -> None:
    x, y = T.matrix("x"), T.matrix("y")
    f = compiled([x, y], [x + 2 * y, x.T])
    base = np.arange(240.0).reshape(12, 20)
    raw = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64).reshape(3, 4)
    raw[...] = base[:3, :4]
    assert not raw.flags.aligned
    fixed = np.ascontiguousarray(base[:3, :4])
    fixed.flags.writeable = False
    forms = [
        base[:3, :4], base[:6:2, :8:2], base[2::-1, 3::-1], base.T[:3, :4], np.broadcast_to(base[0, :4], (3, 4)), raw, fixed,
        pickle.loads(pickle.dumps(base[:3, :4])), np.broadcast_to(np.float64(3), (3, 4)), np.asfortranarray(base[:3, :4]),
    ]  # fmt: skip
    for a in forms:
        for b in forms:
            before = a.copy(), b.copy()
            total, turned = f(a, b)
            assert np.array_equal(total, a + 2 * b) and np.array_equal(turned, a.T)
            assert total.flags.c_contiguous and total.flags.writeable and total.flags.owndata
            assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])


def test_three_dimensions_backwards(compiled: Any) -> None:
    for dtype in ("bool", "int16", "float32", "float64"):
        x = TensorType(dtype, shape=(None, None, None))("x")
        f = compiled([x], [x.dimshuffle(2, 0, 1)])
        values = np.arange(60).reshape(3, 4, 5).astype(dtype)
        for a in (values, values[::-1, ::2, ::-2], values.T, values[:0], values[:, :, :0]):
            assert np.array_equal(f(a)[0], a.transpose(2, 0, 1))


def test_no_dimensions_and_no_elements(compiled: Any, way: str) -> None:
    x, v = T.scalar("x"), T.vector("v")
    f = compiled([x, v], [x * 2, v * x, v.sum()])
    for n in (0, 1, 5):
        a, b, c = f(np.array(3.0), np.ones(n))
        assert a.shape == () and float(a) == 6.0 and b.tolist() == [3.0] * n and float(c) == n


def test_other_objects_of_a_dtype(compiled: Any) -> None:
    x = T.lvector("x")
    f = compiled([x], [x + 1])
    assert f.call_raw(np.arange(3, dtype=np.longlong))[0].tolist() == [1, 2, 3]
    assert f.call_raw(np.arange(3, dtype=np.dtype(np.int64, metadata={"a": 1})))[0].tolist() == [1, 2, 3]
    assert f.call_raw(np.arange(3, dtype=">i8")) is None
    assert f(np.arange(3, dtype=">i8"))[0].tolist() == [1, 2, 3]


def test_other_arguments_are_refused(compiled: Any, way: str) -> None:
    x = TensorType("float64", shape=(None, 2))("x")
    f = compiled([x], [x + 1])
    wrong = [
        (),
        (1,),
        (None,),
        ([[1.0, 2.0]],),
        (np.zeros(2),),
        (np.zeros((2, 2), "float32"),),
        (np.zeros((2, 3)),),
    ]
    for arguments in [*wrong, (np.zeros((1, 2)), np.zeros((1, 2)))]:
        assert f.call_raw(*arguments) is None
        with pytest.raises(ArgumentError):
            f(*arguments)
    with pytest.raises(ArgumentError, match=r"argument 0 is f64\[2, 3\], not f64\[\?, 2\]"):
        f(np.zeros((2, 3)))


def test_outputs_share_nothing(compiled: Any, way: str) -> None:
    x = T.matrix("x")
    k = T.constant(np.arange(30.0).reshape(5, 6))
    e = T.exp(x)
    outputs = [x, x, x.T, x[1:], e, e, e[0], e.reshape((-1,)), k, k[1], e.sum(), x.sum(axis=0)]
    f = compiled([x], outputs)
    a = np.ones((5, 6))
    got = f(a)
    for i, one in enumerate(got):
        for other in [*got[:i], a, k.data]:
            assert not np.shares_memory(one, other)
        one[...] = -1
    assert np.all(a == 1) and np.array_equal(f(a)[8], np.arange(30.0).reshape(5, 6))


def test_results_that_somebody_holds_never_change(compiled: Any) -> None:
    x = T.vector("x")
    f = compiled([x], [x * 1.0])
    held: list[Any] = []
    expected = []
    for k in range(200):
        (out,) = f.call_raw(np.full(6, float(k)))
        if k % 3 == 0:
            held.append(out)
        elif k % 3 == 1:
            held.append(out[2:4])
        else:
            held.append(memoryview(out))
        expected.append(float(k))
        del out
    for value, number in zip(held, expected, strict=True):
        assert np.all(np.asarray(value) == number)


def test_memory_is_used_again_only_when_unchanged(compiled: Any) -> None:
    x = T.vector("x")
    f = compiled([x], [x * 1.0])
    a = np.arange(6.0)

    def spoil(change: Any) -> None:
        (out,) = f.call_raw(a)
        change(out)

    changes: list[Any] = [
        lambda o: o.setflags(write=False), lambda o: setattr(o, "shape", (2, 3)), lambda o: setattr(o, "dtype", np.int64),
        lambda o: o.fill(7), lambda o: setattr(o, "shape", (6, 1)), lambda o: None,
    ]  # fmt: skip
    for change in changes:
        for _ in range(3):
            spoil(change)
        (out,) = f.call_raw(a)
        assert (
            out.shape == (6,)
            and out.dtype is np.dtype("float64")
            and out.flags.writeable
            and out.tolist() == a.tolist()
        )
    (out,) = f.call_raw(a)
    seen = weakref.ref(out)
    address = out.ctypes.data
    del out
    again = [f.call_raw(a)[0] for _ in range(4)]
    assert seen() is None or all(o.ctypes.data != address for o in again)


def test_dropped_results_are_used_again(compiled: Any) -> None:
    x = T.vector("x")
    f = compiled([x], [x * 1.0])
    a = np.arange(1000.0)
    f(a)
    assert len({f.call_raw(a)[0].ctypes.data for _ in range(10)}) <= 2


def test_an_output_may_be_the_next_input(compiled: Any) -> None:
    x = T.vector("x")
    f = compiled([x], [x + 1.0, x[::-1] * 1.0])
    z = np.zeros(4)
    for k in range(10):
        z, back = f.call_raw(z)
        assert z.tolist() == [k + 1.0] * 4 and back.tolist() == [float(k)] * 4


def test_functions_and_states_go_away(compiled: Any) -> None:
    x = T.vector("x")
    f = compiled([x], [x + 1.0, T.exp(x).sum()])
    raw = f.call_raw
    out = raw(np.zeros(3))
    del f
    gc.collect()
    assert raw(np.ones(3))[0].tolist() == [2.0] * 3
    del raw
    gc.collect()
    assert out[0].tolist() == [1.0] * 3


def test_many_threads_at_once(compiled: Any, way: str) -> None:
    x = T.matrix("x")
    e = T.exp(x)
    f = compiled([x], [T.dot(e, e.T), (e * 2 + x).sum(axis=0), e])
    wrong: list[Any] = []

    def work(seed: int) -> None:
        dice = np.random.default_rng(seed)
        for _ in range(40):
            a = dice.normal(size=(int(dice.integers(1, 80)), int(dice.integers(1, 80))))
            got = f(a)
            b = np.exp(a)
            for g, w in zip(got, [b @ b.T, (b * 2 + a).sum(axis=0), b], strict=True):
                if not np.allclose(g, w):
                    wrong.append((seed, a.shape))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_lack_of_memory_is_an_exception(compiled: Any, way: str) -> None:
    x, n = T.scalar("x"), T.lscalar("n")
    f = compiled([x, n], [T.exp(T.alloc(x, n, n)) + 1])
    with pytest.raises(MemoryError):
        f(np.array(1.0), np.array(2**27))
    g = compiled([x, n], [T.exp(T.alloc(x, n, n)).sum()])
    with pytest.raises(MemoryError):
        g(np.array(1.0), np.array(2**27))
    assert f(np.array(0.0), np.array(2))[0].tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_a_child_process_runs(compiled: Any) -> None:
    import os

    x = T.vector("x")
    f = compiled([x], [T.exp(x), x.sum()])
    a = np.ones(1_000_000)
    total = float(f(a)[1])
    child = os.fork()
    if child == 0:
        os._exit(0 if float(f(a)[1]) == total else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_errors_in_the_plain_way(compiled: Any, way: str) -> None:
    x, y = T.vector("x"), T.vector("y")
    f = compiled([x, y], [x + y])
    with pytest.raises(ShapeError, match="add: axis 0 has the lengths 3 in x and 2 in y at run time"):
        f(np.zeros(3), np.zeros(2))


def test_large_outputs_begin_with_a_line_of_the_cache(compiled: Any) -> None:
    """They own their memory as other arrays do, and arrays of NumPy's own get theirs as before."""
    x = T.fmatrix("x")
    f = compiled([x], [T.exp(x) + 1])
    held = [f(np.zeros((n, 3), np.float32))[0] for n in (5_000, 5_001, 500_000)]
    assert all(y.ctypes.data % 64 == 0 and y.flags.owndata for y in held)
    held[0].resize((10_000, 3), refcheck=False)
    assert held[0].sum() == 2 * 5_000 * 3
    assert layout.refusal() is None
