"""Rules are declared by ``rule``, and chosen by name, tier and tag as sets of rules."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache
from importlib import import_module
from pkgutil import walk_packages
from traceback import extract_tb
from typing import Any, TypeAlias

import eqsat.rules as room
from eqsat.base.names import Suggesting, close_names, joined, meant
from eqsat.base.notebook_tables import notebook_table
from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.condition import Condition
from eqsat.rules.equality import HEAD, Need, Rule, refuse_two, together
from eqsat.rules.fact import typed
from eqsat.rules.pattern import Term, as_pattern, held_by_float32, subterms
from eqsat.rules.pattern_parts import parts_of
from eqsat.rules.rule_index import RuleIndex
from eqsat.rules.schemes.scheme import Check, Chosen, Scheme
from eqsat.rules.schemes.scheme import joined as joined_schemes

__all__ = ["Need", "Rule", "RuleSet", "all_rules", "default_rules", "rule", "select_rules"]

TIERS = ("exact", "extends", "rounds", "stabilises", "loose")
MAKERS = (
    *(os.path.join("rules", name) for name in ("rule.py", "public.py", "spellings.py", "written.py")),
    os.path.join("base", "names.py"),  # through which public functions are called
)
SHOWN = 20  # rules of a set in a notebook
PARTIAL = "partial"  # the tag of loose rules whose right side has no value at some points where the left side has one
HIDDEN = "%"  # names in egglog of what belongs to a rule of another name, or to none
DEFAULT_TIERS = ("exact", "extends", "rounds", "stabilises")
Member: TypeAlias = Rule | Scheme | Chosen


def rule(
    name: str,
    left: Any,
    right: Any,
    *,
    cite: str = "definition",
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
    ``cite`` is a key of docs/sources.bib where the law does not follow from the definitions. ``grows`` puts the rule among those that run
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
        [_pattern(name, p) for p in s] if isinstance(s, list) else [_pattern(name, s)] for s in (left, right)
    )
    if not isinstance(when, Condition | None):
        raise RuleError(
            f"rule {name}: when is {when!r}, no condition",
            needs="conditions of metavariables, joined by &, as: x > 0, or nonzero(x) of eqsat/rules/facts.py",
        )
    if tier not in TIERS:
        raise RuleError(f"rule {name}: unknown tier {tier!r}", among=(tier, TIERS))
    for one in lefts:
        if not isinstance(one, Term):
            raise RuleError(f"rule {name}: the left side {one} is not an op applied to something")
    when = typed(name, when) if when is not None else None
    given, wanted = parts_of(*lefts), parts_of(*rights)
    named = parts_of(*(a for _, args in when.every() for a in args)) if when is not None else given
    if unbound := (wanted.bound | named.bound) - given.bound:
        raise RuleError(f"rule {name}: the left side does not bind {', '.join(sorted(unbound))}")
    for op in given.ops + wanted.ops:
        if OPS.find(op) is None:
            raise RuleError(f"rule {name}: there is no op named {op!r}", hint=meant(op, OPS))
    for number in given.numbers + wanted.numbers:
        if not rounded and not held_by_float32(number):
            raise RuleError(
                f"rule {name}: float32 does not hold {number!r}",
                hint="rounded=True, which takes the nearest number of each dtype",
            )
    bigger = tier != "stabilises" and len(wanted.ops) > len(given.ops) if grows is None else grows
    first, *others = zip(lefts, rights, strict=True)
    parts, made_at = tuple(prices), declared_at()
    if parts and (tier != "stabilises" or not set(parts) <= set(subterms(first[0]))):
        raise RuleError(f"rule {name}: only parts of the left side of a rule that stabilises are priced out")
    words = tags.split(",") if isinstance(tags, str) else tags
    tagged = frozenset(word.strip() for word in words)
    return Rule(name, *first, tier, cite, when, tagged, bigger, multiset, tuple(others), parts, made_at)


def _pattern(name: str, side: Any) -> Any:
    """A side of a rule; the error for what is none names the rule."""
    try:
        return as_pattern(side)
    except RuleError as error:
        raise RuleError(
            f"rule {name}: {error.message}", operands=error.operands, needs=error.needs, hint=error.hint
        ) from None


def declared_at() -> str:
    """Path and line of the nearest caller that is not in a file which only makes rules."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.endswith(MAKERS):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@dataclass(frozen=True)
