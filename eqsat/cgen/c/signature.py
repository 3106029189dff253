"""Lengths of results in C, and the checks of operands, by the signature of an op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.shapes import at_run_time, bound, needs
from eqsat.lengths.expression import At, Place, evaluate


class CText:
    """Lengths as C expressions of type int64_t."""

    def __init__(self, operands: Sequence[COperand]) -> None:
        self.operands = operands

    def known(self, n: int) -> str:
        return str(n)

    def unknown(self) -> str:
        raise AssertionError("a length that only values tell has no C text of its own")

    def at(self, places: Sequence[Place]) -> str:
        """The length of the first axis, or that of another one that is a number."""
        texts = [self.operands[operand].n[axis] for operand, axis in places]
        return next((t for t in texts if t.isdigit()), texts[0])

    def value(self, operand: int) -> str:
        return f"(int64_t){self.operands[operand].scalar()}"

    def combine(self, op: str, a: str, b: str) -> str:
        if op == "min" and a.isdigit() and b.isdigit():
            return str(min(int(a), int(b)))
        if op == "min":
            return f"eq_least({a}, {b})"
        return f"({a} > {b} ? {a} : {b})" if op == "max" else f"({a} {'/' if op == '//' else op} {b})"


def c_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[Any]:
    """The lengths of the result of a block in C, or a list of them for each result."""
    found = bound(op, w.applied.inputs)
    assert found is not None, op.name
    lists = [[evaluate(n, CText(ins)) for n in lengths] for lengths in found.results]
    return lists[0] if op.declaration.outputs == 1 else lists


def emit_checks(w: CWriter, op: Any, ins: Sequence[COperand]) -> None:
    """Statements that end the call where lengths of operands do not fit the signature."""
    inputs = w.applied.inputs
    found = bound(op, inputs)
    for equal in found.equal if found is not None else ():
        first = None if equal.given is not None else equal.places[0]
        wanted = evaluate(equal.given if equal.given is not None else At(equal.places[:1]), CText(ins))
        for place in equal.places[first is not None :]:
            n = ins[place[0]].n[place[1]]
            if n != wanted:
                text = at_run_time(op, len(inputs), equal, place, first)
                w.check(f"{wanted} != {n}", "ShapeError", text, wanted, n, needs=needs(op))
