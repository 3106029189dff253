"""The body of a block without its loops, where they are short: each turn is written out with the counter's number in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from eqsat.cgen.ir.expressions import (
    TESTS,
    Binary,
    Expression,
    Int,
    Name,
    Select,
    binary,
    both,
    either,
    select,
)
from eqsat.cgen.ir.operand import Element, Memory
from eqsat.cgen.ir.statements import (
    Assign,
    Check,
    For,
    If,
    Let,
    Parallel,
    Row,
    Statement,
    Stop,
    Store,
)

MOST = 64  # statements

Known = Mapping[str, Expression]


class _TooLong(Exception):
    """The statements are too many, or some of them cannot be written out."""


def written_out(statements: Iterable[Statement], step: int) -> list[Statement] | None:
    """Few statements without loops that do what a block does, and end the call at a step; None where they would be many."""
    writer = _Writer(step)
    try:
        return writer.all(statements, {})
    except _TooLong:
        return None


class _Writer:
    """Counts what it writes out."""

    def __init__(self, step: int) -> None:
        self.step, self.count = step, 0

    def all(self, statements: Iterable[Statement], known: Known) -> list[Statement]:
        found: list[Statement] = []
        for s in statements:
            self.count += 1
            if self.count > MOST:
                raise _TooLong
            found += self.one(s, known)
        return found

    def one(self, s: Statement, known: Known) -> list[Statement]:
        if isinstance(s, Parallel):
            return self._turns(
                [f"i{k}" for k in range(len(s.lengths))],
                [range(_int(n, known)) for n in s.lengths],
                s.body,
                known,
            )
        if isinstance(s, For) and not s.combined:
            turns = range(_int(s.start, known), _int(s.stop, known), _int(s.step, known))
            return self._turns([s.counter], [turns], s.body, known)
        if isinstance(s, If):
            test = replaced(s.test, known)
            if isinstance(test, Int):
                return self.all(s.body if test.value else s.otherwise, known)
            return [If(test, self.all(s.body, known), self.all(s.otherwise, known))]
        if isinstance(s, Store):
            return [Store(_element(s.element, known), replaced(s.value, known))]
        if isinstance(s, (Let, Assign)):
            return [replace(s, value=replaced(s.value, known))]
        if isinstance(s, Check):
            values = tuple(replaced(v, known) for v in s.stop.values)
            return [
                Check(
                    replaced(s.test, known),
                    Stop(s.stop.code, values, self.step if s.stop.step < 0 else s.stop.step),
                )
            ]
        if isinstance(s, Row):
            return [s]
        raise _TooLong

    def _turns(
        self, counters: Sequence[str], turns: Sequence[range], body: Sequence[Statement], known: Known
    ) -> list[Statement]:
        found: list[Statement] = []
        named = any(isinstance(s, (Let, Row)) for s in body)
        for numbers in product(*turns):
            lines = self.all(body, {**known, **dict(zip(counters, map(Int, numbers), strict=True))})
            found += [If(Int(1), lines)] if named else lines
        return found


def _int(x: Expression, known: Known) -> int:
    x = replaced(x, known)
    if not isinstance(x, Int):
        raise _TooLong
    return x.value


def replaced(x: Expression, known: Known) -> Expression:
    """An expression with numbers instead of some names; what they make of it is known."""
    if isinstance(x, Name):
        return known.get(x.name, x)
    if isinstance(x, Element):
        return _element(x, known)
    if isinstance(x, Binary):
        a, b = replaced(x.x, known), replaced(x.y, known)
        if x.op in ("&&", "||"):
            return both(a, b) if x.op == "&&" else either(a, b)
        whole = x.x.dtype == x.y.dtype == "int64" or x.op in TESTS
        return binary(x.op, a, b) if whole else replace(x, x=a, y=b)
    if isinstance(x, Select):
        return select(replaced(x.test, known), replaced(x.x, known), replaced(x.y, known))
    parts: dict[str, Any] = {}
    for name in ("x", "y", "base", "offset", "address", "number", "place"):
        part = getattr(x, name, None)
        if isinstance(part, Expression):
            parts[name] = replaced(part, known)
    for name in ("args", "items"):
        part = getattr(x, name, None)
        if isinstance(part, tuple):
            parts[name] = tuple(replaced(p, known) for p in part)
    return replace(x, **parts) if parts else x  # type: ignore[type-var]


def _element(x: Element, known: Known) -> Element:
    m = x.memory
    memory = Memory(replaced(m.address, known), m.dtype, m.n, tuple(replaced(s, known) for s in m.s), m.mask)
    return Element(memory, tuple(replaced(i, known) for i in x.index))
