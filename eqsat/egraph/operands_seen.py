"""Operands of the e-nodes of an e-graph: a rule is loaded where each term of its left side may match some e-node.

Rules look for ``x * c - y * c`` wherever there are products under differences, but seldom are both operands products.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from eqsat.graph.declare import OPS
from eqsat.rules.equality import EVERY, NUMBER, REPEATED, Need, Rule, Wanted, equal_to

Operands = tuple[frozenset[str], ...]


def names_of(ops: Iterable[Need]) -> set[str]:
    """The ops among what graphs are made of."""
    return {op for op in ops if isinstance(op, str)}


def pairs_of(ops: Set[str]) -> set[Need]:
    """Every pair of some ops, and of an op and a repeated number, with whatever stands beside it."""
    pairs: set[Need] = {(op, other) for op in ops for other in (*ops, REPEATED)}
    return pairs | {(op, EVERY) for op in ops}


class Rows:
    """The operands of the e-nodes of one op: for each place and kind of operand the e-nodes that have it there, as bits."""

    def __init__(self) -> None:
        self.count = 0
        self.having: dict[tuple[int, str], int] = {}

    def copy(self) -> Rows:
        """Rows that change on their own."""
        new = Rows()
        new.count, new.having = self.count, self.having.copy()
        return new

    def add(self, operands: Operands) -> None:
        """Note one more e-node."""
        bit, having = 1 << self.count, self.having
        self.count += 1
        for place, made in enumerate(operands):
            for one in made:
                having[place, one] = having.get((place, one), 0) | bit

    def fit(self, wanted: Wanted) -> bool:
        """True where the operands of some e-node are what a term wants of them."""
        left = -1
        for place, one in enumerate(wanted):
            if one is not None:
                left &= self.having.get((place, one), 0)
                if not left:
                    return False
        return True


class OperandsSeen:
    """The operands of e-nodes by op, and which of the terms that rules asked for fit some."""

    def __init__(self, needs: Iterable[Need] = ()) -> None:
        self.seen: dict[str, Rows | None] = {}  # None for e-nodes with operands of all kinds
        self.found: set[tuple[str, Wanted]] = set()
        self.add(needs)

    def copy(self) -> OperandsSeen:
        """A record that goes on from here on its own."""
        new = OperandsSeen()
        new.seen = {op: rows and rows.copy() for op, rows in self.seen.items()}
        new.found = self.found.copy()
        return new

    def add(self, needs: Iterable[Need]) -> set[str]:
        """Note more e-nodes; the ops that have more of them now."""
        more = set()
        for need in needs:
            if isinstance(need, str) or isinstance(need[1], str):
                continue
            op, operands = need
            more.add(op)
            if operands == EVERY:
                self.seen[op] = None
            elif (rows := self.seen.setdefault(op, Rows())) is not None:
                rows.add(operands)
        return more

    def has(self, op: str, wanted: Wanted) -> bool:
        """True where some e-node of an op has operands as a term wants them, or nothing is said of its e-nodes."""
        if (op, wanted) in self.found:
            return True
        rows = self.seen.get(op)
        if rows is not None and not rows.fit(wanted):
            return False
        if op in self.seen:
            self.found.add((op, wanted))
        return True

    def lacking(self, rule: Rule) -> str | None:
        """The op of a term of a rule that fits no e-node; None where each fits some."""
        return next((op for op, wanted in rule.terms if not self.has(op, wanted)), None)


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
