"""Reductions as users call them: axes in any form, with or without the reduced axes kept."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, DTypeError
from eqsat.graph.constant import as_tensor, cast_to, constant, refuse_complex
from eqsat.graph.dtypes import COMPLEX, FLOATS, INEXACT, accumulator, check_dtype, promote
from eqsat.graph.ops import reduce as ops
from eqsat.graph.ops import softmax as soft
from eqsat.graph.ops.complex import imag, real
from eqsat.graph.ops.elemwise import add, eq, fill, maximum, minimum, mul, neq, sqr, sqrt, switch
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.parameters import SomeAxes

Axis = int | Sequence[int] | None
_all = builtins.all


def normal_axes(name: str, x: Any, axis: Axis) -> tuple[int, ...]:
    """Axes in increasing order, counted from the left; None means all of them."""
    if axis is None or isinstance(axis, SomeAxes):
        return axis if isinstance(axis, SomeAxes) else tuple(range(x.ndim))
    given = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    axes = [normal_axis(name, a, x.ndim, x) for a in given]
    if len(set(axes)) != len(axes):
        raise AxisError(f"{name}: the axes {given} name one axis twice", operands=[(str(x), x)])
    return tuple(sorted(axes))


def _finish(kept: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if keepdims or not axes or isinstance(axes, SomeAxes):
        return kept
    return dimshuffle(kept, *(a for a in range(kept.ndim) if a not in axes))


def reduced(name: str, op: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """A reduction of any operand over axes in any form; ``name`` is that of the function that errors speak of.

    >>> from eqsat.graph.ops.reduce import max_op
    >>> from eqsat.tensor.reduction import reduced
    >>> reduced("largest", max_op, [[1, 5], [4, 2]], axis=-1).eval()
    array([5, 4])
    """
    x = as_tensor(x)
    axes = normal_axes(name, x, axis)
    return _finish(op(x, axes=axes) if axes else x, axes, keepdims)


def _wide_dtype(name: str, x: Any, result: str, acc_dtype: Any) -> str:
    """Dtype in which a sum is accumulated before it is cast to the dtype of the result."""
    if acc_dtype is None:
        return result
    acc = check_dtype(acc_dtype)
    kinds = ["bui".find(np.dtype(d).kind[0]) < 0 for d in (x.dtype, acc)]
    if (kinds[0] and not kinds[1]) or (x.dtype in COMPLEX and acc not in COMPLEX):
        raise DTypeError(
            f"{name}: {x} is {x.dtype}, of which {acc} loses a part",
            operands=[(str(x), x)],
            needs="an acc_dtype of the same kind",
            hint=f"{name}(T.real(x))"
            if x.dtype in COMPLEX
            else f"{name}(x.astype({acc!r})) where that is meant",
        )
    return promote(acc, result)


def _total(name: str, op: Any, x: Any, axis: Axis, dtype: Any, keepdims: bool, acc_dtype: Any) -> Any:
    x = as_tensor(x)
    target = accumulator(x.dtype) if dtype is None else check_dtype(dtype)
    wide = _wide_dtype(name, x, target, acc_dtype)
    return cast_to(reduced(name, op, cast_to(x, wide), axis, keepdims), target)


def _beginning_with(initial: Any, join: Any, result: Any) -> Any:
    """A result joined with the number that a reduction begins with; one of Python has to fit."""
    if initial is None:
        return result
    known = isinstance(initial, (int, float)) and not isinstance(initial, np.generic)
    first = constant(initial, dtype=result.dtype) if known else cast_to(as_tensor(initial), result.dtype)
    return join(first, result)


def sum(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    acc_dtype: Any = None,
    initial: Any = None,
) -> Any:
    """Sum over axes; small integers and bool give 64-bit integers, float32 is accumulated in float64.

    ``acc_dtype`` asks for a wider accumulator and never changes the dtype of the result. ``initial`` is added.

    Shapes   x: any[a, b], axis=0 -> [b]; keepdims=True -> [1, b]; a length of 0 gives 0
    Errors   AxisError for an axis that x does not have; DTypeError for an integer ``acc_dtype`` of floats, and for an ``initial``
             that the result's dtype does not hold

    >>> import eqsat.tensor as T
    >>> T.sum([[1, 2], [3, 4]]).eval(), T.sum([[1, 2], [3, 4]], axis=0, keepdims=True).eval()
    (array(10), array([[4, 6]]))
    """
    return _beginning_with(initial, add, _total("sum", ops.sum_op, x, axis, dtype, keepdims, acc_dtype))


def prod(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    acc_dtype: Any = None,
    no_zeros_in_input: bool = False,
    initial: Any = None,
) -> Any:
    """Product over axes, with the dtypes of ``sum``, times ``initial``; a length of 0 gives 1.

    The gradient is right where x holds zeros, so the promise ``no_zeros_in_input`` changes nothing.

    Shapes   x: any[a, b], axis=0 -> [b]; keepdims=True -> [1, b]; a length of 0 gives 1
    Errors   those of ``sum``

    >>> import eqsat.tensor as T
    >>> T.prod([[1, 2], [3, 4]], axis=1).eval()
    array([ 2, 12])
    """
    return _beginning_with(initial, mul, _total("prod", ops.prod_op, x, axis, dtype, keepdims, acc_dtype))


def prod_without_zeros(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Product over axes of the elements that are not 0; 1 where there is none.

    Shapes   x: any[a, b], axis=0 -> [b]; keepdims=True -> [1, b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.prod_without_zeros([[2.0, 0.0, 3.0], [0.0, 0.0, 0.0]], axis=1).eval()
    array([6., 1.])
    """
    x = as_tensor(x)
    axes = normal_axes("prod_without_zeros", x, axis)
    return _finish(ops.prod_without_zeros(cast_to(x, accumulator(x.dtype)), axes), axes, keepdims)


