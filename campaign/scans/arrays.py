"""The meaning of a scan program as loops over arrays, after docs/scan.md; it shares nothing with the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from campaign.scans.meanings import EXACT, OPS
from campaign.scans.programs import Let, Loop, Program, Result, Rows


class Wrong(Exception):
    """The program has no meaning for these lengths."""


@dataclass
class Arrays:
    """Runs a program over arrays; ``noise`` moves every rounded result, ``frozen`` holds steps before a truncation.

    ``steps`` records what each step of each loop gives, by the place of the loop in time.
    """

    program: Program
    noise: np.random.Generator | None = None
    frozen: Mapping[Any, Any] | None = None
    fixed_sizes: bool = True
    steps: dict[Any, Any] = field(default_factory=dict)
    seen: dict[str, Any] | None = None

    def run(self, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Values of the outputs, and of the shared variables afterwards."""
        known = dict(values)
        with np.errstate(all="ignore"):
            after = self.block(self.program.body, known, ())
        return [known[v] for v in self.program.outputs], {
            s.name: after.get(s.name, values[s.name]) for s in self.program.shared
        }

    def everything(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values of all names, of those in loops at the last step."""
        self.seen = dict(values)
        self.run(values)
        return self.seen

    def block(self, body: Sequence[Any], known: dict[str, Any], where: tuple[Any, ...]) -> dict[str, Any]:
        after: dict[str, Any] = {}
        for k, s in enumerate(body):
            if isinstance(s, Let):
                known[s.name] = self.op(s, [known[a] for a in s.args])
            else:
                after.update(self.loop(s, known, (*where, k)))
        if self.seen is not None:
            self.seen.update(known)
        return after

    def op(self, s: Let, args: list[Any]) -> Any:
        try:
            found = np.asarray(OPS[s.op][1](*args, *s.params))
        except (IndexError, ValueError) as problem:
            raise Wrong(f"{s}: {problem}") from problem
        if self.noise is not None and found.dtype.kind == "f" and s.op not in EXACT:
            size = 1e-11 if found.dtype == "float64" else 1e-6
            found = (found * (1 + size * self.noise.uniform(-1, 1, found.shape))).astype(found.dtype)
        return found

    def loop(self, loop: Loop, known: dict[str, Any], where: tuple[Any, ...]) -> dict[str, Any]:
        """Outputs go to ``known``; the last values of shared variables are returned."""
        places = [self._positions(loop, s, len(known[s.source])) for s in loop.sequences]
        n = min((len(p) for p in places), default=0)
        if loop.n_steps is not None:
            n, most = int(known[loop.n_steps] if isinstance(loop.n_steps, str) else loop.n_steps), n
            if n < 0 or (places and n > most):
                raise Wrong(f"{n} steps of {most}")
        history = {
            r.name: [np.asarray(v, r.kind.dtype) for v in self._initial(r, known)] for r in loop.results
        }
        shared: dict[str, Any] = {}
        done = 0
        for t in range(n):
            inside = {**known, **shared}
            for s, place in zip(loop.sequences, places, strict=True):
                inside.update({row: known[s.source][place[t] + tap] for row, tap in zip(s.rows, s.taps)})
            for r in loop.results:
                inside.update({v: history[r.name][t - min(r.taps) + tap] for v, tap in zip(r.reads, r.taps)})
            inside.update({inner: known[outer] for outer, inner in loop.given})
            here = (*where, t)
            if self.frozen is not None and 0 < loop.truncate < self.frozen[where] - t:
                made = self.frozen[here]
            else:
                more = self.block(loop.body, inside, here)
                end = loop.until is not None and bool(inside[loop.until])
                rows = [np.asarray(inside[r.value], r.kind.dtype) for r in loop.results]
                made = (
                    rows,
                    {**more, **{s: np.asarray(inside[v], known[s].dtype) for s, v in loop.updates}},
                    end,
                )
            self.steps[here] = made
            for r, row in zip(loop.results, made[0], strict=True):
                history[r.name].append(row)
            shared, done = made[1], t + 1
            if made[2]:
                break
        self.steps[where] = done
        for r in loop.results:
            known[r.name] = self._stacked(r, history[r.name], done)
        return shared

    @staticmethod
    def _positions(loop: Loop, s: Rows, length: int) -> range:
        """For each step the time that tap 0 reads: from the first (or last) one for which all taps exist."""
        times = range(max(0, -min(s.taps)), length - max(0, *s.taps))
        return times[::-1] if loop.backwards else times

    @staticmethod
    def _initial(r: Result, known: Mapping[str, Any]) -> Any:
        if not r.taps:
            return []
        if r.taps == (-1,):
            return [known[r.initial]]
        if len(known[r.initial]) < -min(r.taps):
            raise Wrong(f"{r}: too few initial values")
        return known[r.initial][: -min(r.taps)]

    def _stacked(self, r: Result, history: list[Any], done: int) -> Any:
        rows = history[len(history) - done :]
        if rows:
            if any(v.shape != rows[0].shape for v in rows):
                raise Wrong(f"{r}: shapes differ")
            return np.stack(rows)
        if not self.fixed_sizes:
            raise Wrong("no steps")
        return np.zeros([0, *(self.program.sizes[d] for d in r.kind.dims)], r.kind.dtype)  # type: ignore[misc]
