"""Every rewrite by value: all e-nodes of a saturated e-graph are computed, and those of one class compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.configuration import config
from eqsat.debug.suspects import suspects
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.saturate import APP, ARR, LEAF, NUM, Saturated, number_value, saturate
from eqsat.egraph.scheduler import Budget
from eqsat.errors import ArgumentError, DebugModeError, EqsatError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.tensor_type import shorten
from eqsat.graph.walk import graph_inputs
from eqsat.interpret import Interpreter
from eqsat.program import MOST_MATCHES
from eqsat.rules.rule import RuleSet

Values = dict[int, list[tuple[str, Any]]]


def check_classes(
    outputs: Sequence[Variable], given: Mapping[Variable | str, Any], rules: RuleSet, seconds: float
) -> None:
    """Compute every form that the rules make of a graph, at some inputs, and compare those that are said to be equal.

    Errors   DebugModeError with two forms that differ and the rules that are suspected; ArgumentError for a value that
             lacks, does not fit its variable, or is of none
    """
    data = checked_values(outputs, given)
    run = Interpreter(list(data), list(outputs))
    run.watch = lambda node, operands, results: data.update(zip(node.outputs, results, strict=True))
    run(*data.values())
    encoded = encode(list(outputs))
    precision = precision_of(encoded)
    data = {v: value for v, value in data.items() if isinstance(value, np.ndarray)}

    def wrong(chosen: RuleSet) -> tuple[str | None, Saturated]:
        saturated = saturate(encoded, chosen, Budget(config.egraph_nodes, MOST_MATCHES, seconds))
        return disagreement(class_values(encoded, saturated, data), precision), saturated

    complain(*wrong(rules), rules, lambda chosen: wrong(chosen)[0] is not None)


def checked_values(outputs: Sequence[Variable], given: Any) -> dict[Variable, Any]:
    """The values of the inputs of a graph, given by variable or name, as arrays of their types; shared ones have their own."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"check={shorten(given)} is not a dict", hint="check={x: [1.0, 2.0]}")
    inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
    shared: dict[Any, Any] = {v: v.container[0] for v in inputs if hasattr(v, "container")}
    data = shared | {_named(key, inputs): value for key, value in given.items()}
    missing = [v for v in inputs if v not in data]
    if missing:
        raise ArgumentError(f"check: there is no value of {missing[0]}", needs="a value of every input")
    return {v: _fitting(v, value) for v, value in data.items()}


def _named(key: Any, inputs: Sequence[Variable]) -> Variable:
    if isinstance(key, Variable):
        return key
    found = [v for v in inputs if v.name == key]
    if len(found) == 1:
        return found[0]
    said = f"{len(found)} inputs have that name" if found else "the graph reads no input of that name"
    raise ArgumentError(f"check: {key!r}: {said}", needs=", ".join(map(str, inputs)) or "no inputs")


def _fitting(variable: Any, value: Any) -> Any:
    """A value as an array of the type of its variable."""
    if not hasattr(variable.type, "dtype"):
        return value
    try:
        return variable.type.filter(value, allow_downcast=True)
    except (EqsatError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"check: {shorten(value)} is no value of {variable}: {str(error).splitlines()[0]}",
            operands=[(str(variable), variable)],
        ) from error


def precision_of(encoded: Encoded) -> float:
    """The part of the largest element by which forms may differ."""
    single = any(getattr(v.type, "dtype", "") == "float32" for v in encoded.variables)
    return 1e-3 if single else 1e-6


def complain(
    text: str | None, saturated: Saturated, rules: RuleSet, fails: Callable[[RuleSet], bool]
) -> None:
    """Raise where there is something to complain of, with the rules that are suspected."""
    if text is None:
        return
    fired = [r for r in rules if r.name in saturated.matches()]
    found = suspects(fails, fired, seconds=20.0)
    raise DebugModeError(
        f"two forms that the rules made equal differ: {text}",
        operands=[(r.name, f"{r} declared at {r.made_at}") for r in found],
        hint=f"eqsat rules verify, or eqsat.verify.verify of {' and '.join(r.name for r in found)}",
        rules=[r.name for r in found],
    )


def class_values(encoded: Encoded, saturated: Saturated, data: Mapping[Variable, Any]) -> Values:
    """Every value that the e-nodes of each class give, children taken from the first that was found.

    ``data`` holds values of variables of the graph: at least of its inputs, and of what opaque ops compute.
    """
    values: Values = {}
    for variable, number in encoded.number.items():
        if variable in data:
            cls = saturated.class_of[number]
            values.setdefault(cls, []).append((f"{variable} as written", data[variable]))
    waiting = [e for e in saturated.enodes if e.op != APP]
    while waiting:
        rest = []
        for e in waiting:
            if any(c not in values for c in e.children):
                rest.append(e)
                continue
            found = _value(e, encoded, [values[c][0][1] for c in e.children], data)
            if found is not None:
                values.setdefault(e.cls, []).append((_text(e), found))
        if len(rest) == len(waiting):
            break
        waiting = rest
    return values


def _text(e: Any) -> str:
    inside = [*(f"class {c}" for c in e.children), *map(str, e.params)]
    return f"{e.op}({', '.join(inside)})"


def _value(e: Any, encoded: Encoded, children: Sequence[Any], data: Mapping[Variable, Any]) -> Any:
    """What one e-node computes; None for a leaf without a value."""
    if e.op == LEAF:
        return data.get(encoded.leaves[e.params[0]])
    if e.op == NUM:
        return number_value(e.params)
    if e.op == ARR:
        written: Any = next(encoded.variables[k] for k, c in encoded.tables["in_arr"] if c == e.params[0])
        return written.data
    kinds = OPS[e.op].parameters.values()
    op = find_op(e.op, tuple(k.decode(p, encoded.codes) for k, p in zip(kinds, e.params, strict=True)))
    return np.asarray(op.compute(*children))


def disagreement(values: Values, precision: float) -> str | None:
    """Two e-nodes of a class that differ where both are finite, in words; None where all agree."""
    for cls, found in values.items():
        name, first = found[0]
        for other, v in found[1:]:
            if v.dtype != first.dtype or not _broadcasts(v, first):
                return f"class {cls}: {name} is {first.dtype}{first.shape}, {other} is {v.dtype}{v.shape}"
            if v.size and v.dtype.kind == "f" and _apart(v, first, precision):
                return f"class {cls}: {name} is {first.tolist()}, {other} is {v.tolist()}"
            if (
                v.dtype.kind == "f" and not np.isfinite(first).all()
            ):  # others are compared where this one has no value
                name, first = f"{name} or {other}", np.where(np.isfinite(first), first, v)
    return None


def _broadcasts(a: Any, b: Any) -> bool:
    """Equal shapes; a number stands for any array of length-1 axes."""
    return a.shape == b.shape or (a.size == b.size == 1)


def _apart(v: Any, first: Any, precision: float) -> bool:
    good = np.isfinite(v) & np.isfinite(first)
    room = precision * (np.max(np.abs(first[good]), initial=0.0) + 1e-3)
    return bool(np.any(np.abs(np.where(good, v, 0) - np.where(good, first, 0)) > room))
