"""Loops as equations over time: the ops by which the body of a loop stands in the graph around it.

A loop ``L`` is an index that runs over its steps. ``elem(X; L)`` is X[t], ``state(initial; L, key)`` the value that a
recurrence had one step ago, ``collect(e, n; L)`` the stack of e over all steps and ``final(initial, e, n; L)`` its value
after the last one. A variable between them depends on t; one that does not is the outer variable itself, so that
what does not change in a loop needs no rule to leave it. These ops occur between ``scan/to_equations.py`` and
``scan/from_equations.py``; no other room computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import OPS, Cost, DeclaredOp, structural
from eqsat.graph.parameters import INTEGER, OBJECT
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort

MOST_LOOPS = 60  # of one graph; sets of loops are bits of an integer
FREE = Cost(flops=0, bytes=0, calls=0)

MADE = ("dimshuffle", "subtensor_1", "concatenate_2", "sum")  # by rules, of nearly every loop


def _alone(*values: Any, **parameters: Any) -> Any:
    raise ArgumentError("a value inside a loop has no meaning without the loop")


def steps_known(n: Any) -> int | None:
    """The number of steps where it is a constant."""
    return int(n.data) if isinstance(n, Constant) else None


@structural(
    "loop",
    name="elem",
    signature="(n,x...)->(x...)",
    elements=("x",),
    brings=MADE,
    parameters={"loop": INTEGER},
    cost=FREE,
)
def elem_op(x: Any, *, loop: int) -> Any:
    """The row of x at the present step of a loop; x has a row for each step."""
    return _alone(x)


@structural(
    "loop",
    name="state",
    signature="x->x",
    type_text=(
        "dtype_initial",
        "ndim_initial",
        "0",
    ),  # a length of 1 is that of the initial value, not of the type
    brings=MADE,
    parameters={"loop": INTEGER, "key": INTEGER, "kind": OBJECT},
    infer=lambda op, initial: op.params["kind"],
    cost=FREE,
)
def state_op(initial: Any, *, loop: int, key: int, kind: Any) -> Any:
    """The value of a recurrence after the step before; its initial value at the first step."""
    return _alone(initial)


@structural(
    "loop",
    name="still",
    signature="x->x",
    parameters={"loop": INTEGER},
    cost=FREE,
)
def still_op(x: Any, *, loop: int) -> Any:
    """x as if it changed from step to step, so that what is computed of it stays in the loop."""
    return _alone(x)


def _collect_type(op: Any, e: Any, n: Any) -> TensorType:
    rows = None if op.params["open"] else steps_known(n)
    return TensorType(e.type.dtype, shape=(rows, *e.type.shape))


@structural(
    "loop",
    name="collect",
    signature="(x...),()->(n,x...)",
    shape=lambda op, e, n: [None if op.params["open"] else n.value, *e],
    elements=("e",),
    per_step=("e",),
    brings=MADE,
    parameters={"loop": INTEGER, "open": INTEGER},
    infer=_collect_type,
    cost=lambda op, ins, out: Cost(flops=0, calls=0),
)
def collect_op(e: Any, n: Any, *, loop: int, open: int) -> Any:
    """The values of e at all steps of a loop of at most n steps, stacked; ``open`` is 1 for one that may stop earlier."""
    return _alone(e, n)


@structural(
    "loop",
    name="final",
    signature="_,x,()->x",
    per_step=("e",),
    brings=MADE,
    parameters={"loop": INTEGER, "open": INTEGER},
    infer=lambda op, initial, e, n: e.type,
    cost=lambda op, ins, out: Cost(flops=0, calls=0),
)
def final_op(initial: Any, e: Any, n: Any, *, loop: int, open: int) -> Any:
    """The value of e at the last step of a loop of n steps, or the initial value where there is none."""
    return _alone(initial, e, n)


@structural(
    "loop",
    name="last",
    signature="x,()->x",
    elements=("e",),
    per_step=("e",),
    brings=MADE,
    parameters={"loop": INTEGER, "open": INTEGER},
    cost=lambda op, ins, out: Cost(flops=0, calls=0),
)
def last_op(e: Any, n: Any, *, loop: int, open: int) -> Any:
    """The value of e at the last step of a loop of n steps, of which there is one at least."""
    return _alone(e, n)


LOOP_OPS = [d for d in OPS.values() if d.kind == "loop"]
READERS = tuple(d.name for d in LOOP_OPS if not d.per_step)  # their result depends on the time of their loop
BINDERS = tuple(d.name for d in LOOP_OPS if d.per_step)  # their result no longer does


@dataclass(eq=False)
class Loop:
    """An index of the graph: its number, how deep it lies inside others, and the number of steps it may make."""

    number: int
    depth: int
    n_steps: Any
    condition: Any = None  # the step in which it holds is the last
    label: str | None = None


@dataclass(eq=False)
class Recurrence:
    """A value that a loop carries from step to step: ``state`` stands for the old one, ``step`` computes the new one.

    ``name`` is what the user calls it, ``label`` the name of the scan that it comes from.
    """

    key: int
    loop: Loop
    state: Any
    step: Any = None
    name: str | None = None
    label: str | None = None


@dataclass
class LoopTable:
    """The loops and recurrences of an opened graph, and pairs of variables that are known to be equal."""

    loops: list[Loop] = field(default_factory=list)
    recurrences: list[Recurrence] = field(default_factory=list)
    equal: list[tuple[Any, Any]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.loops)

    def hidden_roots(self) -> list[Any]:
        """Variables that loops need besides the operands of their binders: states, their new values, conditions, and equal forms."""
        conditions = [loop.condition for loop in self.loops if loop.condition is not None]
        states = [v for r in self.recurrences for v in (r.state, r.step)]
        return [*states, *conditions, *(v for pair in self.equal for v in pair)]


def loop_op(v: Any) -> str:
    """The name of the loop op that computes a variable, or the empty text."""
    if v.owner is None or not isinstance(v.owner.op, DeclaredOp):
        return ""
    declaration = v.owner.op.declaration
    return declaration.name if declaration.kind == "loop" else ""


def own_loops(node: Apply) -> int:
    """The bit of the loop that a node reads the time of; 0 for other nodes."""
    op: Any = node.op
    if isinstance(op, DeclaredOp) and op.declaration.kind == "loop" and op.name in READERS:
        return 1 << int(op.params["loop"])
    return 0


def bound_loops(node: Apply) -> int:
    """The bit of the loop that a node ends; 0 for other nodes."""
    op: Any = node.op
    if isinstance(op, DeclaredOp) and op.declaration.kind == "loop" and op.name in BINDERS:
        return 1 << int(op.params["loop"])
    return 0


def depends(outputs: Sequence[Variable], table: LoopTable) -> dict[Variable, int]:
    """For every variable of an opened graph the loops on whose time it depends, as bits.

    A state depends on what its new values depend on, and the results of a loop on what its condition does, so that all
    is computed again while these grow.
    """
    roots = [*outputs, *table.hidden_roots()]
    nodes = toposort(roots)
    carried: dict[Variable, int] = {}
    ended: dict[int, int] = {}
    while True:
        found: dict[Variable, int] = {}
        for node in nodes:
            bits = own_loops(node)
            for v in node.inputs:
                bits |= found.setdefault(v, 0)
            if bound := bound_loops(node):
                bits = (bits | ended.get(bound, 0)) & ~bound
            for v in node.outputs:
                found[v] = bits | carried.get(v, 0)
        for v in roots:
            found.setdefault(v, 0)
        grown = {r.state: found[r.step] | found[r.state] for r in table.recurrences if r.state in found}
        ends = {1 << number: bits for number, bits in stops(found, table).items()}
        if all(found[v] == bits for v, bits in grown.items()) and ends == {**dict.fromkeys(ends, 0), **ended}:
            return found
        carried, ended = grown, ends


def stops(known: dict[Variable, int], table: LoopTable) -> dict[int, int]:
    """For each loop the other loops on whose time it depends when it stops, as bits; 0 where nothing stops it."""
    conditions = {loop.number: loop.condition for loop in table.loops}
    return {k: 0 if c is None else known[c] & ~(1 << k) for k, c in conditions.items()}


def bits_of(mask: int) -> Sequence[int]:
    """The positions of the bits that are set.

    >>> bits_of(5)
    [0, 2]
    """
    return [k for k in range(mask.bit_length()) if mask >> k & 1]
