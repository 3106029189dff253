"""Graphs as bytes and back, as flat lists of nodes, so that depth does not matter."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import graph_inputs, toposort


def dumps(variables: Sequence[Variable]) -> bytes:
    """Bytes of variables with the graphs they depend on; shared variables keep their values.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> (y,) = loads(dumps([T.exp(x)]))
    >>> y
    exp.0
    >>> y.owner.inputs
    [x]
    """
    number: dict[Variable, int] = {}
    leaves = graph_inputs(variables)
    rows = []
    for v in leaves:
        number[v] = len(number)
        rows.append((type(v), v.type, v.name, v.made_at, _value(v)))
    nodes = []
    for node in toposort(variables):
        ins = [number[v] for v in node.inputs]
        for v in node.outputs:
            number[v] = len(number)
        nodes.append((node.op, ins, [(type(v), v.type, v.name, v.made_at) for v in node.outputs]))
    return pickle.dumps((rows, nodes, [number[v] for v in variables]))


def loads(data: bytes) -> list[Any]:
    """The variables that ``dumps`` was given, as new objects."""
    rows, nodes, roots = pickle.loads(data)
    made: list[Any] = []
    for cls, kind, name, place, value in rows:
        made.append(_leaf(cls, kind, name, value))
        made[-1].made_at = place
    for op, ins, outs in nodes:
        outputs = []
        for cls, kind, name, place in outs:
            outputs.append(cls(kind, None, None, name))
            outputs[-1].made_at = place
        Apply(op, [made[i] for i in ins], outputs)
        made.extend(outputs)
    return [made[i] for i in roots]


def _value(v: Any) -> Any:
    if isinstance(v, Constant):
        return v.data
    return v.get_value() if hasattr(v, "get_value") else None


def _leaf(cls: Any, kind: Any, name: str | None, value: Any) -> Any:
    if issubclass(cls, Constant) or hasattr(cls, "get_value"):
        return cls(kind, value, name)
    return cls(kind, None, None, name)
