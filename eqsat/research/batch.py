"""One e-graph for many candidates: which of them follow from rules, and whether the rules make different functions one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.assumptions import stated
from eqsat.egraph.encode import Encoded
from eqsat.egraph.reading import Saturated
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.errors import EqsatError
from eqsat.graph.constant import constant
from eqsat.pipeline.program import MOST_MATCHES, Program, Settings
from eqsat.research.fingerprints import CLOSE
from eqsat.research.said import Given, inside
from eqsat.research.terms import Table
from eqsat.rules.rule import RuleSet

ROWS_PER_TERM = 40
LEAST_ROWS = 20_000
ITERATIONS = 30


@dataclass(frozen=True)
class Pair:
    """A term and a smaller one of the same values, and what is known of variables where these are equal.

    ``right`` may be a number, which then has the shape of the left side.
    """

    left: int
    right: int
    given: Given = ()


@dataclass(frozen=True)
class Answer:
    """The pairs that stay apart, by their places in the list of pairs, and whether the rules contradict each other."""

    apart: list[int]
    contradiction: bool


@dataclass(frozen=True)
class Question:
    """Pairs of terms, rules from which they may follow, and the seconds that may be spent."""

    terms: Table
    pairs: Sequence[Pair]
    rules: RuleSet
    variables: Mapping[str, Any]  # values of the variables, where the rows of terms are computed
    seconds: float = inf


def asked(question: Question) -> Answer:
    """Load both sides of all pairs, each over variables of its own, run the rules, and see which pairs stay apart.

    No term of another pair serves as a step. Terms of different values that become one contradict each other.
    """
    terms, pairs = question.terms, question.pairs
    outputs: list[Any] = []
    known: list[tuple[str, tuple[Any, ...]]] = []
    made: list[dict[int, Any]] = []
    for number, pair in enumerate(pairs):
        leaves = terms.leaves(number)
        made.append({})
        outputs += sides_of(terms, pair, leaves, made[-1])
        known += [(said.fact, (leaves[name], *said.beside(leaves))) for name, said in pair.given]
    encoded, found = saturated(outputs, known, question.rules, question.seconds)
    if found.refused:
        return Answer(list(range(len(pairs))), True)
    apart = sides_apart(encoded, found)
    apart += apart_where_repeated(question, sorted({*range(len(pairs))} - {*apart}))
    return Answer(sorted(apart), contradicts(question, encoded, found, made))


def apart_where_repeated(question: Question, places: Sequence[int]) -> list[int]:
    """The pairs without a condition whose sides are one where no length is 1, and stay apart where some are and are repeated.

    A rule whose condition speaks of lengths does not imply one that holds of all.
    """
    terms = question.terms
    outputs: list[Any] = []
    of_pairs: list[int] = []
    for names in some_of(terms):
        for k in places:
            pair = question.pairs[k]
            used = {n for side in (pair.left, pair.right) for n in terms.names[side]}
            if not pair.given and 0 < len(used & names.keys()) < len(used):  # else they are asked already
                with suppress(EqsatError):  # lengths that have to be equal
                    outputs += sides_of(terms, pair, terms.leaves(len(of_pairs), names), {})
                    of_pairs.append(k)
    if not of_pairs:
        return []
    encoded, found = saturated(outputs, [], question.rules, question.seconds)
    if found.refused:
        return []
    return sorted({of_pairs[n] for n in sides_apart(encoded, found)})


def sides_apart(encoded: Encoded, found: Saturated) -> list[int]:
    """The places of the pairs of roots that are not one class."""
    classes = [found.class_of[root] for root in encoded.roots]
    return [n for n in range(len(classes) // 2) if classes[2 * n] != classes[2 * n + 1]]


def some_of(terms: Table) -> Iterator[dict[str, int]]:
    """Every second variable of matrices or more, with its last axis, and every second pair of them with its first one."""
    names = [name for name, (_, ndim) in terms.kinds.items() if ndim]
    yield {name: -1 for k, name in enumerate(names) if k % 2}
    yield {name: 0 for k, name in enumerate(names) if k % 4 > 1}


def contradicts(question: Question, encoded: Encoded, found: Saturated, made: list[dict[int, Any]]) -> bool:
    """True where terms of different values are of one class."""
    terms = question.terms
    rows: dict[int, list[Any]] = {}
    for pair, some in zip(question.pairs, made, strict=True):
        given = tuple(one for one in pair.given if not one[1].of_axes)
        mask = inside(given, question.variables) if given else True
        for place, v in some.items():
            if v in encoded.number:
                row = np.where(mask, terms.rows[terms.first[place]], np.nan)
                rows.setdefault(found.class_of[encoded.number[v]], []).append(row)
    return any(differ(some) for some in rows.values())


def saturated(
    outputs: list[Any], known: Sequence[tuple[str, tuple[Any, ...]]], rules: RuleSet, seconds: float
) -> tuple[Encoded, Saturated]:
    """The e-graph of some graphs, of whose variables facts are known, once the rules have run."""
    settings = Settings.of("FAST_RUN", rules, variants=1)
    encoded = Program(outputs, settings).encoded()
    told = [line for name, operands in known for line in stated(name, operands, encoded.number) or ()]
    rows = max(LEAST_ROWS, ROWS_PER_TERM * len(encoded.variables))
    budget = Budget(rows, MOST_MATCHES, min(seconds, 1e6), ITERATIONS)
    encoded = replace(encoded, assumed=tuple(told))
    return encoded, saturate(encoded, rules, budget)


def differ(rows: list[Any]) -> bool:
    """True where two rows have two numbers at one point; where an operand is no number, rules promise nothing.

    >>> import numpy as np
    >>> differ([np.array([1.0, np.nan]), np.array([1.0, 2.0])]), differ([np.array([1.0]), np.array([2.0])])
    (False, True)
    """
    if len({len(row) for row in rows}) > 1:
        return True
    if len(rows) < 2:
        return False
    values = np.array(rows, float)
    known = np.isfinite(values)
    low, high = np.where(known, values, np.inf).min(0), np.where(known, values, -np.inf).max(0)
    some = known.any(0)
    return not np.allclose(low[some], high[some], rtol=CLOSE, atol=CLOSE)


def sides_of(terms: Table, pair: Pair, leaves: dict[str, Any], made: dict[int, Any]) -> tuple[Any, Any]:
    """Both sides as graphs; a number becomes a tensor of the shape of the left side."""
    left = terms.graph(pair.left, leaves, made)
    number = terms.nodes[pair.right].number
    if number is None:
        return left, terms.graph(pair.right, leaves, made)
    return left, filled(terms, pair, leaves)


def filled(terms: Table, pair: Pair, leaves: Mapping[str, Any]) -> Any:
    """The number on the right side, in the shape of the left side, which is that of its variables unless it has no axes."""
    import eqsat.tensor as T

    node = terms.nodes[pair.right]
    if terms.nodes[pair.left].ndim == 0:
        return constant(np.asarray(node.number, node.dtype))
    return T.full_like(leaves[terms.names[pair.left][0]], node.number, dtype=node.dtype)
