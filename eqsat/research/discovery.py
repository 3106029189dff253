"""Rules that are there to find: terms over some ops that are equal, and that no rule shows to be equal."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, EqsatWarning
from eqsat.research.batch import asked, asked_alone
from eqsat.research.candidate import DOMAINS, Candidate, candidates, name_of, tried
from eqsat.research.derivation import derived, without
from eqsat.research.rule_file import file_text
from eqsat.research.terms import Terms, check_dtype, chosen_ops, numbers_of
from eqsat.rules.rule import Rule, RuleSet, select_rules
from eqsat.verify import verify_set

__all__ = ["Discovery", "discover"]

STEP = 4  # rules that are chosen before those that follow from them are left out
SHARE = 64  # ... or this part of the candidates, where they are many
GRAPHS = 12  # on which all rules are tried together
ROWS = 20_000
HEAD = ("rule", "left", "right", "tier")


@dataclass(eq=False, repr=False)
class Discovery:
    """The answer of ``discover``: rules, in the order in which they were found, and what became of the other candidates.

    ``terms`` counts the terms that were made, ``candidates`` the pairs of equal values up to names of variables, ``follow``
    those that rules show to be equal. ``refused`` has those that keep no promise, with the reason. ``stopped`` is true where
    the time ended it.

    Units    ``seconds`` of the clock

    >>> import eqsat
    >>> found = eqsat.discover("neg,abs", size=3, from_=[])
    >>> [str(rule.equation) for rule in found.rules]
    ['neg(neg(x)) = x', 'abs(abs(x)) = abs(x)', 'abs(neg(x)) = abs(x)']
    """

    rules: list[Rule] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    terms: int = 0
    candidates: int = 0
    follow: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)
    stopped: bool = False
    seconds: float = 0.0
    domain: str = "float"

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __str__(self) -> str:
        rows = [(r.name, str(r.left), str(r.right), r.tier) for r in self.rules]
        counts = f"{self.terms:,} terms, {self.candidates:,} candidates, {self.follow:,} follow, {len(self.refused):,} refused"
        last = f"{len(self.rules)} rules: {counts}, {self.seconds:.1f} s"
        lines = [table(HEAD, rows)] if rows else []
        lines += (
            ["the time was over before all terms of this size had been looked at"] if self.stopped else []
        )
        return "\n".join([*lines, last])

    def __repr__(self) -> str:
        return f"<Discovery of {len(self.rules)} rules>"

    def python(self, modules: Sequence[str] = ()) -> str:
        """The rules as the text of a Python file, which ``eqsat rules verify FILE`` reads.

        ``modules`` declare ops; the file loads them first.

        >>> import eqsat
        >>> print(eqsat.discover("neg", size=3, from_=[]).python().splitlines()[-2].strip())
        eqsat.rule("found-neg-neg", T.neg(T.neg(x)), x, tier="exact"),
        """
        return file_text(self.rules, self.texts, self.domain, modules)


class Search:
    """The rules found so far, and what limits the search for more."""

    def __init__(self, terms: Terms, known: RuleSet, seconds: float, seed: int) -> None:
        self.terms, self.known, self.seed = terms, known, seed
        self.end = time.monotonic() + seconds
        self.found = Discovery()
        self.chosen: dict[str, Candidate] = {}
        self.done: set[str] = set()

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.monotonic()

    def rules(self, more: Sequence[Rule] = ()) -> RuleSet:
        """The rules known before, and those found by now."""
        return RuleSet([*self.known.members, *self.found.rules, *more], self.known.off)

    def promising(self) -> RuleSet:
        """The rules found by now that promise more than equality over the reals, with what was known before."""
        kept = [r for r in self.found.rules if r.tier != "loose"]
        return RuleSet([*self.known.members, *kept], self.known.off)

    def over(self) -> bool:
        """True once the time is over."""
        self.found.stopped = self.found.stopped or self.left <= 0
        return self.found.stopped

    def apart(self, among: list[Candidate], more: Sequence[Rule] = ()) -> list[Candidate] | None:
        """The candidates that do not follow from the rules; None where the rules contradict each other."""
        answer = asked(self.terms, [c.pair for c in among], self.rules(more), max(self.left, 1.0))
        stay = set(answer.apart)
        return None if answer.contradiction else [c for c in among if c.pair in stay]

    def look(self, among: list[Candidate]) -> None:
        """Choose rules among the candidates of one size, until each follows or is refused."""
        self.found.candidates += len(among)
        rest = self.sound(among)
        while rest and not self.over():
            self.choose(rest)
            rest = self.helped(among)

    def choose(self, rest: list[Candidate]) -> None:
        """Choose rules among candidates, the smallest first, until each follows or is refused."""
        while rest and not self.over():
            count = max(STEP, len(rest) // SHARE)
            step, rest = rest[:count], rest[count:]
            self.done |= {c.text for c in step}
            made = [rule for c in step if (rule := self.tried(c)) is not None]
            rest = self.taken(made, rest)

    def helped(self, among: list[Candidate]) -> list[Candidate]:
        """The candidates that followed only because terms of others were there."""
        among = [c for c in among if c.text not in self.done]
        stay = set(asked_alone(self.terms, [c.pair for c in among], self.rules(), max(self.left, 1.0)))
        return [c for c in among if c.pair in stay]

    def sound(self, among: list[Candidate]) -> list[Candidate]:
        """The candidates that do not follow; those on which the rules contradict each other are refused."""
        rest: list[Candidate] = []
        parts = [among] if among else []
        while parts:
            part = parts.pop()
            apart = self.apart(part)
            if apart is not None:
                rest += apart
            elif len(part) > 1:
                parts += [part[len(part) // 2 :], part[: len(part) // 2]]
            else:
                self.found.refused.append((part[0].text, "the rules contradict each other on its sides"))
        return rest

    def tried(self, one: Candidate) -> Rule | None:
        """The rule of a candidate; None where it keeps no promise."""
        taken = {*self.chosen, *(r.name for r in self.known.rules)}
        name = name_of(self.terms, one, taken)
        trial = tried(self.terms, one, name, self.seed)
        if trial.rule is None:
            self.found.refused.append((one.text, trial.why))
        else:
            self.chosen[name] = trial.candidate
        return trial.rule

    def taken(self, made: list[Rule], rest: list[Candidate]) -> list[Candidate]:
        """Add rules, without those that contradict others; the candidates that are left."""
        apart = self.apart([*(self.chosen[r.name] for r in made), *rest], made)
        if apart is not None:
            self.found.rules += made
            return [c for c in apart if c in rest]
        if len(made) == 1:
            self.refuse(made[0], "it contradicts other rules")
            return rest
        for rule in made:
            rest = self.taken([rule], rest)
        return rest

    def refuse(self, rule: Rule, why: str) -> None:
        """Leave out a rule that was chosen."""
        self.found.rules = [r for r in self.found.rules if r is not rule]
        self.found.refused.append((self.chosen.pop(rule.name).text, why))

    def minimise(self) -> None:
        """Leave out rules that follow from the others, large ones first."""
        for rule in sorted(self.found.rules, key=lambda r: self.chosen[r.name].score, reverse=True):
            if self.over():
                return
            others = without(self.rules(), rule.name)
            if derived(rule, others, ROWS, max(self.left, 1.0)):
                self.found.rules = [r for r in self.found.rules if r is not rule]

    def answer(self, seconds: float) -> Discovery:
        """The discovery, with the text of each rule."""
        found = self.found
        found.seconds, found.terms = seconds, len(self.terms.nodes)
        found.follow = found.candidates - len(found.rules) - len(found.refused)
        found.domain = DOMAINS[self.terms.dtype]
        named: dict[str, Rule] = {}
        for rule in found.rules:
            one = self.chosen[rule.name]
            name = name_of(self.terms, one, {*named, *(r.name for r in self.known.rules)})
            named[name] = one.rule(self.terms, name, rule.tier, tuple(rule.tags))
            found.texts[name] = one.declared(self.terms, named[name])
        found.rules = list(named.values())
        return found

    def together(self) -> None:
        """Leave out rules that contradict others on drawn graphs."""
        for _ in range(len(self.found.rules)):
            if not self.found.rules:
                return
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", EqsatWarning
                )  # what is refused is noticed, and rewritten with fewer rules
                wrong = verify_set(self.promising(), GRAPHS, self.seed, seconds=60.0).wrong
            blamed = {r.name for b in wrong for r in b.rules} & self.chosen.keys()
            if not blamed:
                return
            last = max(
                (r for r in self.found.rules if r.name in blamed), key=lambda r: self.chosen[r.name].score
            )
            self.refuse(last, "it contradicts other rules on drawn graphs")


def discover(
    ops: Any,
    size: int = 5,
    dtype: str = "float64",
    from_: Any = None,
    seconds: float = 600.0,
    seed: int = 0,
    numbers: Sequence[float] | None = None,
) -> Discovery:
    """Look for rules over some ops: terms that are equal, and that the rules known before do not show to be equal.

    ``ops`` are elementwise ops or their names, your own among them. All terms of up to ``size`` variables, numbers and
    ops are made, over three variables and the numbers of which the declarations of the ops speak (``numbers`` names others).
    Those of equal values at drawn points are candidates. Step by step the smallest is written as a rule, in the tier whose
    promise it keeps, and what follows from it is left out. ``from_`` is what ``optimize`` takes as rules, the default tiers
    where it is None; with ``[]`` only what ops declare is known. The same ``seed`` gives the same rules, unless the time is over.

    Units    ``seconds`` of the clock
    Errors   ArgumentError for an op that is unknown or not elementwise, or a size below 2; DTypeError
    Source   Nandi et al. 2021, Rewrite rule inference using equality saturation (Ruler)

    >>> import eqsat
    >>> print(eqsat.discover("exp,log", size=3, from_=[]).rules)
    [found-log-exp: log(exp(x)) = x [stabilises]]
    """
    check_dtype(dtype)
    chosen = chosen_ops(ops)
    if not isinstance(size, int) or size < 2:
        raise ArgumentError(
            f"discover: size={size!r}",
            needs="a whole number above 1: the ops, variables and numbers of a term",
        )
    start = time.monotonic()
    given = numbers_of(chosen) if numbers is None else list(numbers)
    search = Search(Terms(chosen, dtype, given, seed), select_rules(from_), seconds, seed)
    with Progress("discover", seconds=seconds):
        for n in range(2, size + 1):
            if search.over():
                break
            search.look(candidates(search.terms, search.terms.grow(n)))
        search.minimise()
        search.together()
    return search.answer(time.monotonic() - start)
