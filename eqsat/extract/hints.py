"""Hints of the user about lengths that are not known until a function is called: checked, and spread through a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.errors import CostError
from eqsat.extract.lengths import Shares, Spread, Unknown, is_cut
from eqsat.graph.core import Apply, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.walk import graph_inputs

Hints = Mapping[Variable, Any]  # lengths of a tensor, None where nothing is said; the value of a whole number


def checked_hints(given: Any, outputs: Sequence[Variable]) -> Hints:
    """Hints by variable, where they may be given by name.

    Errors   CostError for a name or variable that the graph does not have, for a rank that is not the variable's, for
             something that is no length, and for a length that contradicts the variable's type
    """
    if not isinstance(given, Mapping):
        raise CostError(f"shape_hints: {given!r} is not a dict", hint="shape_hints={x: (1000, None)}")
    leaves: list[Any] = [v for v in graph_inputs(outputs) if v.name is not None or v in given]
    return {
        v: _checked(v, value) for v, value in ((_found(key, leaves), value) for key, value in given.items())
    }


def _found(key: Any, leaves: Sequence[Any]) -> Any:
    found = [v for v in leaves if v is key or isinstance(key, str) and v.name == key]
    if len(found) == 1:
        return found[0]
    names = ", ".join(str(v) for v in leaves) or "no variables"
    several = f": {len(found)} variables have that name" if found else ", which the graph does not read"
    raise CostError(
        f"shape_hints names {key}{several}", needs=f"inputs of the graph: {names}", among=(key, leaves)
    )


def _checked(variable: Any, value: Any) -> Any:
    facts: Any = {"operands": [(str(variable), variable)]}
    kind = variable.type
    if kind.ndim == 0:
        if kind.dtype not in INTEGERS or not _is_length(value):
            raise CostError(
                f"shape_hints: {variable} has no axes, {value!r} says nothing about it",
                needs="a whole number as the value of an integer variable, lengths for the others",
                **facts,
            )
        return int(value)
    lengths = (value,) if _is_length(value) else value
    if not isinstance(lengths, (tuple, list)) or not all(n is None or _is_length(n) for n in lengths):
        raise CostError(
            f"shape_hints: {value!r} are no lengths of {variable}",
            needs="a tuple of lengths or None",
            **facts,
        )
    if len(lengths) != kind.ndim:
        raise CostError(
            f"shape_hints: {tuple(lengths)} has {len(lengths)} lengths, {variable} has {kind.ndim} axes",
            **facts,
        )
    for axis, (hint, known) in enumerate(zip(lengths, kind.shape, strict=True)):
        if hint is not None and known is not None and hint != known:
            raise CostError(f"shape_hints: axis {axis} of {variable} has length {known}, not {hint}", **facts)
    return tuple(lengths)


def _is_length(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and int(value) >= 0


def hinted(encoded: Any, hints: Hints, model: Any) -> Spread:
    """Lengths of all variables of a graph: those hinted, those of shared values, else the default.

    Errors   CostError for hints that contradict each other or the graph
    """
    return assumed(Unknown(encoded.leaves, encoded.nodes), encoded.nodes, hints, model)


def assumed(
    unknown: Unknown,
    nodes: Sequence[Apply],
    hints: Hints,
    model: Any,
    chosen: Mapping[int, int] | None = None,
) -> Spread:
    """The same where which lengths are one is known already, and some are chosen."""
    lengths = dict.fromkeys(unknown.groups(), int(model.lengths((None,))[0]))
    lengths.update(said_lengths(unknown, hints))
    lengths.update(chosen or {})
    spread = Shares(
        model.lengths((None,))[0],
        unknown.shapes(lengths),
        {v: as_value(v, n) for v, n in hints.items() if isinstance(n, int)},
    )
    spread.nodes(nodes)
    return spread


def tell_lengths(leaves: Iterable[Any], nodes: Iterable[Apply]) -> bool:
    """True where lengths that types leave open are known or follow from others: those of values that shared variables hold,
    and those that are computed (of a reshape: 256 x 256 become 65,536)."""
    held = any(hasattr(v, "container") and None in getattr(v.type, "shape", ()) for v in leaves)
    return held or any(_computes_lengths(n.op) and None in n.outputs[0].type.shape for n in nodes)  # type: ignore[attr-defined]


def _computes_lengths(op: Any) -> bool:
    return isinstance(op, DeclaredOp) and bool(op.declaration.sized_by) and not is_cut(op)


def hint_products(encoded: Any, spread: Spread) -> None:
    """Let the brackets of long chains be those for the assumed lengths; where there are none, several guesses are tried."""
    rows = encoded.tables.get("in_sides", [])
    for i, (k, *sides) in enumerate(rows):
        shape = spread.of(encoded.variables[k])
        rows[i] = (k, *(s if s >= 0 or n is None else n for s, n in zip(sides, shape, strict=True)))


def as_value(variable: Any, n: int) -> Any:
    """A number as the variable holds it."""
    return np.array(n, variable.type.dtype)


def said_lengths(unknown: Unknown, hints: Hints) -> dict[int, int]:
    """The length of each unknown number that hints or the values of shared variables give."""
    found: dict[int, tuple[int, Any]] = {}
    for (leaf, axis), number in unknown.number.items():
        hint = hints.get(leaf, (None,) * (axis + 1))[axis]
        if hint is None:
            continue
        root = unknown.find(number)
        if not unknown.is_number(root) and root is not None and root != hint:
            raise CostError(
                f"shape_hints: axis {axis} of {leaf} must be {root} in this graph, not {hint}",
                operands=[(str(leaf), leaf)],
            )
        old, other = found.setdefault(root, (hint, leaf))
        if old != hint:
            raise CostError(
                f"shape_hints: axis {axis} of {leaf} is {hint}, but {old} by the hint for {other}, and the graph needs them equal",
                operands=[(str(leaf), leaf), (str(other), other)],
            )
    result = {root: length for root, (length, _) in found.items()}
    for (leaf, axis), number in unknown.number.items():
        if hasattr(leaf, "container") and leaf.container[0].shape[axis]:  # one that is empty will be filled
            result.setdefault(unknown.find(number), leaf.container[0].shape[axis])
    return result
