"""Storage of the states of a scan, as the code generator sees it."""

from __future__ import annotations

from typing import Any

from eqsat.graph.core import Apply
from eqsat.graph.plan import Loop, Plan, State
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.utils import ScanArgs, first_offset


def loop_of(op: Any, node: Apply, plan: Plan) -> Loop:
    """A scan as a loop over the steps of a plan; its states are in the order of the outputs of a step."""
    args = ScanArgs(node.inputs, node.outputs, plan.inputs, plan.outputs, op.info)
    states = [*_buffers(op.info, args), *_several(args), *_single(args), *_new(args), *_latest(args)]
    return Loop(
        node,
        plan,
        args.n_steps,
        list(zip(args.outer_in_seqs, args.inner_in_seqs, strict=True)),
        states,
        list(zip(args.outer_in_non_seqs, args.inner_in_non_seqs, strict=True)),
        args.cond[0] if args.cond else None,
    )


def _buffers(info: Any, args: ScanArgs) -> list[State]:
    found = []
    for k, initial in enumerate(args.outer_in_mit_mot):
        first, more = buffer_rows(info, k)
        reads = tuple(zip(args.mit_mot_in_slices[k], args.inner_in_mit_mot[k], strict=True))
        writes = tuple(zip(args.mit_mot_out_slices[k], args.inner_out_mit_mot[k], strict=True))
        found.append(State("buffer", initial, reads, writes, args.outer_out_mit_mot[k], first, more=more))
    return found


def _several(args: ScanArgs) -> list[State]:
    found = []
    for k, initial in enumerate(args.outer_in_mit_sot):
        taps = args.mit_sot_in_slices[k]
        reads = tuple(zip(taps, args.inner_in_mit_sot[k], strict=True))
        writes = ((0, args.inner_out_mit_sot[k]),)
        found.append(State("stack", initial, reads, writes, args.outer_out_mit_sot[k], first_offset(taps)))
    return found


def _single(args: ScanArgs) -> list[State]:
    lists = zip(
        args.outer_in_sit_sot,
        args.inner_in_sit_sot,
        args.inner_out_sit_sot,
        args.outer_out_sit_sot,
        strict=True,
    )
    return [State("stack", a, ((-1, v),), ((0, new),), out, 1, stacked=False) for a, v, new, out in lists]


def _new(args: ScanArgs) -> list[State]:
    lists = zip(args.inner_out_nit_sot, args.outer_out_nit_sot, strict=True)
    return [State("stack", None, (), ((0, new),), out) for new, out in lists]


def _latest(args: ScanArgs) -> list[State]:
    lists = zip(
        args.outer_in_shared, args.inner_in_shared, args.inner_out_shared, args.outer_out_shared, strict=True
    )
    return [State("last", a, ((-1, v),), ((0, new),), out) for a, v, new, out in lists]
