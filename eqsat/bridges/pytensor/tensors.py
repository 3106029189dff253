"""The ops of PyTensor as functions of eqsat."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytensor.tensor.basic import get_underlying_scalar_constant_value
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.subtensor import indices_from_subtensor

import eqsat.tensor as T
from eqsat import errors
from eqsat.bridges.pytensor.scalars import scalar_function
from eqsat.bridges.translate import Refused, Table
from eqsat.errors import AssertError, EqsatError
from eqsat.graph.core import Constant
from eqsat.graph.tensor_type import TensorType

TABLE = Table()


def same(*names: str) -> None:
    """Ops whose result is their operand."""
    TABLE.on(*names)(lambda t, op, node, x: x)


def known_number(v: Any) -> int:
    """The number that a variable of PyTensor is known to be, as an axis."""
    try:
        return int(get_underlying_scalar_constant_value(v))
    except NotScalarConstantError:
        raise Refused("an axis that is known at run time alone") from None


def plain(function: Any, *names: str) -> None:
    """Ops without parameters that are a function of their operands."""
    TABLE.on(*names)(lambda t, op, node, *operands: function(*operands))


same(
    "TensorFromScalar",
    "ScalarFromTensor",
    "DeepCopyOp",
    "TypeCastingOp",
    "ViewOp",
    "OutputGuard",
    "Rebroadcast",
    "CpuContiguous",
)
plain(T.dot, "Dot")
plain(T.batched_dot, "BatchedDot")
plain(lambda axis, *tensors: T.join(axis, *tensors), "Join")
plain(T.alloc, "Alloc")
plain(lambda x: list(T.nonzero(x)), "Nonzero")
plain(lambda x: T.shape(x) if x.ndim else T.zeros((0,), dtype="int64"), "Shape")
plain(lambda x, i: x[i], "AdvancedSubtensor1")


# ------------------------------------------------------------------------------------------------------- elements


@TABLE.on("Elemwise", "ScalarOp")
def elementwise(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """Sums, differences and products are computed in the dtype of the result, as PyTensor does."""
    scalar = getattr(op, "scalar_op", op)
    if type(scalar).__name__ in ("Add", "Mul", "Sub"):
        operands = tuple(T.cast(x, node.outputs[0].type.dtype) for x in operands)
    return scalar_function(t, scalar)(*operands)


@TABLE.on("DimShuffle")
def dimshuffle(t: Any, op: Any, node: Any, x: Any) -> Any:
    """An axis that is dropped has the length 1, whatever its type knows."""
    dropped = [a not in op.new_order and n is None for a, n in enumerate(x.type.shape)]
    if any(dropped):
        x = T.specify_shape(x, [1 if d else None for d in dropped])
    return x.dimshuffle(*op.new_order)


@TABLE.on("CheckAndRaise")
def check(t: Any, op: Any, node: Any, x: Any, *conditions: Any) -> Any:
    """A check of PyMC's parameters, where it may be, is -inf in place of an error."""
    if getattr(op, "can_be_replaced_by_ninf", False):
        for c in conditions:
            x = T.switch(T.all(c) if c.ndim else c, x, np.asarray(-np.inf, x.dtype))
        return x
    return T.Assert(op.msg or "an assertion fails", _error_like(op.exc_type))(x, *conditions)


def _error_like(kind: type[BaseException]) -> type[EqsatError]:
    """A class of eqsat's errors that is also of a class, or of the nearest one above it that has any."""
    ours: list[type[EqsatError]] = [
        AssertError,
        *(c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, EqsatError)),
    ]
    return next(c for above in kind.__mro__ for c in ours if issubclass(c, above))


# ----------------------------------------------------------------------------------------------------- reductions


