"""One e-graph for many candidates: which of them follow from rules, and whether the rules make different functions one."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.encode import Encoded
from eqsat.egraph.reading import Saturated
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.graph.tensor_type import TensorType
from eqsat.pipeline.program import MOST_MATCHES, Program, Settings
from eqsat.research.fingerprints import CLOSE
from eqsat.research.terms import NAMES, Terms
from eqsat.rules.rule import RuleSet

ROWS_PER_TERM = 40
LEAST_ROWS = 20_000
ITERATIONS = 30
ALONE = 200  # pairs in one e-graph, each with variables of its own


@dataclass(frozen=True)
class Pair:
    """A term and a smaller one of the same values; ``right`` may be a number, which then has the shape of the left side."""

    left: int
    right: int


@dataclass(frozen=True)
class Answer:
    """The pairs that stay apart, and whether the rules contradict each other."""

    apart: list[Pair]
    contradiction: bool


def asked(terms: Terms, pairs: Sequence[Pair], rules: RuleSet, seconds: float = inf) -> Answer:
    """Load both sides of all pairs, run the rules, and see which pairs stay apart.

    Terms of different values that become one contradict each other.
    """
    leaves = {name: TensorType(terms.dtype, shape=(None,))(name) for name in NAMES}
    made: dict[int, Any] = {}
    sides = [sides_of(terms, pair, leaves, made) for pair in pairs]
    outputs = [v for both in sides for v in both]
    encoded, found = saturated(outputs, rules, seconds)
    if found.refused:
        return Answer(list(pairs), True)
    classes = [found.class_of[root] for root in encoded.roots]
    apart = [p for p, a, b in zip(pairs, classes[::2], classes[1::2], strict=True) if a != b]
    stands: dict[int, set[int]] = {}
    for place, v in made.items():
        if place >= 0 and v in encoded.number:
            stands.setdefault(found.class_of[encoded.number[v]], set()).add(terms.first[place])
    return Answer(apart, any(differ([terms.rows[k] for k in firsts]) for firsts in stands.values()))


def asked_alone(terms: Terms, pairs: Sequence[Pair], rules: RuleSet, seconds: float = inf) -> list[Pair]:
    """The pairs that stay apart where each has variables of its own, so that no term of another pair serves as a step."""
    apart: list[Pair] = []
    for start in range(0, len(pairs), ALONE):
        part = pairs[start : start + ALONE]
        outputs: list[Any] = []
        for number, pair in enumerate(part):
            leaves = {n: TensorType(terms.dtype, shape=(None,))(f"{n}{number}") for n in NAMES}
            outputs += sides_of(terms, pair, leaves, {})
        classes = classes_of(outputs, rules, seconds)
        apart += [p for p, a, b in zip(part, classes[::2], classes[1::2], strict=True) if a != b]
    return apart


def classes_of(outputs: list[Any], rules: RuleSet, seconds: float) -> list[int]:
    """The classes of some graphs once the rules have run; all different where the rules contradict each other."""
    encoded, found = saturated(outputs, rules, seconds)
    return list(range(len(outputs))) if found.refused else [found.class_of[root] for root in encoded.roots]


def saturated(outputs: list[Any], rules: RuleSet, seconds: float) -> tuple[Encoded, Saturated]:
    """The e-graph of some graphs once the rules have run."""
    settings = Settings.of("FAST_RUN", rules, variants=1)
    encoded = Program(outputs, settings).encoded()
    rows = max(LEAST_ROWS, ROWS_PER_TERM * len(encoded.variables))
    return encoded, saturate(encoded, rules, Budget(rows, MOST_MATCHES, min(seconds, 1e6), ITERATIONS))


def differ(rows: list[Any]) -> bool:
    """True where two rows have two numbers at one point; where an operand is no number, rules promise nothing.

    >>> import numpy as np
    >>> differ([np.array([1.0, np.nan]), np.array([1.0, 2.0])]), differ([np.array([1.0]), np.array([2.0])])
    (False, True)
    """
    if len(rows) < 2:
        return False
    values = np.array(rows, float)
    known = np.isfinite(values)
    low, high = np.where(known, values, np.inf).min(0), np.where(known, values, -np.inf).max(0)
    some = known.any(0)
    return not np.allclose(low[some], high[some], rtol=CLOSE, atol=CLOSE)


def sides_of(terms: Terms, pair: Pair, leaves: dict[str, Any], made: dict[int, Any]) -> tuple[Any, Any]:
    """Both sides as graphs; a number becomes a tensor of the shape of the left side."""
    left = terms.graph(pair.left, leaves, made)
    number = terms.nodes[pair.right].number
    if number is None:
        return left, terms.graph(pair.right, leaves, made)
    return left, filled(leaves[terms.names[pair.left][0]], number, terms.nodes[pair.right].dtype)


def filled(like: Any, number: float, dtype: str) -> Any:
    """A number in the shape of a variable."""
    import eqsat.tensor as T

    return T.full_like(like, number, dtype=dtype)
