"""Parts that two graphs share: the same ops on the same operands, also inside loops."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.inner_graphs import FIXED, Inside, insides
from eqsat.graph.walk import ancestors, toposort
from eqsat.inspect.drawing.boxes import Unit


def common_units(before: Sequence[Variable], after: Sequence[Variable]) -> set[Unit]:
    """The nodes of two graphs whose structure occurs in both: equal ops on equal operands.

    Constants are equal by type and value, inputs if they are one object or the same in name and type; operands of a
    commutative op may come in any order.
    """
    numbers = structure_numbers(before, after)
    both = set(numbers[0].values()) & set(numbers[1].values())
    return {unit for side in numbers for unit, number in side.items() if number in both}


def structure_numbers(before: Sequence[Variable], after: Sequence[Variable]) -> list[dict[Unit, int]]:
    """For each node of two graphs a number, which is the same for the same structure."""
    table: dict[Hashable, int] = {}
    first, second = _leaves(before), _leaves(after)
    shared = first.keys() & second.keys()
    return [_numbers(before, first, shared, table), _numbers(after, second, shared, table)]


def _leaves(outputs: Sequence[Variable]) -> dict[Variable, Hashable]:
    """A key for each input that does not depend on its identity: name, type and how many before are alike."""
    keys: dict[Variable, Hashable] = {}
    alike: dict[Hashable, int] = {}
    for variable in ancestors(outputs):
        if variable.owner is None:
            key = (variable.name, variable.type)
            keys[variable] = (key, alike.get(key, 0))
            alike[key] = alike.get(key, 0) + 1
    return keys


def _numbers(
    outputs: Sequence[Variable],
    leaves: dict[Variable, Hashable],
    shared: set[Variable],
    table: dict[Hashable, int],
) -> dict[Unit, int]:
    """A number for each node, the same for the same structure."""
    found: dict[Unit, int] = {}
    for leaf, alike in leaves.items():
        key = _constant_key(leaf) if isinstance(leaf, Constant) else leaf if leaf in shared else alike
        found[leaf] = table.setdefault(key, len(table))
    _number_nodes(outputs, found, table)
    return found


def _number_nodes(outputs: Sequence[Variable], found: dict[Unit, int], table: dict[Hashable, int]) -> None:
    for node in toposort(outputs):
        operands = [(found[v.owner or v], v.index if v.owner else None) for v in node.inputs]
        if getattr(getattr(node.op, "declaration", None), "commutative", False):
            operands.sort(key=lambda pair: (pair[0], pair[1] or 0))
        found[node] = table.setdefault((_op_key(node), tuple(operands)), len(table))
        for graph in insides(node):
            _number_inside(node, graph, found, table)


def _number_inside(node: Apply, graph: Inside, found: dict[Unit, int], table: dict[Hashable, int]) -> None:
    """Numbers inside an op: an input that is the operand itself has its number, others go by what they are called."""
    inside: dict[Unit, int] = {}
    for v in ancestors(graph.results):
        if isinstance(v, Constant):
            inside[v] = table.setdefault(_constant_key(v), len(table))
        elif v.owner is None:
            inside[v] = table.setdefault(("own", v), len(table))
    for port in graph.inputs:
        outer = node.inputs[port.outer or 0]
        if port.kind == FIXED and outer.owner is None:
            inside[port.variable] = found[outer]
        elif port.variable is not None:
            key = ("inside", port.label, port.variable.type)
            inside[port.variable] = table.setdefault(key, len(table))
    _number_nodes(graph.results, inside, table)
    found.update(inside)


def _constant_key(constant: Constant) -> Hashable:
    data = constant.data
    return constant.type, data.tobytes() if isinstance(data, np.ndarray) else repr(data)


def _op_key(node: Apply) -> Hashable:
    """The op, or its identity where a user's op cannot be hashed."""
    try:
        hash(node.op)
    except TypeError:
        return id(node.op)
    return node.op
