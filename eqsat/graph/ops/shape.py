"""Ops that move or rename axes and read lengths; none of them touches an element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import AxisError, DTypeError, RankError, ShapeError
from eqsat.graph.batch_rules import columns, next_length, shift_pattern
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.parameters import AXIS, PATTERN
from eqsat.graph.shapes import length_of, source
from eqsat.graph.tensor_type import TensorType, tensor_type
from eqsat.lengths.expression import Place, evaluate

FREE = Cost(flops=0, bytes=0, calls=0)


# ---------------------------------------------------------------------------------------------- dimshuffle


def _dimshuffle_type(op: Any, x: Any) -> TensorType:
    pattern = op.params["pattern"]
    kept = [p for p in pattern if p != "x"]
    for axis in kept:
        if not isinstance(axis, int) or not 0 <= axis < x.ndim:
            raise AxisError(
                f"dimshuffle: {axis!r} is not an axis of {x}",
                operands=[(str(x), x)],
                needs=f"0 to {x.ndim - 1}, or 'x' for a new axis" if x.ndim else "'x' for a new axis",
            )
    if len(set(kept)) != len(kept):
        raise AxisError(f"dimshuffle: {pattern} names an axis twice", operands=[(str(x), x)])
    for axis, length in enumerate(x.type.shape):
        if axis not in kept and length != 1:
            raise ShapeError(
                f"dimshuffle: axis {axis} is dropped but its length is {'unknown' if length is None else length}",
                operands=[(str(x), x)],
                needs="length 1 in the type of a dropped axis",
                hint=f"x.sum({axis}) or T.addbroadcast(x, {axis})",
            )
    return TensorType(x.type.dtype, shape=[1 if p == "x" else x.type.shape[p] for p in pattern])


def is_ascending(axes: Sequence[int]) -> bool:
    """True where axes keep their order.

    >>> is_ascending([0, 2]), is_ascending([1, 0])
    (True, False)
    """
    return list(axes) == sorted(axes)


def _back(op: Any, inputs: Any, y: Any) -> Any:
    """y with the axes where the operand has them."""
    pattern = op.params["pattern"]
    return dimshuffle(y, *(pattern.index(a) if a in pattern else "x" for a in range(inputs[0].type.ndim)))


@structural(
    "view",
    name="dimshuffle",
    linear="x",
    batch=shift_pattern,
    parameters={"pattern": PATTERN},
    infer=_dimshuffle_type,
    shape=lambda op, x: [1 if p == "x" else x[p] for p in op.params["pattern"]],
    in_rows=lambda op: is_ascending([p for p in op.params["pattern"] if p != "x"]),
    put=_back,
    grad=lambda op, inputs, out, dy: [_back(op, inputs, dy)],
    builder="shape.dimshuffle",
    cost=FREE,
)
def dimshuffle_op(x: Any, *, pattern: tuple[Any, ...]) -> Any:
    """Axes permuted, length-1 axes dropped, and new length-1 axes where the pattern has ``'x'``."""
    kept = [p for p in pattern if p != "x"]
    dropped = tuple(a for a in range(x.ndim) if a not in kept)
    squeezed = np.squeeze(x, dropped) if dropped else x
    order = sorted(kept)
    moved = np.transpose(squeezed, [order.index(a) for a in kept])
    return moved[tuple(None if p == "x" else slice(None) for p in pattern)]


def dimshuffle(x: Any, *pattern: Any) -> Any:
    """Tensor with its axes in another order; ``'x'`` makes a new axis of length 1.

    Shapes   x: f[a, b], dimshuffle(x, 1, 'x', 0) -> f[b, 1, a]
    Errors   AxisError for an axis that x has not; ShapeError where a dropped axis may be longer than 1

    >>> import eqsat.tensor as T
    >>> T.dimshuffle([[1, 2, 3], [4, 5, 6]], 1, "x", 0).type
    <TensorType(int64, (3, 1, 2))>
    """
    x = as_tensor(x)
    if len(pattern) == 1 and isinstance(pattern[0], (list, tuple)):
        pattern = tuple(pattern[0])
    pattern = tuple(int(p) if isinstance(p, np.integer) else p for p in pattern)
    pattern = tuple(p + x.ndim if isinstance(p, int) and -x.ndim <= p < 0 else p for p in pattern)
    if pattern == tuple(range(x.ndim)):
        return x
    return dimshuffle_op(x, pattern=pattern)


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Tensor with its axes reversed, or in the given order.

    Shapes   x: f[a, b, c] -> f[c, b, a]
    Errors   AxisError where the axes are not those of x

    >>> import eqsat.tensor as T
    >>> T.transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor(x)
    order = tuple(range(x.ndim))[::-1] if axes is None else tuple(axes)
    if len(order) != x.ndim:
        raise AxisError(f"transpose: {order} does not order the {x.ndim} axes of {x}", operands=[(str(x), x)])
    return dimshuffle(x, *order)


def shape_padleft(x: Any, n_ones: int = 1) -> Any:
    """Tensor with ``n_ones`` new axes of length 1 on the left.

    Shapes   x: any[a, b], shape_padleft(x, 2) -> [1, 1, a, b]

    >>> import eqsat.tensor as T
    >>> T.shape_padleft([1, 2]).eval()
    array([[1, 2]])
    """
    x = as_tensor(x)
    return dimshuffle(x, *("x",) * n_ones, *range(x.ndim))


def shape_padright(x: Any, n_ones: int = 1) -> Any:
    """Tensor with ``n_ones`` new axes of length 1 on the right.

    Shapes   x: any[a, b], shape_padright(x, 2) -> [a, b, 1, 1]

    >>> import eqsat.tensor as T
    >>> T.shape_padright([1, 2]).eval()
    array([[1],
           [2]])
    """
    x = as_tensor(x)
    return dimshuffle(x, *range(x.ndim), *("x",) * n_ones)


# --------------------------------------------------------------------------------------------------- lengths


@structural(
    "block",
    name="length",
    signature="x->()",
    dtypes="a->int64",
    batch=next_length,
    parameters={"axis": AXIS},
    grad=lambda op, inputs, out, dy: [None],
    builder="shape.length",
    cost=FREE,
    image=(0.0, 2.0**48),  # no array is longer
)
def length_op(x: Any, *, axis: int) -> Any:
    """Length of one axis, as a 0-d int64."""
    return np.asarray(x.shape[axis], np.int64)


def length(x: Any, axis: int) -> Any:
    """Length of an axis as a 0-d int64: a constant where the type knows it.

    It is read from the operand from which the signature of an op takes it, so that asking for a length seldom makes an
    intermediate result necessary.
    """
    found = source(x, axis)
    if isinstance(found, tuple):
        return length_op(found[0], axis=found[1])
    return constant(found, dtype="int64") if isinstance(found, int) else found


class _Variables:
    """Lengths as variables of a graph."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.inputs = inputs

    def known(self, n: int) -> Any:
        return constant(n, dtype="int64")

    def unknown(self) -> Any:
        raise AssertionError("a length that only values tell is none of the operands'")

    def at(self, places: Sequence[Place]) -> Any:
        (k, axis), *_ = places
        return length(self.inputs[k], axis)

    def value(self, operand: int) -> Any:
        return self.inputs[operand]

    def combine(self, op: str, a: Any, b: Any) -> Any:
        from eqsat.graph.ops import elemwise

        names = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "min": "minimum", "max": "maximum"}
        return getattr(elemwise, names[op])(a, b)