class Identity:
    """A set of rules, equal to another one of the same rules, choices of schemes and names that are off."""

    number: int
    rules: tuple[Rule, ...]
    schemes: tuple[Chosen, ...]
    off: frozenset[str]

    def __hash__(self) -> int:
        return self.number


class RuleSet(Sequence[Rule], Suggesting):
    """Rules in order of their names; sets add, subtract and filter.

    What is added or taken away is a rule, a scheme, a set or list of them, or the name of a rule, a scheme, a tag or a tier.
    A scheme holds a rule for every op of a kind; the set makes them when they are asked for. ``off`` names the rules that
    hold because of how ops are declared, by a scheme or always (``standing``), and that the set leaves out all the same.

    Errors   RuleError for two rules of one name, or a name that no rule of the set has

    >>> from eqsat.rules import default_rules
    >>> len(default_rules() - "log-exp") == len(default_rules()) - 1
    True
    >>> default_rules().where(lambda r: r.tier == "exact") == default_rules().tiers("exact")
    True
    """

    def __init__(self, rules: Iterable[Member], off: Iterable[str] = ()) -> None:
        unique: dict[str, Rule] = {}
        schemes: list[Scheme | Chosen] = []
        for r in rules:
            if not isinstance(r, Rule):
                schemes.append(r)
            else:
                refuse_two(unique.setdefault(r.name, r), r)
        self.rules = tuple(unique[name] for name in sorted(unique))
        self.schemes = joined_schemes(schemes)
        self.off = frozenset(off)
        written = tuple(r.name for r in self.rules if not r.scheme)
        self._hash = hash((written, self.off))  # that of all terms would take long
        self._made: tuple[list[Declaration], list[Rule]] = ([], list(self.rules))

    def __reduce__(self) -> Any:
        return RuleSet, (self.members, self.off)

    @property
    def members(self) -> tuple[Member, ...]:
        """The rules that are written one by one, and the schemes."""
        return (*self.rules, *self.schemes)

    @property
    def every(self) -> list[Rule]:
        """All rules, those that the schemes make for the ops declared by now among them."""
        declared = list(OPS.values()) if self.schemes else []
        known, rules = self._made
        if len(known) != len(declared) or any(d is not k for d, k in zip(declared, known)):
            made = (r for s in self.schemes for r in s.every() if r.name not in self.off)
            rules = together(self.rules, made)
            self._made = declared, rules
        return rules

    @cached_property
    def by_need(self) -> RuleIndex:
        """The rules by what they need."""
        return RuleIndex(self.rules, self.schemes, self.off)

    def __len__(self) -> int:
        return len(self.every)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._named(index)
        return self.every[index]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.every)

    def find(self, name: str) -> Rule | None:
        """The rule of a name, None where the set has none."""
        found = next((r for r in self.rules if r.name == name), None)
        if found is None and name not in self.off:
            found = next(filter(None, (s.named(name) for s in self.schemes)), None)
        return found

    def _named(self, name: str) -> Rule:
        standing = None if name in self.off else standing_named(name)
        found = self.find(name) or standing
        if found is not None:
            return found
        raise _unknown([name], self)

    def __add__(self, other: Any) -> RuleSet:
        return _joined(self, [other])

    def __radd__(self, other: Any) -> RuleSet:
        return self + other

    def __sub__(self, names: Any) -> RuleSet:
        if isinstance(names, str) and standing_named(names) is None:
            names = _group(names, self)
        elif isinstance(names, (str, Rule)):
            names = [names]
        singly: Iterable[Any] = names.rules if isinstance(names, RuleSet) else names
        gone: set[str] = {getattr(n, "name", n) for n in singly}
        missing = gone - {r.name for r in self.rules}
        declared = {n for n in missing if standing_named(n) is not None or self.find(n) is not None}
        if unknown := missing - declared - self.off:
            raise _unknown(sorted(unknown), self)
        less = names.schemes if isinstance(names, RuleSet) else ()
        schemes = [s.without(other) for s in self.schemes for other in [_same(s, less)]]
        return RuleSet([*(r for r in self.rules if r.name not in gone), *schemes], self.off | declared)

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
    def written_on_functions(self) -> list[Rule]:
        """The rules that ask what values are made of, but those of schemes."""
        return [r for r in self.rules if r.functions]

    def asking_functions(self, ops: Set[str]) -> Iterator[Rule]:
        """The rules that ask what values are made of, and whose ops are among some."""
        able = [s for s in self.schemes if s.scheme.about_functions]
        here = [d for name in sorted(ops) if (d := OPS.find(name)) is not None]
        made = (r for s in able for d in here for r in s.rules(d) if r.name not in self.off)
        every = (*self.written_on_functions, *made)
        return (r for r in every if all(n in ops for n in r.needs if isinstance(n, str)))

    @cached_property
    def shares(self) -> bool:
        """True where a rule asks which operands products share."""
        return any(r.shares for r in self.rules)

    @cached_property
    def plain(self) -> RuleSet:
        """The rules but those that ask what values are made of."""
        return self.only(Check(_is_plain, ""))

    def tiers(self, *tiers: str) -> RuleSet:
        """The rules of some tiers."""
        for t in tiers:
            if t not in TIERS:
                raise RuleError(f"unknown tier {t!r}", among=(t, TIERS))
        return self.only(Check(_of_tier, frozenset(tiers)))

    def tagged(self, *tags: str) -> RuleSet:
        """The rules with any of some tags; the name of a scheme is one."""
        able = [s for s in self.schemes if s.scheme.tags & set(tags)]
        return RuleSet([*self.rules, *able], self.off).only(Check(_tagged, frozenset(tags)))

    def where(self, keep: Callable[[Rule], bool]) -> RuleSet:
        """The rules of which ``keep(rule)`` is true."""
        return RuleSet((r for r in self if keep(r)), self.off)

    def only(self, test: Check) -> RuleSet:
        """The rules of which a condition holds; schemes stay schemes."""
        return RuleSet([*filter(test, self.rules), *(s.where(test) for s in self.schemes)], self.off)

    def has_tag(self, tag: str) -> bool:
        """True where some rule may have a tag."""
        return any(tag in r.tags for r in self.rules) or any(tag in s.scheme.tags for s in self.schemes)

    def key(self) -> str:
        """Text that changes when any rule changes."""
        texts = [*(r.whole for r in self.rules), *map(str, self.schemes)]
        return "\n".join([*texts, *(f"-{name}" for name in sorted(self.off))])

    def __dask_tokenize__(self) -> str:
        return self.key()

    @cached_property
    def identity(self) -> Identity:
        """A value that is equal for sets that hold the same in the same way; no rule is made for it."""
        return Identity(self._hash, self.rules, self.schemes, self.off)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet) or self._hash != other._hash or self.off != other.off:
            return False
        same = self.rules == other.rules and self.schemes == other.schemes
        return same or self.every == other.every

    def __repr__(self) -> str:
        return f"RuleSet of {len(self)} rules"

    def _repr_html_(self) -> str:
        tiers = Counter(r.tier for r in self)
        note = ", ".join(f"{tiers[tier]:,} {tier}" for tier in TIERS if tiers[tier])
        more = f"the first {SHOWN} of {len(self):,}: " if len(self) > SHOWN else ""
        return notebook_table(repr(self), HEAD, [r.row for r in self[:SHOWN]], more + note)


