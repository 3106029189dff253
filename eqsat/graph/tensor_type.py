"""TensorType: a dtype and, per axis, a length that is known or not; length 1 broadcasts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.core import Type, Variable
from eqsat.graph.dtypes import CODE, COMPLEX, INEXACT, SHORT, check_dtype

Shape = tuple[int | None, ...]


class TensorType(Type):
    """Arrays of one dtype and rank; an axis broadcasts only if its length is 1 in the type.

    The second argument is either a broadcastable pattern of bools, or a shape of lengths and None. ``name`` is taken
    for the sake of older programs: types with different names are equal.

    >>> TensorType("int32", (True, False))
    <TensorType(int32, (1, ?))>
    >>> TensorType("float64", shape=(3, None)).ndim
    2
    """

    __slots__ = ("dtype", "shape", "_numpy", "_hash")
    variable_class: ClassVar[type[Variable]] = Variable

    def __init__(
        self,
        dtype: Any,
        broadcastable: Sequence[bool | int | None] | None = None,
        shape: Sequence[int | None] | None = None,
        name: str | None = None,
    ) -> None:
        self.dtype = check_dtype(dtype)
        self.shape = _shape(broadcastable if shape is None else shape)
        self._numpy = np.dtype(self.dtype)
        self._hash = hash((self.dtype, self.shape))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """True for each axis whose length is 1 by type."""
        return tuple(length == 1 for length in self.shape)

    def make_variable(self, name: str | None = None) -> Variable:
        return self.variable_class(self, None, None, name)

    def __call__(self, name: str | None = None, shape: Sequence[int | None] | None = None) -> Any:
        """New variable of this type, or of the part of it whose lengths are those of ``shape``."""
        return (self if shape is None else self.narrowed(shape)).make_variable(name)

    def narrowed(self, shape: Sequence[int | None]) -> TensorType:
        """This type with more lengths known.

        Errors   ShapeError for a shape of another rank, or with another length where this type knows it
        """
        lengths = _shape(shape)
        fits = len(lengths) == self.ndim and all(
            a is None or a == b for a, b in zip(self.shape, lengths, strict=True)
        )
        if not fits:
            raise ShapeError(
                f"the shape {shape} does not fit {self.short()}",
                needs=f"a length or None for each of {self.ndim} axes, the same where the type knows it",
            )
        return TensorType(self.dtype, shape=lengths)

    def is_super(self, other: Type) -> bool:
        return (
            isinstance(other, TensorType)
            and self.dtype == other.dtype
            and self.ndim == other.ndim
            and all(a is None or a == b for a, b in zip(self.shape, other.shape, strict=True))
        )

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Array of this type; an array of another dtype is converted only where no value can change."""
        if type(value) is np.ndarray and value.dtype is self._numpy and value.shape == self.shape:
            return value
        array = self._converted(value, strict, allow_downcast)
        if array.ndim != self.ndim:
            raise RankError(
                f"expected {self.short()}, got {describe_array(array)}: "
                f"{self.ndim} dimensions needed, {array.ndim} given"
            )
        for axis, (want, have) in enumerate(zip(self.shape, array.shape, strict=True)):
            if want is not None and want != have:
                raise ShapeError(
                    f"expected {self.short()}, got {describe_array(array)}: "
                    f"axis {axis} has length {have}, not {want}"
                )
        return array

    def _converted(self, value: Any, strict: bool, allow_downcast: bool | None) -> np.ndarray:
        refuse_unplain(value)
        if isinstance(value, np.ndarray) and value.dtype == self.dtype and value.dtype.isnative:
            return value if type(value) is np.ndarray else np.asarray(value)
        if isinstance(value, Variable):
            raise ArgumentError(
                f"expected a value of type {self.short()}, got the variable {value}",
                hint="pass a NumPy array, or use givens= to replace a variable by another",
            )
        if strict:
            raise DTypeError(f"expected {self.short()} exactly, got {describe_array(value)}")
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise DTypeError(f"expected {self.short()}, got {type(value).__name__} {shorten(value)}")
        if array.dtype.kind == "c" and self.dtype not in COMPLEX:
            raise DTypeError(
                f"expected {self.short()}, got {describe_array(value)}: complex numbers are not real",
                hint="value.real, value.imag or abs(value)",
            )
        if self._takes(array, not hasattr(value, "dtype"), allow_downcast):
            with np.errstate(over="ignore", invalid="ignore"):
                return array.astype(self.dtype)
        raise DTypeError(
            f"expected {self.short()}, got {describe_array(array)}: the conversion could change values",
            hint=f"value.astype({self.dtype!r}), or function(..., allow_input_downcast=True)",
        )

    def _takes(self, array: np.ndarray, plain: bool, allow_downcast: bool | None) -> bool:
        """True where values may be converted: never where one would change, but a Python float is rounded."""
        if allow_downcast or np.can_cast(array.dtype, self.dtype, "safe") or array.size == 0:
            return True
        if not plain and array.ndim:
            return False
        with np.errstate(invalid="ignore", over="ignore"):
            new = array.astype(self.dtype)
        if self.dtype in INEXACT and array.dtype.kind in "fc":
            if plain and array.ndim == 0 and allow_downcast is not False:
                return bool(np.isfinite(new) == np.isfinite(array))
            return np.array_equal(new, array, equal_nan=True)
        return np.array_equal(new, array)

    def make_constant(self, value: Any, name: str | None = None) -> Any:
        """Constant of this type; its own type knows its lengths."""
        from eqsat.graph.constant import constant

        return constant(self.filter(value), name)

    def values_eq(self, a: Any, b: Any) -> bool:
        """True for arrays of one dtype and shape with the same elements, NaN included."""
        a, b = np.asarray(a), np.asarray(b)
        same = a.dtype == b.dtype and a.shape == b.shape
        return bool(same and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """As ``values_eq``, but for rounding: a relative 1e-5 in 64 bits, 1e-4 in 32."""
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind not in "fc":
            return self.values_eq(a, b)
        near = 1e-5 if np.finfo(a.dtype).bits == 64 else 1e-4
        return bool(np.allclose(a, b, rtol=near, atol=near * 1e-3, equal_nan=True))

    def short(self) -> str:
        """Compact text, such as ``f32[32, ?]``."""
        return f"{SHORT[self.dtype]}[{', '.join('?' if n is None else str(n) for n in self.shape)}]"

    def clone(self, dtype: str | None = None, shape: Sequence[int | None] | None = None) -> TensorType:
        """This type with another dtype or shape."""
        return TensorType(dtype or self.dtype, shape=self.shape if shape is None else shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self.dtype == other.dtype and self.shape == other.shape

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        inside = ", ".join("?" if n is None else str(n) for n in self.shape)
        comma = "," if self.ndim == 1 else ""
        return f"<TensorType({self.dtype}, ({inside}{comma}))>"

    def __reduce__(self) -> Any:
        return (tensor_type, (self.dtype, self.shape))


@lru_cache(maxsize=4096)
def tensor_type(dtype: str, shape: Shape) -> TensorType:
    """The type of a dtype and a shape of ints and None; the same object for the same arguments."""
    return TensorType(dtype, shape=shape)


def _shape(pattern: Sequence[bool | int | None] | None) -> Shape:
    lengths: list[int | None] = []
    for entry in () if pattern is None else pattern:
        if isinstance(entry, (bool, np.bool_)):
            lengths.append(1 if entry else None)
        elif entry is None:
            lengths.append(None)
        elif isinstance(entry, (int, np.integer)) and entry >= 0:
            lengths.append(int(entry))
        else:
            raise ShapeError(f"a length in a type is an int or None, not {entry!r}", length=entry)
    return tuple(lengths)


def refuse_unplain(value: Any) -> None:
    """Raise ArgumentError for what NumPy would silently make another array of: one with masked elements, one that Dask has to compute."""
    if type(value) is not np.ndarray:
        _refuse_masked(value)
        _refuse_lazy(value)


def _refuse_lazy(value: Any) -> None:
    """Raise ArgumentError for blocks that lie elsewhere or are yet to be computed, which NumPy would gather here."""
    if hasattr(type(value), "__dask_graph__") and value.__dask_graph__() is not None:
        raise ArgumentError(
            f"a function takes arrays, and {type(value).__module__}.{type(value).__qualname__} would be gathered into one",
            hint="x.map_blocks(f, dtype=...) or dask.delayed(f)(block), which run f where the blocks are; or x.compute()",
        )


def _refuse_masked(value: Any) -> None:
    """Raise ArgumentError for an array in which elements are masked: no tensor has a mask, and what is below counts."""
    if not isinstance(value, np.ndarray):
        return  # without a look at np.ma, which would be loaded for it
    if not isinstance(value, np.ma.MaskedArray):
        return
    if count := int(np.ma.count_masked(value)):
        raise ArgumentError(
            f"{count} of {value.size} elements of a masked array are masked, and no tensor has a mask",
            needs="an array without masked elements",
            hint="value.filled(number); or value.data, and value.mask as an input of its own for T.switch",
        )


def describe_array(value: Any) -> str:
    """Dtype and shape of a value in the notation of types."""
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {shorten(value)}"
    if value.dtype.name in CODE:
        return TensorType(value.dtype.name, shape=value.shape).short()
    return f"{value.dtype}[{', '.join(map(str, value.shape))}]"


def shorten(value: Any, limit: int = 40) -> str:
    """Text of a value, cut to one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
