"""Graphs inside ops: each inner variable with the operand that it stands for, and the results that return in the next step."""

from __future__ import annotations

from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply


@dataclass(frozen=True)
class Port:
    """A variable of a graph inside an op, and its place among the operands, or the outputs, of the application.

    ``label`` is what it is called inside, such as x[t]; ``kind`` says in words what it is. ``variable`` is None for
    an operand that the graph does not see, such as the number of steps; ``outer`` is None for an output that is not
    one of the application's, such as the condition that ends a loop.
    """

    variable: Any
    label: str
    outer: int | None
    kind: str


@dataclass(frozen=True)
class Inside:
    """One graph inside an application; of a loop, ``steps`` is their number, and ``back`` the recurrences.

    ``back`` pairs positions of outputs with those of the inputs that are their values at an earlier step; ``until`` is
    true where a condition may end the loop before.
    """

    title: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    back: tuple[tuple[int, int], ...] = ()
    steps: Any = None
    until: bool = False

    @property
    def fixed(self) -> list[Port]:
        """The inputs that are the operand itself."""
        return [p for p in self.inputs if p.kind == FIXED]

    @property
    def results(self) -> list[Any]:
        """The variables of the outputs."""
        return [p.variable for p in self.outputs]


FIXED = "same"  # the kind of an input that is the operand itself


def insides(node: Apply) -> list[Inside]:
    """The graphs inside an application that its op describes, or that its ``inner_outputs`` are."""
    describe = getattr(node.op, "insides", None)
    if describe is not None:
        return list(describe(node))
    results = getattr(node.op, "inner_outputs", ())
    return [Inside("", (), tuple(Port(v, "", None, "output") for v in results))] if results else []
