"""A builtin function that finds, among compiled ones, that for the arguments of a call, and builds its result.

An argument is compared with a small program of nodes: arrays by dtype, rank and the axes of length 1, numbers by their class,
containers by theirs and what they hold. A call without a match goes to a function of Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from eqsat.base.forks import Lock
from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime import layout
from eqsat.cgen.runtime.abi import TYPES
from eqsat.cgen.runtime.build import build
from eqsat.cgen.runtime.launcher import OBJECTS
from eqsat.cgen.runtime.shared_object import SharedObject

TEXT = TYPES + OBJECTS + sections(__file__, "dispatch.c")["DISPATCH"]
KINDS = ["array", "float", "int", "bool", "option", "tuple", "list", "dict"]
KINDS += ["fields", "key", "result", "given", "value", "named"]
MOST = 64  # inputs, and parts of one container of a result
_CALLS = (
    *("PyObject_Vectorcall", "PyCapsule_GetPointer", "PyCapsule_New", "Py_IncRef", "Py_DecRef"),
    *("PyErr_Clear", "PyErr_Occurred", "PyTuple_Size", "PyTuple_GetItem", "PyList_Size", "PyList_GetItem"),
    *("PyDict_Size", "PyDict_GetItem", "PyObject_GetAttr", "PyObject_RichCompareBool", "PyFloat_AsDouble"),
    *("PyLong_AsLongLong", "PyTuple_New", "PyTuple_SetItem", "PyList_New", "PyList_SetItem", "PyDict_New"),
    *("PyDict_SetItem", "PyFloat_FromDouble", "PyLong_FromLongLong", "PyBool_FromLong"),
)
_lock = Lock()
_loaded: list[SharedObject] = []


class Node(NamedTuple):
    """One node of what is compared, or built: see ``dispatch.c``."""

    kind: str
    parts: int = 0
    slot: int = 0
    leaf: int = 0
    ndim: int = 0
    what: Any = None
    lengths: Sequence[int] = ()


class _Node(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        *((name, ctypes.c_int64) for name in ("kind", "count", "slot", "leaf", "ndim")),
        ("what", ctypes.c_void_p),
        ("lengths", ctypes.c_void_p),
    ]


class _Functions(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        (name, ctypes.c_void_p) for name in ("none", "new_array", "array_type", *_CALLS)
    ]


class Dispatcher:
    """The builtin function ``call``, the compiled functions that it knows, and the ``slow`` one for other arguments."""

    def __init__(self, slow: Callable[..., Any], compiler: str, directory: str | None) -> None:
        shared = _library(compiler, directory)
        api = ctypes.PyDLL(None, handle=shared.library._handle)
        api.eq_dispatch_new.restype, api.eq_dispatch_new.argtypes = ctypes.py_object, [ctypes.py_object]
        api.eq_dispatch_method.restype = ctypes.c_void_p
        api.eq_dispatch_add.restype = ctypes.c_int64
        api.eq_dispatch_add.argtypes = [ctypes.py_object] * 4 + [ctypes.c_void_p] * 3
        self._api, self._state = api, api.eq_dispatch_new(slow)
        new = ctypes.pythonapi.PyCFunction_NewEx
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        self.call: Callable[..., Any] = new(api.eq_dispatch_method(), self._state, None)

    def add(
        self,
        function: Callable[..., Any],
        names: tuple[str, ...],
        given: Sequence[Node],
        made: Sequence[Node],
        count: int,
        inputs: int,
    ) -> bool:
        """Let calls with ``count`` arguments, the last of them by ``names``, run a function of ``inputs`` arrays; False for too many."""
        keep: list[Any] = [function]
        tables = [_table(nodes, keep) for nodes in (given, made)]
        counts = (ctypes.c_int64 * 2)(count, inputs)
        addresses = [ctypes.addressof(t) for t in (*tables, counts)]
        return bool(self._api.eq_dispatch_add(self._state, function, keep, names or None, *addresses))


def _table(nodes: Sequence[Node], keep: list[Any]) -> Any:
    """Nodes as C has them; what they point to is kept."""
    table = (_Node * len(nodes))()
    for place, n in zip(table, nodes, strict=True):
        lengths = (ctypes.c_int64 * (len(n.lengths) + 1))(*n.lengths)
        keep += [lengths, n.what]
        place.kind, place.count, place.slot, place.leaf = KINDS.index(n.kind), n.parts, n.slot, n.leaf
        place.ndim, place.what, place.lengths = n.ndim, id(n.what), ctypes.addressof(lengths)
    keep.append(table)
    return table


def _library(compiler: str, directory: str | None) -> SharedObject:
    """The shared object of this process, compiled where the cache does not have it."""
    with _lock:
        if not _loaded:
            names = [f"eq_dispatch_{name}" for name in ("start", "new", "add", "method")]
            made = build(TEXT, compiler, ["-O1"], directory, names).object
            made.library.eq_dispatch_start(ctypes.byref(_functions()))
            _loaded.append(made)
        return _loaded[0]


def _functions() -> _Functions:
    table = layout.table()
    assert table is not None, "the layout of arrays is not known"
    api = ctypes.pythonapi
    calls = [ctypes.cast(getattr(api, name), ctypes.c_void_p).value for name in _CALLS]
    return _Functions(id(None), table.new_array, table.array_type, *calls)
