"""Arrays that stay on the device, arrays of other libraries, shared variables on the device."""

from __future__ import annotations

import ctypes
import gc
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.cuda
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.cuda import dlpack
from eqsat.errors import ArgumentError, BoundsError, DeviceError, DTypeError, RankError, ShapeError
from tests.cuda.test_driver import StandIn, library, stand_in  # noqa: F401

pytestmark = [pytest.mark.c, pytest.mark.cuda]
x, v, s = T.matrix("x"), T.vector("v"), T.lscalar("s")


@pytest.fixture
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


class Producer:
    """An array of another library, which lends by DLPack what it got by DLPack."""

    def __init__(self, array: Any, device: tuple[int, int] | None = None, **changed: Any) -> None:
        self.array, self.device, self.changed = array, device, changed

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device or self.array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.array.__dlpack__(**options)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = dlpack._Managed.from_address(get(capsule, b"dltensor")).tensor
        for name, value in self.changed.items():
            setattr(tensor, name, value)
        return capsule


def lengths(*numbers: int) -> Any:
    return ctypes.cast((ctypes.c_int64 * len(numbers))(*numbers), ctypes.POINTER(ctypes.c_int64))


VALUE = np.arange(12.0).reshape(3, 4) / 8


def test_an_output_stays_and_goes_in_again(emulated: None) -> None:
    f = eqsat.function([x], [T.exp(x).transfer("cuda"), x.sum(0)], target="cuda")
    y, total = f(VALUE)
    assert type(y) is eqsat.cuda.Array and type(total) is np.ndarray
    assert (y.shape, y.dtype, y.ndim, y.size, y.nbytes, len(y)) == ((3, 4), np.float64, 2, 12, 96, 3)
    np.testing.assert_allclose(y.numpy(), np.exp(VALUE))
    np.testing.assert_allclose(np.asarray(y, "float32"), np.exp(VALUE).astype("float32"))
    again, total = f(y)
    np.testing.assert_allclose(again.numpy(), np.exp(np.exp(VALUE)))
    np.testing.assert_allclose(total, np.exp(VALUE).sum(0))
    assert isinstance(pickle.loads(pickle.dumps(y)), np.ndarray)
    assert repr(y) == "<eqsat.cuda.Array float64 (3, 4) on the emulated device>"
    with pytest.raises(TypeError, match="asarray"):
        eqsat.cuda.Array()


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 1, 3)])
def test_dtypes_and_shapes(emulated: None, shape: tuple[int, ...]) -> None:
    dtypes = ["bool", "int8", "float32", "complex64", "uint64"]
    zs = [T.tensor(dtype, (None,) * len(shape), name=dtype) for dtype in dtypes]
    f = eqsat.function(zs, [v for z in zs for v in ((z + z).transfer("cuda"), z.T * z.T)], target="cuda")
    values = [np.random.default_rng(0).integers(0, 2, shape).astype(dtype) for dtype in dtypes]
    there = [eqsat.cuda.asarray(value) for value in values]
    found = f(*there)
    for k, (dtype, value) in enumerate(zip(dtypes, values, strict=True)):
        np.testing.assert_array_equal(there[k].numpy(), value, err_msg=dtype)
        np.testing.assert_array_equal(found[2 * k].numpy(), value + value, err_msg=dtype)
        np.testing.assert_array_equal(found[2 * k + 1], (value * value).T, err_msg=dtype)


def test_what_the_host_touches_stays_too(emulated: None) -> None:
    f = eqsat.function([v], [T.sort(v).transfer("cuda"), T.sort(T.exp(v)).transfer("cuda")], target="cuda")
    a, b = f(eqsat.cuda.asarray([3.0, 1.0, 2.0]))
    np.testing.assert_array_equal(a.numpy(), [1, 2, 3])
    np.testing.assert_allclose(b.numpy(), np.exp([1, 2, 3]))
    g = eqsat.function([v, s], (v[:s] * 2).transfer("cuda"), target="cuda")
    np.testing.assert_array_equal(g(a, eqsat.cuda.asarray(np.int64(2))).numpy(), [2, 4])


