"""Parts of tensors: a basic index as a view, and writes to it after their checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.cuts import Box, Cut, Placed, Side, as_it_lies
from eqsat.cgen.ir.expressions import (
    ZERO,
    Binary,
    Cast,
    Elsewhere,
    Expression,
    Int,
    either,
    eq,
    ne,
    select,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Copy, Rehearse
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter
from eqsat.graph.ops.index import MISFIT, OUTSIDE, ZERO_STEP, adds, bound_entries, writer
from eqsat.graph.parts import FULL
from eqsat.graph.pieces import most_taken, sides


def part_of(w: ViewWriter, pattern: Sequence[Any], x: Memory, scalars: Sequence[Memory]) -> Memory:
    """The view of a basic index, after the bounds checks of integers and the clipping of slices."""
    offset, n, s = ZERO, [], []
    for (first, count, step), stride in zip(_places(w, pattern, x, scalars), x.s, strict=True):
        offset += first * stride
        if count is not None:
            n.append(count)
            s.append(stride * step)
    return x.seen(n, s, w.define("offset", offset))


def _places(
    w: ViewWriter, pattern: Sequence[Any], x: Memory, scalars: Sequence[Memory]
) -> Iterator[tuple[Expression, Expression | None, Expression]]:
    """For each axis the first index, how many there are (None for an integer), and their distance."""
    entries = bound_entries(pattern, [s.scalar() for s in scalars])
    for axis, (entry, length) in enumerate(zip(entries, x.n, strict=True)):
        if entry[0] == "int":
            i = w.define("i", entry[1])
            text = OUTSIDE.replace("{axis}", str(axis))
            w.check(either(i < -length, i >= length), "BoundsError", text, i, length)
            yield select(i < 0, i + length, i), None, ZERO
        elif entry[1:] == (None, None, None):
            yield ZERO, length, Int(1)
        else:
            yield _slice(w, entry[1:], length)


def _slice(w: ViewWriter, parts: Sequence[Any], n: Expression) -> tuple[Expression, Expression, Expression]:
    """The first index of a slice, how many there are, and their distance."""
    step = Int(1) if parts[2] is None else w.define("step", parts[2])
    w.check(eq(step, 0), "ShapeError", ZERO_STEP)
    up = step > 0
    low, high = select(up, 0, -1), select(up, n, n - 1)

    def clipped(value: Any, default: Expression) -> Expression:
        if value is None:
            return w.define("bound", default)
        raw = w.define("raw", value)
        at = w.define("at", select(raw < 0, raw + n, raw))
        return w.define("bound", select(at < low, low, select(at > high, high, at)))

    first = clipped(parts[0], select(up, 0, n - 1))
    last = clipped(parts[1], select(up, n, -1))
    span = w.define("span", select(up, last - first, first - last))
    size = select(up, step, -step)
    return first, w.define("n", select(span > 0, (span - 1) // size + 1, 0)), step


def check_inside(w: BodyWriter, numbers: Memory, n: Expression, axis: int) -> None:
    """Check that all numbers are indices of an axis: first whether one is not, then which."""
    if w.by_places:
        with w.parallel(numbers.n) as index:
            g = w.let("g", numbers.along(index))
            w.check(either(g < -n, g >= n), "BoundsError", OUTSIDE.replace("{axis}", str(axis)), g, n)
        return
    outside = w.variable(w.fresh("outside"), 0)
    with w.vector(numbers.n, ("+", outside)) as index:
        g = w.let("g", numbers.along(index))
        w.assign(outside, outside + Binary("+", g < -n, g >= n))
    with w.when(outside > 0):
        stop_at_first(w, numbers, n, axis)


def stop_at_first(w: BodyWriter, numbers: Memory, n: Expression, axis: int) -> None:
    """End the call with the first number that is no index of an axis."""
    with w.loops(numbers.n) as index:
        g = w.let("g", numbers.along(index))
        w.check(either(g < -n, g >= n), "BoundsError", OUTSIDE.replace("{axis}", str(axis)), g, n)


def stored(op: Any, out: Memory, target: Expression, source: Expression) -> Expression:
    """The value that is written at a target: the source, or the sum, which for bool is the or."""
    if not adds(op):
        return source
    return Cast(out.dtype, Binary("|" if out.dtype == "bool" else "+", target, source))


def copy_into(w: BodyWriter, x: Memory, out: Memory) -> None:
    """Copy x to the result, unless the result takes x's place; what is one number everywhere is read once."""
    with w.when(Elsewhere(out.address, x.address)):
        if x.n and all(s == ZERO for s in x.s):
            one = w.let(w.fresh("one"), x.at(*[0] * len(x.n)))
            with w.loops(x.n) as index:
                w.store(out.at(*index), one)
            return
        with w.when(x.whole()):
            zero = [0] * len(x.n)
            w.emit(Copy(out.at(*zero), x.at(*zero), x.size))
        with w.otherwise(), w.loops(x.n) as index:
            w.store(out.at(*index), x.at(*index))


def broadcast_check(w: BodyWriter | ViewWriter, op: Any, y: Memory, n: Sequence[Expression]) -> list[bool]:
    """Check the lengths of what is written; gives the axes that do not broadcast."""
    for axis, (have, want) in enumerate(zip(y.n, n, strict=True)):
        if not y.mask[axis]:
            text = MISFIT.replace("{name}", writer(op)).replace("{axis}", str(axis))
            w.check(ne(have, want), "ShapeError", text, have, want)
    return [not m for m in y.mask]


@saying(light=True)
def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y, *scalars = ins
    write_view(w, op, part_of(w, op.params["pattern"], out, scalars), x, y, out)


def write_view(w: BodyWriter, op: Any, view: Memory, x: Memory, y: Memory, out: Memory) -> None:
    """Copy x to the result, and write y to a view of it, after their checks."""
    broadcast_check(w, op, y, view.n)
    w.emit(Rehearse())
    copy_into(w, x, out)
    with w.parallel(view.n) as index:
        target = view.at(*index)
        w.store(target, stored(op, out, target, y.along(index)))


def write_pieces(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Cut:
    x, y, *scalars = ins
    pattern = op.params["pattern"]
    places = [
        (w.define("first", first), None if count is None else w.define("count", count))
        for first, count, _ in _places(w, pattern, x, scalars)
    ]
    kept = [a for a, (_, count) in enumerate(places) if count is not None]
    broadcast_check(w, op, y, [places[a][1] for a in kept])  # type: ignore[misc]
    boxes: list[Box] = []
    inside: list[Side] = []
    for axis, (entry, (first, count), n) in enumerate(zip(pattern, places, x.n, strict=True)):
        if entry != FULL:
            beyond = sides(entry)
            end = w.define("end", first + (1 if count is None else count)) if "after" in beyond else n
            ends = {"before": (ZERO, first), "after": (end, n)}
            boxes += [Box((*inside, Side(axis, *ends[side], most)), (0,)) for side, most in beyond.items()]
            inside.append(Side(axis, first, end, most_taken(entry)))
    placed = as_it_lies(len(x.n)), Placed(tuple(kept), tuple(places[a][0] for a in kept))
    return Cut(x.n, placed, (Box(tuple(inside), (0, 1) if adds(op) else (1,)), *boxes))


def part(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    return part_of(w, op.params["pattern"], ins[0], ins[1:])
