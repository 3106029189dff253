"""The graph of one step: what fn computes of variables for one time, and what it takes from around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eqsat.errors import ArgumentError, DTypeError, EqsatError, MissingInputError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant, Variable, next_number
from eqsat.graph.dtypes import FLOATS, promote
from eqsat.graph.ops.shape import specify, unbroadcast_like
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.scan.arguments import Input, Returned, State, as_returned
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
    fixed = [v if isinstance(v, Variable) else as_tensor(v) for v in listed]
    while True:
        start = next_number()
        rows = [s.inner() for s in inputs]
        values = [s.inner() for s in states or ()]
        made = as_returned(fn(*flat(rows), *flat(values), *fixed))
        if states is None:
            states, values = [State() for _ in made.outputs], [[] for _ in made.outputs]
        if len(states) != len(made.outputs):
            raise ArgumentError(
                f"scan: fn returns {len(made.outputs)} outputs, outputs_info has {len(states)} items",
                needs="an item for each output, None for one that is no state",
            )
        wider = [_widened(s, v, k) for k, (s, v) in enumerate(zip(states, made.outputs, strict=True))]
        if all(a.kind == b.kind for a, b in zip(states, wider, strict=True)):
            return _step(made, inputs, states, rows, values, fixed, strict, start)
        states = wider


def _widened(state: State, out: Any, k: int) -> State:
    """The state with a type that holds both its initial value and what a step computes."""
    if not state.taps:
        return state
    have, want = state.kind, out.type
    where: Any = {"operands": [("initial value", state.initial), (f"output {k}", out)]}
    text = f"scan: the values of output {k} begin as {have.short()}, a step gives {want.short()}"
    if have.ndim != want.ndim:
        raise RankError(text, **where, needs="one number of dimensions")
    dtype = promote(have.dtype, want.dtype)
    if dtype != have.dtype and not (isinstance(state.initial, Constant) or have.dtype in FLOATS):
        raise DTypeError(text, **where, needs="one dtype", hint=f"initial.astype({want.dtype!r})")
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
    strict: bool,
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
    if strict and around:
        raise MissingInputError(
            f"scan: fn uses {', '.join(map(str, around))}, which strict=True does not allow",
            operands=[(str(v), v) for v in around],
            hint="list it in non_sequences",
        )
    return Step(inputs, states, rows, values, outputs, made.condition, shared, own, [*listed, *around])


def _updates(made: Returned, start: int) -> dict[Any, Any]:
    """Next values of the shared variables that fn updates, and of those that it has made with an update of their own."""
    found: dict[Any, Any] = {}
    for s, value in made.updates:
        if not hasattr(s, "get_value"):
            raise ArgumentError(
                f"scan: fn updates {s}, which is not shared", hint="w = eqsat.shared(value, 'w')"
            )
        found[s] = _next_value(s, value)
    work = [*made.outputs, *found.values(), *([] if made.condition is None else [made.condition])]
    while work:
        fresh = [v for v in graph_inputs(work) if getattr(v, "born", -1) > start and v not in found]
        more = {v: _next_value(v, v.default_update) for v in fresh if v.default_update is not None}  # type: ignore[attr-defined]
        found.update(more)
        work = list(more.values())
    return found


def _next_value(s: Any, value: Any) -> Any:
    try:
        v = as_tensor(value)
    except EqsatError:
        raise ArgumentError(f"scan: the update of {s} is {value!r}", needs="a variable or a number") from None
    fits = v.type.ndim == s.type.ndim and promote(v.type.dtype, s.type.dtype) == s.type.dtype
    if not fits:
        raise DTypeError(
            f"scan: {s} is {s.type.short()}, its update {v.type.short()}",
            operands=[(str(s), s), ("update", v)],
        )
    return specify(unbroadcast_like(cast_to(v, s.type.dtype), s), s.type.shape)


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
            fixed.update(node.outputs)
    note(roots)
    return list(found)


def _is_leaf(v: Any, inside: set[Any]) -> bool:
    return v.owner is None and not isinstance(v, Constant) and v not in inside
