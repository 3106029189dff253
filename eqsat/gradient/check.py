"""Gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.base.hooks import hook
from eqsat.errors import ArgumentError, DTypeError, VerifyGradError
from eqsat.gradient.reverse import grad
from eqsat.graph.constant import cast_to
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.tensor_type import TensorType

STEP = {"float64": 1e-6, "float32": 2e-3}
TOLERANCE = {"float64": 1e-4, "float32": 2e-2}


class numeric_grad:
    """Central differences of a function of arrays that gives a number; ``gf`` holds the gradient.

    ``pt`` is an array or a list of them, ``gf`` accordingly. The step is ``eps`` times the larger of 1 and the
    element's size.

    >>> numeric_grad(lambda x: float((x**2).sum()), np.array([1.0, 3.0])).gf.round(6)
    array([2., 6.])
    """

    def __init__(self, f: Callable[..., Any], pt: Any, eps: float | None = None) -> None:
        points = [np.array(p) for p in (pt if isinstance(pt, (list, tuple)) else [pt])]
        least = min((STEP.get(p.dtype.name, 1e-6) for p in points), default=1e-6)
        steps = [STEP.get(p.dtype.name, least) if eps is None else eps for p in points]
        slopes = [_slopes(f, points, k, step) for k, step in enumerate(steps)]
        self.gf: Any = slopes if isinstance(pt, (list, tuple)) else slopes[0]

    def max_err(self, g_pt: Any, abs_tol: float, rel_tol: float) -> tuple[int, tuple[int, ...], float, float]:
        """The gradient and the element that are furthest off, with the absolute and the relative error."""
        found = g_pt if isinstance(g_pt, (list, tuple)) else [g_pt]
        ours = self.gf if isinstance(self.gf, list) else [self.gf]
        worst: tuple[float, int, tuple[int, ...], float, float] = (-1.0, 0, (), 0.0, 0.0)
        for k, (a, b) in enumerate(zip(ours, found, strict=True)):
            for index in np.ndindex(np.shape(a)):
                off, ratio = _errors(float(a[index]), float(np.asarray(b)[index]))
                size = min(off / abs_tol, ratio / rel_tol)
                if not size <= worst[0]:
                    worst = (size if size == size else np.inf, k, index, off, ratio)
        return worst[1:]


def _slopes(f: Callable[..., Any], points: Sequence[Any], k: int, step: float) -> Any:
    result = np.zeros(points[k].shape)
    for index in np.ndindex(points[k].shape):
        moved = [p.copy() for p in points]
        here = points[k][index]
        width = step * max(1.0, abs(float(here)))
        moved[k][index] = here + points[k].dtype.type(width)
        high, above = float(f(*moved)), float(moved[k][index])
        moved[k] = moved[k].copy()
        moved[k][index] = here - points[k].dtype.type(width)
        result[index] = (high - float(f(*moved))) / (above - float(moved[k][index]))
    return result


def _errors(a: float, b: float) -> tuple[float, float]:
    """Absolute and relative difference; two equal infinities have none."""
    if a == b:
        return 0.0, 0.0
    off = abs(a - b)
    return off, off / max(abs(a), abs(b))


def verify_grad(
    fun: Callable[..., Any],
    pt: Sequence[Any],
    n_tests: int = 2,
    rng: Any = None,
    eps: float | None = None,
    out_type: Any = None,
    abs_tol: float | None = None,
    rel_tol: float | None = None,
    mode: Any = None,
    cast_to_output_type: bool = False,
    no_debug_ref: bool = True,
) -> None:
    """Raise VerifyGradError where the gradient of a function of variables is not that of central differences.

    ``fun`` takes one variable for each array of ``pt`` and gives one floating tensor, which is projected on
    ``n_tests`` random tensors in turn. An element fails where both the absolute and the relative error are above
    ``abs_tol`` and ``rel_tol`` (1e-4, in float32 2e-2). ``mode`` is that of ``eqsat.function``; None runs op by op
    in NumPy, without compiling. ``out_type`` casts the output. Axes of length 1 broadcast. ``no_debug_ref`` is
    accepted for older programs and changes nothing.

    Errors   DTypeError for a point that is not floating; VerifyGradError with the input, the element, both values

    >>> import eqsat.tensor as T
    >>> verify_grad(lambda x, y: T.dot(x, y), [np.ones((2, 3)), np.ones(3)])
    """
    function = hook("function")
    points = [_point(p) for p in pt]
    rng = np.random.default_rng(0) if rng is None else rng
    inputs = [
        TensorType(p.dtype.name, shape=[1 if n == 1 else None for n in p.shape])(f"input {k}")
        for k, p in enumerate(points)
    ]
    out = _output(fun(*inputs), out_type)
    weight = TensorType(out.type.dtype, shape=[1 if n == 1 else None for n in out.type.shape])("weight")
    product = mul(out, weight)
    cost = dimshuffle(sum_op(product, axes=tuple(range(out.type.ndim)))) if out.type.ndim else product
    grads = grad(cost, inputs, disconnected_inputs="ignore")
    run = function([*inputs, weight], [out, *grads], mode=mode or "reference", on_unused_input="ignore")
    tolerance = max(TOLERANCE[v.type.dtype] for v in [*inputs, out])
    limits = (abs_tol or tolerance, rel_tol or tolerance)
    shape = np.shape(function(inputs, out, mode="reference", on_unused_input="ignore")(*points))
    for _ in range(n_tests):
        w = np.asarray(rng.uniform(0.5, 1.5, shape) * np.where(rng.uniform(size=shape) < 0.5, -1, 1))
        _check(run, points, w.astype(out.type.dtype), eps, limits)


def _check(run: Any, points: Sequence[Any], weight: Any, eps: float | None, limits: Sequence[float]) -> None:
    def project(*values: Any) -> float:
        return float(np.sum(run(*values, weight)[0].astype("float64") * weight))

    found = run(*points, weight)[1:]
    numeric = numeric_grad(project, list(points), eps)
    k, index, off, ratio = numeric.max_err(found, *limits)
    if off > limits[0] and ratio > limits[1] or off != off:
        place = ", ".join(map(str, index))
        raise VerifyGradError(
            f"verify_grad: input {k}, element ({place}): the gradient is {found[k][index]}, "
            f"differences give {numeric.gf[k][index]}",
            needs=f"an absolute error of at most {limits[0]:g}, not {off:.3g}, "
            f"or a relative error of at most {limits[1]:g}, not {ratio:.3g}",
            input=k,
            element=index,
            gradient=found[k][index],
            numeric=numeric.gf[k][index],
        )


def _point(value: Any) -> Any:
    array = np.array(value)
    if array.dtype.name not in FLOATS:
        raise DTypeError(f"verify_grad: a point is {array.dtype}", needs="float64 or float32")
    return array


def _output(out: Any, out_type: Any) -> Any:
    if isinstance(out, (list, tuple)) or not hasattr(out, "type"):
        raise ArgumentError(
            f"verify_grad: the function gives {type(out).__name__}, not one variable",
            hint="verify_grad(lambda x: f(x)[0], [x])",
        )
    out = cast_to(out, out_type) if out_type is not None else out
    if out.type.dtype not in FLOATS:
        raise DTypeError(f"verify_grad: the output is {out.type.dtype}", operands=[("output", out)])
    return out


verify_grad.E_grad = VerifyGradError  # type: ignore[attr-defined]
E_grad = VerifyGradError
