"""Loops over windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from eqsat.cgen.ir.expressions import Expression, both, either, eq, least, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Clear
from eqsat.cgen.ir.writer import BodyWriter


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
    """Statements for each window of x, whose index is that of its result in y."""
    with w.loops(y.n) as at:
        yield _Window(w, op, x, at)


def largest(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    with _windows(w, op, x, out) as window:
        best = w.variable("best", x.at(*window.lead, *window.low), x.dtype)
        with window.places() as at:
            v = w.let("v", x.at(*at))
            with w.when(either(v > best, ne(v, v))):
                w.assign(best, v)
        w.store(out.at(*window.at), best)


def route(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    _check_equal(w, y.n, _pooled(w, op, x.n))
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
    with _windows(w, op, x, out) as window:
        found = w.variable("total", 0, x.dtype)
        with window.places() as at:
            w.assign(found, found + x.at(*at))
        w.store(out.at(*window.at), found)


def spread(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    y = ins[0]
    _check_equal(w, y.n, _pooled(w, op, out.n))
    w.emit(Clear(out, out.size))
    with _windows(w, op, out, y) as window, window.places() as at:
        w.store(out.at(*at), out.at(*at) + y.at(*window.at))


def spread_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    y, *lengths = ins
    given = [w.define("n", n.scalar()) for n in lengths]
    for n in given:
        w.check(n < 0, "ShapeError", "pool: the length {0} is negative", n)
    return [*y.n[: len(y.n) - len(given)], *given]


def pooled_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    return _pooled(w, op, ins[0].n)


largest_lengths = pick_lengths = total_lengths = pooled_lengths