def mul_without_zeros(x: Any, y: Any) -> Any:
    """Product in which a factor that is 0 counts as 1, and 0 where both are.

    Shapes   x, y: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.mul_without_zeros([0.0, 2.0, 0.0], [3.0, 5.0, 0.0]).eval()
    array([ 3., 10.,  0.])
    """
    x, y = as_tensor(x), as_tensor(y)
    return switch(eq(x, 0), y, switch(eq(y, 0), x, mul(x, y)))


def _count(x: Any, axes: tuple[int, ...], dtype: str) -> Any:
    if isinstance(axes, SomeAxes):
        raise ArgumentError(
            f"how many elements there are along {axes} is not known, as a rule leaves these axes open",
            needs="a sum, a product, a norm, the largest, smallest or any other reduction that does not count",
            hint='mean(A, axis=0) of A = eqsat.metavars("A", ndim=2)',
        )
    number: Any = as_tensor(np.ones((), "int64"))
    for axis in axes:
        number = mul(number, length(x, axis)) if number.owner or number.data != 1 else length(x, axis)
    return cast_to(number, dtype)


def mean(x: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False, acc_dtype: Any = None) -> Any:
    """Mean over axes; integers and bool give float64, float32 stays and is accumulated in float64.

    ``dtype`` is that of the inner sum; the mean is floating whatever it is. ``acc_dtype`` as in ``sum``.

    Shapes   x: any[a, b], axis=0 -> f[b]; a length of 0 gives NaN
    Errors   those of ``sum``

    >>> import eqsat.tensor as T
    >>> T.mean([[1.0, 2.0], [3.0, 4.0]], axis=0).eval()
    array([2., 3.])
    """
    x = as_tensor(x)
    inner = check_dtype(dtype) if dtype is not None else x.dtype if x.dtype in INEXACT else "float64"
    target = inner if inner in INEXACT else "float64"
    wide = _wide_dtype("mean", x, inner, acc_dtype)
    axes = normal_axes("mean", x, axis)
    if not axes:
        return cast_to(cast_to(x, inner), target)
    total = cast_to(ops.sum_op(cast_to(x, wide), axes=axes), promote(wide, target))
    return _finish(cast_to(total / _count(x, axes, total.dtype), target), axes, keepdims)


