"""Functions that rules on reductions and running ops may call: of parts along the axis, and of axes without elements. None means no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.parts import BACKWARDS, FULL, Entry

Part = tuple[Entry, ...]
Lengths = tuple[int | None, ...]


def has_elements(axes: Sequence[int], lengths: Lengths, ones: Sequence[int]) -> bool | None:
    """True where no axis of a set is known to be empty, or may be.

    >>> has_elements((0, 1), (3, None), (1,)), has_elements((0, 1), (3, None), ())
    (True, None)
    """
    return all(a in ones or lengths[a] for a in axes) or None


def all_reduced(axes: Sequence[int], ndim: int) -> bool | None:
    """True for a set of all axes."""
    return tuple(sorted(axes)) == tuple(range(ndim)) or None


def every_axis(ndim: int) -> tuple[int, ...]:
    """The set of all axes of a tensor."""
    return tuple(range(ndim))


def move_of_one(old: int, new: int) -> tuple[tuple[Any, ...], int]:
    """The move of a tensor of one element to another rank."""
    return ("x",) * new, old


def turned_within(p: Part, axes: Sequence[int]) -> bool | None:
    """True for a pattern that turns the order along some of the axes and takes everything."""
    turned = [a for a, e in enumerate(p) if e == BACKWARDS]
    return (set(turned) <= set(axes) and all(p[a] == FULL for a in range(len(p)) if a not in turned)) or None


def part_up_to(p: Part, axis: int) -> Part | None:
    """The part of x whose elements along an axis come together in the one element that p takes of a running op.

    >>> part_up_to((("int", -1), FULL), 0), part_up_to((("int", 2), FULL), 0)
    ((('slice', None, None, None), ('slice', None, None, None)), (('slice', None, 3, None), ('slice', None, None, None)))
    """
    kind, *at = p[axis]
    if kind != "int" or isinstance(at[0], str):
        return None
    entry = FULL if at[0] == -1 else ("slice", None, at[0] + 1, None)
    return (*p[:axis], entry, *p[axis + 1 :])


def part_of_all(p: Part, axis: int) -> Part:
    """The part of x that p takes, but of all elements along an axis.

    >>> part_of_all((("int", 0), ("int", 3)), 0)
    (('slice', None, None, None), ('int', 3))
    """
    return (*p[:axis], FULL, *p[axis + 1 :])


def part_before_last(p: Part, axis: int) -> Part | None:
    """The part before the last element, where p takes that one.

    >>> part_before_last((("int", -1), FULL), 0)
    (('slice', None, -1, None), ('slice', None, None, None))
    """
    return (*p[:axis], ("slice", None, -1, None), *p[axis + 1 :]) if p[axis] == ("int", -1) else None


def part_of_all_to_last(p: Part, axis: int) -> Part | None:
    """The part up to the last element, where p takes that one."""
    return (*p[:axis], FULL, *p[axis + 1 :]) if p[axis] == ("int", -1) else None


def part_up_to_known(p: Part, axis: int, lengths: Lengths) -> Part | None:
    """The part up to an element that is known to be there.

    >>> part_up_to_known((("int", 2),), 0, (3,)), part_up_to_known((("int", 2),), 0, (None,))
    ((('slice', None, 3, None),), None)
    """
    (kind, *at), n = p[axis], lengths[axis]
    there = kind == "int" and not isinstance(at[0], str) and n is not None and -n <= at[0] < n
    return part_up_to(p, axis) if there else None


def place_up_to(p: Part, axis: int) -> int:
    """The axis of that part along which the elements lie."""
    return sum(e[0] == "slice" for e in p[:axis])


def axes_up_to(p: Part, axis: int) -> tuple[int, ...]:
    """The same as a set of axes."""
    return (place_up_to(p, axis),)


def move_up_to(p: Part, axis: int) -> tuple[tuple[Any, ...], int]:
    """The move that drops that axis, after it is reduced."""
    here, count = place_up_to(p, axis), sum(e[0] == "slice" for e in p) + 1
    return tuple(a for a in range(count) if a != here), count


def part_from_start(p: Part, axis: int) -> Part | None:
    """p itself where a running op of what it takes gives the same: it takes an axis from the start, in order."""
    kind, *bounds = p[axis]
    return p if kind == "slice" and bounds[0] in (None, 0) and bounds[2] in (None, 1) else None


def part_up_to_stop(p: Part, axis: int) -> Part | None:
    """The part of x before the end of a slice of a running op along an axis, or up to one element, which alone it needs.

    >>> part_up_to_stop((("slice", 3, 9, 2), FULL), 0), part_up_to_stop((("slice", 0, 9, None), FULL), 0)
    ((('slice', None, 9, None), ('slice', None, None, None)), None)
    >>> part_up_to_stop((("int", 4),), 0)
    (('slice', None, 5, None),)
    """
    kind, *bounds = p[axis]
    if kind == "int" and not isinstance(bounds[0], str) and bounds[0] > 0:
        return tuple(("slice", None, bounds[0] + 1, None) if a == axis else FULL for a in range(len(p)))
    if kind != "slice" or any(isinstance(v, str) for v in bounds) or (bounds[2] or 1) < 1:
        return None
    start, stop, step = bounds
    ahead = stop is not None and (start or 0) >= 0 and stop > 0 and (start or (step or 1) > 1)
    return tuple(("slice", None, stop, None) if a == axis else FULL for a in range(len(p))) if ahead else None


def takes_first(p: Part, axis: int) -> bool | None:
    """True for a pattern that takes the first element along an axis."""
    return p[axis] == ("int", 0) or None


def takes_last(p: Part, axis: int) -> bool | None:
    """True for a pattern that takes the last element along an axis."""
    return p[axis] == ("int", -1) or None


def follows(p: Part, q: Part, axis: int) -> bool | None:
    """True where p takes all but the first, and q all but the last, and both the same along other axes."""
    mine, theirs = p[axis], q[axis]
    fits = mine[:2] == ("slice", 1) and mine[2] is None and theirs[0] == "slice" and theirs[2] == -1
    fits = fits and theirs[1] in (None, 0) and {mine[3], theirs[3]} <= {None, 1}
    return (fits and p[:axis] == q[:axis] and p[axis + 1 :] == q[axis + 1 :]) or None


def _distance(p: Part, q: Part, axis: int) -> int:
    """The number of first elements that p leaves out, where q leaves out as many last ones, and both agree along other axes; else 0.

    The axis is one of what p takes.
    """
    at = [a for a, e in enumerate(p) if e[0] == "slice"][axis]
    mine, theirs = p[at], q[at]
    k = mine[1] if isinstance(mine[1], int) else 0
    fits = k > 0 and mine[2] is None and theirs[0] == "slice" and theirs[1] in (None, 0) and theirs[2] == -k
    fits = fits and {mine[3:], theirs[3:]} <= {(None,), (1,)}
    return k if fits and p[:at] == q[:at] and p[at + 1 :] == q[at + 1 :] else 0


def _end(p: Part, q: Part, axis: int, start: int, stop: int | None) -> Part | None:
    """A slice along one axis of what p takes, of multiples of the places that p is behind q."""
    k, count = _distance(p, q, axis), sum(e[0] == "slice" for e in p)
    taken = ("slice", k * start or None, k * stop if stop else None, None)
    return tuple(taken if a == axis else FULL for a in range(count)) if k else None


def last_of_behind(p: Part, q: Part, axis: int) -> Part | None:
    """The last elements of what p takes that q does not take, where p is some places behind q along an axis, or all if they are as few.

    >>> last_of_behind((("slice", 2, None, None), ("int", 0)), (("slice", None, -2, None), ("int", 0)), 0)
    (('slice', -2, None, None),)
    """
    return _end(p, q, axis, -1, None)


def first_of_ahead(p: Part, q: Part, axis: int) -> Part | None:
    """The first elements of what q takes that p does not take, where p is some places behind q along an axis, or all if they are as few.

    >>> first_of_ahead((("int", 0), ("slice", 2, None, None)), (("int", 0), ("slice", None, -2, None)), 0)
    (('slice', None, 2, None),)
    """
    return _end(p, q, axis, 0, 1)


RUNNING_CALLS: dict[Any, tuple[Any, ...]] = {
    has_elements: ("axes lengths axes", "integer"),
    all_reduced: ("axes integer", "integer"),
    every_axis: ("integer", "axes"),
    move_of_one: ("integer integer", "move"),
    turned_within: ("part axes", "integer"),
    part_up_to: ("part integer", "part"),
    part_of_all: ("part integer", "part"),
    part_before_last: ("part integer", "part"),
    part_of_all_to_last: ("part integer", "part"),
    part_up_to_known: ("part integer lengths", "part"),
    axes_up_to: ("part integer", "axes"),
    move_up_to: ("part integer", "move"),
    place_up_to: ("part integer", "integer"),
    part_from_start: ("part integer", "part"),
    takes_first: ("part integer", "integer"),
    takes_last: ("part integer", "integer"),
    part_up_to_stop: ("part integer", "part"),
    follows: ("part part integer", "integer"),
    last_of_behind: ("part part integer", "part"),
    first_of_ahead: ("part part integer", "part"),
}
