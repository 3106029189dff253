"""Loops as one kernel: a block of threads takes the states through all steps, with a barrier behind each statement.

Where rows of the states need no other rows, as those of a batch do, each of several blocks takes some of them.
A loop over few numbers is run by one thread, which keeps them in registers. The host works out by itself where the states are
after the last step; how many steps a loop with a condition made it reads from the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.statements import text
from eqsat.cgen.c.steps_text import moves
from eqsat.cgen.cuda.costs import costs
from eqsat.cgen.cuda.kernels import Kernel, not_empty
from eqsat.cgen.cuda.tiles import FIRST, SOME, TILES, tiled
from eqsat.cgen.cuda.together import Together
from eqsat.cgen.ir.expressions import mentions
from eqsat.cgen.ir.memory import kind_of
from eqsat.cgen.ir.statements import Point, RunBlock, Steps
from eqsat.cgen.lower.loop_body import FEW, NotWhole
from eqsat.graph.plan import Call, Loop
from eqsat.graph.plan import Kernel as PlannedKernel


@dataclass(frozen=True)
class Whole:
    """A loop as one kernel: what the host checks before, the kernel, and the host's text after its launch."""

    checks: Sequence[RunBlock]
    kernel: Kernel
    after: str
    test: str  # the host's, that a step is so little work that one block does it; empty where that is known


def is_whole(w: Any) -> bool:
    """True inside a loop that one kernel runs."""
    return bool(getattr(w, "whole", False))


def is_few(step: Any, most: int) -> bool:
    """True for a kernel over no more than so many elements."""
    if not isinstance(step, PlannedKernel):
        return False
    return prod(n if n is not None else most + 1 for n in step.static) <= most


def is_alone(loop: Loop) -> bool:
    """True for a loop over so few numbers that one thread runs it."""
    views = (isinstance(s, Call) and kind_of(s) == "view" for s in loop.plan.steps)
    return all(view or is_few(s, FEW) for s, view in zip(loop.plan.steps, views, strict=True))


def whole_loop(body: Any, s: Steps) -> Whole:
    """A loop as one kernel.

    Errors   NotWhole for what the threads of a block cannot run
    """
    if s.trial or body.table.depth(mentions(s.count)) >= body.depth:
        raise NotWhole
    tiles = None if body.flat else tiled(body, s)
    found = Together(alone=body.flat)
    found.add(s if tiles is None else tiles.steps)
    for run in found.checks:
        if body.table.depth(" ".join(run.numbers)) >= body.depth:
            raise NotWhole
    test = "" if body.flat else found.fits(most_work(), "0" if tiles is None else tiles.rows)
    if not s.stop:
        left = _left(s, c_text(s.count))
        if tiles is None:
            return Whole(found.checks, found.kernel([], [], "1"), left, test)
        n, test = tiles.rows, " && ".join(filter(None, (test, *tiles.tests)))
        first = f"const int64_t {FIRST} = blockIdx.x*{n} / gridDim.x, {SOME} = (blockIdx.x + 1)*{n} / gridDim.x - {FIRST};"
        kernel = found.kernel([first], [], f"eq_least({n}, {TILES})")
        return Whole(found.checks, replace(kernel, test=not_empty([n])), left, test)
    around = body.around
    made = around.buffer(around.slots.take("1"), "1", "int64")
    first = "" if body.flat else "if (threadIdx.x == 0) "
    kernel = found.kernel([], [f"{first}*eq_steps = {s.now};"], "1", [("int64_t *eq_steps", made)])
    steps = body.new_number()
    read = f"eq_wait(); {steps} = *(int64_t *){made};"
    return Whole(found.checks, kernel, f"{read} {_left(s, steps)}", test)


def most_work() -> int:
    """The operations of a statement up to which one block does it sooner than a launch begins: each moves a double between threads."""
    model = costs()
    each = 8 * model["byte"] * model["nearest"] * model["blocks"]
    return int((model["call"] - model["barrier"]) / each)


def _left(s: Steps, count: str) -> str:
    """The host's text that gives what a loop leaves: the number of steps, and pointers, which depend on the last steps alone."""
    pointers = [m for m in s.moves if m.to.startswith("P[")]
    if not pointers:
        return f"{s.now} = {count};"
    last = len(pointers) + 1
    wanted = {m.source for m in pointers}
    points: list[str] = []
    for p in reversed([x for x in (*s.head, *s.body) if isinstance(x, Point)]):
        if p.name in wanted:
            points.insert(0, text(p))
            wanted |= set(mentions(p.address).split())
    lines = " ".join([*points, *moves(replace(s, moves=pointers))])
    return (
        f"for ({s.now} = {count} > {last} ? {count} - {last} : 0; {s.now} < {count}; {s.now}++) {{ {lines} }}"
    )