def var(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False) -> Any:
    """Variance over axes, by the mean first and then the squares of the differences; of complex numbers real.

    The sum is divided by the count less ``ddof``, by 0 where that is more. ``corrected`` subtracts what the rounding of the mean adds.

    Shapes   x: any[a, b], axis=0 -> f[b]
    Errors   AxisError for an axis that x does not have
    Source   Chan, Golub & LeVeque 1983, the corrected two-pass algorithm

    >>> import eqsat.tensor as T
    >>> T.var([1.0, 3.0]).eval(), T.var([1.0, 3.0], ddof=1).eval()
    (array(1.), array(2.))
    """
    x = as_tensor(x)
    x = x if x.dtype in INEXACT else cast_to(x, "float64")
    axes = normal_axes("var", x, axis)
    rest = x - mean(x, axes, keepdims=True)
    squares = _squares(rest)
    if not axes:
        return squares / np.asarray(np.fmax(1 - ddof, 0), squares.dtype) if ddof else squares
    total = ops.sum_op(squares, axes=axes)
    count = _count(x, axes, squares.dtype)
    if corrected:
        total = total - _squares(ops.sum_op(rest, axes=axes)) / count
    return _finish(total / (maximum(count - ddof, 0) if ddof else count), axes, keepdims)


def _squares(x: Any) -> Any:
    return sqr(x) if x.dtype in FLOATS else sqr(real(x)) + sqr(imag(x))


def std(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False) -> Any:
    """Standard deviation over axes: the square root of ``var``.

    Shapes   x: any[a, b], axis=0 -> f[b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.std([[1.0, 3.0], [2.0, 8.0]], axis=1).eval()
    array([1., 3.])
    """
    return sqrt(var(x, axis, ddof, keepdims, corrected))


def _extreme(name: str, operations: Any, x: Any, axis: Axis, keepdims: bool, initial: Any) -> Any:
    """An extreme; with a number that counts too, the op that has a result of no elements is only there where axes may be empty."""
    plain, of_none, join = operations
    axes = normal_axes(name, x, axis)
    may_be_empty = isinstance(axes, SomeAxes) or not _all(x.type.shape[a] for a in axes)
    op = of_none if initial is not None and may_be_empty else plain
    return _beginning_with(initial, join, reduced(name, op, x, axis, keepdims))


