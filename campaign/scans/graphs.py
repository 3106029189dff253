"""A scan program as a graph, made with ``eqsat.scan``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import eqsat
import eqsat.tensor as T
from campaign.scans.meanings import OPS
from campaign.scans.programs import Input, Let, Loop, Program, Result, Rows
from eqsat.scan import scan, until


@dataclass
class Graph:
    """A program as a graph: inputs, shared variables, outputs and updates."""

    program: Program
    known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        p = self.program
        self.inputs = [self._input(i) for i in p.inputs]
        self.shared = [eqsat.shared(p.values()[s.name], s.name) for s in p.shared]
        self.known = {i.name: v for i, v in zip([*p.inputs, *p.shared], [*self.inputs, *self.shared])}
        self.updates = self.block(p.body, self.known)
        self.outputs = [self.known[v] for v in p.outputs]

    def _input(self, i: Input) -> Any:
        known = [1 if d == "1" else self.program.sizes[d] if i.known else None for d in i.kind.dims]
        return T.tensor(i.kind.dtype, tuple(known), i.name)

    def block(self, body: Sequence[Any], known: dict[str, Any]) -> dict[Any, Any]:
        updates: dict[Any, Any] = {}
        for s in body:
            if isinstance(s, Let):
                known[s.name] = OPS[s.op][0](*(known[a] for a in s.args), *s.params)
                if known[s.name].owner is not None and known[s.name].name is None:
                    known[s.name].name = s.name
            else:
                updates.update(self.loop(s, known))
        return updates

    def loop(self, loop: Loop, known: dict[str, Any]) -> dict[Any, Any]:
        names = [row for s in loop.sequences for row in s.rows]
        names += [v for r in loop.results for v in r.reads] + [inner for _, inner in loop.given]

        def step(*args: Any) -> Any:
            inside = {**known, **dict(zip(names, args, strict=True))}
            updates = self.block(loop.body, inside)
            updates.update({known[s]: inside[v] for s, v in loop.updates})
            stop = [] if loop.until is None else [until(inside[loop.until])]
            return ([inside[r.value] for r in loop.results], updates, *stop)

        n = known[loop.n_steps] if isinstance(loop.n_steps, str) else loop.n_steps
        outputs, updates = scan(
            step,
            [self._sequence(s, known[s.source]) for s in loop.sequences],
            [self._state(r, known) for r in loop.results],
            [known[outer] for outer, _ in loop.given],
            n_steps=n,
            go_backwards=loop.backwards,
            truncate_gradient=loop.truncate,
            return_list=True,
        )
        known.update({r.name: v for r, v in zip(loop.results, outputs, strict=True)})
        return dict(updates)

    @staticmethod
    def _sequence(s: Rows, x: Any) -> Any:
        return x if s.taps == (0,) else {"input": x, "taps": list(s.taps)}

    @staticmethod
    def _state(r: Result, known: Mapping[str, Any]) -> Any:
        if not r.taps:
            return None
        x = known[r.initial]
        return x if r.taps == (-1,) else {"initial": x, "taps": list(r.taps)}
