"""Functions of index patterns that rules may call: what a part of a part is, of a join, of a product.

A pattern holds one entry per axis (see parts.py). None means that there is no such pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from eqsat.graph.parts import (
    BACKWARDS,
    FULL,
    Entry,
    entries_apart,
    entry_of_both,
    entry_of_entry,
    keeps_length,
    keeps_one,
    sliced_length,
    split_entry,
    takes_all,
    takes_few,
    write_in_entry,
)
from eqsat.graph.running_calls import RUNNING_CALLS
from eqsat.graph.window_calls import WINDOW_CALLS

Part = tuple[Entry, ...]
Lengths = tuple[int | None, ...]
MOST_EXACT = 2**53  # below it a float holds every integer


def whole(p: Part, lengths: Lengths) -> bool | None:
    """True for a pattern that takes everything."""
    return all(takes_all(e, n) for e, n in zip(p, lengths, strict=True)) or None


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


def empty(lengths: Lengths) -> bool | None:
    """True for a tensor without elements."""
    return 0 in lengths or None


def small(p: Part, lengths: Lengths) -> bool | None:
    """True for a part that is much smaller than the whole."""
    return any(takes_few(e, n) for e, n in zip(p, lengths, strict=True)) or None


def part_of_part(p: Part, q: Part, lengths: Lengths) -> Part | None:
    """The pattern that does what p and then q do.

    Some rows, turned, stay two parts: loops know turned stacks (rules/loop_parts.py).

    >>> part_of_part((FULL, ("int", 0)), (("slice", 1, None, None),), (None, None))
    (('slice', 1, None, None), ('int', 0))
    """
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


def rows_as_matrix(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that makes a matrix of what rows_of takes."""
    return (("x", 0), 1) if p[0][0] == "int" else ((0, 1), 2)


def columns_as_matrix(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that makes a matrix of what columns_of takes."""
    return ((0, "x"), 1) if p[1][0] == "int" else ((0, 1), 2)


def axes_of_product(p: Part) -> tuple[tuple[Any, ...], int]:
    """The move that drops the axes of the product at which the part has an integer."""
    return tuple(a for a, e in enumerate(p) if e[0] == "slice"), 2


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


def turns_rows(p: Part) -> bool | None:
    """True for a pattern that takes all rows from the end."""
    return (p[0] == BACKWARDS and all(e == FULL for e in p[1:])) or None


def turned_after_move(p: Part, move: Sequence[Any]) -> Part | None:
    """The pattern that turns rows after their axes are moved, where they stay rows."""
    return (BACKWARDS, *[FULL] * (len(move) - 1)) if turns_rows(p) and move and move[0] == 0 else None


def end_dropped(p: Part, axis: int) -> Part | None:
    """The pattern without the bound that is the length of an axis, where that is the end of a slice of it."""
    kind, *rest = p[axis]
    if kind != "slice" or rest[1] != "?" or rest[0] == "?" or (rest[2] or 1) < 1:
        return None
    return (*p[:axis], (kind, rest[0], None, rest[2]), *p[axis + 1 :])


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


# -------------------------------------------------------------------------------------- what rules may call


class Call(NamedTuple):
    """A function of parameters that rules may use, with the kinds of its arguments and of its result.

    An integer may be the number that a tensor is known to be, which the rule writes as its ``value``.

    Kinds: part (a pattern; of a result it says how many "?" it must have), axes, lengths, integer, move (a dimshuffle
    pattern; as a result with the rank of its operand), object (of a result: any value that a parameter may have).
    """

    function: Callable[..., Any]
    arguments: tuple[str, ...]
    result: str
    unknowns: int = 0

    def __call__(self, *args: Any) -> Any:
        """The result; None where there is none of the wanted kind, or where the arguments do not fit each other."""
        try:
            found = self.function(*args)
        except (IndexError, ValueError):
            return None
        if found is not None and self.result == "part":
            count = sum(isinstance(v, str) for e in found for v in e[1:])
            return found if count == self.unknowns else None
        return found


ENDS = ("", "_at", "_at_two", "_at_three", "_at_four")


def _calls(functions: Mapping[Callable[..., Any], tuple[Any, ...]]) -> dict[str, Call]:
    made = {}
    for function, (arguments, result, *counts) in functions.items():
        for count in counts or (0, 1) if result == "part" else (0,):
            end = ENDS[count]
            made[function.__name__ + end] = Call(function, tuple(arguments.split()), result, count)
    return made


CALLS = _calls(
    {
        whole: ("part lengths", "integer"),
        apart: ("part part lengths", "integer"),
        part_ndim: ("part", "integer"),
        part_lengths: ("part lengths axes", "lengths"),
        small: ("part lengths", "integer"),
        axis_before_part: ("part integer", "integer"),
        axis_beside_join: ("integer integer", "integer"),
        unit_axes: ("lengths", "axes"),
        empty: ("lengths", "integer"),
        part_of_part: ("part part lengths", "part"),
        with_bound: ("part integer integer lengths", "part", 0, 1, 2, 3),
        first_place: ("part", "part", 1),
        other_places: ("part", "part", 1, 2, 3),
        part_in_order: ("part part lengths", "part", 2, 3),
        part_in_turn: ("part part lengths", "part", 2),
        narrowed: ("part axes axes", "part"),
        narrowed_span: ("part axes axes", "part", 0, 2),
        part_before_reduction: ("part axes", "part", 0, 1, 2),
        part_beside: ("part axes", "part", 0, 1, 2),
        axes_of_part: ("part axes", "axes"),
        part_before_move: ("part move integer", "part", 0, 1, 2),
        move_after_part: ("part move integer", "move"),
        part_of_index: ("part axes", "part"),
        part_at_index: ("part axes", "part", 1, 2),
        rows_of_index: ("part axes", "part"),
        rows_of: ("part", "part", 0, 1, 2),
        columns_of: ("part", "part", 0, 1, 2),
        rows_as_matrix: ("part", "move"),
        columns_as_matrix: ("part", "move"),
        axes_of_product: ("part", "move"),
        part_in_first: ("part integer lengths lengths", "part"),
        part_in_second: ("part integer lengths lengths", "part"),
        part_of_first: ("part integer lengths lengths", "part"),
        part_of_second: ("part integer lengths lengths", "part"),
        back_part_of_first: ("part integer lengths lengths", "part"),
        back_part_of_second: ("part integer lengths lengths", "part"),
        joined_axis: ("part integer", "integer"),
        meets: ("integer lengths integer lengths", "integer"),
        **WINDOW_CALLS,
        **RUNNING_CALLS,
        join_lengths: ("integer lengths lengths", "lengths"),
        part_of_both: ("part part integer lengths", "part"),
        place_of_write: ("part part lengths", "part"),
        value_of_write: ("part part lengths axes", "part"),
        end_dropped: ("part integer", "part"),
        part_of_rows: ("part", "part"),
        part_in_step: ("part", "part"),
        part_of_last: ("part", "part"),
        last_of: ("integer", "part"),
        part_in_row: ("part", "part"),
        what_is_picked: ("part", "object"),
        but_last: ("integer", "part"),
        turns_rows: ("part", "integer"),
        turned_after_move: ("part move", "part"),
    }
)
"""By name; ``<name>_at`` gives a pattern with one "?", as the operand that stands for it needs, ``_at_two`` one with two."""
