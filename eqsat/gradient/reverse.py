"""Reverse-mode differentiation: from a scalar cost to the graphs of its gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from eqsat.base.notices import warn
from eqsat.base.scopes import whole_scope
from eqsat.errors import (
    ArgumentError,
    DisconnectedInputError,
    DTypeError,
    NullTypeGradError,
    RankError,
)
from eqsat.gradient.masks import sum_of_masked
from eqsat.gradient.node import connections, dtype_of, input_grads
from eqsat.gradient.undefined import DisconnectedType, is_disconnected, is_null
from eqsat.graph.constant import as_tensor, cast_to, constant, pad_left
from eqsat.graph.core import Apply, Variable, one_line, user_line
from eqsat.graph.dtypes import COMPLEX, FLOATS, INEXACT
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.walk import toposort


def grad(
    cost: Any,
    wrt: Any,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
    add_names: bool = True,
    known_grads: Mapping[Variable, Any] | None = None,
    return_disconnected: str = "zero",
    null_gradients: str = "raise",
    g_cost: Any = None,
    warn_type: bool = False,
) -> Any:
    """Gradient of a scalar cost with respect to a variable or a list, tuple or dict of them.

    ``consider_constant`` lists variables through which no gradient flows further; their own are known. ``known_grads`` maps variables to
    their whole gradients, to which nothing is added; with them ``cost`` may be None. ``disconnected_inputs`` ("raise", "warn",
    "ignore") says what happens for a variable that the cost does not depend on, ``return_disconnected``
    ("zero", "None", "Disconnected") what is returned for it. ``null_gradients`` ("raise", "return") is for
    gradients that an op of the user calls undefined. ``g_cost`` scales the result and has the type of the cost.
    ``add_names`` names gradients ``(dcost/dx)``, ``warn_type`` warns where a type is not that of the variable.

    Integers have gradients of zeros in float64, and none flows through them. An op without a gradient on the way
    raises NullTypeGradError, a GradientError that names the op.

    Shapes   cost: f[] -> for each variable a tensor of its own type
    Errors   RankError where the cost is not a scalar; DTypeError where it is not floating;
             DisconnectedInputError for a variable that the cost does not depend on

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(x**2, x).eval({x: 3.0}))
    6.0
    """
    given = known_grads or {}
    with one_line(user_line()):
        start = (
            _known(given) if cost is None or cost in given else _known(given) | {cost: _seed(cost, g_cost)}
        )
    if cost is None and not given:
        raise ArgumentError("grad: neither a cost nor known_grads is given")
    return _gradients(
        wrt,
        start,
        frozenset(given),
        cost=cost,
        consider_constant=consider_constant,
        disconnected_inputs=disconnected_inputs,
        add_names=add_names,
        return_disconnected=return_disconnected,
        null_gradients=null_gradients,
        warn_type=warn_type,
    )


def seeded_grad(wrt: Any, seeds: Mapping[Variable, Any], **options: Any) -> Any:
    """``grad`` of the sum of ``v * g`` for the seeds ``{v: g}``, of which one may depend on another."""
    with one_line(user_line()):
        start = _known(seeds)
    return _gradients(wrt, start, frozenset(), **options)


def _gradients(
    wrt: Any,
    start: Mapping[Variable, Any],
    final: frozenset[Variable],
    *,
    cost: Any = None,
    consider_constant: Iterable[Variable] | None = None,
    disconnected_inputs: str = "raise",
    add_names: bool = True,
    return_disconnected: str = "zero",
    null_gradients: str = "raise",
    warn_type: bool = False,
) -> Any:
    """Gradients from those of the start; to those in ``final`` nothing is added."""
    check_choice("grad", "disconnected_inputs", disconnected_inputs, ("raise", "warn", "ignore"))
    check_choice("grad", "return_disconnected", return_disconnected, ("zero", "None", "Disconnected"))
    check_choice("grad", "null_gradients", null_gradients, ("raise", "return"))
    names = list(wrt) if isinstance(wrt, Mapping) else []
    targets = list(wrt.values()) if isinstance(wrt, Mapping) else listed(wrt)
    check_variables("grad", targets)
    cut = frozenset(consider_constant or ())
    with one_line(user_line()):
        grads = backpropagate(start, targets, frozenset(), stop=cut, final=final)
        connected = _depends_on(start, targets, cut)
        results = []
        for t in targets:
            found = _defined(t, grads.get(t), null_gradients)
            results.append(_finish(cost, t, found, t in connected, disconnected_inputs, return_disconnected))
    for t, g in zip(targets, results, strict=True):
        note_reads([g], [*start, t])
    for t, g in zip(targets, results, strict=True):
        if add_names and cost is not None and cost.name and t.name and g is not None and g.name is None:
            g.name = f"(d{cost.name}/d{t.name})"
        if warn_type and g is not None and g.type != t.type:
            message = f"grad: the gradient for {t} is {g.type.short()}, the variable {t.type.short()}"
            warn(message)
    return dict(zip(names, results, strict=True)) if isinstance(wrt, Mapping) else shaped_like(wrt, results)


def note_reads(results: Sequence[Any], sources: Sequence[Variable]) -> None:
    """Note on derivatives what they are of: a function of one may be given all inputs of the other.

    The derivative of ``3 * x`` does not read x, but whoever asks for it thinks of a function of x.
    """
    notes: list[Any] = [g.tag for g in results if isinstance(g, Variable)]
    for note in notes:
        note.reads = (*getattr(note, "reads", ()), *sources)


def listed(value: Any) -> list[Any]:
    """The items of a list or tuple; anything else alone in a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def shaped_like(model: Any, results: list[Any]) -> Any:
    """Results as a list, a tuple or the only one, as the model is."""
    return results if isinstance(model, list) else tuple(results) if isinstance(model, tuple) else results[0]


