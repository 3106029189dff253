"""The ops of a graph in groups that open: by name scope, else by the user's line, else by what repeats.

Each group is a stretch of an order in which the ops can be computed, so that no line leaves a group and comes back into it; a scope
with its gradients, between which other scopes lie, is therefore two groups.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby, pairwise
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply
from eqsat.inspect.page.order import runs
from eqsat.inspect.page.repeats import find_repeats

PLAIN = 60  # ops of a graph that is shown without groups, but for scopes
MOST = 18  # members of a group, and of the whole, above which they are grouped further
FEW = 4  # loose ops that stay loose between groups


@dataclass(eq=False)
class Group:
    """Ops and groups under one title; ``why`` says of what kind it is: scope, line, repeat or part."""

    title: str
    why: str
    members: list[Member]
    depth: int = 0  # names of scopes that groups around it have used
    lined: bool = False  # its ops are of one line
    around: Group | None = field(default=None, repr=False)

    def ops(self) -> Iterator[Apply]:
        """All ops inside, in order."""
        stack: list[Member] = list(reversed(self.members))
        while stack:
            member = stack.pop()
            if isinstance(member, Group):
                stack += reversed(member.members)
            else:
                yield member

    def within(self, title: str, why: str, members: Sequence[Member], lined: bool = False) -> Group:
        """A group of some of its members."""
        return Group(title, why, list(members), self.depth, self.lined or lined)


Member = Apply | Group


def grouped(nodes: Sequence[Apply], weights: Mapping[Apply, float], hidden: Container[Any] = ()) -> Group:
    """The ops of a graph, operands first, as one group of all; parts without another name are called by their heaviest op.

    Ops that are ``hidden`` do not count where members are counted and compared.

    >>> import eqsat, eqsat.tensor as T
    >>> from eqsat.graph.walk import toposort
    >>> v = T.dvector("x")
    >>> for layer in "ab":
    ...     with eqsat.name_scope(layer):
    ...         v = T.exp(T.sin(v))
    >>> [(g.title, len(g.members)) for g in grouped(toposort([v]), {}).members]
    [('a', 2), ('b', 2)]
    """
    whole = Group("", "whole", list(nodes))
    grouping = Grouping(weights, hidden, len(nodes) <= PLAIN)
    open_ = [whole]
    while open_:
        group = open_.pop()
        grouping.split(group)
        inner = [m for m in group.members if isinstance(m, Group)]
        for member in inner:
            member.around = group
        open_ += inner
    return whole


class Grouping:
    """Puts the members of groups into groups."""

    def __init__(self, weights: Mapping[Apply, float], hidden: Container[Any], small: bool) -> None:
        self.weights, self.hidden, self.small = weights, hidden, small

    def split(self, group: Group) -> None:
        """Put the members into groups by the first thing that tells them apart, while there are too many."""
        if all(isinstance(m, Apply) for m in group.members):
            group.members = self.by_scope(group)
        steps = [self.by_line] * (not group.lined) + [self.repeated, self.parts]
        for step in steps * (not self.small):
            if self.count(group.members) > MOST:
                group.members = step(group)

    def count(self, members: Sequence[Member]) -> int:
        """The number of members that are seen at first."""
        return sum(m not in self.hidden for m in members)

    def by_scope(self, group: Group) -> list[Member]:
        """The ops whose scopes go on in groups by the next name."""

        def key(node: Apply) -> str:
            names = scope_of(node).split("/")
            return names[group.depth] if len(names) > group.depth else ""

        found: list[Member] = []
        for name, run in runs(group.members, key, self.hidden):  # type: ignore[arg-type]
            alone = not name or len(run) == 1
            found += run if alone else [Group(name, "scope", list(run), group.depth + 1)]
        return found

    def by_line(self, group: Group) -> list[Member]:
        """The ops of one line that follow each other in groups; groups that are there stay where they are."""
        found: list[Member] = []
        for loose, members in groupby(group.members, lambda m: isinstance(m, Apply)):
            if not loose:
                found += members
                continue
            for line, run in runs(list(members), line_of, self.hidden):  # type: ignore[arg-type]
                several = line and self.count(run) > 1
                found += [group.within(line, "line", run, True)] if several else run
        if len(found) > 1:
            return found
        group.lined = True
        return group.members

    def repeated(self, group: Group) -> list[Member]:
        """Members that repeat as groups of their periods."""
        units = self.units(group.members)
        found: list[Member] = []
        done = 0
        for repeat in find_repeats([label(unit[-1]) for unit in units]):
            if repeat.period == 1 and repeat.times == len(units):
                return group.members  # nothing but one op again and again
            found += joined(units[done : repeat.start])
            done = repeat.end
            found.append(self.period(group, units[repeat.start : done], repeat.period))
        return found + joined(units[done:])

    def units(self, members: Sequence[Member]) -> list[list[Member]]:
        """Members that are seen, each behind the hidden ones that stand before it."""
        found: list[list[Member]] = [[]]
        for member in members:
            found[-1].append(member)
            if member not in self.hidden:
                found.append([])
        return found if found[-1] else found[:-1]

    def period(self, group: Group, units: list[list[Member]], period: int) -> Group:
        """The group of all periods of a repeat."""
        times, first = len(units) // period, units[0][-1]
        if period == 1:
            name = (stem(first.title) or "block") if isinstance(first, Group) else op_name(first)
            return group.within(f"{name} × {times}", "repeat", joined(units))
        pieces = [
            group.within(f"block {k + 1}", "part", joined(units[k * period : (k + 1) * period]))
            for k in range(times)
        ]
        return group.within(f"block × {times}", "repeat", pieces)

    def parts(self, group: Group) -> list[Member]:
        """Stretches of loose ops between groups as parts; stretches of about equal length where that leaves too many."""
        found: list[Member] = []
        for loose, run in groupby(group.members, lambda m: isinstance(m, Apply)):
            members = list(run)
            many = self.count(members) > FEW and len(members) < len(group.members)
            found += [self.part(group, members)] if loose and many else members
        if self.count(found) <= MOST:
            return found
        units = self.units(found)
        count = min(MOST, round(len(units) ** 0.5))
        cuts = [round(k * len(units) / count) for k in range(count + 1)]
        return [self.part(group, joined(units[start:end])) for start, end in pairwise(cuts)]

    def part(self, group: Group, members: list[Member]) -> Group:
        """A stretch of members, called by its heaviest op."""
        part = group.within("", "part", members)
        seen = [n for n in part.ops() if n not in self.hidden] or list(part.ops())
        part.title = f"{op_name(max(seen, key=lambda n: self.weights.get(n, 0.0)))} …"
        return part


def joined(units: Sequence[Sequence[Member]]) -> list[Member]:
    """The members of some stretches."""
    return [m for unit in units for m in unit]


def label(member: Member) -> Hashable:
    """The text by which members are told to be alike: the op, or the title of a group without its numbers."""
    return (stem(member.title), member.why) if isinstance(member, Group) else op_name(member)


def stem(title: str) -> str:
    """A title without the numbers that count its kin; a line keeps them.

    >>> stem("block11"), stem("11"), stem("train.py:41")
    ('block', '', 'train.py:41')
    """
    return title if re.search(r":\d+$", title) else re.sub(r"[\d_.\s]+$", "", title)


def scope_of(node: Apply) -> str:
    """The scope of an op."""
    return node.outputs[0].scope if node.outputs else ""


def line_of(node: Apply) -> str:
    """The user's line that made an op."""
    return (node.outputs[0].made_at or "") if node.outputs else ""


def op_name(node: Apply) -> str:
    """The name of an op without its parameters."""
    return str(node.op).partition("{")[0]
