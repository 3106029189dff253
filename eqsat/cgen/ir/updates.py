"""Updates of shared variables in their own memory: such writes come last, after everything that can fail or read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.memory import Life, overwritten
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Plan, Step, reads, writes


def updates_last(plan: Plan) -> tuple[list[Step], int, list[int]]:
    """The steps with those last that may write into an input, their number, and per output that input or -1.

    An output may take the memory of the input that it updates where it is a chain of writes that begins at the
    input, and no other write of such a chain reads from the input. All of them check before one of them writes.
    """
    life = Life(plan.steps, plan.outputs)
    chains = {k: chain for k, j in plan.updates.items() if (chain := _chain(plan, k, j, life))}
    while True:
        read = {life.root(v) for chain in chains.values() for step in chain for v in step.apply.inputs[1:]}
        bad = [k for k in chains if plan.inputs[plan.updates[k]] in read]
        if not bad:
            break
        for k in bad:
            del chains[k]
    last = {id(step) for chain in chains.values() for step in chain}
    reuse = [plan.updates[k] if k in chains else -1 for k in range(len(plan.outputs))]
    early = [s for s in plan.steps if id(s) not in last]
    return early + [s for s in plan.steps if id(s) in last], len(last), reuse


def _chain(plan: Plan, output: int, target: int, life: Life) -> list[Call]:
    """The writes from an input to the output that updates it; empty where anything else lies between."""
    producer = {v: s for s in plan.steps for v in writes(s)}
    readers = _readers(plan.steps)
    chain: list[Call] = []
    variable: Any = plan.outputs[output]
    if plan.outputs.count(variable) > 1 or variable in readers:
        return []  # somebody else needs the new value
    while variable is not plan.inputs[target]:
        step = producer.get(variable)
        if not isinstance(step, Call) or not _checks_first(step.apply.op):
            return []
        if chain and (readers[variable] != 1 or variable in plan.outputs):
            return []
        chain.append(step)
        variable = overwritten(step, life)
    return chain[::-1]


def _checks_first(op: Any) -> bool:
    declaration = getattr(op, "declaration", None)
    return declaration is not None and declaration.checks_first


def _readers(steps: Sequence[Step]) -> dict[Variable, int]:
    """Number of steps that read each variable."""
    count: dict[Variable, int] = {}
    for step in steps:
        for v in set(reads(step)):
            count[v] = count.get(v, 0) + 1
    return count
