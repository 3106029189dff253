"""The writers that builders of ops are given: statements of the loop program, in order and nested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from eqsat.cgen.ir.expressions import ZERO, Expression, Int, Name, expression
from eqsat.cgen.ir.operand import Element, Memory
from eqsat.cgen.ir.statements import (
    Assign,
    Call,
    Check,
    For,
    If,
    Joining,
    Let,
    Parallel,
    Rooms,
    Row,
    Statement,
    Stop,
    Store,
)
from eqsat.graph.core import Apply


class ViewWriter(Protocol):
    """The writer that the builder of a view is given."""

    @property
    def applied(self) -> Apply:
        """The application that is written."""

    def define(self, hint: str, value: Expression | int) -> Expression:
        """A name for an integer that does not change."""

    def check(
        self, test: Expression, error: str, message: str, *values: Expression | int, needs: str | None = None
    ) -> None:
        """Append a check that ends the call with an error, as of ``fail``, where a test holds."""


class BodyWriter:
    """Collects the statements of a block; those appended inside ``with w.loop(...)`` and its kin are its body."""

    lines: list[Statement]
    counters: tuple[str, ...] = ()  # of the loops around
    by_places = False  # for a target whose threads each take a place of a space: plain loops serve it best
    _test: Expression  # of the ``when`` before

    @property
    def applied(self) -> Apply:
        """The application that is written."""
        raise NotImplementedError

    def fresh(self, hint: str) -> str:
        """A name that is not in use."""
        raise NotImplementedError

    def fail(self, error: str, message: str, *values: Expression | int, needs: str | None = None) -> Stop:
        """The end of the call with an error.

        ``error`` names a class of eqsat.errors, or MemoryError; ``{0}``, ``{1}`` in ``message`` become the run-time values.
        """
        raise NotImplementedError

    def each(self, operands: Sequence[Memory]) -> Iterator[tuple[Expression, Memory]]:
        """Number and operand of each in turn; of many, one stands for all in the body of a loop over them.

        All have one dtype and rank. What changes from one to the next is a ``running`` number.
        """
        raise NotImplementedError

    def running(self, hint: str) -> Running:
        """A number that begins with 0 and changes from one operand to the next."""
        raise NotImplementedError

    def emit(self, statement: Statement) -> None:
        """Append a statement."""
        self.lines.append(statement)

    def check(
        self, test: Expression, error: str, message: str, *values: Expression | int, needs: str | None = None
    ) -> None:
        """Append a check that ends the call with an error, as of ``fail``, where a test holds."""
        if test != ZERO:
            self.emit(Check(test, self.fail(error, message, *values, needs=needs)))

    def define(self, hint: str, value: Expression | int) -> Expression:
        """A name for an integer that does not change; a number or name as it is."""
        return self.let(self.fresh(hint), expression(value))

    def let(self, name: str, value: Expression) -> Expression:
        """A name for a value that does not change."""
        if isinstance(value, (Int, Name)):
            return value
        self.emit(Let(name, value.dtype, value))
        return Name(name, value.dtype)

    def variable(self, name: str, value: Expression | int, dtype: str = "int64") -> Name:
        """A variable, which ``assign`` changes."""
        self.emit(Let(name, dtype, expression(value), variable=True))
        return Name(name, dtype)

    def assign(self, variable: Name, value: Expression | int) -> None:
        """Give a variable another value."""
        self.emit(Assign(variable.name, expression(value)))

    def store(self, element: Element, value: Expression | int) -> None:
        """Write an element."""
        self.emit(Store(element, expression(value)))

    @contextmanager
    def loop(
        self,
        counter: str,
        stop: Expression | int,
        start: Expression | int = 0,
        step: Expression | int = 1,
        running: Callable[[Name], Joining] | None = None,
    ) -> Iterator[Name]:
        """Statements for each value of a counter, in order; it has another name where a loop around has this one.

        In a ``running`` one a variable is joined with one value at each place, and nothing else goes from place to place.
        """
        name = self._counter(counter)
        with self._inside(name) as body:
            yield name
        joining = None if running is None else running(name)
        self.emit(
            For(name.name, expression(stop), body, expression(start), expression(step), running=joining)
        )

    @contextmanager
    def vector(
        self, lengths: Sequence[Expression], *combined: tuple[str, Name], index: str = "i"
    ) -> Iterator[list[Name]]:
        """Statements for each place of a space, whose order matters for the ``combined`` variables alone: by max or +."""
        with self.loops(lengths[:-1], index) as counters:
            last = [self._counter(f"{index}{len(lengths) - 1}")] if lengths else []
            with self._inside(*last) as body:
                yield [*counters, *last]
            names = tuple((how, variable.name) for how, variable in combined)
            if last:
                self.emit(For(last[0].name, lengths[-1], body, vector=True, combined=names))
            else:
                self.lines += body

    @contextmanager
    def loops(self, lengths: Sequence[Expression], index: str = "i", first: int = 0) -> Iterator[list[Name]]:
        """Statements for each place of a space, in order, at the counters i0, i1 ... from the number ``first`` on.

        A counter has another name where a loop around has this one.
        """
        counters = [self._counter(f"{index}{first + k}") for k in range(len(lengths))]
        with self._inside(*counters) as body:
            yield counters
        for counter, n in zip(reversed(counters), reversed(lengths), strict=True):
            body = [For(counter.name, n, body)]
        self.lines += body

    @contextmanager
    def parallel(self, lengths: Sequence[Expression]) -> Iterator[list[Name]]:
        """Statements for each place of a space, at the counters i0, i1 ...; no place may need what another one does.

        Inside a loop that has one of these counters it is ``loops``.
        """
        counters = [Name(f"i{k}") for k in range(len(lengths))]
        if not {c.name for c in counters}.isdisjoint(self.counters):
            with self.loops(lengths) as fresh:
                yield fresh
            return
        with self._inside(*counters) as body:
            yield counters
        self.emit(Parallel(tuple(lengths), body))

    @contextmanager
    def when(self, test: Expression) -> Iterator[None]:
        """Statements that run where a test holds."""
        with self._inside() as body:
            yield
        self._test = test
        if isinstance(test, Int):
            self.lines += body if test.value else []
        else:
            self.emit(If(test, body))

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Statements that run where the test of the ``when`` before does not hold."""
        test = self._test
        with self._inside() as body:
            yield
        if isinstance(test, Int):
            self.lines += [] if test.value else body
        else:
            before: Any = self.lines.pop()
            self.emit(If(test, before.body, body))

    def row(self, name: str, dtype: str, count: int) -> Memory:
        """A few elements that live as long as the body they stand in."""
        self.emit(Row(name, dtype, count))
        return Memory(Name(name), dtype, (Int(count),), (Int(1),), (False,))

    def call(
        self,
        function: str,
        dtype: str,
        *args: Expression | int,
        stops: Sequence[Stop] = (),
        result: Name | None = None,
    ) -> None:
        """Call a library function, which ends the call with one of ``stops`` where it does not give 0; or a ``result`` takes it."""
        name = "" if result is None else result.name
        self.emit(Call(function, dtype, tuple(map(expression, args)), tuple(stops), name))

    @contextmanager
    def rooms(self, missing: Stop, *rooms: tuple[str, str, Expression]) -> Iterator[list[Memory]]:
        """Statements that have memory for themselves: name, dtype and number of elements of each."""
        with self._inside() as body:
            yield [Memory(Name(name), dtype, (size,), (Int(1),), (False,)) for name, dtype, size in rooms]
        self.emit(Rooms(rooms, missing, body))

    def _counter(self, name: str) -> Name:
        return Name(self.fresh(name) if name in self.counters else name)

    @contextmanager
    def _inside(self, *counters: Name) -> Iterator[list[Statement]]:
        """Collect the statements of a body, where these counters are set."""
        around, outer = self.lines, self.counters
        self.lines, self.counters = [], (*outer, *(c.name for c in counters))
        yield self.lines
        self.lines, self.counters = around, outer


class Running:
    """An integer that changes from one operand to the next, as an offset does; ``value`` is its present value."""

    def __init__(self, w: BodyWriter, hint: str, in_loop: bool) -> None:
        self.w, self.hint, self.in_loop = w, hint, in_loop
        self.value: Expression = w.variable(w.fresh(hint), 0) if in_loop else ZERO

    def become(self, value: Expression) -> None:
        """Give it the value of an expression."""
        if isinstance(self.value, Name) and self.in_loop:
            self.w.assign(self.value, value)
        else:
            self.value = self.w.define(self.hint, value)


def total_length(w: BodyWriter, operands: Sequence[Memory], axis: int) -> Expression:
    """The sum of the lengths of operands along an axis."""
    total = w.running("n")
    for _, x in w.each(operands):
        if total.in_loop:
            total.become(total.value + x.n[axis])
        else:
            total.value = total.value + x.n[axis]
    return total.value
