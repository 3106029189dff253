"""Loops over steps in which no element needs another one: each *lane* runs through all steps by itself."""

from __future__ import annotations

from eqsat.base.values import dataclass
from eqsat.cgen.ir.expressions import Expression
from eqsat.cgen.ir.nest import Computed, Number, Read


@dataclass(frozen=True)
class Row:
    """Memory that has a row for each step: the name of its pointer, and its distances from lane to lane and step to step."""

    pointer: str
    dtype: str
    lane: str
    step: str
    written: bool = False


@dataclass(frozen=True)
class Carried:
    """A value that a lane carries from one step to the next, by its number."""

    number: int
    dtype: str


LaneValue = Read | Number | Computed | Carried


@dataclass(frozen=True)
class Carry:
    """A value that is carried: before the first step an element of an operand, after each one a value."""

    first: int
    after: int
    dtype: str


@dataclass(frozen=True)
class Lanes:
    """``steps`` steps of each of so many lanes; in a step ``stores`` are written, after the last one ``last`` are.

    A store is a value and an operand; what is written last is a carried value and an operand.
    """

    steps: Expression
    lanes: str
    operands: tuple[Row, ...]
    values: tuple[LaneValue, ...]
    carried: tuple[Carry, ...]
    stores: tuple[tuple[int, int], ...]
    last: tuple[tuple[int, int], ...]
    flops: float
