"""Conditions of rules: facts that must be known of metavariables, joined by ``&`` and ``|``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.declare import DeclaredOp

ALL_AXES = tuple(range(30))  # a fact about them is one about those that a tensor has
EITHER = "either"  # in place of a fact: its operands are conditions, of which one must be known


@dataclass(frozen=True)
class Condition:
    """Something that must be known of metavariables; ``&`` joins conditions, of those joined by ``|`` one must be known.

    ``facts`` are names and operands; rules/facts.py says what they mean. The operands of ``EITHER`` are conditions.
    ``rest`` holds comparisons of tensors, which are read when a rule takes the condition (rules/written.py).
    """

    facts: tuple[tuple[str, tuple[Any, ...]], ...]
    rest: tuple[Any, ...] = ()

    def __and__(self, other: Any) -> Condition:
        if not isinstance(other, Condition):
            return Condition(self.facts, (*self.rest, other))
        return Condition(self.facts + other.facts, self.rest + other.rest)

    def __or__(self, other: Any) -> Condition:
        return Condition(((EITHER, (self, other)),))

    __ror__ = __or__

    def __invert__(self) -> Condition:
        raise RuleError(
            f"the e-graph never knows that {self} does not hold",
            needs="a comparison after ~, or the opposite fact",
        )

    def every(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """The facts, and those among which one must be known."""
        for name, args in self.facts:
            if name != EITHER:
                yield name, args
            for one in args if name == EITHER else ():
                yield from one.every()

    def choices(self) -> list[Condition]:
        """The conditions without ``|`` of which one must be known."""
        made: list[tuple[Any, ...]] = [()]
        for name, args in self.facts:
            more = [c.facts for one in args for c in one.choices()] if name == EITHER else [((name, args),)]
            made = [before + after for before in made for after in more]
        return [Condition(facts) for facts in made]

    def __bool__(self) -> bool:
        raise RuleError(
            f"the condition {self} has no truth value", needs="conditions joined by &, not by and"
        )

    def _apply_op(self, op: DeclaredOp, args: tuple[Any, ...]) -> Condition:
        other = next((a for a in args if a is not self), self)
        if op.name not in ("and", "or"):
            raise RuleError(f"conditions are joined by & and |, not by {op.name}")
        return self & other if op.name == "and" else self | other

    def __str__(self) -> str:
        return " and ".join(
            f"({' or '.join(map(str, args))})"
            if name == EITHER
            else f"{name}({', '.join(map(_operand_text, args))})"
            for name, args in self.facts
        )


def _operand_text(operand: Any) -> str:
    return "all axes" if isinstance(operand, tuple) and operand == ALL_AXES else str(operand)
