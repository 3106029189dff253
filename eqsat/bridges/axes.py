"""Axes and lengths, as the entries of several bridges speak of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import eqsat.tensor as T


def along(axis: int, entry: Any) -> tuple[Any, ...]:
    """The index that has an entry for one axis and takes all of those before."""
    return (*[slice(None)] * axis, entry)


def length(x: Any, axis: int) -> Any:
    """The length of an axis: a number where the type knows it."""
    known = x.type.shape[axis]
    return T.cast(x.shape[axis], "int64") if known is None else int(known)


def lengths(x: Any, start: int = 0, stop: int | None = None) -> list[Any]:
    """The lengths of some axes."""
    return [length(x, a) for a in range(x.ndim)[start:stop]]


def product(numbers: Iterable[Any]) -> Any:
    """The product of lengths."""
    return reduce(lambda a, b: a * b, numbers, 1)


def spread(v: Any, axis: int, rank: int) -> Any:
    """A vector that lies along an axis of tensors of a rank."""
    return v.dimshuffle(*(0 if a == axis else "x" for a in range(rank)))
