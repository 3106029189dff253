"""The device of this process: a library, compiled once per machine, between functions and the driver or the emulator."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.forks import Lock
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.compile import compiled
from eqsat.cgen.cuda.driver import Driver, Gpu, driver, wanted_number
from eqsat.cgen.cuda.emulated import Emulated, open_emulator
from eqsat.cgen.cuda.source import kernels_of
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.runtime.abi import CALL, TYPES
from eqsat.cgen.runtime.build import build
from eqsat.cgen.runtime.shared_object import SharedObject
from eqsat.cgen.target import Tools
from eqsat.graph.dtypes import ALL

HEADERS, _DEVICE, EMULATOR, DRIVER = sections(__file__, "device.c").values()
_COMMON = _DEVICE.replace("DTYPE_SIZES", ", ".join(str(SIZE[d]) for d in ALL))
LIBRARY = HEADERS + TYPES + CALL + _COMMON + EMULATOR + DRIVER
_lock = Lock()
_open: dict[str, Device] = {}


class Kernels(Protocol):
    """The kernels of a device text, ready to be launched."""

    @property
    def address(self) -> int:
        """The address by which the host program launches them."""


class Device:
    """The device that kernels are launched on; ``table`` is the address of the functions that host programs call."""

    name = ""

    def __init__(self, tools: Tools) -> None:
        names = ["eq_open_device", "eq_emulator", "eq_driver"]
        text = f"{LIBRARY}/* {self.name} */\n"  # each device has an object of its own, with its own state
        self.object: SharedObject = build(text, tools.compiler, ["-O1"], tools.directory, names).object
        self.library: Any = self.object.library
        self.library.eq_open_device.restype = ctypes.c_void_p
        self.library.eq_open_device.argtypes = [ctypes.c_void_p]
        self.library.eq_failure.restype = ctypes.c_char_p
        self.library.eq_keep.restype = ctypes.c_void_p
        self.library.eq_keep.argtypes = [ctypes.c_void_p, ctypes.c_int64]
        self.library.eq_give_back.argtypes = [ctypes.c_void_p]
        self.table = self.library.eq_open_device(self.backend())
        if not self.table:
            raise MemoryError("no memory on the device")

    def backend(self) -> int:
        """The address of the functions that allocate, copy and launch."""
        raise NotImplementedError

    def kernels(self, text: str, tools: Tools) -> Kernels:
        """The kernels of a device text."""
        raise NotImplementedError

    def keep(self, array: np.ndarray) -> int:
        """The address of a copy of an array on the device."""
        place = self.library.eq_keep(array.ctypes.data, array.nbytes)
        if not place:
            raise MemoryError(f"no memory on the device for {array.nbytes} bytes")
        return int(place)

    def release(self, place: int) -> None:
        """Give memory back."""
        self.library.eq_give_back(place)

    @property
    def failure(self) -> str:
        """The last failure of the device, in words."""
        return bytes(self.library.eq_failure()).decode(errors="replace")


class EmulatedDevice(Device):
    """Kernels as C on the processor."""

    name = "emulated"

    def backend(self) -> int:
        return open_emulator(self.library)

    def kernels(self, text: str, tools: Tools) -> Kernels:
        return Emulated(text, tools.compiler, tools.directory)


class _Functions(ctypes.Structure):
    _NAMES = (
        "cuLaunchKernel",
        "cuCtxSetCurrent",
        "cuStreamSynchronize",
        "cuMemAllocManaged",
        "cuMemFree",
        "cuMemcpyHtoDAsync",
        "cuMemcpyDtoHAsync",
        "cuGetErrorName",
        "cuGetErrorString",
    )
    _fields_ = [(name, ctypes.c_void_p) for name in (*_NAMES, "context")]


class _Loaded(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_void_p), ("count", ctypes.c_int64)]


class GpuDevice(Device):
    """A GPU."""

    def __init__(self, tools: Tools, number: int) -> None:
        self.driver: Driver = driver()
        self.name = f"GPU {number}"
        self.gpu, self.context = self.driver.open(number)
        super().__init__(tools)

    gpu: Gpu

    def backend(self) -> int:
        addresses = [self.driver.address(name) for name in _Functions._NAMES]
        context = int(self.driver.ffi.cast("uintptr_t", self.context))
        self.library.eq_driver.restype = ctypes.c_void_p
        return int(self.library.eq_driver(ctypes.byref(_Functions(*addresses, context))))

    def kernels(self, text: str, tools: Tools) -> Kernels:
        return OnGpu(self.driver, compiled(text, self.gpu.arch, tools.directory).content, kernels_of(text))


class OnGpu:
    """A module of the driver."""

    def __init__(self, driver: Driver, content: bytes, names: list[str]) -> None:
        self.driver = driver
        ffi = driver.ffi
        self.module = ffi.new("CUmodule *")
        driver.call("cuModuleLoadData", self.module, ffi.from_buffer(content))
        addresses = []
        for name in names:
            found = ffi.new("CUfunction *")
            driver.call("cuModuleGetFunction", found, self.module[0], name.encode())
            addresses.append(int(ffi.cast("uintptr_t", found[0])))
        self._places = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        self._loaded = _Loaded(ctypes.addressof(self._places), len(addresses))

    @property
    def address(self) -> int:
        """The address by which kernels are launched."""
        return ctypes.addressof(self._loaded)

    def __del__(self) -> None:
        self.driver.functions["cuModuleUnload"](self.module[0])


def open_device(tools: Tools) -> Device:
    """The device that the configuration names, which is opened once per process.

    Errors   DeviceError, with the ways out, where there is none
    """
    kind = str(config.cuda_device)
    with _lock:
        found = _open.get(kind)
        if found is None:
            made = EmulatedDevice(tools) if kind == "emulated" else GpuDevice(tools, wanted_number())
            found = _open[kind] = made
        return found
