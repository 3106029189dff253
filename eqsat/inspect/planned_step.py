"""A step of a compiled function, as reports show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.base.units import times
from eqsat.base.values import dataclass

MOST = 12  # steps that a report shows in text


@dataclass(frozen=True)
class PlannedStep:
    """A kernel, a call or a loop: the ops it computes, the bytes it reads and writes, and its seconds by the cost model.

    ``inside`` are the steps of one step of a loop, or those of a group that runs over some rows at a time.
    """

    kind: str
    text: str
    read: float
    written: float
    seconds: float
    inside: tuple[PlannedStep, ...] = ()


def step_lines(steps: Sequence[PlannedStep]) -> Iterator[str]:
    """Lines of the dearest steps, in the order in which they run, with those inside of them."""
    kept = sorted(range(len(steps)), key=lambda k: -steps[k].seconds)[:MOST]
    rows = [row for k in sorted(kept) for row in nested(steps[k])]
    shown = times(*(s.seconds for s, _ in rows))
    for (step, depth), took in zip(rows, shown, strict=True):
        moved = f"reads {short_bytes(step.read)}, writes {short_bytes(step.written)}"
        yield f"  {took:>12}  {'  ' * depth}{step.kind:<7} {step.text}   ({moved})"
    if len(kept) < len(steps):
        yield f"  and {len(steps) - len(kept)} shorter steps"


def nested(step: PlannedStep, depth: int = 0) -> Iterator[tuple[PlannedStep, int]]:
    """A step and all that are inside, each after the one that holds it, with how deep it lies."""
    stack = [(step, depth)]
    while stack:
        found, at = stack.pop()
        yield found, at
        stack += [(s, at + 1) for s in reversed(found.inside)]


def short_bytes(count: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"
