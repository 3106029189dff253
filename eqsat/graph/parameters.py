"""Parameters of ops (axes, dtypes, patterns) and the integers that stand for them in tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import field
from itertools import combinations, permutations
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.dtypes import ALL, CODE
from eqsat.graph.parts import BACKWARDS, FULL, index_parts, open_bounds


@dataclass
class Codes:
    """Two-way table between hashable values and small integers, in order of first use."""

    values: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def number(self, value: Hashable) -> int:
        """Integer of a value; a new one on first sight."""
        found = self.numbers.get(value)
        if found is None:
            found = self.numbers[value] = len(self.values)
            self.values.append(value)
        return found


def parameter_text(value: Any) -> str:
    """A value of a parameter as it stands in the text of an op.

    >>> parameter_text(("x", 0)), parameter_text(None)
    ('(x, 0)', 'None')
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(parameter_text(v) for v in value) + ")"
    return str(value)


def part_text(pattern: Any) -> str:
    """A basic index as it is written, with ``?`` for what is only known at run time."""
    return "".join(map(str, index_parts(pattern, "?" * open_bounds(pattern))))


def _none(ndim: int) -> Iterable[Any]:
    """No value is worth a try on every operand."""
    return ()


@dataclass(frozen=True)
class Kind:
    """A kind of parameter, which says how a value becomes an integer and comes back; rules compute on ``native`` integers."""

    name: str
    native: bool
    encode: Callable[[Any, Codes], int]
    decode: Callable[[int, Codes], Any]
    fits: Callable[[Any], bool] | None = None  # values that can stand in a table; others are opaque to rules
    text: Callable[[Any], str] | None = None  # what a reader is shown; nothing where a value says nothing
    refuses: Callable[[Any], bool] | None = None  # values that no op takes
    needs: str = ""  # what an op takes, for the error
    among: Callable[[int], Iterable[Any]] = _none  # values to try on an operand of so many axes

    def __repr__(self) -> str:
        return self.name


def _axes_of_mask(mask: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(mask.bit_length()) if mask >> axis & 1)


def mask_of_axes(axes: tuple[int, ...]) -> int:
    """Bit mask with the bit of each axis set.

    >>> mask_of_axes((0, 2))
    5
    """
    mask = 0
    for axis in axes:
        mask |= 1 << axis
    return mask


MIDDLE = 1 << 40  # offsets of diagonals may be negative


def _no_axes(value: Any) -> bool:
    """True for what is no tuple of axes; rules have patterns in their place."""
    if isinstance(value, tuple):
        return any(isinstance(axis, str) or (isinstance(axis, int) and axis < 0) for axis in value)
    return value is None or isinstance(value, (int, str, list))


def sets_of_axes(ndim: int) -> list[tuple[int, ...]]:
    """The sets of one axis and more of so many.

    >>> sets_of_axes(2)
    [(0,), (1,), (0, 1)]
    """
    return [axes for count in range(1, ndim + 1) for axes in combinations(range(ndim), count)]


def moves_of_axes(ndim: int) -> list[tuple[int, ...]]:
    """The other orders of so many axes.

    >>> moves_of_axes(2)
    [(1, 0)]
    """
    return list(permutations(range(ndim)))[1:]


def parts_along(ndim: int) -> list[tuple[Any, ...]]:
    """Parts along one of so many axes: the first element, all but the first, the first two, all the other way round, and up to and from a place.

    >>> len(parts_along(2))
    12
    """
    known = (("slice", None, 1, None), ("slice", 1, None, None), ("slice", None, 2, None), BACKWARDS)
    kept = (*known, ("slice", None, "?", None), ("slice", "?", None, None))
    return [(*[FULL] * axis, part, *[FULL] * (ndim - axis - 1)) for axis in range(ndim) for part in kept]


AXES = Kind(
    "axes",
    True,
    lambda v, codes: mask_of_axes(v),
    lambda n, codes: _axes_of_mask(n),
    refuses=_no_axes,
    needs="a tuple of axes counted from 0, as (0, 1)",
    among=sets_of_axes,
)
AXIS = Kind("axis", True, lambda v, codes: int(v), lambda n, codes: n, among=range)
INTEGER = Kind("integer", True, lambda v, codes: int(v), lambda n, codes: n, among=range)
DTYPE = Kind("dtype", True, lambda v, codes: CODE[v], lambda n, codes: ALL[n])
PATTERN = Kind(
    "pattern",
    False,
    lambda v, codes: codes.number(v),
    lambda n, codes: codes.values[n],
    text=lambda v: "" if v == () else parameter_text(v),
    among=moves_of_axes,
)
PART = Kind(
    "part", False, PATTERN.encode, PATTERN.decode, text=part_text, among=parts_along
)  # of a basic index: see graph/part_calls.py
DIAGONAL = Kind(  # (offset, axis1, axis2)
    "diagonal",
    True,
    lambda v, codes: (v[0] + MIDDLE) << 16 | v[1] << 8 | v[2],
    lambda n, codes: ((n >> 16) - MIDDLE, n >> 8 & 255, n & 255),
)


def _picks_together(pattern: tuple[int, ...]) -> bool:
    """True where one or two index arrays pick from neighbouring axes, in their order."""
    picked = [p for p in pattern if p >= 0]
    first = next(iter([a for a, p in enumerate(pattern) if p >= 0]), 0)
    together = pattern[first : first + len(picked)] == tuple(picked) == tuple(range(len(picked)))
    return together and len(picked) in (1, 2)


def _picked_axes(code: int) -> tuple[int, ...]:
    first, ndim, count = code & 255, code >> 8 & 255, code >> 16
    return tuple(a - first if first <= a < first + count else -1 for a in range(ndim))


PICK = Kind(  # of a gather: -1 for the axes that stay whole, else the number of the index array that picks from it
    "pick",
    True,
    lambda v, codes: max(v) + 1 << 16 | len(v) << 8 | v.index(0),
    lambda n, codes: _picked_axes(n),
    _picks_together,
)
BORDER, STRIDES, DILATION, GROUPS, FLIP, WINDOW, PADS, PARTIAL = (  # of convolution and pooling
    Kind(name, False, PATTERN.encode, PATTERN.decode)
    for name in ("border", "strides", "dilation", "groups", "flip", "window", "pads", "partial")
)
TEXT = Kind("text", False, PATTERN.encode, PATTERN.decode)
OBJECT = Kind("object", False, lambda v, codes: codes.number(v), lambda n, codes: codes.values[n])


class SomeAxes(tuple):  # type: ignore[type-arg]
    """Axes that a rule leaves open: a tuple by form, known by what it stands for; see ``eqsat.metaaxes``."""

    meaning: Any  # a name, or a sign and the sets that it joins

    def __new__(cls, meaning: Any) -> SomeAxes:
        made = super().__new__(cls, (0,))
        made.meaning = meaning
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SomeAxes) and self.meaning == other.meaning

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(("some axes", self.meaning))

    def __repr__(self) -> str:
        return (
            self.meaning
            if isinstance(self.meaning, str)
            else f" {self.meaning[0]} ".join(map(str, self.meaning[1:]))
        )

    def __or__(self, other: SomeAxes) -> SomeAxes:
        return SomeAxes(("|", self, other))

    def __and__(self, other: SomeAxes) -> SomeAxes:
        return SomeAxes(("&", self, other))
