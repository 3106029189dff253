"""Functions that rules on convolution and pooling may call: of borders, strides and lengths. None means no."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

Lengths = tuple[int | None, ...]


def one_group(groups: int) -> bool | None:
    """True where every filter meets all channels."""
    return groups == 1 or None


def stated_groups(groups: int) -> bool | None:
    """True for a number of groups that does not follow from the channels."""
    return groups > 0 or None


def same_images(strides: Sequence[int], xs: Lengths, ys: Lengths) -> bool | None:
    """True where images whose windows are equally many have equal lengths.

    >>> same_images((1, 1), (2, 3, None, None), (2, 3, None, None)), same_images((2,), (2, 3, None), (2, 3, None))
    (True, None)
    """
    return all(_same(n, m, s == 1) for s, n, m in zip(strides, xs[2:], ys[2:], strict=True)) or None


def same_filters(border: Any, strides: Sequence[int], ws: Lengths, vs: Lengths) -> bool | None:
    """True where filters of which an image has equally many windows have equal lengths.

    Windows with half the filter as border are as many for all odd lengths.
    """
    tells = border != "half"
    return all(_same(n, m, tells and s == 1) for s, n, m in zip(strides, ws[2:], vs[2:], strict=True)) or None


def _same(n: int | None, m: int | None, follows: bool) -> bool:
    """True for lengths that are known to be equal, or both unknown where that follows from the result."""
    return n == m and (n is not None or follows)


def half_border(border: Any) -> bool | None:
    """True for a border of half the filter."""
    return border == "half" or None


def pointwise(border: Any, strides: Sequence[int]) -> bool | None:
    """True where a filter of length 1 takes every element once."""
    plain = isinstance(border, str) or not any(p for pair in border for p in pair)
    return (plain and all(s == 1 for s in strides)) or None


# ----------------------------------------------------------------------------------------------- box filters


def box_window(groups: int, dilation: Sequence[int], xs: Lengths, ws: Lengths) -> tuple[int, ...] | None:
    """The window over which a single filter of one channel sums, where it has no gaps."""
    single = groups == 1 and ws[:2] == (1, 1) and xs[1] == 1 and all(g == 1 for g in dilation)
    return tuple(n for n in ws[2:] if n) if single and None not in ws and 0 not in ws else None


def box_pads(border: Any, ws: Lengths) -> tuple[int, ...] | None:
    """Zeros before and after each axis, where they are as many and fewer than the filter is long."""
    known = [n or 0 for n in ws[2:]]
    if isinstance(border, str):
        pads = [{"valid": 0, "full": n - 1, "half": n // 2}[border] for n in known]
    elif all(p == q for p, q in border):
        pads = [p for p, _ in border]
    else:
        return None
    return tuple(pads) if all(p < n for p, n in zip(pads, known, strict=True)) else None


# -------------------------------------------------------------------------------------- pooling axis by axis


def window_of_rest(window: tuple[int, ...]) -> tuple[int, ...] | None:
    """The window without its first axis that is longer than 1, where another one is."""
    return _without(window, window, 1)


def window_of_axis(window: tuple[int, ...]) -> tuple[int, ...] | None:
    """The window with that axis alone."""
    return _alone(window, window, 1)


def strides_of_rest(window: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides of the other axes."""
    return _without(window, strides, 1)


def strides_of_axis(window: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """The stride of that axis."""
    return _alone(window, strides, 1)


def pads_of_rest(window: tuple[int, ...], pads: tuple[int, ...]) -> tuple[int, ...] | None:
    """Pads of the other axes."""
    return _without(window, pads, 0)


def pads_of_axis(window: tuple[int, ...], pads: tuple[int, ...]) -> tuple[int, ...] | None:
    """The pad of that axis."""
    return _alone(window, pads, 0)


def _axis(window: Sequence[int]) -> int | None:
    """The first axis along which a window is long; None where going axis by axis would not halve the work."""
    long = [a for a, n in enumerate(window) if n > 1]
    return long[0] if len(long) > 1 and prod(window) >= 2 * sum(window) else None


def _without(window: Sequence[int], values: tuple[int, ...], neutral: int) -> tuple[int, ...] | None:
    axis = _axis(window)
    return None if axis is None else tuple(neutral if a == axis else v for a, v in enumerate(values))


def _alone(window: Sequence[int], values: tuple[int, ...], neutral: int) -> tuple[int, ...] | None:
    axis = _axis(window)
    return None if axis is None else tuple(v if a == axis else neutral for a, v in enumerate(values))


WINDOW_CALLS: dict[Any, tuple[str, str]] = {
    one_group: ("object", "integer"),
    stated_groups: ("object", "integer"),
    same_images: ("object lengths lengths", "integer"),
    same_filters: ("object object lengths lengths", "integer"),
    half_border: ("object", "integer"),
    pointwise: ("object object", "integer"),
    box_window: ("object object lengths lengths", "object"),
    box_pads: ("object lengths", "object"),
    window_of_rest: ("object", "object"),
    window_of_axis: ("object", "object"),
    strides_of_rest: ("object object", "object"),
    strides_of_axis: ("object object", "object"),
    pads_of_rest: ("object object", "object"),
    pads_of_axis: ("object object", "object"),
}