def test_results_in_steps_of_python(emulated: None) -> None:
    double = eqsat.as_op(itypes=[T.dvector], otypes=[T.dvector])(lambda a: a * 2)
    f = eqsat.function([v], (double(T.exp(v)) + 1).transfer("cuda"), target="cuda")
    np.testing.assert_allclose(f(eqsat.cuda.asarray([0.0, 1.0])).numpy(), np.exp([0, 1]) * 2 + 1)


def test_transfer_says_nothing_inside_a_graph(emulated: None) -> None:
    y = T.exp(v.transfer("cuda")).transfer("cpu")
    assert type(eqsat.function([v], y, target="cuda")(np.ones(2))) is np.ndarray
    gradient = eqsat.function([v], T.grad((v**2).transfer("cuda").sum(), v), target="cuda")
    np.testing.assert_array_equal(gradient(np.ones(2)), [2, 2])
    with pytest.raises(ArgumentError, match="no place 'gpu'"):
        v.transfer("gpu")
    with pytest.raises(ArgumentError, match="stays on the device, and the target 'c' has none"):
        eqsat.function([v], v.transfer("cuda"), target="c")


def test_memory_is_taken_again_when_nobody_has_it(stand_in: StandIn) -> None:  # noqa: F811
    f = eqsat.function([v], (v * 2).transfer("cuda"), target="cuda")
    f(np.ones(1000)), f(np.ones(1000))
    taken = stand_in.allocated
    for _ in range(100):
        f(np.ones(1000))
    assert stand_in.allocated == taken
    held = [f(np.ones(1000)) for _ in range(5)]
    assert len({y.address for y in held}) == 5
    before = stand_in.bytes
    del held, f
    gc.collect()
    eqsat.cuda.release_memory()
    assert stand_in.bytes <= before - 5 * 8000 and stand_in.kept == 0


def test_nothing_waits_for_results_that_stay(stand_in: StandIn) -> None:  # noqa: F811
    f = eqsat.function([v], (v * 2).transfer("cuda"), target="cuda")
    y = f(f(np.ones(10)))
    waits = stand_in.waits
    y = f(y)
    assert stand_in.waits == waits
    eqsat.cuda.synchronize()
    assert stand_in.waits == waits + 1
    y.numpy()
    assert stand_in.waits > waits + 1


def test_a_function_that_is_gone_has_done_its_work(emulated: None) -> None:
    w = eqsat.shared(np.ones(3), "w")
    eqsat.function([], updates={w: w * 5}, target="cuda")()
    gc.collect()
    np.testing.assert_array_equal(w.get_value(), [5, 5, 5])
    y = eqsat.function([v], T.exp(v).transfer("cuda"), target="cuda")(np.zeros(4))
    gc.collect()
    np.testing.assert_array_equal(y.numpy(), np.ones(4))


def test_shared_variables_live_where_they_are_used(emulated: None) -> None:
    w = eqsat.shared(np.ones(3), "w")
    f = eqsat.function([v], (w * v).sum(), updates={w: w + v}, target="cuda")
    assert [float(f(np.ones(3))) for _ in range(3)] == [3, 6, 9]
    assert type(w.get_value(return_internal_type=True)) is eqsat.cuda.Array
    np.testing.assert_array_equal(w.get_value(), [4, 4, 4])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(w)).get_value(), [4, 4, 4])
    g = eqsat.function([], w * 2, target="c")
    np.testing.assert_array_equal(g(), [8, 8, 8])
    assert type(w.get_value(return_internal_type=True)) is np.ndarray
    with pytest.warns(eqsat.errors.EqsatWarning, match="w moves to and fro"):
        f(np.ones(3)), g(), f(np.ones(3)), g()
    w.zero()
    np.testing.assert_array_equal(eqsat.function([], w + 1, mode="reference")(), [1, 1, 1])


