"""Predictions of classes: how often each was taken for each other, and a softmax in two levels for many classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import INEXACT, promote
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.elemwise import exp, mul
from eqsat.graph.ops.gather import scatter_op
from eqsat.graph.ops.linalg import batched_dot
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.search import searchsorted_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.tensor import reduction
from eqsat.tensor.joining import concatenate
from eqsat.tensor.products import dot, tensordot
from eqsat.tensor.sets import unique


def confusion_matrix(actual: Any, pred: Any) -> list[Any]:
    """Counts of predictions: element [i, j] is the number of members of class i predicted as class j; and the classes in increasing order.

    Shapes   actual: any[n], pred: any[n] -> i64[k, k], any[k]
    Errors   RankError for what is no vector; ShapeError at run time where the lengths differ

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.nnet.confusion_matrix([2, 0, 2, 0], [0, 0, 2, 2])]
    [[[1, 1], [1, 1]], [0, 2]]
    """
    pair = [as_tensor(actual), as_tensor(pred)]
    for v in pair:
        if v.ndim != 1:
            raise RankError(
                f"confusion_matrix: {v} has {v.ndim} dimensions",
                operands=[("actual", pair[0]), ("pred", pair[1])],
                needs="two vectors",
            )
    dtype = promote(*(v.dtype for v in pair))
    pair = [cast_to(v, dtype) for v in pair]
    order = unique(concatenate(pair))
    places = [searchsorted_op(order, v, right=0) for v in pair]
    count = length(order, 0)
    return [
        scatter_op(alloc(np.int64(0), count, count), np.ones((1,), "int64"), *places, pattern=(0, 1), add=1),
        order,
    ]


def _whole_numbers(target: Any) -> Any:
    t = flatten(as_tensor(target))
    if t.dtype in INEXACT or t.dtype == "bool":
        raise DTypeError(
            f"h_softmax: the targets are {t.dtype}",
            operands=[("target", t)],
            needs="integers",
            hint="target.astype('int64')",
        )
    return cast_to(t, "int64")


def h_softmax(
    x: Any,
    batch_size: Any,
    n_outputs: Any,
    n_classes: Any,
    n_outputs_per_class: Any,
    W1: Any,
    b1: Any,
    W2: Any,
    b2: Any,
    target: Any = None,
) -> Any:
    """Probabilities of many outputs in two levels: that of a class, times that of the output within its class.

    Output k is number ``k % n_outputs_per_class`` of class ``k // n_outputs_per_class``. With ``target`` only the
    probability of each row's target is computed, from the weights of its class alone; its logarithm is
    finite in the modes that rewrite.

    Shapes   x: f[b, d], W1: f[d, c], b1: f[c], W2: f[c, d, p], b2: f[c, p] -> f[b, n_outputs], or f[b] with
             ``target``: integer[b]
    Errors   RankError for operands of other ranks; DTypeError for targets that are not integers
    Source   Goodman 2001, Classes for fast maximum entropy training

    >>> import numpy as np, eqsat.tensor as T
    >>> zeros = np.zeros((3, 2)), np.zeros(2), np.zeros((2, 3, 4)), np.zeros((2, 4))
    >>> T.nnet.h_softmax(np.ones((2, 3)), 2, 7, 2, 4, *zeros, target=[0, 6]).eval()
    array([0.125, 0.125])
    """
    operands = _operands(x=x, W1=W1, b1=b1, W2=W2, b2=b2)
    x, W1, b1, W2, b2 = operands.values()
    classes = reduction.log_softmax(dot(x, W1) + dimshuffle(b1, "x", 0), axis=1)
    if target is not None:
        return _of_targets(x, classes, W2, b2, _whole_numbers(target), n_outputs_per_class)
    inner = reduction.log_softmax(tensordot(x, W2, [[1], [1]]) + dimshuffle(b2, "x", 0, 1), axis=2)
    whole = exp(dimshuffle(classes, 0, 1, "x") + inner)
    return reshape(whole, (batch_size, mul(n_classes, n_outputs_per_class)))[:, :n_outputs]


def _operands(**given: Any) -> dict[str, Any]:
    made = {name: as_tensor(v) for name, v in given.items()}
    wanted = {"x": 2, "W1": 2, "b1": 1, "W2": 3, "b2": 2}
    for name, v in made.items():
        if v.ndim != wanted[name]:
            raise RankError(
                f"h_softmax: {name} has {v.ndim} dimensions",
                operands=list(made.items()),
                needs="f[b, d], f[d, c], f[c], f[c, d, p], f[c, p]",
            )
    return made


def _of_targets(x: Any, classes: Any, W2: Any, b2: Any, target: Any, per: Any) -> Any:
    own, within = target // per, target % per
    products = batched_dot(dimshuffle(x, 0, "x", 1), W2[own])
    inner = reduction.log_softmax(dimshuffle(products, 0, 2) + b2[own], axis=1)
    row = arange(length(x, 0))
    return exp(classes[row, own] + inner[row, within])
