"""The device of this process: a library, compiled once per machine, between functions and the driver or the emulator."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.forks import Lock
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.compile import compiled
from eqsat.cgen.cuda.dlpack import CUDA, EXTENSION
from eqsat.cgen.cuda.driver import DEVICE_ORDINAL, Driver, Gpu, driver, wanted_number
from eqsat.cgen.cuda.emulated import Emulated, open_emulator
from eqsat.cgen.cuda.foreign import AXES, copy_words
from eqsat.cgen.cuda.library import Library, find_library
from eqsat.cgen.cuda.places import DEVICE
from eqsat.cgen.cuda.source import TYPES, kernels_of
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.build import build
from eqsat.cgen.runtime.load import started
from eqsat.cgen.runtime.shared_object import SharedObject
from eqsat.cgen.target import Tools
from eqsat.errors import ArgumentError, DeviceError
from eqsat.graph.dtypes import ALL

if TYPE_CHECKING:
    from eqsat.cgen.cuda.arrays import Array, Arrays
    from eqsat.cgen.cuda.foreign import Foreign

HEADERS, _DEVICE, _MEMORY = sections(__file__, "device.c").values()
GRAPHS, BLAS, EMULATOR, DRIVER = (
    next(iter(sections(__file__, name).values()))
    for name in ("graphs.c", "library.c", "emulator.c", "driver.c")
)
_COMMON = (_DEVICE + GRAPHS + BLAS + _MEMORY).replace("DTYPE_SIZES", ", ".join(str(SIZE[d]) for d in ALL))
LIBRARY = HEADERS + abi.TYPES + abi.CALL + _COMMON + EMULATOR + DRIVER
COPY = sections(__file__, "copies.cu")["COPY"]
_lock = Lock()
_open: dict[str, Device] = {}
_by_record: dict[int, Device] = {}


def opened(record: int) -> Device:
    """The device that has its record at an address."""
    return _by_record[record]


def copier(size: int) -> str:
    """The text of the kernel that copies strided arrays of elements of so many bytes."""
    n, s = ([f"{letter}{a}" for a in range(AXES)] for letter in "ns")
    texts = {
        "LENGTHS": ", ".join(f"const int64_t {name}" for name in n),
        "STRIDES": ", ".join(f"const int64_t {name}" for name in s),
        "N": ", ".join(n),
        "S": ", ".join(s),
        "LAST": str(AXES - 1),
        "SIZE": str(size),
    }
    return TYPES + re.sub(r"@(\w+)", lambda m: texts[m.group(1)], COPY)


class Kernels(Protocol):
    """The kernels of a device text, ready to be launched."""

    @property
    def address(self) -> int:
        """The address by which the host program launches them."""


class Device:
    """The device that kernels are launched on; ``table`` is the address of the functions that host programs call."""

    name = ""
    emulated = False
    products: Library | None = None  # for large products of matrices
    stream = 0  # the driver's handle; 0 is the legacy default stream, which torch and CuPy use too

    def __init__(self, tools: Tools) -> None:
        names = ["eq_open_device", "eq_emulator", "eq_driver"]
        text = f"{LIBRARY}/* {self.name} */\n"  # each device has an object of its own, with its own state
        self.object: SharedObject = build(text, tools.compiler, ["-O1"], tools.directory, names).object
        self.library: Any = self.object.library
        self.library.eq_open_device.restype = ctypes.c_void_p
        self.library.eq_open_device.argtypes = [ctypes.c_void_p]
        self.library.eq_failure.restype = ctypes.c_char_p
        self.library.eq_keep.restype = ctypes.c_void_p
        self.library.eq_keep.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_char]
        self.library.eq_fetch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        self.library.eq_fetch.restype = ctypes.c_int64
        self.library.eq_wait_for.restype = self.library.eq_launch_one.restype = ctypes.c_int64
        self.library.eq_launch_one.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64]
        self.library.eq_reserve.restype, self.library.eq_reserve.argtypes = ctypes.c_void_p, [ctypes.c_int64]
        self.library.eq_large_products.restype = ctypes.c_int64
        self.library.eq_give_back.argtypes = [ctypes.c_void_p, ctypes.c_char]
        self.table = self.library.eq_open_device(self.backend())
        if not self.table:
            raise MemoryError("no memory on the device")
        self.record = ctypes.c_void_p.from_address(self.table).value or 0
        self._arrays: Arrays | None = None
        self._tools = tools
        self._copiers: dict[int, Kernels] = {}
        _by_record[self.record] = self

    @property
    def dlpack(self) -> tuple[int, int]:
        """The kind and the number of the device, as DLPack tells them."""
        raise NotImplementedError

    def find_products(self) -> None:
        """Open a library for large products, where there is one."""

    def use_products(self, found: Library) -> None:
        """Let a library do large products."""
        self.products = found
        self.library.eq_use_library(ctypes.byref(found.functions))

    def large_products(self, by_library: bool) -> int:
        """The number of large products so far that the library did, or that kernels of our own did."""
        return int(self.library.eq_large_products(ctypes.c_int64(by_library)))

    def arrays(self, tools: Tools) -> Arrays:
        """The maker of arrays on the device."""
        if self._arrays is None:
            from eqsat.cgen.cuda.arrays import Arrays

            self._arrays = Arrays(self, started(tools.compiler, tools.directory))
        return self._arrays

    def address(self, name: str) -> int:
        """The address of a function of the library."""
        return self.object.address(name)

    def wait(self) -> None:
        """Wait until all that was asked for is done.

        Errors   DeviceError, with the driver's words, where it fails
        """
        if self.library.eq_wait_for():
            raise DeviceError(self.failure)

    def use_stream(self, handle: int) -> None:
        """Run what comes on another stream, after what was begun."""
        self.wait()
        self.library.eq_use_stream(ctypes.c_void_p(handle))
        self.stream = handle

    def follow(self, stream: Any) -> None:
        """Let a consumer's stream, as DLPack numbers it, see what was computed."""
        if stream != -1 and (0 if stream in (None, 1) else stream) != self.stream:
            self.wait()

    def wait_for_stream(self, handle: int | None) -> None:
        """Wait for what a producer computes on a stream of its own."""

    def number_of(self, address: int) -> int | None:
        """The number of the device on which an address lies, where that can be told."""
        return None

    def packed(self, x: Foreign, arrays: Arrays) -> Array:
        """A copy of a strided array whose elements lie in order."""
        if len(x.shape) > AXES:
            raise ArgumentError(f"a strided array of {len(x.shape)} axes on a device; {AXES} can be copied")
        size = np.dtype(x.dtype).itemsize
        to = self.library.eq_reserve(prod(x.shape) * size)
        if not to:
            raise MemoryError(f"no memory on the device for {prod(x.shape) * size} bytes")
        found = arrays.over(to, x.shape, x.dtype)
        if size not in self._copiers:
            self._copiers[size] = self.kernels(copier(size), self._tools)
        words = copy_words(x, to)
        geometry = (ctypes.c_int64 * 4)(min(max((words[2] + 255) // 256, 1), 65535), 1, 256, 1)
        given = (ctypes.c_uint64 * len(words))(*words)
        if self.library.eq_launch_one(self._copiers[size].address, geometry, given, len(words)):
            raise DeviceError(self.failure)
        self.wait()  # the other library may write into its memory when we return
        return found

    def backend(self) -> int:
        """The address of the functions that allocate, copy and launch."""
        raise NotImplementedError

    def kernels(self, text: str, tools: Tools) -> Kernels:
        """The kernels of a device text."""
        raise NotImplementedError

    def keep(self, array: np.ndarray, place: str = DEVICE) -> int:
        """The address of a copy of an array in memory of a place."""
        found = self.library.eq_keep(array.ctypes.data, array.nbytes, place.encode())
        if not found:
            raise MemoryError(f"no memory on the device for {array.nbytes} bytes")
        return int(found)

    def fetch(self, address: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
        """A copy of an array on the device.

        Errors   DeviceError, with the driver's words, where it fails
        """
        found = np.empty(shape, dtype)
        if self.library.eq_fetch(found.ctypes.data, address, found.nbytes):
            raise DeviceError(self.failure)
        return found

    def release(self, address: int, place: str = DEVICE) -> None:
        """Give memory of a place back."""
        self.library.eq_give_back(address, place.encode())

    def release_idle(self) -> None:
        """Give back the memory of functions that are not called now."""
        self.library.eq_free_all()

    @property
    def failure(self) -> str:
        """The last failure of the device, in words."""
        return bytes(self.library.eq_failure()).decode(errors="replace")


class EmulatedDevice(Device):
    """Kernels as C on the processor."""

    name = "emulated"
    emulated = True

    @property
    def dlpack(self) -> tuple[int, int]:
        return EXTENSION, 0

    def backend(self) -> int:
        return open_emulator(self.library)

    def kernels(self, text: str, tools: Tools) -> Kernels:
        return Emulated(text, tools.compiler, tools.directory, self.library.eq_finish)


class _Functions(ctypes.Structure):
    _NAMES = (
        "cuLaunchKernel",
        "cuCtxSetCurrent",
        "cuStreamSynchronize",
        "cuMemAllocAsync",
        "cuMemFreeAsync",
        "cuMemAllocManaged",
        "cuMemFree",
        "cuMemHostAlloc",
        "cuMemFreeHost",
        "cuMemGetInfo",
        "cuMemPoolTrimTo",
        "cuMemcpyHtoDAsync",
        "cuMemcpyDtoHAsync",
        "cuGetErrorName",
        "cuGetErrorString",
        "cuStreamCreate",
        "cuStreamBeginCapture",
        "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags",
        "cuGraphLaunch",
        "cuGraphExecDestroy",
        "cuGraphDestroy",
    )
    _fields_ = [(name, ctypes.c_void_p) for name in (*_NAMES, "context", "pool")]


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

    def find_products(self) -> None:
        if self.products is None and (found := find_library()) is not None:
            self.use_products(found)

    @property
    def dlpack(self) -> tuple[int, int]:
        return CUDA, self.gpu.number

    def wait_for_stream(self, handle: int | None) -> None:
        if handle is not None and (0 if handle == 1 else handle) != self.stream:
            self.driver.call("cuStreamSynchronize", self.driver.ffi.cast("CUstream", handle))

    def number_of(self, address: int) -> int | None:
        number = self.driver.ffi.new("int *")
        failed = self.driver.functions["cuPointerGetAttribute"](number, DEVICE_ORDINAL, address)
        return None if failed else int(number[0])

    def backend(self) -> int:
        addresses = [self.driver.address(name) for name in _Functions._NAMES]
        context, pool = (
            int(self.driver.ffi.cast("uintptr_t", x)) for x in (self.context, self.driver.pool(self.gpu))
        )
        self.library.eq_driver.restype = ctypes.c_void_p
        os.register_at_fork(after_in_child=self.library.eq_in_child)
        return int(self.library.eq_driver(ctypes.byref(_Functions(*addresses, context, pool))))

    def kernels(self, text: str, tools: Tools) -> Kernels:
        content = compiled(text, self.gpu.arch, tools.directory).content
        return OnGpu(self.driver, content, kernels_of(text), self.library.eq_finish)


class OnGpu:
    """A module of the driver."""

    def __init__(
        self, driver: Driver, content: bytes, names: list[str], finish: Callable[[], Any] | None = None
    ) -> None:
        self.driver, self.finish = driver, finish
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
        if self.finish is not None:
            self.finish()  # launches of them that are under way
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