def _is_plain(rule: Rule, _: Hashable) -> bool:
    return not rule.functions


def _of_tier(rule: Rule, tiers: Any) -> bool:
    return rule.tier in tiers


def _tagged(rule: Rule, tags: Any) -> bool:
    return bool(rule.tags & tags)


def _untagged(rule: Rule, tags: Any) -> bool:
    return not rule.tags & tags


def _same(one: Chosen, among: Sequence[Chosen]) -> Chosen | None:
    """The choice of the same scheme."""
    return next((s for s in among if s.scheme is one.scheme), None)


def standing_named(name: str) -> Rule | None:
    """The rule of a name that an op brings by its declaration, None where there is none."""
    from eqsat.rules.standing import standing_rule

    return standing_rule(name)


def _unknown(names: Sequence[str], among: RuleSet) -> RuleError:
    every = [*among, *among.standing]
    for name in names:
        if several := [r.name for r in every if name == r.tier or name in r.tags]:
            return RuleError(
                f"{name} names {len(several)} rules, as {', '.join(several[:3])}",
                needs="the name of one rule of `eqsat rules list --each`",
            )
    known = [*TIERS, "default", "all", *sorted({word for r in every for word in (r.name, *r.tags)})]
    near = [match for name in names for match in close_names(name, known, 1)]
    return RuleError(
        f"there is no rule named {', '.join(map(repr, names))}",
        needs="a rule, tier or tag of `eqsat rules list`; modes take the names of eqsat.scan.opt.REWRITES too",
        hint=joined(near) or None,
    )


