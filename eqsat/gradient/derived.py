"""Functions that use both modes: products with Jacobians, whole Jacobians and Hessians, parts of a gradient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.gradient.forward import Rop, direction
from eqsat.gradient.reverse import (
    backpropagate,
    check_variables,
    grad,
    listed,
    note_reads,
    seeded_grad,
    shaped_like,
)
from eqsat.graph.batching import batch
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Variable, one_line, user_line
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.create import arange, zeros_like
from eqsat.graph.ops.elemwise import add, eq, mul
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.specify import specify
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import clone_with


def Lop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
    return_disconnected: str = "zero",
) -> Any:
    """A vector times the Jacobian of f: the gradient of sum(f * eval_points), shaped as wrt.

    Shapes   an eval point of the shape of each f -> for each variable of wrt a tensor of its type
    Errors   as ``grad``; ArgumentError where f and eval_points differ in number

    >>> import eqsat.tensor as T
    >>> x, v = T.dvectors("x", "v")
    >>> Lop(x**2, x, v).eval({x: [1.0, 2.0], v: [1.0, 10.0]})
    array([ 2., 40.])
    """
    outputs, points = listed(f), listed(eval_points)
    check_variables("Lop", outputs)
    if len(outputs) != len(points):
        raise ArgumentError(f"Lop: {len(outputs)} outputs and {len(points)} eval points")
    known: dict[Variable, Any] = {}
    with one_line(user_line()):
        for v, p in zip(outputs, points, strict=True):
            given = direction("Lop", v, p)
            if given is not None:
                known[v] = add(known[v], given) if v in known else given
    if not known:
        raise DTypeError("Lop: no output has a gradient", operands=[(str(v), v) for v in outputs])
    return seeded_grad(
        wrt,
        known,
        consider_constant=consider_constant,
        disconnected_inputs=disconnected_inputs,
        return_disconnected=return_disconnected,
    )


def jacobian(
    expression: Any,
    wrt: Any,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    """All derivatives of the elements of a tensor with respect to the elements of each variable of wrt.

    They are computed at once: the gradient graph of one element, batched over the elements.

    Shapes   expression: f[a, b], wrt: f[n] -> f[a, b, n]
    Errors   as ``grad``; BatchError, which names the op, for an op that cannot be batched

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> jacobian(x**2, x).eval({x: [1.0, 3.0]})
    array([[2., 0.],
           [0., 6.]])
    """
    check_variables("jacobian", [expression])
    if expression.type.dtype not in FLOATS:
        raise DTypeError(
            f"jacobian: {expression} is {expression.type.dtype}, which has no gradient",
            operands=[("expression", expression)],
        )
    targets = listed(wrt)
    with one_line(user_line()):
        one = TensorType(expression.type.dtype, shape=expression.type.shape)("dy")
        rows = grad(
            None,
            targets,
            consider_constant=consider_constant,
            known_grads={expression: one},
            disconnected_inputs=disconnected_inputs,
        )
        if expression.type.ndim == 0:
            results = clone_with(rows, {one: _one(expression)})
        else:
            lengths = [length(expression, a) for a in range(expression.type.ndim)]
            many = batch(rows, {one: _units(expression, lengths)})
            results = [_unfolded(m, expression, lengths, t) for m, t in zip(many, targets, strict=True)]
    for t, g in zip(targets, results, strict=True):
        note_reads([g], [expression, t])
    return shaped_like(wrt, results)


def _units(y: Any, lengths: Sequence[Any]) -> Any:
    """For each element of y a tensor of its shape with 1 at that element and 0 elsewhere."""
    total = lengths[0]
    for n in lengths[1:]:
        total = mul(total, n)
    place = arange(total)
    table = cast_to(eq(dimshuffle(place, 0, "x"), dimshuffle(place, "x", 0)), y.type.dtype)
    return specify(reshape(table, (total, *lengths)), (None, *y.type.shape))


def _unfolded(many: Any, y: Any, lengths: Sequence[Any], target: Any) -> Any:
    own = [length(target, a) for a in range(target.type.ndim)]
    return specify(reshape(many, (*lengths, *own)), (*y.type.shape, *target.type.shape))


def hessian(
    cost: Any,
    wrt: Any,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    """Second derivatives of a scalar cost for each variable of wrt.

    Shapes   cost: f[], wrt: f[n] -> f[n, n]; a matrix f[a, b] gives f[a, b, a, b]

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> hessian((x**3).sum(), x).eval({x: [1.0, 2.0]})
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    targets = listed(wrt)
    with one_line(user_line()):
        first = grad(
            cost, targets, consider_constant=consider_constant, disconnected_inputs=disconnected_inputs
        )
        second = [
            jacobian(g, t, consider_constant=consider_constant, disconnected_inputs="ignore")
            for g, t in zip(first, targets, strict=True)
        ]
    return shaped_like(wrt, second)


