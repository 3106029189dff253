"""The rules of a set, filed by the ops that they need: those that can fire in a graph are found without a look at the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.equality import Need, Rule, together
from eqsat.rules.schemes.scheme import Chosen


@dataclass(frozen=True)
class Woken:
    """A scheme that may hold for an op, what wakes it, and its rules for that op."""

    needs: frozenset[Need]
    chosen: Chosen
    op: Declaration

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules for the op, made when they are first asked for."""
        return self.chosen.rules(self.op)


class RuleIndex:
    """Files each rule under each of its needs, and each scheme under the needs of the ops that were asked for."""

    def __init__(self, rules: Sequence[Rule], schemes: Sequence[Chosen], off: Set[str]) -> None:
        self.schemes, self.off = schemes, off
        self.written: dict[Need, list[Rule]] = {}
        for r in rules:
            for need in r.needs:
                self.written.setdefault(need, []).append(r)
        self.version = OPS.version
        self.waking: dict[str, list[Woken]] = {}
        self.asleep: dict[Need, list[Woken]] = {}  # by what wakes them
        self.made: dict[Need, list[tuple[Woken, Rule]]] = {}  # of the schemes that were woken

    def able(self, ops: Set[Need], fresh: Set[Need]) -> list[Rule]:
        """The rules that can fire among some ops and pairs of them, and could not before some were ``fresh``, by name."""
        written = (r for need in fresh for r in self.written.get(need, ()) if r.needs <= ops)
        made = (r for r in self._made(ops, fresh) if r.needs <= ops and r.name not in self.off)
        return together(written, made)

    def _made(self, ops: Set[Need], fresh: Set[Need]) -> Iterator[Rule]:
        """Rules of the schemes that some ops wake: all where fresh ones do, and those that have a fresh need."""
        if self.version != OPS.version:
            self.version = OPS.version
            for filed in (self.waking, self.asleep, self.made):
                filed.clear()
        for name in [need for need in fresh if isinstance(need, str)]:
            d = OPS.find(name)
            for woken in self._woken(d) if d is not None else ():
                if not woken.needs.isdisjoint(ops):
                    yield from self._rules(woken)
        for need in fresh:
            for woken in self.asleep.get(need, ()):
                if woken.op.name in ops and all(n in fresh or n not in ops for n in woken.needs):
                    yield from self._rules(woken)
        for need in fresh:
            for woken, r in self.made.get(need, ()):
                if woken.op.name in ops and not woken.needs.isdisjoint(ops):
                    yield r

    def _rules(self, woken: Woken) -> list[Rule]:
        """The rules of a scheme for an op, filed when they are made."""
        if "rules" not in vars(woken):
            for r in woken.rules:
                for need in r.needs:
                    self.made.setdefault(need, []).append((woken, r))
        return woken.rules

    def _woken(self, d: Declaration) -> list[Woken]:
        """The schemes that may hold for an op, each filed under what wakes it."""
        known = self.waking.get(d.name)
        if known is None:
            fits = [c for c in self.schemes if c.scheme.declares(d)]
            known = self.waking[d.name] = [Woken(frozenset(c.scheme.needs(d.name)), c, d) for c in fits]
            for woken in known:
                for need in woken.needs:
                    self.asleep.setdefault(need, []).append(woken)
        return known
