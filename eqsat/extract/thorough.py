"""The search that follows local search where seconds are left: an integer program of the whole, then neighbourhoods of the best choice."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eqsat.extract.choose import Search
from eqsat.extract.closure import closure
from eqsat.extract.greedy import tree_greedy
from eqsat.extract.milp import Program, Row, solve
from eqsat.extract.neighbourhoods import Neighbourhoods
from eqsat.extract.problem import Problem
from eqsat.extract.reduce import reduce
from eqsat.extract.relax import force, tighten

_FIRST_SHARE = 0.1  # of the seconds, for the whole as one program at first
_BOUND_SHARE = 0.05  # of the seconds, for the bound by fractions at first
_LAST_SHARE = 0.3  # of the seconds then left, for the bound and the whole at last
_PATIENCE = (
    0.15  # of the seconds, that a search without success goes on after twice the time of the last success
)
_NEAR = 16  # steps between cost and bound, for which each is tried
_COLUMNS = 50_000  # e-nodes past which the whole is not tried


def solve_thoroughly(search: Search) -> None:
    """Improves the best choice and the bound of a search until it is proved, or the seconds are over."""
    reduce_again(search)
    solve_whole(search, _FIRST_SHARE * search.seconds, rows=())
    raise_by_fractions(search, _BOUND_SHARE * search.seconds)
    wander(search, search.deadline - _LAST_SHARE * (search.deadline - search.clock()))
    reduce_again(search)
    rows = raise_by_fractions(search, 0.5 * (search.deadline - search.clock()))
    solve_whole(search, search.deadline - search.clock(), rows)
    wander(search, search.deadline, seed=1)


def reduce_again(search: Search) -> None:
    """Takes what is left apart with the best cost as the limit."""
    if not search.finished():
        search.reduce(0.1 * search.seconds)


def whole(search: Search) -> Problem | None:
    """The reduced problem, where an integer program of all of it is worth trying."""
    left = None if search.finished() or search.left is None else search.left.problem
    return left if left is not None and len(left.cost) <= _COLUMNS else None


def raise_by_fractions(search: Search, seconds: float) -> list[Row]:
    """Raises the bound by the program without "integer"; the rows that it took."""
    problem = whole(search)
    sets = None if problem is None else closure(problem, seconds, search.clock)
    if problem is None or sets is None:
        return []
    program = Program(problem)
    own = len(program.rows)
    force(program, sets)
    bound = tighten(program, sets, search.clock() + seconds, search.clock, search.cost)
    search.raise_bound(min(bound, search.cost))
    return program.rows[own:]


def solve_whole(search: Search, seconds: float, rows: Sequence[Row]) -> None:
    """All that is left as one integer program; where the bound is near, first whether anything is as cheap as it."""
    deadline = min(search.clock() + seconds, search.deadline)
    step = search.step
    while step and search.cost - search.bound <= _NEAR * step and whole(search):
        most = search.bound + 0.01 * step
        if not _try(search, rows, 0.3 * (deadline - search.clock()), most):
            break
    _try(search, rows, deadline - search.clock())


def _try(search: Search, rows: Sequence[Row], seconds: float, most: float = math.inf) -> bool:
    """One integer program; whether nothing costs ``most`` and the search has to go on above it."""
    problem = whole(search)
    if problem is None or search.left is None:
        return False
    solved = solve(problem, seconds, most=most, rows=rows)
    if solved.choice is not None:
        search.offer("exact", search.left.lift(solved.choice))
    if solved.choice is None and solved.done and most < search.cost:
        search.raise_bound(search.bound + search.step)
        return True
    search.raise_bound(min(solved.bound, search.cost) if solved.done else solved.bound)
    return False


def wander(search: Search, deadline: float, seed: int = 0) -> None:
    """Neighbourhoods of the best choice until the deadline, or until nothing has come of them for long."""
    if search.finished():
        return
    left = reduce(search.problem, just_above(search), 0.1 * search.seconds, search.clock)
    assert left.problem is not None, "what is no dearer than the best choice includes it"
    start = left.restrict(search.best) or tree_greedy(left.problem)
    walk = Neighbourhoods(left.problem, start, search.clock, seed)
    begin = last = search.clock()
    while (now := search.clock()) < deadline and not search.finished():
        if now - begin > 2 * (last - begin) + _PATIENCE * search.seconds:
            return
        if walk.step(deadline - now):
            last = search.clock()
            search.offer("neighbourhoods", left.lift(walk.choice))


def just_above(search: Search) -> float:
    """A limit that the best choice and others of its cost are below."""
    return search.cost + search.step if search.step else search.cost + 1e-8 * abs(search.cost)
