"""Every rewrite by value: all e-nodes of a saturated e-graph are computed, and those of one class compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.egraph.encode import Encoded
from eqsat.egraph.saturate import APP, ARR, LEAF, NUM, Saturated, number_value
from eqsat.graph.core import Variable
from eqsat.graph.declare import OPS, find_op

Values = dict[int, list[tuple[str, Any]]]


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
    return None


def _broadcasts(a: Any, b: Any) -> bool:
    """Equal shapes; a number stands for any array of length-1 axes."""
    return a.shape == b.shape or (a.size == b.size == 1)


def _apart(v: Any, first: Any, precision: float) -> bool:
    good = np.isfinite(v) & np.isfinite(first)
    room = precision * (np.max(np.abs(first[good]), initial=0.0) + 1e-3)
    return bool(np.any(np.abs(np.where(good, v, 0) - np.where(good, first, 0)) > room))
