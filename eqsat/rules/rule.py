"""A rule: a name, two sides, a condition, a tier that says what it promises, and its source."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias

import eqsat.rules as room
from eqsat.base.names import Suggesting, close_names, joined, meant
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS
from eqsat.rules.facts_of_functions import bits_of
from eqsat.rules.pattern import (
    Condition,
    Literal,
    Meta,
    Term,
    as_pattern,
    held_by_float32,
    metas_of,
    parts_of,
    subterms,
)

__all__ = ["Rule", "RuleSet", "all_rules", "default_rules", "rule", "select_rules"]

TIERS = ("exact", "extends", "rounds", "stabilises", "loose")
MAKERS = tuple(os.path.join("rules", name) for name in ("rule.py", "public.py", "written.py"))
HIDDEN = "%"  # names in egglog of what belongs to a rule of another name, or to none
DEFAULT_TIERS = ("exact", "extends", "rounds", "stabilises")


Need: TypeAlias = "str | tuple[str, str]"


@dataclass(frozen=True)
class Rule:
    """left = right, where ``when`` is known to hold; see ``rule`` for the fields.

    >>> from eqsat.rules.rule import all_rules
    >>> one = all_rules()["log-exp"]
    >>> one.name, one.tier, str(one.left), str(one.right)
    ('log-exp', 'stabilises', 'log(exp(x))', 'x')
    """

    name: str
    left: Any
    right: Any
    tier: str
    cite: str
    when: Condition | None
    tags: frozenset[str]
    grows: bool
    multiset: bool = False
    others: tuple[tuple[Any, Any], ...] = ()  # more pairs of sides: all left sides are matched together
    prices: tuple[Any, ...] = ()
    made_at: str = field(default="", compare=False)  # path and line

    def __str__(self) -> str:
        condition = f" when {self.when}" if self.when is not None else ""
        return f"{self.name}: {self.equation}{condition} [{self.tier}]"

    @cached_property
    def whole(self) -> str:
        """Everything about the rule as text, with all digits of its numbers."""
        words = (self.name, self.tier, self.cite, sorted(self.tags), self.ruleset, self.multiset)
        return repr((words, self.pairs, self.when, self.prices))

    @property
    def equation(self) -> str:
        """Both sides as text, tuples where the rule has several outputs."""
        left, right = (_side(list(s)) for s in zip(*self.pairs, strict=True))
        return f"{left} = {right}"

    @property
    def pairs(self) -> tuple[tuple[Any, Any], ...]:
        """The left and right side of each output."""
        return ((self.left, self.right), *self.others)

    def turned(self, k: int) -> Rule:
        """The same rule with another output first."""
        pairs = (*self.pairs[k:], *self.pairs[:k])
        return replace(self, left=pairs[0][0], right=pairs[0][1], others=pairs[1:])

    @cached_property
    def metas(self) -> frozenset[Any]:
        """The tensor metavariables that the left side binds."""
        return frozenset(m for left, _ in self.pairs for m in metas_of(left))

    @cached_property
    def needs(self) -> frozenset[Need]:
        """What the left side is made of, without which it matches nothing: ops, and pairs of an op and one under it.

        Rules on shared operands are only looked at in graphs that have such, which ask for the ops of the right side.
        """
        terms = [p for left, _ in self.pairs for p in subterms(left) if isinstance(p, Term)]
        under = {(t.op, a.op) for t in terms for a in t.args if isinstance(a, Term)}
        return frozenset({t.op for t in terms} | under | (self.makes if self.shares else set()))

    @cached_property
    def functions(self) -> tuple[int, ...]:
        """For each condition on what operands are made of the bits that stand for such functions."""
        facts = self.when.facts if self.when is not None else ()
        return tuple(bits for name, _ in facts if (bits := bits_of(name)))

    @cached_property
    def shares(self) -> bool:
        """True for a rule on operands that several products share."""
        return (
            any(fact.startswith("shared_") for fact, _ in self.when.facts) if self.when is not None else False
        )

    @cached_property
    def makes(self) -> frozenset[str]:
        """The ops of the right side."""
        return frozenset(p.op for _, right in self.pairs for p in subterms(right) if isinstance(p, Term))

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """The parameters with a value that has a code of its own in each graph."""
        terms = [p for pair in self.pairs for side in pair for p in subterms(side) if isinstance(p, Term)]
        return tuple(dict.fromkeys(v for p in terms for v in p.params if isinstance(v, Literal)))

    @cached_property
    def rounds_numbers(self) -> bool:
        """True where some number of the rule is another one in float32 than in float64."""
        sides = [side for pair in self.pairs for side in pair]
        return not all(map(held_by_float32, parts_of(*sides).numbers))

    @cached_property
    def replaces(self) -> bool:
        """True where the left side is matched no further once it has matched: it is said so, or would hold itself.

        In ``max(a, min(a, b)) = a`` the class of a would gain a form of which a is an operand, and what rules move out
        of operands they would move out of that one without end.
        """
        inside = any(right in left.args for left, right in self.pairs if isinstance(left, Term))
        return "replaces" in self.tags or (inside and "scan" not in self.tags)

    @cached_property
    def divisors(self) -> tuple[Any, ...]:
        """Patterns on the left by which an op divides: at their zeros the left side has no value that the right could have.

        A rule whose sides have equal bits everywhere holds there too.
        """
        if self.tier == "exact" or self.multiset:
            return ()
        terms = [p for left, _ in self.pairs for p in subterms(left) if isinstance(p, Term)]
        operands = [a for t in terms for name, a in zip(OPS[t.op].tensors, t.args) if name in OPS[t.op].poles]
        return tuple(dict.fromkeys(a for a in operands if isinstance(a, (Meta, Term))))

    @property
    def ruleset(self) -> str:
        """The ruleset it runs in: ``shrink`` and ``stabilise`` are run to saturation first, ``grow`` within limits.

        ``divide`` follows on ``shrink``, when it is known what is zero. When a limit was met, ``stabilise`` still runs on what was new.
        """
        if self.grows:
            return "grow"
        if self.tier == "stabilises":
            return "stabilise"
        return "divide" if self.divisors else "shrink"


def _side(patterns: list[Any]) -> str:
    return str(patterns[0]) if len(patterns) == 1 else "(" + ", ".join(map(str, patterns)) + ")"


def rule(
    name: str,
    left: Any,
    right: Any,
    *,
    cite: str,
    when: Condition | None = None,
    tier: str = "rounds",
    tags: str | Iterable[str] = (),
    grows: bool | None = None,
    multiset: bool = False,
    prices: Iterable[Any] = (),
    rounded: bool = False,
) -> Rule:
    """Declare that ``left`` may be replaced by ``right``, and the other way round costs nothing to keep.

    ``tier`` is one of exact, extends, rounds, stabilises, loose; ``when`` must be proved by the e-graph;
    ``cite`` is "definition" or a key of docs/sources.bib. ``grows`` puts the rule among those that run
    within limits; it is guessed from the sizes of the two sides. ``tags`` given as text have commas between. A ``multiset`` rule states that an op is
    associative: it is not matched, but lets sums of many terms be compared as multisets (egraph/schema.py).
    Sides that are lists match several values at once.
    ``prices`` are parts of the left side of a ``stabilises`` rule that are priced out with it, because they overflow.
    With ``rounded`` a number that float32 does not hold, such as pi, stands in each dtype for the nearest one of it.

    Errors   RuleError for a right side that names what the left does not bind, an unknown tier or op

    >>> from eqsat.graph.ops.elemwise import exp, log
    >>> from eqsat.rules.rule import rule
    >>> from eqsat.rules.pattern import reals
    >>> x = reals("x")
    >>> print(rule("mine", log(exp(x)), x, tier="stabilises", cite="definition"))
    mine: log(exp(x)) = x [stabilises]
    """
    if name.startswith(HIDDEN):
        raise RuleError(f"rule {name}: a name does not start with {HIDDEN}")
    lefts, rights = (
        [as_pattern(p) for p in s] if isinstance(s, list) else [as_pattern(s)] for s in (left, right)
    )
    if tier not in TIERS:
        raise RuleError(f"rule {name}: unknown tier {tier!r}", among=(tier, TIERS))
    for one in lefts:
        if not isinstance(one, Term):
            raise RuleError(f"rule {name}: the left side {one} is not an op applied to something")
    given, wanted = parts_of(*lefts), parts_of(*rights)
    named = parts_of(*(a for _, args in when.facts for a in args)) if when is not None else given
    if unbound := (wanted.bound | named.bound) - given.bound:
        raise RuleError(f"rule {name}: the left side does not bind {', '.join(sorted(unbound))}")
    for op in given.ops + wanted.ops:
        if OPS.find(op) is None:
            raise RuleError(f"rule {name}: there is no op named {op!r}", hint=meant(op, OPS))
    for number in given.numbers + wanted.numbers:
        if not rounded and not held_by_float32(number):
            raise RuleError(
                f"rule {name}: float32 does not hold {number!r}", hint="compute it from numbers it holds"
            )
    bigger = tier != "stabilises" and len(wanted.ops) > len(given.ops) if grows is None else grows
    first, *others = zip(lefts, rights, strict=True)
    parts, made_at = tuple(prices), declared_at()
    if parts and (tier != "stabilises" or not set(parts) <= set(subterms(first[0]))):
        raise RuleError(f"rule {name}: only parts of the left side of a rule that stabilises are priced out")
    words = tags.split(",") if isinstance(tags, str) else tags
    tagged = frozenset(word.strip() for word in words)
    return Rule(name, *first, tier, cite, when, tagged, bigger, multiset, tuple(others), parts, made_at)


def declared_at() -> str:
    """Path and line of the nearest caller that is not in a file which only makes rules."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.endswith(MAKERS):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class RuleSet(Sequence[Rule], Suggesting):
    """Rules in order of their names; sets add, subtract and filter.

    What is added or taken away is a rule, a set or list of them, or the name of a rule, a tag or a tier. ``off`` names the
    rules that hold because of how ops are declared (``standing``) and that the set leaves out all the same.

    Errors   RuleError for two rules of one name, or a name that no rule of the set has

    >>> from eqsat.rules import default_rules
    >>> len(default_rules() - "log-exp") == len(default_rules()) - 1
    True
    >>> default_rules().where(lambda r: r.tier == "exact") == default_rules().tiers("exact")
    True
    """

    def __init__(self, rules: Iterable[Rule], off: Iterable[str] = ()) -> None:
        unique: dict[str, Rule] = {}
        for r in rules:
            if unique.setdefault(r.name, r) is not r and unique[r.name] != r:
                raise RuleError(
                    f"two rules are named {r.name!r}",
                    operands=[("one", unique[r.name]), ("other", r)],
                    hint=f"another name, or rules - {r.name!r} + mine",
                )
        self.rules = tuple(unique[name] for name in sorted(unique))
        self.off = frozenset(off)
        self._hash = hash((tuple(r.name for r in self.rules), self.off))  # that of all terms would take long

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._named(index)
        return self.rules[index]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def _named(self, name: str) -> Rule:
        for r in self.rules:
            if r.name == name:
                return r
        standing = None if name in self.off else standing_named(name)
        if standing is not None:
            return standing
        raise _unknown([name], self)

    def __add__(self, other: Any) -> RuleSet:
        return _joined(self, [other])

    def __sub__(self, names: Any) -> RuleSet:
        if isinstance(names, str) and standing_named(names) is None:
            names = _group(names, self)
        elif isinstance(names, (str, Rule)):
            names = [names]
        gone = {getattr(n, "name", n) for n in names}
        missing = gone - {r.name for r in self.rules}
        standing = {name for name in missing if standing_named(name) is not None}
        if unknown := missing - standing:
            raise _unknown(sorted(unknown), self)
        return RuleSet((r for r in self.rules if r.name not in gone), self.off | standing)

    @property
    def standing(self) -> list[Rule]:
        """The rules that hold because of how ops are declared, but for those that are off."""
        from eqsat.rules.standing import standing_rules

        return [r for r in standing_rules() if r.name not in self.off]

    @cached_property
    def on_functions(self) -> bool:
        """True where a rule asks what values are made of (facts_of_functions.py)."""
        return any(r.functions for r in self.rules)

    @cached_property
    def plain(self) -> RuleSet:
        """The rules but those that ask what values are made of."""
        return self.where(lambda r: not r.functions)

    def tiers(self, *tiers: str) -> RuleSet:
        """The rules of some tiers."""
        for t in tiers:
            if t not in TIERS:
                raise RuleError(f"unknown tier {t!r}", among=(t, TIERS))
        return self.where(lambda r: r.tier in tiers)

    def tagged(self, *tags: str) -> RuleSet:
        """The rules with any of some tags."""
        return self.where(lambda r: bool(r.tags & set(tags)))

    def where(self, keep: Callable[[Rule], bool]) -> RuleSet:
        """The rules of which ``keep(rule)`` is true."""
        return RuleSet((r for r in self.rules if keep(r)), self.off)

    def key(self) -> str:
        """Text that changes when any rule changes."""
        return "\n".join([*(r.whole for r in self.rules), *(f"-{name}" for name in sorted(self.off))])

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self.rules == other.rules and self.off == other.off

    def __repr__(self) -> str:
        return f"RuleSet of {len(self.rules)} rules"