def max(x: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Largest element over axes, ``initial`` among them; NaN where there is one.

    Shapes   x: any[a, b], axis=0 -> [b]; keepdims=True -> [1, b]; with ``initial`` a length of 0 gives that
    Errors   ShapeError at run time where an axis has length 0 and there is no ``initial``; DTypeError for one that does not fit

    >>> import eqsat.tensor as T
    >>> T.max([[1, 5], [7, 2]], axis=0).eval()
    array([7, 5])
    """
    return _extreme("max", (ops.max_op, ops.largest_op, maximum), as_tensor(x), axis, keepdims, initial)


def min(x: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Smallest element over axes, ``initial`` among them; NaN where there is one.

    Shapes   x: any[a, b], axis=0 -> [b]; keepdims=True -> [1, b]; with ``initial`` a length of 0 gives that
    Errors   ShapeError at run time where an axis has length 0 and there is no ``initial``; DTypeError for one that does not fit

    >>> import eqsat.tensor as T
    >>> T.min([[1, 5], [7, 2]], axis=1, keepdims=True).eval()
    array([[1],
           [2]])
    """
    return _extreme("min", (ops.min_op, ops.least_op, minimum), as_tensor(x), axis, keepdims, initial)


def _place(name: str, op: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    axes = normal_axes(name, x, axis)
    if not axes:
        return fill(x, np.zeros((), "int64"))
    return _finish(op(x, axes=axes), axes, keepdims)


def argmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Place of the first largest element as int64; without an axis, in the flattened tensor.

    Shapes   x: any[a, b], axis=0 -> i64[b]
    Errors   ShapeError at run time where an axis has length 0

    >>> import eqsat.tensor as T
    >>> T.argmax([[1, 5, 5], [7, 2, 0]], axis=1).eval(), T.argmax([[1, 5], [7, 2]]).eval()
    (array([1, 0]), array(2))
    """
    return _place("argmax", ops.argmax_op, as_tensor(x), axis, keepdims)


def argmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Place of the first smallest element as int64; without an axis, in the flattened tensor.

    Shapes   x: any[a, b], axis=0 -> i64[b]
    Errors   ShapeError at run time where an axis has length 0

    >>> import eqsat.tensor as T
    >>> T.argmin([[1, 5, 1], [7, 2, 0]], axis=1).eval()
    array([0, 2])
    """
    return _place("argmin", ops.argmin_op, as_tensor(x), axis, keepdims)


def max_and_argmax(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Any, Any]:
    """Largest element over axes and its place, from one pass; the gradient flows through the first alone.

    Shapes   x: any[a, b], axis=0 -> [b] and i64[b]
    Errors   ShapeError at run time where an axis has length 0

    >>> import eqsat.tensor as T
    >>> best, place = T.max_and_argmax([[1.0, 5.0], [7.0, 2.0]], axis=1)
    >>> best.eval(), place.eval()
    (array([5., 7.]), array([1, 0]))
    """
    x = as_tensor(x)
    axes = normal_axes("max_and_argmax", x, axis)
    if not axes:
        return x, fill(x, np.zeros((), "int64"))
    best, place = max_and_argmax_op(x, axes=axes)
    return _finish(best, axes, keepdims), _finish(place, axes, keepdims)


def _truth(x: Any) -> Any:
    x = as_tensor(x)
    return neq(x, 0) if x.dtype in COMPLEX else cast_to(x, "bool")


def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """True where any element over axes differs from 0.

    Shapes   x: any[a, b], axis=0 -> bool[b]; a length of 0 gives False
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.any([[0, 2], [0, 0]], axis=1).eval()
    array([ True, False])
    """
    return reduced("any", ops.any_op, _truth(x), axis, keepdims)


def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """True where all elements over axes differ from 0.

    Shapes   x: any[a, b], axis=0 -> bool[b]; a length of 0 gives True
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.all([[1, 2], [3, 0]], axis=1).eval()
    array([ True, False])
    """
    return reduced("all", ops.all_op, _truth(x), axis, keepdims)


def floating(name: str, x: Any) -> Any:
    x = as_tensor(x)
    refuse_complex(name, x)
    return x if x.dtype in FLOATS else cast_to(x, "float64")


def softmax(x: Any, axis: Axis = -1) -> Any:
    """exp(x) / sum(exp(x)) over an axis, without overflow.

    Shapes   x: f[a, n] -> f[a, n]; the results along the axis add up to 1
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.softmax([[0.0, 0.0], [1000.0, 0.0]]).eval()
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    x = floating("softmax", x)
    return soft.softmax_op(x, axes=normal_axes("softmax", x, axis))


def log_softmax(x: Any, axis: Axis = -1) -> Any:
    """log(softmax(x)) over an axis, without overflow.

    Shapes   x: f[a, n] -> f[a, n]
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.log_softmax([1000.0, 0.0]).eval()
    array([    0., -1000.])
    """
    x = floating("log_softmax", x)
    return soft.log_softmax_op(x, axes=normal_axes("log_softmax", x, axis))


def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Log of a sum of exponentials over axes, without overflow.

    Shapes   x: f[a, n], axis=1 -> f[a]; a length of 0 gives -inf
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers
    Source   Blanchard, Higham & Higham 2021, IMA J. Numer. Anal. 41(4), the shifted formula

    >>> import eqsat.tensor as T
    >>> round(float(T.logsumexp([1000.0, 1000.0]).eval()), 6)
    1000.693147
    """
    return reduced("logsumexp", soft.logsumexp_op, floating("logsumexp", x), axis, keepdims)
