"""Functions of index patterns: parts of parts, under reductions and moves of axes, of picks and products.

A pattern holds one entry per axis (see parts.py). None means that there is no such pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eqsat.graph.parts import (
    BACKWARDS,
    FULL,
    Entry,
    entry_of_entry,
    keeps_length,
    keeps_one,
    sliced_length,
    takes_all,
    takes_few,
)

Part = tuple[Entry, ...]
Lengths = tuple[int | None, ...]
_ONLY = (("int", 0), ("int", -1))  # entries that take the one element of an axis of length 1
MOST_EXACT = 2**53  # below it a float holds every integer


def whole(p: Part, lengths: Lengths) -> bool | None:
    """True for a pattern that takes everything."""
    return all(takes_all(e, n) for e, n in zip(p, lengths, strict=True)) or None


def squeezed(p: Part, lengths: Lengths) -> tuple[tuple[int, ...], int] | None:
    """The move of axes that a part is which takes the one element of some axes of length 1 and everything of the others.

    >>> squeezed((("slice", None, None, None), ("int", 0)), (None, 1))
    ((0,), 2)
    """
    picked = {a for a, (e, n) in enumerate(zip(p, lengths, strict=True)) if n == 1 and e in _ONLY}
    kept = tuple(a for a in range(len(p)) if a not in picked)
    return (kept, len(p)) if picked and all(takes_all(p[a], lengths[a]) for a in kept) else None


def part_ndim(p: Part) -> int:
    """Axes of a part."""
    return sum(e[0] == "slice" for e in p)


def part_lengths(p: Part, lengths: Lengths, ones: Sequence[int]) -> Lengths:
    """Lengths of a part; ``ones`` are axes known to have length 1."""
    known = (1 if a in ones else n for a, n in enumerate(lengths))
    return tuple(sliced_length(n, e) for e, n in zip(p, known, strict=True) if e[0] == "slice")


def axis_before_part(p: Part, axis: int) -> int | None:
    """The axis of x that is as long as an axis of its part, whatever the length."""
    here = next((a for a, k in result_places(p).items() if k == axis), None)
    return here if here is not None and keeps_length(p[here]) else None


def axis_beside_join(joined: int, axis: int) -> int | None:
    """An axis along which nothing is joined."""
    return None if axis == joined else axis


def unit_axes(lengths: Lengths) -> tuple[int, ...]:
    """Axes of length 1."""
    return tuple(a for a, n in enumerate(lengths) if n == 1)


def lengths_of_one(ndim: int) -> Lengths:
    """Lengths of a tensor of one element."""
    return (1,) * ndim


def broadcast_lengths(xs: Lengths, ys: Lengths) -> Lengths:
    """Lengths of what is computed element by element from x and y; an axis of length 1 is repeated.

    >>> broadcast_lengths((3, 1, None), (None, None, 1))
    (3, None, None)
    """
    return tuple(n if m in (None, 1) and n != 1 else m for m, n in zip(xs, ys, strict=True))


def moved_lengths(move: Sequence[Any], lengths: Lengths) -> Lengths:
    """Lengths of a tensor whose axes are moved.

    >>> moved_lengths((1, "x", 0), (2, None))
    (None, 1, 2)
    """
    return tuple(1 if a == "x" else lengths[a] for a in move)


def empty(lengths: Lengths) -> bool | None:
    """True for a tensor without elements."""
    return 0 in lengths or None


def small(p: Part, lengths: Lengths) -> bool | None:
    """True for a part that is much smaller than the whole."""
    return any(takes_few(e, n) for e, n in zip(p, lengths, strict=True)) or None


def turns_rows(p: Part) -> bool | None:
    """True for a pattern that takes all rows from the end."""
    return (p[0] == BACKWARDS and all(e == FULL for e in p[1:])) or None


def part_of_part(p: Part, q: Part, lengths: Lengths) -> Part | None:
    """The pattern that does what p and then q do.

    None where p takes everything: what it is a part of may have been found to be the tensor itself by then, and the
    part by q would stand for itself. Some rows, turned, stay two parts: loops know turned stacks (rules/loop_parts.py).

    >>> part_of_part((FULL, ("int", 0)), (("slice", 1, None, None),), (None, None))
    (('slice', 1, None, None), ('int', 0))
    """
    if whole(p, lengths):
        return None
    if q and turns_rows(q) and p[0][0] == "slice" and p[0] not in (FULL, BACKWARDS):
        return None
    rest = iter(q)
    found = [
        e if e[0] == "int" else entry_of_entry(e, next(rest), n) for e, n in zip(p, lengths, strict=True)
    ]
    return _all_known(found)


def _all_known(entries: Iterable[Entry | None]) -> Part | None:
    made = list(entries)
    found = [e for e in made if e is not None]
    return tuple(found) if len(found) == len(made) else None


def unknown_axes(p: Part) -> list[int]:
    """The axis of each bound that is known at run time, in order."""
    return [a for a, e in enumerate(p) for v in e[1:] if isinstance(v, str)]


def with_bound(p: Part, place: int, bound: int, lengths: Lengths) -> Part | None:
    """The pattern with a number as one of its bounds that come at run time.

    None where that is known to be an error, or where the number, which the e-graph holds as a float, may be another one.

    >>> with_bound((("int", "?"), ("slice", "?", None, None)), 1, 3, (None, None))
    (('int', '?'), ('slice', 3, None, None))
    """
    axis, at = [(a, b) for a, e in enumerate(p) for b, v in enumerate(e) if b and isinstance(v, str)][place]
    entry = (*p[axis][:at], bound, *p[axis][at + 1 :])
    n = lengths[axis]
    if abs(bound) >= MOST_EXACT or (at == 3 and bound == 0):
        return None
    if entry[0] == "int" and n is not None and not -n <= bound < n:
        return None
    return (*p[:axis], entry, *p[axis + 1 :])


def first_place(p: Part) -> Part | None:
    """The pattern of the first bound that is known at run time alone, where no other is at its axis.

    >>> first_place((("int", "?"), ("slice", "?", None, None)))
    (('int', '?'), ('slice', None, None, None))
    """
    first, *others = unknown_axes(p)
    return None if first in others else tuple(e if a == first else FULL for a, e in enumerate(p))


def first_span(p: Part) -> Part | None:
    """The pattern of the first two bounds that are known at run time alone, where both are of one axis.

    >>> first_span((("slice", "?", "?", None), ("int", "?")))
    (('slice', '?', '?', None), ('slice', None, None, None))
    """
    first, *others = unknown_axes(p)
    return tuple(e if a == first else FULL for a, e in enumerate(p)) if others.count(first) == 1 else None


def other_places(p: Part) -> Part:
    """The pattern that does what is left of p after its first bound that is known at run time."""
    first = unknown_axes(p)[0]
    return (*p[:first], *([FULL] if p[first][0] == "slice" else []), *p[first + 1 :])


def part_in_order(p: Part, q: Part, lengths: Lengths) -> Part | None:
    """The pattern that does what p and then q do, where the bounds of p come before those of q."""
    return _joined_part(p, q, lengths, lambda mine, theirs: max(mine) < min(theirs))


def part_in_turn(p: Part, q: Part, lengths: Lengths) -> Part | None:
    """The pattern that does what p and then q do, where the bounds of q come before those of p."""
    return _joined_part(p, q, lengths, lambda mine, theirs: max(theirs) < min(mine))


def _joined_part(p: Part, q: Part, lengths: Lengths, ordered: Callable[..., bool]) -> Part | None:
    axes = {k: a for a, k in result_places(p).items()}
    fits = ordered(unknown_axes(p), [axes[k] for k in unknown_axes(q)])
    return part_of_part(p, q, lengths) if fits else None


def narrowed(p: Part, ones: Sequence[int], others: Sequence[int]) -> Part:
    """The part of an operand that broadcasts along the axes where it alone has length 1."""
    here = set(ones) - set(others)
    return tuple((FULL if e[0] == "slice" else ("int", 0)) if a in here else e for a, e in enumerate(p))


def narrowed_span(p: Part, ones: Sequence[int], others: Sequence[int]) -> Part | None:
    """The same where all bounds that come at run time are those of one axis; others are read one after the other."""
    return narrowed(p, ones, others) if len(set(unknown_axes(p))) == 1 else None


def result_places(p: Part) -> dict[int, int]:
    """Axis of the part at which each sliced axis of x stands."""
    sliced = [a for a, e in enumerate(p) if e[0] == "slice"]
    return {a: k for k, a in enumerate(sliced)}


# ---------------------------------------------------------------------------- axes that are reduced or moved


def part_before_reduction(p: Part, axes: Sequence[int]) -> Part | None:
    """The part of x whose reduction over ``axes`` is the part p of that of x."""
    if not all(keeps_one(p[a]) for a in axes):
        return None
    return tuple(FULL if a in axes else e for a, e in enumerate(p))


def part_beside(p: Part, axes: Sequence[int]) -> Part | None:
    """p itself where it takes the axes whole."""
    return p if all(p[a] == FULL for a in axes) else None


def axes_of_part(p: Part, axes: Sequence[int]) -> tuple[int, ...] | None:
    """Axes of a part at which axes of x stand."""
    places = result_places(p)
    return tuple(places[a] for a in axes) if all(a in places for a in axes) else None


def part_before_move(p: Part, move: Sequence[Any], ndim: int) -> Part | None:
    """The part of x that, its axes moved, is the part p of dimshuffle(x, move); its unknown bounds are in the same order."""
    unknown = [move[a] for a in unknown_axes(p)]
    if "x" in unknown or unknown != sorted(unknown):
        return None
    found = [FULL] * ndim
    for entry, axis in zip(p, move, strict=True):
        if axis != "x":
            found[axis] = entry
        elif not keeps_one(entry) and entry not in (("int", 0), ("int", -1)):
            return None
    return tuple(found)


def move_after_part(p: Part, move: Sequence[Any], ndim: int) -> tuple[tuple[Any, ...], int] | None:
    """The permutation of the axes of that part, and their number."""
    before = part_before_move(p, move, ndim)
    if before is None:
        return None
    places = result_places(before)
    kept = [axis for entry, axis in zip(p, move, strict=True) if entry[0] == "slice"]
    return tuple("x" if a == "x" else places[a] for a in kept), len(places)


# -------------------------------------------------------------------------------------------------- picks


def part_of_index(p: Part, picked: Sequence[int]) -> Part | None:
    """The part of a vector of indices that is read where the part p of what it picks from an axis is one element."""
    entry = p[picked[0]]
    return (entry,) if entry[0] == "int" else None


def part_at_index(p: Part, picked: Sequence[int]) -> Part | None:
    """The part of x that is the part p of what vectors of indices pick from neighbouring axes, one element of them.

    >>> part_at_index((("int", 2), ("slice", 1, None, None)), (0, 1))
    (('int', '?'), ('int', '?'), ('slice', 1, None, None))
    """
    first = picked[0]
    return (*p[:first], *[("int", "?")] * len(picked), *p[first + 1 :])


def rows_of_index(p: Part, picked: Sequence[int]) -> Part | None:
    """The part of a vector of indices that picks the part p of what it picks, where p takes other axes whole."""
    rest = [e for a, e in enumerate(p) if a != picked[0]]
    return (p[picked[0]],) if p[picked[0]][0] == "slice" and all(e == FULL for e in rest) else None


# ----------------------------------------------------------------------------------------------- products


def rows_of(p: Part) -> Part:
    """The part of x in dot(x, y) that gives the rows of a part of the product."""
    return (p[0], FULL)


def columns_of(p: Part) -> Part:
    """The part of y in dot(x, y) that gives the columns of a part of the product."""
    return (FULL, p[1])


def columns_of_unit(p: Part) -> Part | None:
    """The part of x that is its product with the part p of a unit matrix on the right: its columns, perhaps backwards.

    >>> columns_of_unit((("slice", None, None, -1), FULL)), columns_of_unit((("slice", 1, None, None), FULL))
    ((('slice', None, None, None), ('slice', None, None, -1)), None)
    """
    rows, columns = p
    if rows == BACKWARDS and columns in (FULL, BACKWARDS):
        return (FULL, BACKWARDS if columns == FULL else FULL)
    return p if rows == FULL and columns[0] == "slice" else None


def rows_of_unit(p: Part) -> Part | None:
    """The part of x that is the product of the part p of a unit matrix with it: its rows, perhaps backwards."""
    found = columns_of_unit(p[::-1])
    return found[::-1] if found is not None else None


def rows_as_matrix(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that makes a matrix of what rows_of takes."""
    return (("x", 0), 1) if p[0][0] == "int" else ((0, 1), 2)


def columns_as_matrix(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that makes a matrix of what columns_of takes."""
    return ((0, "x"), 1) if p[1][0] == "int" else ((0, 1), 2)


def axes_of_product(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that drops the axes of the product at which the part has an integer."""
    return tuple(a for a, e in enumerate(p) if e[0] == "slice"), 2
