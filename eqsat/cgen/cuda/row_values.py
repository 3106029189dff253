"""The steps of a group of rows as values, each once: what rows and their elements are made of, and where passes over elements end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.nest import Computed, Fold, Nest, Number, Read
from eqsat.graph.dtypes import COMPLEX

Product = Callable[[Iterable[str]], str]


class Unheld(Exception):
    """Steps of another form."""


@dataclass(frozen=True)
class Place:
    """Memory of a group: a pointer, the elements between rows along each kept axis, and whether it has all elements of a row."""

    pointer: str
    strides: tuple[str, ...]
    wide: bool


@dataclass(frozen=True)
class Node:
    """A value of a row, or a ``wide`` one, of each of its elements; known from a ``stage`` on, which folds end.

    ``what`` is the value, the fold or the place that it is made from, with others by number.
    """

    what: Any
    args: tuple[int, ...]
    dtype: str
    wide: bool
    stage: int


@dataclass(frozen=True)
class Kept:
    """A value that is written to memory in a stage."""

    node: int
    place: Place
    stage: int


class Group:
    """The values of a group of rows, each once, and those that are written.

    Errors   Unheld for nests of which a thread does not have all that an element needs
    """

    def __init__(self, nests: Sequence[Nest], scratch: frozenset[str], product: Product) -> None:
        self.product, self.scratch = product, scratch
        folded = [n for n in nests if n.folds]
        if not folded:
            raise Unheld
        shape = max((n.lengths for n in folded), key=len)
        self.kept, self.inner = shape[:-1], shape[-1]
        self.nodes: list[Node] = []
        self.numbers: dict[Any, int] = {}
        self.memory: dict[str, tuple[Place, int]] = {}  # what was written, by its pointer
        self.stores: list[Kept] = []
        self.floor = 0  # the last stage so far: nothing is written before what was read in its place
        for nest in nests:
            self._nest(nest)

    def _nest(self, nest: Nest) -> None:
        if nest.picks or nest.tested or any(s != "0" for s in nest.starts):
            raise Unheld
        if nest.folds and (nest.reduced != (*[False] * (len(nest.lengths) - 1), True)):
            raise Unheld
        axes = self._axes(nest.lengths)
        if nest.folds and axes[-1] != (len(self.kept), len(self.kept) + 1):
            raise Unheld  # over rows, not over what is in them
        places = [self._place(nest, k, axes) for k in range(len(nest.operands))]
        known: list[int] = []
        for value in nest.values:
            known.append(self._value(value, known, places))
        for fold in nest.folds:
            if fold.on or fold.dtype in COMPLEX:
                raise Unheld
            root = known[fold.root]
            key = replace(fold, root=0, operand=0)
            made = self._node(key, (root,), fold.dtype, False, self.nodes[root].stage + 1)
            self._write(made, places[fold.operand])
        for root, operand in nest.stores:
            if CTYPE[self.nodes[known[root]].dtype] != CTYPE[nest.operands[operand].dtype]:
                raise Unheld
            self._write(known[root], places[operand])
        self.floor = max([self.floor, *(self.nodes[k].stage for k in known)])

    def _axes(self, lengths: Sequence[str]) -> list[tuple[int, int]]:
        """The first of the axes of the group that each axis of a nest runs over, and the one after the last."""
        for end in (len(self.kept) + 1, len(self.kept)):
            whole, stop = [*self.kept, self.inner], end
            found: list[tuple[int, int]] = []
            for n in reversed(lengths):
                first = next((a for a in range(stop - 1, -1, -1) if self.product(whole[a:stop]) == n), None)
                if first is None:
                    break
                found.insert(0, (first, stop))
                stop = first
            else:
                if stop == 0:
                    return found
        raise Unheld

    def _place(self, nest: Nest, k: int, axes: Sequence[tuple[int, int]]) -> Place:
        """The place of an operand, over the axes of the group."""
        operand = nest.operands[k]
        whole, strides = [*self.kept, self.inner], ["0"] * (len(self.kept) + 1)
        given: Sequence[str] = operand.strides
        if nest.folds and operand.written and not given:  # results, in the order of the rows
            axes = [(a, a + 1) for a in range(len(self.kept))]
            given = [self.product(self.kept[a + 1 :]) for a in range(len(self.kept))]
        for (first, stop), s in zip(axes, given, strict=True) if given else ():
            for a in range(first, stop):
                strides[a] = s if s == "0" else self.product([s, *whole[a + 1 : stop]])
        *rows, inner = strides
        if inner not in ("0", "1"):
            raise Unheld
        return Place(operand.pointer, tuple(rows), inner == "1")

    def _value(self, value: Any, known: Sequence[int], places: Sequence[Place]) -> int:
        if isinstance(value, Number):
            return self._node(value, (), value.dtype, False, 0)
        if value.dtype in COMPLEX:
            raise Unheld
        if isinstance(value, Read):
            return self._read(places[value.operand], value.dtype)
        if not isinstance(value, Computed):
            raise Unheld
        args = tuple(known[a] if a >= 0 else -1 for a in value.args)
        made = [self.nodes[a] for a in args if a >= 0]
        stage = max((n.stage for n in made), default=0)
        key = replace(value, args=tuple(range(len(args))), op=None)
        return self._node(key, args, value.dtype, any(n.wide for n in made), stage)

    def _read(self, place: Place, dtype: str) -> int:
        if place.pointer in self.memory:
            written, node = self.memory[place.pointer]
            if written != place or CTYPE[self.nodes[node].dtype] != CTYPE[dtype]:
                raise Unheld
            return node
        if place.pointer in self.scratch:
            raise Unheld
        return self._node(place, (), dtype, place.wide, 0)

    def _write(self, node: int, place: Place) -> None:
        if place.wide and not self.nodes[node].wide:
            raise Unheld
        self.memory[place.pointer] = place, node
        if place.pointer not in self.scratch:
            self.stores.append(Kept(node, place, max(self.floor, self.nodes[node].stage)))

    def _node(self, what: Any, args: tuple[int, ...], dtype: str, wide: bool, stage: int) -> int:
        key = (type(what).__name__, _key(what), args, dtype)
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(Node(what, args, dtype, wide, stage))
        return self.numbers[key]

    # ------------------------------------------------------------------------------------------------------ passes

    @property
    def passes(self) -> int:
        """The number of passes over the elements."""
        return 1 + max([n.stage for n in self.nodes] + [s.stage for s in self.stores])

    def folds(self, stage: int) -> list[int]:
        """The folds of a pass."""
        return [k for k, n in enumerate(self.nodes) if isinstance(n.what, Fold) and n.stage == stage + 1]

    def roots(self, stage: int) -> list[int]:
        """The elements that a pass folds or writes."""
        folded = [self.nodes[k].args[0] for k in self.folds(stage)]
        written = [s.node for s in self.stores if s.stage == stage and s.place.wide]
        return [k for k in dict.fromkeys(folded + written) if self.nodes[k].wide]

    def computed(self) -> tuple[list[list[int]], dict[int, int]]:
        """The values that each pass computes, in order; and the last pass that reads each value which is held from one to another."""
        done: set[int] = set()
        passes, held = [], {}
        for stage in range(self.passes):
            found: set[int] = set()
            waiting = self.roots(stage)
            while waiting:
                k = waiting.pop()
                if k < 0 or not self.nodes[k].wide or k in found:
                    continue
                if k in done:
                    held[k] = stage
                else:
                    found.add(k)
                    waiting += self.nodes[k].args
            done |= found
            passes.append(sorted(found))
        return passes, held


def _key(what: Any) -> Any:
    return repr(what) if isinstance(what, (Number, Fold)) else what
