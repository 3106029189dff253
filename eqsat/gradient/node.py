"""Reverse mode through one node: the gradient of each input from those of the outputs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from eqsat.errors import DeclarationError, NullTypeGradError
from eqsat.gradient.masks import masked, unmasked
from eqsat.gradient.undefined import grad_not_implemented, is_disconnected, is_null
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import Declaration, DeclaredOp
from eqsat.graph.dtypes import COMPLEX, FLOATS, INEXACT
from eqsat.graph.ops.complex import conj, real
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.sum_to import sum_to


def dtype_of(variable: Any) -> str:
    """Dtype of a tensor; empty for other variables."""
    return str(getattr(variable.type, "dtype", ""))


def connections(node: Apply) -> list[list[bool]]:
    """For each input and each output of a node, whether the output depends on the input for gradients."""
    op: Any = node.op
    if isinstance(op, DeclaredOp):
        return [[op.declaration.connected] * len(node.outputs)] * len(node.inputs)
    pattern = getattr(op, "connection_pattern", None)
    if pattern is None:
        return [[True] * len(node.outputs)] * len(node.inputs)
    return [list(row) for row in pattern(node)]


def input_grads(node: Apply, given: Sequence[Any], wanted: set[Variable]) -> list[Any]:
    """Gradient for each input of a node, cast and summed to the input's type; None where there is none."""
    null = next((g for g in given if g is not None and is_null(g)), None)
    if null is not None:
        pieces: Sequence[Any] = [null if any(row) else None for row in connections(node)]
    elif not isinstance(node.op, DeclaredOp):
        pieces = _user_grads(node, given)
    elif not any(dtype_of(v) in INEXACT for v in node.outputs):
        return [None] * len(node.inputs)
    else:
        pieces = _declared(node, given, wanted)
    return [_fitted(v, p) if v in wanted else None for v, p in zip(node.inputs, pieces, strict=True)]


def _declared(node: Apply, given: Sequence[Any], wanted: set[Variable]) -> Sequence[Any]:
    """Gradients that a declaration gives; those of elementwise ops keep the masks of the gradient that they are made of."""
    declaration = node.op.declaration  # type: ignore[attr-defined]
    if declaration.kind != "elemwise" or given[0] is None:
        return _conjugated(node, declaration, given)
    bare, masks = unmasked(given[0])
    pieces = _conjugated(node, declaration, [bare, *given[1:]])
    return [
        given[0] if p is bare else masked(p, masks) if v in wanted else None
        for v, p in zip(node.inputs, pieces, strict=True)
    ]


def _user_grads(node: Apply, given: Sequence[Any]) -> Sequence[Any]:
    full = [
        zeros_like(v) if g is None and dtype_of(v) else g for v, g in zip(node.outputs, given, strict=True)
    ]
    try:
        pieces = node.op.L_op(node.inputs, node.outputs, full)
    except NullTypeGradError:  # an op in the graph that this one holds
        raise
    except NotImplementedError:
        raise no_gradient(node) from None
    pieces = _one_each(node, pieces)
    reached = [any(c and g is not None for c, g in zip(row, given, strict=True)) for row in connections(node)]
    return [
        p if there and p is not None and not is_disconnected(p) else None
        for p, there in zip(pieces, reached, strict=True)
    ]


def no_gradient(node: Apply) -> NullTypeGradError:
    """The error for an op that cannot be differentiated."""
    way = "grad= in its declaration" if isinstance(node.op, DeclaredOp) else "the op a grad method"
    return NullTypeGradError(
        f"grad: {node.op} has no gradient",
        operands=[(str(v), v) for v in node.inputs],
        hint=f"give {way}, or list its output in consider_constant",
        op=node.op,
    )


def _conjugated(node: Apply, declaration: Declaration, given: Sequence[Any]) -> Sequence[Any]:
    """Gradients of an op; that of a function of complex numbers needs its derivative conjugated.

    With z = x + iy the gradient of a real cost is dc/dx + i dc/dy. Through w = f(z) it is dy * conj(f'(z)).
    """
    if not declaration.conjugates() or dtype_of(node.outputs[0]) not in COMPLEX:
        return declared_grads(node, declaration, given)
    pieces = declared_grads(node, declaration, [None if dy is None else conj(dy) for dy in given])
    return [None if p is None else conj(p) for p in pieces]


def declared_grads(node: Apply, declaration: Declaration, given: Sequence[Any]) -> Sequence[Any]:
    """The gradients that the declaration gives for the inputs, unchecked."""
    if declaration.grad is None:
        if any(dtype_of(v) in INEXACT for v in node.inputs):
            raise no_gradient(node)
        return [None] * len(node.inputs)
    if declaration.kind != "elemwise":
        one = declaration.outputs == 1
        outputs, gradients = (node.outputs[0], given[0]) if one else (node.outputs, given)
        return _counted(node, declaration, declaration.grad(node.op, node.inputs, outputs, gradients))
    known = dict(zip(declaration.tensors, node.inputs, strict=True))
    known |= {"out": node.outputs[0], "dy": given[0], "op": node.op}  # type: ignore[dict-item]
    result = declaration.grad(*(known[name] for name in _names(declaration.grad)))
    return _counted(node, declaration, result if isinstance(result, (tuple, list)) else [result])


def _counted(node: Apply, declaration: Declaration, given: Any) -> Sequence[Any]:
    """Gradients, of which a declaration gives one for each operand; a text says why there is none."""
    names = "" if declaration.variadic else f" ({', '.join(declaration.tensors)})"
    return [
        grad_not_implemented(node.op, k, v, g) if isinstance(g, str) else g
        for k, (v, g) in enumerate(zip(node.inputs, _one_each(node, given, names), strict=True))
    ]


def _one_each(node: Apply, given: Any, names: str = "") -> list[Any]:
    """The gradients of the operands that an op gives: variables, text, or numbers and arrays, which become variables.

    Errors   DeclarationError where they are no list, not as many as there are operands, or of fewer axes than their operands
    """
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, (Variable, str)) else None
    if listed is None or len(listed) != len(node.inputs):
        said = repr(given) if listed is None else f"{len(listed)} gradients"
        raise DeclarationError(
            f"{node.op}: grad gives {said} for {len(node.inputs)} operands{names}",
            operands=[(str(v), v) for v in node.inputs],
            needs="a list with one for each operand, None where there is none",
        )
    pieces: list[Any] = [g if g is None or isinstance(g, (Variable, str)) else as_tensor(g) for g in listed]
    for v, g in zip(node.inputs, pieces, strict=True):
        kind: Any = v.type
        axes = getattr(getattr(g, "type", None), "ndim", None)
        if dtype_of(v) in INEXACT and axes is not None and axes < kind.ndim:
            raise DeclarationError(
                f"{node.op}: grad gives a gradient of {axes} axes for an operand of {kind.ndim}",
                operands=[(str(v), v), ("gradient", g)],
                needs="the axes of the operand; others, and those along which it has length 1, are summed",
            )
    return pieces


@cache
def _names(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _fitted(variable: Any, piece: Any) -> Any:
    if piece is None or is_null(piece):
        return piece
    if dtype_of(variable) not in INEXACT:
        return None
    if dtype_of(variable) in FLOATS:
        piece = real(piece)
    piece = cast_to(piece, variable.type.dtype)
    return piece if piece.type is variable.type else sum_to(piece, variable)


def is_constant(variable: Variable) -> bool:
    """True for a variable whose value is in the graph."""
    return isinstance(variable, Constant)


__all__ = ["connections", "declared_grads", "input_grads", "is_constant", "no_gradient", "sum_to"]
