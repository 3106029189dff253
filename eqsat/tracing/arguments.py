"""Arguments of a traced function: which leaves are arrays, which are numbers of Python, and which are options."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.dtypes import ALL, FLOATS, NAME
from eqsat.graph.tensor_type import TensorType, refuse_unplain, tensor_type

_OPTIONS = (bool, str, bytes, type(None), type, type(Ellipsis), slice, range, enum.Enum, np.dtype, np.bool_)
_CODE = (FunctionType, BuiltinFunctionType, ModuleType, np.ufunc)


class Static:
    """An argument that is part of the program: a call with another one is traced again."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Static) and type(self.value) is type(other.value)  # type: ignore[attr-defined]
        return same and bool(self.value == other.value)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


class Kind(NamedTuple):
    """One leaf of the arguments: an array of a type, a Python number of a class, or an option of a value."""

    tensor: TensorType | None = None
    number: type | None = None
    option: Static | None = None


def kind_of(path: str, value: Any, static_shapes: bool | tuple[str, ...]) -> Kind:
    """The kind of a leaf, by which the traces of a function are told apart.

    Errors   ArgumentError for a leaf that is none of these, with its path
    """
    if type(value) in (int, float, complex):
        return Kind(
            tensor_type({int: "int64", float: "float64", complex: "complex128"}[type(value)], ()), type(value)
        )
    if isinstance(value, Static):
        return Kind(option=hashed(path, value))
    if isinstance(value, (*_OPTIONS, *_CODE)) or callable(value) and not hasattr(value, "__array__"):
        return Kind(option=hashed(path, Static(value)))
    if not isinstance(value, (np.ndarray, np.generic)) and not hasattr(value, "__array__"):
        raise ArgumentError(
            f"{path} is of the class {type(value).__name__}, which is neither an array nor a number",
            needs="arrays, numbers, and tuples, lists, dicts, named tuples and dataclasses of them",
            hint=f"static_argnames={argument_of(path)!r} for an option that equals itself, or a dataclass",
        )
    refuse_unplain(value)
    if has_labels(value):
        raise ArgumentError(
            f"{path} is of the class {type(value).__name__}, whose axes have labels that a compiled function does not follow",
            needs="an array of NumPy",
            hint=as_plain(path, value),
        )
    if isinstance(value, np.ndarray) and _computes_otherwise(type(value)):
        raise ArgumentError(
            f"{path} is of the class {type(value).__name__}, which computes in its own way",
            needs="an array of NumPy",
            hint=f"np.asarray({path})",
        )
    array = np.asarray(value)
    if array.dtype.newbyteorder("=") not in NAME:
        other = next(
            (f for f in FLOATS if array.dtype.kind == "f" and array.itemsize < np.dtype(f).itemsize),
            FLOATS[-1],
        )
        raise ArgumentError(
            f"{path} holds {array.dtype}",
            needs=f"one of {', '.join(ALL)}",
            hint=f"{path}.astype({other!r})" if array.dtype.kind == "f" else None,
        )
    known = static_shapes is True or static_shapes is not False and argument_of(path) in static_shapes
    lengths = tuple(n if known or n <= 1 else None for n in array.shape)
    return Kind(tensor_type(NAME[array.dtype.newbyteorder("=")], lengths))


def has_labels(value: Any) -> bool:
    """True for tables and series of pandas, and for arrays of xarray, which are joined by the labels of their axes."""
    return hasattr(type(value), "iloc") or hasattr(type(value), "isel")


def as_plain(path: str, value: Any) -> str:
    """The text that makes an array of what has labels."""
    return f"{path}.to_numpy()" + (f", or {path}['column'].to_numpy()" if hasattr(value, "columns") else "")


def _computes_otherwise(kind: type) -> bool:
    """True for a class of arrays with operators of its own, as ``np.matrix``; a masked array without masked elements is one of NumPy."""
    own = any(getattr(kind, name) is not getattr(np.ndarray, name) for name in ("__mul__", "__array_ufunc__"))
    return own and not issubclass(kind, np.ma.MaskedArray)


def argument_of(path: str) -> str:
    """The name of the argument of which a path is a part.

    >>> argument_of("params['w'].b")
    'params'
    """
    return path.partition("[")[0].partition(".")[0]


def hashed(path: str, option: Static) -> Static:
    """The option, where it can be looked up."""
    try:
        hash(option)
    except TypeError:
        raise ArgumentError(
            f"{path} is static and a {type(option.value).__name__}, which has no hash",
            hint="its start and stop as arguments, slice(start, stop) in the function"
            if isinstance(option.value, slice)
            else "a tuple in place of a list, or an argument that is not static",
        ) from None
    return option


def as_numbers(numbers: int | Iterable[int] | None) -> tuple[int, ...]:
    """``static_argnums`` as a tuple."""
    return () if numbers is None else (numbers,) if isinstance(numbers, int) else tuple(numbers)


def as_names(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """``static_argnames`` as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)
