"""Ops that only move elements, as kernels run them: which operands are values, and which are read beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply, Variable
from eqsat.graph.parts import Entry, at_run_time, takes_few

MOST_BOXES = 8  # of one op; a result of more boxes is written by a call


def moved_places(apply: Apply) -> list[int]:
    """The operands of whose elements a result is made; the others are numbers, which say where these stand."""
    d: Any = apply.op.declaration  # type: ignore[attr-defined]
    last = len(d.tensors) - 1
    return [k for k in range(len(apply.inputs)) if d.tensors[min(k, last)] in d.elements]


def moved_operands(apply: Apply) -> list[Variable]:
    """The operands of an application whose elements its result holds."""
    return [apply.inputs[k] for k in moved_places(apply)]


def is_written_over(apply: Apply, place: int) -> bool:
    """True for the operand of which a part is replaced in the result, so that it does not hold all its elements."""
    op: Any = apply.op
    d = op.declaration
    return d.in_place == place and (d.elements_if is None or op.params[d.elements_if[0]] == d.elements_if[1])


def numbers_of(apply: Apply) -> list[Variable]:
    """The operands that say where elements stand."""
    moved = moved_places(apply)
    return [v for k, v in enumerate(apply.inputs) if k not in moved]


def boxes_of(apply: Apply) -> int:
    """The number of boxes of which a result is made, in each of which it is one operand; 0 where it is not so."""
    op: Any = apply.op
    if op.declaration.pieces is None:
        return 0
    kinds: list[Any] = [v.type for v in (*moved_operands(apply), *apply.outputs)]
    count = int(op.declaration.pieces(op, len(apply.inputs)))
    return count if count <= MOST_BOXES and len({k.dtype for k in kinds}) == 1 else 0


def boxes_of_part(pattern: Sequence[Entry]) -> int:
    """The number of boxes around and in a part; 0 where its elements do not lie side by side."""
    if any(e[0] == "slice" and e[3] not in (None, 1) for e in pattern):
        return 0
    return 1 + sum(len(sides(e)) for e in pattern)


def sides(entry: Entry) -> dict[str, int | None]:
    """The sides at which an axis goes on beyond an entry, with the most elements there, where that is known.

    >>> sides(("slice", 1, -2, None)), sides(("int", 3))
    ({'before': 1, 'after': 2}, {'before': 3, 'after': None})
    """
    if entry[0] == "int":
        place = entry[1]
        known = isinstance(place, int)
        return {
            "before": place if known and place >= 0 else None,
            "after": -1 - place if known and place < 0 else None,
        }
    start, stop = entry[1:3]
    found = {}
    if start not in (None, 0):
        found["before"] = start if isinstance(start, int) and start > 0 else None
    if stop is not None:
        found["after"] = -stop if isinstance(stop, int) and stop < 0 else None
    return found


def most_taken(entry: Entry) -> int | None:
    """The most elements that an entry takes of any axis, where that is known.

    >>> most_taken(("slice", -3, None, None)), most_taken(("slice", 1, 5, None)), most_taken(("slice", 1, None, None))
    (3, 4, None)
    """
    if entry[0] == "int":
        return 1
    start, stop = entry[1] or 0, entry[2]
    if any(isinstance(p, str) for p in (start, stop)):
        return None
    if stop is None:
        return -start if start < 0 else None
    return max(stop - start, 0) if (stop < 0) == (start < 0) else None


def is_plain_part(op: Any) -> bool:
    """True for a part of which every axis is a slice that is known."""
    pattern = op.params["pattern"]
    return all(e[0] == "slice" and e[3] != 0 and not at_run_time(e) for e in pattern)


def writes_few(apply: Apply) -> bool:
    """True where an op replaces a few of the elements of an operand whose memory it may take."""
    op: Any = apply.op
    if op.declaration.in_place is None:
        return False
    kind: Any = apply.inputs[op.declaration.in_place].type
    return any(takes_few(e, n) for e, n in zip(op.params.get("pattern", ()), kind.shape, strict=False))
