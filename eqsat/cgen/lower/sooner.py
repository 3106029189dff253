"""Sums inside a step, in the order in which their terms are there: what the step before has just computed comes last.

A step waits for the one before. In ``0.6*s + 0.3*r + x`` only the last addition has to, where s is the newest state. No term
is rounded more often than some term of the sum as written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from heapq import heapify, heappop, heappush
from typing import Any

from eqsat.cgen.ir.nest import Computed, Nest, Read, Value, args_of, with_args
from eqsat.graph.declare import OPS

EARLY = -1e9  # the time at which what does not change in a loop is there
STEP = 1e3  # the time between two steps
PLAIN = 4.0  # time of an operation


def sooner(nest: Nest, time: Callable[[str], float]) -> tuple[Nest, dict[str, float]]:
    """A nest whose sums are as early as they can be, by the times of its operands; and the times of what it writes."""
    sums = _Sums(nest, time)
    return sums.nest(), sums.written()


class _Sums:
    """The values of a nest while its sums are ordered; numbers are those of the new nest."""

    def __init__(self, nest: Nest, time: Callable[[str], float]) -> None:
        self.old, self.time = nest, time
        self.uses = Counter(a for v in nest.values for a in args_of(v))
        self.uses.update([root for root, _ in nest.stores] + [f.root for f in nest.folds])
        self.values: list[Value] = []
        self.times: list[float] = []
        self.number: dict[int, int] = {}  # of an old value
        inner = {a for v in nest.values if _is_sum(v) for a in args_of(v) if self._goes_into(a, v)}
        for k, value in enumerate(nest.values):
            if k not in inner:
                self.number[k] = self._added(k) if _is_sum(value) else self._kept(value)

    def nest(self) -> Nest:
        """The new nest."""
        for value in list(self.values):
            self._keep_apart(value)
        stores = tuple((self.number[root], operand) for root, operand in self.old.stores)
        folds = tuple(replace(f, root=self.number[f.root]) for f in self.old.folds)
        return replace(self.old, values=tuple(self.values), stores=stores, folds=folds)

    def _keep_apart(self, value: Value) -> None:
        """Round a product by itself that is there before what it is added to: one operation less then comes after that."""
        if not isinstance(value, Computed) or value.op is None or value.dtype not in ("float32", "float64"):
            return
        if not _adds(value.op.declaration) or len(value.args) != 2 or -1 in value.args:
            return
        a, b = value.args
        for k, other in ((a, b), (b, a)):
            product = self.values[k]
            if isinstance(product, Computed) and self._is_product(k) and self._start(other) >= self.times[k]:
                self.values[k] = replace(product, apart=True)

    def _is_product(self, number: int) -> bool:
        value = self.values[number]
        return isinstance(value, Computed) and value.op is not None and value.op.name in _products()

    def _start(self, number: int) -> float:
        """The time of a value; that of its operands for a product, which is one operation with the addition."""
        return self._latest(args_of(self.values[number])) if self._is_product(number) else self.times[number]

    def written(self) -> dict[str, float]:
        """The times of what the nest writes."""
        found = {self.old.operands[o].pointer: self.times[self.number[root]] for root, o in self.old.stores}
        more = {
            self.old.operands[f.operand].pointer: self.times[self.number[f.root]] + 4 * PLAIN
            for f in self.old.folds
        }
        return found | more

    def _goes_into(self, number: int, total: Value) -> bool:
        """True for a sum that only another sum of the same kind reads."""
        value = self.old.values[number] if number >= 0 else None
        return (
            isinstance(value, Computed)
            and isinstance(total, Computed)
            and value.op is not None
            and value.op == total.op
            and (value.dtype, value.of) == (total.dtype, total.of)
            and self.uses[number] == 1
        )

    def _kept(self, value: Value) -> int:
        args = tuple(self.number[a] if a >= 0 else -1 for a in args_of(value))
        if isinstance(value, Read):
            time = max(self.time(self.old.operands[value.operand].pointer), self._latest(args))
            return self._new(with_args(value, args), time)
        if not isinstance(value, Computed):
            return self._new(with_args(value, args), self._latest(args))
        cost = getattr(value.op.declaration.cost, "flops", PLAIN) if value.op is not None else PLAIN
        return self._new(replace(value, args=args), self._latest(args) + max(PLAIN, float(cost)))

    def _new(self, value: Value, time: float) -> int:
        self.values.append(value)
        self.times.append(time)
        return len(self.values) - 1

    def _latest(self, args: tuple[int, ...]) -> float:
        return max((self.times[a] for a in args if a >= 0), default=EARLY)

    def _added(self, number: int) -> int:
        """The number of a sum: the two terms that are there first are added, again and again."""
        total = self.old.values[number]
        assert isinstance(total, Computed)
        terms, stack = [], [*reversed(total.args)]
        while stack:
            k = stack.pop()
            value = self.old.values[k]
            if self._goes_into(k, total):
                stack += reversed(args_of(value))
            else:
                terms.append(self.number[k])
        if len(terms) == 2:
            return self._new(replace(total, args=tuple(terms)), self._latest(tuple(terms)) + PLAIN)
        waiting = [(self._start(k), place, k) for place, k in enumerate(terms)]
        heapify(waiting)
        while True:
            first, place, a = heappop(waiting)
            second, other, b = heappop(waiting)
            if place > other:
                a, b = b, a
            made = self._new(replace(total, args=(a, b)), max(first, second) + PLAIN)
            if not waiting:
                return made
            heappush(waiting, (self.times[made], min(place, other), made))


@cache
def _products() -> frozenset[str]:
    """The ops that repeat a sum."""
    return frozenset(d.repeats for d in OPS.values() if d.associative and _adds(d))


def _is_sum(value: Value) -> bool:
    """True for an addition of floating numbers: it is associative, and linear in all that it adds."""
    if not isinstance(value, Computed) or value.op is None or value.dtype not in ("float32", "float64"):
        return False
    d = value.op.declaration
    return (
        bool(d.associative and d.commutative and _adds(d)) and len(value.args) == 2 and -1 not in value.args
    )


def _adds(declaration: Any) -> bool:
    """True for an op that is linear in two operands together, as a sum is; a product is in each by itself."""
    return len(declaration.linear.split()) == 2 and "," not in declaration.linear