def test_rows_are_added_to_a_shared_variable_where_it_lies(emulated: None) -> None:
    w, rows, i = eqsat.shared(np.zeros((50, 4)), "w"), T.matrix("rows"), T.lvector("i")
    step = eqsat.function([i, rows], [], updates={w: T.inc_subtensor(w[i], rows)}, target="cuda")
    given: Any = ([1, 2, -1], np.ones((3, 4)))

    def place() -> int:
        return int(w.container[0]._inner.ctypes.data)

    step(*given)
    first = place()
    step(*given)
    assert place() == first and w.get_value().sum() == 24
    held = w.get_value(return_internal_type=True, borrow=True)
    step(*given)
    assert (
        place() != first and held.numpy().sum() == 24 and w.get_value().sum() == 36
    )  # somebody holds the old value
    second = place()
    with pytest.raises(BoundsError, match="70"):
        step([1, 70, 2], np.ones((3, 4)))
    assert w.get_value().sum() == 36
    del held
    step(*given)
    assert place() == second and w.get_value().sum() == 48


def test_updates_of_rows_take_no_memory_that_moves(stand_in: StandIn) -> None:  # noqa: F811
    w, rows, i = eqsat.shared(np.zeros((500, 40)), "w"), T.matrix("rows"), T.lvector("i")
    step = eqsat.function([i, rows], [], updates={w: T.inc_subtensor(w[i], rows)}, target="cuda")
    step([1, 2], np.ones((2, 40)))
    assert stand_in.managed == 0
    most = stand_in.bytes
    for _ in range(5):
        step([1, 2], np.ones((2, 40)))
    assert stand_in.bytes <= most and stand_in.managed == 0


def test_a_shared_variable_that_is_only_read_moves_once(stand_in: StandIn) -> None:  # noqa: F811
    w = eqsat.shared(np.ones(3), "w")
    f = eqsat.function([], (w * 2).transfer("cuda"), target="cuda")
    f()
    first = w.get_value(return_internal_type=True)
    f()
    assert w.get_value(return_internal_type=True) is first
    w.set_value(np.zeros(3))
    f()
    assert w.get_value(return_internal_type=True) is not first


def test_replayed_launches_give_the_same_values(emulated: None) -> None:
    w = eqsat.shared(np.ones(5), "w")
    y = w
    for k in range(4):
        y = T.cumsum(y) / (k + 2)
    made = [eqsat.function([v], y.sum(), updates={w: y + v}, target=t) for t in ("cuda", "c")]
    results = []
    for f in made:
        w.set_value(np.ones(5))
        results.append([float(f(np.full(5, k))) for k in range(7)])
    np.testing.assert_allclose(*results)
    from eqsat.cgen.cuda.device import _open

    assert _open["emulated"].library.eq_replays() > 0


def test_an_index_outside_changes_nothing(emulated: None) -> None:
    i = T.lvector("i")
    w = eqsat.shared(np.arange(4.0), "w")
    f = eqsat.function([i], w[i].sum(), updates={w: w + w[i].sum()}, target="cuda")
    f([0, 1])
    before = w.get_value()
    with pytest.raises(eqsat.errors.BoundsError, match="9"):
        f([1, 9])
    np.testing.assert_array_equal(w.get_value(), before)
    assert float(f([0])) == before[0]


# --------------------------------------------------------------------------------------------- other libraries


def test_arrays_by_dlpack_without_a_copy(emulated: None) -> None:
    f = eqsat.function([x], (x * 3).transfer("cuda"), target="cuda")
    own = eqsat.cuda.asarray(VALUE)
    np.testing.assert_array_equal(f(Producer(own)).numpy(), VALUE * 3)
    taken = eqsat.cuda.asarray(Producer(own))
    assert taken.address == own.address and dlpack._lent
    del own
    gc.collect()
    np.testing.assert_array_equal(taken.numpy(), VALUE)  # the memory lives until the last one drops it
    del taken
    gc.collect()
    assert not dlpack._lent
    capsule = eqsat.cuda.asarray(VALUE).__dlpack__()
    assert dlpack._lent
    del capsule
    assert not dlpack._lent


def test_strided_arrays_are_copied_by_a_kernel(emulated: None) -> None:
    f = eqsat.function([x], (x + 0).transfer("cuda"), target="cuda")
    own = eqsat.cuda.asarray(VALUE)
    turned = Producer(own, shape=lengths(4, 3), strides=lengths(1, 4))
    np.testing.assert_array_equal(f(turned).numpy(), VALUE.T)
    part = Producer(own, shape=lengths(3, 2), strides=lengths(4, 2), offset=8)
    np.testing.assert_array_equal(f(part).numpy(), VALUE[:, 1::2])
    back = Producer(own, shape=lengths(3, 4), strides=lengths(-4, 1), offset=64)
    np.testing.assert_array_equal(f(back).numpy(), VALUE[::-1])


