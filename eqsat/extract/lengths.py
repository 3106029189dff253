"""Lengths that are assumed of a graph's variables where those of its inputs are assumed, and of parts of tensors.

Every op says which type its result has; asked about operands of known lengths it gives known lengths. So lengths
spread from the inputs by making each node once more, of stand-ins. Small integers spread as values, since a shape may be
computed from them. Where operands cannot have the lengths that are assumed of them (the default for two
lengths that must differ by one), what the types say without assumptions remains.

Which unknown lengths are one and the same is found by the same walk: each gets a number of its own, and two numbers that meet where
an op needs equal lengths belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations, islice, product
from math import prod
from typing import Any

import numpy as np

from eqsat.errors import EqsatError
from eqsat.extract.cost import Lengths
from eqsat.graph.constant import constant
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.parts import at_run_time, sliced_length, takes_all
from eqsat.graph.tensor_type import TensorType

MOST_TRIES = 200  # of ways in which unknown lengths of the operands of one op could be equal
MOST_VALUES = 32  # integers of one variable that are followed
FIRST = 1_000_003  # numbers that stand for unknown lengths; far apart, so that sums and differences are none of them
APART = 1_009
# by operands of assumed lengths or values, which need not fit one another; an op's meaning is NumPy, which raises the last two
UNFIT = (EqsatError, NotImplementedError, AssertionError, ArithmeticError, LookupError, ValueError)

Place = tuple[Variable, int]  # an axis of a leaf


class Spread:
    """Lengths and small integers of variables, spread node by node."""

    def __init__(self, lengths: Mapping[Variable, Lengths], values: Mapping[Variable, Any]) -> None:
        self.lengths: dict[Variable, Lengths] = dict(lengths)
        self.values: dict[Variable, Any] = dict(values)

    def of(self, variable: Any) -> Lengths:
        """Lengths of a variable, None where nothing is known or assumed."""
        found = self.lengths.get(variable)
        return found if found is not None else tuple(getattr(variable.type, "shape", ()))

    def stand_in(self, variable: Any) -> Any:
        """A variable of the assumed lengths, or a constant where the value is known."""
        if isinstance(variable, Constant):
            return variable
        if variable in self.values:
            return constant(self.values[variable])
        if variable not in self.lengths:
            return variable
        return TensorType(variable.type.dtype, shape=self.of(variable))()

    def nodes(self, nodes: Sequence[Apply]) -> None:
        """Spread through nodes, operands first."""
        for node in nodes:
            self.node(node)

    def node(self, node: Apply) -> None:
        """Lengths and values of the results of a node."""
        if not any(v in self.lengths or v in self.values for v in node.inputs):
            return
        try:
            for variable, shape in zip(node.outputs, self.made(node), strict=True):
                if shape is not None and shape != getattr(variable.type, "shape", None):
                    self.lengths[variable] = shape
            self.compute(node)
        except UNFIT:
            return

    def made(self, node: Apply) -> list[Lengths | None]:
        """Lengths of the results of a node of stand-ins."""
        op: Any = node.op
        if isinstance(op, DeclaredOp) and op.declaration.kind == "elemwise":
            return [self.broadcast(node, [self.of(v) for v in node.inputs])]
        outs = op.make_node(*map(self.stand_in, node.inputs)).outputs
        return [getattr(v.type, "shape", None) for v in outs]

    def broadcast(self, node: Apply, shapes: Sequence[Lengths]) -> Lengths:
        """Lengths of an elementwise result: the longest known one per axis."""
        kind: Any = node.outputs[0].type
        return tuple(
            n if n is not None else max((m for m in lengths if m not in (None, 1)), default=None)
            for n, lengths in zip(kind.shape, zip(*shapes, strict=True), strict=True)
        )

    def compute(self, node: Apply) -> None:
        """The value of a small integer result whose operands have known values, or that is a length."""
        op: Any = node.op
        out: Any = node.outputs[0]
        if not isinstance(op, DeclaredOp) or getattr(out.type, "dtype", "float")[:3] not in (
            "int",
            "uin",
            "boo",
        ):
            return
        if op.name == "length":
            known = self.of(node.inputs[0])[op.params["axis"]]
            if known is not None:
                self.values[out] = np.array(known, out.type.dtype)
            return
        shape, operands = self.of(out), [self.value(v) for v in node.inputs]
        short = None not in shape and prod(n or 0 for n in shape) <= MOST_VALUES
        timeless = op.declaration.kind != "loop"  # in a loop a value is another in each step
        if short and timeless and op.declaration.outputs == 1 and all(v is not None for v in operands):
            with np.errstate(all="ignore"):
                self.values[out] = np.asarray(op.compute(*operands), out.type.dtype)

    def value(self, variable: Any) -> Any:
        """The value of a variable where it is known."""
        return variable.data if isinstance(variable, Constant) else self.values.get(variable)


class Shares(Spread):
    """The same, with a length for every part and join: what bounds take of the whole, half of it where they are not known.

    ``usual`` is the length of an axis about which nothing is known.
    """

    def __init__(
        self, usual: float, lengths: Mapping[Variable, Lengths] | None = None, values: Any = None
    ) -> None:
        super().__init__(lengths or {}, values or {})
        self.usual = usual

    def node(self, node: Apply) -> None:
        if is_cut(node.op):
            of_type, found = self.of(node.outputs[0]), self.shares(node)
            self.lengths[node.outputs[0]] = tuple(s if n is None else n for n, s in zip(of_type, found))
        super().node(node)

    def shares(self, node: Apply) -> Lengths:
        """The lengths of a part or a join."""
        return shares(node.op, [self.of(v) for v in node.inputs], self.usual)

    def made(self, node: Apply) -> list[Lengths | None]:
        return [self.shares(node)] if is_cut(node.op) else super().made(node)


def is_cut(op: Any) -> bool:
    """True for an op that takes a part of a tensor or joins tensors."""
    return isinstance(op, DeclaredOp) and op.name in ("subtensor", "concatenate")


def shares(op: Any, shapes: Sequence[Lengths], usual: float) -> Lengths:
    """The lengths to reckon with of a part, which never has more than the whole, or of a join.

    >>> from eqsat.graph.ops.index import part_op
    >>> op = part_op.bind(pattern=(("slice", 1, None, None), ("slice", None, "?", None), ("int", 0)))
    >>> shares(op, [(None, 10, None)], 256.0)
    (255, 5)
    """
    if op.name == "concatenate":
        axis = op.params["axis"]
        joined = sum(int(usual) if s[axis] is None else s[axis] for s in shapes)  # type: ignore[misc]
        return (*shapes[0][:axis], joined, *shapes[0][axis + 1 :])
    pairs = zip(shapes[0], op.params["pattern"], strict=True)
    return tuple(share_of_axis(n, e, int(usual)) for n, e in pairs if e[0] == "slice")


def share_of_axis(n: int | None, entry: Any, usual: int) -> int | None:
    """The length to reckon with of a slice; None where it is that of the whole, which is not known."""
    if n is None and takes_all(entry, None):
        return None
    whole = usual if n is None else n
    return (whole + 1) // 2 if at_run_time(entry) else max(1, sliced_length(whole, entry) or 0)


class Unknown(Spread):
    """Finds which unknown lengths of the leaves of a graph are one and the same, or known after all."""

    def __init__(self, leaves: Sequence[Any], nodes: Sequence[Apply]) -> None:
        self.number: dict[Place, int] = {}
        shapes: dict[Variable, Lengths] = {}
        for leaf in leaves:
            shape = getattr(leaf.type, "shape", ())
            if None in shape and not isinstance(leaf, Constant):
                shapes[leaf] = tuple(self.fresh(leaf, a) if n is None else n for a, n in enumerate(shape))
        super().__init__(shapes, {})
        self.same: dict[int, int] = {}
        self.leaves = shapes
        for _ in range(3):
            before = len(self.same)
            self.nodes(nodes)
            if len(self.same) == before:
                break
            self.lengths = {leaf: self.found(shape) for leaf, shape in self.leaves.items()}
            self.values = {}

    def fresh(self, leaf: Variable, axis: int) -> int:
        """A number for an unknown length."""
        return self.number.setdefault((leaf, axis), FIRST + APART * len(self.number))

    def find(self, n: Any) -> Any:
        """The representative of a length: the number of its set of equal lengths, or a known length."""
        while n in self.same:
            n = self.same[n]
        return n

    def found(self, shape: Lengths) -> Lengths:
        """A shape with every length replaced by what stands for it."""
        return tuple(map(self.find, shape))

    def is_number(self, n: Any) -> bool:
        """True for a number that stands for an unknown length."""
        return (
            n is not None
            and n >= FIRST
            and not (n - FIRST) % APART
            and (n - FIRST) // APART < len(self.number)
        )

    def unite(self, a: Any, b: Any) -> bool:
        """Note that two lengths are one; False where neither is free."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return True
        if not self.is_number(b) or (self.is_number(a) and a > b):
            a, b = b, a
        if not self.is_number(b):
            return False
        self.same[b] = a
        return True

    def of(self, variable: Any) -> Lengths:
        return self.found(super().of(variable))

    def broadcast(self, node: Apply, shapes: Sequence[Lengths]) -> Lengths:
        for lengths in zip(*shapes, strict=True):
            free = [n for n in lengths if n is not None and n != 1]
            for other in free[1:]:
                self.unite(free[0], other)
        return self.found(super().broadcast(node, [self.found(s) for s in shapes]))

    def made(self, node: Apply) -> list[Lengths | None]:
        try:
            return super().made(node)
        except EqsatError:
            pairs = list(self.pairs(node))
            kept = dict(self.same)
            for chosen in islice(chain(combinations(pairs, 1), combinations(pairs, 2)), MOST_TRIES):
                if all(self.unite(a, b) for a, b in chosen):
                    with suppress(EqsatError):
                        return super().made(node)
                self.same = dict(kept)
            raise

    def pairs(self, node: Apply) -> Iterator[tuple[int, int]]:
        """Pairs of different lengths of the operands of a node of which one is unknown, those of two operands first."""
        shapes = [self.of(v) for v in node.inputs]
        places = [(k, n) for k, shape in enumerate(shapes) for n in shape if n is not None]
        for own in (False, True):
            for (i, a), (j, b) in product(places, places):
                if (i == j) == own and i <= j and a != b and (self.is_number(a) or self.is_number(b)):
                    yield a, b

    def groups(self) -> dict[int, list[Place]]:
        """The places of the leaves that have one unknown length each, by its number."""
        found: dict[int, list[Place]] = {}
        for place, number in self.number.items():
            root = self.find(number)
            if self.is_number(root):
                found.setdefault(root, []).append(place)
        return found

    def shapes(self, chosen: Mapping[int, int]) -> dict[Variable, Lengths]:
        """Lengths of the leaves, with one chosen for each unknown number."""
        return {
            leaf: tuple(n if n is None else chosen.get(self.find(n), self.find(n)) for n in shape)
            for leaf, shape in self.leaves.items()
        }
