"""Tensors made from scalars: constant fillings, ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import DTypeError, RankError, ShapeError
from eqsat.graph.batch_rules import longer_alloc
from eqsat.graph.constant import as_tensor, cast_to, pad_left, refuse_complex
from eqsat.graph.core import Apply, Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import FLOATS, INEXACT, check_dtype, promote
from eqsat.graph.ops.shape import FREE, length, scalar_integers
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.tensor_type import TensorType


def known_integer(v: Any) -> int | None:
    """Value of a 0-d integer variable that is a constant, else None."""
    return int(v.data) if isinstance(v, Constant) else None


# -------------------------------------------------------------------------------------------------- filling


def _alloc_type(op: Any, value: Any, *lengths: Any) -> TensorType:
    shape = [known_integer(n) for n in lengths]
    if value.type.ndim != len(shape):
        raise RankError(
            f"alloc: {len(shape)} lengths for a value of {value.type.ndim} dimensions",
            operands=[(str(value), value)],
        )
    if any(n is not None and n < 0 for n in shape):
        raise ShapeError(f"alloc: the shape {tuple(shape)} has a negative length")
    for axis, (have, want) in enumerate(zip(value.type.shape, shape, strict=True)):
        if have is not None and have != 1 and want is not None and have != want:
            raise ShapeError(
                f"alloc: axis {axis} of the value has length {have}, not {want}",
                operands=[(str(value), value)],
            )
    return TensorType(value.type.dtype, shape=shape)


MISFIT = "alloc: axis {axis} of the value has length {0}, not {1}"


def _alloc_check(node: Apply, values: Sequence[Any]) -> None:
    """Refuse to repeat an axis that is of length 1 without its type saying so."""
    static = node.inputs[0].type.shape  # type: ignore[attr-defined]
    for axis, (known, have, want) in enumerate(zip(static, values[0].shape, values[1:], strict=True)):
        if known != 1 and have != want and want >= 0:
            raise ShapeError(MISFIT.format(have, want, axis=axis))


def _alloc_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.reduce import sum_op

    value = inputs[0]
    axes = tuple(a for a, n in enumerate(value.type.shape) if n == 1 and out.type.shape[a] != 1)
    return [sum_op(dy, axes=axes) if axes else dy] + [None] * (len(inputs) - 1)


@structural(
    "view",
    name="alloc",
    linear="value",
    batch=longer_alloc,
    variadic=True,
    forms=(2, 3, 4, 5),
    elements=("value",),
    signature="x,()*->x?",
    infer=_alloc_type,
    shape=lambda op, value, *lengths: [n.value for n in lengths],
    sized_by=("lengths",),
    grad=_alloc_grad,
    builder="create.fill",
    check=_alloc_check,
    cost=FREE,
    uniform=lambda value, *lengths: value,
)
def alloc_op(value: Any, *lengths: Any) -> Any:
    """A value repeated to a shape; it has as many axes as there are lengths."""
    shape = tuple(int(n) for n in lengths)
    for axis, (have, want) in enumerate(zip(value.shape, shape, strict=True)):
        if want < 0:
            raise ShapeError(f"alloc: the length {want} is negative")
        if have not in (1, want):
            raise ShapeError(MISFIT.format(have, want, axis=axis))
    return np.broadcast_to(value, shape)


def alloc(value: Any, *shape: Any) -> Any:
    """Tensor of a shape filled with a value, which broadcasts.

    Shapes   value: f[n], alloc(value, m, n) -> f[m, n]
    Errors   ShapeError where a known length of the value does not fit

    >>> import eqsat.tensor as T
    >>> T.alloc([1, 2], 2, 2).eval()
    array([[1, 2],
           [1, 2]])
    """
    lengths = scalar_integers("alloc", _flat(shape))
    v = as_tensor(value)
    if v.ndim > len(lengths):
        raise RankError(
            f"alloc: {v} has {v.ndim} dimensions, the shape {len(lengths)}", operands=[(str(v), v)]
        )
    return alloc_op(pad_left(_before_alloc(v, lengths), len(lengths)), *lengths)


def _before_alloc(v: Any, lengths: Sequence[Any]) -> Any:
    """The value that is repeated to v, where it can be repeated to the lengths in one step; else v."""
    while v.owner is not None and getattr(v.owner.op, "name", "") == "alloc":
        inner, *have = v.owner.inputs
        wanted = lengths[len(lengths) - len(have) :]
        if not all(n is m or known_integer(n) in (1, known_integer(m) or 1) for n, m in zip(have, wanted)):
            break
        v = inner
    return v


def _flat(shape: Any) -> list[Any]:
    if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
        return list(shape[0])
    if len(shape) == 1 and getattr(shape[0], "ndim", 0) == 1:
        vector = as_tensor(shape[0])
        if vector.type.dtype in INEXACT or vector.type.dtype == "bool":
            raise DTypeError(
                f"alloc: {vector} is not a shape", operands=[(str(vector), vector)], needs="integers"
            )
        if vector.type.shape[0] is None:
            raise RankError(
                f"alloc: the length of {vector} is not known, so the result has no rank",
                operands=[(str(vector), vector)],
                hint="T.specify_shape(shape, (2,)) where it always has 2 lengths",
            )
        return [vector[i] for i in range(vector.type.shape[0])]
    return list(shape)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Tensor of zeros; the dtype is floatX unless given.

    Shapes   a tuple of n lengths -> an n-dimensional tensor
    Errors   DTypeError for a length that is not an integer

    >>> import eqsat.tensor as T
    >>> T.zeros((2, 3)).eval()
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    return alloc(np.zeros((), check_dtype(dtype or "floatX")), shape)


def ones(shape: Any, dtype: Any = None) -> Any:
    """Tensor of ones; the dtype is floatX unless given.

    Shapes   a tuple of n lengths -> an n-dimensional tensor
    Errors   DTypeError for a length that is not an integer

    >>> import eqsat.tensor as T
    >>> T.ones((2,), "int32").eval()
    array([1, 1], dtype=int32)
    """
    return alloc(np.ones((), check_dtype(dtype or "floatX")), shape)


def full_like(x: Any, value: Any) -> Any:
    """Tensor with the shape and static lengths of x, filled with a scalar in x's dtype or the scalar's own."""
    filled = alloc(value, *[length(x, a) for a in range(x.ndim)])
    return unbroadcast_like(filled, x)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros with the shape of x and its dtype unless another is given.

    Shapes   x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> T.zeros_like([1.5, 2.5]).eval()
    array([0., 0.])
    """
    x = as_tensor(x)
    return full_like(x, np.zeros((), check_dtype(dtype or x.type.dtype)))


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones with the shape of x and its dtype unless another is given.

    Shapes   x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> T.ones_like([1.5, 2.5], "int64").eval()
    array([1, 1])
    """
    x = as_tensor(x)
    return full_like(x, np.ones((), check_dtype(dtype or x.type.dtype)))


# --------------------------------------------------------------------------------------------------- ranges


ENDLESS = "arange: the length is not finite"
MOST = 2**60


def _arange_length(start: Any, stop: Any, step: Any) -> int:
    if step == 0:
        raise ShapeError("arange: the step is 0")
    if isinstance(start, int):
        return max(0, -((start - stop) // step))
    exact = np.ceil((stop - start) / step)
    if not np.isfinite(exact):
        raise ShapeError(ENDLESS)
    return max(0, int(exact))


def _arange_type(op: Any, start: Any, stop: Any, step: Any) -> TensorType:
    if all(isinstance(v, Constant) for v in (start, stop, step)):
        number = _arange_length(*(v.data.item() for v in (start, stop, step)))
        return TensorType(start.type.dtype, shape=(number,))
    return TensorType(start.type.dtype, shape=(None,))


@structural(
    "block",
    name="arange",
    sized_by=("start", "stop", "step"),
    infer=_arange_type,
    signature="(),(),()->(?)",
    dtypes="t,t,t->t",
    grad=lambda op, inputs, out, dy: [None, None, None],
    builder="create.arange",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out))),
)
def arange_op(start: Any, stop: Any, step: Any) -> Any:
    """start, start + step, ... up to but without stop."""
    number = _arange_length(start.item(), stop.item(), step.item())
    if number > MOST:  # of which NumPy makes an empty array
        raise MemoryError(f"arange: {number} elements")
    by = (start + step) - start
    return (start + np.arange(number).astype(start.dtype) * by).astype(start.dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Evenly spaced numbers, as numpy.arange; integers give int64 unless a dtype is asked for.

    Shapes   three scalars -> any[ceil((stop - start) / step)]
    Errors   ShapeError where the step is 0

    >>> import eqsat.tensor as T
    >>> T.arange(4).eval(), T.arange(5, 0, -2, dtype="float64").eval()
    (array([0, 1, 2, 3]), array([5., 3., 1.]))
    """
    if stop is None:
        start, stop = 0, start
    values = [as_tensor(v) for v in (start, stop, step)]
    for v in values:
        if v.ndim != 0:
            raise RankError(f"arange: {v} is not a scalar", operands=[(str(v), v)])
        refuse_complex("arange", v)
    kinds = [v.type.dtype for v in values]
    own = promote(*kinds) if any(k in FLOATS for k in kinds) else "int64"
    target = check_dtype(dtype) if dtype is not None else own
    work = promote(own, target) if target in FLOATS and own in FLOATS else own
    return cast_to(arange_op(*(cast_to(v, work) for v in values)), target)
