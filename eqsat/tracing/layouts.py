"""The layouts of arrays of a traced program in memory: NumPy itself is asked, with arrays of the same layout and of few elements.

Each array of a trace knows by which call of NumPy it is made. The same calls with samples tell what NumPy would share. The layout
of an argument is that of the call that is traced; a program that asked for it is for arguments of that layout alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from eqsat.base.pytrees import flatten, mapped
from eqsat.errors import TracingError
from eqsat.graph.core import Constant

LENGTH = 12  # of axes whose length is not known; many numbers divide it
MOST = 1_000_000  # elements of a sample
DRAWS = 3  # the lengths of the call, and others with numbers that are small or as long as the axes
NUMBERS = 2, LENGTH
LEAST = 2, LENGTH, 1  # elements, which may be indices or lengths


class Axis(NamedTuple):
    """The place of an axis in memory: the number of axes within it, whether there are gaps, and the direction, 0 where it repeats."""

    within: int
    gaps: bool
    sign: int


class Layout(NamedTuple):
    """The way an array lies in memory: the same for arrays of other lengths."""

    axes: tuple[Axis | None, ...]

    def sample(self, shape: Sequence[int], dtype: Any, least: int = 1) -> np.ndarray:
        """An array that lies so, of numbers from ``least`` on.

        >>> layout_of(np.ones((4, 6), order="F")[::-1]).sample((2, 3), "float64").strides
        (-8, 16)
        """
        order = sorted(range(len(shape)), key=lambda k: -1 if (a := self.axes[k]) is None else a.within)[::-1]
        held = _filled([shape[k] * (1 + self._gaps(k)) for k in order], np.dtype(dtype), least)
        parts = held[tuple(slice(None, None, 1 + self._gaps(k)) for k in order)]
        turned = parts.transpose([order.index(k) for k in range(len(shape))])
        turned = turned[tuple(slice(None, None, -1 if a and a.sign < 0 else 1) for a in self.axes)]
        repeats = tuple(slice(None, 1 if a and not a.sign else None) for a in self.axes)
        return np.broadcast_to(turned[repeats], shape) if any(a and not a.sign for a in self.axes) else turned

    def _gaps(self, axis: int) -> int:
        found = self.axes[axis]
        return int(found is not None and found.gaps)


def layout_of(array: np.ndarray) -> Layout:
    """The layout of an array.

    >>> layout_of(np.ones((4, 6))) == layout_of(np.ones((3, 8))), layout_of(np.ones(6)) == layout_of(np.ones(6)[::2])
    (True, False)
    """
    axes: list[Axis | None] = [None] * array.ndim
    tight = array.itemsize
    long = [k for k in reversed(range(array.ndim)) if array.shape[k] > 1]
    for within, k in enumerate(sorted(long, key=lambda k: abs(array.strides[k]))):
        stride = array.strides[k]
        axes[k] = Axis(within, abs(stride) != tight, int(np.sign(stride)))
        tight = abs(stride) * array.shape[k]
    return Layout(tuple(axes))


def _filled(shape: Sequence[int], dtype: np.dtype[Any], least: int) -> np.ndarray:
    """Elements that most functions take: true, an index, and numbers between two whole ones."""
    count = int(np.prod(shape))
    if count > MOST:
        raise MemoryError  # no sample
    values = least + np.random.default_rng(0).random(count) * (dtype.kind in "fc")
    return values.astype(dtype).reshape(shape)


class Made(NamedTuple):
    """The call of NumPy that makes an array, and which leaf of its result that is."""

    function: Callable[..., Any]
    arguments: Sequence[Any]
    options: Mapping[str, Any]
    leaf: int = 0


class Samples:
    """The place of an array of a trace, and samples of it."""

    __slots__ = ("made", "layout", "example", "asked", "samples")
    type: Any

    def __init__(self, made: Made | None = None, layout: Layout | None = None) -> None:
        self.made, self.layout = made, layout
        self.example: Any = None  # of an argument: its shape in the call, or the number
        self.asked = False  # whether the layout of an argument mattered
        self.samples: dict[int, Any] = {}

    def sample(self, draw: int) -> Any:
        """An array that lies as this one; None where it cannot be made."""
        stack = [self]
        while stack:
            top = stack[-1]
            known = draw in top.samples
            missing = [] if known else [p for p in top._operands() if draw not in p.samples]
            stack += missing
            if not missing:
                stack.pop()
                if not known:
                    top.samples[draw] = top._sample(draw)
        return self.samples[draw]

    def _operands(self) -> list[Samples]:
        return _places([list(self.made.arguments), dict(self.made.options)]) if self.made else []

    def _sample(self, draw: int) -> Any:
        if any(p.samples[draw] is None for p in self._operands()):
            return None
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._again(draw) if self.made else self._drawn(draw)
        except Exception:  # NumPy's, of whatever kind, for a sample that does not fit
            return None

    def _again(self, draw: int) -> Any:
        """The result of NumPy for samples."""
        assert self.made is not None
        function, arguments, options, leaf = self.made
        given, named = (mapped(lambda v: _sampled(v, draw), v) for v in (list(arguments), dict(options)))
        return flatten(function(*given, **named))[0][leaf][1]

    def _drawn(self, draw: int) -> Any:
        """An array, or a number, of lengths that are drawn."""
        variable = getattr(self, "variable", None)
        if isinstance(variable, Constant) and self.example is None:
            return variable.data
        self.asked = self.asked or self.layout is not None and len(self.layout.axes) > 0
        return self._of_argument(draw)

    def _of_argument(self, draw: int) -> Any:
        called = draw == DRAWS - 1
        if not self.type.ndim:
            number = self.example if called and self.example is not None else NUMBERS[draw % len(NUMBERS)]
            return np.asarray(number).astype(self.type.dtype)
        shape = [LENGTH if n is None else n for n in self.type.shape]
        if called and self.example is not None:
            shape = list(self.example)
        layout = self.layout or layout_of(np.empty(shape, self.type.dtype))
        return layout.sample(shape, self.type.dtype, LEAST[draw])


def _places(values: Any) -> list[Samples]:
    """The places of the traced values among some, those in slices too."""
    found: list[Any] = []
    mapped(lambda v: found.append(place_of(v)), values)
    return [p for p in found if p is not None]


def place_of(value: Any) -> Any:
    """The place of a traced value; None for others."""
    place = getattr(value, "place", None)
    return place if isinstance(place, Samples) else None


def _sampled(value: Any, draw: int) -> Any:
    place = place_of(value)
    if place is None:
        return value
    found = place.samples[draw]
    return found.item() if value.number and isinstance(found, (np.ndarray, np.generic)) else found


COPY, VIEW, READ_ONLY = "a copy", "a view", "a view that is only read"


def relation(part: Samples, whole: Samples) -> str:
    """NumPy's array beside another one: a copy, or a view of its memory.

    Errors   TracingError where that is not the same in all calls, or not known
    """
    pairs = [(part.sample(draw), whole.sample(draw)) for draw in range(DRAWS)]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    found = {_relation(a, b) for a, b in known if np.size(a)}
    if len(found) == 1:
        return found.pop()
    if known and not found:
        return VIEW  # no call has elements, which a write would change
    raise TracingError(
        "whether an array is a copy or a view, which a write would reach, is not known before the compiled function runs",
        hint="x.copy() before the write, or write into the array itself",
    )


def _relation(part: Any, whole: Any) -> str:
    if not np.may_share_memory(part, whole):
        return COPY
    with warnings.catch_warnings():  # of arrays that a later NumPy makes read-only
        warnings.simplefilter("ignore")
        return READ_ONLY if np.asarray(whole).flags.writeable and not part.flags.writeable else VIEW


def noted(result: Any, function: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The result, whose arrays know by which call NumPy makes them."""
    for k, (_, value) in enumerate(flatten(result)[0]):
        place = place_of(value)
        if place is not None and place.made is None and not _is_operand(place, arguments, options):
            place.made = Made(function, arguments, options, k)
    return result


def _is_operand(place: Samples, arguments: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """True for what is given back as it came."""
    return any(p is place for p in _places([*arguments, *options.values()]))
