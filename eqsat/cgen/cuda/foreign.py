"""Arrays of other libraries on a device: what they say of themselves, and one of ours over their memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.cgen.cuda.dlpack import CPU, CUDA_HOST, CUDA_MANAGED, Taken
from eqsat.errors import ArgumentError, DeviceError
from eqsat.graph.dtypes import ALL

if TYPE_CHECKING:
    from eqsat.cgen.cuda.arrays import Array, Arrays
    from eqsat.cgen.cuda.device import Device


@dataclass(frozen=True)
class Foreign:
    """An array of another library: its address, lengths, dtype, strides in bytes or None, and what keeps it."""

    address: int
    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None
    keep: Any

    @property
    def is_contiguous(self) -> bool:
        """True where the elements lie in order, in one piece."""
        step = np.dtype(self.dtype).itemsize
        for n, s in zip(reversed(self.shape), reversed(self.strides or ()), strict=False):
            if n != 1 and s != step:
                return 0 in self.shape
            step *= n
        return True

    def lent(self, arrays: Arrays) -> Array:
        """One of our arrays over the memory; over a copy where the elements do not lie in order, or at addresses of their size."""
        if self.is_contiguous and self.address % np.dtype(self.dtype).itemsize == 0:
            return arrays.over(self.address, self.shape, self.dtype, self.keep)
        return arrays.device.packed(self, arrays)


def described(value: Any, device: Device) -> Foreign | None:
    """The description of an array on a device; None for what lies on the processor, or is no array of another library.

    Errors   DeviceError for an array on another device than ours, ArgumentError for what cannot be taken
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    where = _where(value)
    if where is not None and where[0] in (CPU, CUDA_HOST):
        return None
    interface = None if device.emulated else getattr(value, "__cuda_array_interface__", None)
    if where is None and interface is None:
        return None
    if where is not None and where != device.dlpack and where[0] != CUDA_MANAGED:
        raise _elsewhere(value, where, device)
    return _by_dlpack(value, device) if interface is None else _by_interface(value, interface, device)


def _where(value: Any) -> tuple[int, int] | None:
    if not hasattr(value, "__dlpack_device__") or not hasattr(value, "__dlpack__"):
        return None
    kind, number = value.__dlpack_device__()
    return int(kind), int(number)


def _elsewhere(value: Any, where: tuple[int, int], device: Device) -> DeviceError:
    kinds = {2: "CUDA device", 10: "ROCm device", 12: "extension device"}
    name = f"{kinds.get(where[0], f'device of kind {where[0]}')} {where[1]}"
    return DeviceError(
        f"the argument, a {type(value).__module__.partition('.')[0]}.{type(value).__name__}, lies on {name}, "
        f"the function runs on {device.name}",
        hint=f"copy it to {device.name}, or to the processor",
    )


def _by_interface(value: Any, interface: dict[str, Any], device: Device) -> Foreign:
    if interface.get("mask") is not None:
        raise ArgumentError("an array on a device with a mask cannot be taken")
    address, dtype = interface["data"][0] or 0, np.dtype(interface["typestr"])
    where = device.number_of(address) if prod(interface["shape"]) else None
    if where is not None and where != device.dlpack[1]:
        raise _elsewhere(value, (2, where), device)
    _known(dtype.name, dtype.isnative)
    device.wait_for_stream(interface.get("stream"))
    strides = interface.get("strides")
    return Foreign(
        address, tuple(interface["shape"]), dtype.name, None if strides is None else tuple(strides), value
    )


def _by_dlpack(value: Any, device: Device) -> Foreign:
    taken = Taken(value.__dlpack__(stream=device.stream or 1))
    _known(taken.dtype, True)
    size = np.dtype(taken.dtype).itemsize
    strides = None if taken.strides is None else tuple(s * size for s in taken.strides)
    return Foreign(taken.address, taken.shape, taken.dtype, strides, taken)


def _known(dtype: str, native: bool) -> None:
    if dtype not in ALL or not native:
        raise ArgumentError(
            f"no tensor holds {dtype}{'' if native else ' in the other byte order'}",
            hint="convert it on its device first",
        )


def copy_words(x: Foreign, to: int) -> Sequence[int]:
    """The words of the kernel that copies a strided array: addresses, the number of elements, lengths and strides of all axes."""
    rank = len(x.shape)
    lengths, strides = [1] * (AXES - rank) + [*x.shape], [0] * (AXES - rank) + [*(x.strides or ())]
    return [to, x.address, prod(x.shape), *lengths, *(s % (1 << 64) for s in strides)]


AXES = 8
