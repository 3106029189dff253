"""The distinct computations of a graph: applications of equal ops to equal operands count once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Constant
from eqsat.graph.walk import toposort


def distinct(outputs: Sequence[Any]) -> dict[Any, list[Any]]:
    """The applications of each distinct computation, in order."""
    number: dict[Any, Any] = {}
    found: dict[Any, list[Any]] = {}

    def key(v: Any) -> Any:
        if isinstance(v, Constant):
            return ("constant", v.type, v.data.tobytes())
        return number.get(v, v)

    for node in toposort(outputs):
        same = (node.op, tuple(key(v) for v in node.inputs))
        found.setdefault(same, []).append(node)
        first = found[same][0]
        for v, w in zip(node.outputs, first.outputs, strict=True):
            number[v] = w
    return found
