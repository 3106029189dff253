"""A nest of loops as data: axes, operands with strides, expressions, stores and folds. A target prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.ir.arrays import Lengths
from eqsat.graph.declare import Reduction
from eqsat.graph.dtypes import COMPLEX

FLOPS = 10.0  # of a function that takes long


@dataclass(frozen=True)
class Operand:
    """Memory that a nest reads or writes: the name of its pointer around the nest, and one stride per axis.

    Without strides it is written at the index of the axes that are kept. So many elements ``ahead`` lie those that a later run of
    the nest reads, which a target may fetch meanwhile.
    """

    pointer: str
    dtype: str
    strides: tuple[str, ...]
    written: bool = False
    ahead: str = ""


@dataclass(frozen=True)
class Between:
    """True where the present index along an axis is at least ``low`` and below ``high``."""

    axis: int
    low: str
    high: str

    @property
    def known(self) -> bool:
        """True where the answer is known for each index."""
        return self.low.isdigit() and self.high.isdigit()


@dataclass(frozen=True)
class At:
    """An index of an axis that is a value of the nest, by number; one below 0 counts from the end of the axis."""

    value: int
    stride: str
    length: str


@dataclass(frozen=True)
class Read:
    """The element of an operand at the present index; where it is not ``inside``, 0, and nothing is read.

    ``at`` has the axes of the operand along which other values are the index.
    """

    operand: int
    dtype: str
    inside: tuple[Between, ...] = ()
    at: tuple[At, ...] = ()


@dataclass(frozen=True)
class Number:
    """A number that is known."""

    value: Any
    dtype: str


@dataclass(frozen=True)
class Computed:
    """An op's expression, with operands of dtype ``of`` by name in braces; ``args`` are their numbers in the nest.

    An operand that the expression does not name has the number -1. ``op`` has the meaning. What is ``apart`` is rounded by itself
    where a target could round it together with what reads it.
    """

    expression: str
    names: tuple[str, ...]
    args: tuple[int, ...]
    of: str
    dtype: str
    op: Any = None
    apart: bool = False


@dataclass(frozen=True)
class Choice:
    """The first of several values, by number, of which all tests hold; the last one where none does."""

    cases: tuple[tuple[tuple[Between, ...], int], ...]
    dtype: str


Value = Read | Number | Computed | Choice


def args_of(value: Value) -> tuple[int, ...]:
    """The numbers of the values that one is made of; -1 for an operand that it leaves out."""
    if isinstance(value, Choice):
        return tuple(number for _, number in value.cases)
    if isinstance(value, Read):
        return tuple(a.value for a in value.at)
    return value.args if isinstance(value, Computed) else ()


def with_args(value: Value, args: tuple[int, ...]) -> Value:
    """A value made of others."""
    if isinstance(value, Choice):
        cases = tuple((tests, number) for (tests, _), number in zip(value.cases, args, strict=True))
        return replace(value, cases=cases)
    if isinstance(value, Read):
        return replace(value, at=tuple(replace(a, value=k) for a, k in zip(value.at, args, strict=True)))
    return replace(value, args=args) if isinstance(value, Computed) else value


def tests_of(value: Value) -> tuple[Between, ...]:
    """The tests of indices of which a value depends."""
    if isinstance(value, Choice):
        return tuple(test for tests, _ in value.cases for test in tests)
    return value.inside if isinstance(value, Read) else ()


def is_long(value: Value) -> bool:
    """True for a function of many flops."""
    cost = getattr(getattr(getattr(value, "op", None), "declaration", None), "cost", None)
    return float(getattr(cost, "flops", 0.0)) > FLOPS


@dataclass(frozen=True)
class Fold:
    """A reduction of expression ``root``, in the type that it accumulates ``dtype`` in, written to ``operand``.

    One that goes ``on`` is combined with what is there.
    """

    root: int
    reduction: Reduction
    dtype: str
    operand: int
    op: Any = None
    on: bool = False

    @property
    def is_complex(self) -> bool:
        """True for a reduction of complex numbers, which OpenMP's clauses do not combine as NumPy does."""
        return self.dtype in COMPLEX

    @property
    def spreads_nan(self) -> bool:
        """True where one NaN has to make the result NaN and combining would lose it."""
        return self.reduction.spreads_nan and self.dtype in ("float32", "float64")


