"""A loop as a loop over parts of some steps each, and a rest: only states between parts need be kept.

The gradient of such a loop goes backwards over the parts and computes the values inside a part again. A loop of n
steps in parts of k then holds n / k + k values of each state at a time instead of n, for one more run forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.ops.create import known_integer
from eqsat.graph.ops.elemwise import floordiv
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.specify import specify
from eqsat.graph.tensor_type import TensorType
from eqsat.scan.utils import ScanArgs, alike, first_offset, is_tensor


class Parts:
    """A scan without mit-mot states and without ``until``, on given operands, in parts of ``every`` steps.

    ``stacked`` are the numbers of the states, mit-sot ones first, of which all values are wanted, as they are of
    outputs that are no state; with None only the values between the parts are. ``rest`` says whether there may be
    steps after the last whole part.
    """

    def __init__(
        self, op: Any, inputs: Sequence[Any], every: int, stacked: Sequence[int] | None, rest: bool = True
    ) -> None:
        self.op, self.every, self.stacked = op.storing(0), every, stacked
        blank = [None] * sum(op.info.sizes("outer_out").values())
        self.args = ScanArgs(inputs, blank, op.inner_inputs, op.inner_outputs, op.info)
        self.firsts = [first_offset(taps) for taps in self.args.mit_sot_in_slices]
        n = known_integer(self.args.n_steps)
        self.count = floordiv(self.args.n_steps, every) if n is None else n // every
        self.left = (self.args.n_steps - self.count * every if n is None else n % every) if rest else 0
        self.steps = self.count * self.every if rest else self.args.n_steps
        self.main = self._main()
        self.ends = [self._end(k, v) for k, v in enumerate(self._starts())]
        self.shared = list(self.main.outer_out_shared)
        self.tail = None if _is(self.left, 0) else self._tail()

    # ------------------------------------------------------------------------------------------------- the loop

    def _starts(self) -> list[Any]:
        """The states before the first step; the initial values of several taps stacked."""
        several = zip(self.args.outer_in_mit_sot, self.firsts, strict=True)
        return [*(x if x.type.shape[0] == k else x[:k] for x, k in several), *self.args.outer_in_sit_sot]

    def _main(self) -> ScanArgs:
        a, b = self.args, ScanArgs.create_empty(self.count)
        for x, row in zip(a.outer_in_seqs, a.inner_in_seqs, strict=True):
            b.outer_in_seqs.append(self._cut(x))
            b.inner_in_seqs.append(_like(row, self.every))
        models = [*(reads[0] for reads in a.inner_in_mit_sot), *a.inner_in_sit_sot]
        sizes = [*self.firsts, *[None] * len(a.inner_in_sit_sot)]
        b.outer_in_sit_sot = self._starts()
        b.sit_sot_in_slices = [(-1,)] * len(models)
        b.inner_in_sit_sot = [_like(v, k) for v, k in zip(models, sizes, strict=True)]
        b.outer_in_shared = list(a.outer_in_shared)
        b.inner_in_shared = [v.type.make_variable(v.name) for v in a.inner_in_shared]
        b.outer_in_non_seqs = list(a.outer_in_non_seqs)
        b.inner_in_non_seqs = [v.type.make_variable(v.name) for v in a.inner_in_non_seqs]
        part = self.op.make_node(
            self.every, *b.inner_in_seqs, *b.inner_in_sit_sot, *b.inner_in_shared, *b.inner_in_non_seqs
        )
        made = self.op.info.split("outer_out", part.outputs)
        rows = [*made["mit_sot"], *made["sit_sot"]]
        for k, (before, out) in enumerate(zip(b.inner_in_sit_sot, rows, strict=True)):
            b.inner_out_sit_sot.append(alike(self._after(k, before, out, self.every), before))
        b.inner_out_nit_sot = [v[-1] if self.stacked is None else v for v in made["nit_sot"]]
        b.inner_out_nit_sot += [rows[k] for k in self.stacked or ()]
        b.inner_out_shared = [alike(v, old) for v, old in zip(made["shared"], b.inner_in_shared, strict=True)]
        label = f"{self.op.label}_parts" if self.op.label else "parts"
        b.make_node(name=label, mode=self.op.own_mode, checkpoint=1)
        return b

    def _cut(self, x: Any) -> Any:
        """A sequence with an axis for the parts before that for the steps of one."""
        whole = x[: self.steps]
        lengths = [length(x, k) for k in range(1, x.ndim)]
        known = None if not isinstance(self.count, int) else self.count
        cut = reshape(whole, [self.count, self.every, *lengths], ndim=x.ndim + 1)
        return specify(cut, (known, self.every, *x.type.shape[1:]))

    def _after(self, k: int, before: Any, rows: Any, count: Any) -> Any:
        """State k after some steps that computed rows, and before which it was as given."""
        if k >= len(self.firsts):
            return rows[-1] if _positive(count) else concatenate([_row(before), rows])[-1]
        first = self.firsts[k]
        return rows[-first:] if _positive(count, first) else concatenate([before, rows])[-first:]

    def _end(self, k: int, start: Any) -> Any:
        """State k after the last whole part."""
        ends = self.main.outer_out_sit_sot[k]
        if _is(self.count, 0):
            return start
        return ends[-1] if _positive(self.count) else concatenate([_row(start), ends])[-1]

    def _tail(self) -> dict[str, list[Any]]:
        """The steps after the last whole part; their number may turn out to be 0."""
        rest = [x[self.steps : self.steps + self.left] for x in self.args.outer_in_seqs]
        node = self.op.make_node(self.left, *rest, *self.ends, *self.shared, *self.args.outer_in_non_seqs)
        found: dict[str, list[Any]] = self.op.info.split("outer_out", node.outputs)
        self.shared = found["shared"]
        return found

    # ---------------------------------------------------------------------------------------------- its results

    def last_states(self) -> list[Any]:
        """Values of the states after the last step, of mit-sot states first."""
        found = self.ends
        if self.tail is not None:
            rows = [*self.tail["mit_sot"], *self.tail["sit_sot"]]
            found = [
                self._after(k, e, v, self.left) for k, (e, v) in enumerate(zip(found, rows, strict=True))
            ]
        return [v[-1] if k < len(self.firsts) else v for k, v in enumerate(found)]

    def all_values(self) -> tuple[list[Any], list[Any]]:
        """The stacks of all values that the scan itself would give: of outputs that are no state, of those stacked."""
        assert self.stacked is not None
        flat = [
            reshape(v, [self.steps, *(length(v, k) for k in range(2, v.ndim))], ndim=v.ndim - 1)
            for v in self.main.outer_out_nit_sot
        ]
        states = [*self.args.inner_out_mit_sot, *self.args.inner_out_sit_sot]
        models = [*self.args.inner_out_nit_sot, *(states[k] for k in self.stacked)]
        flat = [specify(v, (None, *m.type.shape)) for v, m in zip(flat, models, strict=True)]
        if self.tail is not None:
            rows = [*self.tail["mit_sot"], *self.tail["sit_sot"]]
            more = [*self.tail["nit_sot"], *(rows[k] for k in self.stacked)]
            flat = [concatenate([v, w]) for v, w in zip(flat, more, strict=True)]
        return flat[: self.op.info.n_nit_sot], flat[self.op.info.n_nit_sot :]

    def values_between(self) -> dict[str, list[Any]]:
        """The values after each part, and after the rest."""
        assert self.stacked is None
        mit = len(self.firsts)
        ends = [v[:, -1] if k < mit else v for k, v in enumerate(self.main.outer_out_sit_sot)]
        found = {"nit_sot": list(self.main.outer_out_nit_sot), "mit_sot": ends[:mit], "sit_sot": ends[mit:]}
        if self.tail is not None:
            for kind, stacks in found.items():
                stacks[:] = [concatenate([v, w[-1:]]) for v, w in zip(stacks, self.tail[kind], strict=True)]
        return found


def _like(v: Any, count: int | None) -> Any:
    """A variable for so many values of v, stacked, or for one."""
    if not is_tensor(v) or count is None:
        return v.type.make_variable(v.name)
    return TensorType(v.type.dtype, shape=(count, *v.type.shape)).make_variable(v.name)


def _row(v: Any) -> Any:
    return dimshuffle(v, "x", *range(v.ndim))


def _is(number: Any, value: int) -> bool:
    return isinstance(number, int) and number == value


def _positive(number: Any, least: int = 1) -> bool:
    """True for a number that is known to be large enough."""
    return isinstance(number, int) and number >= least
