"""Parts that the files of points share: facts of a rule that hold for all of its points, and one of some values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from eqsat.graph.declare import OPS
from eqsat.rules.rule import Rule

Found = TypeVar("Found")


def of_rule(function: Callable[[Rule], Found]) -> Callable[[Rule], Found]:
    """A function of a rule that keeps its last result: the many points of a rule are drawn one after another."""
    kept: tuple[Rule | None, int, Any] = (None, 0, None)

    @wraps(function)
    def found(rule: Rule) -> Found:
        nonlocal kept
        last = kept
        if last[0] is not rule or last[1] != OPS.version:
            last = kept = (rule, OPS.version, function(rule))
        result: Found = last[2]
        return result

    return found


def one_of(rng: Any, values: Sequence[Found]) -> Found:
    """One of some values, the one that ``rng.choice`` draws, without an array of them."""
    return values[int(rng.integers(0, len(values)))]
