"""Ops that move or rename axes and read lengths; none of them touches an element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, DTypeError, RankError, ShapeError
from eqsat.graph.batch_rules import any_length, columns, longer_shape, next_length, shift_axes, shift_pattern
from eqsat.graph.constant import as_tensor, cast_to, constant, holds_variable
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.parameters import INTEGER, PATTERN
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


def _dimshuffle_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (x,) = inputs
    pattern = op.params["pattern"]
    back = tuple(pattern.index(a) if a in pattern else "x" for a in range(x.type.ndim))
    return [dimshuffle_op(dy, pattern=back)]


@structural(
    "view",
    name="dimshuffle",
    linear="x",
    batch=shift_pattern,
    parameters={"pattern": PATTERN},
    infer=_dimshuffle_type,
    shape=lambda op, x: [1 if p == "x" else x[p] for p in op.params["pattern"]],
    grad=_dimshuffle_grad,
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
    parameters={"axis": INTEGER},
    grad=lambda op, inputs, out, dy: [None],
    builder="shape.length",
    cost=FREE,
    image=(0.0, float("inf")),
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


# --------------------------------------------------------------------------------------------------- reshape


def known_integers(vector: Any) -> list[int | None]:
    """Elements of an int64 vector that are known when the graph is built."""
    if isinstance(vector, Constant):
        return [int(v) for v in vector.data]
    count = vector.type.shape[0]
    if vector.owner is not None and str(vector.owner.op) == "make_vector":
        return [int(v.data) if isinstance(v, Constant) else None for v in vector.owner.inputs]
    return [None] * (count or 0)


def _reshape_type(op: Any, x: Any, shape: Any) -> TensorType:
    ndim = op.params["ndim"]
    if shape.type.ndim != 1 or shape.type.dtype != "int64":
        raise ShapeError("reshape: the new shape is not an int64 vector", operands=[("shape", shape)])
    if shape.type.shape[0] not in (None, ndim):
        raise RankError(
            f"reshape: the new shape has {shape.type.shape[0]} lengths, ndim is {ndim}",
            operands=[(str(x), x), ("shape", shape)],
        )
    wanted: list[int | None] = known_integers(shape) or [None] * ndim
    if wanted.count(-1) > 1 or any(n is not None and n < -1 for n in wanted):
        raise ShapeError(
            f"reshape: {_tuple_text(wanted)} is not a shape",
            operands=[(str(x), x)],
            needs="lengths of 0 or more, of which one may be -1",
        )
    known = [None if n is None or n < 0 else n for n in wanted]
    have = x.type.shape
    if None not in have:
        total = int(np.prod(have))
        rest = [n for n in known if n is not None]
        if wanted.count(-1) == 1 and len(rest) == ndim - 1 and int(np.prod(rest)):
            known[wanted.index(-1)] = total // int(np.prod(rest))
        if None not in known and int(np.prod([n for n in known if n is not None])) != total:
            raise ShapeError(
                f"reshape: {total} elements do not fit the shape {_tuple_text(wanted)}",
                operands=[(str(x), x)],
            )
    return TensorType(x.type.dtype, shape=known)


def _tuple_text(lengths: Sequence[int | None]) -> str:
    return (
        "("
        + ", ".join("?" if n is None else str(n) for n in lengths)
        + ("," if len(lengths) == 1 else "")
        + ")"
    )


@structural(
    "view",
    name="reshape",
    linear="x",
    batch=longer_shape,
    parameters={"ndim": INTEGER},
    type_text=("dtype_x", "ndim", "0"),
    infer=_reshape_type,
    sized_by=("shape",),
    grad=lambda op, inputs, out, dy: [reshape_like(dy, inputs[0]), None],
    builder="shape.reshape",
    contiguous=True,
    cost=FREE,
    real="x.reshape([int(n) for n in shape])",
)
def reshape_op(x: Any, shape: Any, *, ndim: int) -> Any:
    """Elements in row-major order under another shape; one length may be -1."""
    if len(shape) != ndim:
        raise ShapeError(f"reshape: the new shape has {len(shape)} lengths, ndim is {ndim}")
    try:
        return np.reshape(x, tuple(int(n) for n in shape))
    except ValueError:
        raise ShapeError(f"reshape: {np.size(x)} elements do not fit the new shape") from None


def reshape_like(x: Any, model: Any) -> Any:
    """Tensor with the elements of x and the shape of a model that has as many."""
    return specify(reshape_op(x, shape(model), ndim=model.type.ndim), model.type.shape)


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
    grad=lambda op, inputs, out, dy: [unbroadcast_like(dy, inputs[0])],
    builder="shape.specify",
    unmoved=True,
    cost=FREE,
)
def specify_op(x: Any, *, lengths: tuple[int | None, ...]) -> Any:
    """x itself, after a check that its lengths are those given (None takes any)."""
    for axis, (have, want) in enumerate(zip(x.shape, lengths, strict=True)):
        if want is not None and have != want:
            raise ShapeError(f"specify_shape: axis {axis} has length {have}, not {want}")
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
    grad=lambda op, inputs, out, dy: [specify(dy, inputs[0].type.shape)],
    builder="shape.same",
    unmoved=True,
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
    """x with lengths written into its type; a call with other lengths raises ShapeError.

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


