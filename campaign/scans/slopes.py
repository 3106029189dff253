"""Derivatives of scan programs against differences, which are taken of loops over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from campaign.scans.arrays import Arrays
from campaign.scans.graphs import Graph
from campaign.scans.programs import Loop, Program
from eqsat.gradient import Rop

STEP = 1e-6


class Slopes:
    """The gradient of a weighted sum of a program's floating outputs, as a graph and by differences."""

    def __init__(self, p: Program) -> None:
        self.p, self.values = p, p.values()
        self.base = Arrays(p)
        outputs, _ = self.base.run(self.values)
        rng = np.random.default_rng(len(outputs))
        self.weights = [rng.normal(size=v.shape) if v.dtype.kind == "f" else None for v in outputs]
        self.names = [i.name for i in p.inputs if i.kind.dtype == "float64"]
        self.directions = {v: rng.normal(size=self.values[v].shape) for v in self.names}

    def cost(self, values: Any, truncated: bool = True) -> float:
        """The sum; before a truncation the values of the unmoved program are kept."""
        outputs, _ = Arrays(self.p, frozen=self.base.steps if truncated else None).run(values)
        return float(sum((v * w).sum() for v, w in zip(outputs, self.weights, strict=True) if w is not None))

    def moved(self, names: Sequence[str], step: float) -> dict[str, Any]:
        return {k: v + step * self.directions[k] if k in names else v for k, v in self.values.items()}

    def differences(self) -> list[float]:
        """How the cost changes along a random direction of each input."""
        ends = [[self.cost(self.moved([v], s)) for s in (STEP, -STEP)] for v in self.names]
        return [(a - b) / (2 * STEP) for a, b in ends]

    def graph(self) -> tuple[Graph, Any, list[Any]]:
        """The program, the cost and the inputs with slopes."""
        g = Graph(self.p)
        pairs = [(v, w) for v, w in zip(g.outputs, self.weights, strict=True) if w is not None]
        cost = sum(T.sum(v * T.constant(w)) for v, w in pairs)
        return g, cost, [g.known[v] for v in self.names]

    def along(self, gradients: Sequence[Any]) -> list[float]:
        return [float((g * self.directions[v]).sum()) for v, g in zip(self.names, gradients, strict=True)]


def close(got: Any, want: Any, what: str, limit: float = 1e-5) -> None:
    size = 1 + max((abs(float(v)) for v in np.ravel(want)), default=0.0)
    np.testing.assert_allclose(got, want, rtol=limit, atol=limit * size, err_msg=what)


def gradients(programs: Sequence[Program], mode: Any) -> None:
    """First derivatives of several programs in one function."""
    slopes = [Slopes(p) for p in programs]
    inputs, outputs = [], []
    for s in slopes:
        g, cost, wrt = s.graph()
        inputs += g.inputs
        outputs += T.grad(cost, wrt, disconnected_inputs="ignore")
    f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore", no_default_updates=True)
    got = iter(f(*(s.values[i.name] for s in slopes for i in s.p.inputs)))
    for s in slopes:
        close(
            s.along([next(got) for _ in s.names]),
            s.differences(),
            f"gradients of {s.names} of program {s.p.seed}",
        )


def second(programs: Sequence[Program], mode: Any) -> None:
    """The gradient of a sum of gradients, against differences of gradients in the reference."""
    for p in programs:
        s = Slopes(p)
        g, cost, wrt = s.graph()
        first = T.grad(cost, wrt, disconnected_inputs="ignore")
        total = sum(T.sum(T.sin(v)) for v in first)
        both = T.grad(total, wrt, disconnected_inputs="ignore")
        options: Any = {"on_unused_input": "ignore", "no_default_updates": True}
        total_of = eqsat.function(g.inputs, total, mode="reference", **options)
        got = s.along(
            eqsat.function(g.inputs, both, mode=mode, **options)(*(s.values[i.name] for i in p.inputs))
        )
        want = []
        for v in s.names:
            ends = [total_of(*(s.moved([v], e)[i.name] for i in p.inputs)) for e in (STEP, -STEP)]
            want.append((ends[0] - ends[1]) / (2 * STEP))
        close(got, want, f"second derivatives by {s.names} of program {p.seed}", 1e-4)


def forward(programs: Sequence[Program], mode: Any) -> None:
    """Changes of the outputs for a change of all inputs."""
    for p in programs:
        s = Slopes(p)
        g, _, wrt = s.graph()
        outs = [v for v, w in zip(g.outputs, s.weights, strict=True) if w is not None]
        made = Rop(outs, wrt, [T.constant(s.directions[v]) for v in s.names], disconnected_outputs="ignore")
        f = eqsat.function(g.inputs, made, mode=mode, on_unused_input="ignore", no_default_updates=True)
        got = f(*(s.values[i.name] for i in p.inputs))
        ends = [Arrays(p).run(s.moved(s.names, e))[0] for e in (STEP, -STEP)]
        pairs = [(a, b) for a, b, w in zip(*ends, s.weights, strict=True) if w is not None]
        for v, (a, b) in zip(got, pairs, strict=True):
            close(v, (a - b) / (2 * STEP), f"Rop of program {p.seed}")


def truncates(body: Sequence[Any]) -> bool:
    """True where a loop cuts its gradient."""
    return any(isinstance(s, Loop) and (s.truncate > 0 or truncates(s.body)) for s in body)
