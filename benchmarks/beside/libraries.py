"""The libraries: what each computes with, how it takes data and how it compiles a program."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from beside.workload import Workload

Call = Callable[[], Any]


class Functions:
    """The functions of a module of arrays, and those that libraries name in different ways."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def max(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The largest elements."""
        return self.module.max(x, axis=axis, keepdims=keepdims)

    def min(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The least elements."""
        return self.module.min(x, axis=axis, keepdims=keepdims)

    def variance(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """Mean square of what lies off the mean."""
        return self.module.var(x, axis=axis, keepdims=keepdims)

    def inverse(self, a: Any) -> Any:
        """Inverse of a matrix."""
        return self.module.linalg.inv(a)

    def permuted(self, x: Any, axes: tuple[int, ...]) -> Any:
        """Axes in another order."""
        return self.module.transpose(x, axes)

    def joined(self, parts: Sequence[Any], axis: int = 0) -> Any:
        """Arrays one after the other."""
        return self.module.concatenate(parts, axis)


class InNumpy(Functions):
    """NumPy or a module like it, with SciPy for ``erf``."""

    def __init__(self, module: Any = np) -> None:
        super().__init__(module)

    def erf(self, x: Any) -> Any:
        from scipy.special import erf

        return erf(x)

    def sigmoid(self, x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def relu(self, x: Any) -> Any:
        return np.maximum(x, 0)

    def softmax(self, x: Any, axis: int) -> Any:
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    def log_softmax(self, x: Any, axis: int) -> Any:
        s = x - x.max(axis, keepdims=True)
        return s - np.log(np.exp(s).sum(axis, keepdims=True))

    def logsumexp(self, x: Any, axis: int) -> Any:
        m = x.max(axis, keepdims=True)
        return np.squeeze(m, axis) + np.log(np.exp(x - m).sum(axis))

    def scan(self, step: Any, start: Any, rows: Any = None, steps: int = 0) -> Any:
        states, state = [], start
        for t in range(steps or len(rows)):
            state = step(state) if rows is None else step(state, rows[t])
            states.append(state)
        if isinstance(start, tuple):
            return tuple(map(np.stack, zip(*states, strict=True)))
        return np.stack(states)

    def patches(self, x: Any, size: int) -> Any:
        return np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))

    def conv2d(self, x: Any, w: Any) -> Any:
        found = np.tensordot(self.patches(x, w.shape[2]), w, axes=([1, 4, 5], [1, 2, 3]))
        return found.transpose(0, 3, 1, 2)

    def depthwise(self, x: Any, w: Any, channels: int) -> Any:
        return np.einsum("bchwij,cij->bchw", self.patches(x, w.shape[1]), w)

    def max_pool(self, x: Any) -> Any:
        b, c, h, w = x.shape
        return x.reshape(b, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))

    def sum_of_groups(self, x: Any, groups: Any, count: int) -> Any:
        return np.bincount(groups, x, count)


class InJax(Functions):
    """JAX on the CPU or another platform, jitted."""

    def __init__(self, platform: str = "cpu") -> None:
        import jax

        jax.config.update("jax_platforms", platform)
        jax.config.update("jax_enable_x64", True)
        super().__init__(jax.numpy)
        self.jax, self.nn = jax, jax.nn
        self.sigmoid, self.relu = jax.nn.sigmoid, jax.nn.relu
        self.softmax, self.log_softmax = jax.nn.softmax, jax.nn.log_softmax
        self.erf, self.logsumexp = jax.scipy.special.erf, jax.scipy.special.logsumexp
        self.value_and_grad = lambda f, arguments: jax.value_and_grad(lambda p: f(*p))(tuple(arguments))

    def scan(self, step: Any, start: Any, rows: Any = None, steps: int = 0) -> Any:
        def both(state: Any, row: Any) -> Any:
            new = step(state) if rows is None else step(state, row)
            return new, new

        return self.jax.lax.scan(both, start, rows, length=steps or None)[1]

    def conv2d(self, x: Any, w: Any, stride: int = 1, pad: int = 0, groups: int = 1) -> Any:
        pads, axes = [(pad, pad)] * 2, ("NCHW", "OIHW", "NCHW")
        return self.jax.lax.conv_general_dilated(
            x, w, (stride, stride), pads, dimension_numbers=axes, feature_group_count=groups
        )

    def depthwise(self, x: Any, w: Any, channels: int) -> Any:
        return self.conv2d(x, w[:, None], groups=channels)

    def max_pool(self, x: Any) -> Any:
        size = (1, 1, 2, 2)
        return self.jax.lax.reduce_window(x, -np.inf, self.jax.lax.max, size, size, "VALID")

    def sum_of_groups(self, x: Any, groups: Any, count: int) -> Any:
        return self.jax.ops.segment_sum(x, groups, count)


class InTorch(Functions):
    """PyTorch, compiled by ``torch.compile``."""

    def __init__(self) -> None:
        import torch

        super().__init__(torch)
        self.softmax, self.log_softmax, self.logsumexp = torch.softmax, torch.log_softmax, torch.logsumexp

    def max(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.module.amax(x, () if axis is None else axis, keepdims)

    def min(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.module.amin(x, () if axis is None else axis, keepdims)

    def variance(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.module.var(x, axis, correction=0, keepdim=keepdims)

    def permuted(self, x: Any, axes: tuple[int, ...]) -> Any:
        return x.permute(axes)

    def value_and_grad(self, f: Any, arguments: Sequence[Any]) -> Any:
        slopes, value = self.module.func.grad_and_value(lambda p: f(*p))(tuple(arguments))
        return value, slopes

    def scan(self, step: Any, start: Any, rows: Any = None, steps: int = 0) -> Any:
        states, state = [], start
        for t in range(steps or len(rows)):
            state = step(state) if rows is None else step(state, rows[t])
            states.append(state)
        if isinstance(start, tuple):
            return tuple(map(self.module.stack, zip(*states, strict=True)))
        return self.module.stack(states)

    def conv2d(self, x: Any, w: Any, stride: int = 1, pad: int = 0, groups: int = 1) -> Any:
        return self.module.nn.functional.conv2d(x, w, stride=stride, padding=pad, groups=groups)

    def depthwise(self, x: Any, w: Any, channels: int) -> Any:
        return self.conv2d(x, w[:, None], groups=channels)

    def max_pool(self, x: Any) -> Any:
        return self.module.max_pool2d(x, 2)

    def sum_of_groups(self, x: Any, groups: Any, count: int) -> Any:
        return self.module.zeros(count, dtype=x.dtype).index_add(0, groups, x)


class InEqsat(Functions):
    """eqsat; numbers take the type of the tensors beside them, as in the other libraries."""

    def __init__(self) -> None:
        import eqsat
        import eqsat.tensor as T

        eqsat.config.weak_scalars = True
        super().__init__(T)
        self.eqsat = eqsat

    def softmax(self, x: Any, axis: int) -> Any:
        return self.module.softmax(x, axis)

    def log_softmax(self, x: Any, axis: int) -> Any:
        return self.module.log_softmax(x, axis)

    def variance(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.module.var(x, axis=axis, keepdims=keepdims)

    def value_and_grad(self, f: Any, arguments: Sequence[Any]) -> Any:
        value = f(*arguments)
        return value, self.module.grad(value, list(arguments))

    def scan(self, step: Any, start: Any, rows: Any = None, steps: int = 0) -> Any:
        several = isinstance(start, tuple)

        def body(*values: Any) -> Any:
            given, state = ([], values) if rows is None else (values[:1], values[1:])
            found = step(tuple(state) if several else state[0], *given)
            return list(found) if several else found

        states, _ = self.eqsat.scan(
            body,
            sequences=[] if rows is None else [rows],
            outputs_info=list(start) if several else start,
            n_steps=steps or None,
        )
        return tuple(states) if several else states

    def conv2d(self, x: Any, w: Any, stride: int = 1, pad: int = 0, groups: int = 1) -> Any:
        return self.module.nnet.conv2d(
            x, w, border_mode=pad, subsample=stride, filter_flip=False, num_groups=groups
        )

    def depthwise(self, x: Any, w: Any, channels: int) -> Any:
        return self.conv2d(x, w.dimshuffle(0, "x", 1, 2), groups=channels)

    def max_pool(self, x: Any) -> Any:
        return self.module.signal.pool.pool_2d(x, (2, 2), ignore_border=True)

    def sum_of_groups(self, x: Any, groups: Any, count: int) -> Any:
        return self.module.zeros(count, dtype=x.dtype)[groups].inc(x)


def in_numpy(work: Workload, data: dict[str, np.ndarray]) -> Call:
    """A call of NumPy."""
    program, given = work.numpy or (lambda *a: work.program(InNumpy(), *a)), list(data.values())
    return lambda: program(*given)


def in_jax(work: Workload, data: dict[str, np.ndarray]) -> Call:
    """A call that waits for its results."""
    m = InJax()
    compiled = m.jax.jit(lambda *a: work.program(m, *a))
    given = [m.jax.device_put(a) for a in data.values()]
    return lambda: m.jax.block_until_ready(compiled(*given))


def in_torch(work: Workload, data: dict[str, np.ndarray]) -> Call:
    """A call of the compiled program."""
    m = InTorch()
    compiled = m.module.compile(lambda *a: work.program(m, *a))
    given = [m.module.from_numpy(np.asarray(a)) for a in data.values()]
    return lambda: compiled(*given)


def in_numba(work: Workload, data: dict[str, np.ndarray]) -> Call:
    """A call of loops written by hand."""
    assert work.numba is not None
    function, given = work.numba(), list(data.values())
    return lambda: function(*given)


def in_eqsat(work: Workload, data: dict[str, np.ndarray]) -> Call:
    """A call of the compiled function; lengths are not told, and Python numbers are what they are in the other libraries."""
    m = InEqsat()
    inputs = [m.module.tensor(a.dtype.name, (None,) * a.ndim, name=name) for name, a in data.items()]
    with m.eqsat.config.change_flags(weak_scalars=True):
        outputs = work.program(m, *inputs)
    compiled = m.eqsat.function(inputs, flat(outputs) if isinstance(outputs, tuple | list) else outputs)
    given = list(data.values())
    return lambda: compiled(*given)


LIBRARIES: dict[str, tuple[Callable[[Workload, dict[str, np.ndarray]], Call], str]] = {
    "numpy": (in_numpy, "numpy"),
    "jax": (in_jax, "jax"),
    "torch": (in_torch, "torch"),
    "numba": (in_numba, "numba"),
    "eqsat": (in_eqsat, "eqsat"),
}


def installed(library: str) -> bool:
    """True where a library can be imported."""
    return importlib.util.find_spec(LIBRARIES[library][1]) is not None


def takes_part(library: str, work: Workload) -> bool:
    """True where a library is installed and has the workload."""
    if library in work.leave_out or (library == "numba" and work.numba is None):
        return False
    return installed(library)


def flat(results: Any) -> list[Any]:
    """Results in one list."""
    if isinstance(results, tuple | list):
        return [v for r in results for v in flat(r)]
    return [results]


def differ(found: Any, right: Any, tolerance: float, least: float = 1e-300) -> str:
    """The first result that is not as in NumPy, in words; empty where all are. What is below ``least`` is nothing."""
    ours, theirs = flat(found), flat(right)
    if len(ours) != len(theirs):
        return f"{len(ours)} results, not {len(theirs)}"
    for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        if a.shape != b.shape:
            return f"result {k} has the shape {a.shape}, not {b.shape}"
        error = float(np.max(np.abs(a - b), initial=0.0) / (np.max(np.abs(b), initial=0.0) + least))
        if not error <= tolerance:
            return f"result {k} is off by {error:.1e} of the largest element"
    return ""