def reshape(x: Any, newshape: Any, ndim: int | None = None) -> Any:
    """Tensor with the same elements in row-major order under a new shape; one length may be -1.

    Shapes   x: f[a, b] with a*b == c*d, reshape(x, (c, d)) -> f[c, d]
    Errors   ShapeError where the number of elements differs; ArgumentError for a symbolic vector without ndim

    >>> import eqsat.tensor as T
    >>> T.reshape([1, 2, 3, 4], (2, -1)).eval()
    array([[1, 2],
           [3, 4]])
    """
    x = as_tensor(x)
    if isinstance(newshape, (int, np.integer)):
        newshape = (newshape,)
    if isinstance(newshape, (list, tuple)):
        vector = make_vector(scalar_integers("reshape", newshape))
        ndim = len(newshape) if ndim is None else ndim
    else:
        vector = as_tensor(newshape)
        if vector.ndim > 1 or vector.type.dtype in INEXACT or vector.type.dtype == "bool":
            raise DTypeError(
                f"reshape: {vector} is not a shape",
                operands=[(str(x), x), ("shape", vector)],
                needs="a tuple of integers, or an integer vector",
            )
        vector = make_vector([vector]) if vector.ndim == 0 else cast_to(vector, "int64")
        if ndim is None:
            ndim = vector.type.shape[0]
    if ndim is None:
        raise ArgumentError(
            "reshape: the number of dimensions is not known from a symbolic shape",
            operands=[(str(vector), vector)],
            hint="x.reshape(shape, ndim=2)",
        )
    if ndim == x.ndim == 1 and known_integers(vector) == [-1]:
        return x
    return reshape_op(x, vector, ndim=ndim)


def flatten(x: Any, ndim: int = 1, outdim: int | None = None) -> Any:
    """Tensor with all axes from ``ndim - 1`` on joined into one; ``outdim`` is the same.

    Shapes   x: f[2, 3, 4], flatten(x, 2) -> f[2, 12]
    Errors   AxisError where x has fewer dimensions than ``ndim``

    >>> import eqsat.tensor as T
    >>> T.flatten([[1, 2], [3, 4]]).eval()
    array([1, 2, 3, 4])
    """
    ndim = ndim if outdim is None else outdim
    x = as_tensor(x)
    if ndim < 1 or ndim > max(x.ndim, 1):
        raise AxisError(f"flatten: {x} has {x.ndim} dimensions, not {ndim} or more", operands=[(str(x), x)])
    if ndim == 1:
        return reshape(x, [-1])
    lengths = [length(x, a) for a in range(x.ndim)]
    return reshape(x, [*lengths[: ndim - 1], _product(lengths[ndim - 1 :])])


def _product(lengths: Sequence[Any]) -> Any:
    """Product of 0-d int64 lengths; a constant where all are known."""
    from eqsat.graph.ops.elemwise import mul

    if all(isinstance(n, Constant) for n in lengths):
        return constant(int(np.prod([n.data for n in lengths])), dtype="int64")
    total = lengths[0]
    for n in lengths[1:]:
        total = mul(total, n)
    return total