@lru_cache(maxsize=1)
def all_rules() -> RuleSet:
    """Every rule and scheme of every file in this folder.

    >>> from eqsat.rules.rule import all_rules
    >>> str(all_rules()["log-exp"])
    'log-exp: log(exp(x)) = x [stabilises]'
    """
    found: list[Member] = []
    for module in sorted(m.name for m in walk_packages(room.__path__, f"{room.__name__}.")):
        try:
            found.extend(getattr(import_module(module), "RULES", ()))
        except RuleError as error:
            raise _placed(error) from error
    return RuleSet(found)


def _placed(error: RuleError) -> RuleError:
    """The error of a rule, with the line of the file that declares it."""
    lines = [f for f in extract_tb(error.__traceback__) if f.name == "<module>"]
    place = [("at", f"{f.filename}:{f.lineno}") for f in lines[-1:]]
    return RuleError(error.message, operands=[*error.operands, *place], needs=error.needs, hint=error.hint)


def default_rules() -> RuleSet:
    """The rules of every tier but ``loose``, without those tagged ``optional``, which are sound and seldom pay.

    >>> from eqsat.rules.rule import default_rules
    >>> any(r.tier == "loose" for r in default_rules())
    False
    """
    return _default()


@lru_cache(maxsize=1)
def _default() -> RuleSet:
    return all_rules().tiers(*DEFAULT_TIERS).only(Check(_untagged, frozenset({"optional"})))


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
    if isinstance(choice, str):
        return _named_rules(choice)
    if isinstance(choice, (Rule, Scheme)):
        return _joined(None, [choice])
    if not isinstance(choice, Iterable):
        raise _no_rule(choice)
    return _joined(None, choice)


@lru_cache(maxsize=32)
def _named_rules(names: str) -> RuleSet:
    """The rules of a text, one set each time, which holds what was found out about it."""
    return default_rules() if names.strip(", ") == "default" else _joined(None, [names])


def _joined(chosen: RuleSet | None, items: Iterable[Any]) -> RuleSet:
    """The rules chosen before, with the items; None is nothing yet, from which "-" takes the default rules."""
    for item in items:
        if isinstance(item, str):
            for part in filter(None, map(str.strip, item.split(","))):
                chosen = _changed(chosen, part)
        elif isinstance(item, (Rule, Scheme, Iterable)):
            more = RuleSet([item]) if isinstance(item, (Rule, Scheme)) else select_rules(item)
            before, off = ((), more.off) if chosen is None else (chosen.members, chosen.off | more.off)
            for made in () if chosen is None else chosen.schemes:
                together(
                    more.rules, filter(None, (made.named(r.name) for r in more.rules if r.name not in off))
                )
            chosen = RuleSet([*before, *more.members], off)
        else:
            raise _no_rule(item)
    return RuleSet([]) if chosen is None else chosen


def _changed(chosen: RuleSet | None, part: str) -> RuleSet:
    """With a tier, tag or rule by name, or without it where it starts with "-"."""
    off = frozenset() if chosen is None else chosen.off
    if not part.startswith("-"):
        more = () if standing_named(part) else _group(part, all_rules()).members
        return RuleSet([*(() if chosen is None else chosen.members), *more], off - {part})
    among = default_rules() if chosen is None else chosen
    return among - (part[1:] if standing_named(part[1:]) else _group(part[1:], among))


def _no_rule(thing: Any) -> RuleError:
    return RuleError(f"{thing!r} is no rule", needs="rules, sets of rules, or names of rules, tags and tiers")


def _group(word: str, among: RuleSet) -> RuleSet:
    if word in ("default", "all"):
        return default_rules() if word == "default" else all_rules()
    if word in TIERS:
        return among.tiers(word)
    if among.has_tag(word):
        return among.tagged(word)
    return RuleSet([among[word]], among.off)
