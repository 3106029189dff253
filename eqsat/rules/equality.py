"""A rule as a value: what it says, what it needs, and the ruleset in which it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import field, replace
from functools import cached_property
from typing import Any, TypeAlias

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS
from eqsat.graph.part_calls import CALLS
from eqsat.rules.condition import Condition
from eqsat.rules.fact import FACTS
from eqsat.rules.facts_of_functions import bits_of
from eqsat.rules.pattern import (
    Literal,
    Meta,
    Number,
    ParameterCall,
    Term,
    Value,
    held_by_float32,
    metas_of,
    subterms,
)
from eqsat.rules.pattern_parts import parts_of

# an op; an op, and one under it; an op, and all that is known of each operand of an e-node, or EVERY
Need: TypeAlias = "str | tuple[str, str] | tuple[str, tuple[frozenset[str], ...]]"
Wanted: TypeAlias = "tuple[str | None, ...]"  # by a term of its operands: an op, a number, or anything
EVERY: tuple[frozenset[str], ...] = (frozenset({"everything"}),)
HEAD = ("rule", "left", "right", "when", "tier", "source")  # of a table of rules
NUMBER = "number"  # an operand that is a known number
REPEATED = (
    "repeated number"  # as the second of a pair: an operand that is a known number, but not written as one
)


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
    scheme: str = field(default="", compare=False)  # the name of the scheme that made it

    def __str__(self) -> str:
        condition = f" when {self.when}" if self.when is not None else ""
        return f"{self.name}: {self.equation}{condition} [{self.tier}]"

    def __repr__(self) -> str:
        return str(self)

    def __dask_tokenize__(self) -> str:
        return self.whole

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of the rule in a table, under ``HEAD``."""
        left, right = (_side(list(s)) for s in zip(*self.pairs, strict=True))
        return self.name, left, right, "" if self.when is None else str(self.when), self.tier, self.cite

    def _repr_html_(self) -> str:
        return notebook_table("Rule", HEAD, [self.row])

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
        """The ops of the left side, and pairs of an op and one under it, without which it matches nothing.

        A rule tagged ``repeated-number`` writes operands as the numbers that they are known to be.
        Rules on shared operands are only looked at in graphs that have such, which ask for the ops of the right side.
        """
        found: set[Need] = set(self.makes) if self.shares else set()
        if "repeated-number" in self.tags:
            found.add((self.left.op, REPEATED))
        terms = [left for left, _ in self.pairs]
        for t in terms:  # grows while it is walked through
            inner = [a for a in t.args if type(a) is Term]
            found.add(t.op)
            found.update((t.op, a.op) for a in inner)
            terms += inner
        return frozenset(found)

    @cached_property
    def terms(self) -> tuple[tuple[str, Wanted], ...]:
        """The ops of the left side with what they want of their operands; the rule matches nothing without such e-nodes."""
        if self.multiset:
            return ()
        known = known_numbers(self)
        wanted = [(t.op, tuple(wish(a, known) for a in t.args)) for t in left_terms(self)]
        return tuple(dict.fromkeys((op, w) for op, w in wanted if any(w)))

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
    def choices(self) -> list[Condition]:
        """The conditions without ``|`` of which one must be known; none where nothing has to be."""
        return self.when.choices() if self.when is not None else []

    @cached_property
    def makes(self) -> frozenset[str]:
        """The ops of the right side, and of the terms that conditions ask for."""
        facts = list(self.when.every()) if self.when is not None else []
        asked = {op for name, _ in facts if name in FACTS for op in FACTS[name].makes}
        patterns = [
            *(right for _, right in self.pairs),
            *(a for _, args in facts for a in args if isinstance(a, Term)),
        ]
        return frozenset(asked) | frozenset(
            p.op for q in patterns for p in subterms(q) if isinstance(p, Term)
        )

    @cached_property
    def calls(self) -> bool:
        """True for a rule with functions that Python computes."""
        facts = self.when.facts if self.when is not None else ()
        terms = [p for pair in self.pairs for side in pair for p in subterms(side) if isinstance(p, Term)]
        given = [*(v for p in terms for v in p.params), *(a for _, args in facts for a in args)]
        return any(isinstance(v, ParameterCall) and v.function in CALLS for v in given)

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
    def phase(self) -> str:
        """The part of saturation in which it runs: ``shrink`` and ``stabilise`` come first, to saturation, ``grow`` within limits.

        ``divide`` follows on ``shrink``, when it is known what is zero. When a limit was met, ``stabilise`` still runs on what was new.
        """
        if self.grows:
            return "grow"
        if self.tier == "stabilises":
            return "stabilise"
        return "divide" if self.divisors else "shrink"

    @property
    def ruleset(self) -> str:
        """The ruleset it runs in: that of its phase, or of those among them that search the whole e-graph each time."""
        return f"{self.phase}_last" if self.searches and self.phase in ("shrink", "divide") else self.phase

    @cached_property
    def searches(self) -> bool:
        """True where an operand stands under two terms of the left side.

        egglog begins such a search at the operand of which most is asked, so that it takes as long for one new row as for all.
        """
        terms = set(left_terms(self))
        held = Counter(a for t in terms for a in set(t.args) if isinstance(a, (Meta, Term)))
        return any(n > 1 for n in held.values())


def left_terms(rule: Rule) -> list[Term]:
    """The terms of the left sides."""
    return [p for left, _ in rule.pairs for p in subterms(left) if isinstance(p, Term)]


def wish(operand: Any, known: Set[Meta]) -> str | None:
    """The op or the number that an operand of a term must be; None for anything."""
    if isinstance(operand, Term):
        return operand.op
    if isinstance(operand, Number):
        return equal_to(operand.value) if held_by_float32(operand.value) else NUMBER
    return NUMBER if operand in known else None


def equal_to(value: float) -> str:
    """The number that an operand is known to be; 0.0 and -0.0 are one to egglog."""
    return f"= {value + 0.0!r}"


def known_numbers(rule: Rule) -> set[Meta]:
    """The metavariables that must be known numbers."""
    facts = rule.when.facts if rule.when is not None else ()
    found: set[Meta] = set()
    for name, args in facts:
        asked = FACTS[name].text if name in FACTS else ""
        found |= {
            a for k, a in zip("abc", args, strict=False) if isinstance(a, Meta) and f"cval({k})" in asked
        }
    inside = [*(right for _, right in rule.pairs), *(a for _, args in facts for a in args)]
    for item in inside:  # grows while it is walked through
        if isinstance(item, Value):
            found.update(a for a in item.args if isinstance(a, Meta))
        if isinstance(item, (Term, Value, ParameterCall)):
            inside += item.args
        if isinstance(item, Term):
            inside += item.params
    return found


def _side(patterns: list[Any]) -> str:
    return str(patterns[0]) if len(patterns) == 1 else "(" + ", ".join(map(str, patterns)) + ")"


def refuse_two(one: Rule, other: Rule) -> None:
    """Raise RuleError for two rules of one name that differ."""
    if one is not other and one != other:
        raise RuleError(
            f"two rules are named {one.name!r}",
            operands=[("one", one), ("other", other)],
            hint=f"another name, or rules - {one.name!r} + mine",
        )


def together(written: Iterable[Rule], made: Iterable[Rule]) -> list[Rule]:
    """Rules that are written one by one, and those that schemes make, in the order of names."""
    found = {r.name: r for r in written}
    for r in made:
        refuse_two(r, found.setdefault(r.name, r))
    return [found[name] for name in sorted(found)]
