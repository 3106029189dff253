"""Runs a scan as a loop in Python over a compiled step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.core import Apply
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.step_lengths import known_length, lengths_outside
from eqsat.scan.utils import ScanArgs, first_offset, grouped

FIRST_ROWS = 4096  # of a loop that may end before; then twice as many each time


def run_loop(op: Any, node: Apply, inputs: Sequence[Any]) -> list[Any]:
    """Values of the outer outputs."""
    loop = _Loop(op, node, inputs)
    for t in range(loop.n):
        if loop.step(t):
            break
    return loop.results()


class _Stack:
    """The values of an output over time, after the initial ones."""

    def __init__(self, op: Any, n: int, before: Any = None) -> None:
        self.op, self.n, self.before = op, n, before
        self.first = 0 if before is None else len(before)
        self.rows: Any = None
        if before is not None:
            self.make(before.shape[1:], before.dtype)

    def make(self, shape: Sequence[int], dtype: Any) -> None:
        self.rows = np.empty((self.first + min(self.n, FIRST_ROWS), *shape), dtype)
        if self.first:
            self.rows[: self.first] = self.before

    def put(self, t: int, value: Any) -> None:
        if self.rows is None:
            self.make(value.shape, value.dtype)
        if self.first + t >= len(self.rows):
            more = min(len(self.rows), self.first + self.n - len(self.rows))
            self.rows = np.concatenate([self.rows, np.empty((more, *self.rows.shape[1:]), self.rows.dtype)])
        what = "a state" if self.first else "an output"
        self.rows[self.first + t] = _alike(self.op, what, self.rows[0], value, t)

    def values(self, count: int) -> Any:
        found = self.rows[self.first : self.first + count]
        return found if len(found) == len(self.rows) else found.copy()


def _alike(op: Any, what: str, model: Any, value: Any, t: int) -> Any:
    if model.shape != value.shape:
        raise ShapeError(
            f"{op}: {what} has the shape {model.shape} before step {t} and {value.shape} after it",
            needs="one shape at all times",
        )
    return value


class _Loop:
    """The values that a loop holds between its steps."""

    def __init__(self, op: Any, node: Apply, inputs: Sequence[Any]) -> None:
        info = op.info
        given = info.split("outer_in", inputs)
        self.op, self.node, self.info, self.given = op, node, info, inputs
        self.n = int(given["n_steps"][0])
        self.done = 0
        if self.n < 0:
            raise ShapeError(
                f"{op}: the number of steps is {self.n}",
                needs="0 or more; taps take their span from the length of a sequence",
            )
        self.seqs = given["seqs"]
        for k, x in enumerate(self.seqs):
            self._enough(x, self.n, f"sequence {k}")
        self.fixed = given["non_seqs"]
        self.buffers = []
        for k, x in enumerate(given["mit_mot"]):
            first, more = buffer_rows(info, k)
            self._enough(x, self.n + more, f"the buffer of state {k}")
            reads, writes = info.mit_mot_in_slices[k], info.mit_mot_out_slices[k]
            self.buffers.append((x.copy(), [first + t for t in reads], [first + t for t in writes]))
        self.several = []
        for x, taps in zip(given["mit_sot"], info.mit_sot_in_slices, strict=True):
            first = first_offset(taps)
            self._enough(x, first, "the initial value of a state")
            self.several.append((_Stack(op, self.n, x[:first]), [first + t for t in taps]))
        self.single = [_Stack(op, self.n, x[None]) for x in given["sit_sot"]]
        self.new = [_Stack(op, self.n) for _ in range(info.n_nit_sot)]
        self.shared = given["shared"]

    def _enough(self, x: Any, needed: int, what: str) -> None:
        if len(x) < needed:
            raise ShapeError(f"{self.op}: {what} has length {len(x)}, it needs {needed}")

    def operands(self, t: int) -> list[Any]:
        """Values of the inner inputs."""
        return [
            *(x[t, ...] for x in self.seqs),
            *(buffer[k + t, ...] for buffer, reads, _ in self.buffers for k in reads),
            *(stack.rows[k + t, ...] for stack, places in self.several for k in places),
            *(stack.rows[t, ...] for stack in self.single),
            *self.shared,
            *self.fixed,
        ]

    def step(self, t: int) -> bool:
        """Compute the values of one step; true where it is the last."""
        made = self.info.split("inner_out", self.op.graph.run(self.op.step_mode, self.operands(t)))
        stacks = [*(s for s, _ in self.several), *self.single, *self.new]
        for stack, value in zip(stacks, [*made["mit_sot"], *made["sit_sot"], *made["nit_sot"]], strict=True):
            stack.put(t, value)
        outs = grouped(made["mit_mot"], self.info.mit_mot_out_slices)
        for (buffer, _, writes), values in zip(self.buffers, outs, strict=True):
            own = [v.copy() if np.may_share_memory(v, buffer) else v for v in values]
            for k, value in zip(writes, own, strict=True):
                buffer[k + t] = _alike(self.op, "a state", buffer[k + t], value, t)
        self.shared = made["shared"]
        self.done = t + 1
        return any(bool(v) for v in made["cond"])

    def results(self) -> list[Any]:
        if self.done == 0:
            self._shape_of_nothing()
        stacks = [*(s for s, _ in self.several), *self.single, *self.new]
        return [
            *(buffer for buffer, _, _ in self.buffers),
            *(stack.values(self.done) for stack in stacks),
            *(v.copy() if isinstance(v, np.ndarray) else v for v in self.shared),
        ]

    def _shape_of_nothing(self) -> None:
        """Shapes of the outputs of no steps; where nothing else says them, a step is computed of zeros."""
        start = sum(self.info.sizes("outer_out")[k] for k in ("mit_mot", "mit_sot", "sit_sot"))
        kinds: list[Any] = [v.type for v in self.node.outputs[start : start + len(self.new)]]
        shapes = [kind.shape[1:] for kind in kinds]
        if any(None in shape for shape in shapes):
            shapes = self._lengths_of_a_step()
        if any(None in shape for shape in shapes):
            made = self.info.split("inner_out", self.op.graph.run(self.op.step_mode, self._zeros()))
            shapes = [v.shape for v in made["nit_sot"]]
        for stack, kind, shape in zip(self.new, kinds, shapes, strict=True):
            stack.make(shape, kind.dtype)

    def _lengths_of_a_step(self) -> list[tuple[int | None, ...]]:
        """Shapes of the new values of a step, as far as they follow from the operands of the loop."""
        op: Any = self.op
        fresh = [v.type.make_variable() for v in self.node.inputs]  # without what these are made of
        args = ScanArgs(fresh, self.node.outputs, op.inner_inputs, op.inner_outputs, self.info)
        given = dict(zip(fresh, self.given, strict=True))
        found = lengths_outside(args, args.inner_out_nit_sot)
        return [tuple(n if n is None else known_length(n, given) for n in lengths) for lengths in found]

    def _zeros(self) -> list[Any]:
        def row(x: Any) -> Any:
            return np.zeros(x.shape[1:], x.dtype)

        return [
            *(row(x) for x in self.seqs),
            *(row(buffer) for buffer, reads, _ in self.buffers for _ in reads),
            *(row(stack.rows) for stack, places in self.several for _ in places),
            *(row(stack.rows) for stack in self.single),
            *self.shared,
            *self.fixed,
        ]
