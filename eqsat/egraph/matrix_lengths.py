"""Symbols for the lengths of matrices: two that must be equal have one, whether the length is known or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.base.one_of_equals import Equals
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.shapes import bound
from eqsat.lengths.expression import At, Length, Value

Symbol = Any  # a known length, or (variable, axis)


def is_identity(data: Any) -> bool:
    """True for a unit matrix."""
    if data.ndim != 2 or data.shape[0] != data.shape[1] or data[0, 0] != 1:
        return False
    return bool(np.count_nonzero(data) == len(data) and (np.diagonal(data) == 1).all())


def matrix_lengths(variables: Sequence[Variable], nodes: Sequence[Apply]) -> Iterator[tuple[int, int, int]]:
    """Number of each matrix, and the symbols of its lengths as integers: known ones are not negative."""
    table = Symbols()
    for node in nodes:
        table.learn(node)
    numbers: dict[Symbol, int] = {}
    for k, v in enumerate(variables):
        if getattr(v.type, "ndim", 0) == 2:
            found = [table.root(table.of(v, axis)) for axis in (0, 1)]
            codes = [s if isinstance(s, int) else numbers.setdefault(s, -1 - len(numbers)) for s in found]
            yield k, codes[0], codes[1]


class Symbols(Equals):
    """Symbols that are joined as the ops of a graph are seen to need equal lengths; a known length stands for itself."""

    def __init__(self) -> None:
        super().__init__()
        self.symbols: dict[tuple[Variable, int], Symbol] = {}

    def of(self, v: Any, axis: int) -> Symbol:
        """The symbol of one length of a tensor."""
        known = v.type.shape[axis]
        return known if known is not None else self.symbols.get((v, axis), (v, axis))

    def learn(self, node: Any) -> None:
        """Lengths of the results of a node, and what it asks of its operands, by its signature."""
        op = node.op
        found = bound(op, node.inputs) if hasattr(op, "declaration") else None
        if found is None:
            return
        for equal in found.equal:
            self.shared([self.of(node.inputs[k], axis) for k, axis in equal.places])
        for out, lengths in zip(node.outputs, found.results, strict=True):
            for axis, n in enumerate(lengths):
                symbols = self.symbols_of(n, node.inputs)
                if symbols:
                    self.symbols[out, axis] = symbols[0]
                    self.shared(symbols)

    def shared(self, symbols: Sequence[Symbol]) -> None:
        """State that lengths are equal."""
        for other in symbols[1:]:
            self.join(symbols[0], other)

    def symbols_of(self, n: Length, inputs: Sequence[Any]) -> list[Symbol]:
        """The symbols to which a length of a result is equal; none where it is computed."""
        if isinstance(n, At):
            return [self.of(inputs[k], axis) for k, axis in n.places]
        return [self.number(inputs[n.operand])] if isinstance(n, Value) else []

    def number(self, v: Any) -> Symbol:
        """The symbol of a length that is given as a number."""
        if isinstance(v, Constant):
            return int(v.data)
        if v.owner is not None and v.owner.op.name == "length":
            return self.of(v.owner.inputs[0], v.owner.op.params["axis"])
        return (v, -1)
