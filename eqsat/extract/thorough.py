"""What seconds can buy after local search: the whole as an integer program, then neighbourhoods of the best choice."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eqsat.extract.choose import Search
from eqsat.extract.closure import closure
from eqsat.extract.greedy import tree_greedy
from eqsat.extract.milp import Program, Row, solve
from eqsat.extract.neighbourhoods import Neighbourhoods
from eqsat.extract.reduce import reduce
from eqsat.extract.relax import force, tighten

_FIRST_SHARE = 0.15  # of the seconds, for the whole as one program at first
_PATIENCE = (
    0.15  # of the seconds, that a search without success goes on after twice the time of the last success
)
_NEAR = 16  # steps between cost and bound, for which each is tried
_COLUMNS = 30_000  # e-nodes past which the whole is not tried


def solve_thoroughly(search: Search) -> None:
    """Improves the best choice and the bound of a search until it is proved, or the seconds are over."""
    reduce_again(search)
    solve_whole(search, _FIRST_SHARE * search.seconds)
    if not search.finished():
        wander(search, search.deadline - 0.25 * (search.deadline - search.clock()))
        reduce_again(search)
        solve_whole(search, search.deadline - search.clock())


def reduce_again(search: Search) -> None:
    """Takes what is left apart with the best cost as the limit."""
    if not search.finished():
        search.reduce(0.1 * search.seconds)


def solve_whole(search: Search, seconds: float) -> None:
    """All that is left as one integer program: a bound by fractions, whether anything is as cheap, then all."""
    deadline = min(search.clock() + seconds, search.deadline)
    problem = None if search.left is None else search.left.problem
    if search.finished() or problem is None or len(problem.cost) > _COLUMNS:
        return
    program = Program(problem)
    own = len(program.rows)
    sets = closure(problem, 0.2 * seconds, search.clock)
    if sets is not None:
        force(program, sets)
        bound = tighten(
            program, sets, search.clock() + 0.3 * (deadline - search.clock()), search.clock, search.cost
        )
        search.raise_bound(min(bound, search.cost))
    rows, step = program.rows[own:], search.step
    while step and search.cost - search.bound <= _NEAR * step and not search.finished():
        if not _try(search, rows, 0.3 * (deadline - search.clock()), search.bound + 0.01 * step):
            break
    if not search.finished():
        _try(search, rows, deadline - search.clock())


def _try(search: Search, rows: Sequence[Row], seconds: float, most: float = math.inf) -> bool:
    """One integer program; whether nothing costs ``most`` and the search has to go on above it."""
    assert search.left is not None and search.left.problem is not None
    solved = solve(search.left.problem, seconds, most=most, rows=rows)
    if solved.choice is not None:
        search.offer("exact", search.left.lift(solved.choice))
    if solved.choice is None and solved.done and most < search.cost:
        search.raise_bound(search.bound + search.step)
        return True
    search.raise_bound(min(solved.bound, search.cost) if solved.done else solved.bound)
    return False


def wander(search: Search, deadline: float) -> None:
    """Neighbourhoods of the best choice until the deadline, or until nothing has come of them for long."""
    if search.finished():
        return
    left = reduce(search.problem, just_above(search), 0.1 * search.seconds, search.clock)
    assert left.problem is not None, "what is no dearer than the best choice includes it"
    walk = Neighbourhoods(left.problem, left.restrict(search.best) or tree_greedy(left.problem), search.clock)
    start = last = search.clock()
    while (now := search.clock()) < deadline and not search.finished():
        if now - start > 2 * (last - start) + _PATIENCE * search.seconds:
            return
        if walk.step(deadline - now):
            last = search.clock()
            search.offer("neighbourhoods", left.lift(walk.choice))


def just_above(search: Search) -> float:
    """A limit that the best choice and others of its cost are below."""
    return search.cost + search.step if search.step else search.cost + 1e-8 * abs(search.cost)
