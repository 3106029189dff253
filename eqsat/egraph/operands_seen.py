"""Operands of the e-nodes of an e-graph: a rule is loaded where each term of its left side may match some e-node.

Rules look for ``x * c - y * c`` wherever there are products under differences, but seldom are both operands products.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from eqsat.graph.declare import OPS
from eqsat.rules.equality import EVERY, NUMBER, REPEATED, Need, Rule, Wanted, equal_to

Operands = tuple[frozenset[str], ...]


def fits(wanted: Wanted, operands: Operands | None) -> bool:
    """True where each operand is what a term wants of it; None stands for operands of all kinds."""
    if operands is not None:
        for w, made in zip(wanted, operands, strict=True):
            if w is not None and w not in made:
                return False
    return True


def names_of(ops: Iterable[Need]) -> set[str]:
    """The ops among what graphs are made of."""
    return {op for op in ops if isinstance(op, str)}


def pairs_of(ops: Set[str]) -> set[Need]:
    """Every pair of some ops, and of an op and a repeated number, with whatever stands beside it."""
    pairs: set[Need] = {(op, other) for op in ops for other in (*ops, REPEATED)}
    return pairs | {(op, EVERY) for op in ops}


class OperandsSeen:
    """The operands of e-nodes by op, and which of the terms that rules asked for fit some."""

    def __init__(self, needs: Iterable[Need] = ()) -> None:
        self.seen: dict[str, list[Operands | None]] = {}
        self.found: set[tuple[str, Wanted]] = set()
        self.waiting: dict[str, set[Wanted]] = {}
        self.add(needs)

    def add(self, needs: Iterable[Need]) -> bool:
        """Note more e-nodes; True where some term that did not fit any fits one of them."""
        count = len(self.found)
        for need in needs:
            if isinstance(need, str) or isinstance(need[1], str):
                continue
            op, operands = need[0], None if need[1] == EVERY else need[1]
            self.seen.setdefault(op, []).append(operands)
            waiting = self.waiting.get(op)
            if waiting:
                fitting = [w for w in waiting if fits(w, operands)]
                waiting.difference_update(fitting)
                self.found.update((op, w) for w in fitting)
        return len(self.found) > count

    def has(self, op: str, wanted: Wanted) -> bool:
        """True where some e-node of an op has operands as a term wants them, or nothing is said of its e-nodes."""
        seen = self.seen.get(op)
        if seen is None or (op, wanted) in self.found:
            return True
        waiting = self.waiting.setdefault(op, set())
        if wanted in waiting:
            return False
        for operands in seen:
            if fits(wanted, operands):
                self.found.add((op, wanted))
                return True
        waiting.add(wanted)
        return False

    def possible(self, rules: Sequence[Rule]) -> list[Rule]:
        """The rules of which every term fits some e-node."""
        has, found = self.has, []
        for r in rules:
            for op, wanted in r.terms:
                if not has(op, wanted):
                    break
            else:
                found.append(r)
        return found


class OperandsMade:
    """Ops and numbers of the variables of a graph, and what rules may need of these."""

    def __init__(self) -> None:
        self.made: defaultdict[int, frozenset[str]] = defaultdict(frozenset)
        self.needs: set[Need] = set()

    def number(self, k: int, value: float, repeated: bool = False) -> None:
        """Note that a variable is a number, written as one or repeated."""
        self.made[k] |= {NUMBER, equal_to(value), *([REPEATED] if repeated else [])}

    def apply(self, name: str, inputs: Sequence[int], k: int, whole: bool) -> None:
        """Note a result, and what the op is applied to, in either order where that means nothing.

        What is made of elements of numbers is a number, written as one where it is the ``whole`` tensor.
        """
        d, operands = OPS[name], tuple(self.made[i] for i in inputs)
        self.needs |= {(name, operands), *((name, one) for made in operands for one in made)}
        self.needs |= {(name, operands[::-1])} if d.commutative else set()
        shown = [operands[d.tensors.index(t)] for t in d.shows()]
        if shown and all(NUMBER in made for made in shown):
            numbers = {one for one in frozenset.intersection(*shown) if one == NUMBER or one.startswith("=")}
            self.made[k] |= numbers if whole else numbers | {REPEATED}
        self.made[k] |= {name}
