"""Rules that an e-graph does not hold yet: each waits until all tables that it reads have rows, and something reads its results.

egglog takes long to add a rule, copies it for every session, and tries it in every run. A rule that reads an empty table
does nothing, and rows that nobody reads are of no use; so neither is there before its time. What fills tables ends before
rules that rewrite run, and what has come to be needed is added in between: the same rows are found as with all rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from eqsat.egraph.views import end_of_body

DECLARED = re.compile(r"\((?:relation|function|constructor) (\S+)")
SET = re.compile(r"\(set \((\S+)")
WORD = re.compile(r"\((\w+)")
JOINING = {"union", "subsume"}


class Uses(NamedTuple):
    """The words of a rule: of its body, of its head, and whether it changes classes, whatever is read."""

    reads: frozenset[str]
    writes: frozenset[str]
    acts: bool


@lru_cache(maxsize=1 << 14)
def uses_of(rule: str) -> Uses:
    """The words that stand in a rule in places of tables.

    >>> uses = uses_of("(rule ((= e (o_neg x)) (finite x)) ((finite e)) :ruleset facts)")
    >>> sorted(uses.reads), sorted(uses.writes), uses.acts
    (['finite', 'o_neg'], ['finite'], False)
    """
    middle = end_of_body(rule)
    assert middle > 0, rule
    reads, writes = frozenset(WORD.findall(rule, 0, middle)), frozenset(WORD.findall(rule, middle))
    return Uses(reads - {"rule"}, writes, not writes.isdisjoint(JOINING))


class Stock:
    """The rules that wait, and what is known of tables.

    ``outside`` are tables that Python reads, ``asked`` beginnings of the names of others, ``given`` of those that it fills.
    """

    def __init__(
        self, outside: Iterable[str] = (), asked: tuple[str, ...] = (), given: tuple[str, ...] = ()
    ) -> None:
        self.asked, self.given = asked, given
        self.numbers: dict[str, int] = {}  # of all rules, in the order in which they came
        self.unable: dict[str, Uses] = {}  # rules that read what nothing fills,
        self.unread: dict[str, Uses] = {}  # others that write what nothing reads,
        self.waiting: dict[str, Uses] = {}  # and those that wait for rows
        self.tables: set[str] = set()
        self.filled: set[str] = set()  # tables that have rows,
        self.fillable: set[str] = set()  # that may come to have some,
        self.read: set[str] = set(outside)  # and that something reads

    def copy(self) -> Stock:
        """A stock that changes on its own."""
        new = Stock(self.read, self.asked, self.given)
        for name, value in vars(self).items():
            setattr(new, name, value if isinstance(value, tuple) else value.copy())
        return new

    def put(self, lines: Sequence[str]) -> list[str]:
        """Lay in rules; other commands come back, since they are to be run."""
        rules = [line for line in lines if line.startswith("(rule ")]
        others = [line for line in lines if not line.startswith("(rule ")]
        names = [found[1] for line in others if (found := DECLARED.match(line))]
        self.tables.update(names)
        self.read.update(name for name in names if name.startswith(self.asked))
        self.filled.update(found[1] for line in others if (found := SET.match(line)))
        self.fillable.update(self.filled, (name for name in names if name.startswith(self.given)))
        self.unable.update((rule, uses_of(rule)) for rule in rules)
        self.numbers.update({rule: len(self.numbers) + k for k, rule in enumerate(rules)})
        if rules:
            self.sort()
        return others

    def sort(self) -> None:
        """Find the rules that may fire, and of these the ones that something asks for."""
        while found := fit(self.unable, self.tables - self.fillable):
            self.fillable.update(*(self.unable[rule].writes for rule in found))
            self.unread.update((rule, self.unable.pop(rule)) for rule in found)
        while found := [
            r for r, uses in self.unread.items() if uses.acts or not uses.writes.isdisjoint(self.read)
        ]:
            self.read.update(*(self.unread[rule].reads & self.tables for rule in found))
            self.waiting.update((rule, self.unread.pop(rule)) for rule in found)

    def take(self, filled: Iterable[str] = ()) -> list[str]:
        """Take out the rules that are needed now that some more tables have rows, in the order in which they came."""
        self.filled.update(filled)
        lines = sorted(fit(self.waiting, self.tables - self.filled), key=self.numbers.__getitem__)
        for rule in lines:
            del self.waiting[rule]
        return lines


def fit(rules: Mapping[str, Uses], empty: Set[str]) -> list[str]:
    """The rules that read none of some tables."""
    return [rule for rule, uses in rules.items() if uses.reads.isdisjoint(empty)]
