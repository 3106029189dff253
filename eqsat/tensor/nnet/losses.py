"""Softmax in the shapes that older programs expect, and cross-entropies that stay finite at any input.

A loss looks at what made its operand: the logarithm of a softmax or of a sigmoid is built as one op, so that the value and
the gradient are stable in every mode, with or without rewriting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import COMPLEX, FLOATS, to_float
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import add, log, mul, neg, sigmoid, softplus, sub
from eqsat.graph.ops.reduce import argmax_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.softmax import log_softmax_op
from eqsat.tensor import reduction


def _row(name: str, c: Any) -> Any:
    """A vector as a matrix of one row; tensors of a higher rank as they are."""
    x = as_tensor(c)
    if x.ndim == 0:
        raise RankError(f"{name}: {x} is a scalar", operands=[("c", x)], needs="a vector or matrix")
    if x.dtype in COMPLEX:
        raise DTypeError(f"{name}: {x} is {x.dtype}", operands=[("c", x)], needs="real numbers")
    return dimshuffle(x, "x", 0) if x.ndim == 1 else x


def softmax(c: Any, axis: int | None = None) -> Any:
    """Softmax over the last axis; a vector gives a matrix of one row, as in Theano.

    ``T.softmax`` keeps the shape of a vector. With ``axis`` the shape is kept here too.

    Shapes   c: f[n] -> f[1, n]; f[m, n] -> f[m, n]
    Errors   RankError for a scalar; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nnet.softmax([0.0, 0.0]).eval()
    array([[0.5, 0.5]])
    """
    return reduction.softmax(_row("softmax", c)) if axis is None else reduction.softmax(c, axis)


def logsoftmax(c: Any, axis: int | None = None) -> Any:
    """log(softmax(c)) without the logarithm of 0; a vector gives a matrix of one row.

    Shapes   c: f[n] -> f[1, n]; f[m, n] -> f[m, n]
    Errors   RankError for a scalar; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nnet.logsoftmax([0.0, 1000.0]).eval()
    array([[-1000.,     0.]])
    """
    return reduction.log_softmax(_row("logsoftmax", c)) if axis is None else reduction.log_softmax(c, axis)


def softmax_with_bias(x: Any, b: Any) -> Any:
    """softmax(x + b) of the rows of a matrix. Shapes: x: f[m, n], b: f[n] -> f[m, n].

    Errors   RankError for other ranks

    >>> import eqsat.tensor as T
    >>> T.nnet.softmax_with_bias([[0.0, 0.0]], [1.0, 1.0]).eval()
    array([[0.5, 0.5]])
    """
    x, b = as_tensor(x), as_tensor(b)
    if x.ndim != 2 or b.ndim != 1:
        raise RankError(
            f"softmax_with_bias: x has {x.ndim} dimensions, b has {b.ndim}",
            operands=[("x", x), ("b", b)],
            needs="a matrix and a vector",
        )
    return reduction.softmax(add(x, dimshuffle(b, "x", 0)))


def _op_of(v: Any) -> Any:
    return None if v.owner is None else v.owner.op


def stable_log(p: Any) -> Any:
    """log(p), as log_softmax or -softplus where p is a softmax or a sigmoid."""
    op = _op_of(p)
    if getattr(op, "name", None) == "softmax":
        return log_softmax_op(p.owner.inputs[0], axes=op.params["axes"])
    if op is sigmoid:
        return neg(softplus(neg(p.owner.inputs[0])))
    if getattr(op, "name", None) == "dimshuffle":
        inner = p.owner.inputs[0]
        if getattr(_op_of(inner), "name", None) == "softmax" or _op_of(inner) is sigmoid:
            return dimshuffle(stable_log(inner), *op.params["pattern"])
    return log(p)


def _stable_log_of_rest(p: Any) -> Any:
    """log(1 - p), as -softplus where p is a sigmoid."""
    return neg(softplus(p.owner.inputs[0])) if _op_of(p) is sigmoid else log(sub(np.ones((), p.dtype), p))


def categorical_crossentropy(coding_dist: Any, true_dist: Any) -> Any:
    """Cross-entropy of each row of predictions against class numbers, or against rows of probabilities.

    The softmax of a matrix as ``coding_dist`` is not computed: value and gradient, softmax minus one-hot, hold at any
    input.

    Shapes   coding_dist: f[m, n]; true_dist: integer[m], or f[m, n] -> f[m]
    Errors   DTypeError for class numbers that are not integers; RankError for other ranks

    >>> import eqsat.tensor as T
    >>> p = T.nnet.softmax([[1000.0, 0.0], [0.0, 1000.0]])
    >>> T.nnet.categorical_crossentropy(p, [0, 0]).eval()
    array([  -0., 1000.])
    """
    name = "categorical_crossentropy"
    p, true = _floating(name, coding_dist), as_tensor(true_dist)
    operands = [("coding_dist", p), ("true_dist", true)]
    if true.ndim == p.ndim:
        return neg(reduction.sum(mul(true, stable_log(p)), axis=p.ndim - 1))
    if true.ndim != p.ndim - 1 or p.ndim != 2:
        raise RankError(
            f"{name}: the predictions have {p.ndim} dimensions, the targets {true.ndim}",
            operands=operands,
            needs="f[m, n] with integer[m] or f[m, n]",
        )
    if true.dtype in FLOATS or true.dtype == "bool":
        raise DTypeError(
            f"{name}: the class numbers are {true.dtype}",
            operands=operands,
            needs="integers",
            hint="y.astype('int64')",
        )
    whole = stable_log(p)
    return neg(log(_at(p, true)) if _op_of(whole) is log else _at(whole, true))


def _at(x: Any, classes: Any) -> Any:
    return x[
        arange(length(x, 0)), classes
    ]  # of all rows, so that class numbers of another length are refused


def crossentropy_categorical_1hot(coding_dist: Any, true_one_of_n: Any) -> Any:
    """Cross-entropy of rows of predictions against class numbers. Shapes: f[m, n], integer[m] -> f[m].

    Errors   those of ``categorical_crossentropy``

    >>> import eqsat.tensor as T
    >>> T.nnet.crossentropy_categorical_1hot([[0.5, 0.5], [0.0, 1.0]], [0, 1]).eval().round(4)
    array([ 0.6931, -0.    ])
    """
    return categorical_crossentropy(coding_dist, true_one_of_n)


def crossentropy_softmax_1hot_with_bias(x: Any, b: Any, y_idx: Any) -> tuple[Any, Any]:
    """Cross-entropies of softmax(x + b) against class numbers, and the softmax itself.

    Shapes   x: f[m, n], b: f[n], y_idx: integer[m] -> f[m] and f[m, n]
    Errors   those of ``softmax_with_bias`` and ``categorical_crossentropy``

    >>> import eqsat.tensor as T
    >>> loss, p = T.nnet.crossentropy_softmax_1hot_with_bias([[0.0, 0.0]], [1000.0, 0.0], [1])
    >>> loss.eval(), p.eval()
    (array([1000.]), array([[1., 0.]]))
    """
    p = softmax_with_bias(x, b)
    return categorical_crossentropy(p, y_idx), p


def crossentropy_softmax_1hot(x: Any, y_idx: Any) -> tuple[Any, Any]:
    """Cross-entropies of softmax(x) against class numbers, and the softmax itself.

    Shapes   x: f[m, n], y_idx: integer[m] -> f[m] and f[m, n]
    Errors   those of ``categorical_crossentropy``

    >>> import eqsat.tensor as T
    >>> loss, p = T.nnet.crossentropy_softmax_1hot([[1000.0, 0.0]], [1])
    >>> loss.eval(), p.eval()
    (array([1000.]), array([[1., 0.]]))
    """
    p = softmax(x)
    return categorical_crossentropy(p, y_idx), p


def crossentropy_softmax_max_and_argmax_1hot_with_bias(
    x: Any, b: Any, y_idx: Any
) -> tuple[Any, Any, Any, Any]:
    """Cross-entropies, the softmax, and per row its largest element and the place of it.

    Shapes   x: f[m, n], b: f[n], y_idx: integer[m] -> f[m], f[m, n], f[m] and i64[m]
    Errors   those of ``softmax_with_bias`` and ``categorical_crossentropy``

    >>> import eqsat.tensor as T
    >>> four = T.nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias([[0.0, 0.0]], [1000.0, 0.0], [1])
    >>> [v.eval().tolist() for v in four]
    [[1000.0], [[1.0, 0.0]], [1.0], [0]]
    """
    losses, p = crossentropy_softmax_1hot_with_bias(x, b, y_idx)
    place = dimshuffle(argmax_op(p, axes=(1,)), 0)
    return losses, p, reduction.max(p, axis=1), place


def _floating(name: str, x: Any) -> Any:
    v = as_tensor(x)
    if v.dtype in COMPLEX:
        raise DTypeError(f"{name}: {v} is {v.dtype}", operands=[(str(v), v)], needs="real numbers")
    return cast_to(v, to_float(v.dtype))


def binary_crossentropy(output: Any, target: Any) -> Any:
    """Cross-entropy of each predicted probability against a target between 0 and 1.

    The sigmoid of x as ``output`` is not computed: the result is finite at any x.

    Shapes   f[...], f[...] -> f[...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nnet.binary_crossentropy(T.sigmoid([-1000.0, 1000.0]), [1.0, 1.0]).eval()
    array([1000.,    0.])
    """
    p, t = _floating("binary_crossentropy", output), as_tensor(target)
    one = np.ones((), p.dtype)
    return neg(add(mul(t, stable_log(p)), mul(sub(one, t), _stable_log_of_rest(p))))


def sigmoid_binary_crossentropy(output: Any, target: Any) -> Any:
    """binary_crossentropy(sigmoid(output), target), finite at any output.

    Shapes   f[...], f[...] -> f[...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nnet.sigmoid_binary_crossentropy([-1000.0, 0.0], [0.0, 1.0]).eval().round(4)
    array([0.    , 0.6931])
    """
    x, t = _floating("sigmoid_binary_crossentropy", output), as_tensor(target)
    one = np.ones((), x.dtype)
    return add(mul(t, softplus(neg(x))), mul(sub(one, t), softplus(x)))