def check_variables(name: str, targets: Sequence[Any]) -> None:
    """Raise ArgumentError for a thing that is not a variable."""
    for target in targets:
        if not isinstance(target, Variable):
            raise ArgumentError(f"{name}: {target!r} is not a variable", needs="a variable or a list of them")


def _defined(target: Variable, value: Any, policy: str) -> Any:
    if value is not None and is_null(value) and policy == "raise":
        raise NullTypeGradError(
            f"grad: {value.type.why_null}", operands=[(str(target), target)], hint="null_gradients='return'"
        )
    return value


def check_choice(where: str, name: str, value: str, choices: Sequence[str]) -> None:
    """Raise ArgumentError for a value that an argument does not take."""
    if value not in choices:
        raise ArgumentError(f"{where}: {name} does not take {value!r}", among=(value, choices))


def _known(given: Mapping[Variable, Any]) -> dict[Variable, Any]:
    """Gradients that are given, in floating dtypes and of the variables' ranks; a number is that of every element.

    Those of variables on which no cost depends are left out.
    """
    known: dict[Variable, Any] = {}
    for variable, value in given.items():
        if isinstance(value, Variable) and (is_disconnected(value) or is_null(value)):
            known |= {variable: value} if is_null(value) else {}
            continue
        g, kind = as_tensor(value), cast(Any, variable.type)
        if g.ndim not in (0, kind.ndim):
            raise RankError(
                f"grad: the known gradient of {variable} has {g.ndim} dimensions",
                operands=[(str(variable), variable), ("gradient", g)],
            )
        g = cast_to(g, _gradient_dtype(variable, g))
        known[variable] = (
            g if g.ndim == kind.ndim else fill(cast_to(variable, g.type.dtype), pad_left(g, kind.ndim))
        )
    return known


def _seed(cost: Any, g_cost: Any) -> Any:
    """The gradient of a cost: 1, or what is given."""
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
    return constant(np.ones((), kind.dtype)) if g_cost is None else _given_cost(cost, g_cost)


def _gradient_dtype(variable: Any, given: Any) -> str:
    """The dtype of a gradient: that of the variable, a floating one for integers."""
    own = variable.type.dtype
    return own if own in INEXACT else given.type.dtype if given.type.dtype in INEXACT else "float64"  # type: ignore[no-any-return]


