"""Forward mode: how outputs change when inputs change in given directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.base.notices import warn
from eqsat.base.scopes import whole_scope
from eqsat.errors import ArgumentError, DisconnectedInputError, NullTypeGradError, RankError
from eqsat.gradient.node import connections, declared_grads, dtype_of, input_grads
from eqsat.gradient.reverse import (
    backpropagate,
    check_choice,
    check_variables,
    listed,
    note_reads,
    shaped_like,
)
from eqsat.gradient.undefined import DisconnectedType, is_disconnected, is_null
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Apply, Variable, one_line, user_line
from eqsat.graph.declare import Declaration, DeclaredOp
from eqsat.graph.dtypes import COMPLEX, INEXACT
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import add, fill
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.walk import toposort


def Rop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    disconnected_outputs: str = "raise",
    return_disconnected: str = "zero",
) -> Any:
    """Jacobian of f times a vector: the change of f when each variable of wrt changes by its eval point.

    ``f`` and ``wrt`` are variables or lists; the result is shaped as f. Ops of the user give ``R_op``, or a
    gradient, which is then differentiated once more. Integers do not change. ``disconnected_outputs`` and
    ``return_disconnected`` are as ``disconnected_inputs`` and ``return_disconnected`` of ``grad``.

    Shapes   for f: f[a] and an eval point of the shape of wrt -> f[a]
    Errors   NullTypeGradError, a NotImplementedError that names the op, where an op has no derivative;
             DisconnectedInputError for an output that depends on none of wrt

    >>> import eqsat.tensor as T
    >>> x, v = T.dvectors("x", "v")
    >>> Rop(x**2, x, v).eval({x: [1.0, 2.0], v: [1.0, 10.0]})
    array([ 2., 40.])
    """
    check_choice("Rop", "disconnected_outputs", disconnected_outputs, ("raise", "warn", "ignore"))
    check_choice("Rop", "return_disconnected", return_disconnected, ("zero", "None", "Disconnected"))
    outputs, targets, points = listed(f), listed(wrt), listed(eval_points)
    check_variables("Rop", [*outputs, *targets])
    if len(targets) != len(points):
        raise ArgumentError(f"Rop: {len(targets)} variables and {len(points)} eval points")
    with one_line(user_line()):
        start = {t: direction("Rop", t, p) for t, p in zip(targets, points, strict=True)}
        known = push(start, outputs)
        reached = _reached(start, outputs)
        results = []
        for v in outputs:
            found = known.get(v)
            if found is None and v not in reached:
                found = _disconnected(v, targets, disconnected_outputs, return_disconnected)
            elif found is None:
                found = _zeros(v)
            results.append(found)
    note_reads(results, outputs)
    return shaped_like(f, results)


def _zeros(v: Any) -> Any:
    return zeros_like(v, v.type.dtype if dtype_of(v) in INEXACT else "float64")


def direction(name: str, variable: Any, point: Any) -> Any:
    """The eval point of a variable in the variable's type; None where the variable cannot change."""
    if point is None:
        return None
    given = as_tensor(point)
    if given.ndim != variable.type.ndim:
        raise RankError(
            f"{name}: the eval point of {variable} has {given.ndim} dimensions",
            operands=[(str(variable), variable), ("eval point", given)],
        )
    return _as_type(given, variable) if dtype_of(variable) in INEXACT else None


def _as_type(v: Any, model: Any) -> Any:
    """A tensor in the dtype and with the known lengths of a model of the same shape."""
    return specify(unbroadcast_like(cast_to(v, model.type.dtype), model), model.type.shape)


def _disconnected(v: Any, targets: Sequence[Any], policy: str, missing: str) -> Any:
    message = f"Rop: {v} does not depend on {', '.join(map(str, targets))}"
    if policy == "raise":
        hint = "T.Rop(..., disconnected_outputs='ignore')"
        raise DisconnectedInputError(message, operands=[(str(v), v)], hint=hint)
    if policy == "warn":
        warn(message)
    if missing == "zero":
        return _zeros(v)
    return None if missing == "None" else DisconnectedType()()


def _reached(start: Mapping[Variable, Any], outputs: Sequence[Variable]) -> set[Variable]:
    reached = set(start)
    for node in toposort(outputs, stop=start):
        rows = [row for v, row in zip(node.inputs, connections(node), strict=True) if v in reached]
        reached.update(v for k, v in enumerate(node.outputs) if any(row[k] for row in rows))
    return reached


