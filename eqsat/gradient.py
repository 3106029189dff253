"""Reverse-mode differentiation: from a scalar cost to the graphs of its gradients."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from eqsat.errors import (
    ArgumentError,
    DisconnectedInputError,
    DTypeError,
    EqsatWarning,
    GradientError,
    RankError,
)
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Apply, Constant, Variable, one_line, user_line
from eqsat.graph.declare import Declaration, DeclaredOp
from eqsat.graph.dtypes import COMPLEX, FLOATS, INEXACT
from eqsat.graph.ops.complex import conj, real
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import add
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import specify, unbroadcast_like
from eqsat.graph.walk import ancestors, toposort


def grad(
    cost: Any,
    wrt: Any,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
    known_grads: Mapping[Variable, Any] | None = None,
    return_disconnected: str = "zero",
    g_cost: Any = None,
) -> Any:
    """Gradient of a scalar cost with respect to a variable or a list of them.

    ``consider_constant`` lists variables through which no gradient flows. ``known_grads`` maps variables to
    gradients that are given, with which ``cost`` may be None. ``disconnected_inputs`` ("raise", "warn",
    "ignore") says what happens for a variable that the cost does not depend on, ``return_disconnected``
    ("zero", "None") what is returned for it. ``g_cost`` scales the result.

    Shapes   cost: f[] -> for each variable a tensor of its own type
    Errors   RankError where the cost is not a scalar; DTypeError where it is not floating;
             DisconnectedInputError for a variable that the cost does not depend on

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(x**2, x).eval({x: 3.0}))
    6.0
    """
    _check_choice("disconnected_inputs", disconnected_inputs, ("raise", "warn", "ignore"))
    _check_choice("return_disconnected", return_disconnected, ("zero", "None"))
    targets = list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
    for target in targets:
        if not isinstance(target, Variable):
            raise ArgumentError(f"grad: {target!r} is not a variable", needs="a variable or a list of them")
    with one_line(user_line()):
        start = _start(cost, g_cost, known_grads)
        grads = backpropagate(start, targets, frozenset(consider_constant or ()))
        connected = _depends_on(start, targets, frozenset(consider_constant or ()))
        results = []
        for t in targets:
            found = grads.get(t)
            results.append(_finish(cost, t, found, t in connected, disconnected_inputs, return_disconnected))
    return results if isinstance(wrt, list) else tuple(results) if isinstance(wrt, tuple) else results[0]


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ArgumentError(f"grad: {name} does not take {value!r}", needs="one of " + ", ".join(choices))


def _start(cost: Any, g_cost: Any, known: Mapping[Variable, Any] | None) -> dict[Variable, Any]:
    start: dict[Variable, Any] = {}
    for variable, value in (known or {}).items():
        given = as_tensor(value)
        if given.ndim != variable.type.ndim:  # type: ignore[attr-defined]
            raise RankError(
                f"grad: the known gradient of {variable} has {given.ndim} dimensions",
                operands=[(str(variable), variable), ("gradient", given)],
            )
        start[variable] = cast_to(given, variable.type.dtype)  # type: ignore[attr-defined]
    if cost is None:
        if not start:
            raise ArgumentError("grad: neither a cost nor known_grads is given")
        return start
    if not isinstance(cost, Variable):
        raise ArgumentError(f"grad: the cost {cost!r} is not a variable")
    kind: Any = cost.type
    if kind.ndim != 0:
        raise RankError(
            f"grad: the cost {cost} has {kind.ndim} dimensions, not 0",
            operands=[("cost", cost)],
            hint="T.grad(cost.sum(), wrt)",
        )
    if kind.dtype not in FLOATS:
        raise DTypeError(
            f"grad: the cost {cost} is {kind.dtype}, which has no gradient",
            operands=[("cost", cost)],
            needs="a floating dtype",
            hint="T.real(cost) or T.abs(cost)" if kind.dtype in COMPLEX else None,
        )
    first = constant(np.ones((), kind.dtype)) if g_cost is None else cast_to(as_tensor(g_cost), kind.dtype)
    start[cost] = add(start[cost], first) if cost in start else first
    return start


def _depends_on(
    start: Mapping[Variable, Any], targets: Sequence[Variable], cut: frozenset[Variable]
) -> set[Variable]:
    reached = {v for v in ancestors([v for v in start if v not in cut], stop=cut) if v not in cut}
    return {t for t in targets if t in reached or t in start}


def _finish(cost: Any, target: Any, value: Any, connected: bool, policy: str, missing: str) -> Any:
    if value is not None:
        return value
    if not connected:
        message = f"grad: {cost} does not depend on {target}"
        if policy == "raise":
            raise DisconnectedInputError(
                message, operands=[(str(target), target)], hint="T.grad(..., disconnected_inputs='ignore')"
            )
        if policy == "warn":
            warnings.warn(message, EqsatWarning, stacklevel=3)
        if missing == "None":
            return None
    return zeros_like(target) if target.type.dtype in INEXACT else zeros_like(target, "float64")


def backpropagate(
    start: Mapping[Variable, Any], targets: Sequence[Variable], cut: frozenset[Variable]
) -> dict[Variable, Any]:
    """Gradients of all variables between the start and the targets, each op visited once."""
    nodes = toposort(list(start), stop=cut)
    wanted = _wanted(nodes, targets, cut)
    grads: dict[Variable, Any] = dict(start)
    for node in reversed(nodes):
        if not any(v in wanted for v in node.inputs):
            continue
        given = [grads.get(v) for v in node.outputs]
        if all(g is None for g in given):
            continue
        for variable, piece in zip(node.inputs, input_grads(node, given, wanted), strict=True):
            if piece is not None and variable in wanted and variable not in cut:
                grads[variable] = add(grads[variable], piece) if variable in grads else piece
    return grads


def _wanted(nodes: Sequence[Apply], targets: Sequence[Variable], cut: frozenset[Variable]) -> set[Variable]:
    """Variables on a path from a target to the start."""
    wanted: set[Variable] = {t for t in targets if t not in cut}
    for node in nodes:
        if any(v in wanted for v in node.inputs):
            wanted.update(v for v in node.outputs if v not in cut)
    return wanted


def input_grads(node: Apply, given: Sequence[Any], wanted: set[Variable]) -> list[Any]:
    """Gradient for each input of a node, cast and summed to the input's type; None where there is none."""
    op = node.op
    if not isinstance(op, DeclaredOp):
        full = [zeros_like(v) if g is None else g for v, g in zip(node.outputs, given, strict=True)]
        try:
            pieces = op.grad(node.inputs, full)
        except NotImplementedError:
            raise _no_gradient(node) from None
    elif not any(v.type.dtype in INEXACT for v in node.outputs):  # type: ignore[attr-defined]
        return [None] * len(node.inputs)
    else:
        pieces = _conjugated(node, op.declaration, given)
    return [_fitted(v, p) if v in wanted else None for v, p in zip(node.inputs, pieces, strict=True)]


