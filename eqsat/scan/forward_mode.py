"""Forward mode through a scan: states and their changes together in one loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.ops.create import zeros_like
from eqsat.scan.mappings import reached
from eqsat.scan.utils import ScanArgs, alike, flat, has_gradient

STATES = ("mit_mot", "mit_sot", "sit_sot", "shared")


def tangents(op: Any, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
    """The change of each outer output for changes of the outer inputs, None where there is none."""
    return _Both(op, inputs, eval_points).results()


class _Both:
    """A scan with a further variable for the change of each that changes."""

    def __init__(self, op: Any, inputs: Sequence[Any], eval_points: Sequence[Any]) -> None:
        self.op, self.info = op, op.info
        blank = [None] * sum(op.info.sizes("outer_out").values())
        self.args = ScanArgs(inputs, blank, op.inner_inputs, op.inner_outputs, op.info)
        self.points = op.info.split("outer_in", eval_points)
        given = [e is not None and has_gradient(v) for v, e in zip(inputs, eval_points, strict=True)]
        ends = reached(op.info, op.graph.connections(), {k for k, there in enumerate(given) if there})
        self.moving = op.info.split("outer_out", [k in ends for k in range(len(blank))])
        self.moves: dict[Any, Any] = {}  # inner input -> the variable of its change
        self.outs: list[tuple[list[Any], Any]] = []  # where the changes of inner outputs go
        self.found: dict[tuple[str, int], int] = {}  # kind and number of an output -> number of its change

    def results(self) -> list[Any]:
        for kind in ("seqs", "non_seqs"):
            self.add_inputs(kind)
        for kind in STATES:
            self.add_states(kind)
        self.add_nit_sots()
        self.fill()
        if not self.found:
            return [None] * sum(self.info.sizes("outer_out").values())
        name = f"{self.op.label}_rop" if self.op.label else "rop"
        self.args.make_node(name=name, mode=self.op.own_mode, truncate_gradient=self.op.truncate_gradient)
        return self.picked()

    def add_inputs(self, kind: str) -> None:
        outer, inner = getattr(self.args, f"outer_in_{kind}"), getattr(self.args, f"inner_in_{kind}")
        for v, point in zip(list(inner), self.points[kind], strict=True):
            if point is not None and has_gradient(v):
                outer.append(point)
                inner.append(self.move(v))

    def move(self, v: Any) -> Any:
        """The variable for the change of an inner input."""
        found = self.moves[v] = v.type.make_variable()
        return found

    def add_states(self, kind: str) -> None:
        a = self.args
        outer, inner, outs = (
            getattr(a, f"{where}_{kind}") for where in ("outer_in", "inner_in", "inner_out")
        )
        for k, moving in enumerate(self.moving[kind]):
            reads, writes = inner[k], outs[k]
            if not moving or not has_gradient(outer[k]):
                continue
            self.found[kind, k] = len(outer)
            point = self.points[kind][k]
            outer.append(zeros_like(outer[k]) if point is None else point)
            inner.append([self.move(v) for v in reads] if isinstance(reads, list) else self.move(reads))
            if isinstance(writes, list):
                outs.append([])
                self.outs += [(outs[-1], v) for v in writes]
            else:
                self.outs.append((outs, writes))
            for taps in (f"{kind}_in_slices", f"{kind}_out_slices"):
                if hasattr(a, taps):
                    getattr(a, taps).append(getattr(a, taps)[k])

    def add_nit_sots(self) -> None:
        outs = self.args.inner_out_nit_sot
        count = len(outs)
        for k, moving in enumerate(self.moving["nit_sot"]):
            if moving and has_gradient(outs[k]):
                self.found["nit_sot", k] = count
                count += 1
                self.outs.append((outs, outs[k]))

    def fill(self) -> None:
        """Compute the changes of inner outputs and put them in their places."""
        from eqsat.gradient import Rop

        wrt = list(self.moves)
        ends = [v for _, v in self.outs]
        if ends:
            made = Rop(ends, wrt, list(self.moves.values()), disconnected_outputs="ignore")
            for (place, v), change in zip(self.outs, made, strict=True):
                place.append(alike(change, v))

    def picked(self) -> list[Any]:
        """The changes in the order of the outputs of the first scan."""
        found = []
        for kind, moving in self.moving.items():
            ends = getattr(self.args, f"outer_out_{kind}")
            found.append(
                [ends[self.found[kind, k]] if (kind, k) in self.found else None for k in range(len(moving))]
            )
        return flat(found)
