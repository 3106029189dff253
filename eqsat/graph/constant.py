"""Numbers and arrays as constants, and the casts and padding that ops insert around operands."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import NAME, check_dtype, constant_dtype
from eqsat.graph.tensor_type import TensorType


class ConstantClass:
    """Holds the class of tensor constants; the tensor room puts its own here."""

    cls: ClassVar[type[Constant]] = Constant


def constant(value: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None) -> Any:
    """A tensor constant of a number, list or array; the value is copied.

    Python numbers take the smallest dtype that holds them exactly (see ``constant_dtype``).

    >>> constant(200).type
    <TensorType(int16, ())>
    """
    if isinstance(value, Variable):
        raise ArgumentError(f"{value} is a variable, not a value", hint="use it as it is")
    if dtype is None and isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
        dtype = constant_dtype(value)
    try:
        array = np.array(value, dtype=None if dtype is None else check_dtype(dtype))
    except ValueError as error:
        raise ArgumentError(f"no array can be made of {value!r}: {error}") from None
    dtype = NAME.get(array.dtype)
    if dtype is None or not array.dtype.isnative:
        raise DTypeError(f"a constant cannot hold {array.dtype}: {value!r}", needs="numbers or bool")
    if ndim is not None:
        if ndim < array.ndim:
            raise RankError(f"ndim={ndim} is less than the {array.ndim} dimensions of the value")
        array = array.reshape((1,) * (ndim - array.ndim) + array.shape)
    array.setflags(write=False)
    return ConstantClass.cls(TensorType(dtype, shape=array.shape), array, name)


def as_tensor(value: Any) -> Any:
    """Variable of a value: tensor variables as they are, numbers and arrays as constants."""
    if isinstance(value, Variable):
        if not isinstance(value.type, TensorType):
            raise ArgumentError(f"{value} is not a tensor but {value.type}", operands=[(str(value), value)])
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(v, (Variable, list, tuple)) for v in value):
        if any(isinstance(v, Variable) for v in value):
            from eqsat.graph.ops.join import stack

            return stack([as_tensor(v) for v in value])
    return constant(value)


def cast_to(variable: Any, dtype: str) -> Any:
    """Variable in a dtype: itself, a converted constant, or a cast node."""
    if variable.type.dtype == dtype:
        return variable
    from eqsat.graph.ops.cast import cast_op

    if isinstance(variable, Constant):
        value = cast_op.bind(dtype=dtype).compute(variable.data)
        return constant(np.asarray(value), name=variable.name)
    return cast_op(variable, dtype=dtype)


def pad_left(variable: Any, ndim: int) -> Any:
    """Variable with length-1 axes added on the left up to ``ndim`` axes."""
    missing = ndim - variable.type.ndim
    if missing == 0:
        return variable
    from eqsat.graph.ops.shape import dimshuffle_op

    return dimshuffle_op(variable, pattern=("x",) * missing + tuple(range(variable.type.ndim)))
