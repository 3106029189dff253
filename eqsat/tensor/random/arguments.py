"""Sizes and parameters of random draws: what is accepted, and what is refused when the graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import FLOATS, INTEGERS, check_dtype
from eqsat.graph.ops.shape import length, scalar_integers
from eqsat.graph.ops.specify import specify_shape


def lengths_of(name: str, size: Any, ndim: int | None, parameters: tuple[Any, ...]) -> list[Any]:
    if size is None:
        lengths = common_lengths(parameters)
    else:
        lengths = scalar_integers(name, list(as_tuple(size, ndim)))
        rank = max((p.ndim for p in parameters), default=0)
        if rank > len(lengths):
            raise RankError(
                f"{name}: a parameter has {rank} dimensions, the size {len(lengths)}",
                operands=[(str(p), p) for p in parameters],
            )
    if ndim is not None and ndim != len(lengths):
        raise RankError(f"{name}: ndim is {ndim}, the size has {len(lengths)} lengths")
    return lengths


def as_tuple(size: Any, ndim: int | None = None) -> tuple[Any, ...]:
    """The lengths of a size: a number, a sequence, or a vector whose length is known or ``ndim``."""
    if size is None:
        return ()
    if isinstance(size, (list, tuple)):
        return tuple(size)
    v = as_tensor(size)
    if v.ndim == 0:
        return (size,)
    if v.ndim == 1 and v.type.shape[0] is None and ndim is not None:
        v = specify_shape(v, (ndim,))
    if v.ndim != 1 or v.type.shape[0] is None:
        raise RankError(
            f"the size {v} does not say how many lengths it has",
            operands=[(str(v), v)],
            hint="a tuple of scalars, ndim=2, or T.specify_shape(size, (2,))",
        )
    return tuple(v[i] for i in range(v.type.shape[0]))


def common_lengths(parameters: tuple[Any, ...]) -> list[Any]:
    """Lengths of parameters broadcast together."""
    rank = max((p.ndim for p in parameters), default=0)
    lengths: list[Any] = [1] * rank
    for axis in range(rank):
        for p in parameters:
            own = axis - (rank - p.ndim)
            if own >= 0 and p.type.shape[own] != 1:
                known = p.type.shape[own]
                lengths[axis] = length(p, own) if known is None else known
    return lengths


def tensors(name: str, *values: Any) -> tuple[Any, ...]:
    return tuple(as_tensor(v) for v in values)


def chances_between(name: str, *values: Any) -> tuple[Any, ...]:
    found = tensors(name, *values)
    for v in found:
        if isinstance(v, Constant) and not bool(np.all((v.data >= 0) & (v.data <= 1))):
            raise ArgumentError(f"{name}: the chance {v} is not between 0 and 1", operands=[("p", v)])
    return tuple(cast_to(v, "float64") for v in found)


def whole(name: str, *values: Any) -> tuple[Any, ...]:
    found = tensors(name, *values)
    for v in found:
        if v.dtype not in INTEGERS:
            raise DTypeError(
                f"{name}: the bound {v} is {v.dtype}", operands=[(str(v), v)], needs="an integer"
            )
    return found


def rows_of_chances(name: str, p: Any) -> Any:
    (v,) = tensors(name, p)
    if v.ndim == 0:
        raise RankError(f"{name}: a scalar does not hold the chances of categories", operands=[("p", v)])
    return v if v.dtype in FLOATS else cast_to(v, "float64")


def batch_of(chances: Any, size: Any) -> tuple[Any, ...]:
    if size is not None:
        return tuple(scalar_integers("categorical", list(as_tuple(size))))
    return tuple(length(chances, axis) for axis in range(chances.ndim - 1))


def is_one(n: Any) -> bool:
    return isinstance(n, (int, np.integer)) and n == 1


def floating(name: str, dtype: Any, *parameters: Any) -> str:
    """The dtype of draws: the one asked for, else floatX; float32 where that is of all parameters that are more than numbers."""
    kinds = {v.type.dtype for v in parameters if not (isinstance(v, Constant) and v.data.ndim == 0)}
    if dtype is None and "float32" in kinds and kinds.isdisjoint({"float64"}):
        dtype = "float32"
    kind = check_dtype(dtype or "floatX")
    if kind not in FLOATS:
        raise DTypeError(f"{name}: random numbers of dtype {kind} do not exist", needs="a floating dtype")
    return kind
