"""Statements around the nests and blocks of a segment, as data: what is set, asked for, checked and started.

Names of numbers and pointers are those of the segment's tables; lengths and tests are expressions of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Define:
    """A number takes the value of an expression."""

    name: str
    value: str


@dataclass(frozen=True)
class Point:
    """A pointer takes an address."""

    name: str
    address: str


@dataclass(frozen=True)
class Take:
    """A pointer takes a buffer of the workspace, which is made large enough; without memory the call ends."""

    pointer: str
    slot: str
    bytes: str
    step: int


@dataclass(frozen=True)
class Give:
    """A pointer takes the memory of an output, whose lengths are known now."""

    pointer: str
    output: int
    lengths: tuple[str, ...]
    step: int


@dataclass(frozen=True)
class Stop:
    """The call ends with an error of a step; its message has room for the values."""

    code: int
    values: tuple[str, ...]
    step: int


@dataclass(frozen=True)
class Check:
    """The call ends where a test holds."""

    test: str
    stop: Stop


@dataclass(frozen=True)
class Launch:
    """A kernel runs over ``tasks``, on one thread or shared out in parts of ``grain``, by the ``work`` of all of them."""

    kernel: str
    tasks: str
    grain: str
    work: str
    pointers: tuple[str, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """A part of the segment runs, which may end the call."""

    function: str


@dataclass(frozen=True)
class Parallel:
    """A body in the target's own text for each place of a space, at the counters i0, i1 ...; no place needs another one."""

    lengths: tuple[str, ...]
    body: str


# A statement may be in the target's own text.
Statement = Define | Point | Take | Give | Check | Launch | Run | Parallel | str
