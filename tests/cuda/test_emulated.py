"""Functions for CUDA on the emulated device: values, errors, texts; and faults that the emulator finds."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.base.notices import forget_warnings
from eqsat.cgen import Tools, find_compiler
from eqsat.cgen.cuda.compile import compiled
from eqsat.cgen.cuda.compile import find_compiler as find_device_compiler
from eqsat.cgen.cuda.device import open_device
from eqsat.cgen.cuda.source import TYPES
from eqsat.errors import BoundsError, DeviceError, EqsatWarning, ShapeError
from eqsat.tensor.signal.pool import pool_2d
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def normal(*shape: int, dtype: str = "float64") -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def agree(inputs: Sequence[Any], outputs: Any, *calls: Sequence[Any]) -> Any:
    """Compare a function on the device with the graph as written in NumPy; gives the former."""
    made = eqsat.function(inputs, outputs, target="cuda", on_unused_input="ignore")
    assert made.cuda_source is not None
    reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
    for values in calls:
        have, wanted = made(*values), reference(*values)
        for h, w in zip(*([r] if isinstance(r, np.ndarray) else r for r in (have, wanted)), strict=True):
            assert h.dtype == w.dtype and h.shape == w.shape
            np.testing.assert_allclose(
                h,
                w,
                rtol=1e-5 if h.dtype == "float32" else 1e-11,
                atol=1e-6 if h.dtype == "float32" else 1e-12,
            )
    return made


x, y, v, i = T.matrix("x"), T.fmatrix("y"), T.vector("v"), T.lvector("i")
SHAPES = [(3, 5), (1, 1), (0, 4), (40, 1), (1, 900), (70, 33), (2, 9000)]
EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "elementwise": lambda: [T.exp(x) * 2 + y, T.switch(x > 0, x, -y)],
    "rows": lambda: [x.sum(1), (x * y).mean(1), T.exp(-x).sum(1)],
    "columns": lambda: [x.sum(0), y.prod(0)],
    "whole": lambda: [x.sum(), (y**2).sum(), T.any(x > 3)],
    "transposed": lambda: [x.T + 1, (x.T * 2)[::-1]],
    "strided": lambda: [x[::2, ::-1] * 3, x[:, 1:] - x[:, :-1]],
    "softmax": lambda: [T.softmax(x, axis=1), T.log_softmax(y, axis=1)],
    "norm": lambda: (x - x.mean(1, keepdims=True)) / T.sqrt(x.var(1, keepdims=True) + 1e-5),
    "running": lambda: [T.cumsum(x, 0), T.cumsum(x, 1)],
    "joined": lambda: T.concatenate([x, y.astype("float64"), x * 2]),
    "written": lambda: T.set_subtensor(x[1:], y[1:]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_values(name: str) -> None:
    agree([x, y], EXPRESSIONS[name](), *[(normal(*s), normal(*s, dtype="float32")) for s in SHAPES])


@pytest.mark.parametrize(
    "dtypes", [("float32", "float32"), ("float32", "int8"), ("float64", "float32"), ("complex64", "bool")]
)
def test_rows_that_lie_in_one_piece_begin_anywhere(dtypes: tuple[str, str]) -> None:
    a, b, c = (T.tensor(d, shape, name="abc"[k]) for k, (d, shape) in enumerate(
        [(dtypes[0], (None, None)), (dtypes[1], (None, None)), (dtypes[0], (None, None, None))]
    ))  # fmt: skip
    outputs = [
        a[::2] * b[1::2], a[:, 4:] + b[:, :-4], a[:, 1:] * 2 + b[:, :-1], a[::-1] + b[0], a[:, 0].dimshuffle(0, "x") * b + a[0],
        c[:, ::2] + c[:, 0].dimshuffle(0, "x", 1), c[:, :, :4] * a[0, :4] + b[0, 4:8], T.set_subtensor(a[:, 4:8], a[:, :4] * 3),
    ]  # fmt: skip
    calls = []
    for rows, wide in ((4, 16), (2, 8), (6, 13), (4, 10)):
        drawn = [normal(rows, wide), normal(rows, wide) * 3, normal(3, rows, wide)]
        calls.append([x.astype(v.dtype) for x, v in zip(drawn, (a, b, c), strict=True)])
    made = agree([a, b, c], outputs, *calls)
    assert "eq_vector" in made.cuda_source and "const int64_t wide" in made.cuda_source
    in_both_orders(made, calls[0])


def test_nan_and_infinities() -> None:
    value = normal(6, 40)
    value[0, 3], value[1, 4], value[2, 5] = np.nan, np.inf, -np.inf
    agree([x], [x.max(1), x.max(0), T.softmax(x, axis=1), x.sum(1), T.exp(x)], (value,))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint64", "complex128"]
)
def test_dtypes(dtype: str) -> None:
    z = T.tensor(dtype, (None, None), name="z")
    value = np.random.default_rng(0).integers(0, 2, (7, 13)).astype(dtype)
    agree([z], [z + z, z.sum(0), z[::2], z.T * z.T], (value,), (value[:, ::-1],), (value[:0],))


def test_picked_elements() -> None:
    f = agree(
        [x, v, i], [x[i], v[i], x[:, i]], (normal(5, 6), normal(9), [1, -1, 4]), (normal(5, 6), normal(9), [])
    )
    with pytest.raises(BoundsError, match="5"):
        f(normal(5, 6), normal(9), [0, 5])
    assert f(normal(5, 6), normal(9), [0, 1])[0].shape == (2, 6)  # the device stays usable


def test_what_is_added_to_the_same_element_is_added_in_order() -> None:
    u = T.vector("u")
    added = T.inc_subtensor(x[i], u[:, None])
    f = agree(
        [x, u, i, v],
        [added, T.set_subtensor(v[i], u), T.inc_subtensor(v[i], u), T.grad((x[i] ** 2).sum(), x), T.inc_subtensor(x[:, i], u)],
        *[(normal(5, k), normal(n), np.arange(n) ** 2 % 5 - 2, normal(5)) for k, n in ((7, 9), (300, 1), (5, 700))],
        (normal(5, 7), normal(0), [], normal(5)),
    )  # fmt: skip
    assert "eq_wait" not in f.c_source.split("eq_part")[-1]  # nothing of it runs on the host
    with pytest.raises(BoundsError, match="7"):
        f(normal(5, 8), normal(2), [0, 7], normal(5))


@pytest.mark.sweep
def test_atomics_only_where_they_are_allowed() -> None:
    u, k = T.fvector("u"), T.lvector("k")
    added = [T.inc_subtensor(x[i], v), T.inc_subtensor(u[i], u[i] * 2), T.grad((x[i] ** 2).sum(), x)]
    others = [T.set_subtensor(x[i], v), T.inc_subtensor(k[i], i)]  # in order, and whole numbers
    call = normal(6, 4), normal(4), normal(6, dtype="float32"), np.arange(6), [0, 3, -1, 3, 3]
    assert "atomicAdd(" not in agree([x, v, u, k, i], [*added, *others], call).cuda_source
    with config.change_flags(cuda_atomics="allowed"):
        f = agree([x, v, u, k, i], [*added, *others], call)
        assert f.cuda_source.count("atomicAdd(") >= 2
        assert "atomicAdd(" not in agree([x, v, k, i], others, [*call[:2], *call[3:]]).cuda_source
        if find_device_compiler() is not None:
            for arch in ("sm_80", "sm_90", "sm_100"):
                assert "warning" not in compiled(f.cuda_source, arch).said
    with pytest.raises(BoundsError, match="7"):
        f(*call[:4], [0, 7, 1])


def test_shared_rows_are_not_written_by_a_call_that_fails() -> None:
    w, u = eqsat.shared(normal(4, 3), "w"), T.matrix("u")
    before = w.get_value()
    step = eqsat.function([u, i], [], updates={w: T.inc_subtensor(w[i], u)}, target="cuda")
    with pytest.raises(BoundsError):
        step(normal(3, 3), [0, 1, 4])
    assert np.array_equal(w.get_value(), before)
    step(normal(3, 3), [0, 1, 1])
    np.add.at(before, [0, 1, 1], normal(3, 3))
    assert np.allclose(w.get_value(), before)


def test_running_reductions() -> None:
    tiny, zero, large = np.full(9000, 1e-2), normal(9000), normal(20000)
    tiny[:100], zero[7], zero[8:] = 1e3, 0, 1e200
    large[[5, 19000]] = np.inf, -np.inf
    f = agree(
        [v],
        [T.cumsum(v), T.cumprod(v), T.cumsum(v[::-1])],
        (tiny,),
        (zero,),
        (large,),
        (normal(2049),),
        (normal(0),),
    )
    assert "eq_wait" not in f.c_source.split("eq_part")[-1]
    agree(
        [x],
        [T.cumsum(x, 1), T.cumprod(x, 0), T.cumsum(x.T, 1)],
        (normal(3, 2050),),
        (normal(2100, 3),),
        (normal(1, 1),),
        (normal(0, 2),),
    )


def test_pools_and_their_gradients() -> None:
    z = T.tensor("float64", (None, None, None), name="z")
    pools = [pool_2d(z, (3, 2), stride=(2, 1), ignore_border=True, mode=m) for m in ("max", "sum")]
    agree([z], [*pools, *(T.grad((p**2).sum(), z) for p in pools)], (normal(2, 7, 9),), (normal(1, 3, 2),))


def test_convolutions_and_their_adjoints_are_kernels() -> None:
    a, b = T.ftensor4("a"), T.ftensor4("b")
    y = T.nnet.conv2d(a, b, border_mode=(1, 0), subsample=(2, 1))
    f = agree(
        [a, b],
        [y, *T.grad((y**2).sum(), [a, b])],
        (normal(2, 3, 7, 5, dtype="float32") / 4, normal(4, 3, 3, 2, dtype="float32") / 4),
        (normal(1, 1, 3, 3, dtype="float32"), normal(1, 1, 3, 3, dtype="float32")),
    )
    assert "eq_blas_convolution" not in f.c_source and f.cuda_source.count("left[16][65]") == 3


def test_steps_of_the_host_are_named_once() -> None:
    forget_warnings()
    with pytest.warns(EqsatWarning, match="the processor runs sort, and waits"):
        agree([v], T.sort(v), (normal(9),))
    with warnings.catch_warnings():
        warnings.simplefilter("error", EqsatWarning)
        agree([v], [T.sort(v) * 2, T.exp(v)], (normal(9),))


def test_errors_of_indices_are_those_of_the_processor() -> None:
    cases: list[tuple[Any, Any]] = [(x[i], x), (v[i].sum(), v), (T.inc_subtensor(v[i], 1.0), v)]
    for expression, first in cases:
        said = []
        for target in ("c", "cuda"):
            f = eqsat.function([first, i], expression, target=target)
            with pytest.raises(BoundsError) as error:
                f(normal(*[3] * first.ndim), [0, 9])
            said.append(str(error.value))
        assert said[0] == said[1] and "index 9 is outside axis 0, which has length 3" in said[0]


def test_a_function_says_its_target() -> None:
    f = eqsat.function([v], T.exp(v), target="cuda", name="f")
    assert repr(f) == "<eqsat.Function f(v) FAST_RUN for cuda>"
    assert "steps   1 for cuda, with what" in str(f.report)
    assert repr(eqsat.function([v], T.exp(v), target="c")) == "<eqsat.Function (v) FAST_RUN>"


def test_lengths_are_checked_on_the_host() -> None:
    f = eqsat.function([x, y], x + y, target="cuda")
    with pytest.raises(ShapeError, match="lengths 3 in x and 4 in y at run time"):
        f(normal(3, 2), normal(4, 2, dtype="float32"))


def test_loops() -> None:
    states, _ = eqsat.scan(lambda row, s: T.tanh(row + s), x, T.zeros_like(x[0]))
    lanes, _ = eqsat.scan(lambda s, m: (s * 0.9 + 1, T.minimum(m, s)), outputs_info=[v, v], n_steps=9)
    agree([x, v], [states, *lanes], (normal(4, 7), normal(12)), (normal(1, 300), normal(1)))
    W = T.matrix("W")
    products, _ = eqsat.scan(lambda row, s, W: T.tanh(row + s @ W), x, T.zeros_like(x[0]), W)
    agree([x, W], [products[-1], T.grad(products.sum(), W)], (normal(5, 20), normal(20, 20)))


def test_shared_variables() -> None:
    w = eqsat.shared(normal(30), "w")
    step = eqsat.function([v], (w * v).sum(), updates={w: w - 0.5 * v}, target="cuda")
    before, change = w.get_value(), normal(30)
    for k in range(3):
        assert np.isclose(step(change), (before - k * 0.5 * change) @ change)
    assert np.allclose(w.get_value(), before - 1.5 * change)


def test_random_draws_have_the_bits_of_the_processor() -> None:
    def draws(target: str) -> Any:
        stream = T.random.RandomStream(7)
        return eqsat.function(
            [], [stream.uniform(size=(40,)), stream.integers(0, 99, size=(40,))], target=target
        )()

    for a, b in zip(draws("c"), draws("cuda"), strict=True):
        assert np.array_equal(a, b)


def test_softmax_is_one_kernel_with_wide_accesses_beside() -> None:
    f = eqsat.function([y], T.softmax(y, axis=1), target="cuda")
    assert f.cuda_source.count("__global__") == 2, "one for rows in registers, and one for longer rows"
    assert "eq_vector4_float" in eqsat.function([y], y * 2, target="cuda").cuda_source
    assert "__global__" not in f.c_source and "eq_launch" in f.c_source
    assert eqsat.function([y], y * 2).cuda_source is None


def test_two_functions_whose_hosts_have_one_text() -> None:
    f, g = (eqsat.function([v], e, target="cuda") for e in (T.sin(v), T.cos(v)))
    value = normal(5)
    assert np.allclose(f(value), np.sin(value)) and np.allclose(g(value), np.cos(value))


def test_without_a_gpu_a_call_says_what_is_missing() -> None:
    with config.change_flags(cuda_device="auto"):
        f = eqsat.function([v], T.exp(v).sum(), target="cuda")
        assert "__global__" in f.cuda_source
        try:
            assert np.isclose(f(np.zeros(3)), 3)  # there is one
        except DeviceError as error:
            assert "no CUDA device" in str(error) and 'target="c"' in str(error) and "emulated" in str(error)


# ------------------------------------------------------------------------------------------------ planted faults


def launched(text: str, *words: int, threads: int = 64, order: int = 0) -> int:
    """Launch a kernel of a text on one block of the emulated device; gives 0 where it ran well."""
    compiler = find_compiler()
    assert compiler is not None
    tools = Tools(compiler, config.cache_dir, False)
    device = open_device(tools)
    kernels = device.kernels(TYPES + text, tools)
    launch = ctypes.CFUNCTYPE(
        ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
    )
    table = (ctypes.c_void_p * 5).from_address(device.table)
    geometry, given = (ctypes.c_int64 * 4)(1, 1, threads, 1), (ctypes.c_uint64 * max(len(words), 1))(*words)
    device.library.eq_emulate(order, 1)
    launch(table[3])(kernels.address, 0, geometry, given, len(words))
    failed = ctypes.CFUNCTYPE(ctypes.c_int64)(table[4])()
    device.library.eq_emulate(0, 1)
    ctypes.c_int64.from_address(table[0]).value = -1
    return failed


HEAD = 'extern "C" __global__ void __launch_bounds__(64) eq_k0'
FAULTS = {
    "a barrier that half of the threads reach": (
        HEAD + "(double *a) { if (threadIdx.x < 32) __syncthreads(); a[threadIdx.x] = 1; }",
        "not all threads of a block reach a barrier",
    ),
    "lanes that part at a shuffle": (
        HEAD + "(double *a) { double s = 1; if (threadIdx.x % 2) s = __shfl_xor_sync(~0u, s, 1, 32); a[threadIdx.x] = s; }",
        "not all threads of a warp reach a shuffle",
    ),
    "lanes that part at a shuffle from below": (
        HEAD + "(double *a) { double s = 1; if (threadIdx.x % 2) s = __shfl_up_sync(~0u, s, 1, 32); a[threadIdx.x] = s; }",
        "not all threads of a warp reach a shuffle",
    ),
    "lanes that part at a vote": (
        HEAD + "(double *a) { int s = 1; if (threadIdx.x % 2) s = __any_sync(~0u, s); a[threadIdx.x] = s; }",
        "not all threads of a warp reach a shuffle",
    ),
    "lanes of which half wait for the others": (
        HEAD + "(double *a) { if (threadIdx.x % 2) __syncwarp(); a[threadIdx.x] = 1; }",
        "not all threads of a warp reach a shuffle",
    ),
    "a width that is none from below": (
        HEAD + "(double *a) { double s = 1; s = __shfl_up_sync(~0u, s, 1, 24); a[threadIdx.x] = s; }",
        "wrong width",
    ),
    "a width of no lanes": (
        HEAD + "(double *a) { double s = 1; s = __shfl_sync(~0u, s, 1, 0); a[threadIdx.x] = s; }",
        "wrong width",
    ),
    "a width that is none": (
        HEAD + "(double *a) { double s = 1; s = __shfl_xor_sync(~0u, s, 1, 24); a[threadIdx.x] = s; }",
        "wrong width",
    ),
    "an element behind the end": (HEAD + "(double *a) { a[threadIdx.x + 64] = 1; }", "outside of its memory"),
    "an argument of 4 bytes": (
        HEAD + "(double *a, const int n) { a[threadIdx.x] = n; }",
        "no word of 8 bytes",
    ),
    "a block that is too large": (
        HEAD.replace("64", "32") + "(double *a) { a[threadIdx.x] = 1; }",
        "more threads than its kernel is made for",
    ),
    "a vector at a wrong address": (
        "typedef struct __align__(16) { float at[4]; } eq_vector4_float;\n"
        + HEAD + "(float *a) { eq_vector4_float v = *(eq_vector4_float *)(a + 1); v.at[0] = 2; ((eq_vector4_float *)(a + 5))[threadIdx.x / 32] = v; }",
        "outside of its memory, or a vector at a wrong address",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_emulator_finds(fault: str) -> None:
    text, said = FAULTS[fault]
    compiler = find_compiler()
    assert compiler is not None
    device = open_device(Tools(compiler, config.cache_dir, False))
    room = device.keep(np.zeros(64))
    words = [room, 3] if "const int n" in text else [room]
    assert launched(text, *words), fault
    assert said in device.failure
    device.release(room)


def test_a_missing_barrier_shows_in_the_order_of_threads() -> None:
    text = (
        HEAD + "(double *a) { __shared__ double m[64]; m[threadIdx.x] = threadIdx.x; {} "
        "a[threadIdx.x] = m[(threadIdx.x + 1) % 64]; __syncthreads(); }"
    )
    compiler = find_compiler()
    assert compiler is not None
    device = open_device(Tools(compiler, config.cache_dir, False))
    found = []
    for barrier in ("", "__syncthreads();"):
        both = []
        for order in (0, 1):
            room = device.keep(np.zeros(64))
            assert not launched(text.replace("{}", barrier), room, order=order)
            both.append(device.fetch(room, (64,), float))
            device.release(room)
        found.append(np.array_equal(both[0], both[1]))
    assert found == [False, True]