def hessian_vector_product(cost: Any, wrt: Any, p: Any, **grad_options: Any) -> Any:
    """The Hessian of a scalar cost times a vector, without the Hessian; shaped as wrt.

    >>> import eqsat.tensor as T
    >>> x, p = T.dvectors("x", "p")
    >>> hessian_vector_product((x**3).sum(), x, p).eval({x: [1.0, 2.0], p: [1.0, 1.0]})
    array([ 6., 12.])
    """
    targets, points = listed(wrt), listed(p)
    if len(targets) != len(points):
        raise ArgumentError(f"hessian_vector_product: {len(targets)} variables and {len(points)} vectors")
    with one_line(user_line()):
        first = grad(cost, targets, **grad_options)
        vectors = [direction("hessian_vector_product", t, v) for t, v in zip(targets, points, strict=True)]
        fixed = [v.type() for v in vectors]  # a vector may depend on wrt, and is constant here
        product: Any = None
        for g, v in zip(first, fixed, strict=True):
            term = mul(g, v)
            term = dimshuffle(sum_op(term, axes=tuple(range(term.ndim)))) if term.ndim else term
            product = term if product is None else add(product, term)
        options = {**grad_options, "disconnected_inputs": "ignore"}
        found = grad(product, targets, **options)
        results = clone_with(found, dict(zip(fixed, vectors, strict=True)))
    note_reads(results, [cost, *vectors])
    return shaped_like(wrt, results)


def subgraph_grad(
    wrt: Sequence[Variable],
    end: Sequence[Variable],
    start: Mapping[Variable, Any] | None = None,
    cost: Any = None,
    details: bool = False,
) -> Any:
    """Gradients inside a part of a graph: from a cost, or from gradients that are given, back to ``end``.

    Returns the gradients of ``wrt`` and of ``end``, two lists; with ``details`` also the parts of both that come
    from ``start`` and from the cost. The gradients of ``end`` are the ``start`` of the part before it.

    >>> import eqsat.tensor as T
    >>> x, w = T.dscalars("x", "w")
    >>> hidden = x * x
    >>> dw, dhidden = subgraph_grad([w], [hidden], cost=hidden * w)
    >>> dx, _ = subgraph_grad([x], [], start={hidden: dhidden[0]})
    >>> float(dx[0].eval({x: 3.0, w: 5.0}))
    30.0
    """
    if start is None and cost is None:
        raise ArgumentError("subgraph_grad: neither a cost nor start is given")
    targets = list(dict.fromkeys([*wrt, *end]))
    check_variables("subgraph_grad", targets)
    with one_line(user_line()):
        parts = [
            None if given is None else _up_to(given, targets, end)
            for given in (start, None if cost is None else {_scalar(cost): _one(cost)})
        ]
        known = [p for p in parts if p is not None]
        total = known[0] if len(known) == 1 else [add(a, b) for a, b in zip(*known, strict=True)]
    note_reads(total, [*(start or ()), *([] if cost is None else [cost])])
    place = dict(zip(targets, total, strict=True))
    results = ([place[v] for v in wrt], [place[v] for v in end])
    return (*results, *parts) if details else results


def _scalar(cost: Any) -> Any:
    if cost.type.ndim != 0 or cost.type.dtype not in FLOATS:
        raise RankError(f"subgraph_grad: the cost {cost} is not a floating scalar", operands=[("cost", cost)])
    return cost


def _one(cost: Any) -> Any:
    return cast_to(as_tensor(1), cost.type.dtype)


def _up_to(start: Mapping[Variable, Any], targets: Sequence[Any], end: Sequence[Variable]) -> list[Any]:
    given = {v: direction("subgraph_grad", v, g) for v, g in start.items()}
    found = backpropagate(given, targets, frozenset(), stop=frozenset(end))
    return [found[t] if t in found else zeros_like(t) for t in targets]


pushforward = jacobian_vector_product = Rop
pullback = vector_jacobian_product = Lop