@dataclass(frozen=True)
class Nest:
    """Loops over ``lengths``; ``reduced`` says which axes the folds run over. A store is a value and an operand.

    A nest without folds may begin at other indices than 0: ``starts`` has the first one along each axis. It is ``small`` where
    others run over many more elements, so that neither vectors nor threads pay.
    """

    lengths: tuple[str, ...]
    reduced: tuple[bool, ...]
    operands: tuple[Operand, ...]
    values: tuple[Value, ...]
    stores: tuple[tuple[int, int], ...] = ()
    folds: tuple[Fold, ...] = ()
    flops: float = 1.0
    starts: tuple[str, ...] = ()
    small: bool = False

    @property
    def tested(self) -> bool:
        """True where values depend on tests of indices, which speak of the axes as they are."""
        return any(map(tests_of, self.values))

    @property
    def picks(self) -> bool:
        """True where values are indices of operands."""
        return any(isinstance(v, Read) and v.at for v in self.values)

    def simplified(self, lengths: Lengths) -> Nest:
        """The nest without axes of length 1, and with neighbours joined over which every operand runs in one stride."""
        if len(self.lengths) == 1 and self.lengths[0] != "1" and (self.reduced[0] or not self.folds):
            return self
        if self.tested:
            return self
        axes = _Axes(self, lengths)
        axes.drop_ones()
        if any(axes.reduced):
            axes.reorder()
        axes.join()
        stores, folds = self.stores, self.folds
        if folds and not any(axes.reduced):  # of one element each
            stores, folds = (*stores, *((f.root, f.operand) for f in folds)), ()
            for fold in self.folds:
                axes.strides[fold.operand] = list(lengths.strides(axes.lengths))
        operands = tuple(
            Operand(o.pointer, o.dtype, tuple(s), o.written)
            for o, s in zip(self.operands, axes.strides, strict=True)
        )
        shape = tuple(axes.lengths), tuple(axes.reduced)
        starts = tuple(axes.starts)
        return Nest(*shape, operands, self.values, stores, folds, self.flops, starts, self.small)


class _Axes:
    """The axes of a nest while they are dropped, reordered and joined."""

    def __init__(self, nest: Nest, known: Lengths) -> None:
        self.lengths, self.reduced, self.known = list(nest.lengths), list(nest.reduced), known
        self.least = any(
            fold.on for fold in nest.folds
        )  # axes, since a fold of one element that goes on is no store
        self.strides = [list(o.strides) for o in nest.operands]
        self.starts = list(nest.starts)

    def drop_ones(self) -> None:
        for axis in reversed(range(len(self.lengths))):
            later = self.starts and self.starts[axis] != "0"
            if self.lengths[axis] == "1" and not later and len(self.lengths) > self.least:
                self._drop(axis)

    def _drop(self, axis: int) -> None:
        for texts in self._per_axis():
            del texts[axis]

    def _per_axis(self) -> Iterable[list[Any]]:
        return [self.lengths, self.reduced, *(s for s in (self.starts, *self.strides) if s)]

    def reorder(self) -> None:
        """Run along memory: the axis with the smallest stride inside; kept axes keep their order."""
        order = self._memory_order()
        kept = [a for a in range(len(order)) if not self.reduced[a]]
        reduced = [a for a in order if self.reduced[a]]
        by_rows = self.reduced[order[-1]] or order[-1] != kept[-1]
        order = kept + reduced if by_rows else kept[:-1] + reduced + kept[-1:]
        for texts in self._per_axis():
            texts[:] = [texts[a] for a in order]

    def _memory_order(self) -> list[int]:
        """Axes from the largest stride to the smallest in the first operand read along all of them."""
        axes, product = list(range(len(self.lengths))), self.known.product
        whole = [s for s in self.strides if len(s) == len(axes) and "0" not in s]
        order: list[int] = []
        step = "1"
        while whole and axes:
            found = [a for a in axes if product((whole[0][a],)) == step]
            if not found:
                break
            step = product((step, self.lengths[found[0]]))
            axes.remove(found[0])
            order.insert(0, found[0])
        return axes + order

    def join(self) -> None:
        for axis in reversed(range(len(self.lengths) - 1)):
            if self._joins(axis, self.known.product):
                if self.starts:
                    self.starts[axis + 1] = self.known.product((self.starts[axis], self.lengths[axis + 1]))
                self.lengths[axis + 1] = self.known.product(self.lengths[axis : axis + 2])
                self._drop(axis)

    def _joins(self, axis: int, product: Callable[[Iterable[str]], str]) -> bool:
        """True where every operand runs over an axis and the next one in one stride."""
        if self.reduced[axis] != self.reduced[axis + 1] or (self.starts and self.starts[axis + 1] != "0"):
            return False
        inner = self.lengths[axis + 1]
        return all(product((s[axis],)) == product((inner, s[axis + 1])) for s in self.strides if s)
