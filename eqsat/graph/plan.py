"""A plan: the steps that compute a graph, each a fused kernel, a view or a call, over the graph's variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.graph.core import Apply, Variable


@dataclass(frozen=True)
class Load:
    """An operand of a kernel: a variable in memory, seen through views, innermost (applied first) first.

    ``views`` are applications whose op is a dimshuffle, or a subtensor with constant bounds; only their ops
    are used, each applied to the result of the one before.
    """

    variable: Variable
    views: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Compute:
    """An elementwise op inside a kernel; ``args`` are positions in the kernel's list of expressions."""

    op: Any
    args: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Literal:
    """A number known when the code is generated."""

    value: Any
    dtype: str


Expression = Load | Compute | Literal


@dataclass(frozen=True)
class Result:
    """What a kernel writes: expression ``root`` at every index, or reduced over axes by a reduction op."""

    variable: Variable
    root: int
    reduce: Any = None


@dataclass
class Kernel:
    """One loop nest: expressions in order of dependence over one index space, and the results written.

    The index space is the shape of the roots before reduction; it has ``ndim`` axes; ``static`` holds the
    lengths that are known. A load whose type has length 1 on an axis is broadcast along it.
    """

    expressions: list[Expression]
    results: list[Result]
    static: tuple[int | None, ...]

    @property
    def ndim(self) -> int:
        """Number of axes of the index space."""
        return len(self.static)


@dataclass
class Call:
    """An op that is not fused: a view, a block such as a matrix product, or an op that runs in Python."""

    apply: Apply


@dataclass(frozen=True, eq=False)
class State:
    """Values that steps of a loop read at some taps and write at others; a tap counts steps from the present one.

    ``kind`` says where they are kept: ``stack`` keeps what each step writes, in the rows of ``result``, and reads before
    the first step from ``initial`` (its rows, or where not ``stacked`` one value); ``last`` keeps the latest value
    only; ``buffer`` begins as a copy of ``initial``, in which tap 0 of step t is row ``first + t``. Variables of taps
    are those of the inner plan, ``initial`` and ``result`` those of the outer one.
    """

    kind: str
    initial: Variable | None
    reads: tuple[tuple[int, Variable], ...]
    writes: tuple[tuple[int, Variable], ...]
    result: Variable
    first: int = 0
    stacked: bool = True
    more: int = 0  # rows that a buffer has more than there are steps


@dataclass(eq=False)
class Loop:
    """An application that runs the steps of a plan again and again.

    ``sequences`` and ``fixed`` pair variables of the outer plan with those of the inner one, which stand for a row, and
    for the whole. The loop ends after ``count`` steps, or after one in which ``stop`` is true.
    """

    apply: Apply
    plan: Plan
    count: Variable
    sequences: list[tuple[Variable, Variable]]
    states: list[State]
    fixed: list[tuple[Variable, Variable]]
    stop: Variable | None = None


Step = Kernel | Call | Loop


@dataclass
class Plan:
    """Steps in an order in which every variable is computed before it is read."""

    inputs: list[Variable]
    outputs: list[Variable]
    steps: list[Step] = field(default_factory=list)
    updates: dict[int, int] = field(default_factory=dict)  # outputs that replace the value of an input


def plan_as_written(inputs: Sequence[Variable], outputs: Sequence[Variable], nodes: Sequence[Apply]) -> Plan:
    """The plan without any fusion: every elementwise op and reduction is a kernel of its own."""
    plan = Plan(list(inputs), list(outputs))
    for node in nodes:
        kind = getattr(getattr(node.op, "declaration", None), "kind", None)
        plan.steps.append(_single(node) if kind in ("elemwise", "reduce") else Call(node))
    return plan


def _single(node: Apply) -> Kernel:
    loads: list[Expression] = [Load(v) for v in node.inputs]
    out: Any = node.outputs[0]
    first: Any = node.inputs[0]
    if node.op.declaration.kind == "reduce":  # type: ignore[attr-defined]
        return Kernel(loads, [Result(out, 0, node.op)], first.type.shape)
    loads.append(Compute(node.op, tuple(range(len(node.inputs))), out.type.dtype))
    return Kernel(loads, [Result(out, len(node.inputs))], out.type.shape)
