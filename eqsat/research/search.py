"""The search for rules: candidates of one size after the other follow from what is known, become rules, or are refused."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import EqsatWarning
from eqsat.research.batch import Answer, Pair, Question, asked
from eqsat.research.candidate import Candidate, Trial, candidates, name_of, tried
from eqsat.research.derivation import derived
from eqsat.research.minimal import enough
from eqsat.research.said import Given
from eqsat.research.scopes import Conditions
from eqsat.research.tensor_terms import TensorConditions
from eqsat.research.terms import Table, Terms
from eqsat.research.work import Work, digest
from eqsat.rules.rule import Rule, RuleSet
from eqsat.verify import verify_set

BLOCK = 96  # candidates in one e-graph
AT_ONCE = 16  # blocks that are asked for with the same rules
STEP = 6  # rules that are chosen before those that follow from them are left out
GRAPHS = 12  # on which all rules are tried together
ROWS = 20_000
SECONDS = 60.0  # of one e-graph; a search that is over waits for it


@dataclass(frozen=True)
class Trying:
    """A candidate that is to become a rule under one of some conditions."""

    terms: Table
    candidate: Candidate
    conditions: list[Given]
    seed: int


def try_one(task: Trying) -> Trial:
    """The end of a candidate."""
    return tried(task.terms, task.candidate, task.conditions, task.seed)


@dataclass(frozen=True)
class Deriving:
    """A rule that may follow from others."""

    rule: Rule
    others: RuleSet


@dataclass(frozen=True)
class Follows:
    """True where a rule follows."""

    follows: bool

    def __bool__(self) -> bool:
        return self.follows


def derive_one(task: Deriving) -> Follows:
    """The answer whether a rule follows."""
    return Follows(bool(derived(task.rule, task.others, ROWS, SECONDS)))


@dataclass(frozen=True)
class Blamed:
    """The names of rules that contradict others."""

    names: list[str]


def blame(task: tuple[RuleSet, int]) -> Blamed:
    """The rules that contradict others on drawn graphs."""
    rules, seed = task
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", EqsatWarning
        )  # what is refused is noticed, and rewritten with fewer rules
        wrong = verify_set(rules, GRAPHS, seed, seconds=SECONDS).wrong
    return Blamed(sorted({r.name for b in wrong for r in b.rules}))


class Search:
    """The rules found so far, and what limits the search for more."""

    def __init__(
        self,
        terms: Terms,
        known: RuleSet,
        seconds: float,
        seed: int,
        work: Work,
        conditions: Conditions | TensorConditions | None,
    ) -> None:
        self.terms, self.known, self.seed, self.work, self.conditions = terms, known, seed, work, conditions
        self.end = time.monotonic() + seconds
        self.found: list[Rule] = []
        self.chosen: dict[str, Candidate] = {}
        self.refused: list[tuple[str, str]] = []
        self.twins: dict[str, list[Candidate]] = {}
        self.key, self.told = known.key(), [said.fact for said in conditions.facts] if conditions else []
        self.count, self.stopped = 0, False

    def over(self) -> bool:
        """True once the time is over."""
        self.stopped = self.stopped or time.monotonic() >= self.end
        return self.stopped

    def rules(self, more: Sequence[Rule] = ()) -> RuleSet:
        """The rules known before, and those found by now."""
        return RuleSet([*self.known.members, *self.found, *more], self.known.off)

    # --------------------------------------------------------------------------------------------- candidates

    def look(self, size: int) -> None:
        """Make the terms of a size, and choose rules among those that are equal to others."""
        self.among([Pair(k, self.terms.first[k]) for k in self.terms.grow(size)])
        if self.conditions is not None and not self.over():
            self.among(self.conditions.pairs(size))

    def among(self, pairs: Any) -> None:
        """Choose rules among pairs, until each follows or is refused."""
        found = candidates(self.terms, pairs)
        self.twins |= found
        self.count += len(found)
        rest = self.sound([some[0] for some in found.values()])
        for start in range(0, len(rest), BLOCK):
            self.choose(self.sound(rest[start : start + BLOCK]) if start else rest[:BLOCK])

    def choose(self, rest: list[Candidate]) -> None:
        """Choose rules among candidates, the smallest first, until each follows or is refused."""
        while rest and not self.over():
            step, rest = rest[:STEP], rest[STEP:]
            made = []
            for one, trial in zip(step, self.trials(step), strict=True):
                rule = self.named(one, trial)
                made += [rule] if rule is not None else []
                if rule is None or rule.when is not None and not one.pair.given:
                    rest += self.split(one)
            rest = self.taken(made, rest)

    def trials(self, step: list[Candidate]) -> list[Trial]:
        """The ends of some candidates."""
        tasks = [Trying(self.part([c]), c, self.weaker(c), self.seed) for c in step]
        keys = [(c.text, *self.told) for c in step]
        return self.work.each(Trial, try_one, list(zip(keys, tasks, strict=True)))

    def weaker(self, one: Candidate) -> list[Given]:
        """The conditions under which a candidate is tried, the weakest first."""
        pair = one.pair
        if self.conditions is None:
            return [pair.given]
        weakest = pair.given or self.conditions.weakest(pair, ()) or ()
        more = list(self.conditions.stronger(weakest, one.names))
        return more if weakest == pair.given else [pair.given, *more]

    def named(self, one: Candidate, trial: Trial) -> Rule | None:
        """The rule of a candidate; None where it keeps no promise."""
        if not trial.tier:
            self.refused.append((one.text, trial.why))
            return None
        made = self.ended(one, trial)
        name = name_of(self.terms, made, {*self.chosen, *(r.name for r in self.known.rules)})
        self.chosen[name] = made
        return made.rule(self.terms, name, trial.tier, tuple(trial.tags))

    def ended(self, one: Candidate, trial: Trial) -> Candidate:
        """The candidate in the way and under the condition in which it keeps a promise."""
        given = self.weaker(one)[trial.condition]
        return one.under(tuple(given[k] for k in trial.needed), trial.turned)

    def split(self, one: Candidate) -> list[Candidate]:
        """Terms are no longer taken to be equal; those that stand for them now make other candidates."""
        if one.pair.given:
            return []
        places = [twin.pair.left for twin in self.twins[one.text]]
        pairs = [Pair(k, same) for k in places if (same := self.terms.apart(k)) is not None]
        found = candidates(self.terms, pairs)
        self.twins |= found
        self.count += len(found)
        return [some[0] for some in found.values()]

    # ------------------------------------------------------------------------------------------- what follows

    def part(self, among: Sequence[Candidate]) -> Table:
        """The terms of some candidates."""
        return self.terms.part(k for c in among for k in (c.pair.left, c.pair.right))

    def answers(self, parts: Sequence[list[Candidate]], more: Sequence[Rule] = ()) -> Iterator[Answer]:
        """For each list of candidates those that do not follow from the rules, all lists with the same rules."""
        rules = self.rules(more)
        key = digest_of(self.key, rules)
        for start in range(0, len(parts), AT_ONCE):
            if self.over():
                return
            some = parts[start : start + AT_ONCE]
            tasks = [
                Question(self.part(part), [c.pair for c in part], rules, self.terms.variables, SECONDS)
                for part in some
            ]
            keys = [(*(c.text for c in part), key) for part in some]
            yield from self.work.each(Answer, asked, list(zip(keys, tasks, strict=True)))

    def sound(self, among: list[Candidate]) -> list[Candidate]:
        """The candidates that do not follow; those on which the rules contradict each other are refused."""
        rest: list[Candidate] = []
        parts = [among[k : k + BLOCK] for k in range(0, len(among), BLOCK)]
        while parts:
            halves: list[list[Candidate]] = []
            for part, answer in zip(parts, self.answers(parts)):  # fewer where the time is over
                if not answer.contradiction:
                    rest += [part[k] for k in answer.apart]
                elif len(part) > 1:
                    halves += [part[: len(part) // 2], part[len(part) // 2 :]]
                else:
                    self.refused.append((part[0].text, "the rules contradict each other on its sides"))
                    self.split(part[0])
            parts = halves
        return sorted(rest, key=lambda c: c.score)

    def taken(self, made: list[Rule], rest: list[Candidate]) -> list[Candidate]:
        """Add rules, without those that contradict others; the candidates that are left."""
        if not made:
            return rest
        own = [self.chosen[r.name] for r in made]
        answer = next(self.answers([[*own, *rest]], made), None)
        if answer is None or not answer.contradiction:
            self.found += made
            return [] if answer is None else [rest[k - len(own)] for k in answer.apart if k >= len(own)]
        if len(made) == 1:
            self.refuse(made[0], "it contradicts other rules")
            return rest
        for rule in made:
            rest = self.taken([rule], rest)
        return rest

    def refuse(self, rule: Rule, why: str) -> None:
        """Leave out a rule that was chosen."""
        self.found = [r for r in self.found if r is not rule]
        self.refused.append((self.chosen.pop(rule.name).text, why))

    # ---------------------------------------------------------------------------------------------- at the end

    def minimise(self) -> None:
        """Leave out rules that follow from the others, large ones first."""

        def follows(rule: Rule, others: RuleSet) -> Follows:
            if self.over():
                return Follows(False)
            key = (str(rule), digest_of(self.key, others))
            return self.work.each(Follows, derive_one, [(key, Deriving(rule, others))])[0]

        large = sorted(self.found, key=lambda r: self.chosen[r.name].score, reverse=True)
        gone = {rule.name for rule, follow in enough(large, self.rules(), follows) if follow}
        self.found = [r for r in self.found if r.name not in gone]

    def together(self) -> None:
        """Leave out rules that contradict others on drawn graphs."""
        for _ in range(len(self.found)):
            if self.over():
                return
            kept = [r for r in self.found if r.tier != "loose"]
            if all(r.tier == "exact" for r in kept):
                return
            rules = RuleSet([*self.known.members, *kept], self.known.off)
            key = (digest_of(self.key, rules), str(self.seed))
            names = set(self.work.each(Blamed, blame, [(key, (rules, self.seed))])[0].names)
            blamed = [r for r in self.found if r.name in names]
            if not blamed:
                return
            last = max(blamed, key=lambda r: self.chosen[r.name].score)
            self.refuse(last, "it contradicts other rules on drawn graphs")


def digest_of(known: str, rules: RuleSet) -> str:
    """Text of what is known and of the rules that are written one by one."""
    return digest([known, *(r.whole for r in rules.rules)])
