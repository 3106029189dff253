"""Reverse mode through a scan: a scan backwards in time, in which the gradients of states are mit-mot states.

The buffer of such a state holds the gradients of the values at all times. A step backwards reads the gradient of the
value that it computed, which is complete by then, and adds what it finds to those of the values that it had read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.graph.core import Constant
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import add, eq, minimum, switch
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.walk import ancestors
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.step_gradient import gradient_of, seeds_of, slopes_of, undefined
from eqsat.scan.utils import ScanArgs, alike, first_offset, flat, has_gradient


class Reverse:
    """Gradients of the outer inputs of a scan from those of its outer outputs."""

    def __init__(
        self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any], gradients: Sequence[Any]
    ) -> None:
        self.op = op
        self.forward = ScanArgs(inputs, outputs, op.inner_inputs, op.inner_outputs, op.info)
        self.given = op.info.split("outer_out", gradients)
        self.seeds = seeds_of(op, self.forward, self.given)
        self.slopes, nulls = slopes_of(op, self.seeds)
        self.undefined = undefined(op, nulls)
        self.back = ScanArgs.create_empty()

    # -------------------------------------------------------------------------------------- the scan backwards

    def results(self) -> list[Any]:
        """Gradient for each outer input, None where there is none."""
        sizes = self.op.info.sizes("outer_in")
        places = self.op.info.split("outer_in", range(sum(sizes.values())))
        self.count()
        finish: list[Any] = []
        self.add_seqs(places["seqs"], finish)
        self.add_states(places, finish)
        self.add_shared(places["shared"], finish)
        self.add_non_seqs(places["non_seqs"], finish)
        found: list[Any] = [self.undefined.get(k) for k in range(sum(sizes.values()))]
        finish = [(place, result) for place, result in finish if place not in self.undefined]
        if not finish:
            return found
        self.add_values()
        self.back.make_node(name=f"{self.op.label}_grad" if self.op.label else "grad", mode=self.op.own_mode)
        for place, result in finish:
            found[place] = result()
        return found

    def count(self) -> None:
        """The number of steps that were made, and of those that gradients flow through."""
        f = self.forward
        stacked = [*f.outer_out_mit_sot, *f.outer_out_sit_sot, *f.outer_out_nit_sot]
        self.n = f.n_steps
        if self.op.info.as_while:
            self.n = length(stacked[0] if stacked else self.recorded(f.cond[0]), 0)
        self.cut = self.op.truncate_gradient
        self.m = minimum(self.n, self.cut) if self.cut > 0 else self.n
        self.back.n_steps = self.m

    def recorded(self, *inner: Any) -> Any:
        """Values of inner variables at all steps, as outputs of the same scan with further outputs."""
        f = self.forward
        args = ScanArgs(f.outer_inputs, f.outer_outputs, f.inner_inputs, f.inner_outputs, self.op.info)
        args.inner_out_nit_sot.extend(inner)
        args.make_node(name=self.op.label, mode=self.op.own_mode, truncate_gradient=self.op.truncate_gradient)
        made = args.outer_out_nit_sot[-len(inner) :]
        return made if len(inner) > 1 else made[0]

    def seq(self, inner: Any, x: Any, exact: bool) -> None:
        """A sequence of the scan backwards; ``exact`` where its length is the number of steps made."""
        self.back.inner_in_seqs.append(inner)
        self.back.outer_in_seqs.append((x if exact else x[: self.n])[::-1])

    def add_seqs(self, places: Sequence[int], finish: list[Any]) -> None:
        f = self.forward
        for place, x, inner in zip(places, f.outer_in_seqs, f.inner_in_seqs, strict=True):
            if inner in self.slopes:
                k = len(self.back.inner_out_nit_sot)
                self.back.inner_out_nit_sot.append(self.slopes[inner])
                finish.append((place, lambda k=k, x=x: self.of_seq(k, x)))

    def of_seq(self, k: int, x: Any) -> Any:
        """The gradient of a sequence: zeros where no step of the scan backwards was."""
        piece = self.back.outer_out_nit_sot[k][::-1]
        if self.cut <= 0 and self.whole(x):
            return alike(piece, x)
        from eqsat.graph.ops.subscript import set_subtensor

        return set_subtensor(zeros_like(x)[self.n - self.m : self.n], piece)

    def whole(self, x: Any) -> bool:
        """True where a sequence is known to have as many rows as there are steps."""
        if isinstance(self.n, Constant):
            return bool(x.type.shape[0] == int(self.n.data))
        node = self.n.owner
        return node is not None and str(node.op).startswith("length") and self.n is _known_length(x, node)

    # ------------------------------------------------------------------------------------------------- states

    def add_states(self, places: Mapping[str, Sequence[int]], finish: list[Any]) -> None:
        f, seeds = self.forward, iter(self.seeds)
        for k, place in enumerate(places["mit_mot"]):
            first, top = buffer_rows(self.op.info, k)
            reads = [first + t for t in f.mit_mot_in_slices[k]]
            writes = {first + t: next(seeds) for t in f.mit_mot_out_slices[k]}
            if has_gradient(f.outer_in_mit_mot[k]) and None not in writes.values():
                dy = self.given["mit_mot"][k]
                state = self.state(dict(zip(reads, f.inner_in_mit_mot[k], strict=True)), writes, top, True)
                rows = self.n + top  # the buffer may have more, which no step touches
                self.enter(state, dy[:rows][::-1])
                finish.append((place, lambda j=state, rest=dy[rows:]: self.of_buffer(j, rest)))
        traced = [
            *zip(
                places["mit_sot"],
                f.inner_in_mit_sot,
                f.mit_sot_in_slices,
                f.outer_in_mit_sot,
                self.given["mit_sot"],
            ),
            *zip(
                places["sit_sot"],
                [[v] for v in f.inner_in_sit_sot],
                f.sit_sot_in_slices,
                [dimshuffle(v, "x", *range(v.ndim)) for v in f.outer_in_sit_sot],
                self.given["sit_sot"],
            ),
        ]
        for (place, inner, taps, before, dy), seed in zip(traced, seeds, strict=False):
            if seed is not None:
                self.add_traced(place, inner, taps, before, dy, seed, finish)
        for seed, dy in zip(self._nit_seeds(), self.given["nit_sot"], strict=True):
            if seed is not None:
                self.seq(seed, dy, True)

    def of_buffer(self, state: int, rest: Any) -> Any:
        """The gradient of a mit-mot buffer."""
        return concatenate([self.back.outer_out_mit_mot[state][::-1], rest])

    def _nit_seeds(self) -> list[Any]:
        return self.op.info.split("inner_out", self.seeds)["nit_sot"]  # type: ignore[no-any-return]

    def add_traced(
        self,
        place: int,
        inner: Sequence[Any],
        taps: Sequence[int],
        before: Any,
        dy: Any,
        seed: Any,
        finish: list[Any],
    ) -> None:
        """A mit-sot or sit-sot state: rows of its buffer are the initial values and then those of all steps."""
        first = first_offset(taps)
        used = {first + t: v for t, v in zip(taps, inner, strict=True) if v in self.slopes}
        if not used:
            self.seq(seed, dy, True)
            return
        state = self.state(used, {first: seed}, first, False)
        late = dy[::-1] if self.cut <= 0 else dy[::-1][: self.m]
        start = zeros_like(before[:first]) if before.type.shape[0] != first else zeros_like(before)
        self.enter(state, concatenate([late, start]))
        finish.append((place, lambda: self.of_initial(state, before, first, place)))

    def of_initial(self, state: int, before: Any, first: int, place: int) -> Any:
        """The gradient of an initial value: the rows that the last step backwards has reached."""
        rows = self.back.outer_out_mit_mot[state][::-1][:first]
        if self.cut > 0:
            rows = self.of_read_rows(rows, first)
        x = self.forward.outer_inputs[place]
        if x.ndim < before.ndim:
            return alike(rows[0], x)
        if before.type.shape[0] == first:
            return alike(rows, x)
        from eqsat.graph.ops.subscript import set_subtensor

        return set_subtensor(zeros_like(x)[:first], rows)

    def of_read_rows(self, rows: Any, first: int) -> Any:
        """The gradients of initial values, from those of the times before the steps that gradients flow through."""
        none = zeros_like(rows)
        if first == 1:
            return switch(eq(self.m, self.n), rows, none)
        late = minimum(self.n - self.m, first)
        return concatenate([none, rows])[first - late : 2 * first - late]

    def state(self, reads: Mapping[int, Any], writes: Mapping[int, Any], top: int, reset: bool) -> int:
        """A mit-mot state backwards in time; the maps are from rows at step 0 to inner variables and seeds.

        With ``reset`` the gradient of a row that was written ends there, since the value before was lost.
        """
        ins: dict[int, Any] = {}
        outs: dict[int, Any] = {}
        for row in sorted({*writes, *(r for r, v in reads.items() if v in self.slopes)}, reverse=True):
            slope = self.slopes.get(reads.get(row))
            model = writes[row] if row in writes else reads[row]
            old = ins[top - row] = writes[row] if row in writes else model.type.make_variable()
            if row in writes and reset:
                outs[top - row] = zeros_like(old) if slope is None else slope
            elif slope is not None:
                outs[top - row] = alike(add(old, slope), old)
        b = self.back
        b.mit_mot_in_slices.append(tuple(ins))
        b.mit_mot_out_slices.append(tuple(outs))
        b.inner_in_mit_mot.append(list(ins.values()))
        b.inner_out_mit_mot.append(list(outs.values()))
        return len(b.inner_in_mit_mot) - 1

    def enter(self, state: int, buffer: Any) -> None:
        """The buffer with which a mit-mot state begins."""
        assert state == len(self.back.outer_in_mit_mot)
        self.back.outer_in_mit_mot.append(buffer)

    def add_shared(self, places: Sequence[int], finish: list[Any]) -> None:
        """Values of which only the last is seen: so it is with their gradients."""
        f = self.forward
        seeds = self.op.info.split("inner_out", self.seeds)["shared"]
        for place, inner, seed, dy in zip(
            places, f.inner_in_shared, seeds, self.given["shared"], strict=True
        ):
            if seed is not None:
                self.untraced(seed, dy, self.slopes.get(inner, zeros_like(seed)))
                finish.append((place, self._shared_result(len(self.back.outer_in_shared) - 1)))

    def _shared_result(self, k: int) -> Any:
        def result() -> Any:
            value = self.back.outer_out_shared[k]
            return switch(eq(self.m, self.n), value, zeros_like(value)) if self.cut > 0 else value

        return result

    def untraced(self, inner: Any, start: Any, out: Any) -> None:
        self.back.inner_in_shared.append(inner)
        self.back.outer_in_shared.append(start)
        self.back.inner_out_shared.append(alike(out, inner))

    def add_non_seqs(self, places: Sequence[int], finish: list[Any]) -> None:
        """The gradients of what all steps read are added up."""
        f = self.forward
        for place, x, inner in zip(places, f.outer_in_non_seqs, f.inner_in_non_seqs, strict=True):
            if inner in self.slopes:
                total = gradient_of(inner, self.slopes[inner].type)
                self.untraced(total, zeros_like(x), add(total, self.slopes[inner]))
                k = len(self.back.outer_in_shared) - 1
                finish.append((place, lambda k=k, x=x: alike(self.back.outer_out_shared[k], x)))

    # --------------------------------------------------------------------------------- values of the forward scan

    def add_values(self) -> None:
        """The values of inner inputs that the steps backwards read, as sequences and non-sequences."""
        f = self.forward
        series = {
            v: x
            for v, x in [
                *zip(f.inner_out_mit_sot, f.outer_out_mit_sot, strict=True),
                *zip(f.inner_out_sit_sot, f.outer_out_sit_sot, strict=True),
                *(
                    zip(f.inner_out_nit_sot, f.outer_out_nit_sot, strict=True)
                    if self.op.checkpoint != 1
                    else ()
                ),
            ]
            if v.owner is not None
        }
        used = set(ancestors(self.back.inner_outputs, series))
        for inner, x in series.items():
            if inner in used:
                self.seq(inner, x, True)
        for inner, x in zip(f.inner_in_seqs, f.outer_in_seqs, strict=True):
            if inner in used:
                self.seq(inner, x, self.whole(x))
        stacks = [
            *zip(f.inner_in_mit_sot, f.mit_sot_in_slices, f.outer_in_mit_sot, f.outer_out_mit_sot),
            *(
                ([inner], taps, dimshuffle(x, "x", *range(x.ndim)), out)
                for inner, taps, x, out in zip(
                    f.inner_in_sit_sot, f.sit_sot_in_slices, f.outer_in_sit_sot, f.outer_out_sit_sot
                )
            ),
        ]
        for reads, taps, before, out in stacks:
            first = first_offset(taps)
            start = before if before.type.shape[0] == first else before[:first]
            for inner, tap in zip(reads, taps, strict=True):
                if inner in used:
                    self.seq(inner, concatenate([start, out])[first + tap : tap], True)
        lost = [v for v in [*flat(f.inner_in_mit_mot), *f.inner_in_shared] if v in used]
        if lost:
            series = self.recorded(*lost)
            for inner, x in zip(lost, series if len(lost) > 1 else [series], strict=True):
                self.seq(inner, x, True)
        for inner, x in zip(f.inner_in_non_seqs, f.outer_in_non_seqs, strict=True):
            if inner in used:
                self.back.inner_in_non_seqs.append(inner)
                self.back.outer_in_non_seqs.append(x)


def _known_length(x: Any, node: Any) -> Any:
    """The variable of a length op where it is that of the rows of x."""
    return node.outputs[0] if node.inputs[0] is x and node.op.params["axis"] == 0 else None
