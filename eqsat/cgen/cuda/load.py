"""A function whose kernels run on a device, from its two texts."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.cgen.cuda.arrays import Residence
from eqsat.cgen.cuda.compile import DeviceCompilerError, compiled, find_compiler
from eqsat.cgen.cuda.device import Device, Kernels, open_device
from eqsat.cgen.cuda.places import HOST
from eqsat.cgen.ir.meta import Meta
from eqsat.cgen.runtime import layout
from eqsat.cgen.runtime.build import CompilerError
from eqsat.cgen.runtime.call import CompiledPlan
from eqsat.cgen.target import Tools
from eqsat.cgen.texts import device_text
from eqsat.errors import DeviceError
from eqsat.graph.core import Apply

LOST = -2  # the code of an error of the device


class _DeviceMeta(Meta):
    """Facts about a function that also know what failures of the device mean."""

    device: Any = None

    def error(self, code: int, step: int, values: tuple[int, ...]) -> Exception:
        if code == LOST:
            return DeviceError(self.device.failure)
        if code == -1 and self.device.failure.startswith("full "):
            return MemoryError(self._full(step, *self.device.failure.splitlines()))
        return super().error(code, step, values)

    def _full(self, step: int, first: str, *largest: str) -> str:
        """The text of a device without memory: what was asked for, by which step, and the largest values of the call."""
        lines = [f"no memory on the device for {sized(int(first.split()[1]))}"]
        lines += [f"  for {name}  {text}" for name, text in self.operands.get(step, [])]
        for line in largest:
            kind, *numbers = line.split()
            number, size, *lengths = map(int, numbers)
            known = self.inputs[number] if kind == "input" and self.segments == 1 else None
            shape = "" if kind == "workspace" else f" of shape {tuple(lengths)}"
            dtype = "" if known is None else f" {known.dtype}"
            lines.append(f"  {kind} {number}{dtype}{shape} takes {sized(size)}")
        return "\n".join([*lines, '  try  eqsat.cuda.release_memory(), smaller arrays, or target="c"'])


def sized(count: int) -> str:
    """A number of bytes as text.

    >>> sized(300), sized(12_000_000)
    ('300 bytes', '12.0 MB')
    """
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if count >= 10**power:
            return f"{count / 10**power:.1f} {unit}"
    return f"{count} bytes"


def load(source: str, meta: Meta, opaque: Sequence[Apply], tools: Tools) -> CompiledPlan:
    """A callable from both texts; the host's is compiled with the other one in it, so that equal ones launch equal kernels.

    Without a device a call says so; the text is compiled for ``config.cuda_arch`` where there is a compiler.
    """
    text = device_text(source) or ""
    try:
        device = open_device(tools)
        kernels = _kernels_of(text, device, tools)
        if "eq_gpu->multiply(" in source:
            device.find_products()
    except DeviceError as error:
        _try(text, tools)
        return _Waiting(source, meta, opaque, error)
    except DeviceCompilerError as error:
        raise CompilerError([str(find_compiler())], error.said) from error
    meta = _DeviceMeta(**{f.name: getattr(meta, f.name) for f in fields(meta)})
    meta.device = device
    kept = _Kept(device, meta.places)
    made = CompiledPlan.from_source(
        f"{source}/* {device.name} */\n",
        meta,
        opaque,
        directory=tools.directory,
        compiler=tools.compiler,
        threads=tools.threads,
        blas_threads=tools.blas_threads,
        place=kept.place,
    )
    assert made.shared is not None
    made.shared.kept = kernels, kept  # functions keep the object, and with it these
    attach: Any = made.shared.library.eq_attach
    attach.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    attach(device.table, kernels.address)
    if meta.given and layout.table() is not None:
        made.device = Residence(device.arrays(tools), meta.given)
    return made


def _try(text: str, tools: Tools) -> None:
    """Compile a device text for no device, so that a fault in it is found where it is made."""
    if find_compiler() is not None:
        try:
            compiled(text, config.cuda_arch, tools.directory)
        except DeviceCompilerError as error:
            raise CompilerError([str(find_compiler())], error.said) from error


class _Waiting(CompiledPlan):
    """A function for a device that is not there: a call says so."""

    def __init__(self, source: str, meta: Meta, opaque: Sequence[Apply], error: DeviceError) -> None:
        self.reason = error
        super().__init__(source, meta, [self._refuse] * max(meta.segments, 1), opaque)
        self.call_raw = self._refuse

    def _refuse(self, *arrays: Any) -> Any:
        raise self.reason


class _Kept:
    """Constants of a function on the device."""

    def __init__(self, device: Device, places: str) -> None:
        self.device = device
        self.places = iter(places)
        self.copies: list[tuple[int, str]] = []
        weakref.finalize(self, _release, device, self.copies).atexit = False

    def place(self, constant: Any) -> int:
        """The address of a constant's elements; 0 for a Python object, which only ops in Python read."""
        place = next(self.places, HOST)
        if not isinstance(constant, np.ndarray):
            return 0
        if place == HOST:
            return int(constant.ctypes.data)
        self.copies.append((self.device.keep(constant, place), place))
        return self.copies[-1][0]


def _release(device: Device, copies: list[tuple[int, str]]) -> None:
    with contextlib.suppress(OSError):
        for address, place in copies:
            device.release(address, place)


_known: weakref.WeakValueDictionary[tuple[str, int], Any] = weakref.WeakValueDictionary()


def _kernels_of(text: str, device: Device, tools: Tools) -> Kernels:
    """The kernels of a text, made once: host programs of one text are one object, and have one place for them."""
    found: Kernels | None = _known.get((text, device.table))
    if found is None:
        found = _known[text, device.table] = device.kernels(text, tools)
    return found
