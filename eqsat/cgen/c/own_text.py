"""The builders of ops in C: those of the loop program, and for ops of the user that give C text, their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.builders import Builder, beside, builder
from eqsat.cgen.builders.signature import lengths_by_signature
from eqsat.cgen.c.expressions import address, c_text
from eqsat.cgen.c.operand import COperand, CView
from eqsat.cgen.c.statements import stop_text
from eqsat.cgen.ir.expressions import Expression, Int, Name, Text
from eqsat.cgen.ir.operand import Memory
from eqsat.graph.core import Apply


def fact(declaration: Any, name: str, default: Any = None) -> Any:
    """A fact that the builder of a view or block states about itself."""
    return getattr(builder_of(declaration), name, default)


def builder_of(declaration: Any) -> Builder | None:
    """The builder of a view or block: its own C text, else what it names; None for an op that runs in Python."""
    if declaration.c is not None:
        return _written(declaration.c)
    return builder(declaration.builder) if declaration.builder else None


def lengths_of(declaration: Any) -> Builder:
    """The function that gives the lengths of the results of a block: its own, else what follows from its signature."""
    if declaration.dims is not None:
        return _lengths_written(declaration.dims)
    return beside(declaration.builder, "_lengths") or lengths_by_signature


def room_of(declaration: Any) -> Builder | None:
    """The function that gives the size of the working memory of a block, if it has one."""
    if declaration.scratch is not None:
        return _room_written(declaration.scratch)
    return beside(declaration.builder, "_room")


class TextWriter:
    """The ``CWriter`` that an op's own C text is given; ``w`` collects statements."""

    def __init__(self, w: Any) -> None:
        self.w = w

    @property
    def applied(self) -> Apply:
        return self.w.applied  # type: ignore[no-any-return]

    def fresh(self, hint: str) -> str:
        return str(self.w.fresh(hint))

    def emit(self, text: str) -> None:
        self.w.emit(text)

    def define(self, hint: str, expression: str) -> str:
        return c_text(self.w.define(hint, _value_of(expression)))

    def fail(self, error: str, message: str, *values: str, needs: str | None = None) -> str:
        return stop_text(self.w.fail(error, message, *map(_value_of, values), needs=needs))

    def check(self, test: str, error: str, message: str, *values: str, needs: str | None = None) -> None:
        self.w.check(_value_of(test), error, message, *map(_value_of, values), needs=needs)


def _value_of(text: str) -> Expression:
    """C text as a value of the loop program."""
    return Int(int(text)) if text.isdigit() else Name(text) if text.isidentifier() else Text(text)


def _shown(x: Memory) -> COperand:
    """An operand in C."""
    pointer = address(x.address, x.dtype)
    return COperand(pointer, x.dtype, tuple(map(c_text, x.n)), tuple(c_text(s, 1) for s in x.s))


def _written(build: Callable[..., Any]) -> Callable[..., Any]:
    """A builder of what an op of the user gives as C text: of a block, or of a view."""

    def of_block(w: Any, op: Any, ins: Sequence[Memory], *outs: Any) -> Any:
        operands = [*map(_shown, ins)]
        results = [[*map(_shown, o)] if isinstance(o, list) else _shown(o) for o in outs]
        found = build(TextWriter(w), op, operands, *results[:1])
        if not isinstance(found, CView):
            return found
        pointer = ins[0].address if found.ptr == operands[0].ptr else Text(found.ptr)
        return Memory(pointer, ins[0].dtype, tuple(map(_value_of, found.n)), tuple(map(_value_of, found.s)))

    vars(of_block).update(getattr(build, "__dict__", {}))
    return of_block


def _lengths_written(lengths: Callable[..., Any]) -> Callable[..., Any]:
    """The lengths that an op of the user gives as C text."""

    def of_results(w: Any, op: Any, ins: Sequence[Memory]) -> Any:
        found = lengths(TextWriter(w), op, [*map(_shown, ins)])
        if op.declaration.outputs == 1:
            return [*map(_value_of, found)]
        return [[*map(_value_of, n)] for n in found]

    return of_results


def _room_written(room: Callable[..., Any]) -> Callable[..., Any]:
    """The working memory for which an op of the user asks in C text."""
    return lambda op, ins, out: _value_of(room(op, [*map(_shown, ins)], _shown(out)))
