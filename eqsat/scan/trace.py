"""The graph of one step: what fn computes of variables for one time, and what it takes from around it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DTypeError, MissingInputError, RankError, ShapeError
from eqsat.graph.constant import cast_to
from eqsat.graph.core import Constant, Variable, next_number
from eqsat.graph.dtypes import FLOATS, promote
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.scan.returned import Returned, as_returned, next_value
from eqsat.scan.scan_arguments import Input, State, tensor_of
from eqsat.scan.utils import alike, flat


@dataclass
class Step:
    """One step: variables for rows of sequences and for values of states, and what is computed of them."""

    inputs: Sequence[Input]
    states: list[State]
    rows: list[list[Any]]
    values: list[list[Any]]
    outputs: list[Any]
    condition: Any
    shared: dict[Any, Any]  # shared variables and their next values
    own: list[Any]  # those of the shared variables that fn made
    fixed: list[Any]  # non-sequences: those that are listed, then what is used from around fn


def trace(
    fn: Callable[..., Any],
    inputs: Sequence[Input],
    states: list[State] | None,
    listed: Sequence[Any],
    strict: bool,
) -> Step:
    """Call fn with variables, again where the values of a state turn out to have another type than the initial one."""
    fixed = [
        v if isinstance(v, Variable) else tensor_of(f"non-sequence {k}", v) for k, v in enumerate(listed)
    ]
    shown = [v.type.make_variable(v.name) if strict and v.owner is not None else v for v in fixed]
    while True:
        start = next_number()
        rows = [s.inner() for s in inputs]
        values = [s.inner() for s in states or ()]
        made = as_returned(_call(fn, [*flat(rows), *flat(values)], shown))
        if states is None:
            states, values = [State() for _ in made.outputs], [[] for _ in made.outputs]
        if len(states) != len(made.outputs):
            raise ArgumentError(
                f"scan: fn returns {_many(len(made.outputs), 'output')}, outputs_info has {_many(len(states), 'item')}",
                operands=[(f"output {k}", v) for k, v in enumerate(made.outputs)],
                needs="an item for each output, None for one that is no state",
            )
        wider = [_widened(s, v, k) for k, (s, v) in enumerate(zip(states, made.outputs, strict=True))]
        if all(a.kind == b.kind for a, b in zip(states, wider, strict=True)):
            if strict:
                _check_listed(made, {*fixed, *shown}, start)
                made = made.replaced(dict(zip(shown, fixed, strict=True)))
            return _step(made, inputs, states, rows, values, fixed, start)
        states = wider


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _call(fn: Callable[..., Any], own: Sequence[Any], fixed: Sequence[Any]) -> Any:
    """fn of the variables of a step, where it takes as many; those of its own without a name get the parameter's."""
    given = [*own, *fixed]
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # written in C
        return fn(*given)
    try:
        signature.bind(*given)
    except TypeError:
        raise ArgumentError(
            f"scan: fn is called with {_many(len(given), 'variable')}, its parameters are {signature}",
            operands=[(str(v), v) for v in given],
            needs="a parameter for each tap of each sequence, each tap of each state, each non-sequence, in this order",
            hint=_lacking(signature, len(given)),
        ) from None
    for v, p in zip(own, signature.parameters.values(), strict=False):
        if p.kind is not p.VAR_POSITIONAL and v.name is None:
            v.name = p.name
    return fn(*given)


def _lacking(signature: inspect.Signature, given: int) -> str | None:
    """A hint that names the first parameter which nothing is passed for; None where something else is wrong."""
    lacking = [p for p in list(signature.parameters.values())[given:] if p.default is p.empty]
    if not lacking or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in lacking):
        return None
    return f"outputs_info=[...] with the initial value of {lacking[0]}, if it is the value at the step before"


