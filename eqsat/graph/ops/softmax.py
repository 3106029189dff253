"""softmax, log_softmax and logsumexp: kernels find the maximum of a row, then its sum of exponentials; none overflows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.constant import cast_to
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import exp, log, mul, reciprocal, switch
from eqsat.graph.ops.reduce import largest_op, sum_of_shares_op, sum_op
from eqsat.graph.ops.rounding import isfinite
from eqsat.graph.parameters import AXES


def _shifted(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    top = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    return top, np.subtract(x, top)


def _exps(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The maximum, 0 where it is not finite, what is left of x without it, and the exponentials of that."""
    found = largest_op(x, axes=axes)
    top = switch(isfinite(found), found, 0)
    shifted = x - top
    return top, shifted, exp(shifted)


def _softmax(op: Any, x: Any) -> list[Any]:
    _, _, e = _exps(x, op.params["axes"])
    return [e * reciprocal(sum_of_shares_op(e, axes=op.params["axes"]))]


def _log_total(e: Any, axes: tuple[int, ...]) -> Any:
    """The logarithm of a sum of shares, in float64: near 0 a float32 would have lost all but the largest of them."""
    return log(sum_op(cast_to(e, "float64"), axes=axes))


def _log_softmax(op: Any, x: Any) -> list[Any]:
    _, shifted, e = _exps(x, op.params["axes"])
    return [cast_to(cast_to(shifted, "float64") - _log_total(e, op.params["axes"]), x.type.dtype)]


def _logsumexp(op: Any, x: Any) -> list[Any]:
    top, _, e = _exps(x, op.params["axes"])
    return [cast_to(cast_to(top, "float64") + _log_total(e, op.params["axes"]), x.type.dtype)]


def _rows_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    return Cost(flops=40.0 * float(np.prod(ins[0])))


@structural(
    "block",
    name="softmax",
    signature="x->x",
    dtypes="f->f",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [out * (dy - sum_op(mul(dy, out), axes=op.params["axes"]))],
    kernels=_softmax,
    cost=_rows_cost,
    image=(0.0, 1.0),
    total=1.0,
    keeps_order=True,
    real="exp(x) / total(exp(x), axes)",
    translated="unchanged",
)
def softmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """exp(x) / sum(exp(x)) over axes, without overflow: the maximum is subtracted first."""
    _, shifted = _shifted(x, axes)
    e = np.exp(shifted)
    return (e / np.sum(e, axis=axes, keepdims=True, dtype=np.float64)).astype(x.dtype)


@structural(
    "block",
    name="log_softmax",
    signature="x->x",
    dtypes="f->f",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [dy - exp(out) * sum_op(dy, axes=op.params["axes"])],
    kernels=_log_softmax,
    cost=_rows_cost,
    image=(-float("inf"), 0.0),
    keeps_order=True,
    real="x - log(total(exp(x), axes))",
    translated="unchanged",
    logarithm_of="softmax",
)
def log_softmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """x - log(sum(exp(x))) over axes, without overflow and without the logarithm of 0."""
    _, shifted = _shifted(x, axes)
    total = np.sum(np.exp(shifted), axis=axes, keepdims=True, dtype=np.float64)
    return (shifted - np.log(total)).astype(x.dtype)


@structural(
    "block",
    name="logsumexp",
    signature="x->x[axes:=1]",
    dtypes="f->f",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [dy * softmax_op(inputs[0], axes=op.params["axes"])],
    kernels=_logsumexp,
    cost=_rows_cost,
    reduces="logaddexp",
    real="log(total(exp(x), axes))",
    translated="moved",
)
def logsumexp_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """log(sum(exp(x))) over axes, without overflow; -inf over an axis of length 0."""
    top, shifted = _shifted(x, axes)
    return (top + np.log(np.sum(np.exp(shifted), axis=axes, keepdims=True, dtype=np.float64))).astype(x.dtype)
