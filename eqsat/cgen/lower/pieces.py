"""Kernels that hold pieces: the large boxes of the space become nests of their own, what is around them one with tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import reduce
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.cuts import Box, Side
from eqsat.cgen.ir.expressions import (
    ONE,
    ZERO,
    Expression,
    Int,
    Name,
    Pointer,
    Shifted,
    least,
    length,
    mentions,
    plain_text,
    select,
)
from eqsat.cgen.ir.nest import Between
from eqsat.cgen.ir.statements import Define
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.space import Space
from eqsat.graph.pieces import MOST_BOXES
from eqsat.graph.plan import Compute, Kernel, Pieces

FEW = 4  # boxes of which each has a nest of its own, where no more than one is small
SMALL = 1 / 32  # the part of the space below which a box is small: several of them are the border
TINY = (
    64  # elements of a space of known lengths that is one nest, but in a loop, where a box is a line or two
)
MOST = 6  # nests of boxes, and boxes of the border
LONG = 1024  # elements of an axis of which nothing is known


@dataclass(frozen=True)
class Region:
    """A part of the space of a kernel, the whole without lengths, and the box that each of its pieces takes there.

    All boxes are tested where that is not known.
    """

    lengths: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    taken: dict[int, int] | None = None
    moved: bool = False  # its loops begin at 0, and operands are addressed from the starts on


@dataclass(frozen=True)
class Span:
    """The indices of an axis that are at least each of ``low`` and below each of ``high``; ``most`` is their number or a guess."""

    low: frozenset[Expression]
    high: frozenset[Expression]
    most: float

    @property
    def empty(self) -> bool:
        """True where there is no index for any lengths."""
        known = (
            [x.value for x in self.low if isinstance(x, Int)],
            [x.value for x in self.high if isinstance(x, Int)],
        )
        return bool(self.low & self.high) or bool(known[0] and known[1] and max(known[0]) >= min(known[1]))


Spans = tuple[Span, ...]


@dataclass(frozen=True)
class Combination:
    """A box of the space in which each of the pieces that are read takes one of its own."""

    spans: Spans
    taken: dict[int, int] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """A guess at the number of elements."""
        size = 1.0
        for span in self.spans:
            size *= span.most
        return size


class Pieced:
    """The regions of a kernel with pieces, and its operands in them."""

    def __init__(self, w: Segment, kernel: Kernel, space: Space) -> None:
        self.w, self.kernel, self.space = w, kernel, space
        self._names: dict[Expression, Expression] = {}
        self._numbers: dict[Expression, str] = {}
        self._pointers: dict[tuple[str, Expression], str] = {}
        self._first = self._find_first()

    def _find_first(self) -> list[tuple[int, ...]]:
        """For each expression the pieces that it reads, without those that these read."""
        first: list[tuple[int, ...]] = []
        for number, e in enumerate(self.kernel.expressions):
            below = [p for a in e.args for p in first[a]] if isinstance(e, Compute) else []
            first.append((number,) if isinstance(e, Pieces) else tuple(dict.fromkeys(below)))
        return first

    # ------------------------------------------------------------------------------------------- operands

    def args(self, n: int, region: Region) -> list[int]:
        """The operands that pieces read in a region."""
        args: Any = self.kernel.expressions[n].args  # type: ignore[union-attr]
        return list(dict.fromkeys(args[k] for _, operands in self.cases(n, region) for k in operands))

    def cases(self, n: int, region: Region) -> list[tuple[tuple[Between, ...], tuple[int, ...]]]:
        """The boxes of pieces in a region: tests of the index, and the operands that are added."""
        boxes = self.space.cuts[n].boxes
        if region.taken is not None:
            return [((), self.taken(n, boxes[region.taken[n]]))]
        return [(self._tests(n, box, region), self.taken(n, box)) for box in boxes]

    def taken(self, n: int, box: Box) -> tuple[int, ...]:
        """The operands that are added in a box of pieces; none where these are another number there."""
        only = self.kernel.expressions[n].only  # type: ignore[union-attr]
        return box.operands if only is None else (only,) if only in box.operands else ()

    def is_outside(self, n: int, region: Region) -> bool:
        """True where an expression is pieces with an only operand, of which there is nothing in a region."""
        return (
            isinstance(self.kernel.expressions[n], Pieces)
            and region.taken is not None
            and not self.args(n, region)
        )

    def _tests(self, n: int, box: Box, region: Region) -> tuple[Between, ...]:
        frame = self.space.frames[n]
        found = []
        for s in self._sides(n, box):
            start = frame.starts[s.axis]
            found.append(self._between(frame.axes[s.axis], start + s.low, start + s.high, region))
        return tuple(found)

    def _sides(self, n: int, box: Box) -> list[Side]:
        """The sides of a box, save those that hold the one element of an axis that broadcasts."""
        once = self.kernel.expressions[n].apply.outputs[0].type.broadcastable  # type: ignore[union-attr]
        return [s for s in box.sides if not (once[s.axis] and s.low == ZERO and s.high == ONE)]

    def _between(self, axis: int, low: Expression, high: Expression, region: Region) -> Between:
        """A test; of several nests that share a function it names numbers that are known, too."""
        text = self._number if region.lengths else self._text
        if region.moved:
            low, high = (x - length(region.starts[axis]) for x in (low, high))
        return Between(axis, text(low), text(high))

    def placed(self, n: int, array: Array, region: Region) -> tuple[Array, tuple[Between, ...]]:
        """An array that an expression loads, as the loops of the kernel see it, and the tests that it may be read."""
        frame, ndim = self.space.frames[n], self.kernel.ndim
        if frame.lengths is None:
            return self.seen(array, region), ()
        strides, mask, offset = ["0"] * ndim, [True] * ndim, ZERO
        tests: list[Between] = []
        for axis, start, n_, s, masked in zip(
            frame.axes, frame.starts, array.n, array.s, array.mask, strict=True
        ):
            if not masked:
                strides[axis], mask[axis] = s, False
                offset += (start - length(region.starts[axis]) if region.moved else start) * length(s)
                if region.taken is None:
                    tests.append(self._between(axis, start, start + length(n_), region))
        pointer = self._pointer(array, offset)
        moved = Array(pointer, array.dtype, self.space.lengths, tuple(strides), tuple(mask), array.storage)
        return moved, tuple(tests)

    def seen(self, array: Array, region: Region) -> Array:
        """An array of the kernel's space, from where the loops of a region begin."""
        if not region.moved:
            return array
        steps = (
            length(i) * length(s) for i, s, m in zip(region.starts, array.s, array.mask, strict=True) if not m
        )
        return replace(array, pointer=self._pointer(array, sum((ZERO - step for step in steps), start=ZERO)))

    def _pointer(self, array: Array, offset: Expression) -> str:
        """The pointer to where an array would have its first element were it as large as the space."""
        if offset == ZERO:
            return array.pointer
        key = array.pointer, offset
        if key not in self._pointers:
            address = Shifted(Pointer(array.pointer), array.dtype, ZERO - offset)
            self._pointers[key] = self.w.point(address)
        return self._pointers[key]

    # ------------------------------------------------------------------------------------------- numbers

    def _name(self, value: Expression) -> Expression:
        """A number or name for a value, the same for an equal value."""
        if isinstance(value, (Int, Name)):
            return length(self.w.lengths.find(plain_text(value)))
        if value not in self._names:
            self._names[value] = self.w.define("edge", value)
        return self._names[value]

    def _text(self, value: Expression) -> str:
        return plain_text(self._name(value))

    def _number(self, value: Expression) -> str:
        """A name for a value, for a known number too: nests that differ in such numbers are one function."""
        value = self._name(value)
        if isinstance(value, Name):
            return value.name
        if value not in self._numbers:
            self._numbers[value] = self._fresh(value)
        return self._numbers[value]

    def _fresh(self, value: Expression) -> str:
        """A name that no other number has."""
        name = self.w.new_number()
        self.w.settle([name], Define(name, value), mentions(value))
        return name

    # ------------------------------------------------------------------------------------------- regions

    def regions(self, roots: Sequence[int], plain: bool, moved: bool) -> list[Region]:
        """Parts that cover the space, at whose starts loops begin or operands are ``moved``; one with tests where none is ``plain``."""
        ends = [length(n) for n in self.space.lengths]
        space = tuple(
            Span(frozenset([ZERO]), frozenset([n]), float(n.value if isinstance(n, Int) else LONG))
            for n in ends
        )
        first = tuple(dict.fromkeys(p for root in roots for p in self._first[root]))
        if not plain or not self.kernel.ndim:
            return [Region()]
        whole = Combination(space)
        tiny = whole.size <= TINY and all(isinstance(n, Int) for n in ends)
        if tiny and first and not self.w.depth:
            return [Region()]
        few = MOST_BOXES if tiny else FEW
        found = list(self._combinations(whole, first, 0.0, few))
        small = [c for c in found if c.size < SMALL * whole.size]
        if len(found) <= few and len(small) < 2:
            return [self._region(c.spans, c.taken, moved) for c in found]
        large = list(self._combinations(whole, first, SMALL * whole.size, MOST))
        rest = self._border(space, large)
        if not large or len(large) > MOST or len(rest) > MOST:
            return [Region()]
        return [
            *(self._region(c.spans, c.taken, moved) for c in large),
            *(self._region(spans, None, moved) for spans in rest),
        ]

    def _combinations(
        self, whole: Combination, first: Sequence[int], least_size: float, most: int
    ) -> Iterator[Combination]:
        """The boxes of at least a size that may hold an index; no more than one beyond ``most``."""
        stack, count = [(whole, tuple(first))], 0
        while stack and count <= most:
            now, pending = stack.pop()
            if not pending:
                count += 1
                yield now
                continue
            n, rest = pending[0], pending[1:]
            args: Any = self.kernel.expressions[n].args  # type: ignore[union-attr]
            for k, box in enumerate(self.space.cuts[n].boxes):
                spans = self._cut(now.spans, n, box)
                more = Combination(spans, {**now.taken, n: k})
                if more.size >= least_size and not any(s.empty for s in spans):
                    below = [p for r in self.taken(n, box) for p in self._first[args[r]]]
                    stack.append((more, (*rest, *below)))

    def _cut(self, spans: Spans, n: int, box: Box) -> Spans:
        """The part of a box in which pieces take a box of theirs."""
        frame, cut = self.space.frames[n], list(spans)
        for side in self._sides(n, box):
            axis, start = frame.axes[side.axis], frame.starts[side.axis]
            low, high = self._name(start + side.low), self._name(start + side.high)
            span = cut[axis]
            most = span.most if side.most is None else min(span.most, side.most)
            cut[axis] = Span(span.low | {low}, span.high | {high}, most)
        return tuple(cut)

    def _border(self, space: Spans, boxes: Sequence[Combination]) -> list[Spans]:
        """Boxes that cover the space without some boxes."""
        rest = [space]
        for box in boxes:
            rest = [part for spans in rest for part in self._without(spans, box.spans)]
            if len(rest) > MOST:
                break
        return rest

    def _without(self, spans: Spans, box: Spans) -> Iterator[Spans]:
        """A box without another one, as boxes: those before and after it along each axis."""
        for axis, (span, hole) in enumerate(zip(spans, box, strict=True)):
            low = self._most(hole.low)
            high = self._most({low, self._least(hole.high)})
            for part in (
                Span(span.low, span.high | {low}, span.most),
                Span(span.low | {high}, span.high, span.most),
            ):
                if not part.empty:
                    yield (*spans[:axis], part, *spans[axis + 1 :])
            spans = (
                *spans[:axis],
                Span(span.low | {low}, span.high | {high}, span.most),
                *spans[axis + 1 :],
            )
            if spans[axis].empty:
                return

    def _region(self, spans: Spans, taken: dict[int, int] | None, moved: bool) -> Region:
        """The nest's lengths and starts in a box."""
        lengths, starts = [], []
        for span in spans:
            low, high = self._most(span.low), self._least(span.high)
            count = self._name(high if low == ZERO else self._most({ZERO, high - low}))
            text = plain_text if taken is not None else self._fresh
            lengths.append(text(count))
            starts.append(text(low))
        later = any(s != "0" for s in starts)
        return Region(tuple(lengths), tuple(starts) if later else (), taken, moved and later)

    def _most(self, values: frozenset[Expression] | set[Expression]) -> Expression:
        return self._extreme(values, lambda a, b: select(a > b, a, b))

    def _least(self, values: frozenset[Expression] | set[Expression]) -> Expression:
        return self._extreme(values, least)

    def _extreme(self, values: frozenset[Expression] | set[Expression], pick: Any) -> Expression:
        """The largest or smallest of some numbers, as a name."""
        names = sorted((x for x in values if not isinstance(x, Int)), key=repr)
        known = [x for x in values if isinstance(x, Int)]
        if pick is not least and all(isinstance(x, Name) for x in names) and names:
            known = [x for x in known if x != ZERO]  # no index is below 0
        return self._name(reduce(lambda a, b: self._name(pick(a, b)), [*known, *names]))