def standing_named(name: str) -> Rule | None:
    """The rule of a name that an op brings by its declaration, None where there is none."""
    from eqsat.rules.standing import standing_rule

    return standing_rule(name)


def _unknown(names: Sequence[str], among: RuleSet) -> RuleError:
    every = [*among, *among.standing]
    known = [*TIERS, "default", "all", *sorted({word for r in every for word in (r.name, *r.tags)})]
    near = [match for name in names for match in close_names(name, known, 1)]
    return RuleError(
        f"there is no rule named {', '.join(map(repr, names))}",
        needs="a rule, tier or tag of `eqsat rules list`; modes take the names of eqsat.scan.opt.REWRITES too",
        hint=joined(near) or None,
    )


@lru_cache(maxsize=1)
def all_rules() -> RuleSet:
    """Every rule of every file in this folder.

    >>> from eqsat.rules.rule import all_rules
    >>> str(all_rules()["log-exp"])
    'log-exp: log(exp(x)) = x [stabilises]'
    """
    found: list[Rule] = []
    for module in sorted(m.name for m in iter_modules(room.__path__)):
        loaded = import_module(f"eqsat.rules.{module}")
        found.extend(getattr(loaded, "RULES", ()))
    return RuleSet(found)


def default_rules() -> RuleSet:
    """The rules of every tier but ``loose``, without those tagged ``optional``, which are sound and seldom pay.

    >>> from eqsat.rules.rule import default_rules
    >>> any(r.tier == "loose" for r in default_rules())
    False
    """
    return _default()