@TABLE.on("Sum")
def total(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.sum(x, axis=op.axis, dtype=op.dtype, acc_dtype=op.acc_dtype)


@TABLE.on("Prod")
def product(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.prod(x, axis=op.axis, dtype=op.dtype, acc_dtype=op.acc_dtype)


@TABLE.on("ProdWithoutZeros")
def product_without_zeros(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.prod_without_zeros(x, axis=op.axis)


def _extreme(name: str) -> None:
    @TABLE.on(name)
    def extreme(t: Any, op: Any, node: Any, x: Any) -> Any:
        initial = getattr(op, "initial", None)
        initial = op.initial_value(x.type.dtype) if initial not in (None, False) else None
        return getattr(T, name.lower())(x, axis=op.axis, initial=initial)


_extreme("Max")
_extreme("Min")
TABLE.on("All")(lambda t, op, node, x: T.all(x, axis=op.axis))
TABLE.on("Any")(lambda t, op, node, x: T.any(x, axis=op.axis))


@TABLE.on("Argmax")
def argmax(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Over several axes, those of the result behind which the others are flattened."""
    axes = tuple(range(x.ndim)) if op.axis is None else tuple(op.axis)
    if len(axes) == 1:
        return T.argmax(x, axis=axes[0])
    rest = [a for a in range(x.ndim) if a not in axes]
    flat = T.reshape(x.dimshuffle(*rest, *axes), [*(x.shape[a] for a in rest), -1], ndim=len(rest) + 1)
    return T.argmax(flat, axis=len(rest))


REDUCTIONS: dict[str, Any] = {
    "Add": T.sum,
    "Mul": T.prod,
    "ScalarMaximum": T.max,
    "ScalarMinimum": T.min,
    "AND": T.all,
    "OR": T.any,
}


@TABLE.on("CAReduce")
def reduction(t: Any, op: Any, node: Any, x: Any) -> Any:
    function = REDUCTIONS.get(type(op.scalar_op).__name__)
    if function is None or (function in (T.all, T.any) and x.type.dtype != "bool"):
        raise Refused(f"a reduction by {op.scalar_op}")
    return function(x, axis=op.axis)


@TABLE.on("CumOp")
def running(t: Any, op: Any, node: Any, x: Any) -> Any:
    return (T.cumsum if op.mode == "add" else T.cumprod)(x, axis=op.axis)


@TABLE.on("Softmax", "LogSoftmax")
def softmax(t: Any, op: Any, node: Any, x: Any) -> Any:
    function = T.softmax if type(op).__name__ == "Softmax" else T.log_softmax
    return function(x, axis=op.axis)


@TABLE.on("SoftmaxGrad")
def softmax_gradient(t: Any, op: Any, node: Any, dy: Any, y: Any) -> Any:
    given = dy * y
    return given - y * T.sum(given, axis=op.axis, keepdims=True)


# ------------------------------------------------------------------------------------------------ parts and shapes


@TABLE.on("Subtensor", "AdvancedSubtensor")
def part(t: Any, op: Any, node: Any, x: Any, *indices: Any) -> Any:
    return x[_index(op, indices)]


@TABLE.on("IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1")
def write(t: Any, op: Any, node: Any, x: Any, y: Any, *indices: Any) -> Any:
    if getattr(op, "ignore_duplicates", False):
        raise Refused("it writes an index that occurs twice once")
    target = x[_index(op, indices)]
    y = y if y.type.dtype == x.type.dtype else T.cast(y, x.type.dtype)
    return T.set_subtensor(target, y) if op.set_instead_of_inc else T.inc_subtensor(target, y)


def _index(op: Any, given: Any) -> Any:
    """The index between the brackets."""
    entries = getattr(op, "idx_list", None)
    return tuple(map(_held, given if entries is None else indices_from_subtensor(list(given), entries)))


def _held(entry: Any) -> Any:
    """A constant that is no number, as None and a slice of numbers are, as what it holds."""
    return entry.data if isinstance(entry, Constant) and not isinstance(entry.type, TensorType) else entry


@TABLE.on("MakeSlice")
def as_slice(t: Any, op: Any, node: Any, *bounds: Any) -> Any:
    return slice(*map(_held, bounds))


@TABLE.on("Split")
def split(t: Any, op: Any, node: Any, x: Any, *given: Any) -> Any:
    sizes, axis = (given[0], op.axis) if len(given) == 1 else (given[1], known_number(node.inputs[1]))
    return T.split(x, sizes, n_splits=op.len_splits, axis=axis)


@TABLE.on("MakeVector")
def vector(t: Any, op: Any, node: Any, *items: Any) -> Any:
    return T.stack([T.cast(v, op.dtype) for v in items]) if items else T.zeros((0,), dtype=op.dtype)


@TABLE.on("Reshape")
def reshape(t: Any, op: Any, node: Any, x: Any, shape: Any) -> Any:
    return T.reshape(x, shape if op.ndim else (), ndim=op.ndim)


@TABLE.on("JoinDims")
def join_axes(t: Any, op: Any, node: Any, x: Any) -> Any:
    lengths = [x.shape[a] for a in range(x.ndim)]
    first, last = op.start_axis, op.start_axis + op.n_axes
    middle = T.prod(T.stack(lengths[first:last])) if last > first else 1
    return T.reshape(x, [*lengths[:first], middle, *lengths[last:]], ndim=x.ndim - op.n_axes + 1)


@TABLE.on("SplitDims")
def split_axis(t: Any, op: Any, node: Any, x: Any, shape: Any) -> Any:
    ndim = node.outputs[0].type.ndim
    lengths = [x.shape[a] for a in range(x.ndim)]
    new = [shape[k] for k in range(ndim - x.ndim + 1)]
    return T.reshape(x, [*lengths[: op.axis], *new, *lengths[op.axis + 1 :]], ndim=ndim)


@TABLE.on("Shape_i")
def length(t: Any, op: Any, node: Any, x: Any) -> Any:
    return x.shape[op.i]


@TABLE.on("SpecifyShape")
def specify_shape(t: Any, op: Any, node: Any, x: Any, *shape: Any) -> Any:
    known = [
        None if t.reader.type_of(v) is None else ours for v, ours in zip(node.inputs[1:], shape, strict=True)
    ]
    return T.specify_shape(x, known)


@TABLE.on("AllocEmpty")
def empty(t: Any, op: Any, node: Any, *shape: Any) -> Any:
    return T.zeros(shape, dtype=op.dtype)


@TABLE.on("ARange")
def arange(t: Any, op: Any, node: Any, start: Any, stop: Any, step: Any) -> Any:
    return T.arange(start, stop, step, dtype=op.dtype)


@TABLE.on("Eye")
def eye(t: Any, op: Any, node: Any, n: Any, m: Any, k: Any) -> Any:
    return T.eye(n, m, k, dtype=op.dtype)


@TABLE.on("ExtractDiag")
def diagonal(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.diagonal(x, op.offset, op.axis1, op.axis2)


@TABLE.on("AllocDiag")
def as_diagonal(t: Any, op: Any, node: Any, x: Any) -> Any:
    """The main diagonal of a matrix by name; another one by the graph that the op holds."""
    if op.offset or (op.axis1, op.axis2) != (0, 1) or x.ndim != 1:
        return t.graph(op.fgraph.toposort(), op.fgraph.inputs, op.fgraph.outputs, [x])
    return T.diag(x)


plain(T.fill_diagonal, "FillDiagonal")
plain(T.fill_diagonal_offset, "FillDiagonalOffset")
plain(T.bartlett, "Bartlett")
TABLE.on("Choose")(lambda t, op, node, a, choices: T.choose(a, choices, mode=op.mode))


@TABLE.on("PermuteRowElements")
def permute_rows(t: Any, op: Any, node: Any, x: Any, y: Any, *inverse: Any) -> Any:
    """Older versions give an operand that says whether it is the inverse."""
    return T.permute_row_elements(x, y, bool(known_number(node.inputs[2]) if inverse else op.inverse))


@TABLE.on("UnravelIndex")
def unravel_index(t: Any, op: Any, node: Any, indices: Any, dims: Any) -> Any:
    return list(T.unravel_index(indices, [dims[k] for k in range(len(node.outputs))], order=op.order))


@TABLE.on("RavelMultiIndex")
def ravel_multi_index(t: Any, op: Any, node: Any, *given: Any) -> Any:
    *indices, dims = given
    lengths = [dims[k] for k in range(len(indices))]
    return T.ravel_multi_index(indices, lengths, mode=op.mode, order=op.order)


@TABLE.on("Unique")
def unique(t: Any, op: Any, node: Any, x: Any) -> Any:
    found = T.unique(x, op.return_index, op.return_inverse, op.return_counts, axis=getattr(op, "axis", None))
    return list(found) if isinstance(found, (list, tuple)) else found


@TABLE.on("Convolve1d")
def convolve(t: Any, op: Any, node: Any, a: Any, b: Any, *full: Any) -> Any:
    """In full, or where both overlap entirely; an operand says which."""
    if not full:
        return T.convolve(a, b, mode=op.mode)
    known = T.get_scalar_constant_value(full[0])
    return T.convolve(a, b, mode="full" if bool(known) else "valid")


@TABLE.on("Fourier")
def fourier(t: Any, op: Any, node: Any, x: Any, n: Any, axis: Any) -> Any:
    return T.fft.fft(x, n, known_number(node.inputs[2]))


@TABLE.on("RFFTOp")
def fourier_of_reals(t: Any, op: Any, node: Any, x: Any, lengths: Any) -> Any:
    """Real and imaginary parts lie along an axis of their own; the first axis is that of a batch."""
    found = T.fft.rfftn(x, [lengths[k] for k in range(x.ndim - 1)], range(1, x.ndim))
    return T.stack([T.real(found), T.imag(found)], axis=-1)


@TABLE.on("IRFFTOp")
def fourier_to_reals(t: Any, op: Any, node: Any, x: Any, lengths: Any) -> Any:
    """The inverse without its factor."""
    axes = range(1, x.ndim - 1)
    found = T.fft.irfftn(T.complex(x[..., 0], x[..., 1]), [lengths[a - 1] for a in axes], axes)
    return found * T.cast(T.prod(lengths), found.dtype)


@TABLE.on("SplineWrapper")
def spline(t: Any, op: Any, node: Any, x: Any) -> Any:
    """A spline of SciPy as the polynomials that it is made of; beyond its ends it goes on, is 0, or stays."""
    from scipy.interpolate import PPoly

    beyond = getattr(op.spline, "ext", 0)
    if beyond not in (0, 1, 3):
        raise Refused("a spline that raises an error beyond its ends")
    pieces = PPoly.from_spline(op.spline._eval_args)
    degree = pieces.c.shape[0] - 1
    breaks, factors = (
        pieces.x[degree : len(pieces.x) - degree],
        pieces.c[:, degree : pieces.c.shape[1] - degree],
    )
    inside = T.clip(x, breaks[0], breaks[-1]) if beyond == 3 else x
    place = T.clip(T.searchsorted(T.constant(breaks), inside, "right") - 1, 0, len(breaks) - 2)
    distance, found = inside - T.constant(breaks)[place], T.constant(factors[0])[place]
    for row in factors[1:]:
        found = found * distance + T.constant(row)[place]
    outside = T.or_(x < breaks[0], x > breaks[-1])
    return T.switch(outside, 0.0, found) if beyond == 1 else found


@TABLE.on("Repeat")
def repeat(t: Any, op: Any, node: Any, x: Any, times: Any) -> Any:
    return T.repeat(x, times, axis=op.axis)


# -------------------------------------------------------------------------------------------------------- sorting


def _axis(op: Any, node: Any) -> Any:
    """The axis of a sort, which older versions give as an operand."""
    return known_number(node.inputs[1]) if len(node.inputs) > 1 else op.axis


TABLE.on("SortOp")(lambda t, op, node, x, *axis: T.sort(x, axis=_axis(op, node)))
TABLE.on("ArgSortOp")(lambda t, op, node, x, *axis: T.argsort(x, axis=_axis(op, node)))


@TABLE.on("SearchsortedOp")
def searchsorted(t: Any, op: Any, node: Any, x: Any, v: Any, *sorter: Any) -> Any:
    return T.searchsorted(x, v, op.side, *sorter)
