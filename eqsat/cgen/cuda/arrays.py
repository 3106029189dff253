"""Arrays on a device, which functions take and give; arrays of other libraries as such, without a copy where they fit."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.cgen.cuda.places import DEVICE
from eqsat.errors import DeviceError, DTypeError, RankError, ShapeError
from eqsat.graph.dtypes import ALL

if TYPE_CHECKING:
    from eqsat.cgen.cuda.device import Device


class Array:
    """An array on a device: a value that functions take and give, without arithmetic of its own.

    Its memory lives until nobody needs it any more: arrays of other libraries that were made of it count. ``numpy()`` is a copy on
    the processor; what CUDA itself reads goes by ``__dlpack__`` or ``__cuda_array_interface__``.

    >>> import numpy as np, eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> with eqsat.config.change_flags(cuda_device="emulated"):
    ...     f = eqsat.function([x], (x * 2).transfer("cuda"), target="cuda")
    ...     y = f(np.arange(3.0))
    >>> y
    <eqsat.cuda.Array float64 (3,) on the emulated device>
    >>> y.numpy()
    array([0., 2., 4.])
    """

    __slots__ = (
        "__weakref__",
        "_inner",
    )  # the launcher reads the array of NumPy, whose data lie on the device
    _inner: np.ndarray

    def __new__(cls) -> Array:
        raise TypeError("an Array is the result of a function, or made by eqsat.cuda.asarray")

    def __init_subclass__(cls) -> None:
        raise TypeError("eqsat.cuda.Array has no subclasses")

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths."""
        return self._inner.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, as of NumPy."""
        return self._inner.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._inner.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._inner.size

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self._inner.nbytes

    @property
    def address(self) -> int:
        """The address of the first element on the device."""
        return int(self._inner.ctypes.data)

    @property
    def device(self) -> str:
        """The device, in words."""
        return _device_of(self).name

    def numpy(self) -> np.ndarray:
        """A copy on the processor, once all that computes it is done.

        Errors   DeviceError where the device fails
        """
        return _device_of(self).fetch(self.address, self.shape, self.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a device is copied to the processor")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def __len__(self) -> int:
        return len(self._inner)

    def __reduce__(self) -> Any:
        return np.asarray, (self.numpy(),)

    def __repr__(self) -> str:
        return f"<eqsat.cuda.Array {self.dtype} {self.shape} on {_said(self.device)}>"

    def __dlpack_device__(self) -> tuple[int, int]:
        return _device_of(self).dlpack

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule of DLPack. The consumer's ``stream`` waits for what computes the array."""
        from eqsat.cgen.cuda.dlpack import capsule_of

        device = _device_of(self)
        if copy or dl_device not in (None, device.dlpack):
            raise BufferError(f"{self!r} is lent as it is, not copied; y.numpy() is a copy on the processor")
        device.follow(stream)
        return capsule_of(self, device.dlpack)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        device = _device_of(self)
        if device.emulated:
            raise AttributeError("the emulated device is none of CUDA")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "strides": None,
            "version": 3,
            "stream": device.stream or 1,
        }


def _said(name: str) -> str:
    return f"the {name} device" if name == "emulated" else name


class _Lent(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("device", "at", "release", "keep")]


def _device_of(array: Array) -> Device:
    from eqsat.cgen.cuda.device import opened

    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    lent = _Lent.from_address(capsule(array._inner.base, None))
    return opened(lent.device)


