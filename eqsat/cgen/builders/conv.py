"""Convolutions: lengths, checks, and one call of a library function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.expressions import (
    ZERO,
    Expression,
    Function,
    Int,
    both,
    either,
    expression,
    ne,
    product,
    select,
    strides_of,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def _lengths(
    w: BodyWriter, op: Any, n: Sequence[Expression], k: Sequence[Expression]
) -> tuple[list[Expression], list[Expression]]:
    """Zeros before the input, and lengths of the output, along the spatial axes."""
    before, out = [], []
    for axis, (have, kernel) in enumerate(zip(n, k, strict=True)):
        gap, step = op.params["dilation"][axis], op.params["strides"][axis]
        wide = w.define("wide", (kernel - 1) * gap + 1)
        text = f"conv: the kernel has length 0 on spatial axis {axis}"
        w.check(kernel < 1, "ShapeError", text)
        first, last = _border(op.params["border"], axis, wide)
        room = w.define("room", have + first + last)
        text = f"conv: the kernel covers {{0}} elements of spatial axis {axis}, the padded input has {{1}}"
        w.check(room < wide, "ShapeError", text, wide, room)
        before.append(first)
        out.append(w.define("m", (room - wide) // step + 1))
    return before, out


def _border(border: Any, axis: int, wide: Expression) -> tuple[Expression, Expression]:
    if isinstance(border, str):
        both_sides = ZERO if border == "valid" else wide - 1 if border == "full" else wide // 2
        return both_sides, both_sides
    first, last = border[axis]
    return Int(first), Int(last)


def _groups(op: Any, c: Expression, per: Expression) -> Expression:
    """The number of groups of channels."""
    groups = op.params["groups"]
    return Int(groups) if groups else select(both(per > 0, c >= per), c // per, 1)


def _check_channels(w: BodyWriter, op: Any, c: Expression, o: Expression, per: Expression) -> None:
    groups = _groups(op, c, per)
    text = "conv: {0} input channels, the filters take {1} in each of {2} groups"
    empty = Int(1) if op.params["groups"] else either(ne(c, 0), ne(o, 0))
    w.check(both(ne(c, per * groups), empty), "ShapeError", text, c, per, groups)
    text = "conv: {0} output channels cannot be cut into {1} groups"
    w.check(ne(o % groups, 0), "ShapeError", text, o, groups)


def _check_equal(w: BodyWriter, found: Sequence[Expression], wanted: Sequence[Expression]) -> None:
    for axis, (have, want) in enumerate(zip(found, wanted, strict=True)):
        text = f"conv: axis {axis} of the output has length {{0}}, not {{1}}"
        w.check(ne(have, want), "ShapeError", text, have, want)


def _three(items: Sequence[Any], filling: int) -> list[Expression]:
    """Three numbers for the spatial axes, filled on the left."""
    return [Int(filling)] * (3 - len(items)) + [expression(i) for i in items]


def _five(v: Memory) -> list[Expression]:
    """Strides of five axes: axes of length 1 by type, and those filled in, look contiguous."""
    strides = [c if m else s for c, s, m in zip(strides_of(v.n), v.s, v.mask, strict=True)]
    missing = [product(v.n[2:])] * (5 - len(v.n))
    return [*strides[:2], *missing, *strides[2:]]


def _call(w: BodyWriter, op: Any, what: int, x: Memory, k: Memory, y: Memory, room: Memory) -> None:
    """Call ``conv`` with the numbers of its plan, in their order, and four addresses."""
    before, out = _lengths(w, op, x.n[2:], k.n[2:])
    _check_channels(w, op, x.n[1], k.n[0], k.n[1])
    _check_equal(w, y.n, [x.n[0], k.n[0], *out])
    p = op.params
    numbers = [x.n[0], x.n[1], k.n[0], _groups(op, x.n[1], k.n[1]), Int(int(p["flip"]))]
    for items in (x.n[2:], k.n[2:], y.n[2:]):
        numbers += _three(items, 1)
    numbers += [*_three(before, 0), *_three(p["strides"], 1), *_three(p["dilation"], 1)]
    numbers += [*_five(x), *_five(k), *_five(y)]
    w.call("conv", x.dtype, what, *numbers, *(v.address for v in (x, k, y, room)))


def _room(op: Any, what: int, x: Memory, k: Memory, y: Memory) -> Expression:
    p, before = op.params, []
    for axis, (kernel, gap) in enumerate(zip(k.n[2:], p["dilation"], strict=True)):
        before.append(_border(p["border"], axis, (kernel - 1) * gap + 1)[0])
    numbers = [Int(what), x.n[0], x.n[1], k.n[0], _groups(op, x.n[1], k.n[1])]
    for items, filling in (
        (x.n[2:], 1),
        (k.n[2:], 1),
        (y.n[2:], 1),
        (before, 0),
        (p["strides"], 1),
        (p["dilation"], 1),
    ):
        numbers += _three(items, filling)
    return Function("conv_room", tuple(numbers), x.dtype)


def forward_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    x, k = ins
    return [x.n[0], k.n[0], *_lengths(w, op, x.n[2:], k.n[2:])[1]]


def to_input_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    k, y, *lengths = ins
    given = [_length(w, n) for n in lengths]
    groups = op.params["groups"]
    return [y.n[0], w.define("channels", k.n[1] * groups) if groups else given.pop(0), *given]


def _length(w: BodyWriter, n: Memory) -> Expression:
    name = w.define("n", n.scalar())
    w.check(name < 0, "ShapeError", "conv: the length {0} is negative", name)
    return name


def to_kernel_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    x, y, *lengths = ins
    given = [_length(w, n) for n in lengths]
    groups = op.params["groups"]
    return [y.n[1], w.define("channels", x.n[1] // groups) if groups else given.pop(0), *given]


@saying(calls="convolution")
def forward(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory, room: Memory) -> None:
    _call(w, op, 0, ins[0], ins[1], out, room)


def forward_room(op: Any, ins: Sequence[Memory], out: Memory) -> Expression:
    return _room(op, 0, ins[0], ins[1], out)


@saying(calls="convolution")
def to_input(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory, room: Memory) -> None:
    _call(w, op, 1, out, ins[0], ins[1], room)


def to_input_room(op: Any, ins: Sequence[Memory], out: Memory) -> Expression:
    return _room(op, 1, out, ins[0], ins[1])


@saying(calls="convolution")
def to_kernel(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory, room: Memory) -> None:
    _call(w, op, 2, ins[0], out, ins[1], room)


def to_kernel_room(op: Any, ins: Sequence[Memory], out: Memory) -> Expression:
    return _room(op, 2, ins[0], out, ins[1])
