"""Extractors by name: a table of plain functions that a user may add to, and one call that checks what they give."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from importlib import import_module
from numbers import Real
from typing import Any

from eqsat.errors import ArgumentError, ExtractorError, raised_text
from eqsat.extract.bound import lower_bound
from eqsat.extract.choose import Extraction, Search, choose
from eqsat.extract.greedy import dag_greedy, tree_greedy
from eqsat.extract.problem import Choice, Problem, check, closed_cost, reached
from eqsat.graph.tensor_type import shorten

ROUNDING = 1e-6  # of the costs in a choice, by which a bound may be above it

Extractor = Callable[[Problem, float], tuple[Choice, float]]
"""Problem and seconds -> choice, and a bound that no choice costs less than, -inf where it knows none."""


def greedy(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """Cheapest as trees: each user pays for a shared class."""
    return tree_greedy(problem), -math.inf


def greedy_by_sets(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """Classes know the set below them and pay each once; as trees where the sets get too big."""
    return dag_greedy(problem) or tree_greedy(problem), -math.inf


def local_search(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """Reduction, greedy answers and local search; no solver is loaded."""
    search = Search(problem, seconds, time.perf_counter)
    search.offer("tree_greedy", tree_greedy(problem))
    search.reduce(0.25 * seconds)
    search.local(None, seconds)
    return search.best, min(search.bound, search.cost)


def exact(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """Reduction, then integer programs of the whole; a greedy answer where the seconds are not enough."""
    from eqsat.extract.thorough import raise_by_fractions, solve_whole

    search = Search(problem, seconds, time.perf_counter)
    search.offer("tree_greedy", tree_greedy(problem))
    search.reduce(0.25 * seconds)
    solve_whole(search, 0.3 * seconds, rows=())
    solve_whole(search, seconds, raise_by_fractions(search, 0.2 * seconds))
    return search.best, min(search.bound, search.cost)


def best(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """All of it in one budget: reduction, greedy answers, local search, integer programs, neighbourhoods."""
    found = choose(problem, seconds=max(seconds, 1.0), clock=time.perf_counter)
    return found.choice, found.bound


EXTRACTORS: dict[str, Extractor] = {
    "greedy": greedy,
    "dag-greedy": greedy_by_sets,
    "search": local_search,
    "exact": exact,
    "best": best,
}
"""The table. ``EXTRACTORS["mine"] = f`` adds a function; ``module:function`` names one that is not in it."""


def find_extractor(name: str) -> Extractor:
    """The function of a name in the table, or of ``module:function``.

    Errors   ArgumentError for a name that is neither, and for a module that cannot be imported
    """
    if name in EXTRACTORS:
        return EXTRACTORS[name]
    module, colon, function = name.partition(":")
    if not colon:
        raise ArgumentError(
            f"extractor {name!r} is not known",
            needs=f"{', '.join(EXTRACTORS)}, or module:function for your own",
            among=(name, EXTRACTORS),
        )
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ArgumentError(f"extractor {name!r} cannot be loaded: {error}") from error
    except Exception as error:
        raise ArgumentError(f"extractor {name!r} cannot be loaded: {raised_text(error)}") from error
    if not callable(found):
        raise ArgumentError(f"extractor {name!r} is {shorten(found)}, which is no function")
    return found  # type: ignore[no-any-return]


def extract_with(name: str, problem: Problem, seconds: float) -> Extraction:
    """The answer of an extractor, checked: it must be acyclic and complete; what the roots do not reach is left out.

    Errors   ValueError for a root that cannot be built; ExtractorError for a wrong answer, and where an extractor of a
             user raises

    >>> shared = Problem([0, 1, 2, 2], [(), (0,), (0, 1), ()], [5.0, 1.0, 1.0, 11.0], [2], 3)
    >>> extract_with("greedy", shared, 1.0).cost, extract_with("best", shared, 1.0).cost
    (11.0, 7.0)
    """
    start = time.perf_counter()
    answer = _answer(name, problem, seconds)
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], Real):
        raise _wrong(name, f"gave {shorten(answer)}", "a choice (class -> e-node) and a bound")
    choice, bound = checked(name, problem, answer[0]), float(answer[1])
    took = time.perf_counter() - start
    cost = closed_cost(problem, choice)
    slack = ROUNDING * math.fsum(abs(problem.cost[node]) for node in choice.values())
    if not bound <= cost + slack:
        raise _wrong(
            name, f"gave the bound {bound}, and a choice of cost {cost}", "-inf where no bound is known"
        )
    if bound == -math.inf:
        bound = lower_bound(problem, max(1.0, seconds - took), time.perf_counter)
    return Extraction(choice, cost, min(bound, cost), None, name, took)


def _answer(name: str, problem: Problem, seconds: float) -> Any:
    """The unchecked answer of an extractor."""
    extractor = find_extractor(name)
    try:
        return extractor(problem, seconds)
    except Exception as error:
        if getattr(extractor, "__module__", "") == __name__:
            raise
        raise _wrong(name, f"failed: {raised_text(error)}") from error


def checked(name: str, problem: Problem, choice: Any) -> Choice:
    """The part of a choice that the roots reach.

    Errors   ExtractorError for a choice that lacks a class, has a wrong e-node, or a cycle
    """
    try:
        kept = reached(problem, choice)
        if min(kept.values(), default=0) < 0:
            raise IndexError
        check(problem, kept)
    except KeyError as error:
        raise _wrong(name, f"chose no e-node for class {error}", "one for every class in use") from error
    except (IndexError, TypeError) as error:
        raise _wrong(name, f"gave the choice {shorten(choice)}", "e-nodes of the problem by class") from error
    except AssertionError as error:
        raise _wrong(name, f"gave a wrong choice: {error}") from error
    return kept


def _wrong(name: str, what: str, needs: str | None = None) -> ExtractorError:
    return ExtractorError(f"extractor {name!r} {what}", needs=needs)
