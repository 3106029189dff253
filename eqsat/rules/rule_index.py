"""The rules of a set, filed by the ops that they need: those that can fire in a graph are found without a look at the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.equality import Need, Rule, together
from eqsat.rules.schemes.scheme import Chosen


@dataclass(frozen=True)
class Woken:
    """A scheme that holds for an op, what wakes it, and its rules for that op."""

    needs: frozenset[Need]
    chosen: Chosen
    op: Declaration

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules for the op, made when they are first asked for."""
        return self.chosen.rules(self.op)


class RuleIndex:
    """Files each rule under the rarest of its needs, and each scheme under the needs of the ops that were asked for."""

    def __init__(self, rules: Sequence[Rule], schemes: Sequence[Chosen], off: Set[str]) -> None:
        self.schemes, self.off = schemes, off
        self.filed: dict[Need, list[Rule]] = {}
        self.waking: dict[str, tuple[int, list[Woken]]] = {}
        count = Counter(need for r in rules for need in r.needs)
        for r in rules:
            rarest = min(r.needs, key=count.__getitem__)
            self.filed.setdefault(rarest, []).append(r)

    def able(self, ops: Set[Need]) -> list[Rule]:
        """The rules all of whose needs are among some ops and pairs of them, in the order of names."""
        written = (r for need in ops for r in self.filed.get(need, ()) if r.needs <= ops)
        return together(written, (r for r in self.made(ops) if r.needs <= ops and r.name not in self.off))

    def made(self, ops: Set[Need]) -> Iterator[Rule]:
        """The rules of the schemes that are woken by some ops."""
        for name in [need for need in ops if isinstance(need, str)]:
            d = OPS.find(name)
            for woken in self.woken(d) if d is not None else ():
                if not woken.needs.isdisjoint(ops):
                    yield from woken.rules

    def woken(self, d: Declaration) -> list[Woken]:
        """The schemes that hold for an op, each with what wakes it."""
        known = self.waking.get(d.name)
        if known is None or known[0] != OPS.version:
            fits = [c for c in self.schemes if c.scheme.holds(d)]
            known = self.waking[d.name] = (
                OPS.version,
                [Woken(frozenset(c.scheme.needs(d.name)), c, d) for c in fits],
            )
        return known[1]
