"""Functions of machine learning libraries: classes as vectors, the largest elements first, sums by segment, a loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.constant import as_tensor, beside
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.subscript import inc_subtensor
from eqsat.tensor.activation import _floating, relu
from eqsat.tensor.rearrange import flip
from eqsat.tensor.sorting import integers_only, marked, topk_and_argtopk


def one_hot(x: Any, num_classes: Any, dtype: Any = None) -> Any:
    """Rows of zeros with a 1 at the class that each element names; all zeros for one outside 0 to num_classes - 1.

    Shapes   x: int[...] -> f[..., num_classes]
    Errors   DTypeError for what is no integer

    >>> import eqsat.tensor as T
    >>> T.one_hot([2, 0], 3).eval()
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    return marked(integers_only("one_hot", as_tensor(x)), num_classes, dtype)


def top_k(x: Any, k: Any) -> tuple[Any, Any]:
    """The k largest elements along the last axis, the largest first, and their places.

    Shapes   x: any[a, n] -> [a, k] and int64[a, k]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.top_k([3, 1, 2], 2)]
    [[3, 2], [0, 2]]
    """
    best, places = topk_and_argtopk(x, k)
    return flip(best, -1), flip(places, -1)


def segment_sum(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Sums of the rows that have one number each, as ``jax.ops.segment_sum``; 0 where no row has a number.

    Shapes   data: any[n, ...], segment_ids: int[n] -> [num_segments, ...]
    Errors   BoundsError at run time for a number outside

    >>> import eqsat.tensor as T
    >>> T.segment_sum([1.0, 2.0, 4.0], [0, 2, 0], 3).eval()
    array([5., 0., 2.])
    """
    data, ids = as_tensor(data), integers_only("segment_sum", as_tensor(segment_ids))
    zeros = alloc(np.zeros((), data.dtype), [num_segments, *(length(data, a) for a in range(1, data.ndim))])
    return inc_subtensor(zeros[ids], data)


def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """x above zero, ``negative_slope * x`` below.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating

    >>> import eqsat.tensor as T
    >>> T.leaky_relu([-2.0, 3.0]).eval()
    array([-0.02,  3.  ])
    """
    x = _floating(x)
    return relu(x, beside(negative_slope, x))


def huber(x: Any, delta: Any = 1.0) -> Any:
    """Half the square of x up to ``delta``, and its tangent beyond.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Source   Huber 1964, Annals of Mathematical Statistics 35(1)

    >>> import eqsat.tensor as T
    >>> T.huber([0.5, -3.0]).eval()
    array([0.125, 2.5  ])
    """
    x = _floating(x)
    delta = beside(delta, x)
    size = e.abs(x)
    near = e.minimum(size, delta)
    return near * (size - near * np.asarray(0.5, x.dtype))
