"""Local search on a choice: switch one e-node, pull in what pays when shared, shake when nothing helps."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from eqsat.extract.problem import Choice, Problem, closed_cost
from eqsat.extract.solution import Solution

_RIPPLE = 400  # classes that one pull may wake


class Budget:
    """Seconds on the clock, and attempts, which give an end that does not depend on the clock."""

    def __init__(
        self, problem: Problem, seconds: float, clock: Callable[[], float] = time.thread_time
    ) -> None:
        self.clock = clock
        self.deadline = clock() + seconds
        self.attempts = 100 + int(0.1 * (len(problem.cost) * seconds) ** 2)

    def late(self) -> bool:
        """True once no time is left."""
        return self.clock() >= self.deadline

    def spent(self, solution: Solution) -> bool:
        """True once the solution has neither time nor attempts left."""
        return solution.attempts >= self.attempts or self.late()

    def pay(self, solution: Solution) -> None:
        """Takes the attempts that the solution has made from those that are left."""
        self.attempts -= solution.attempts
        solution.attempts = 0


def settle_locally(solution: Solution, budget: Budget) -> None:
    """Tries every option of every active class, parents first, until a pass finds nothing."""
    while not budget.late():
        before = solution.total
        for count, cls in enumerate(solution.active()):
            if count % 32 == 31 and budget.late():
                return
            if solution.refs[cls]:
                _best_option(solution, cls)
        if solution.total >= before:
            return


def _best_option(solution: Solution, cls: int) -> None:
    for node in solution.options[cls]:
        if node != solution.chosen[cls]:
            solution.attempt(cls, node)
    solution.fresh.clear()


def pull(solution: Solution, cls: int, node: int) -> bool:
    """Pays for the e-node first and lets every class that can use what it brings switch; kept if that pays.

    This finds what no single switch can: a part that is worth its price only when several share it.
    """
    before, mark = solution.total, len(solution.log)
    solution.fresh.clear()
    if not solution.switch(cls, node):
        return False
    held = not solution.refs[cls]
    if held:
        solution.refs[cls] = 1
        solution.fresh.append(cls)
        solution.total += solution.use(node)
    _ripple(solution)
    if held:
        _release(solution, cls)
    if solution.total < before - solution.tolerance:
        return True
    solution.undo(mark)
    solution.total = before
    return False


def _release(solution: Solution, cls: int) -> None:
    solution.refs[cls] -= 1
    if not solution.refs[cls]:
        solution.total -= solution.drop(solution.chosen[cls])


def _ripple(solution: Solution) -> None:
    """Offers the fresh classes to their users; an inactive user is only told, and tells its own users."""
    problem, fresh = solution.problem, solution.fresh
    told: set[int] = set()
    for count, source in enumerate(fresh):  # grows while it is read
        if count > _RIPPLE:
            return
        for user in problem.users[source]:
            cls = problem.node_class[user]
            if not solution.refs[cls]:
                if cls not in told and solution.chosen[cls] == user:
                    told.add(cls)
                    fresh.append(cls)
            elif solution.chosen[cls] != user:
                solution.attempt(cls, user)


def pull_everything(solution: Solution, budget: Budget) -> None:
    """Pulls every e-node that would bring something inactive, until none pays or the budget is spent."""
    improved = True
    while improved and not budget.spent(solution):
        settle_locally(solution, budget)
        improved = False
        for cls, node in _pulls(solution):
            if budget.spent(solution):
                return
            if node == solution.chosen[cls] and solution.refs[cls]:
                continue
            improved |= pull(solution, cls, node)
        if improved:
            solution.refresh()


def _pulls(solution: Solution) -> list[tuple[int, int]]:
    pairs = []
    for cls, nodes in enumerate(solution.options):
        if solution.refs[cls]:
            pairs += [(cls, n) for n in nodes if any(not solution.refs[child] for child in solution.needs[n])]
        elif len(solution.problem.users[cls]) > 1:
            pairs.append((cls, solution.chosen[cls]))
    return pairs


def shake(solution: Solution, budget: Budget) -> None:
    """Forces some classes to other e-nodes, or blurs the costs, then repairs; keeps what is no dearer.

    The dice are seeded, so the same problem and budget of attempts give the same answer.
    """
    dice = Random(len(solution.refs))
    blur = True
    while not budget.spent(solution) and (classes := solution.active()):
        before = solution.total
        solution.attempts += 1 + len(solution.cost) // 4  # what a shake takes besides its attempts
        solution.log.clear()
        if blur:
            _settle_on_blurred_costs(solution, budget, dice)
        else:
            _disturb(solution, dice, dice.choice(classes))
        blur = not blur
        settle_locally(solution, budget)
        if solution.total > before + solution.tolerance:
            solution.undo(0)
            solution.total = before


def _settle_on_blurred_costs(solution: Solution, budget: Budget, dice: Random) -> None:
    exact, spread = solution.cost, dice.random()
    solution.cost = [cost * dice.uniform(1 - spread, 1 + spread) for cost in exact]
    settle_locally(solution, budget)
    solution.cost = exact
    solution.total = closed_cost(solution.problem, solution.choice())


def _disturb(solution: Solution, dice: Random, cls: int) -> None:
    for _ in range(dice.randint(1, 3)):
        solution.switch(cls, dice.choice(solution.options[cls]))
        below = [c for c in solution.needs[solution.chosen[cls]] if len(solution.options[c]) > 1]
        if not below:
            return
        cls = dice.choice(below)


def search(solution: Solution, budget: Budget) -> None:
    """Single switches, then pulls, then shakes, within the budget."""
    settle_locally(solution, budget)
    solution.refresh()
    pull_everything(solution, budget)
    shake(solution, budget)


def improve(
    problem: Problem, choice: Choice, seconds: float, clock: Callable[[], float] = time.thread_time
) -> Choice:
    """A choice that costs no more than the one given; the same one where nothing better is found in time."""
    solution = Solution(problem, choice)
    search(solution, Budget(problem, seconds, clock))
    better = solution.choice()
    return better if closed_cost(problem, better) < closed_cost(problem, choice) else choice