@lru_cache(maxsize=1)
def _default() -> RuleSet:
    return all_rules().tiers(*DEFAULT_TIERS).where(lambda r: "optional" not in r.tags)


def select_rules(choice: Any) -> RuleSet:
    """RuleSet of what a user gives: None, a RuleSet, a rule, a list of these, or tiers and names as text.

    Text is a comma-separated list of tiers, tags and names, each with a leading "-" to leave it out of what
    stands before it; what starts with "-" starts from the default rules.

    >>> "log-exp" in [r.name for r in select_rules("-log-exp")]
    False
    """
    if choice is None or (isinstance(choice, str) and not choice.strip(", ")):
        return default_rules()
    if isinstance(choice, RuleSet):
        return choice
    if isinstance(choice, (str, Rule)):
        return _joined(None, [choice])
    if not isinstance(choice, Iterable):
        raise _no_rule(choice)
    return _joined(None, choice)


def _joined(chosen: RuleSet | None, items: Iterable[Any]) -> RuleSet:
    """What was chosen before, with the items; None is nothing yet, from which "-" takes the default rules."""
    for item in items:
        if isinstance(item, str):
            for part in filter(None, map(str.strip, item.split(","))):
                chosen = _changed(chosen, part)
        elif isinstance(item, (Rule, Iterable)):
            more = [item] if isinstance(item, Rule) else select_rules(item)
            off = more.off if isinstance(more, RuleSet) else frozenset()
            chosen = RuleSet([*(chosen or ()), *more], off if chosen is None else chosen.off | off)
        else:
            raise _no_rule(item)
    return RuleSet([]) if chosen is None else chosen


def _changed(chosen: RuleSet | None, part: str) -> RuleSet:
    """With a tier, tag or rule by name, or without it where it starts with "-"."""
    off = frozenset() if chosen is None else chosen.off
    if not part.startswith("-"):
        more = [] if standing_named(part) else _group(part, all_rules())
        return RuleSet([*(chosen or ()), *more], off - {part})
    among = default_rules() if chosen is None else chosen
    return among - (part[1:] if standing_named(part[1:]) else _group(part[1:], among))


def _no_rule(thing: Any) -> RuleError:
    return RuleError(f"{thing!r} is no rule", needs="rules, sets of rules, or names of rules, tags and tiers")


def _group(word: str, among: RuleSet) -> RuleSet:
    if word in ("default", "all"):
        return default_rules() if word == "default" else all_rules()
    if word in TIERS:
        return among.tiers(word)
    if among.tagged(word):
        return among.tagged(word)
    return RuleSet([among[word]], among.off)
