"""Symbols for the lengths of matrices: two that must be equal have one, whether the length is known or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable

Symbol = Any  # a known length, or (variable, axis)

# rules on matrices are loaded for graphs with any of these
MATRIX_OPS = {
    "diagonal",
    "set_diagonal",
    "inv",
    "solve",
    "solve_triangular",
    "cholesky",
    "det",
    "gather_2",
    "gather_3",
    "kron",
}
SQUARE = {"lu_factors", "inv", "solve", "solve_triangular", "cholesky", "det"}
SAME = {"inv", "cholesky", "set_diagonal", "set_part", "cumsum", "specify_shape"}


def is_identity(data: Any) -> bool:
    """True for a unit matrix."""
    if data.ndim != 2 or data.shape[0] != data.shape[1] or data[0, 0] != 1:
        return False
    return bool(np.count_nonzero(data) == len(data) and (np.diagonal(data) == 1).all())


def matrix_lengths(variables: Sequence[Variable], nodes: Sequence[Apply]) -> Iterator[tuple[int, int, int]]:
    """Number of each matrix, and the symbols of its lengths as integers: known ones are not negative."""
    table = Lengths()
    for node in nodes:
        table.learn(node)
    numbers: dict[Symbol, int] = {}
    for k, v in enumerate(variables):
        if getattr(v.type, "ndim", 0) == 2:
            found = [table.root(table.of(v, axis)) for axis in (0, 1)]
            codes = [s if isinstance(s, int) else numbers.setdefault(s, -1 - len(numbers)) for s in found]
            yield k, codes[0], codes[1]


class Lengths:
    """Symbols that are joined as the ops of a graph are seen to need equal lengths."""

    def __init__(self) -> None:
        self.parent: dict[Symbol, Symbol] = {}
        self.symbols: dict[tuple[Variable, int], Symbol] = {}

    def root(self, s: Symbol) -> Symbol:
        """The symbol that stands for all that are equal to one."""
        while s in self.parent:
            s = self.parent[s]
        return s

    def join(self, a: Symbol, b: Symbol) -> None:
        """State that two lengths are equal; a known one stands for both."""
        a, b = self.root(a), self.root(b)
        if a != b and not (isinstance(a, int) and isinstance(b, int)):
            self.parent.update({b: a} if isinstance(a, int) else {a: b})

    def of(self, v: Any, axis: int) -> Symbol:
        """The symbol of one length of a tensor."""
        known = v.type.shape[axis]
        return known if known is not None else self.symbols.get((v, axis), (v, axis))

    def learn(self, node: Any) -> None:
        """Lengths of the results of a node, and what it asks of its operands."""
        out, name = node.outputs[0], getattr(node.op, "name", "")
        if not hasattr(out.type, "shape"):
            return
        if name in SQUARE and node.inputs[0].ndim == 2:
            self.join(self.of(node.inputs[0], 0), self.of(node.inputs[0], 1))
        if name == "dot":
            self.join(self.of(node.inputs[0], 1), self.of(node.inputs[1], 0))
        for axis in range(out.ndim):
            found = self.sources(node, name, axis)
            if found:
                self.symbols[out, axis] = found[0]
                for other in found[1:]:
                    self.join(found[0], other)

    def sources(self, node: Any, name: str, axis: int) -> list[Symbol]:
        """The symbols to which a length of the result is equal."""
        x = node.inputs[0] if node.inputs else None
        kind = getattr(getattr(node.op, "declaration", None), "kind", "")
        if kind == "elemwise":
            return [self.of(v, axis) for v in node.inputs if v.type.shape[axis] != 1]
        if name == "dimshuffle":
            place = node.op.params["pattern"][axis]
            return [] if place == "x" else [self.of(x, place)]
        if name == "dot":
            return [self.of(node.inputs[axis], axis)]
        if name == "alloc":
            return [self.number(node.inputs[1 + axis])]
        if name in SAME:
            return [self.of(x, axis)]
        return [self.of(node.inputs[1], axis)] if name.startswith("solve") else []

    def number(self, v: Any) -> Symbol:
        """The symbol of a length that is given as a number."""
        if isinstance(v, Constant):
            return int(v.data)
        if v.owner is not None and v.owner.op.name == "length":
            return self.of(v.owner.inputs[0], v.owner.op.params["axis"])
        return (v, -1)
