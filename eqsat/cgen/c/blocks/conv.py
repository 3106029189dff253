"""Convolutions: lengths, checks, and one call of the shared functions in helpers/conv.c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter


def _c_lengths(w: CWriter, op: Any, n: Sequence[str], k: Sequence[str]) -> tuple[list[str], list[str]]:
    """Statements that compute padding and lengths of the output; gives zeros before, and lengths."""
    before, out = [], []
    for axis, (have, kernel) in enumerate(zip(n, k, strict=True)):
        gap, step = op.params["dilation"][axis], op.params["strides"][axis]
        wide = w.define("wide", f"({kernel} - 1)*{gap} + 1")
        text = f"conv: the kernel has length 0 on spatial axis {axis}"
        w.check(f"{kernel} < 1", "ShapeError", text)
        border = op.params["border"]
        if isinstance(border, str):
            first = {"valid": "0", "full": f"({wide} - 1)", "half": f"({wide}/2)"}[border]
            last = first
        else:
            first, last = map(str, border[axis])
        room = w.define("room", f"{have} + {first} + {last}")
        text = f"conv: the kernel covers {{0}} elements of spatial axis {axis}, the padded input has {{1}}"
        w.check(f"{room} < {wide}", "ShapeError", text, wide, room)
        before.append(first)
        out.append(w.define("m", f"({room} - {wide})/{step} + 1"))
    return before, out


def _c_groups(op: Any, c: str, per: str) -> str:
    """C text of group_count."""
    groups = op.params["groups"]
    return str(groups) if groups else f"({per} > 0 && {c} >= {per} ? {c}/{per} : 1)"


def _c_channels(w: CWriter, op: Any, c: str, o: str, per: str) -> None:
    groups = _c_groups(op, c, per)
    text = "conv: {0} input channels, the filters take {1} in each of {2} groups"
    empty = "" if op.params["groups"] else f" && ({c} || {o})"
    w.check(f"{c} != {per}*{groups}{empty}", "ShapeError", text, c, per, groups)
    text = "conv: {0} output channels cannot be cut into {1} groups"
    w.check(f"{o} % {groups}", "ShapeError", text, o, groups)


def _c_equal(w: CWriter, found: Sequence[str], wanted: Sequence[str]) -> None:
    for axis, (have, want) in enumerate(zip(found, wanted, strict=True)):
        text = f"conv: axis {axis} of the output has length {{0}}, not {{1}}"
        w.check(f"{have} != {want}", "ShapeError", text, have, want)


def _three(items: Sequence[Any], filling: str) -> str:
    """A C list of three entries for the spatial axes, filled on the left."""
    return "{" + ", ".join([filling] * (3 - len(items)) + [str(i) for i in items]) + "}"


def _strides_of(v: COperand) -> str:
    """Strides of five axes: axes of length 1 by type, and those filled in, look contiguous."""
    product, result = "1", []
    for n, s in zip(reversed(v.n), reversed(v.s), strict=True):
        result.append(product if n == "1" else s)
        product = n if product == "1" else f"{n}*{product}"
    strides = result[::-1]
    missing = ["*".join(f"({n})" for n in v.n[2:])] * (5 - len(v.n))
    return "{" + ", ".join([*strides[:2], *missing, *strides[2:]]) + "}"


def _c_call(w: CWriter, op: Any, what: int, x: COperand, k: COperand, y: COperand) -> None:
    before, out = _c_lengths(w, op, x.n[2:], k.n[2:])
    _c_channels(w, op, x.n[1], k.n[0], k.n[1])
    _c_equal(w, y.n, [x.n[0], k.n[0], *out])
    t, p = x.ctype, op.params
    fields = [
        f".b = {x.n[0]}, .c = {x.n[1]}, .o = {k.n[0]}, .groups = {_c_groups(op, x.n[1], k.n[1])}, .flip = {int(p['flip'])}",
        f".n = {_three(x.n[2:], '1')}, .k = {_three(k.n[2:], '1')}, .m = {_three(y.n[2:], '1')}",
        f".before = {_three(before, '0')}, .stride = {_three(p['strides'], '1')}, .gap = {_three(p['dilation'], '1')}",
        f".x = {_strides_of(x)}, .w = {_strides_of(k)}, .y = {_strides_of(y)}",
    ]
    w.emit(f"eq_conv_plan__{t} plan = {{{', '.join(fields)}}};")
    pointers = ", ".join(f"({t} *){v.ptr}" for v in (x, k, y))
    w.emit(f"eq_conv__{t}(c, {what}, &plan, {pointers}, room);")


def _room(op: Any, what: int, x: COperand, k: COperand, y: COperand) -> str:
    rows, size = "*".join(k.n[1:]), "*".join(y.n[2:])
    groups = _c_groups(op, x.n[1], k.n[1])
    return f"eq_conv_room__{x.ctype}({what}, {x.n[0]}, {rows}, {size}, {k.n[0]}, {groups})"


def forward_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    x, k = ins
    return [x.n[0], k.n[0], *_c_lengths(w, op, x.n[2:], k.n[2:])[1]]


def to_input_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    k, y, *lengths = ins
    given = [_c_length(w, n) for n in lengths]
    groups = op.params["groups"]
    return [y.n[0], w.define("channels", f"{k.n[1]}*{groups}") if groups else given.pop(0), *given]


def _c_length(w: CWriter, n: COperand) -> str:
    name = w.define("n", n.scalar())
    w.check(f"{name} < 0", "ShapeError", "conv: the length {0} is negative", name)
    return name


def to_kernel_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    x, y, *lengths = ins
    given = [_c_length(w, n) for n in lengths]
    groups = op.params["groups"]
    return [y.n[1], w.define("channels", f"{x.n[1]}/{groups}") if groups else given.pop(0), *given]


def forward(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    _c_call(w, op, 0, ins[0], ins[1], out)


def forward_room(op: Any, ins: Sequence[COperand], out: COperand) -> str:
    return _room(op, 0, ins[0], ins[1], out)


def to_input(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    _c_call(w, op, 1, out, ins[0], ins[1])


def to_input_room(op: Any, ins: Sequence[COperand], out: COperand) -> str:
    return _room(op, 1, out, ins[0], ins[1])


def to_kernel(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    _c_call(w, op, 2, ins[0], out, ins[1])


def to_kernel_room(op: Any, ins: Sequence[COperand], out: COperand) -> str:
    return _room(op, 2, ins[0], out, ins[1])
