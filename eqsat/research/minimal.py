"""Rules of a set that follow from the rest, so that fewer rules are enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.inspect.explanation.explanation import Explanation
from eqsat.research.derivation import derived, without
from eqsat.rules.pattern import subterms
from eqsat.rules.rule import Rule, RuleSet, select_rules

__all__ = ["Judged", "Minimal", "minimise"]

HEAD = ("rule", "is", "follows from", "e-nodes", "seconds")
BUILT_IN = "what is built in"


@dataclass(frozen=True)
class Judged:
    """A rule, the verdict of ``derive`` on it, and the steps where it follows from those that are left.

    Units    ``seconds`` of the clock
    """

    rule: Rule
    verdict: str
    steps: Explanation | None
    enodes: int
    seconds: float

    @property
    def kept(self) -> bool:
        """True for a rule that was not shown to follow."""
        return self.steps is None

    @property
    def implied_by(self) -> list[str]:
        """The names of the rules that it follows from; none for one that is kept, or that what is built in implies."""
        steps = () if self.steps is None else self.steps.rules
        return [r.name for r in steps]

    def as_json(self) -> dict[str, Any]:
        """Fields as JSON and tables of other libraries hold them."""
        return {
            "rule": self.rule.name,
            "kept": self.kept,
            "verdict": self.verdict,
            "implied_by": self.implied_by,
            "enodes": self.enodes,
            "seconds": round(self.seconds, 3),
        }

    def row(self) -> tuple[str, ...]:
        """The cells of a table: rule, kept or dropped, what implies it, e-nodes, seconds."""
        why = f"({self.verdict})" if self.kept else ", ".join(self.implied_by) or BUILT_IN
        return (
            self.rule.name,
            "kept" if self.kept else "dropped",
            why,
            str(self.enodes),
            f"{self.seconds:.2f}",
        )


@dataclass(eq=False, repr=False)
class Minimal:
    """The answer of ``minimise``: ``kept`` is a set of rules from which the others follow, ``judged`` has every rule.

    Units    ``seconds`` of the clock

    >>> import eqsat
    >>> eqsat.minimise(["neg-neg", "log-exp"])
    <Minimal: 2 of 2 rules>
    """

    kept: RuleSet
    judged: list[Judged]
    seconds: float

    @classmethod
    def of(cls, rules: RuleSet, judged: list[Judged], seconds: float) -> Minimal:
        """Rules without those that were dropped."""
        gone = {j.rule.name for j in judged if not j.kept}
        made = gone - {r.name for r in rules.rules}  # by schemes, which stay schemes
        left = [r for r in rules.rules if r.name not in gone]
        return cls(RuleSet([*left, *rules.schemes], rules.off | made), judged, seconds)

    @property
    def dropped(self) -> list[Judged]:
        """The rules that follow from those that are kept."""
        return [j for j in self.judged if not j.kept]

    @property
    def implied_by(self) -> dict[str, list[str]]:
        """For each rule that is dropped the names of those that it follows from."""
        return {j.rule.name: j.implied_by for j in self.dropped}

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each rule in the order in which they were asked for, as tables of other libraries take them."""
        return [j.as_json() for j in self.judged]

    def summary(self) -> str:
        """The numbers of rules, in words."""
        untried = sum(j.kept and not j.enodes for j in self.judged)
        words = f"{len(self.judged) - len(self.dropped)} of {len(self.judged)} rules are enough"
        more = f", of which {untried} were not tried" if untried else ""
        return f"{words}{more}; {len(self.dropped)} follow from them ({self.seconds:.1f} s)"

    def __str__(self) -> str:
        return "\n".join([table(HEAD, [j.row() for j in self.judged], right=(3, 4)), self.summary()])

    def __repr__(self) -> str:
        return f"<Minimal: {len(self.judged) - len(self.dropped)} of {len(self.judged)} rules>"

    def _repr_html_(self) -> str:
        rows = [j.row() for j in self.judged]
        return notebook_table("Rules that are enough", HEAD, rows, self.summary(), right=(3, 4))


def minimise(rules: Any, from_: Any = (), size: int | None = None, seconds: float = 10.0) -> Minimal:
    """Leave out the rules of a set that follow from the rest; see ``derive``.

    Rules are asked for one after the other, and each that follows from the rest is dropped: first rules that are written one by
    one, then those of schemes, the longest and those with most conditions first, so that short and general rules stay. Each that
    is dropped follows from those that are kept. Another order may leave fewer. ``from_`` has rules that hold besides, of which none is dropped; what ops are
    declared to obey holds always. ``size`` and ``seconds`` are the limits for each rule, as in ``derive``.

    Errors   RuleError for a name that no rule has

    >>> import eqsat, eqsat.tensor as T
    >>> x = eqsat.metavars("x")
    >>> one, two = eqsat.rule("one", -(-x), x), eqsat.rule("two", T.exp(-(-x)), T.exp(x))
    >>> found = eqsat.minimise([one, two])
    >>> [r.name for r in found.kept], found.implied_by
    (['one'], {'two': ['one']})
    """
    start, chosen = time.monotonic(), select_rules(rules)
    judged = {one.rule.name: one for one in judgements(chosen, from_, size, seconds)}
    return Minimal.of(chosen, [judged[r.name] for r in in_order(chosen)], time.monotonic() - start)


def judgements(rules: RuleSet, from_: Any, size: int | None, seconds: float) -> Iterator[Judged]:
    """Each rule, once it is known whether it follows from those that are kept; see ``enough``."""
    known = select_rules(list(from_) if isinstance(from_, tuple) else from_) + rules
    with Progress("minimise", len(rules)) as progress:
        for rule, found in enough(
            in_order(rules), known, lambda r, others: derived(r, others, size, seconds)
        ):
            answer = found.answer
            yield Judged(
                rule,
                found.verdict,
                found.explain(seconds) if found else None,
                0 if answer is None else answer.enodes,
                0.0 if answer is None else answer.seconds,
            )
            progress.step(rule.name)


def enough(
    rules: Iterable[Rule], known: RuleSet, follows: Callable[[Rule, RuleSet], Any]
) -> Iterator[tuple[Rule, Any]]:
    """Each rule with the answer whether it follows from those that are kept, those first that stay in any case.

    One after the other is dropped that follows from those left at the time. A proof may need a rule that is dropped later: an
    e-graph applies a rule to each of its sides, but not all steps of its proof, which may meet in the middle. So those that are
    dropped are asked for again, the last one first, and what does not follow from those that are kept is kept too.
    """
    gone: list[Rule] = []
    for rule in rules:
        found = follows(rule, without(known, *(r.name for r in gone), rule.name))
        if found:
            gone.append(rule)
        else:
            yield rule, found
    back: set[str] = set()
    for rule in reversed(gone):
        found = follows(rule, without(known, *(r.name for r in gone if r.name not in back)))
        yield rule, found
        if not found:
            back.add(rule.name)


def in_order(rules: RuleSet) -> list[Rule]:
    """Rules in the order in which they are asked for: those that had better be dropped first."""
    return sorted(rules, key=lambda r: (bool(r.scheme), -length(r), -conditions(r), r.name))


def length(rule: Rule) -> int:
    """The number of ops, variables and numbers on both sides."""
    return sum(1 for pair in rule.pairs for side in pair for _ in subterms(side))


def conditions(rule: Rule) -> int:
    """The number of facts that a rule asks for."""
    return len(rule.when.facts) if rule.when is not None else 0
