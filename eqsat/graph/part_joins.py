"""Functions of index patterns across joins, writes and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.part_functions import Lengths, Part, _all_known, narrowed, result_places, turns_rows
from eqsat.graph.parts import (
    BACKWARDS,
    FULL,
    entries_apart,
    entry_of_both,
    sliced_length,
    split_entry,
    write_in_entry,
)

# -------------------------------------------------------------------------------------------------- joins


def _piece(
    p: Part, axis: int, xs: Lengths, ys: Lengths, side: int, alone: bool, forward: bool
) -> Part | None:
    found = split_entry(p[axis], xs[axis], ys[axis])
    if found is None or found[side] is None or (found[1 - side] is None) != alone:
        return None
    if not alone and ((p[axis][3] or 1) > 0) != forward:
        return None
    return (*p[:axis], found[side], *p[axis + 1 :])  # type: ignore[arg-type]


def part_in_first(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of x that is the part p of x and y joined."""
    return _piece(p, axis, xs, ys, 0, True, True)


def part_in_second(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of y that is the part p of x and y joined."""
    return _piece(p, axis, xs, ys, 1, True, True)


def part_of_first(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of x that, with one of y after it, is the part p of x and y joined."""
    return _piece(p, axis, xs, ys, 0, False, True)


def part_of_second(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of y that comes after one of x."""
    return _piece(p, axis, xs, ys, 1, False, True)


def back_part_of_first(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of x that comes after one of y where p goes backwards."""
    return _piece(p, axis, xs, ys, 0, False, False)


def back_part_of_second(p: Part, axis: int, xs: Lengths, ys: Lengths) -> Part | None:
    """The part of y that comes before one of x where p goes backwards."""
    return _piece(p, axis, xs, ys, 1, False, False)


def joined_axis(p: Part, axis: int) -> int | None:
    """The axis of a part at which an axis of x stands."""
    return result_places(p).get(axis)


def meets(axis: int, xs: Lengths, other: int, ys: Lengths) -> bool | None:
    """True where an axis of x is known to be as long as one of y."""
    return None if xs[axis] is None or xs[axis] != ys[other] else True


def join_lengths(axis: int, xs: Lengths, ys: Lengths) -> Lengths:
    """Lengths of x and y joined."""
    pairs = zip(xs, ys, strict=True)
    return tuple(
        (None if m is None or k is None else m + k) if a == axis else (k if m is None else m)
        for a, (m, k) in enumerate(pairs)
    )


def part_of_both(p: Part, q: Part, axis: int, lengths: Lengths) -> Part | None:
    """The part of x that is x[p] and x[q] joined along an axis."""
    here = next((a for a, k in result_places(p).items() if k == axis), None)
    if here is None or any(e != f for a, (e, f) in enumerate(zip(p, q, strict=True)) if a != here):
        return None
    entry = entry_of_both(p[here], q[here], lengths[here])
    return None if entry is None else (*p[:here], entry, *p[here + 1 :])


# ------------------------------------------------------------------------------------------------- writes


def axis_of_writes(p: Part, q: Part) -> int | None:
    """The axis of two written values along which one comes after the other: the only one where their places differ.

    >>> axis_of_writes((FULL, ("slice", None, 3, None)), (FULL, ("slice", 3, None, None)))
    1
    """
    here = [a for a, (e, f) in enumerate(zip(p, q, strict=True)) if e != f]
    return result_places(p).get(here[0]) if len(here) == 1 else None


def part_of_writes(
    p: Part, q: Part, axis: int, lengths: Lengths, xs: Sequence[int], ys: Sequence[int]
) -> Part | None:
    """The part that two values fill which are written beside each other; ``xs`` and ``ys`` are axes where these have length 1."""
    alone = all(
        lengths[a] is not None and sliced_length(lengths[a], e) == 1
        for part, ones in ((p, xs), (q, ys))
        for a, e in enumerate(part)
        if result_places(part).get(a) in ones
    )
    return part_of_both(p, q, axis, lengths) if alone else None


def apart(p: Part, q: Part, lengths: Lengths) -> bool | None:
    """True where two parts of one tensor have no element in common."""
    return any(entries_apart(e, f, n) for e, f, n in zip(p, q, lengths, strict=True)) or None


def _written(p: Part, q: Part, lengths: Lengths, side: int) -> Part | None:
    found = []
    for e, f, n in zip(p, q, lengths, strict=True):
        pair = write_in_entry(e, f, n)
        if pair is None:
            return None
        if (f, e)[side][0] == "slice":
            found.append(pair[side])
    return _all_known(found)


def place_of_write(p: Part, q: Part, lengths: Lengths) -> Part | None:
    """The part of x[q] at which x was written at p; that of x[p] is another matter."""
    return None if p == q else _written(p, q, lengths, 0)


def value_of_write(p: Part, q: Part, lengths: Lengths, ones: Sequence[int]) -> Part | None:
    """The part of the value written at p that x[q] shows; ``ones`` are axes along which the value broadcasts."""
    found = _written(p, q, lengths, 1)
    return None if found is None else narrowed(found, ones, ())


def but_last(ndim: int) -> Part:
    """All rows but the last one; a row has so many axes."""
    return (("slice", 0, -1, None), *[FULL] * ndim)


def turned_after_move(p: Part, move: Sequence[Any]) -> Part | None:
    """The pattern that turns rows after their axes are moved, where they stay rows."""
    return (BACKWARDS, *[FULL] * (len(move) - 1)) if turns_rows(p) and move and move[0] == 0 else None


def end_dropped(p: Part, axis: int) -> Part | None:
    """The pattern without the bound that is the length of an axis, where that is the end of a slice of it."""
    kind, *rest = p[axis]
    if kind != "slice" or rest[1] != "?" or rest[0] == "?" or (rest[2] or 1) < 1:
        return None
    return (*p[:axis], (kind, rest[0], None, rest[2]), *p[axis + 1 :])


def meets_at_bound(p: Part, q: Part, axis: int) -> bool | None:
    """True where p takes what comes before a bound that comes at run time, q the rest, and both all of the other axes.

    >>> before, after = (("slice", None, "?", None),), (("slice", "?", None, None),)
    >>> meets_at_bound(before, after, 0), meets_at_bound(after, before, 0)
    (True, None)
    """
    plain = all(e == FULL for r in (p, q) for a, e in enumerate(r) if a != axis)
    return (plain and _bounds(p[axis]) == 2 and _bounds(q[axis]) == 1) or None


def _bounds(entry: Sequence[Any]) -> int:
    """Code of the bounds of a slice that come at run time: 1 for the start, 2 for the end, 3 for both; 0 where another one is given."""
    kind, *bounds = entry
    if kind != "slice" or bounds[2] not in (None, 1) or bounds[0] not in ("?", None, 0):
        return 0
    return (bounds[0] == "?") + 2 * (bounds[1] == "?") if bounds[1] in ("?", None) else 0


def bounded(p: Part, axis: int, bounds: int) -> Part | None:
    """The pattern itself where these bounds of a slice along an axis come at run time, and there are no others."""
    return p if _bounds(p[axis]) == bounds else None


def without_bound(p: Part, axis: int, bound: int) -> Part | None:
    """The pattern without a bound along an axis, the only one there."""
    return (*p[:axis], FULL, *p[axis + 1 :]) if _bounds(p[axis]) == bound else None


def without_start(p: Part, axis: int) -> Part | None:
    """The pattern that begins where the axis does, of one of which both bounds come at run time."""
    return (*p[:axis], ("slice", None, "?", None), *p[axis + 1 :]) if _bounds(p[axis]) == 3 else None


def axis_of_end(p: Part) -> int | None:
    """The axis of which a part takes what comes before a bound that comes at run time."""
    return next((a for a in range(len(p)) if _bounds(p[a]) == 2), None)


def only_end(p: Part) -> int | None:
    """The axis of such a bound, of a part that is whole along all other axes.

    >>> only_end((("slice", None, "?", None),)), only_end((("slice", 1, None, None), ("slice", None, "?", None)))
    (0, None)
    """
    return _only(p, axis_of_end(p))


def only_place(p: Part) -> int | None:
    """The axis of the one element that a part takes where it is whole along all other axes, for a place that comes at run time.

    >>> only_place((("int", "?"),)), only_place((("slice", None, None, None), ("int", 0)))
    (0, None)
    """
    return _only(p, next((a for a, entry in enumerate(p) if entry == ("int", "?")), None))


def _only(p: Part, axis: int | None) -> int | None:
    """The axis, where a part is whole along all others."""
    return axis if all(entry == FULL for a, entry in enumerate(p) if a != axis) else None


# -------------------------------------------------------------------------------------------------- loops


def part_of_rows(p: Part) -> Part:
    """The part of a stack of tensors that is the part p of each."""
    return (FULL, *p)


def part_in_step(p: Part) -> Part | None:
    """The part of each of some tensors whose stack is a part of theirs: not all of it."""
    return p[1:] if p[0] == FULL and p[1:] != (FULL,) * len(p[1:]) else None


def part_of_last(p: Part) -> Part | None:
    """The part of the last of some tensors that is the part p of their stack."""
    return p[1:] if p[0] == ("int", -1) else None


def last_of(ndim: int) -> Part:
    """The last row."""
    return (("int", -1), *[FULL] * (ndim - 1))


def part_in_row(p: Part) -> Part | None:
    """The part of a row that p takes, where an integer that is known at run time says which row."""
    return p[1:] if p[0] == ("int", "?") else None


def what_is_picked(p: Part) -> str | None:
    """The name in an error of a tensor of which the rows at the numbers of steps are taken."""
    return "scan: what T.arange picks from" if p[0] == ("int", "?") else None