def length_beside(x: Any, axis: int) -> Any:
    """The length of an axis of a result from those of its operands, as a variable; None where the op does not say it."""
    found = length_of(x, axis)
    return None if found is None else evaluate(found, _Variables(x.owner.inputs))


def shape(x: Any) -> Any:
    """Lengths of all axes as an int64 vector.

    Shapes   x: any[n0, n1, ...] -> i64[ndim]

    >>> import eqsat.tensor as T
    >>> T.shape([[1, 2, 3], [4, 5, 6]]).eval()
    array([2, 3])
    """
    x = as_tensor(x)
    return make_vector([length(x, axis) for axis in range(x.ndim)])


@structural(
    "block",
    name="make_vector",
    linear="values",
    batch=columns,
    variadic=True,
    forms=(1, 2, 3, 4),
    elements=("values",),
    pieces=lambda op, count: count,
    type_text=("dtype_values0", "1", "0"),
    infer=lambda op, *xs: tensor_type(xs[0].type.dtype if xs else "int64", (len(xs),)),
    shape=lambda op, *xs: [len(xs)],
    grad=lambda op, inputs, out, dy: [dy[i] for i in range(len(inputs))],
    builder="shape.make_vector",
    cost=FREE,
)
def make_vector_op(*values: Any) -> Any:
    """Vector of 0-d tensors of one dtype."""
    return np.array(values) if values else np.zeros(0, np.int64)


def scalar_integers(name: str, values: Sequence[Any]) -> list[Any]:
    """0-d int64 variables of lengths or indices; raises DTypeError for floats, RankError for tensors."""
    result = []
    for value in values:
        v = as_tensor(value)
        if v.type.ndim != 0:
            raise RankError(f"{name}: {v} is not a scalar", operands=[(str(v), v)])
        if v.type.dtype in INEXACT or v.type.dtype == "bool":
            raise DTypeError(f"{name}: {v} is not an integer", operands=[(str(v), v)])
        result.append(cast_to(v, "int64"))
    return result


def make_vector(scalars: Sequence[Any], dtype: str = "int64") -> Any:
    """Vector of scalars in a dtype; a constant where all of them are constants."""
    values = [cast_to(as_tensor(v), dtype) for v in scalars]
    if all(isinstance(v, Constant) for v in values):
        return constant(np.array([v.data for v in values], dtype))
    return make_vector_op(*values)


def known_integers(vector: Any) -> list[int | None]:
    """Elements of an int64 vector that are known when the graph is built."""
    if isinstance(vector, Constant):
        return [int(v) for v in vector.data]
    count = vector.type.shape[0]
    if vector.owner is not None and str(vector.owner.op) == "make_vector":
        return [int(v.data) if isinstance(v, Constant) else None for v in vector.owner.inputs]
    return [None] * (count or 0)
