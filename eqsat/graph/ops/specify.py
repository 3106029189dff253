"""Ops that write lengths into a type, or forget them there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, PromisedShapeError, RankError, ShapeError
from eqsat.graph.batch_rules import any_length, shift_axes
from eqsat.graph.constant import as_tensor, holds_variable
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import structural
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.shape import FREE, length
from eqsat.graph.parameters import PATTERN
from eqsat.graph.tensor_type import TensorType


def specify(x: Any, lengths: Sequence[int | None]) -> Any:
    """x with lengths that are known to hold written into its type; checked when the function runs."""
    merged = tuple(a if a is not None else b for a, b in zip(x.type.shape, lengths, strict=True))
    return x if merged == x.type.shape else specify_op(x, lengths=merged)


def _specify_type(op: Any, x: Any) -> TensorType:
    lengths = op.params["lengths"]
    if len(lengths) != x.ndim:
        raise RankError(f"specify_shape: {lengths} gives {len(lengths)} lengths", operands=[(str(x), x)])
    for axis, (have, want) in enumerate(zip(x.type.shape, lengths, strict=True)):
        if have is not None and want is not None and have != want:
            raise ShapeError(
                f"specify_shape: axis {axis} has length {have}, not {want}", operands=[(str(x), x)]
            )
    return TensorType(
        x.type.dtype, shape=[h if w is None else w for h, w in zip(x.type.shape, lengths, strict=True)]
    )


@structural(
    "view",
    name="specify_shape",
    opaque=True,
    signature="x->x",
    linear="x",
    batch=any_length,
    parameters={"lengths": PATTERN},
    infer=_specify_type,
    put=lambda op, inputs, y: unbroadcast_like(y, inputs[0]),
    grad=lambda op, inputs, out, dy: [unbroadcast_like(dy, inputs[0])],
    builder="shape.specify",
    unmoved=True,
    in_rows=True,
    cost=FREE,
)
def specify_op(x: Any, *, lengths: tuple[int | None, ...]) -> Any:
    """x itself, after a check that its lengths are those given (None takes any)."""
    for axis, (have, want) in enumerate(zip(x.shape, lengths, strict=True)):
        if want is not None and have != want:
            raise PromisedShapeError(f"specify_shape: axis {axis} has length {have}, not {want}")
    return x


@structural(
    "view",
    name="forget_shape",
    opaque=True,
    signature="x->x",
    linear="x",
    batch=shift_axes,
    parameters={"axes": PATTERN},
    infer=lambda op, x: TensorType(
        x.type.dtype, shape=[None if a in op.params["axes"] else n for a, n in enumerate(x.type.shape)]
    ),
    put=lambda op, inputs, y: specify(y, inputs[0].type.shape),
    grad=lambda op, inputs, out, dy: [specify(dy, inputs[0].type.shape)],
    builder="shape.same",
    unmoved=True,
    in_rows=True,
    cost=FREE,
)
def forget_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """x with the lengths of some axes no longer known by type, so that they do not broadcast."""
    return x


def unbroadcast_like(x: Any, model: Any) -> Any:
    """x with lengths unknown where the model does not know them to be 1."""
    axes = tuple(a for a, n in enumerate(x.type.shape) if n == 1 and model.type.shape[a] != 1)
    return forget_op(x, axes=axes) if axes else x


def specify_shape(x: Any, shape: Any) -> Any:
    """x with lengths written into its type; a call with other lengths raises PromisedShapeError, a ShapeError and an AssertError.

    Lengths may be variables, or the shape a vector of known length: those that are not known are checked by a call alone,
    which raises AssertError.

    Shapes   x: any[a, b], specify_shape(x, (None, 3)) -> [a, 3]
    Errors   RankError for another number of lengths; ShapeError for a length that differs from a known one;
             ArgumentError for what is not a shape

    >>> import eqsat.tensor as T
    >>> T.specify_shape(T.dmatrix("x"), (None, 3)).type
    <TensorType(float64, (?, 3))>
    """
    x = as_tensor(x)
    if isinstance(shape, Variable) or (isinstance(shape, (list, tuple)) and holds_variable(shape)):
        return _specify_variables(x, shape)
    if not isinstance(shape, (list, tuple)) or not all(_is_length(n) for n in shape):
        raise ArgumentError(
            f"specify_shape: {shape!r} is not a shape",
            operands=[(str(x), x)],
            needs="a tuple of lengths and None",
            hint="T.specify_shape(x, (None, 3))",
        )
    return specify_op(x, lengths=tuple(None if n is None else int(n) for n in shape))


def _specify_variables(x: Any, shape: Any) -> Any:
    """x with the lengths that are known in its type, after a check of the others."""
    from eqsat.graph.ops.assertion import Assert
    from eqsat.graph.ops.elemwise import eq

    if isinstance(shape, Variable):
        vector: Any = shape
        count = vector.type.shape[0] if vector.type.ndim == 1 else None
        made = vector.owner is not None and str(vector.owner.op) == "make_vector"
        entries = list(vector.owner.inputs) if made else [vector[k] for k in range(count or 0)]
    else:
        entries = list(shape)
    if len(entries) != x.ndim:
        raise RankError(f"specify_shape: {shape} gives {len(entries)} lengths", operands=[(str(x), x)])
    values = [n if n is None else as_tensor(n) for n in entries]
    known = [int(n.data) if isinstance(n, Constant) else None for n in values]
    open_ = [(a, n) for a, n in enumerate(values) if n is not None and known[a] is None]
    x = specify(x, known)
    check = Assert("specify_shape: the lengths are not those given")
    return check(x, *(eq(length(x, a), n) for a, n in open_)) if open_ else x


def _is_length(n: Any) -> bool:
    return n is None or (isinstance(n, (int, np.integer)) and not isinstance(n, bool) and int(n) >= 0)


def addbroadcast(x: Any, *axes: int) -> Any:
    """x with axes that broadcast; a call in which one of them is not of length 1 raises ShapeError.

    Shapes   x: any[a, b], addbroadcast(x, 0) -> [1, b]
    Errors   AxisError; ShapeError for an axis whose length is known and not 1

    >>> import eqsat.tensor as T
    >>> T.addbroadcast(T.dmatrix("x"), 0).type
    <TensorType(float64, (1, ?))>
    """
    x = as_tensor(x)
    ones = {normal_axis("addbroadcast", a, x.ndim, x) for a in axes}
    lengths = [1 if a in ones else n for a, n in enumerate(x.type.shape)]
    return x if lengths == list(x.type.shape) else specify_op(x, lengths=tuple(lengths))


def unbroadcast(x: Any, *axes: int) -> Any:
    """x with axes that no longer broadcast although their length is 1.

    Shapes   x: any[1, b], unbroadcast(x, 0) -> [?, b]
    Errors   AxisError

    >>> import eqsat.tensor as T
    >>> T.unbroadcast(T.drow("x"), 0).type
    <TensorType(float64, (?, ?))>
    """
    x = as_tensor(x)
    kept = tuple(sorted({normal_axis("unbroadcast", a, x.ndim, x) for a in axes}))
    return forget_op(x, axes=kept) if kept else x