def _given_cost(cost: Any, g_cost: Any) -> Any:
    """The gradient given for the cost; raises where it has not the cost's type."""
    given, kind = as_tensor(g_cost), cost.type
    if given.type.ndim != 0:
        raise RankError(
            f"grad: g_cost has {given.type.ndim} dimensions, the cost has none",
            operands=[("cost", cost), ("g_cost", given)],
        )
    if isinstance(g_cost, Variable) and given.type.dtype != kind.dtype and given.type.dtype in INEXACT:
        raise DTypeError(
            f"grad: g_cost is {given.type.dtype}, the cost {kind.dtype}",
            operands=[("cost", cost), ("g_cost", given)],
            hint=f"g_cost.astype({kind.dtype!r})",
        )
    return cast_to(given, kind.dtype)


def _depends_on(
    start: Mapping[Variable, Any], targets: Sequence[Variable], cut: frozenset[Variable]
) -> set[Variable]:
    reached = set(start)
    for node in reversed(toposort(list(start), stop=cut)):
        for v, row in zip(node.inputs, connections(node), strict=True):
            if any(c and o in reached for c, o in zip(row, node.outputs, strict=True)):
                reached.add(v)
    return {t for t in targets if t in reached}


def _finish(cost: Any, target: Any, value: Any, connected: bool, policy: str, missing: str) -> Any:
    if value is not None:
        return value
    if not connected:
        shown = f"the cost {cost.name}" if getattr(cost, "name", None) else "the cost"
        message = f"grad: {shown} does not depend on {target}"
        if policy == "raise":
            raise DisconnectedInputError(
                message,
                operands=[*([("cost", cost)] if isinstance(cost, Variable) else []), (str(target), target)],
                hint="T.grad(..., disconnected_inputs='ignore')",
            )
        if policy == "warn":
            warn(message)
        if missing != "zero":
            return None if missing == "None" else DisconnectedType()()
    return zeros_like(target) if dtype_of(target) in INEXACT else zeros_like(target, "float64")


def backpropagate(
    start: Mapping[Variable, Any],
    targets: Sequence[Variable],
    cut: frozenset[Variable],
    stop: frozenset[Variable] = frozenset(),
    final: frozenset[Variable] = frozenset(),
) -> dict[Variable, Any]:
    """Gradients of all variables between the start and the targets, each op visited once.

    No gradient flows to the variables of ``cut``, none through those of ``stop``, and none is added to ``final``.
    """
    nodes = toposort(list(start), stop=cut | stop)
    kept = [*targets, *cut, *stop, *final]
    if any(str(node.op) == "ifelse" for node in nodes) and (new := _branches_inside(start, kept)):
        moved = {new.get(v, v): g for v, g in start.items()}
        ends = [frozenset(new.get(v, v) for v in end) for end in (cut, stop, final)]
        found = backpropagate(moved, [new.get(t, t) for t in targets], *ends)
        return {t: found[new.get(t, t)] for t in targets if new.get(t, t) in found}
    wanted = _wanted(nodes, targets, cut)
    grads, closed = dict(start), cut | final
    for node in reversed(nodes):
        if not any(v in wanted for v in node.inputs):
            continue
        given = [grads.get(v) for v in node.outputs]
        if all(g is None for g in given):
            continue
        with whole_scope(node.outputs[0].scope):
            for variable, piece in zip(node.inputs, input_grads(node, given, wanted), strict=True):
                if piece is not None and variable in wanted and variable not in closed:
                    grads[variable] = _sum(grads.get(variable), piece)
    return grads


def _branches_inside(start: Iterable[Variable], keep: Sequence[Variable]) -> dict[Variable, Any]:
    """The graph with branches inside their ifelse, so that gradients run one of them only."""
    from eqsat.graph.control.branches import lazy_form

    return lazy_form(list(start), keep)


def _sum(old: Any, piece: Any) -> Any:
    """Sum of two gradients for one variable; one that is not defined makes the sum so."""
    if old is None or is_null(piece):
        return piece
    return old if is_null(old) else sum_of_masked(old, piece)


def _wanted(nodes: Sequence[Apply], targets: Sequence[Variable], cut: frozenset[Variable]) -> set[Variable]:
    """Variables on a path from a target to the start."""
    wanted: set[Variable] = {t for t in targets if t not in cut}
    for node in nodes:
        if any(v in wanted for v in node.inputs):
            rows = [row for v, row in zip(node.inputs, connections(node), strict=True) if v in wanted]
            outputs = [v for k, v in enumerate(node.outputs) if any(row[k] for row in rows)]
            wanted.update(v for v in outputs if v not in cut)
    return wanted
