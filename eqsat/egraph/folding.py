"""Constants folded in an e-graph: what an op gives of known numbers is one more form of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from eqsat.egraph.adapter import Frozen, Session
from eqsat.egraph.encode import Encoded, is_exact, is_finite
from eqsat.egraph.fillings import Fillings
from eqsat.egraph.schema import constructor
from eqsat.graph.declare import OPS, coded_op
from eqsat.graph.dtypes import ALL, CODE
from eqsat.graph.parameters import Codes

NUM = "Num"


class Folder:
    """Computes ops on known numbers with their NumPy meaning and tells the e-graph that they are equal.

    ``wake`` adds the rules that read some tables: of ops that only rules have made, nothing has been loaded before.
    """

    def __init__(self, encoded: Encoded, ops: set[str], wake: Callable[[Iterable[str]], object]) -> None:
        self.next = len(encoded.variables)
        self.ops, self.wake = ops, wake
        self.fillings = Fillings(encoded)
        self.done: set[tuple[Any, ...]] = set()

    def fold(self, session: Session, frozen: Frozen) -> bool:
        """Add what can be computed; True where something was added."""
        numbers: dict[int, tuple[Any, ...]] = {}
        for r in frozen.rows(NUM):
            if isfinite(r.inputs[0]):
                numbers.setdefault(r.output, tuple(r.inputs))
        tables: dict[str, list[tuple[Any, ...]]] = {}
        for name in sorted(self.ops):
            if OPS[name].kind not in ("elemwise", "reduce") or name == "fill":
                continue
            arity = len(OPS[name].tensors)
            for r in frozen.rows(constructor(name)):
                children, params = tuple(r.inputs[:arity]), tuple(r.inputs[arity:])
                if r.output not in numbers and all(c in numbers for c in children):
                    self.add(tables, name, [numbers[c] for c in children], params)
        self.next = self.fillings.rows(tables, frozen, self.next)
        if tables:
            session.load(tables)
            self.wake(tables)
            session.saturate("load")
        return bool(tables)

    def add(
        self, tables: Any, name: str, operands: Sequence[tuple[Any, ...]], params: tuple[int, ...]
    ) -> None:
        """Rows that say what one op of numbers is equal to."""
        key = (name, tuple(map(str, operands)), params)
        value = None if key in self.done else folded(name, operands, params)
        self.done.add(key)
        if value is None:
            return
        first = self.next
        self.next += len(operands) + 2
        for i, number in enumerate(operands):
            tables.setdefault("in_num", []).append((first + i, *number))
        made, result = first + len(operands), first + len(operands) + 1
        tables.setdefault(f"in_{name}", []).append((made, *range(first, made), *params))
        tables["in_num"].append((result, *value))
        tables.setdefault("in_same", []).append((made, result))


def folded(name: str, operands: Sequence[tuple[Any, ...]], params: tuple[int, ...]) -> tuple[Any, ...] | None:
    """The number that an op of numbers gives, as a row of ``Num``; None where it cannot be one."""
    op = coded_op(name, params, Codes())
    arrays = [number_value(o) for o in operands]
    try:
        result = np.asarray(op.compute(*arrays))
    except Exception:  # an op that refuses these numbers stays as it is and says so when it runs
        return None
    value = result.reshape(-1)[0]
    if result.dtype.name not in CODE or not is_exact(value) or not is_finite(value):
        return None
    tag = int(result.dtype.kind == "f" and value == 0 and bool(np.signbit(value)))
    return (float(value), tag, CODE[result.dtype.name], result.ndim)


def number_value(row: Sequence[Any]) -> Any:
    """NumPy array of a ``Num`` row: value, sign of zero, dtype, ndim."""
    value, tag, dtype, ndim = row
    number = -0.0 if tag else value
    name = ALL[dtype]
    return np.full((1,) * ndim, number if name.startswith("float") else int(number), name)