def test_what_does_not_fit_is_refused_by_name(emulated: None) -> None:
    f = eqsat.function([x], x * 3, target="cuda")
    own = eqsat.cuda.asarray(VALUE)
    for wrong, error, said in [
        (Producer(own, (2, 1)), DeviceError, r"Producer, lies on CUDA device 1, the function runs on emulated"),
        (Producer(own, (10, 0)), DeviceError, "lies on ROCm device 0"),
        (eqsat.cuda.asarray(VALUE.astype("float32")), DTypeError, "input x: an array of float32 on a device is no float64"),
        (eqsat.cuda.asarray(VALUE[0]), RankError, "input x: an array of 1 axes on a device, not 2"),
        (Producer(own, bits=16), ArgumentError, "no tensor holds float16"),
        (Producer(own, lanes=4), ArgumentError, "no tensor holds DLPack's type 2 of 64 bits"),
    ]:  # fmt: skip
        with pytest.raises(error, match=said):
            f(wrong)
    fixed = T.tensor("float64", (3, 5), name="fixed")
    with pytest.raises(ShapeError, match="axis 1 has length 4, not 5"):
        eqsat.function([fixed], fixed * 2, target="cuda")(own)
    with pytest.raises(BufferError, match="lent as it is"):
        own.__dlpack__(dl_device=(1, 0))
    assert not hasattr(own, "__cuda_array_interface__")
    np.testing.assert_array_equal(eqsat.function([x], x * 2, target="c")(own), VALUE * 2)


class Interface:
    """An array of another library with the array interface of CUDA."""

    def __init__(self, **changed: Any) -> None:
        self.value = VALUE.copy()
        self.__cuda_array_interface__ = {
            "shape": (3, 4), "typestr": "<f8", "data": (self.value.ctypes.data, False), "version": 3, **changed,
        }  # fmt: skip


def test_the_array_interface(stand_in: StandIn) -> None:  # noqa: F811
    own = eqsat.cuda.asarray(VALUE)  # the memory of this device is the processor's
    shown = own.__cuda_array_interface__
    assert shown["data"] == (own.address, False) and shown["shape"] == (3, 4) and shown["typestr"] == "<f8"
    assert shown["version"] == 3 and shown["stream"] == 1 and shown["strides"] is None
    assert own.__dlpack_device__() == (2, 0)
    given = Interface()
    taken = eqsat.cuda.asarray(given)
    assert taken.address == given.value.ctypes.data
    given.value[0, 0] = 7
    assert taken.numpy()[0, 0] == 7
    kept = ctypes.c_int64.from_address(id(given)).value
    del taken
    gc.collect()
    assert ctypes.c_int64.from_address(id(given)).value == kept - 1
    waits = stand_in.waits
    eqsat.cuda.asarray(Interface(stream=77))
    assert stand_in.waits == waits + 1  # for what the producer computes
    with pytest.raises(ArgumentError, match="mask"):
        eqsat.cuda.asarray(Interface(mask=object()))
    with pytest.raises(ArgumentError, match="no tensor holds float64 in the other byte order"):
        eqsat.cuda.asarray(Interface(typestr=">f8"))
    stand_in.set("pointers_on", 1)
    with pytest.raises(DeviceError, match="Interface, lies on CUDA device 1, the function runs on GPU 0"):
        eqsat.cuda.asarray(Interface())


def test_streams(stand_in: StandIn) -> None:  # noqa: F811
    f = eqsat.function([v], (v * 2).transfer("cuda"), target="cuda")
    f(np.ones(3))
    assert stand_in.stream == 0
    with eqsat.cuda.stream(1234):
        y = f(np.ones(3))
        assert stand_in.stream == 1234 and y.__cuda_array_interface__["stream"] == 1234
    f(np.ones(3))
    assert stand_in.stream == 0


def test_import_of_the_room_opens_nothing() -> None:
    import subprocess
    import sys

    code = "import sys, eqsat, eqsat.cuda; eqsat.cuda.Array; assert 'cffi' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
