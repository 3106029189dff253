"""Elements picked and written by index arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.index import broadcast_check, c_stored, contiguous, copy_into
from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.gather import gather_layout
from eqsat.graph.ops.index import OUTSIDE


def _c_gather(
    w: CWriter, pattern: Sequence[int], x: COperand, indices: Sequence[COperand]
) -> tuple[list[str], str, list[str]]:
    """Lengths of the result, C statements that find the place in x, and the index of x, all in terms of i0, i1 ..."""
    count = len(indices[0].n)
    place, whole = gather_layout(pattern)
    lengths = []
    for axis in range(count):
        full = [i.n[axis] for i in indices if i.n[axis] != "1"]
        for other in full[1:]:
            text = f"index arrays: axis {axis} has the lengths {{0}} and {{1}}"
            w.check(f"{full[0]} != {other}", "ShapeError", text, full[0], other)
        lengths.append(full[0] if full else "1")
    kept = [x.n[a] for a in whole]
    result = kept[:place] + lengths + kept[place:]
    counters = [f"i{place + k}" for k in range(count)]
    where, find = [""] * len(pattern), ""
    for axis, number in enumerate(pattern):
        if number < 0:
            k = whole.index(axis)
            where[axis] = f"i{k if k < place else k + count}"
            continue
        source = indices[number]
        value = source.at(["0" if n == "1" else c for n, c in zip(source.n, counters, strict=True)])
        stop = w.fail(
            "BoundsError",
            OUTSIDE.replace("{axis}", str(axis)),
            f"g{axis}",
            x.n[axis],
        )
        find += (
            f"int64_t g{axis} = {value}; if (g{axis} < -({x.n[axis]}) || g{axis} >= {x.n[axis]}) {stop} "
            f"if (g{axis} < 0) g{axis} += {x.n[axis]}; "
        )
        where[axis] = f"g{axis}"
    return result, find, where


def _nest(lengths: Sequence[str], split: int, find: str, body: str) -> str:
    inner = "".join(
        f"for (int64_t i{k} = 0; i{k} < {lengths[k]}; i{k}++) " for k in range(split, len(lengths))
    )
    return loops(lengths[:split], f"{find}{inner}{{ {body} }}")


def pick_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    return _c_gather(w, op.params["pattern"], ins[0], ins[1:])[0]


def _gather_split(pattern: Sequence[int], indices: Sequence[COperand]) -> int:
    count = len(indices[0].n)
    return gather_layout(pattern)[0] + count


def pick(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, *indices = ins
    lengths, find, where = _c_gather(w, op.params["pattern"], x, indices)
    split = _gather_split(op.params["pattern"], indices)
    target = out.at([f"i{k}" for k in range(len(lengths))])
    plain = _nest(lengths, split, find, f"{target} = {x.at(where)};")
    inner = len(lengths) - split
    if not inner or any(p >= 0 for p in op.params["pattern"][-inner:]):
        w.emit(plain)
        return
    first = len(x.n) - inner
    to = out.at([f"i{k}" for k in range(split)] + ["0"] * inner)
    source = x.at([*where[:first], *["0"] * inner])
    size = "*".join([f"({n})" for n in lengths[split:]] + [f"sizeof({x.ctype})"])
    fast = loops(lengths[:split], f"{find}__builtin_memcpy(&{to}, &{source}, {size});")
    w.emit(f"if ({contiguous(x, first)}) {fast} else {plain}")


def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y, *indices = ins
    lengths, find, where = _c_gather(w, op.params["pattern"], out, indices)
    source = y.at(broadcast_check(w, op, y, lengths))
    copy_into(w, x, out)
    target = out.at(where)
    body = f"{target} = {c_stored(op, out, target, source)};"
    w.emit(_nest(lengths, _gather_split(op.params["pattern"], indices), find, body))
