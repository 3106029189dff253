"""Loops in extraction: an e-node is paid once per step of the loops it depends on, and a result of a loop needs
the new values of the states that it reads.

A state is a leaf in the e-graph, since its new value depends on itself. Which states a value reads is known from
below: those that all e-nodes of its class read. So a result of a loop lists their new values among its operands, and
what that misses is found in the answer (``missing``) and asked for then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.egraph.reading import NUM, ENode, Saturated
from eqsat.extract.cost import CostModel
from eqsat.extract.problem import Choice, Problem
from eqsat.graph.loops import BINDERS, READERS, LoopTable, bits_of, depends, elem_op, stops

ROW = elem_op.name
RUN = "Run"  # an e-node that stands for running a loop, paid once by all its results


class LoopCosts:
    """Trip counts, hidden operands and the e-nodes for running loops of one saturated e-graph."""

    def __init__(
        self,
        table: LoopTable,
        saturated: Saturated,
        number: dict[Any, int],
        model: CostModel,
        assumed: Mapping[int, Any],
    ) -> None:
        self.table, self.saturated, self.model, self.assumed = table, saturated, model, assumed
        class_of = saturated.class_of
        self.numbers = {e.cls: e.params[0] for e in saturated.enodes if e.op == NUM}
        self.steps_class = {r.key: class_of[number[r.step]] for r in table.recurrences}
        self.condition = {
            loop.number: class_of[number[loop.condition]]
            for loop in table.loops
            if loop.condition is not None
        }
        counts = [number.get(loop.n_steps) for loop in table.loops]  # None where no result is needed
        self.trips = [0.0 if k is None else self.steps(class_of[k]) for k in counts]
        self.own = [sum(1 << r.key for r in table.recurrences if r.loop is loop) for loop in table.loops]
        first = 1 + max((e.cls for e in saturated.enodes), default=0)
        known = depends((), table)
        self.carried = {r.key: known[r.state] for r in table.recurrences}
        self.stops = stops(known, table)
        self.run = [ENode(RUN, (k,), (), first + k) for k in range(len(table.loops))]
        self.reads: dict[int, int] = {}
        for _ in range(1 + max((loop.depth for loop in table.loops), default=0)):
            self.reads = self._reads()  # of results of loops inside others, once those are known

    def steps(self, cls: int) -> float:
        """The number of steps of a loop, the stated default where it is unknown."""
        known = self.numbers.get(cls, self.assumed.get(cls))
        return self.model.trips(self.model.lengths((None if known is None else int(known),))[0])

    def times(self, mask: int) -> float:
        """The number of runs of something that depends on some loops."""
        total = 1.0
        for k in bits_of(mask):
            total *= max(1.0, self.trips[k])
        return total

    def mask(self, e: ENode) -> int:
        """The loops on which an e-node depends."""
        if e.op == "state":
            return self.carried[e.params[1]]
        mask = 0
        for c in e.children:
            mask |= self.saturated.dep.get(c, 0)
        if e.op in READERS:
            mask |= 1 << e.params[0]
        return self.stops[e.params[0]] | mask & ~(1 << e.params[0]) if e.op in BINDERS else mask

    def ahead(self, enodes: Sequence[ENode]) -> list[int]:
        """The e-nodes that read a row which only rules made of all rows at once, in a loop that may stop before it comes to them.

        A bound on steps may be far above the steps that are run, so that what is done for all rows has no bound on what it wastes.
        """
        made = set(self.saturated.class_of)
        rows = [(i, e) for i, e in enumerate(enodes) if e.op == ROW and e.params[0] in self.condition]
        return [i for i, e in rows if e.children[0] not in made]

    def run_seconds(self, e: ENode) -> float:
        """Seconds of starting and counting the steps of a loop."""
        return 2 * self.model.call + self.trips[e.params[0]] * self.model.step

    def operands(self, e: ENode) -> tuple[int, ...]:
        """Classes that an e-node needs: its children, and those that running its loop needs."""
        if e.op not in BINDERS:
            return e.children
        loop = e.params[0]
        needed = {self.run[loop].cls: None}
        body = [e.children[_body_place(e)]]
        if loop in self.condition:
            body.append(self.condition[loop])
        needed.update(dict.fromkeys(body))
        needed.update(dict.fromkeys(self.steps_class[k] for k in self._closure(body, loop)))
        return (*e.children, *(c for c in needed if c not in e.children))

    def _closure(self, body: Sequence[int], loop: int) -> list[int]:
        """The states of a loop that some classes are known to read, directly or through others."""
        mine, found = self.own[loop], 0
        waiting = 0
        for c in body:
            waiting |= self.reads.get(c, 0) & mine
        while waiting:
            found |= waiting
            more = 0
            for k in bits_of(waiting):
                more |= self.reads.get(self.steps_class[k], 0) & mine
            waiting = more & ~found
        return bits_of(found)  # type: ignore[return-value]

    def _reads(self) -> dict[int, int]:
        """For each class that depends on a loop the states that every e-node of it reads, as bits of their keys."""
        if not self.table.recurrences:
            return {}
        nodes = [e for e in self.saturated.enodes if self.mask(e) or e.op in BINDERS]
        users: dict[int, list[ENode]] = {}
        for e in nodes:
            for c in e.children:
                users.setdefault(c, []).append(e)
        dep = self.saturated.dep
        found: dict[int, int] = {}
        waiting = [e for e in nodes if all(not dep.get(c, 0) for c in e.children)]
        for e in waiting:  # grows while it is read
            bits = 0
            ready = True
            for c in e.children:
                if dep.get(c, 0):
                    if c not in found:
                        ready = False
                        break
                    bits |= found[c]
            if not ready:
                continue
            if e.op == "state":
                bits |= 1 << e.params[1]
            elif e.op in BINDERS:
                for k in self._closure([e.children[_body_place(e)]], e.params[0]):
                    bits |= self.reads.get(self.steps_class[k], 0)
                bits |= self.reads.get(self.condition.get(e.params[0], -1), 0)
                bits &= ~self.own[e.params[0]]
            old = found.get(e.cls)
            if old is None or old & bits != old:
                found[e.cls] = bits if old is None else old & bits
                waiting.extend(users.get(e.cls, ()))
        return found

    def unlisted(
        self, problem: Problem, choice: Choice, enodes: Sequence[ENode], dense: Mapping[int, int]
    ) -> dict[int, tuple[int, ...]]:
        """The operands of results of loops in a choice that they do not list, by e-node; none where no harm is done.

        ``dense`` numbers classes as the problem does. Harm is done where the new value of a state is not chosen, or is
        computed from the result itself.
        """
        more: dict[int, tuple[int, ...]] = {}
        missing = False
        for i in choice.values():
            e = enodes[i]
            if e.op in BINDERS:
                found = self._read_in(choice, enodes, e, dense)
                new = tuple(c for c in found if c not in problem.needs[i])
                missing |= any(c not in choice for c in new)
                if new:
                    more[i] = new
        return more if missing or more and _has_cycle(problem, choice, more) else {}

    def escaping(self, problem: Problem, choice: Choice, enodes: Sequence[ENode]) -> list[int]:
        """The e-nodes of a choice by which a value of a step is read outside its loop; none where nothing is.

        Of a class that does not depend on a loop some e-nodes may: the length of a row, say, that is known to be that of
        another. They are right in a step and nowhere else.
        """
        free = self._free(problem, choice, enodes)
        beside = [
            d
            for i in choice.values()
            for d in _beside_body(enodes[i], problem.children[i])
            if free[d] >> enodes[i].params[0] & 1
        ]
        if not beside and not any(free[r] for r in problem.roots):
            return []
        dep = self.saturated.dep
        found = [i for i in choice.values() if self.mask(enodes[i]) & ~dep.get(enodes[i].cls, 0)]
        return found or [choice[d] for d in beside]  # no class tells: what is read there needs another form

    def _free(self, problem: Problem, choice: Choice, enodes: Sequence[ENode]) -> dict[int, int]:
        """The loops of which a step is needed to compute each class as chosen."""
        free: dict[int, int] = {}
        stack = list(problem.roots)
        while stack:
            c = stack[-1]
            e, below = enodes[choice[c]], problem.children[choice[c]]
            missing = [d for d in below if d not in free]
            stack.extend(missing)
            if not missing:
                stack.pop()
                free[c] = self._left_free(e, [free[d] for d in below])
        return free

    def _left_free(self, e: ENode, below: Sequence[int]) -> int:
        """The loops of which a step is needed for an e-node, by those for what it needs."""
        mask = self.mask(e) if e.op in READERS else 0
        for bits in below:
            mask |= bits
        return self.stops[e.params[0]] | mask & ~(1 << e.params[0]) if e.op in BINDERS else mask

    def _read_in(
        self, choice: Choice, enodes: Sequence[ENode], e: ENode, dense: Mapping[int, int]
    ) -> list[int]:
        """The classes, as numbered in the problem, of the new values of the states that a result of a loop reads."""
        found: dict[int, None] = {}
        stack = [dense[e.children[_body_place(e)]]]
        if e.params[0] in self.condition:
            stack.append(dense[self.condition[e.params[0]]])
        seen = set(stack)
        while stack:
            cls = stack.pop()
            if cls not in choice:
                continue
            node = enodes[choice[cls]]
            below = [dense[c] for c in node.children] if self.mask(node) else []
            if (
                node.op in BINDERS and node.params[0] in self.condition
            ):  # of a loop inside, which may read our states
                below.append(dense[self.condition[node.params[0]]])
            if node.op == "state":
                step = dense[self.steps_class[node.params[1]]]
                if self.own[e.params[0]] >> node.params[1] & 1:
                    found[step] = None
                below = [step]
            for c in below:
                if c not in seen:
                    seen.add(c)
                    stack.append(c)
        return list(found)


def _body_place(e: ENode) -> int:
    """The place of the body among the operands of a result of a loop."""
    return 1 if e.op == "final" else 0


def _beside_body(e: ENode, operands: Sequence[int]) -> Sequence[int]:
    """The operands of an e-node of a loop that lie outside the loop: all but the body."""
    if e.op not in (*BINDERS, *READERS):
        return ()
    body = _body_place(e) if e.op in BINDERS else -1
    return [c for k, c in enumerate(operands[: len(e.children)]) if k != body]


def _has_cycle(problem: Problem, choice: Choice, more: Mapping[int, Sequence[int]]) -> bool:
    """True where the chosen e-nodes with some more operands cannot be put in order."""
    waiting: dict[int, int] = {}
    users: dict[int, list[int]] = {cls: [] for cls in choice}
    for cls, i in choice.items():
        needs = {*problem.needs[i], *more.get(i, ())}
        waiting[cls] = len(needs)
        for c in needs:
            users[c].append(cls)
    ready = [cls for cls, count in waiting.items() if not count]
    for cls in ready:  # grows while it is read
        for user in users[cls]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    return len(ready) < len(choice)
