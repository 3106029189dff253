"""Steps of a scan whose values are read: where only first rows of its stacks are read, it makes no later steps.

Rows are read of a stack, or of what is computed from it row by row. A bound that is known at run time counts where it is
computed before the loop; where it is negative, it counts from the end, and all steps are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eqsat.graph.constant import constant
from eqsat.graph.core import Apply, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.loops import steps_known
from eqsat.graph.ops.elemwise import add, lt, maximum, minimum, switch
from eqsat.graph.walk import toposort
from eqsat.scan.op import Scan
from eqsat.scan.utils import flat

Bound = int | Variable  # rows that are read; of a variable, all where it is negative
Reads = dict[Variable, set[Bound] | None]  # None stands for all rows


def steps_read(outputs: Sequence[Any], inside: bool) -> dict[Apply, set[Bound]]:
    """For each scan of which not all steps are read how many are; ``inside`` a loop no bound known at run time counts."""
    nodes = toposort(outputs)
    if not any(isinstance(node.op, Scan) for node in nodes):
        return {}
    reads: Reads = dict.fromkeys(outputs)
    found = {}
    for node in reversed(nodes):
        bounds = read_steps(node, reads) if isinstance(node.op, Scan) else None
        if bounds and not any(isinstance(b, Variable) and (inside or needs_loop(b)) for b in bounds):
            found[node] = bounds
        for k, v in enumerate(node.inputs):
            note(reads, v, rows_of_operand(node, k, reads, found))
    return found


def fewer_steps(n: Any, bounds: Iterable[Bound]) -> Any:
    """The number of steps, of at most n, that are read for some bounds."""
    numbers = [b for b in bounds if isinstance(b, int)]
    least, known = max([1, *numbers]), steps_known(n)
    variables = sorted((b for b in bounds if not isinstance(b, int)), key=str)
    if not variables and known is not None:
        return constant(min(least, known), dtype="int64")
    most: Any = constant(least, dtype="int64")
    for v in variables:
        most = maximum(most, switch(lt(v, constant(0, dtype="int64")), n, v))
    return minimum(n, most)


def note(reads: Reads, v: Variable, rows: set[Bound] | None) -> None:
    """Add rows to those that are read of a variable."""
    old = reads.get(v, set())
    reads[v] = None if rows is None or old is None else old | rows


def counts_steps(node: Apply) -> bool:
    """True for a length that is the number of steps of a loop, whether they are made or not."""
    op: Any = node.op
    if (
        not isinstance(op, DeclaredOp)
        or op.name != "length"
        or op.params["axis"]
        or node.inputs[0].owner is None
    ):
        return False
    maker: Any = node.inputs[0].owner
    info = getattr(maker.op, "info", None) if isinstance(maker.op, Scan) else None
    return info is not None and not info.as_while and not info.n_mit_mot


def rows_of_operand(
    node: Apply, k: int, reads: Reads, found: Mapping[Apply, set[Bound]]
) -> set[Bound] | None:
    """The rows that a node reads of an operand for the rows that are read of its results."""
    op: Any = node.op
    if counts_steps(node):
        return set()
    if isinstance(op, Scan):
        steps = steps_known(node.inputs[0])
        known: set[Bound] | None = None if steps is None else {steps}
        return found.get(node, known) if 0 < k <= op.info.n_seqs else None
    if isinstance(op, DeclaredOp) and op.name == "subtensor" and k == 0 and op.params["pattern"]:
        first, *scalars = op.params["pattern"][0], *node.inputs[1:]
        if first != ("slice", None, None, None):
            return rows_of_entry(first, scalars)
    return reads.get(node.outputs[0], set()) if keeps_rows(node, k) else None


def keeps_rows(node: Apply, k: int) -> bool:
    """True where each row of a result is computed from that row of an operand, and from no rows of the others."""
    op: Any = node.op
    if not isinstance(op, DeclaredOp) or len(node.outputs) != 1:
        return False
    kind = op.declaration.kind
    if kind == "elemwise":
        rows: list[Any] = [x.type.shape[:1] for x in node.inputs]  # type: ignore[attr-defined]
        return rows[k] not in ((), (1,)) and all(n == (1,) for j, n in enumerate(rows) if j != k)
    if kind == "reduce":
        return 0 not in op.params["axes"]
    if op.name == "dimshuffle":
        return op.params["pattern"][:1] == (0,)
    return op.name == "subtensor" and k == 0


def rows_of_entry(entry: Sequence[Any], scalars: Sequence[Any]) -> set[Bound] | None:
    """The rows that an entry of an index reads: those before its end, counted from the front; None for all."""
    rest = iter(scalars)
    kind, *parts = (next(rest) if isinstance(p, str) and k else p for k, p in enumerate(entry))
    if kind == "int":
        return {parts[0] + 1} if isinstance(parts[0], int) and parts[0] >= 0 else _at(parts[0], 1)
    start, stop, step = parts
    if not (step is None or (isinstance(step, int) and step > 0)) or stop is None:
        return None
    ends = [_at(v, 0) for v in (start, stop) if v is not None]
    return None if any(e is None for e in ends) else set(flat(ends))  # type: ignore[arg-type]


def _at(v: Any, more: int) -> set[Bound] | None:
    """A bound, with some rows more; None for one that counts from the end."""
    if isinstance(v, int):
        return {v + more} if v >= 0 else None
    return {add(v, constant(more, dtype="int64"))} if more else {v}


def read_steps(node: Apply, reads: Reads) -> set[Bound] | None:
    """The rows that are read of the stacks of a scan; None where all are, or where more than stacks is read."""
    op: Any = node.op
    ends = op.info.split("outer_out", node.outputs)
    stacks = [*ends["mit_sot"], *ends["sit_sot"], *ends["nit_sot"]]
    if op.info.n_mit_mot or any(v in reads for v in ends["shared"]):
        return None
    rows = [reads[v] for v in stacks if v in reads]
    return None if any(r is None for r in rows) else set(flat(rows))  # type: ignore[arg-type]


def needs_loop(v: Variable) -> bool:
    """True for a bound that a loop computes."""
    return any(isinstance(node.op, Scan) for node in toposort([v]))