def push(start: Mapping[Variable, Any], outputs: Sequence[Variable]) -> dict[Variable, Any]:
    """Tangents of all variables between the start and the outputs; those that are zero are missing."""
    known = {v: t for v, t in start.items() if t is not None}
    for node in toposort(outputs, stop=start):
        tangents = [known.get(v) for v in node.inputs]
        if all(t is None for t in tangents) or not any(dtype_of(v) in INEXACT for v in node.outputs):
            continue
        with whole_scope(node.outputs[0].scope):
            for v, t in zip(node.outputs, output_tangents(node, tangents), strict=True):
                if t is not None and dtype_of(v) in INEXACT:
                    known[v] = _fitted(t, v)
    return known


def _fitted(tangent: Any, out: Any) -> Any:
    """The tangent in the type of the output, repeated where an operand was broadcast."""
    short = any(t == 1 and n != 1 for t, n in zip(tangent.type.shape, out.type.shape, strict=True))
    return _as_type(fill(out, tangent) if short else tangent, out)


def output_tangents(node: Apply, tangents: Sequence[Any]) -> Sequence[Any]:
    """Tangent of each output of a node for tangents of its inputs, None for those that are zero."""
    op = node.op
    if not isinstance(op, DeclaredOp):
        return _user_tangents(node, tangents)
    kinds = {dtype_of(v) for v in (*node.inputs, *node.outputs)}
    if op.declaration.linear and op.declaration.kind != "elemwise":
        return [_linear(node, op.declaration, tangents)]
    if op.declaration.kind == "elemwise" and not kinds & set(COMPLEX):
        return [_diagonal(node, op.declaration, tangents)]
    return double_lop(node, tangents)


def _user_tangents(node: Apply, tangents: Sequence[Any]) -> Sequence[Any]:
    try:
        made = node.op.R_op(node.inputs, tangents)
    except NotImplementedError:
        return double_lop(node, tangents)
    made = made if isinstance(made, (list, tuple)) else [made]
    for t in made:
        if t is not None and is_null(t):
            raise _no_tangent(node, t.type.why_null)
    return [None if t is None or is_disconnected(t) else t for t in made]


def _diagonal(node: Apply, declaration: Declaration, tangents: Sequence[Any]) -> Any:
    """An elementwise op: each input's gradient is a product with dy, which is here the input's own tangent."""
    total: Any = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            try:
                piece = declared_grads(node, declaration, [tangent])[k]
            except NullTypeGradError:
                raise _no_tangent(node) from None
            total = piece if total is None else total if piece is None else add(total, piece)
    return total


def _linear(node: Apply, declaration: Declaration, tangents: Sequence[Any]) -> Any:
    """An op that is linear in groups of its inputs applies itself to their tangents, one group at a time."""
    names = [declaration.tensors[min(k, len(declaration.tensors) - 1)] for k in range(len(node.inputs))]
    total: Any = None
    for group in declaration.linear.split(","):
        members = [name in group.split() for name in names]
        if all(t is None for t, m in zip(tangents, members, strict=True) if m):
            continue
        operands = [
            v if not m else zeros_like(v) if t is None else t
            for v, t, m in zip(node.inputs, tangents, members, strict=True)
        ]
        piece = node.op(*operands)
        total = piece if total is None else add(total, piece)
    return total


def double_lop(node: Apply, tangents: Sequence[Any]) -> list[Any]:
    """Tangents from the gradient alone: it is linear in those of the outputs, and so its gradient is the answer."""
    cotangents = [zeros_like(v) if dtype_of(v) in INEXACT else None for v in node.outputs]
    wanted = {v for v, t in zip(node.inputs, tangents, strict=True) if t is not None}
    try:
        grads = input_grads(node, cotangents, wanted)
    except NullTypeGradError:
        raise _no_tangent(node) from None
    start: dict[Variable, Any] = {}
    for g, t in zip(grads, tangents, strict=True):
        if g is None or t is None:
            continue
        if is_null(g):
            raise _no_tangent(node, g.type.why_null)
        start[g] = add(start[g], t) if g in start else t
    cut = frozenset([*node.inputs, *node.outputs]) - set(start)
    found = backpropagate(start, [c for c in cotangents if c is not None], cut)
    return [None if c is None else found.get(c) for c in cotangents]


def _no_tangent(node: Apply, why: str | None = None) -> NullTypeGradError:
    return NullTypeGradError(
        f"Rop: {node.op} has neither an R_op nor a gradient" if why is None else f"Rop: {why}",
        operands=[(str(v), v) for v in node.inputs],
        hint="give the op an R_op or a grad method",
        op=node.op,
    )