def _widened(state: State, out: Any, k: int) -> State:
    """The state with a type that holds both its initial value and what a step computes."""
    if not state.taps:
        return state
    have, want = state.kind, out.type
    where: Any = {"operands": [("initial value", state.initial), (f"output {k}", out)]}
    text = f"scan: the values of output {k} begin as {have.short()}, a step gives {want.short()}"
    if have.ndim != want.ndim:
        stacked = "" if state.single else ", after the axis along which initial values are stacked"
        raise RankError(text, **where, needs=f"{_many(want.ndim, 'dimension')}{stacked}")
    dtype = promote(have.dtype, want.dtype)
    if dtype != have.dtype and not (isinstance(state.initial, Constant) or have.dtype in FLOATS):
        raise DTypeError(text, **where, needs="one dtype", hint=f"initial.astype({dtype!r})")
    shape = []
    for axis, (a, b) in enumerate(zip(have.shape, want.shape, strict=True)):
        if a is not None and b is not None and a != b:
            raise ShapeError(f"{text}: axis {axis} has lengths {a} and {b}", **where, needs="one length")
        shape.append(a if a == b else None)
    return replace(state, kind=TensorType(dtype, shape=shape))


def _step(
    made: Returned,
    inputs: Sequence[Input],
    states: list[State],
    rows: list[list[Any]],
    values: list[list[Any]],
    fixed: list[Any],
    start: int,
) -> Step:
    outputs = [
        v if not s.taps else alike(cast_to(v, s.kind.dtype), s.kind())
        for s, v in zip(states, made.outputs, strict=True)
    ]
    shared = _updates(made, start)
    roots = [*outputs, *shared.values(), *([] if made.condition is None else [made.condition])]
    own = [s for s in shared if getattr(s, "born", -1) > start]
    loop = {*flat(rows), *flat(values), *shared}
    listed = list(dict.fromkeys(v for v in fixed if v not in loop))
    around = _around(roots, loop, listed)
    return Step(inputs, states, rows, values, outputs, made.condition, shared, own, [*listed, *around])


def _check_listed(made: Returned, listed: set[Any], start: int) -> None:
    """Refuse shared variables that a step reads and that it was not given, does not update and has not made."""
    own = {*listed, *made.updates}
    shared = [v for v in graph_inputs(made.roots, listed) if hasattr(v, "get_value")]
    used = [v for v in shared if v not in own and getattr(v, "born", -1) <= start]
    if used:
        names = ", ".join(map(str, used))
        raise MissingInputError(
            f"scan: fn uses {names}, which strict=True asks to be listed",
            operands=[(str(v), v) for v in used],
            hint=f"non_sequences=[{names}]",
        )


def _updates(made: Returned, start: int) -> dict[Any, Any]:
    """Next values of the shared variables that fn updates, and of those that it has made with an update of their own."""
    found = {s: next_value(s, value) for s, value in made.updates.items()}
    work = [*made.roots, *found.values()]
    while work:
        fresh = [v for v in graph_inputs(work) if getattr(v, "born", -1) > start and v not in found]
        more = {v: next_value(v, v.default_update) for v in fresh if v.default_update is not None}  # type: ignore[attr-defined]
        found.update(more)
        work = list(more.values())
    return found


def _around(roots: Sequence[Any], loop: set[Any], listed: Sequence[Any]) -> list[Any]:
    """The variables that a step uses but does not compute: the latest ones that nothing of the loop enters."""
    inside: set[Any] = {*loop, *listed}
    fixed: set[Any] = set()  # neither of the loop nor made of constants alone
    found: dict[Any, None] = {}

    def note(variables: Sequence[Any]) -> None:
        found.update(dict.fromkeys(v for v in variables if v in fixed or _is_leaf(v, inside)))

    for node in toposort(roots, stop=inside):
        if any(v in inside for v in node.inputs):
            inside.update(node.outputs)
            note(node.inputs)
        elif any(v in fixed or _is_leaf(v, inside) for v in node.inputs):
            fixed.update(v for v in node.outputs if v not in inside)
    note(roots)
    return list(found)


def _is_leaf(v: Any, inside: set[Any]) -> bool:
    return v.owner is None and not isinstance(v, Constant) and v not in inside
