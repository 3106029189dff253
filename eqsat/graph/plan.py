"""A plan: the steps that compute a graph, each a fused kernel, a view or a call, over the graph's variables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Variable
from eqsat.graph.pieces import numbers_of

BLOCK_BYTES = 32768  # of a block of rows, which stay near from one step of a group to the next
BLOCK_MOST = (
    1 << 19
)  # of one that has memory of its own whatever its rows are, or whose rows are spread over memory
BLOCK_SIDE = 512  # elements side by side, at least, of rows that are spread over memory
BLOCK_TIMES = 32  # as many bytes of rows as a block takes whatever its rows are


@dataclass(frozen=True)
class Load:
    """An operand of a kernel: a variable in memory, seen through views, innermost (applied first) first.

    ``views`` are applications whose op is a dimshuffle, or a subtensor with constant bounds; only their ops
    are used, each applied to the result of the one before.
    """

    variable: Variable
    views: tuple[Any, ...] = ()


class Typed:
    """Stands for a variable where only its type is asked for."""

    def __init__(self, kind: Any) -> None:
        self.type = kind
        self.ndim = kind.ndim


def seen_type(load: Load) -> Any:
    """The type of what a load sees through its views."""
    kind: Any = load.variable.type
    for view in load.views:
        op = getattr(view, "op", view)
        kind = op.declaration.infer(op, Typed(kind))
    return kind


@dataclass(frozen=True)
class Compute:
    """An elementwise op inside a kernel; ``args`` are positions in the kernel's list of expressions.

    ``variable`` is what it computes in the graph, whose line errors tell.
    """

    op: Any
    args: tuple[int, ...]
    dtype: str
    variable: Variable | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Literal:
    """A number known when the code is generated."""

    value: Any
    dtype: str


@dataclass(frozen=True)
class Pieces:
    """A value that in each box of the index space is one operand's, or the sum of two; ``apply`` says which and where.

    ``args`` are positions of expressions. Each has an index space of its own, that of an operand of ``apply``: what is in it
    no expression of another space reads. With an ``only`` operand the value is that operand's in its boxes, and ``other``,
    a number, in the rest.
    """

    apply: Apply
    args: tuple[int, ...]
    dtype: str
    only: int | None = None
    other: float = 0.0


@dataclass(frozen=True)
class Pick:
    """An element of the first operand of ``apply`` at index arrays, all in memory, seen through views as a ``Load`` is."""

    apply: Apply
    views: tuple[Any, ...]
    dtype: str


Expression = Load | Compute | Literal | Pieces | Pick


@dataclass(frozen=True)
class Result:
    """One result of a kernel: expression ``root`` at every index, or reduced over axes by a reduction op."""

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
    late: int | None = None  # so many of the last rows are all that is read of a stack


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
    in_place: bool = True  # states may overwrite their old values
    rounds: bool = True  # sums of a step may be rounded in another order, and with a product at once
    forms: tuple[str, ...] = ()  # in which a target that has several can write it, the cheapest first


@dataclass(eq=False)
class Side:
    """One side of a branch: its plan, and pairs of variables of the outer plan with the inputs that stand for them."""

    plan: Plan
    operands: list[tuple[Variable, Variable]]


@dataclass(eq=False)
class Branch:
    """An application that runs one of two plans: the first where the condition, a scalar, is true."""

    apply: Apply
    condition: Variable
    sides: tuple[Side, Side]


@dataclass(eq=False)
class Rows:
    """Steps that run over some rows of their operands at a time; no row of a result needs other rows than its own.

    The rows lie along one axis. ``rowed`` has a variable, that of the inner plan which holds some of its rows, and the axis;
    ``fixed`` pairs those that are read as a whole. ``results`` has a variable, that of the inner plan which holds some of its
    rows, and their axis; or a reduction over the rows, whose inner variable holds that of some of them. Rows ``across`` are
    spread over memory: blocks of them are as wide as memory is read well by.
    """

    members: list[Step]  # the steps as they would run one after the other
    plan: Plan
    rowed: list[tuple[Variable, Variable, int]]
    fixed: list[tuple[Variable, Variable]]
    results: list[tuple[Variable, Variable, Any]]
    axis: dict[Variable, int]  # of each variable of the inner plan that holds some rows
    across: bool = False
    states: tuple[State, ...] = ()


def is_elementwise(loop: Loop) -> bool:
    """True where the steps of a loop are elementwise as far as the plan tells."""
    return (
        loop.stop is None
        and all(isinstance(s, Kernel) and all(r.reduce is None for r in s.results) for s in loop.plan.steps)
        and all(getattr(v.type, "ndim", 0) > 0 for v in loop.plan.outputs)
        and all(s.kind == "last" or (s.kind == "stack" and s.late in (None, 1)) for s in loop.states)
    )


Step = Kernel | Call | Loop | Branch | Rows


@dataclass
class Plan:
    """Steps in an order in which every variable is computed before it is read."""

    inputs: list[Variable]
    outputs: list[Variable]
    steps: list[Step] = field(default_factory=list)
    updates: dict[int, int] = field(default_factory=dict)  # outputs that replace the value of an input
    stays: tuple[int, ...] = ()  # outputs that stay on the device


def late_rows(plan: Plan, variables: Collection[Variable]) -> dict[Variable, int]:
    """For each of the variables of which the steps of a plan read only some of the last rows, their number."""
    found: dict[Variable, list[int | None]] = {v: [] for v in variables}
    for step in plan.steps:
        for v in dict.fromkeys(reads(step)):
            if v in found:
                found[v] += _rows_read(step, v)
    for v in plan.outputs:
        found[v] = [None]
    return {v: most for v, rows in found.items() if None not in rows and (most := max(rows, default=0))}  # type: ignore[type-var]


def _rows_read(step: Step, variable: Variable) -> list[int | None]:
    """For each place where a step reads a variable, how far back from the end; None where it may read other rows."""
    if isinstance(step, Kernel):
        loads = [e for e in step.expressions if isinstance(e, Load) and e.variable is variable]
        if reads(step).count(variable) > len(loads):
            return [None]  # at places that only the call tells
        return [_from_the_end(getattr(e.views[0], "op", e.views[0])) if e.views else None for e in loads]
    if isinstance(step, (Loop, Branch, Rows)) or variable in step.apply.inputs[1:]:
        return [None]
    return [0 if getattr(step.apply.op, "name", "") == "length" else _from_the_end(step.apply.op)]


def _from_the_end(op: Any) -> int | None:
    """The distance from the end at which a part of rows begins."""
    if getattr(op, "name", "") != "subtensor":
        return None
    kind, *bounds = op.params["pattern"][0]
    whole = kind == "int" or (bounds[1] is None and bounds[2] in (None, 1))
    return -bounds[0] if whole and isinstance(bounds[0], int) and bounds[0] < 0 else None


def is_aligned(kernel: Kernel) -> bool:
    """True for a kernel all of whose expressions have its index space."""
    return all(isinstance(e, (Load, Compute, Literal)) for e in kernel.expressions)


def reads(step: Step) -> list[Variable]:
    """The variables that a step reads."""
    if isinstance(step, Kernel):
        loads = [e.variable for e in step.expressions if isinstance(e, Load)]
        loads += [v for e in step.expressions if isinstance(e, Pieces) for v in numbers_of(e.apply)]
        return loads + [v for e in step.expressions if isinstance(e, Pick) for v in e.apply.inputs]
    if isinstance(step, Rows):
        return [*dict.fromkeys([*(v for v, _, _ in step.rowed), *(v for v, _ in step.fixed)])]
    return step.apply.inputs


def writes(step: Step) -> list[Variable]:
    """The variables that a step computes."""
    if isinstance(step, Kernel):
        return [r.variable for r in step.results]
    return [v for v, _, _ in step.results] if isinstance(step, Rows) else step.apply.outputs


def may_overwrite(plan: Plan, old: Variable, new: Variable) -> bool:
    """True where a kernel computes one variable element by element of another one, which nothing reads afterwards."""
    if plan.outputs.count(new) != 1:
        return False
    looks = {old}
    for k, step in enumerate(plan.steps):
        if isinstance(step, Call) and step.apply.inputs and step.apply.inputs[0] in looks:
            looks.update(step.apply.outputs)  # it may be a view
        if new in writes(step):
            later = [*plan.outputs, *(v for s in plan.steps[k + 1 :] for v in reads(s))]
            return isinstance(step, Kernel) and _in_order(step, old, looks) and looks.isdisjoint(later)
    return False


def _in_order(kernel: Kernel, old: Variable, looks: set[Variable]) -> bool:
    """True for a kernel that reads the elements of a variable in the order in which it writes its results."""
    if any(isinstance(e, (Pieces, Pick)) for e in kernel.expressions):
        return False
    loads = [e for e in kernel.expressions if isinstance(e, Load) and e.variable in looks]
    plain = all(e.variable is old and not e.views for e in loads)
    return plain and all(r.reduce is None for r in kernel.results)


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
    loads.append(Compute(node.op, tuple(range(len(node.inputs))), out.type.dtype, out))
    return Kernel(loads, [Result(out, len(node.inputs))], out.type.shape)
