"""Normalisation of activations by their mean and deviation: over a batch, or within each example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import promote, to_float
from eqsat.graph.ops.elemwise import mul, reciprocal, sqr, sqrt
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.specify import addbroadcast
from eqsat.tensor import reduction

Axes = str | int | Sequence[int]


def batch_normalization(
    inputs: Any, gamma: Any, beta: Any, mean: Any, std: Any, mode: str = "low_mem"
) -> Any:
    """(inputs - mean) * gamma / std + beta, with statistics that are given.

    Errors   ArgumentError for a mode other than "low_mem" and "high_mem", which here mean the same

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.batch_normalization(np.array([1.0, 3.0]), 2.0, 1.0, 2.0, 0.5).eval()
    array([-3.,  5.])
    """
    if mode not in ("low_mem", "high_mem"):
        raise ArgumentError(
            f"batch_normalization: unknown mode {mode!r}",
            needs="'low_mem' or 'high_mem'",
            among=(mode, ["low_mem", "high_mem"]),
        )
    x, gamma, beta, mean, std = (as_tensor(v) for v in (inputs, gamma, beta, mean, std))
    return (x - mean) * (gamma / std) + beta


def _axes(name: str, x: Any, axes: Any) -> tuple[int, ...]:
    if axes == "per-activation":
        return (0,)
    if axes == "spatial":
        return (0, *range(2, x.ndim))
    if isinstance(axes, str) or axes is None:
        raise ArgumentError(
            f"{name}: unknown axes {axes!r}",
            needs="'per-activation', 'spatial' or axes",
            among=(axes, ["per-activation", "spatial"]),
        )
    return reduction.normal_axes(name, x, axes)


def _parameter(name: str, label: str, v: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """A parameter that broadcasts over the axes: of x's rank, or with the remaining axes alone."""
    v = as_tensor(v)
    if v.ndim == x.ndim:
        return addbroadcast(v, *axes)
    kept = [a for a in range(x.ndim) if a not in axes]
    if v.ndim != len(kept):
        raise RankError(
            f"{name}: {label} {v} has {v.ndim} dimensions",
            operands=[("inputs", x), (label, v)],
            needs=f"{x.ndim}, or {len(kept)} without the axes {axes}",
        )
    return dimshuffle(v, *(kept.index(a) if a in kept else "x" for a in range(x.ndim)))


def _operands(name: str, inputs: Any, axes: Any, **parameters: Any) -> tuple[Any, tuple[int, ...], list[Any]]:
    x = as_tensor(inputs)
    if x.ndim == 0:
        raise RankError(f"{name}: {x} is a scalar", operands=[("inputs", x)])
    chosen = _axes(name, x, axes)
    x = cast_to(x, to_float(x.dtype))
    return x, chosen, [_parameter(name, label, v, x, chosen) for label, v in parameters.items()]


def _epsilon(name: str, epsilon: Any, x: Any) -> Any:
    if isinstance(epsilon, (int, float)) and epsilon < 0:
        raise ArgumentError(f"{name}: epsilon={epsilon} is negative", needs="0 or more")
    return np.asarray(epsilon, x.dtype) if isinstance(epsilon, (int, float)) else as_tensor(epsilon)


def batch_normalization_train(
    inputs: Any,
    gamma: Any,
    beta: Any,
    axes: Axes = "per-activation",
    epsilon: float = 1e-4,
    running_average_factor: float = 0.1,
    running_mean: Any = None,
    running_var: Any = None,
) -> tuple[Any, ...]:
    """Normalisation by the statistics of the batch; gives the result, the mean and 1 / deviation.

    With running averages it also gives their new values: the old times ``1 - running_average_factor`` plus the factor
    times the batch's mean, and the batch's variance times m / (m - 1) for m values.

    Shapes   inputs: f[b, ...]; gamma, beta: of that rank with length 1 on the axes, or without these axes
    Errors   ArgumentError for unknown axes, or one running average without the other
    Source   Ioffe & Szegedy 2015

    >>> import numpy as np, eqsat.tensor as T
    >>> out, mean, inverse = T.nnet.batch_normalization_train(np.array([[1.0], [3.0]]), [1.0], [0.0], epsilon=0)
    >>> out.eval().ravel(), mean.eval().item(), inverse.eval().item()
    (array([-1.,  1.]), 2.0, 1.0)
    """
    name = "batch_normalization_train"
    x, axes, (gamma, beta) = _operands(name, inputs, axes, gamma=gamma, beta=beta)
    mean = reduction.mean(x, axes, keepdims=True)
    var = reduction.mean(sqr(x - mean), axes, keepdims=True)
    inverse = reciprocal(sqrt(var + _epsilon(name, epsilon, x)))
    out = (x - mean) * (gamma * inverse) + beta
    if (running_mean is None) != (running_var is None):
        raise ArgumentError(f"{name}: running_mean and running_var are given together or not at all")
    if running_mean is None:
        return out, mean, inverse
    _, _, (old_mean, old_var) = _operands(name, x, axes, running_mean=running_mean, running_var=running_var)
    number: Any = 1
    for axis in axes:
        number = length(x, axis) if isinstance(number, int) else mul(number, length(x, axis))
    m = cast_to(as_tensor(number), x.dtype)
    factor = np.asarray(running_average_factor, x.dtype)
    new_mean = old_mean * (1 - factor) + mean * factor
    new_var = old_var * (1 - factor) + (m / (m - 1)) * var * factor
    return out, mean, inverse, new_mean, new_var


def batch_normalization_test(
    inputs: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    axes: Axes = "per-activation",
    epsilon: float = 1e-4,
) -> Any:
    """Normalisation by a mean and variance that are given, such as running averages.

    Shapes   as batch_normalization_train; mean and var as gamma

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.batch_normalization_test(np.array([[3.0]]), [1.0], [0.0], [1.0], [4.0], epsilon=0).eval()
    array([[1.]])
    """
    name = "batch_normalization_test"
    given = {"gamma": gamma, "beta": beta, "mean": mean, "var": var}
    x, _, (gamma, beta, mean, var) = _operands(name, inputs, axes, **given)
    return (x - mean) * (gamma / sqrt(var + _epsilon(name, epsilon, x))) + beta


def layer_normalization(inputs: Any, gamma: Any = None, beta: Any = None, axis: int | Sequence[int] = -1, epsilon: float = 1e-5) -> Any:  # fmt: skip
    """Normalisation of each example over its own axes; gamma and beta broadcast.

    Shapes   inputs: f[...] -> f[...]
    Source   Ba, Kiros & Hinton 2016

    >>> import numpy as np, eqsat.tensor as T
    >>> T.nnet.layer_normalization(np.array([[1.0, 3.0]]), epsilon=0).eval()
    array([[-1.,  1.]])
    """
    name = "layer_normalization"
    x = as_tensor(inputs)
    x = cast_to(x, promote(to_float(x.dtype)))
    axes = reduction.normal_axes(name, x, axis)
    centred = x - reduction.mean(x, axes, keepdims=True)
    var = reduction.mean(sqr(centred), axes, keepdims=True)
    out = centred / sqrt(var + _epsilon(name, epsilon, x))
    out = out if gamma is None else out * gamma
    return out if beta is None else out + beta
