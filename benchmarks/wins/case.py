"""A row: an expression as people write it, the cheapest form that is known of it, and what must hold of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import eqsat.tensor as T

Pair = Callable[[], tuple[Any, Any]]


def known(name: str, *shape: int, dtype: str = "float64") -> Any:
    """A variable of known lengths."""
    return T.TensorType(dtype, shape)(name)


@dataclass(frozen=True)
class Case:
    """``make`` gives the expression as written and its optimum, each an output or a list of outputs.

    ``option`` names the rules that reach the optimum where the default rules must leave what is written alone.
    ``values`` says what inputs are drawn: "any" around 0, "positive", "small" around 0, or "offset", far from 0 and
    close together. ``finite`` asks that results are finite, and those of the optimum, where inputs are extreme too.
    """

    name: str
    make: Pair
    section: str = ""
    tags: frozenset[str] = frozenset()
    option: str = ""
    values: str = "any"
    finite: bool = False


@dataclass(frozen=True)
class Group:
    """Spellings of one function of some inputs, with its meaning in extended precision; points are kinds and sizes."""

    name: str
    inputs: Sequence[Any]
    truth: Callable[..., Any]
    spellings: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    points: Sequence[tuple[str, float]] = (("any", 1.0), ("any", 1e-8), ("any", 800.0))


def case(name: str, make: Pair, *tags: str, **fields: Any) -> Case:
    """A case with its tags as words."""
    return Case(name, make, tags=frozenset(tags), **fields)
