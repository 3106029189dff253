"""Numbers and arrays as constants, and the casts and padding that ops insert around operands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.dtypes import (
    COMPLEX,
    INEXACT,
    NAME,
    SHORT,
    check_dtype,
    constant_dtype,
    promote,
    to_complex,
)
from eqsat.graph.tensor_type import TensorType, refuse_unplain, shorten, tensor_type


class ConstantClass:
    """Holds the class of tensor constants; the tensor room puts its own here."""

    cls: ClassVar[type[Constant]] = Constant


def constant(value: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None) -> Any:
    """A tensor constant of a number, list or array; the value is copied.

    Python numbers take the smallest dtype that holds them exactly (see ``constant_dtype``).

    Errors   ArgumentError for a variable; DTypeError for a value that does not fit; RankError where ``ndim`` is too
             small

    >>> constant(200).type
    <TensorType(int16, ())>
    """
    if isinstance(value, Variable):
        raise ArgumentError(f"{value} is a variable, not a value", hint="use it as it is")
    if dtype is None and isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        dtype = constant_dtype(value)
    array = _array(value, None if dtype is None else check_dtype(dtype))
    if ndim is not None:
        if ndim < array.ndim:
            raise RankError(f"ndim={ndim} is less than the {array.ndim} dimensions of the value")
        array = array.reshape((1,) * (ndim - array.ndim) + array.shape)
    return _wrap(array, name)


def _array(value: Any, dtype: str | None) -> np.ndarray:
    """A new native array of a value in a dtype that tensors have."""
    refuse_unplain(value)
    try:
        array = np.array(value, dtype)
    except OverflowError as error:
        raise DTypeError(f"{value!r} does not fit {dtype}: {error}") from None
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"no array can be made of {shorten(value)}: {error}") from None
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype not in NAME:
        raise DTypeError(f"a constant cannot hold {array.dtype}: {shorten(value)}", needs="numbers or bool")
    return array


def _wrap(array: np.ndarray, name: str | None) -> Any:
    """The constant of an array that nobody else holds."""
    array.setflags(write=False)
    return ConstantClass.cls(tensor_type(NAME[array.dtype], array.shape), array, name)


def as_tensor(value: Any) -> Any:
    """Variable of a value: tensor variables as they are, numbers and arrays as constants.

    Errors   ArgumentError for a variable that is no tensor; DTypeError for a value that no tensor holds

    >>> import eqsat.tensor as T
    >>> T.as_tensor([1.0, 2.0]).type, T.as_tensor([T.iscalar(), 1]).ndim
    (<TensorType(float64, (2,))>, 1)
    """
    if isinstance(value, Variable):
        if not isinstance(value.type, TensorType):
            raise ArgumentError(f"{value} is not a tensor but {value.type}", operands=[(str(value), value)])
        return value
    if isinstance(value, (list, tuple)) and holds_variable(value):
        from eqsat.graph.ops.join import stack

        return stack([as_tensor(v) for v in value])
    return constant(value)


def beside(value: Any, x: Any) -> Any:
    """A parameter of a function of x as a tensor: a real number takes the dtype of a floating x, which stays as it is."""
    if isinstance(value, (int, float, np.generic)) and x.type.dtype in INEXACT and np.isrealobj(value):
        return constant(np.asarray(value).astype(x.type.dtype))
    return as_tensor(value)


def weak_tensors(values: Sequence[Any]) -> list[Any]:
    """Operands of which Python numbers, and lengths, take the dtype of the others, by the rule of NumPy 2."""
    strong = [v for v in values if not _is_weak(v)]
    if not strong or len(strong) == len(values):
        return [as_tensor(v) for v in values]
    found = [as_tensor(v) for v in strong]
    kind = promote(*(v.type.dtype for v in found))
    rest = iter(found)
    return [_weak_tensor(v, kind) if _is_weak(v) else next(rest) for v in values]


def _is_weak(value: Any) -> bool:
    if isinstance(value, Variable):
        return _is_of_lengths(value)
    return isinstance(value, (int, float, complex)) and not isinstance(value, (bool, np.generic))


def _is_of_lengths(variable: Any) -> bool:
    """True for a single integer that is made of lengths of tensors, which are Python's in NumPy."""
    if not isinstance(variable.type, TensorType) or variable.type.ndim or variable.type.dtype != "int64":
        return False
    stack, found = [variable], False
    while stack:
        v = stack.pop()
        if getattr(getattr(v.owner, "op", None), "name", "") == "length":
            found = True
        elif v.owner is not None:
            stack += v.owner.inputs
        elif not isinstance(v, Constant):
            return False
    return found


def _weak_tensor(value: Any, kind: str) -> Any:
    if isinstance(value, Variable):
        return cast_to(value, kind) if kind in INEXACT else value
    if isinstance(value, complex):
        return constant(value, dtype=to_complex(kind if kind in INEXACT else "float64"))
    if isinstance(value, float):
        return constant(value, dtype=kind if kind in INEXACT else "float64")
    return constant(value, dtype="int64" if kind == "bool" else kind)


def holds_variable(values: Sequence[Any]) -> bool:
    """True for nested lists in which a variable stands."""
    return any(
        isinstance(v, Variable) or (isinstance(v, (list, tuple)) and holds_variable(v)) for v in values
    )


def cast_to(variable: Any, dtype: str) -> Any:
    """Variable in a dtype: itself, a converted constant, or a cast node."""
    if variable.type.dtype == dtype:
        return variable
    refuse_real(variable, dtype)
    op = _cast_op(dtype)
    if isinstance(variable, Constant):
        data = variable.data
        exact = data.dtype.kind not in "fc" or dtype in ("float64", "complex128")
        array = data.astype(dtype) if exact else np.array(op.compute(data))
        return _wrap(array, variable.name)
    return op(variable)


def refuse_real(variable: Any, dtype: str) -> None:
    """Raise DTypeError where a cast would drop imaginary parts."""
    if variable.type.dtype in COMPLEX and dtype not in COMPLEX:
        raise DTypeError(
            f"cast: {variable} is {variable.type.dtype} and cannot become {dtype}",
            operands=[(variable.name or "x", variable)],
            needs="a complex dtype",
            hint="T.real(x), T.imag(x) or T.abs(x); T.neq(x, 0) for bool",
        )


def refuse_complex(name: str, x: Any) -> None:
    """Raise DTypeError for a function that has no meaning for complex numbers."""
    if x.type.dtype in COMPLEX:
        raise DTypeError(
            f"{name} is not defined for {SHORT[x.type.dtype]}",
            operands=[(x.name or "x", x)],
            needs="real numbers",
            hint="T.real(x), T.imag(x) or T.abs(x)",
        )


@cache
def _cast_op(dtype: str) -> Any:
    from eqsat.graph.ops.cast import cast_op

    return cast_op.bind(dtype=dtype)


@lru_cache(maxsize=256)
def _pad_op(missing: int, ndim: int) -> Any:
    from eqsat.graph.ops.shape import dimshuffle_op

    return dimshuffle_op.bind(pattern=("x",) * missing + tuple(range(ndim)))


def pad_left(variable: Any, ndim: int) -> Any:
    """Variable with length-1 axes added on the left up to ``ndim`` axes."""
    missing = ndim - variable.type.ndim
    if missing == 0:
        return variable
    kind = tensor_type(variable.type.dtype, (1,) * missing + variable.type.shape)
    return Apply(_pad_op(missing, variable.type.ndim), [variable], [kind()]).outputs[0]
