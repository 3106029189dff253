"""DLPack: capsules that lend an array, and capsules that are taken. https://dmlc.github.io/dlpack"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU, CUDA, CUDA_HOST, CUDA_MANAGED, EXTENSION = 1, 2, 3, 13, 12  # kinds of devices
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_NAME, _USED = b"dltensor", b"used_dltensor"


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lent: dict[int, Any] = {}  # arrays and tables of what consumers hold, by the address of its struct


@_DELETER
def _delete(managed: int) -> None:
    _lent.pop(managed, None)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    """The end of a capsule: what no consumer took is no longer lent."""
    if _python("PyCapsule_IsValid", ctypes.c_int)(capsule, _NAME):
        _lent.pop(_python("PyCapsule_GetPointer", ctypes.c_void_p)(capsule, _NAME), None)


def _python(name: str, result: Any) -> Any:
    function = ctypes.PYFUNCTYPE(result, ctypes.c_void_p, ctypes.c_char_p)
    return function((name, ctypes.pythonapi))


def capsule_of(array: Any, device: tuple[int, int]) -> Any:
    """A capsule that lends an array, which lives as long as the consumer needs it."""
    rank, dtype = array.ndim, array.dtype
    shape, strides = ((ctypes.c_int64 * max(rank, 1))(*v) for v in (array.shape, _strides(array)))
    pointer = ctypes.POINTER(ctypes.c_int64)
    tensor = _Tensor(
        array.address, *device, rank, _CODES[dtype.kind], dtype.itemsize * 8, 1,
        ctypes.cast(shape, pointer), ctypes.cast(strides, pointer), 0,
    )  # fmt: skip
    managed = _Managed(tensor, None, ctypes.cast(_delete, ctypes.c_void_p))
    address = ctypes.addressof(managed)
    _lent[address] = array, shape, strides, managed
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(address, _NAME, ctypes.cast(_destroy, ctypes.c_void_p))


def _strides(array: Any) -> list[int]:
    found, step = [], 1
    for n in reversed(array.shape):
        found.append(step)
        step *= n
    return found[::-1]


class Taken:
    """A tensor that was taken from a capsule; its owner is told when nobody needs it any more."""

    def __init__(self, capsule: Any) -> None:
        get, rename = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_SetName
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self._address = get(capsule, _NAME)
        rename(capsule, _USED)
        self._managed = _Managed.from_address(self._address)
        tensor = self._managed.tensor
        self.device = tensor.device_type, tensor.device_id
        self.shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
        self.strides = (
            tuple(tensor.strides[k] for k in range(tensor.ndim)) if tensor.strides else None
        )  # in elements
        self.address = (tensor.data or 0) + tensor.offset
        self.dtype = _dtype(tensor.code, tensor.bits, tensor.lanes)

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter:
            _DELETER(managed.deleter)(self._address)


def _dtype(code: int, bits: int, lanes: int) -> str:
    letters = {number: letter for letter, number in _CODES.items()}
    if code not in letters or bits % 8 or lanes != 1:
        return f"DLPack's type {code} of {bits} bits"
    return np.dtype(f"{letters[code]}{bits // 8}").name