def _no_gradient(node: Apply) -> GradientError:
    return GradientError(
        f"grad: {node.op} has no gradient",
        operands=[(str(v), v) for v in node.inputs],
        hint="give the op a grad method, or list its output in consider_constant",
    )


def _conjugated(node: Apply, declaration: Declaration, given: Sequence[Any]) -> Sequence[Any]:
    """Gradients of an op; that of a function of complex numbers needs its derivative conjugated.

    With z = x + iy the gradient of a real cost is dc/dx + i dc/dy. Through w = f(z) it is dy * conj(f'(z)).
    """
    if not declaration.conjugates() or node.outputs[0].type.dtype not in COMPLEX:  # type: ignore[attr-defined]
        return _declared_grads(node, declaration, given)
    pieces = _declared_grads(node, declaration, [None if dy is None else conj(dy) for dy in given])
    return [None if p is None else conj(p) for p in pieces]


def _declared_grads(node: Apply, declaration: Declaration, given: Sequence[Any]) -> Sequence[Any]:
    if declaration.grad is None:
        if any(v.type.dtype in INEXACT for v in node.inputs):  # type: ignore[attr-defined]
            raise _no_gradient(node)
        return [None] * len(node.inputs)
    if declaration.kind != "elemwise":
        one = declaration.outputs == 1
        outputs, gradients = (node.outputs[0], given[0]) if one else (node.outputs, given)
        return declaration.grad(node.op, node.inputs, outputs, gradients)  # type: ignore[no-any-return]
    known = dict(zip(declaration.tensors, node.inputs, strict=True))
    known |= {"out": node.outputs[0], "dy": given[0], "op": node.op}  # type: ignore[dict-item]
    result = declaration.grad(*(known[name] for name in _names(declaration.grad)))
    return result if isinstance(result, (tuple, list)) else [result]


@cache
def _names(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _fitted(variable: Any, piece: Any) -> Any:
    if piece is None or variable.type.dtype not in INEXACT:
        return None
    if variable.type.dtype in FLOATS:
        piece = real(piece)
    piece = cast_to(piece, variable.type.dtype)
    return piece if piece.type is variable.type else sum_to(piece, variable)


def sum_to(piece: Any, variable: Any) -> Any:
    """Tensor summed over the axes on which a variable was broadcast, so that it has the variable's type."""
    shape = variable.type.shape
    axes = tuple(a for a, n in enumerate(piece.type.shape) if n != 1 and shape[a] == 1)
    piece = unbroadcast_like(sum_op(piece, axes=axes) if axes else piece, variable)
    return specify(piece, shape)


def is_constant(variable: Variable) -> bool:
    """True for a variable whose value is in the graph."""
    return isinstance(variable, Constant)
