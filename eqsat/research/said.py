"""Facts of variables, from the table of facts: what they hold of, and how a rule and a user ask for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.assumptions import stated
from eqsat.errors import ArgumentError
from eqsat.research.fingerprints import special_points
from eqsat.rules.condition import Condition
from eqsat.rules.fact import FACTS
from eqsat.rules.written import comparison

ABOUT_AXES = ("x", "axes")
ABOUT_TWO = ("x", "y", "axes")
ABOUT_AXIS = ("x", "y", "axis")
ABOUT_LENGTHS = (ABOUT_AXES, ABOUT_TWO, ABOUT_AXIS)
ABOUT_VARIABLES = (("x",), ("x", "v"))  # operands of facts of a tensor alone, or of one and a number


@dataclass(frozen=True)
class Said:
    """A fact of a variable, with the number or the axes that it is about, and the name of a second variable."""

    fact: str
    numbers: tuple[Any, ...] = ()

    def beside(self, variables: Mapping[str, Any]) -> tuple[Any, ...]:
        """The operands of the fact beside the first variable."""
        return tuple(variables[n] if isinstance(n, str) else n for n in self.numbers)

    @property
    def of_axes(self) -> bool:
        """True for a fact of lengths, which says nothing of elements."""
        return FACTS[self.fact].operands in ABOUT_LENGTHS

    def holds(self, values: Any) -> Any:
        """The elements of which it is true; all for a fact of axes."""
        if self.of_axes:
            return np.ones(len(values), bool)
        meaning = FACTS[self.fact].holds
        bits = np.ascontiguousarray(values).view(f"V{values.itemsize}")  # zeros of two signs are two values
        _, first, place = np.unique(bits, return_index=True, return_inverse=True)
        return np.array([bool(meaning(v, *self.numbers)) for v in values[first].reshape(-1, 1)], bool)[place]

    def lines(self) -> list[str]:
        """The commands that state it of a node; none where it cannot be stated."""
        return stated(self.fact, ("x", *self.numbers), {"x": 0}) or []

    def text(self, name: str, names: Mapping[str, str]) -> str:
        """The Python text of this condition: a comparison, or a function of eqsat.conditions."""
        short = comparison(self.fact, *self.numbers)
        beside = (names[n] if isinstance(n, str) else repr(n) for n in self.numbers)
        return f"({name} {short})" if short else f"eqsat.conditions.{self.fact}({', '.join([name, *beside])})"


Given = tuple[tuple[str, Said], ...]  # names of variables, and what is known of them


@cache
def facts_of_elements(dtype: str, numbers: tuple[float, ...]) -> tuple[Said, ...]:
    """The facts that can be stated of a variable, and that hold of some values but not of all, those first that hold of most.

    >>> [said.fact for said in facts_of_elements("float64", ())][:4]
    ['nonzero', 'finite', 'bounded', 'nonneg']
    """
    values = special_points(dtype, 1, 0)[0]
    if values.dtype.kind == "b":  # which has no order
        return ()
    found: dict[str, tuple[float, Said]] = {}
    for name, fact in FACTS.items():
        if fact.about != "tensors" or fact.operands not in ABOUT_VARIABLES:
            continue
        for given in product(numbers, repeat=len(fact.operands) - 1):
            said = Said(name, given)
            share = float(said.holds(values).mean()) if said.lines() else 0.0
            if 0 < share < 1:
                found.setdefault("\n".join(said.lines()), (-share, said))
    return tuple(said for _, said in sorted(found.values(), key=lambda pair: pair[0]))


def of_names(facts: Sequence[Said], only: Collection[str] | None) -> list[Said]:
    """The facts that have one of some names; all where none are given.

    Errors   ArgumentError for a name that no fact has
    """
    known = sorted({said.fact for said in facts})
    for name in only or ():
        if name not in known:
            raise ArgumentError(f"discover: there is no condition named {name!r}", among=(name, known))
    return [said for said in facts if only is None or said.fact in only]


@cache
def share_of(given: Given, dtype: str) -> float:
    """The share of special points that a condition admits."""
    return float(np.prod([said.holds(special_points(dtype, 1, 0)[0]).mean() for _, said in given]))


def inside(given: Given, values: Mapping[str, Any]) -> Any:
    """The points that a condition admits."""
    count = len(next(iter(values.values())))
    return np.logical_and.reduce([np.ones(count, bool), *(said.holds(values[name]) for name, said in given)])


def condition_text(given: Iterable[tuple[str, Said]], names: Mapping[str, str]) -> str:
    """The Python text of a condition, with other names for its variables."""
    return " & ".join(said.text(names[name], names) for name, said in given)


def condition_of(given: Given, metas: Mapping[str, Any]) -> Condition:
    """The condition of a rule over metavariables."""
    found = {name: meta.meta for name, meta in metas.items()}
    return Condition(tuple((said.fact, (found[name], *said.beside(found))) for name, said in given))
