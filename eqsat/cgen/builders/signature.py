"""Lengths of results, and the checks of operands, by the signature of an op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Cast, Expression, Int, binary, least, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.graph.shapes import at_run_time, bound, needs
from eqsat.lengths.expression import At, Place, evaluate


class Values:
    """Lengths as values of the loop program."""

    def __init__(self, operands: Sequence[Memory]) -> None:
        self.operands = operands

    def known(self, n: int) -> Expression:
        return Int(n)

    def unknown(self) -> Expression:
        raise AssertionError("a length that only values tell is in no signature")

    def at(self, places: Sequence[Place]) -> Expression:
        """The length of the first axis, or that of another one that is a number."""
        found = [self.operands[operand].n[axis] for operand, axis in places]
        return next((n for n in found if isinstance(n, Int)), found[0])

    def value(self, operand: int) -> Expression:
        return as_int(self.operands[operand].scalar())

    def combine(self, op: str, a: Expression, b: Expression) -> Expression:
        if op == "min":
            return least(a, b)
        return select(a > b, a, b) if op == "max" else binary("/" if op == "//" else op, a, b)


def as_int(x: Expression) -> Expression:
    """A number as an int64."""
    return x if x.dtype == "int64" else Cast("int64", x)


def lengths_by_signature(w: Any, op: Any, ins: Sequence[Memory]) -> list[Any]:
    """The lengths of the result of a block, or a list of them for each result."""
    found = bound(op, w.applied.inputs)
    assert found is not None, op.name
    lists = [[evaluate(n, Values(ins)) for n in lengths] for lengths in found.results]
    return lists[0] if op.declaration.outputs == 1 else lists


def emit_checks(w: Any, op: Any, ins: Sequence[Memory]) -> None:
    """Statements that end the call where lengths of operands do not fit the signature."""
    inputs = w.applied.inputs
    found = bound(op, inputs)
    for equal in found.equal if found is not None else ():
        first = None if equal.given is not None else equal.places[0]
        wanted = evaluate(equal.given if equal.given is not None else At(equal.places[:1]), Values(ins))
        for place in equal.places[first is not None :]:
            n = ins[place[0]].n[place[1]]
            if n != wanted:
                text = at_run_time(op, len(inputs), equal, place, first)
                w.check(ne(wanted, n), "ShapeError", text, wanted, n, needs=needs(op))
