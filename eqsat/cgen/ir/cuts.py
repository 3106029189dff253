"""A result in boxes, each of which is one operand, or the sum of two: what the builder of an op that moves elements says."""

from __future__ import annotations

from eqsat.base.values import dataclass
from eqsat.cgen.ir.expressions import ZERO, Expression


@dataclass(frozen=True)
class Side:
    """The indices along an axis from ``low`` up to ``high``, of which there are at most ``most`` where that is known."""

    axis: int
    low: Expression
    high: Expression
    most: int | None = None


@dataclass(frozen=True)
class Box:
    """A part of the index space, whole along axes that it does not name, and the numbers of the operands added in it."""

    sides: tuple[Side, ...]
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Placed:
    """The result's axis of each axis of an operand, and the index there of the operand's first element."""

    axes: tuple[int, ...]
    starts: tuple[Expression, ...]


@dataclass(frozen=True)
class Cut:
    """Lengths of a result, the places of the operands in it, and boxes that cover it and do not overlap."""

    lengths: tuple[Expression, ...]
    placed: tuple[Placed, ...]
    boxes: tuple[Box, ...]


def as_it_lies(ndim: int) -> Placed:
    """An operand whose elements have the same index in the result."""
    return Placed(tuple(range(ndim)), (ZERO,) * ndim)
