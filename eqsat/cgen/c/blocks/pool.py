"""Loops over windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter


def _c_counts(w: CWriter, op: Any, lengths: Sequence[str]) -> list[str]:
    texts = []
    p = op.params
    for n, k, s, pad in zip(lengths, p["window"], p["strides"], p["pads"], strict=True):
        if not p["partial"]:
            text = f"{n} == 0 || {n} + {2 * pad} < {k} ? 0 : ({n} + {2 * pad} - {k})/{s} + 1"
        elif s >= k:
            text = f"{n} == 0 ? 0 : ({n} - 1)/{s} + 1"
        else:
            text = f"{n} == 0 ? 0 : ({n} > {k} ? ({n} - 1 - {k})/{s} + 1 : 0) + 1"
        texts.append(w.define("m", text))
    return texts


def _c_pooled(w: CWriter, op: Any, n: Sequence[str]) -> list[str]:
    first = len(n) - len(op.params["window"])
    return [*n[:first], *_c_counts(w, op, n[first:])]


def _c_check(w: CWriter, op: Any, n: Sequence[str], found: Sequence[str]) -> None:
    for axis, (have, want) in enumerate(zip(found, _c_pooled(w, op, n), strict=True)):
        text = f"pool: axis {axis} of the pooled operand has length {{0}}, not {{1}}"
        w.check(f"{have} != {want}", "ShapeError", text, have, want)


def _c_windows(w: CWriter, op: Any, x: COperand, y: COperand, start: str, each: str, end: str) -> None:
    """Loops over the windows of x; ``{x}`` is an element, ``{best}`` the place that was kept, ``{y}`` the result."""
    p, ndim = op.params, len(x.n)
    first = ndim - len(p["window"])
    heads = "".join(f"for (int64_t i{a} = 0; i{a} < {y.n[a]}; i{a}++) " for a in range(ndim))
    bounds, inner = [], []
    for k, a in enumerate(range(first, ndim)):
        at = f"i{a}*{p['strides'][k]} - {p['pads'][k]}"
        bounds.append(
            f"int64_t l{a} = {at} < 0 ? 0 : {at}, h{a} = eq_least({x.n[a]}, {at} + {p['window'][k]});"
        )
        inner.append(f"for (int64_t j{a} = l{a}; j{a} < h{a}; j{a}++) ")
    lead = [f"i{a}" for a in range(first)]
    known = {
        "t": y.ctype,
        "x": x.at([*lead, *(f"j{a}" for a in range(first, ndim))]),
        "y": y.at([f"i{a}" for a in range(ndim)]),
        "first": x.at([*lead, *(f"l{a}" for a in range(first, ndim))]),
        "keep": " ".join(f"b{a} = j{a};" for a in range(first, ndim)),
        "begin": "int64_t " + ", ".join(f"b{a} = l{a}" for a in range(first, ndim)) + ";",
    }
    body = f"{start.format(**known)} {''.join(inner)}{{ {each.format(**known)} }} {end.format(**known)}"
    w.emit(f"{heads}{{ {' '.join(bounds)} {body} }}")


def _kept(v: COperand, params: Any) -> str:
    first = len(v.n) - len(params["window"])
    return v.at([f"i{a}" if a < first else f"b{a}" for a in range(len(v.n))])


_BETTER = "if ({x} > best || ({x} != {x} && best == best)) {{ best = {x}; {keep} }}"


def _find_c(w: CWriter, op: Any, x: COperand, y: COperand, use: str) -> None:
    t = x.ctype
    _c_windows(w, op, x, y, f"{t} best = {{first}}; {{begin}}", _BETTER, use)


def largest(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    each = "if ({x} > best || {x} != {x}) best = {x};"
    _c_windows(w, op, ins[0], out, "{t} best = {first};", each, "{y} = best;")


def route(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    _c_check(w, op, x.n, y.n)
    w.emit(f"memset({out.ptr}, 0, (size_t)({out.size}) * sizeof({out.ctype}));")
    _find_c(w, op, x, y, f"{_kept(out, op.params)} += {{y}};")


def pick(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    _same_c(w, x, y)
    _find_c(w, op, x, out, f"{{y}} = {_kept(y, op.params)};")


def _same_c(w: CWriter, x: COperand, y: COperand) -> None:
    for axis, (have, want) in enumerate(zip(y.n, x.n, strict=True)):
        text = f"pool: axis {axis} of the pooled operand has length {{0}}, not {{1}}"
        w.check(f"{have} != {want}", "ShapeError", text, have, want)


def total(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    _c_windows(w, op, ins[0], out, "{t} total = 0;", "total += {x};", "{y} = total;")


def spread(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    y = ins[0]
    _c_check(w, op, out.n, y.n)
    w.emit(f"memset({out.ptr}, 0, (size_t)({out.size}) * sizeof({out.ctype}));")
    _c_windows(w, op, out, y, "", "{x} += {y};", "")


def spread_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    y, *lengths = ins
    given = [w.define("n", n.scalar()) for n in lengths]
    for n in given:
        w.check(f"{n} < 0", "ShapeError", "pool: the length {0} is negative", n)
    return [*y.n[: len(y.n) - len(given)], *given]


def pooled_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    return _c_pooled(w, op, ins[0].n)


largest_lengths = pick_lengths = total_lengths = pooled_lengths
