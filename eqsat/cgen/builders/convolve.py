"""The full convolution of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Binary, Cast, Expression, either, eq, least, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.convolve import EMPTY

TILE = 2048  # elements of the result that stay near while the shorter vector runs


def full_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    n, m = ins[0].n[-1], ins[1].n[-1]
    w.check(either(eq(n, 0), eq(m, 0)), "ShapeError", EMPTY)
    return [*ins[0].n[:-1], w.define("n", n + m - 1)]


def full(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    times, plus = ("&", "|") if x.dtype == "bool" else ("*", "+")
    if w.by_places:
        with w.parallel(out.n) as (*rows, i):
            total = w.variable("total", 0, out.dtype)
            first = w.let("first", select(i < y.n[-1], 0, i - y.n[-1] + 1))
            with w.loop("j", least(x.n[-1], i + 1), first) as j:
                term = Binary(times, x.at(*rows, j), y.at(*rows, i - j))
                w.assign(total, Cast(out.dtype, Binary(plus, total, term)))
            w.store(out.at(*rows, i), total)
        return
    tiles = (out.n[-1] + (TILE - 1)) // TILE
    with w.parallel([*out.n[:-1], tiles]) as (*rows, tile):
        low = w.let("low", tile * TILE)
        high = w.let("high", least(low + TILE, out.n[-1]))
        with w.vector([high - low]) as (k,):
            w.store(out.at(*rows, low + k), 0)
        with w.when(y.n[-1] <= x.n[-1]):
            _add_products(w, x, y, out, rows, (low, high), times, plus)
        with w.otherwise():
            _add_products(w, y, x, out, rows, (low, high), times, plus)


def _add_products(
    w: BodyWriter,
    x: Memory,
    y: Memory,
    out: Memory,
    rows: Sequence[Expression],
    tile: tuple[Expression, Expression],
    times: str,
    plus: str,
) -> None:
    """Add the products with each element of ``y`` to a tile of the result, four at a time where x has them all."""
    n, m, (low, high) = x.n[-1], y.n[-1], tile

    def add(taps: Sequence[Expression], first: Expression, stop: Expression) -> None:
        start = w.define("start", select(first > low, first, low))
        count = w.define("count", least(stop, high) - start)
        factors = [w.let(w.fresh("f"), y.at(*rows, j)) for j in taps]
        with w.vector([count]) as (k,):
            place = out.at(*rows, start + k)
            total: Expression = place
            for j, f in zip(taps, factors, strict=True):
                total = Binary(plus, total, Binary(times, f, x.at(*rows, start + k - j)))
            w.store(place, total)

    whole = w.define("whole", m - m % 4)
    with w.loop("j", whole, step=4) as j:
        add([j, j + 1, j + 2, j + 3], j + 3, n + j)
        with w.loop("q", 3) as q:
            add([j + q], j + q, j + 3)
            add([j + q + 1], n + j, n + j + q + 1)
    with w.loop("j", m, whole) as j:
        add([j], j, n + j)
