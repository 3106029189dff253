"""The axis that the innermost loop of a nest with folds runs along, where that of memory is short.

Coordinates of points are such an axis: a sum over them, or one result for each, would run in loops of two or three steps. The
nest then runs along the axis over which most of its memory is contiguous otherwise. Operands that lie across that axis and do
not change along another one are copied first, so that they are contiguous too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eqsat.cgen.ir.arrays import Lengths
from eqsat.cgen.ir.nest import Nest, Operand, Read

SHORT = 16  # elements of a row that is too short for vectors
VECTOR = 64  # bytes


def other_form(nest: Nest, known: Lengths) -> tuple[Nest, str] | None:
    """The nest along another axis, and where it is to be taken, a test of lengths: "1" for always; None for never."""
    last = len(nest.lengths) - 1
    if last < 2 or nest.tested or nest.picks or not nest.folds or nest.stores:
        return None
    axis = max(range(last), key=lambda a: _contiguous(nest, a))
    short, long = nest.lengths[last], nest.lengths[axis]
    if not _contiguous(nest, axis):
        return None
    if (short.isdigit() and int(short) >= SHORT) or (long.isdigit() and int(long) < SHORT):
        return None
    tests = [f"{short} < {SHORT}", *[f"{long} >= {SHORT}"] * (not long.isdigit())]
    return _along(nest, axis, known), "1" if short.isdigit() else " && ".join(tests)


def turned(nest: Nest, near: bool) -> tuple[Nest, str] | None:
    """The nest with its last kept axis inside where its last reduced one is, or the other way round, and where it is to be taken.

    What is not ``near`` is not read again for each of its columns.
    """
    places = range(len(nest.lengths))
    kept = [a for a in places if not nest.reduced[a]]
    reduced = [a for a in places if nest.reduced[a]]
    if nest.tested or not kept or not reduced or not (nest.reduced[-1] or near):
        return None
    order = [*kept[:-1], *reduced, kept[-1]] if nest.reduced[-1] else [*kept, *reduced]
    short, long = nest.lengths[-1], nest.lengths[order[-1]]
    most = SHORT
    if short.isdigit():
        most = 2 * SHORT if nest.reduced[-1] and int(short) % _lanes(nest) else SHORT
        if int(short) >= most or (long.isdigit() and int(long) < 2 * int(short)):
            return None
    elif nest.reduced[-1]:
        most = 2 * SHORT
    found = replace(
        nest,
        lengths=tuple(nest.lengths[a] for a in order),
        reduced=tuple(nest.reduced[a] for a in order),
        operands=tuple(
            replace(o, strides=tuple(o.strides[a] for a in order) if o.strides else ()) for o in nest.operands
        ),
    )
    known = short.isdigit() and long.isdigit()
    return found, "1" if known else f"{short} < {most} && {long} >= 2*{short}"


def _lanes(nest: Nest) -> int:
    """Elements of the widest vectors there are: of a row, those that do not fill one are computed one by one."""
    return VECTOR // min((np.dtype(o.dtype).itemsize for o in nest.operands), default=8)


def _contiguous(nest: Nest, axis: int) -> int:
    """The number of axes of the largest operand or result that is contiguous along one, the last axis aside."""
    sizes = [sum(s != "0" for s in o.strides) for o in nest.operands if o.strides and o.strides[axis] == "1"]
    kept = [a for a, reduced in enumerate(nest.reduced) if not reduced]
    return max([*sizes, len(kept) * (bool(kept) and kept[-1] == axis)])


def _along(nest: Nest, axis: int, known: Lengths) -> Nest:
    """The nest with an axis inside; results are written where they were."""
    axes = range(len(nest.lengths))
    rest = [a for a in axes if a != axis]
    order = [a for a in rest if not nest.reduced[a]] + [a for a in rest if nest.reduced[a]] + [axis]
    kept = [a for a in axes if not nest.reduced[a]]
    places = dict(zip(kept, known.strides([nest.lengths[a] for a in kept]), strict=True))
    results = tuple(places.get(a, "0") for a in order)
    return replace(
        nest,
        lengths=tuple(nest.lengths[a] for a in order),
        reduced=tuple(nest.reduced[a] for a in order),
        operands=tuple(
            replace(o, strides=tuple(o.strides[a] for a in order) if o.strides else results)
            for o in nest.operands
        ),
    )


def lies_across(operand: Operand) -> bool:
    """True for an operand that is not contiguous along the last axis, and that an outer loop reads again."""
    return not operand.written and operand.strides[-1] not in ("0", "1") and "0" in operand.strides


def copied(nest: Nest, place: int, pointer: str, known: Lengths) -> tuple[Nest, Nest]:
    """A nest that copies an operand to a pointer, contiguous along the last axis, and the nest that reads it there."""
    operand = nest.operands[place]
    used = [a for a, s in enumerate(operand.strides) if s != "0"]
    lengths = tuple(nest.lengths[a] for a in used)
    strides = known.strides(lengths)
    source = replace(operand, strides=tuple(operand.strides[a] for a in used))
    target = Operand(pointer, operand.dtype, strides, written=True)
    copy = Nest(lengths, (False,) * len(used), (target, source), (Read(1, operand.dtype),), ((0, 0),))
    places = dict(zip(used, strides, strict=True))
    read = Operand(pointer, operand.dtype, tuple(places.get(a, "0") for a in range(len(nest.lengths))))
    operands = (*nest.operands[:place], read, *nest.operands[place + 1 :])
    return copy, replace(nest, operands=operands)
