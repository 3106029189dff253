"""Variables of values, and casts that a user writes."""

from __future__ import annotations

from typing import Any

from eqsat.errors import RankError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.dtypes import check_dtype


def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None) -> Any:
    """Variable of a number, list or array; variables pass through unchanged unless ``ndim`` pads them.

    Shapes   x: any[a], ndim=3 -> [1, 1, a]
    Errors   RankError where x has more than ``ndim`` dimensions; otherwise those of ``as_tensor``

    >>> import eqsat.tensor as T
    >>> T.as_tensor_variable([1.0, 2.0], ndim=2).type
    <TensorType(float64, (1, 2))>
    """
    variable = as_tensor(x)
    if ndim is not None:
        if variable.ndim > ndim:
            raise RankError(f"{variable} has {variable.ndim} dimensions, more than ndim={ndim}")
        variable = pad_left(variable, ndim)
    if name is not None and variable is not x:
        variable.name = name
    return variable


def cast(x: Any, dtype: Any) -> Any:
    """Tensor in another dtype; floats outside an integer's range give its nearest end, NaN gives 0.

    Shapes   x: [...] -> [...], elementwise
    Errors   DTypeError for an unknown dtype, and from complex to real

    >>> import eqsat.tensor as T
    >>> T.cast([1.7, -1.7, 1e9], "int8").eval()
    array([  1,  -1, 127], dtype=int8)
    """
    return cast_to(as_tensor(x), check_dtype(dtype))
