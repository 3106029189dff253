"""Loops over windows: rows of results in vectors where windows are small, with the places of a window written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product as places_of
from math import prod
from typing import Any

from eqsat.cgen.ir.expressions import ONE, ZERO, Expression, Int, Name, both, either, eq, least, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Clear, Let
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.dtypes import FLOATS

MOST = 32  # places of a window up to which they are written out
CHUNK = 64  # windows of a row at once


def _counts(w: BodyWriter, op: Any, lengths: Sequence[Expression]) -> list[Expression]:
    counts = []
    p = op.params
    for n, k, s, pad in zip(lengths, p["window"], p["strides"], p["pads"], strict=True):
        if not p["partial"]:
            found = select(either(eq(n, 0), n + 2 * pad < k), 0, (n + 2 * pad - k) // s + 1)
        elif s >= k:
            found = select(eq(n, 0), 0, (n - 1) // s + 1)
        else:
            found = select(eq(n, 0), 0, select(n > k, (n - 1 - k) // s + 1, 0) + 1)
        counts.append(w.define("m", found))
    return counts


def _pooled(w: BodyWriter, op: Any, n: Sequence[Expression]) -> list[Expression]:
    first = len(n) - len(op.params["window"])
    return [*n[:first], *_counts(w, op, n[first:])]


def _check_equal(w: BodyWriter, found: Sequence[Expression], wanted: Sequence[Expression]) -> None:
    for axis, (have, want) in enumerate(zip(found, wanted, strict=True)):
        text = f"pool: axis {axis} of the pooled operand has length {{0}}, not {{1}}"
        w.check(ne(have, want), "ShapeError", text, have, want)


class _Window:
    """A window of an operand at the index ``at``, from ``low`` to before ``high`` along the last axes."""

    def __init__(self, w: BodyWriter, op: Any, x: Memory, at: list[Any]) -> None:
        self.w, self.at, p = w, at, op.params
        self.lead = at[: len(at) - len(p["window"])]
        rest = [*enumerate(at)][len(self.lead) :]
        self.low, self.high = [], []
        for (a, i), step, pad, size in zip(rest, p["strides"], p["pads"], p["window"], strict=True):
            start = i * step - pad
            self.low.append(w.let(f"l{a}", select(start < 0, 0, start)))
            self.high.append(w.let(f"h{a}", least(x.n[a], start + size)))

    @contextmanager
    def places(self) -> Iterator[list[Any]]:
        """Statements for each place of the window: the index in the operand."""
        with ExitStack() as stack:
            first = len(self.lead)
            yield [
                *self.lead,
                *(
                    stack.enter_context(self.w.loop(f"j{first + k}", high, low))
                    for k, (low, high) in enumerate(zip(self.low, self.high, strict=True))
                ),
            ]

    def largest(self, x: Memory) -> list[Any]:
        """The place of the first largest element, or NaN."""
        w, first = self.w, len(self.lead)
        best = w.variable("best", x.at(*self.lead, *self.low), x.dtype)
        kept = [w.variable(f"b{first + k}", low) for k, low in enumerate(self.low)]
        with self.places() as at:
            v = w.let("v", x.at(*at))
            with w.when(either(v > best, both(ne(v, v), eq(best, best)))):
                w.assign(best, v)
                for b, j in zip(kept, at[first:], strict=True):
                    w.assign(b, j)
        return [*self.lead, *kept]


@contextmanager
def _windows(w: BodyWriter, op: Any, x: Memory, y: Memory) -> Iterator[_Window]:
    """Statements for each window of x, whose index is that of its result in y; threads share the axes without windows."""
    lead = len(y.n) - len(op.params["window"])
    with w.parallel(y.n[:lead]) as at, w.loops(y.n[lead:], first=lead) as rest:
        yield _Window(w, op, x, [*at, *rest])


class _Meeting(_Window):
    """A window that holds the ``place`` of an operand, to whose ``total`` it adds."""

    def __init__(
        self, w: BodyWriter, op: Any, x: Memory, at: list[Any], place: Sequence[Any], total: Name
    ) -> None:
        super().__init__(w, op, x, at)
        self.place, self.total = place, total

    def is_at(self, found: Sequence[Any]) -> Expression:
        """True where a place that was found is the one."""
        return both(*(eq(a, b) for a, b in zip(found, self.place, strict=True)))

    def add(self, value: Expression) -> None:
        """Add to the total of the place."""
        self.w.assign(self.total, self.total + value)


@contextmanager
def _meeting(w: BodyWriter, op: Any, x: Memory, y: Memory, out: Memory) -> Iterator[_Meeting]:
    """Statements for each window that holds a place of x, for all places; their totals are the results."""
    p = op.params
    lead = len(y.n) - len(p["window"])
    with w.parallel(out.n) as place:
        total = w.variable("total", 0, out.dtype)
        with ExitStack() as stack:
            at: list[Any] = [*place[:lead]]
            sizes = zip(p["strides"], p["pads"], p["window"], strict=True)
            for a, (step, pad, size) in enumerate(sizes, lead):
                last = w.let(f"last{a}", place[a] + pad)
                first = w.let(f"first{a}", select(last < size, 0, (last - size) // step + 1))
                end = w.let(f"end{a}", least(y.n[a], last // step + 1))
                at.append(stack.enter_context(w.loop(f"w{a}", end, first)))
            yield _Meeting(w, op, x, at, place, total)
        w.store(out.at(*place), total)


class _Row:
    """The windows of a row of results: for each place of a window the row of the operand that holds it."""

    def __init__(self, w: BodyWriter, op: Any, x: Memory, at: Sequence[Any]) -> None:
        self.w, self.x, self.at, p = w, x, at, op.params
        first = len(x.n) - len(p["window"])
        self.window, self.step, self.pad = (int(p[k][-1]) for k in ("window", "strides", "pads"))
        self.whole = not p["partial"] and not any(p["pads"])
        axes: list[list[tuple[Expression, Expression]]] = [
            [self._row(a, at[a] * step - pad + t) for t in range(size)]
            for a, step, pad, size in zip(
                range(first, len(x.n) - 1), p["strides"], p["pads"], p["window"], strict=False
            )
        ]
        self.rows = [
            ([*at[:first], *(i for i, _ in r)], _all(inside for _, inside in r)) for r in places_of(*axes)
        ]

    def _row(self, axis: int, i: Expression) -> tuple[Expression, Expression]:
        """The index nearest to one along an axis, and whether it is that one."""
        if self.whole:
            return i, ONE
        w, n = self.w, self.x.n[axis]
        inside = w.define("in", both(i >= 0, i < n))
        return w.define("r", select(i < 0, 0, select(i < n, i, n - 1))), inside

    def places(self, i: Expression, complete: bool = True) -> list[tuple[list[Any], Expression]]:
        """The indices in the operand of the window at i, or the nearest ones, and whether they are inside it.

        A window that is ``complete`` is inside it along the last axis.
        """
        along = [i * self.step - self.pad + t for t in range(self.window)]
        columns = [(k, ONE) if complete else self._row(len(self.x.n) - 1, k) for k in along]
        return [([*row, k], _all([inside, here])) for row, inside in self.rows for k, here in columns]

    def meeting(self, t: int, count: Expression) -> tuple[Expression, Expression]:
        """The first of ``count`` windows whose place t is inside the operand along the last axis, and the one after the last."""
        if self.whole:
            return ZERO, count
        w, n = self.w, self.x.n[-1] + self.pad - t
        first = w.define("first", least(Int(max(0, -(-(self.pad - t) // self.step))), count))
        last = w.define("last", least(select(n < 1, 0, (n - 1) // self.step + 1), count))
        return first, w.define("last", select(last < first, first, last))

    def complete(self, count: Expression) -> tuple[Expression, Expression]:
        """The first of ``count`` windows that is complete along the last axis, and the one after the last such."""
        if self.whole:
            return ZERO, count
        n = self.x.n[-1] + self.pad
        after = select(n < self.window, 0, (n - self.window) // self.step + 1)
        first = self.w.define("first", least(Int(-(-self.pad // self.step)), count))
        last = self.w.define("last", least(after, count))
        return first, self.w.define("last", select(last < first, first, last))


def _all(tests: Any) -> Expression:
    found: Expression = ONE
    for test in tests:
        found = test if found == ONE else found if test == ONE else both(found, test)
    return found


def _pool(
    w: BodyWriter,
    op: Any,
    x: Memory,
    out: Memory,
    small: Callable[[_Row, Expression, bool], Expression],
    any_size: Callable[[_Window], Expression],
) -> None:
    """Results of all windows: ``small`` computes one with its places written out, ``any_size`` in loops over them."""
    if prod(op.params["window"]) > MOST:
        with _windows(w, op, x, out) as window:
            w.store(out.at(*window.at), any_size(window))
        return
    with w.parallel(out.n[:-1]) as at:
        row = _Row(w, op, x, at)
        first, last = row.complete(out.n[-1])
        with w.vector([last - first], index="k") as (k,):
            i = k + first
            w.store(out.at(*at, i), small(row, i, True))
        if not row.whole:
            with w.loop("e", out.n[-1] - last + first) as e:
                i = w.define("i", select(e < first, e, e - first + last))
                w.store(out.at(*at, i), small(row, i, False))


def largest(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins

    def small(row: _Row, i: Expression, complete: bool) -> Expression:
        return _best(w, [w.let(w.fresh("v"), x.at(*at)) for at, _ in row.places(i, complete)])

    def any_size(window: _Window) -> Expression:
        best = w.variable("best", x.at(*window.lead, *window.low), x.dtype)
        with window.places() as at:
            v = w.let("v", x.at(*at))
            with w.when(either(v > best, ne(v, v))):
                w.assign(best, v)
        return best

    _pool(w, op, x, out, small, any_size)


def _apart(op: Any) -> bool:
    """True where windows that are small share no place, and none is cut off."""
    p = op.params
    steps = all(s >= k for s, k in zip(p["strides"], p["window"], strict=True))
    return steps and prod(p["window"]) <= MOST and not p["partial"] and not any(p["pads"])


def _clear(w: BodyWriter, op: Any, out: Memory, y: Memory) -> None:
    """Zeros, where windows that share no place leave one out."""
    p, first = op.params, len(out.n) - len(op.params["window"])
    if p["strides"] != p["window"]:
        w.emit(Clear(out, out.size))
        return
    left: Expression = ZERO
    for n, m, k in zip(out.n[first:], y.n[first:], p["window"], strict=True):
        left = either(left, ne(n, m * k)) if left != ZERO else ne(n, m * k)
    with w.when(left):
        w.emit(Clear(out, out.size))


def _route_apart(w: BodyWriter, op: Any, x: Memory, y: Memory, out: Memory) -> None:
    """The value of a window goes to its first largest place, or the first that is NaN; to the others goes 0."""
    _clear(w, op, out, y)
    with w.parallel(y.n[:-1]) as at:
        row = _Row(w, op, x, at)
        with w.vector([y.n[-1]], index="k") as (i,):
            places = [(at, w.let(w.fresh("v"), x.at(*at))) for at, _ in row.places(i)]
            best, rest = _best(w, [v for _, v in places]), w.let("given", y.at(*row.at, i))
            for number, (place, v) in enumerate(places):
                here = eq(v, best)
                w.store(out.at(*place), _where(here, v, rest, 0))
                if number < len(places) - 1:
                    rest = w.let(w.fresh("rest"), _where(here, v, 0, rest))


def _route_rows(w: BodyWriter, op: Any, x: Memory, y: Memory, out: Memory) -> None:
    """Rows of values are added to the rows of each place of their windows, where it is the first largest one."""
    w.emit(Clear(out, out.size))
    lead = len(y.n) - len(op.params["window"])
    with w.parallel(y.n[:lead]) as at, w.loops(y.n[lead:-1], first=lead) as more:
        row = _Row(w, op, x, [*at, *more])
        number = {"float32": "int32"}.get(x.dtype, "int64")
        which, starts = w.row("which", number, CHUNK), w.row("starts", "int64", prod(op.params["window"]))
        for t, (place, _) in enumerate(row.places(ZERO)):
            w.store(starts.at(t), sum((i * n for i, n in zip(place, out.s, strict=True)), start=ZERO))
        flat = Memory(out.address, out.dtype, (out.size,), (ONE,), (False,))
        first, last = row.complete(y.n[-1])
        with w.loop("c", last, first, CHUNK) as c:
            count = w.define("count", least(Int(CHUNK), last - c))
            with w.vector([count], index="k") as (k,):
                w.store(which.at(k), _which(w, [x.at(*place) for place, _ in row.places(k + c)], number))
            with w.loop("k", count) as k:
                to = w.define("to", starts.at(which.at(k)) + (k + c) * row.step)
                w.store(flat.at(to), flat.at(to) + y.at(*row.at, k + c))
        if not row.whole:
            with w.loop("e", y.n[-1] - last + first) as e:
                i = w.define("i", select(e < first, e, e - first + last))
                ends = [(at, w.let(w.fresh("v"), x.at(*at))) for at, _ in row.places(i, complete=False)]
                most, value = _best(w, [v for _, v in ends]), w.let("given", y.at(*row.at, i))
                for target, v in ends:
                    here = eq(v, most)
                    w.store(out.at(*target), out.at(*target) + _where(here, v, value, 0))
                    value = w.let(w.fresh("rest"), _where(here, v, 0, value))


def _best(w: BodyWriter, values: Sequence[Expression]) -> Expression:
    """The largest of some values, or NaN."""
    best, *rest = values
    for v in rest:
        best = w.let(w.fresh("best"), _where(v > best, v, v, best))
    return best


def _which(w: BodyWriter, values: Sequence[Expression], number: str) -> Expression:
    """The number of the first largest of some values, or of the first that is NaN."""
    best: Any = w.let(w.fresh("v"), values[0])
    which: Expression = ZERO
    for t, value in enumerate(values[1:], 1):
        v = w.let(w.fresh("v"), value)
        no_number = select(ne(v, v), select(ne(best, best), which, t), which) if v.dtype in FLOATS else which
        name = w.fresh("which")
        w.emit(Let(name, number, select(v > best, t, no_number)))
        which, best = Name(name, number), w.let(w.fresh("best"), _where(v > best, v, v, best))
    return which


def _where(test: Expression, v: Expression, x: Expression | int, y: Expression | int) -> Expression:
    """``x`` where a test holds or v is NaN, else ``y``; without a test that only runs where another fails, for vectors."""
    return select(test, x, select(ne(v, v), x, y) if v.dtype in FLOATS else y)


def route(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    _check_equal(w, y.n, _pooled(w, op, x.n))
    if _apart(op):
        _route_apart(w, op, x, y, out)
        return
    if w.by_places:
        with _meeting(w, op, x, y, out) as meeting, w.when(meeting.is_at(meeting.largest(x))):
            meeting.add(y.at(*meeting.at))
        return
    if prod(op.params["window"]) <= MOST:
        _route_rows(w, op, x, y, out)
        return
    w.emit(Clear(out, out.size))
    with _windows(w, op, x, y) as window:
        target = out.at(*window.largest(x))
        w.store(target, target + y.at(*window.at))


def route_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    return list(ins[0].n)


def pick(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    _check_equal(w, y.n, x.n)
    with _windows(w, op, x, out) as window:
        w.store(out.at(*window.at), y.at(*window.largest(x)))


def total(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins

    def small(row: _Row, i: Expression, complete: bool) -> Expression:
        found = w.variable("total", 0, x.dtype)
        for at, inside in row.places(i, complete):
            v = x.at(*at)
            w.assign(found, found + (v if inside == ONE else select(inside, v, 0)))
        return found

    def any_size(window: _Window) -> Expression:
        found = w.variable("total", 0, x.dtype)
        with window.places() as at:
            w.assign(found, found + x.at(*at))
        return found

    _pool(w, op, x, out, small, any_size)


def spread(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    y = ins[0]
    _check_equal(w, y.n, _pooled(w, op, out.n))
    if w.by_places and not _apart(op):
        with _meeting(w, op, out, y, out) as meeting:
            meeting.add(y.at(*meeting.at))
    elif prod(op.params["window"]) > MOST:
        w.emit(Clear(out, out.size))
        with _windows(w, op, out, y) as window, window.places() as at:
            w.store(out.at(*at), out.at(*at) + y.at(*window.at))
    elif _apart(op):
        _clear(w, op, out, y)
        with w.parallel(y.n[:-1]) as at:
            row = _Row(w, op, out, at)
            with w.vector([y.n[-1]], index="k") as (i,):
                given = w.let("given", y.at(*at, i))
                for place, _ in row.places(i):
                    w.store(out.at(*place), given)
    else:
        w.emit(Clear(out, out.size))
        _spread_rows(w, op, y, out)


def _spread_rows(w: BodyWriter, op: Any, y: Memory, out: Memory) -> None:
    """Rows of values are added to the rows of each place of their windows, which other windows may share."""
    lead = len(y.n) - len(op.params["window"])
    with w.parallel(y.n[:lead]) as at, w.loops(y.n[lead:-1], first=lead) as rest:
        row = _Row(w, op, out, [*at, *rest])
        for place, inside in row.rows:
            with w.when(inside):
                for t in range(row.window):
                    first, last = row.meeting(t, y.n[-1])
                    with w.vector([last - first], index="k") as (k,):
                        target = out.at(*place, (k + first) * row.step - row.pad + t)
                        w.store(target, target + y.at(*at, *rest, k + first))


def spread_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    y, *lengths = ins
    given = [w.define("n", n.scalar()) for n in lengths]
    for n in given:
        w.check(n < 0, "ShapeError", "pool: the length {0} is negative", n)
    return [*y.n[: len(y.n) - len(given)], *given]


def pooled_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    return _pooled(w, op, ins[0].n)


largest_lengths = pick_lengths = total_lengths = pooled_lengths
