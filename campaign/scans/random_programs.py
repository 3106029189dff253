"""Random scan programs: loops of all kinds, nested and in a row, with values that stay tame."""

from __future__ import annotations

import numpy as np

from campaign.scans.arrays import Arrays, Wrong
from campaign.scans.grow_loops import Loops
from campaign.scans.programs import Loop, Program, Result


class Grower(Loops):
    """Grows one program."""

    def program(self) -> Program:
        """Loops one after the other, and what is taken of their outputs."""
        outputs = []
        if self.chance(0.3):
            self.input(self.row_kind())
            self.grow(self.top, 2)
        for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3])):
            made = self.loop(self.top)
            if self.chance(0.15):
                made = self.twin(made)
            for r in made.results:
                if self.chance(0.85):
                    outputs.append(self.consume(self.top, r.name))
            if self.chance(0.3):
                self.grow(self.top, 1)
        last = [v for v in self.top.own if v[0] in "vso"][-1:]
        return Program(
            self.seed,
            tuple(self.inputs),
            tuple(self.shared),
            tuple(self.top.body),
            tuple(outputs or last),
            self.sizes,
        )

    def twin(self, loop: Loop) -> Loop:
        """The same loop again, its outputs under other names; one with updates stays alone."""
        if any(isinstance(s, Loop) for s in loop.body) or loop.updates:
            return loop
        results = []
        for r in loop.results:
            results.append(Result(self.name("t"), r.value, r.kind, r.initial, r.taps, r.reads))
            self.top.own[results[-1].name] = self.top.own[r.name]
        again = Loop(
            loop.sequences,
            tuple(results),
            loop.body,
            loop.n_steps,
            loop.backwards,
            loop.given,
            (),
            loop.until,
            loop.truncate,
        )
        self.top.body.append(again)
        return again


def tame(p: Program) -> bool:
    """True where all values are small, and rounding changes little."""
    try:
        values = p.values()
        wanted, after = Arrays(p).run(values)
        moved, later = Arrays(p, np.random.default_rng(0)).run(values)
    except Wrong:
        return False
    for a, b in zip([*wanted, *after.values()], [*moved, *later.values()], strict=True):
        if a.shape != b.shape or not (np.isfinite(a).all() and (np.abs(a) < 1e3).all()):
            return False
        limit = 1e-9 if a.dtype == "float64" else 1e-4
        if not np.allclose(a, b, rtol=limit, atol=limit):
            return False
    return True


def slopes(p: Program) -> bool:
    """True where moving the floating inputs moves a floating output."""
    values = p.values()
    moved = {k: v + v.dtype.type(1e-3) if v.dtype.kind == "f" else v for k, v in values.items()}
    ends = [Arrays(p).run(v)[0] for v in (values, moved)]
    return any(
        a.dtype.kind == "f" and a.size and (a != b).any()
        for a, b in zip(*ends, strict=True)
        if a.shape == b.shape
    )


def grow(seed: int, smooth: bool = False) -> Program:
    """The program of a seed."""
    for attempt in range(100):
        made = Grower(f"{seed}{'s' * smooth}{'abcdefghij'[attempt % 10]}{attempt // 10}", smooth).program()
        if tame(made) and (not smooth or slopes(made)):
            return made
    raise AssertionError(f"no program for seed {seed}")
