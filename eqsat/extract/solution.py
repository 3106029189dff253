"""The state of local search: reference counts price a switch of e-nodes, an order refuses cycles."""

from __future__ import annotations

from eqsat.extract.greedy import settle
from eqsat.extract.problem import Choice, Problem, children_first, closed_cost, reached

_SPACING = float(1 << 20)  # distance between neighbours in the order, halved until it is below _CROWDED
_CROWDED = 1e-3
_WALK = 2000  # classes that a cycle check may visit before it says "perhaps"
_RELATIVE = 1e-12  # gains below this share of the cost are rounding


class Solution:
    """A preferred e-node for every class, how often the active ones are needed, and an order, children first.

    The preferences of all classes together, active or not, are free of cycles: ``place`` falls along edges.
    """

    def __init__(self, problem: Problem, choice: Choice) -> None:
        self.problem = problem
        self.needs, self.cost, self.options = problem.needs, problem.cost, problem.options
        self.refs = [0] * problem.n_classes
        self.fresh: list[int] = []
        self.log: list[tuple[int, int]] = []
        self.attempts = 0
        self.total = closed_cost(problem, choice)
        self.tolerance = abs(self.total) * _RELATIVE
        for cls in problem.roots:
            self.refs[cls] += 1
        for node in choice.values():
            for child in self.needs[node]:
                self.refs[child] += 1
        self._adopt(children_first(problem, choice), choice)

    def _adopt(self, active: list[int], choice: Choice) -> None:
        """Keeps the active choice; others prefer what is cheapest while active classes cost nothing."""
        self.chosen, settled = settle(self.problem, free=active)
        for cls, node in choice.items():
            self.chosen[cls] = node
        level = [0] * self.problem.n_classes
        for cls in active + settled:
            level[cls] = 1 + max((level[child] for child in self.needs[self.chosen[cls]]), default=0)
        self._spread(sorted(range(self.problem.n_classes), key=level.__getitem__))

    def _spread(self, order: list[int]) -> None:
        self.place = [0.0] * len(order)
        for index, cls in enumerate(order, 1):
            self.place[cls] = index * _SPACING
        self.room = [_SPACING] * len(order)  # below each class, how far down no other class stands

    def refresh(self) -> None:
        """Chooses anew for the inactive classes, given what is active now."""
        choice = self.choice()
        self._adopt(sorted(choice, key=self.place.__getitem__), choice)

    def choice(self) -> Choice:
        """The active part."""
        return reached(self.problem, self.chosen)

    def active(self) -> list[int]:
        """Active classes that have more than one option, parents before children."""
        refs, options = self.refs, self.options
        classes = [cls for cls in range(len(refs)) if refs[cls] and len(options[cls]) > 1]
        return sorted(classes, key=self.place.__getitem__, reverse=True)

    def use(self, node: int) -> float:
        """Counts one more use of the e-node's children; returns what is newly paid, the e-node included."""
        needs, refs, chosen, cost = self.needs, self.refs, self.chosen, self.cost
        paid = cost[node]
        stack = [node]
        while stack:
            for child in needs[stack.pop()]:
                refs[child] += 1
                if refs[child] == 1:
                    self.fresh.append(child)
                    paid += cost[chosen[child]]
                    stack.append(chosen[child])
        return paid

    def drop(self, node: int) -> float:
        """Undoes ``use``; returns what is no longer paid."""
        needs, refs, chosen, cost = self.needs, self.refs, self.chosen, self.cost
        freed = cost[node]
        stack = [node]
        while stack:
            for child in needs[stack.pop()]:
                refs[child] -= 1
                if refs[child] == 0:
                    freed += cost[chosen[child]]
                    stack.append(chosen[child])
        return freed

    def above(self, cls: int, node: int, walk: int) -> list[int] | None:
        """Classes below the e-node that do not yet stand below ``cls``; None if it may close a cycle."""
        place, needs, chosen = self.place, self.needs, self.chosen
        floor = place[cls]
        found = [child for child in needs[node] if place[child] >= floor]
        seen = set(found)
        for other in found:  # grows while it is read
            if other == cls or len(found) > walk:
                return None
            for child in needs[chosen[other]]:
                if place[child] >= floor and child not in seen:
                    seen.add(child)
                    found.append(child)
        return found

    def _move_below(self, cls: int, found: list[int]) -> None:
        """Puts the classes, in their order, right below ``cls``; what needs them stands above already."""
        step = self.room[cls] / (len(found) + 1)
        if step < _CROWDED:
            self._spread(sorted(range(len(self.place)), key=self.place.__getitem__))
            step = self.room[cls] / (len(found) + 1)
        for rank, other in enumerate(sorted(found, key=self.place.__getitem__, reverse=True), 1):
            self.place[other] = self.place[cls] - rank * step
            self.room[other] = step
        self.room[cls] = step

    def prefer(self, cls: int, node: int, walk: int = _WALK) -> bool:
        """Records the e-node as the preferred one and keeps the order, not the counts; False for a cycle."""
        found = self.above(cls, node, walk)
        if found is None:
            return False
        if found:
            self._move_below(cls, found)
        self.log.append((cls, self.chosen[cls]))
        self.chosen[cls] = node
        return True

    def switch(self, cls: int, node: int) -> bool:
        """Prefers another e-node, whatever it costs; False for a cycle."""
        old = self.chosen[cls]
        if not self.prefer(cls, node):
            return False
        if self.refs[cls]:
            self.total += self.use(node) - self.drop(old)
        return True

    def hopeless(self, old: int, node: int) -> bool:
        """True where the two e-nodes alone show that the switch frees no more than it costs."""
        if self.problem.negative:  # rewards may lie further down
            return False
        refs, needs, cost = self.refs, self.needs, self.cost
        kept = needs[node]
        for child in needs[old]:
            if refs[child] == 1 and child not in kept:
                return False
        price = cost[node] - cost[old]
        for child in kept:
            if not refs[child]:
                price += cost[self.chosen[child]]
        return price >= 0

    def attempt(self, cls: int, node: int) -> bool:
        """Switches an active class to the e-node if the whole then costs less."""
        old = self.chosen[cls]
        self.attempts += 1
        if self.hopeless(old, node):
            return False
        mark = len(self.fresh)
        gain = -self.use(node)
        gain += self.drop(old)
        if gain > self.tolerance and self.prefer(cls, node):
            self.total -= gain
            return True
        self.use(old)
        self.drop(node)
        del self.fresh[mark:]
        return False

    def undo(self, mark: int) -> None:
        """Takes back the switches logged since the mark."""
        while len(self.log) > mark:
            cls, old = self.log.pop()
            new = self.chosen[cls]
            restored = self.prefer(cls, old, walk=len(self.refs))
            assert restored, f"class {cls} cannot take back e-node {old}"
            self.log.pop()
            if self.refs[cls]:
                self.total += self.use(old) - self.drop(new)
