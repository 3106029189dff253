"""Tables of indexing: lengths of axes, and the number of parts of a tensor that are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from eqsat.graph.core import Apply, Variable
from eqsat.graph.declare import OPS
from eqsat.graph.parameters import Codes

Rows = list[tuple[int, ...]]
TAKERS = ("gather", "subtensor")


REPEATED = {"fill", "alloc"}


def counts_elements(ops: Set[object]) -> bool:
    """True where a rule may ask if there is an element among those that a reduction chooses from, as in ``max(fill(x, c))``."""
    declared = (OPS.find(op) for op in ops if isinstance(op, str))
    repeats = any(isinstance(op, str) and op.partition("_")[0] in REPEATED for op in ops)
    return repeats and any(d is not None and d.reduces and OPS[d.reduces].idempotent for d in declared)


def lengths_rows(codes: Codes, variables: Sequence[Variable]) -> Rows:
    """Lengths of axes that types know, by number of the variable."""
    shapes = [getattr(v.type, "shape", ()) for v in variables]
    return [(k, lengths_code(codes, s)) for k, s in enumerate(shapes) if any(n is not None for n in s)]


def lengths_code(codes: Codes, lengths: tuple[int | None, ...]) -> int:
    """Code of the lengths of a tensor; what says nothing is negative, so that the greater code says more."""
    if all(n is None for n in lengths):
        return -1 - len(lengths)
    key = ("lengths", lengths)
    if key not in codes.numbers:
        codes.numbers[key] = len(codes.values)
        codes.values.append(lengths)
    return codes.numbers[key]


def sides_rows(variables: Sequence[Variable]) -> Rows:
    """Rows and columns of matrices, -1 where unknown, by number of the variable."""
    shapes = [(k, getattr(v.type, "shape", ())) for k, v in enumerate(variables)]
    return [(k, *(-1 if n is None else n for n in s)) for k, s in shapes if len(s) == 2]


def readers_rows(number: Mapping[Variable, int], nodes: Sequence[Apply], outputs: Sequence[Variable]) -> Rows:
    """The number of parts that are read of a tensor or of values computed from it, and whether it has one reader only."""
    readers: Counter[Variable] = Counter(outputs)
    parts: Counter[Variable] = Counter()
    for apply in reversed(nodes):
        taken = getattr(apply.op, "name", None) == "subtensor"
        count = 1 if taken else min(10**6, sum(parts[v] for v in apply.outputs))
        for v in apply.inputs[:1] if taken else apply.inputs:
            readers[v] += 1
            parts[v] += count
    return [(number[v], count, int(readers[v] == 1)) for v, count in parts.items() if count and v in number]


def kept_rows(number: Mapping[Variable, int], nodes: Sequence[Apply], outputs: Sequence[Variable]) -> Rows:
    """Values that some consumer reads completely. Moving an index inside them saves no work, so the rules tagged ``pick`` skip them."""
    kept = set(outputs)
    for apply in reversed(nodes):
        taken = getattr(apply.op, "name", None) in TAKERS
        if taken or not kept.isdisjoint(apply.outputs):
            kept.update(apply.inputs[1:] if taken else apply.inputs)
    return [(k,) for v, k in number.items() if v in kept]
