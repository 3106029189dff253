"""Graphs as plain values, equal for equal graphs in every process: what keys on disk and tokens are hashes of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from eqsat.graph.control.ifelse import LazyIfElse
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.numbering import Numbering
from eqsat.scan.op import Scan


class GraphFacts:
    """Plain values of graphs with the graphs of the steps of their loops.

    ``other`` gives the values of an op of the user's, or of a constant that is no array; where it gives None, so does the graph.
    With ``lines`` names and lines of all variables count, else the names of inputs.
    """

    def __init__(self, lines: bool = True, other: Callable[[Any], Any] = lambda thing: None) -> None:
        self.lines, self.other = lines, other

    def of(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Any] | None:
        """The values of a graph."""
        numbering = Numbering({v: k for k, v in enumerate(inputs)})
        numbers = numbering.all(outputs)
        objects = {n: v.data for v, n in numbering.known.items() if isinstance(v, Constant)}
        told: dict[Any, Any] = {}
        keys = [self._key(n, key, objects, told) for n, key in enumerate(numbering.keys)]
        if None in keys:
            return None
        if self.lines:
            said = [(n, v.name, v.made_at, v.scope, repr(v.type)) for v, n in numbering.known.items()]
            return [keys, numbers, said]
        return [keys, numbers, [(v.name, repr(v.type)) for v in inputs]]

    def _key(self, number: int, key: Any, objects: dict[int, Any], told: dict[Any, Any]) -> Any:
        """The values of one number of a numbering; ``told`` has those of ops."""
        kind, rest = key[0], key[1:]
        if kind == "constant":
            *facts, data = rest
            return [kind, repr(facts), hashlib.sha256(data).digest()]
        if kind == "given":
            return list(key)
        if kind == "object":
            found = self.other(objects[number])
            return None if found is None else [kind, repr(rest[0]), found]
        if kind == "variable":
            return None
        op, operands = kind
        if op not in told:
            told[op] = self.of_op(op)
        return told[op] and [told[op], operands, rest]

    def of_op(self, op: Any) -> Any:
        """The values of an op; None where it is not known to be the same in another process."""
        if is_ours(op):
            return [op.name, repr(op.values)]
        if type(op) is LazyIfElse:
            sides = [self.of(g.inputs, g.outputs) for g in op.graphs]
            return None if None in sides else [op.name, op.then_inputs, sides]
        if type(op) is not Scan or op.own_mode is not None:
            return self.other(op)
        inside = self.of(op.inner_inputs, op.inner_outputs)
        return inside and [op.name, repr(op.info), op.truncate_gradient, op.checkpoint, inside]


def is_ours(op: Any) -> bool:
    """True for an op that comes with eqsat, whose declaration the digest of the sources covers."""
    return isinstance(op, DeclaredOp) and op.declaration.meaning.__module__.startswith("eqsat.")
