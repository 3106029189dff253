"""The libraries on a GPU: each gets a program and its data, which stay there, and gives a call and what waits for it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from beside.libraries import InEqsat, InJax, InNumpy, InTorch, flat
from beside.workload import Workload

Data = Mapping[str, np.ndarray]
Made = tuple[Callable[[], Any], Callable[[], Any]]  # a call, and what waits until all calls have ended


def in_eqsat(work: Workload, data: Data, target: str = "cuda") -> Made:
    """The compiled function; what goes in and comes out stays on the device."""
    from eqsat import cuda

    m = InEqsat()
    inputs = [m.module.tensor(a.dtype.name, (None,) * a.ndim, name=name) for name, a in data.items()]
    with m.eqsat.config.change_flags(weak_scalars=True):
        outputs = flat(work.program(m, *inputs))
    given: list[Any] = list(data.values())
    if target == "cuda":
        outputs = [v.transfer("cuda") for v in outputs]
        given = [cuda.asarray(a) for a in given]
    hints = {v: a.shape for v, a in zip(inputs, data.values(), strict=True)}
    compiled = m.eqsat.function(inputs, outputs, target=target, shape_hints=hints)
    if target == "cuda" and compiled.cuda_source is None:
        raise RuntimeError("has no kernels")
    return lambda: compiled(*given), cuda.synchronize if target == "cuda" else lambda: None


def in_torch(work: Workload, data: Data) -> Made:
    """``torch.compile``, with graphs of launches for loops and networks."""
    m = InTorch()
    torch = m.module
    mode = "reduce-overhead" if "dy" not in data and len(data) > 3 else "default"
    compiled = torch.compile(lambda *a: work.program(m, *a), mode=mode)
    given = [torch.from_numpy(a).cuda() for a in data.values()]
    return lambda: compiled(*given), torch.cuda.synchronize


def in_jax(work: Workload, data: Data) -> Made:
    """Jitted."""
    m = InJax("cuda")
    compiled = m.jax.jit(lambda *a: work.program(m, *a))
    given = [m.jax.device_put(a) for a in data.values()]
    last: list[Any] = []

    def call() -> Any:
        last[:] = flat(compiled(*given))
        return list(last)

    return call, lambda: m.jax.block_until_ready(last)


def in_cupy(work: Workload, data: Data) -> Made:
    """Kernel by kernel."""
    import cupy

    m = InNumpy(cupy)
    given = [cupy.asarray(a) for a in data.values()]
    return lambda: work.program(m, *given), cupy.cuda.Device().synchronize


LIBRARIES: dict[str, Callable[[Workload, Data], Made]] = {
    "eqsat": in_eqsat,
    "torch": in_torch,
    "jax": in_jax,
    "cupy": in_cupy,
}


def on_gpu(library: str) -> str:
    """Why a library cannot be measured on a GPU; empty where it can."""
    if importlib.util.find_spec(library) is None:
        return "is not installed"
    try:
        if library == "torch":
            return "" if importlib.import_module("torch").cuda.is_available() else "has no GPU"
        if library == "jax":
            InJax("cuda").jax.devices()
        if library == "cupy":
            importlib.import_module("cupy").cuda.runtime.getDeviceCount()
    except Exception as error:
        return f"has no GPU: {str(error).splitlines()[0][:90]}"
    return ""


def as_numpy(value: Any) -> np.ndarray:
    """A result in NumPy."""
    for name in ("numpy", "get"):
        if hasattr(value, name) and not isinstance(value, np.ndarray):
            value = value.cpu() if hasattr(value, "cpu") else value
            return np.asarray(getattr(value, name)())
    return np.asarray(value)
