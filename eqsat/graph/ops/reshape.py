"""The same elements in row-major order under another shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, DTypeError, RankError, ShapeError
from eqsat.graph.batch_rules import longer_shape
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Constant
from eqsat.graph.declare import structural
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops.shape import FREE, known_integers, length, make_vector, scalar_integers, shape
from eqsat.graph.ops.specify import specify
from eqsat.graph.parameters import INTEGER
from eqsat.graph.tensor_type import TensorType


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
    in_rows=True,
    put=lambda op, inputs, y: reshape_like(y, inputs[0]),
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
