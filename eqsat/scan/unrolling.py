"""A scan of few steps without a loop: its steps written one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.graph.constant import constant
from eqsat.graph.loops import steps_known
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.rows import first_rows
from eqsat.graph.ops.shape import shape_padleft
from eqsat.graph.walk import toposort
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.utils import ScanArgs, alike, grouped

MOST_STEPS = 4
MOST_NODES = 60  # of all steps together

Copy = Callable[[Sequence[Any], dict[Any, Any]], list[Any]]


def is_tiny(args: ScanArgs) -> bool:
    """True for a scan of so few and short steps that they may be written out."""
    n = steps_known(args.n_steps)
    if n is None or not 1 <= n <= MOST_STEPS or (args.cond and n > 1):
        return False
    return n == 1 or n * len(toposort(args.inner_outputs)) <= MOST_NODES


def unrolled(op: Any, args: ScanArgs, copy: Copy) -> list[Any]:
    """The outer outputs of a scan of a known number of steps; ``copy`` makes one step of its inner variables."""
    n, info = int(args.n_steps.data), args.info

    def rows(x: Any, needed: int, what: str) -> Any:
        known = x.type.shape[0]
        enough = known is not None and known >= needed
        return x if enough else first_rows(x, constant(needed, dtype="int64"), what=f"{op}: {what}")

    seqs = [rows(x, n, f"sequence {k}") for k, x in enumerate(args.outer_in_seqs)]
    places = [buffer_rows(info, k) for k in range(info.n_mit_mot)]
    buffers = [
        [x[r] for r in range(n + more)] for x, (_, more) in zip(args.outer_in_mit_mot, places, strict=True)
    ]
    befores = [-min(taps) for taps in args.mit_sot_in_slices]
    several = [
        [rows(x, k, "the initial value of a state")[r] for r in range(k)]
        for x, k in zip(args.outer_in_mit_sot, befores, strict=True)
    ]
    single = [[x] for x in args.outer_in_sit_sot]
    shared = list(args.outer_in_shared)
    new: list[list[Any]] = [[] for _ in range(info.n_nit_sot)]
    for t in range(n):
        now = [
            *(x[t] for x in seqs),
            *(
                buffer[first + tap + t]
                for buffer, (first, _), taps in zip(buffers, places, args.mit_mot_in_slices)
                for tap in taps
            ),
            *(
                values[k + tap + t]
                for values, k, taps in zip(several, befores, args.mit_sot_in_slices)
                for tap in taps
            ),
            *(values[t] for values in single),
            *shared,
            *args.outer_in_non_seqs,
        ]
        inside = {v: alike(value, v) for v, value in zip(args.inner_inputs, now, strict=True)}
        made = info.split("inner_out", copy(args.inner_outputs, inside))
        for stack, value in zip(
            [*several, *single, *new], [*made["mit_sot"], *made["sit_sot"], *made["nit_sot"]]
        ):
            stack.append(value)
        writes = grouped(made["mit_mot"], args.mit_mot_out_slices)
        for buffer, (first, _), taps, values in zip(buffers, places, args.mit_mot_out_slices, writes):
            for tap, value in zip(taps, values, strict=True):
                buffer[first + tap + t] = value
        shared = made["shared"]
    return [
        *(
            concatenate([*map(shape_padleft, buffer), x[len(buffer) :]])
            for buffer, x in zip(buffers, args.outer_in_mit_mot)
        ),
        *(joined(values[k:]) for values, k in zip(several, befores)),
        *(joined(values[1:]) for values in single),
        *map(joined, new),
        *shared,
    ]


def joined(values: Sequence[Any]) -> Any:
    """Values as the rows of one variable."""
    return shape_padleft(values[0]) if len(values) == 1 else concatenate([shape_padleft(v) for v in values])
