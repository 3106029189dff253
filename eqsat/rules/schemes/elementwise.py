"""Elementwise ops in schemes: their operands and parameters as metavariables, and the ways in which each operand may go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

from eqsat.graph.declare import Declaration
from eqsat.graph.seen import is_transparent
from eqsat.rules.condition import Condition
from eqsat.rules.facts import one_dtype
from eqsat.rules.pattern import Term, anything, parameters
from eqsat.rules.schemes.operands import applied as with_operands

MOST_MIXED = 6  # operands up to which each may go another way than the others
T = TypeVar("T")


def is_elementwise(d: Declaration) -> bool:
    """True for an op whose elements are computed each from the elements of the operands at the same place."""
    return d.kind == "elemwise" and bool(d.tensors) and is_transparent(d)


def computes(d: Declaration) -> bool:
    """True for an elementwise op that reads all its operands; a filling reads but the shape of its model."""
    return is_elementwise(d) and d.name != "fill"


def operands_of(d: Declaration, ending: str = "") -> list[Any]:
    """A metavariable for each operand."""
    return [anything(f"{'abc'[k] if k < 3 else f'a{k}'}{ending}") for k in range(len(d.tensors))]


def applied(d: Declaration, operands: Sequence[Any]) -> Term:
    """The op of some patterns, with any parameters."""
    return with_operands(d, *operands, **{name: parameters(f"par_{name}") for name in d.parameters})


def one_type(d: Declaration, place: int, x: Any, y: Any) -> Condition | None:
    """Two operands at one place have one dtype; None where they must, since the results have: casts, tests and ``abs`` take any."""
    letters, _, out = d.signature.partition("->")
    told = letters.split(",")[place] == out and out in "tnfi" and not d.real_result
    return None if told else one_dtype(x, y)


def mixtures(d: Declaration, ways: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Every choice of a way for each operand, of operands that may change places one order."""
    count = len(d.tensors)
    if count > MOST_MIXED:
        yield from ((way,) * count for way in ways)
        return
    for places in product(range(len(ways)), repeat=count):
        if not d.commutative or list(places) == sorted(places):
            yield tuple(ways[k] for k in places)
