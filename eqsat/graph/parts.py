"""Arithmetic of basic indices, one axis at a time: slices of slices, of joined axes, of axes that were written to.

An entry is ("int", i) or ("slice", start, stop, step), with "?" for what is known only at run time. Nothing here knows
formulas for slices: both sides are taken of ``range(n)``, for the length n if it is known and else for all lengths at
which the sides can start to differ. None means that there is no such entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from eqsat.lengths.expression import UNKNOWN, Length, greatest, least

Entry = tuple[Any, ...]

FULL: Entry = ("slice", None, None, None)
NOTHING: Entry = ("slice", 0, 0, None)
LONGEST = 2**47  # of an axis: what a processor addresses
BACKWARDS: Entry = ("slice", None, None, -1)
MOST_TRIALS = 3000
MOST_TAKEN = 64  # elements of what counts as a few


def taken(positions: range, entry: Entry) -> Any:
    """The positions that an entry takes, or the one; IndexError where there is none."""
    return positions[entry[1]] if entry[0] == "int" else positions[slice(*entry[1:])]


def index_parts(pattern: Sequence[tuple[Any, ...]], scalars: Iterable[Any]) -> list[Any]:
    """The index of a part of a tensor as it is written in NumPy: pieces of text, and the scalars that are given.

    >>> "".join(index_parts([("slice", None, None, -1), ("int", "?"), ("slice", None, None, None)], ["n"]))
    '[::-1, n]'
    """
    rest, whole = iter(scalars), ("slice", None, None, None)
    kept = [*pattern]
    while len(kept) > 1 and kept[-1] == whole:
        kept.pop()
    parts: list[Any] = ["["]
    for place, (kind, *values) in enumerate(kept):
        parts += [", "] * (place > 0)
        given = ["" if v is None else next(rest) if v == "?" else str(v) for v in values]
        if kind == "int":
            parts += given
        else:
            parts += [given[0], ":", given[1], *([":", given[2]] if given[2] != "" else [])]
    return [p for p in [*parts, "]"] if not isinstance(p, str) or p]


def open_bounds(pattern: Iterable[Entry]) -> int:
    """The number of values of an index that are known only at run time.

    >>> open_bounds((("slice", "?", None, None), ("int", "?")))
    2
    """
    return sum(part == "?" for entry in pattern for part in entry)


def at_run_time(entry: Entry) -> bool:
    """True for an entry that is not all known."""
    return any(isinstance(p, str) for p in entry[1:])


def sliced_length(n: int | None, entry: Sequence[Any]) -> int | None:
    """Length that a slice leaves of an axis, where it is known."""
    parts = entry[1:]
    if any(p is not None and not isinstance(p, int) for p in parts):
        return None
    if n is None:
        start, stop, step = parts
        return 0 if step in (None, 1) and stop is not None and stop in (start, 0) else None
    return len(range(n)[slice(*parts)])


def part_length(n: Length, entry: Sequence[Any]) -> Length:
    """Length that a slice leaves of an axis, as an expression; UNKNOWN for bounds that come at run time and for rare ones.

    >>> from eqsat.lengths.expression import At
    >>> part_length(At(((0, 0),)), ("slice", 1, -1, None)).text({0: "x"})
    'max(x.shape[0] - 2, 0)'
    """
    start, stop, step = entry[1:]
    if at_run_time(tuple(entry)):
        return UNKNOWN
    if (start, stop) == (None, None):
        return (n + (abs(step or 1) - 1)) // abs(step or 1)
    if step not in (None, 1):
        return UNKNOWN
    if start is not None and start < 0:
        return least(n, -start) if stop is None else UNKNOWN
    end = n if stop is None else least(n, stop) if stop >= 0 else n + stop
    return greatest(end - (start or 0), 0)


def within_reach(entry: Entry) -> Entry:
    """An entry whose slice has no bound that lies beyond the end of all axes, such as the largest of its integers.

    >>> within_reach(("slice", 2, 2**63 - 1, None)), within_reach(("slice", None, -(2**63), -1))
    (('slice', 2, None, None), ('slice', None, None, -1))
    """
    if entry[0] != "slice" or entry[3] == "?":
        return entry
    start, stop, step = entry[1:]
    back = (step or 1) < 0
    far = [isinstance(p, int) and abs(p) > LONGEST for p in (start, stop)]
    if (far[0] and (start > 0) != back) or (far[1] and (stop > 0) == back):
        return NOTHING
    return ("slice", None if far[0] else start, None if far[1] else stop, step)


def trials(n: int | None, *entries: Entry) -> Sequence[int] | None:
    """Lengths of an axis at which entries must be looked at; None where these are too many."""
    if n is not None:
        return (n,)
    bounds = [abs(p) for e in entries for p in (e[1:] if e[0] == "int" else e[1:3]) if p]
    step = 1
    for e in entries:
        step *= abs(e[3] or 1) if e[0] == "slice" else 1
    last = sum(bounds) * step + 3 * step + 5
    if last <= 120:
        return range(last)
    if last > LONGEST:
        return None
    sums = {0}
    for b in bounds:
        sums |= {s + b for s in sums} | {s - b for s in sums}
    if step > 4 or len(sums) > 100:
        return None
    window = range(-3 * step - 3, 3 * step + 4)
    return sorted({s * k + w for s in sums for k in {1, step} for w in window if s * k + w >= 0})


def fitted(values: Mapping[int, Any], outside: Sequence[int] = ()) -> Entry | None:
    """The entry that takes given positions for each length; they are ranges, or all integers.

    It takes nothing of an axis whose length is ``outside``: a position past the end is an error, not another element.
    """
    if not values:
        return None
    n = max(values)
    for entry in _candidates(values[n], n):
        if all(_takes(entry, m, value) for m, value in values.items()) and not any(
            _reaches(entry, m) for m in outside
        ):
            return entry
    return None


def _candidates(value: Any, n: int) -> list[Entry]:
    if isinstance(value, int):
        return [("int", value), ("int", value - n)]
    if not value:
        return [NOTHING]
    if len(value) == 1:
        value = range(value[0], value[0] + 1)
    step = None if value.step == 1 else value.step
    edge = 0 if value.step > 0 else n - 1
    starts = ([None] if value.start == edge else []) + [value.start, value.start - n]
    stops = [None, value.stop, value.stop - n]
    return [("slice", a, b, step) for a in starts for b in stops]


def _takes(entry: Entry, n: int, value: Any) -> bool:
    try:
        return bool(taken(range(n), entry) == value)
    except IndexError:
        return False


def _reaches(entry: Entry, n: int) -> bool:
    """True where an entry takes something of so many elements, or nothing without an error."""
    try:
        taken(range(n), entry)
    except IndexError:
        return False
    return True


def tried(target: Callable[[int], Any], n: int | None, *entries: Entry) -> Entry | None:
    """The entry that takes what ``target`` gives for a length, and raises IndexError where that does."""
    values, outside = {}, []
    for m in trials(n, *entries) or ():
        try:
            values[m] = target(m)
        except IndexError:
            outside.append(m)
            continue
        if values[m] is None:
            return None
    return fitted(values, outside)


@lru_cache(maxsize=4096)
def entry_of_entry(p: Entry, q: Entry, n: int | None) -> Entry | None:
    """``x[p][q]`` as one entry.

    >>> entry_of_entry(("slice", None, None, -1), ("slice", None, None, -1), None)
    ('slice', None, None, None)
    >>> entry_of_entry(("slice", 1, None, None), ("int", -1), 5)
    ('int', 4)
    >>> entry_of_entry(("slice", 1, None, None), ("int", -1), None) is None  # of one element there is none
    True
    """
    if q == FULL:
        return p
    if p == FULL:
        return q
    if at_run_time(p) or at_run_time(q):
        return None
    return tried(lambda m: taken(taken(range(m), p), q), n, p, q)


@lru_cache(maxsize=4096)
def takes_all(entry: Entry, n: int | None) -> bool:
    """True for a slice that leaves an axis as it is."""
    if entry == FULL:
        return True
    if entry[0] == "int" or at_run_time(entry):
        return False
    lengths = trials(n, entry)
    return bool(lengths) and all(taken(range(m), entry) == range(m) for m in lengths or ())


def keeps_length(entry: Entry) -> bool:
    """True for a slice that takes as much as there is, in any order."""
    backwards = entry_of_entry(entry, BACKWARDS, None) if entry[0] == "slice" else None
    return takes_all(entry, None) or (backwards is not None and takes_all(backwards, None))


def keeps_one(entry: Entry) -> bool:
    return not at_run_time(entry) and entry[0] == "slice" and len(taken(range(1), entry)) == 1


def takes_few(entry: Entry, n: int | None) -> bool:
    if entry[0] == "int":
        return n is None or n > 1
    if entry == FULL or at_run_time(entry):
        return False
    if n is not None:
        return 2 * len(taken(range(n), entry)) <= n
    return all(len(taken(range(m), entry)) <= MOST_TAKEN for m in (1000, 1000000))


# -------------------------------------------------------------------------------------------- joined axes


@lru_cache(maxsize=4096)
def split_entry(entry: Entry, m: int | None, k: int | None) -> tuple[Entry | None, Entry | None] | None:
    """The parts that an entry of two joined axes takes of the first and of the second; None where it takes nothing.

    >>> split_entry(("slice", None, -1, None), None, 1)
    (('slice', None, None, None), None)
    """
    firsts, seconds = trials(m, entry), trials(k, entry)
    if at_run_time(entry) or not firsts or not seconds or len(firsts) * len(seconds) > MOST_TRIALS:
        return None
    found: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
    outside: list[tuple[int, int]] = []
    for a in firsts:
        for b in seconds:
            try:
                one, two = _split(taken(range(a + b), entry), a)
            except IndexError:
                outside.append((a, b))
                continue
            if found[0].setdefault(a, one) != one or found[1].setdefault(b, two) != two:
                return None
    sides = [None if all(v is None or v == range(0) for v in side.values()) else side for side in found]
    if sides == [None, None]:
        return (NOTHING, None) if entry[0] == "slice" and found[0] else None
    entries = [None if side is None or None in side.values() else fitted(side) for side in sides]
    if any(e is None and side is not None for e, side in zip(entries, sides, strict=True)):
        return None
    if any(all(e is None or _reaches(e, m) for e, m in zip(entries, pair, strict=True)) for pair in outside):
        return None
    return entries[0], entries[1]


def _split(value: Any, a: int) -> tuple[Any, Any]:
    """Positions below a, and those from a on, counted from there."""
    if isinstance(value, int):
        return (value, None) if value < a else (None, value - a)
    if value.step > 0:
        count = len(range(value.start, min(value.stop, a), value.step))
        one, two = value[:count], value[count:]
    else:
        count = len(range(value.start, max(value.stop, a - 1), value.step))
        one, two = value[count:], value[:count]
    return one, range(two.start - a, two.stop - a, two.step)


@lru_cache(maxsize=4096)
def entry_of_both(p: Entry, q: Entry, n: int | None) -> Entry | None:
    """The slice that takes what p and then what q takes."""
    if q[0] == "int" or at_run_time(p) or at_run_time(q):
        return None
    return tried(lambda m: _after(taken(range(m), p), taken(range(m), q)), n, p, q)


def _after(a: range, b: range) -> range | None:
    if not a or not b:
        return a or b
    step = a.step if len(a) > 1 else b.step if len(b) > 1 else b[0] - a[0]
    fits = step and b[0] == a[-1] + step and (len(b) == 1 or b.step == step)
    return range(a[0], a[0] + step * (len(a) + len(b)), step) if fits else None


# ------------------------------------------------------------------------------------------------ writes


@lru_cache(maxsize=4096)
def entries_apart(p: Entry, q: Entry, n: int | None) -> bool:
    """True where two entries never take the same position.

    >>> entries_apart(("int", -1), ("slice", None, -1, None), None)
    True
    """
    if at_run_time(p) or at_run_time(q):
        return False
    lengths = trials(n, p, q)
    return bool(lengths) and all(_disjoint(p, q, m) for m in lengths or ())


def _disjoint(p: Entry, q: Entry, m: int) -> bool:
    try:
        a, b = sorted((_as_range(taken(range(m), e)) for e in (p, q)), key=len)
    except IndexError:
        return True
    if not a or max(a[0], a[-1]) < min(b[0], b[-1]) or max(b[0], b[-1]) < min(a[0], a[-1]):
        return True
    return len(a) <= 1000 and not any(v in b for v in a)


def _as_range(value: Any) -> range:
    return value if isinstance(value, range) else range(value, value + 1)


@lru_cache(maxsize=4096)
def write_in_entry(p: Entry, q: Entry, n: int | None) -> tuple[Entry | None, Entry | None] | None:
    """The place in part q of elements written at p, and the part of the value that is seen there.

    The first is None where q has an integer, the second where p has one.

    >>> write_in_entry(("int", -1), ("slice", None, None, -1), None)
    (('int', 0), None)
    """
    if p == q:
        return (FULL, FULL) if p[0] == "slice" else (None, None)
    if at_run_time(p) or at_run_time(q):
        return None
    inside, around = _places(p, q, n), _places(q, p, n)
    if p[0] == "slice" and q[0] == "slice":
        return (inside, FULL) if inside is not None else None if around is None else (FULL, around)
    if p[0] == "int" and q[0] == "int":
        return (None, None) if inside is not None else None
    if q[0] == "slice":
        return None if inside is None else (inside, None)
    return None if around is None else (None, around)


def _places(inner: Entry, outer: Entry, n: int | None) -> Entry | None:
    """The entry of what ``outer`` takes that gives what ``inner`` takes."""
    values: dict[int, Any] = {}
    for m in trials(n, inner, outer) or ():
        try:
            taken_inside, taken_outside = taken(range(m), inner), taken(range(m), outer)
        except IndexError:
            continue
        place = _place(taken_inside, taken_outside)
        count = 1 if isinstance(taken_outside, int) else len(taken_outside)
        if place is None or values.setdefault(count, place) != place:
            return None
    return fitted(values)


def _place(inner: Any, outer: Any) -> Any:
    """Positions of some of the positions among others; None where one of them is not there."""
    if isinstance(outer, int):
        return 0 if inner == outer else None
    if isinstance(inner, int):
        return outer.index(inner) if inner in outer else None
    if not inner:
        return range(0)
    if inner[0] not in outer or inner[-1] not in outer or (len(inner) > 1 and inner.step % outer.step):
        return None
    first, step = outer.index(inner[0]), inner.step // outer.step if len(inner) > 1 else 1
    return range(first, first + step * len(inner), step)
