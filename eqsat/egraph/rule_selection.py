"""The rules that an e-graph needs: of a set those that can fire among what it holds, each given once, when it can.

Few of the thousands of rules can fire in a graph, and to load one takes longer than to find out, so what is asked here is
only what has changed: the rules that need what is new, and those with a term that fitted no e-node of an op with new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from eqsat.egraph.operands_seen import OperandsSeen, names_of
from eqsat.graph.declare import OPS
from eqsat.rules.equality import Need, Rule, refuse_two
from eqsat.rules.rule import RuleSet

REFUSED: set[Rule] = set()  # rules of which egglog has refused the text; no e-graph is given them


def refuse(rules: Iterable[Rule]) -> set[Rule]:
    """Give some rules to no e-graph any more; all of which this was said."""
    REFUSED.update(rules)
    return REFUSED


class RuleSelection:
    """The rules of a set that can fire among what exists: the ops, what stands under them, and what beside what.

    ``given`` are the rules that there are already, whether they belong to the set or not.
    """

    def __init__(self, rules: RuleSet, given: Iterable[Rule] = ()) -> None:
        self.rules = rules
        self.given = {r.name: r for r in given}
        self.present: set[Need] = set()
        self.operands = OperandsSeen()
        self.known: dict[str, Rule] = {}  # rules whose needs exist
        self.unmade: dict[str, Rule] = {}  # such that ask for functions of which nothing is made yet
        self.unfit: dict[str, dict[str, Rule]] = {}  # that have a term that fits no e-node, by its op
        self.version = OPS.version

    def copy(self) -> RuleSelection:
        """A selection that goes on from here on its own."""
        new = RuleSelection(self.rules)
        new.given, new.present, new.operands = self.given.copy(), self.present.copy(), self.operands.copy()
        new.known, new.unmade, new.version = self.known.copy(), self.unmade.copy(), self.version
        new.unfit = {op: rules.copy() for op, rules in self.unfit.items()}
        return new

    def add(self, needs: Set[Need]) -> list[Rule]:
        """Note that more exists; the rules that can fire now and were not given before, by name."""
        fresh = needs - self.present
        grown = self.operands.add(fresh)
        self.present |= fresh
        if self.version != OPS.version:  # laws may have come that concern what was there
            self.version = OPS.version
            self.known, self.unmade, self.unfit = {}, {}, {}
            fresh = self.present
        able = self._able({n for n in fresh if isinstance(n, str) or isinstance(n[1], str)})
        for op in grown:
            able.update(self.unfit.pop(op, {}))
        found = []
        for name, r in sorted(able.items()):
            lacking = self.operands.lacking(r)
            if lacking is not None:
                self.unfit.setdefault(lacking, {})[name] = r
            elif not REFUSED or r not in REFUSED:
                found.append(r)
        self.given.update((r.name, r) for r in found)
        return found

    def _able(self, fresh: Set[Need]) -> dict[str, Rule]:
        """The rules that can fire since some more exists, whatever stands beside what under an op."""
        able = {}
        for r in self.rules.by_need.able(self.present, fresh) if fresh else ():
            if r.name not in self.known and r.name not in self.given:
                able[r.name] = r
            refuse_two(r, self.known.setdefault(r.name, r))
        if not fresh or not self.rules.on_functions:
            return able
        from eqsat.egraph.function_schema import found_of  # which takes long to load

        made = found_of(frozenset(names_of(self.present)))
        able |= self.unmade
        self.unmade = {n: r for n, r in able.items() if not all(bits & made for bits in r.functions)}
        return {n: r for n, r in able.items() if n not in self.unmade}