class Arrays:
    """Makes arrays on one device."""

    def __init__(self, device: Device, launcher: Any) -> None:
        self.device = device
        launcher.eq_arrays.argtypes = [ctypes.c_void_p]
        launcher.eq_arrays(id(Array))
        self._over = ctypes.PyDLL(None, handle=launcher._handle).eq_over
        self._over.restype = ctypes.py_object
        self._over.argtypes = [
            ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.py_object,
        ]  # fmt: skip

    def over(self, address: int, shape: Sequence[int], dtype: Any, keep: Any = None) -> Array:
        """An array over memory that an object keeps; without one over memory of ours, which is given back with the array."""
        lengths = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        release = self.device.address("eq_release") if keep is None else None
        return self._over(  # type: ignore[no-any-return]
            ALL.index(np.dtype(dtype).name),
            len(shape),
            ctypes.addressof(lengths),
            self.device.record,
            address,
            release,
            keep,
        )

    def upload(self, array: np.ndarray) -> Array:
        """A copy on the device."""
        return self.over(self.device.keep(np.ascontiguousarray(array), DEVICE), array.shape, array.dtype)

    def admit(self, value: Any, kind: Any) -> Array | None:
        """An argument that lies on the device, as one of ours; None for what lies on the processor.

        Errors   DeviceError for another device, DTypeError, RankError and ShapeError for what is not of the type
        """
        if type(value) is Array:
            found = _device_of(value)
            if found is not self.device:
                raise DeviceError(
                    f"the argument lies on {_said(found.name)}, the function runs on {_said(self.device.name)}",
                    hint="y.numpy()",
                )
            _check(value, kind)
            return value
        from eqsat.cgen.cuda.foreign import described

        given = described(value, self.device)
        if given is None:
            return None
        _check(given, kind)
        return given.lent(self)


def _check(value: Any, kind: Any) -> None:
    """Refuse an array on a device that is not of a type."""
    facts: dict[str, Any] = {"operands": [("value", f"{value.dtype} {tuple(value.shape)} on a device")]}
    name = np.dtype(value.dtype).name
    if name != kind.dtype:
        raise DTypeError(
            f"an array of {name} on a device is no {kind.dtype}", hint=f"convert it to {kind.dtype}", **facts
        )
    if len(value.shape) != kind.ndim:
        raise RankError(f"an array of {len(value.shape)} axes on a device, not {kind.ndim}", **facts)
    for axis, (have, want) in enumerate(zip(value.shape, kind.shape, strict=True)):
        if want not in (None, have):
            raise ShapeError(f"axis {axis} has length {have}, not {want}", **facts)


class Residence:
    """The device of a function, as seen by what calls it."""

    def __init__(self, arrays: Arrays, given: str) -> None:
        self.arrays = arrays
        self.given = given
        self.admit = arrays.admit

    def moving(self, state: Sequence[Any]) -> list[Any]:
        """The shared variables whose values move to the device before a call: those that only kernels read."""
        first = len(self.given) - len(state)
        return [v for v, place in zip(state, self.given[first:], strict=True) if place == DEVICE]

    def move(self, variable: Any) -> None:
        """Move the value of a shared variable to the device."""
        variable.container[0] = self.arrays.upload(variable.container[0])


def asarray(value: Any) -> Array:
    """A value as an array on the device of the configuration; one that lies there is given as it is.

    Errors   DeviceError where there is no device

    >>> import eqsat
    >>> with eqsat.config.change_flags(cuda_device="emulated"):
    ...     eqsat.cuda.asarray([1.0, 2.0])
    <eqsat.cuda.Array float64 (2,) on the emulated device>
    """
    from eqsat.cgen.cuda.foreign import described

    arrays = arrays_here()
    if type(value) is Array and _device_of(value) is arrays.device:
        return value
    given = None if type(value) is Array else described(value, arrays.device)
    return arrays.upload(np.asarray(value)) if given is None else given.lent(arrays)


def arrays_here() -> Arrays:
    """The maker of arrays on the device of the configuration.

    Errors   DeviceError where there is none
    """
    from eqsat.cgen import find_target
    from eqsat.cgen.cuda.device import open_device

    tools = find_target("cuda").tools(config.cache_dir if config.cache else None, False)
    if tools is None:
        raise DeviceError("arrays on a device need a C compiler")
    return open_device(tools).arrays(tools)
