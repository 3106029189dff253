"""Places among sorted values, counts of values, repeated places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.search import BELOW, COUNT, NEGATIVE, PARTS, SIZE, TOTAL


def search(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    a, v = ins
    index = [f"i{k}" for k in range(len(v.n))]
    call = f"eq_search__{a.ctype}({a.ptr}, {a.n[0]}, {a.s[0]}, {v.at(index)}, {op.params['right']})"
    w.parallel(v.n, f"{out.at(index)} = {call};")


def bins(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, least = ins
    w.emit(f"int64_t count = {least.scalar()};")
    body = f"if ({x.at(['i0'])} < 0) {w.fail('ArgumentError', NEGATIVE, x.at(['i0']))}"
    w.emit(loops(x.n, f"{body} if ({x.at(['i0'])} >= count) count = {x.at(['i0'])} + 1;"))
    w.emit(f"{out.scalar()} = count;")


def spread_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    counts, n = ins
    w.check(f"{counts.n[0]} != {n.scalar()}", "ShapeError", COUNT, counts.n[0], n.scalar())
    at = counts.at(["i0"])
    stop = w.fail("ShapeError", BELOW, at)
    w.emit(f"int64_t total = 0; {loops(counts.n, f'if ({at} < 0) {stop} total += {at};')}")
    return ["total"]


def spread(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    counts = ins[0]
    inner = f"for (int64_t j = 0; j < {counts.at(['i0'])}; j++) ({out.ptr})[at++] = i0;"
    w.emit(f"int64_t at = 0; {loops(counts.n, inner)}")


def ends(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    sizes, n = ins
    parts = str(op.params["parts"])
    w.check(f"{sizes.n[0]} != {parts}", "ShapeError", PARTS, sizes.n[0], parts)
    at = sizes.at(["i0"])
    w.emit(f"int64_t total = 0; ({out.ptr})[0] = 0;")
    w.emit(
        loops(
            sizes.n,
            f"if ({at} < 0) {w.fail('ShapeError', SIZE, at)} total += {at}; ({out.ptr})[i0 + 1] = total;",
        )
    )
    w.check(f"total != {n.scalar()}", "ShapeError", TOTAL, "total", n.scalar())
