"""The gradients of one step of a scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.graph.core import Constant
from eqsat.graph.ops.elemwise import add
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.scan.mappings import reached, units
from eqsat.scan.utils import ScanArgs, ScanInfo, flat, has_gradient, is_zero


def seeds_of(op: Any, args: ScanArgs, given: Mapping[str, Sequence[Any]]) -> list[Any]:
    """For each inner output a variable for its gradient, None for those without; one type for one state."""
    pairs = zip(args.inner_in_mit_mot, args.inner_out_mit_mot, strict=True)
    models = [
        *flat([[*reads, *outs][0]] * len(outs) for reads, outs in pairs),
        *(reads[0] for reads in args.inner_in_mit_sot),
        *args.inner_in_sit_sot,
        *args.inner_out_nit_sot,
        *args.inner_in_shared,
    ]
    ends = {k for k, g in enumerate(flat(given.values())) if not is_zero(g)}
    live = _live(op.info, op.graph.connections(), ends)
    seeds = [gradient_of(v) if k in live and has_gradient(v) else None for k, v in enumerate(models)]
    return seeds + [None] * len(args.cond)


def gradient_of(v: Any, kind: Any = None) -> Any:
    """A variable for the gradient of another, named after it, of its type or another."""
    return (kind or v.type).make_variable(f"d_{v.name.partition('[t')[0]}" if v.name else None)


def _live(info: ScanInfo, inside: list[list[bool]], given: set[int]) -> set[int]:
    """Inner outputs with a gradient: those of outputs given one, and of states on which such outputs depend."""

    def counts(begin: int, end: int) -> bool:
        return end in given or (begin >= 0 and end >= 0 and bool(reached(info, inside, {begin}) & given))

    return {j for begin, _, outs, end in units(info) if counts(begin, end) for j in outs}


def slopes_of(op: Any, seeds: Sequence[Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Gradients of the floating inner inputs, as graphs over the inner inputs and the seeds, and those undefined."""
    from eqsat.gradient.reverse import seeded_grad
    from eqsat.gradient.undefined import is_null

    known: dict[Any, Any] = {}
    for v, seed in zip(op.inner_outputs, seeds, strict=True):
        if seed is not None and not isinstance(v, Constant):
            known[v] = add(known[v], seed) if v in known else seed
    wrt = [v for v in op.inner_inputs if has_gradient(v)]
    if not known or not wrt:
        return {}, {}
    policy: Any = {"disconnected_inputs": "ignore", "return_disconnected": "None", "null_gradients": "return"}
    made = seeded_grad(wrt, known, **policy)
    found = {v: g for v, g in zip(wrt, made, strict=True) if g is not None}
    nulls = {v: g for v, g in found.items() if is_null(g)}
    return {v: loosely_alike(g, v) for v, g in found.items() if v not in nulls}, nulls


def loosely_alike(g: Any, model: Any) -> Any:
    """A gradient that broadcasts as a model does; other lengths are checked where it leaves the loop, not in each step."""
    while g.owner is not None and getattr(g.owner.op, "name", "") == "specify_shape":
        g = g.owner.inputs[0]
    return specify(unbroadcast_like(g, model), [1 if n == 1 else None for n in model.type.shape])


def undefined(op: Any, nulls: Mapping[Any, Any]) -> dict[int, Any]:
    """Outer inputs whose gradient is not defined: a step has none in them, or in a state that depends on them."""
    inside = op.graph.connections()
    bad = [
        (begin, end, nulls[op.inner_inputs[i]])
        for begin, reads, _, end in units(op.info)
        for i in reads
        if op.inner_inputs[i] in nulls
    ]
    found: dict[int, Any] = {}
    for begin, *_ in units(op.info):
        ends = reached(op.info, inside, {begin}) if begin >= 0 and bad else set()
        for start, end, null in bad:
            if begin >= 0 and (start == begin or end in ends):
                found.setdefault(begin, null)
    return found
