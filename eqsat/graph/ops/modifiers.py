"""Ops that are the identity but for gradients; they are taken out of a graph before it is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.batch_rules import elementwise
from eqsat.graph.core import Variable
from eqsat.graph.declare import DeclaredOp, structural
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import clip, mul
from eqsat.graph.ops.shape import FREE
from eqsat.graph.parameters import PATTERN
from eqsat.graph.walk import rebuild, toposort

IDENTITY: dict[str, Any] = {
    "identity": True,
    "opaque": True,
    "signature": "x->x",
    "builder": "shape.same",
    "cost": FREE,
    "batch": elementwise,
}


def _number(value: float, model: Any) -> Any:
    return np.asarray(value, model.type.dtype)


def _clip_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    return [clip(dy, *(_number(op.params[name], dy) for name in ("low", "high")))]


def _scale_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    return [mul(dy, _number(op.params["factor"], dy))]


@structural(
    "view",
    name="clip_gradient",
    parameters={"low": PATTERN, "high": PATTERN},
    linear="x",
    grad=_clip_grad,
    **IDENTITY,
)
def clip_gradient(x: Any, *, low: float, high: float) -> Any:
    """x itself; a gradient that flows back is limited to the range from low to high."""
    return x


@structural("view", name="scale_gradient", parameters={"factor": PATTERN}, grad=_scale_grad, **IDENTITY)
def scale_gradient(x: Any, *, factor: float) -> Any:
    """x itself; a gradient that flows back is multiplied by a number."""
    return x


@structural(
    "view",
    name="zero_gradient",
    grad=lambda op, inputs, out, dy: [zeros_like(inputs[0]) if out.type.dtype in INEXACT else None],
    **IDENTITY,
)
def zero_gradient(x: Any) -> Any:
    """x itself; the gradient that flows back is zero."""
    return x


@structural(
    "view",
    name="disconnect_gradient",
    connected=False,
    grad=lambda op, inputs, out, dy: [None],
    **IDENTITY,
)
def disconnect_gradient(x: Any) -> Any:
    """x itself; for gradients the result does not depend on it."""
    return x


PLACES = ("cuda", "cpu")


@structural(
    "view",
    name="transfer",
    parameters={"to": PATTERN},
    linear="x",
    grad=lambda op, inputs, out, dy: [dy],
    **IDENTITY,
)
def transfer_op(x: Any, *, to: str) -> Any:
    """x itself; as an output of a function it stays on the device, or comes to the processor."""
    return x


def transfer(x: Any, target: str) -> Any:
    """x itself. As an output of a function for CUDA it stays on the device: a call gives an ``eqsat.cuda.Array``.

    ``transfer("cpu")`` undoes it. Inside a graph it says nothing.

    Errors   ArgumentError for another target

    >>> import eqsat.tensor as T
    >>> T.dvector("x").transfer("cuda").type
    <TensorType(float64, (?,))>
    """
    if target not in PLACES:
        raise ArgumentError(
            f"transfer: there is no place {target!r}", operands=[(str(x), x)], among=(target, PLACES)
        )
    return transfer_op(x, to=target)


def stays(output: Any) -> bool:
    """True for an output that stays on the device."""
    op: Any = None if output.owner is None else output.owner.op
    return is_identity(op) and op.name == "transfer" and op.params["to"] == "cuda"


def is_identity(op: Any) -> bool:
    """True for an op whose result is its operand."""
    return isinstance(op, DeclaredOp) and op.declaration.identity


def without_identities(outputs: Sequence[Variable], inputs: Sequence[Variable] = ()) -> list[Variable]:
    """The outputs with the ops of this file taken out; a graph without any stays as it is."""
    nodes = toposort(outputs, stop=inputs)
    if not any(is_identity(node.op) for node in nodes):
        return list(outputs)
    new: dict[Variable, Variable] = {}
    for node in nodes:
        operands = [new.get(v, v) for v in node.inputs]
        if is_identity(node.op):
            new[node.outputs[0]] = operands[0]
        elif any(v in new for v in node.inputs):
            new.update(zip(node.outputs, rebuild(node, operands), strict=True))
    return [new.get(v, v) for v in outputs]
