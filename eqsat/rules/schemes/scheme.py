"""A scheme is one law for all ops with a property; it makes the rules for an op when a graph holds that op."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field, replace
from importlib import import_module
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.equality import Need, Rule

Property = Callable[[Declaration], bool]
Maker = Callable[[Declaration], Iterable[Rule]]


@dataclass(frozen=True, eq=False)
class Scheme:
    """A law for every op that ``declares`` a property and passes the ``test``, where there is one; its rules are tagged with its name.

    ``make`` gives the rules for one op. An e-graph is given them when it holds one of the ``needs`` of that op. Rules
    ``about_functions`` ask what values are made of.
    """

    name: str
    law: str
    declares: Property
    make: Maker
    needs: Callable[[str], Iterable[Need]]
    tags: frozenset[str]  # every tag that one of the rules may have
    made_at: str  # path and line
    module: str  # of that line
    joins: bool = False  # the law is one of several ops together, and its rules may have any names
    about_functions: bool = False
    test: Property | None = None  # the part of ``holds`` that takes long
    made: dict[str, tuple[int, tuple[Rule, ...]]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> Any:
        return find_scheme, (self.module, self.name)

    def holds(self, d: Declaration) -> bool:
        """True for an op for which the law holds."""
        return self.declares(d) and (self.test is None or self.test(d))

    def rules(self, d: Declaration) -> tuple[Rule, ...]:
        """The rules for one op; none where the law does not hold for it. They may name other ops with a property."""
        known = self.made.get(d.name)
        if known is None or known[0] != OPS.version or OPS.find(d.name) is not d:
            fresh = self.make(d) if self.holds(d) else ()
            rules = tuple(replace(r, tags=r.tags | {self.name}, scheme=self.name) for r in fresh)
            known = self.made[d.name] = OPS.version, rules
        return known[1]

    def ops(self) -> list[Declaration]:
        """The declared ops for which the law holds."""
        return [OPS[name] for name in sorted(OPS) if self.holds(OPS[name])]

    def every(self) -> Iterator[Rule]:
        """The rules for all declared ops."""
        for d in self.ops():
            yield from self.rules(d)

    def named(self, name: str) -> Rule | None:
        """The rule of a name, which holds the name of its op where the law is one of single ops."""
        able = (d for d in OPS.values() if (self.joins or d.name in name) and self.holds(d))
        found = (r for d in able for r in self.rules(d) if r.name == name)
        return next(found, None)


def scheme(
    name: str,
    law: str,
    *,
    holds: Property,
    needs: Callable[[str], Iterable[Need]],
    tags: Iterable[str] = (),
    about_functions: bool = False,
    test: Property | None = None,
) -> Callable[[Maker], Scheme]:
    """Declare a law for all ops with a property; the decorated function gives the rules for one op.

    ``law`` is the law in words for tables. ``needs`` says for the name of an op which ops, or pairs of an op and one under
    it, wake the scheme; one is enough. ``tags`` are those that any of its rules has, beside the name of the scheme.
    ``about_functions`` says that its rules ask what values are made of. ``test`` is a property, too, which takes long to
    find out, such as the value of an op at zero: it is asked when the scheme is woken, of ops of which ``holds`` is true.

    >>> from eqsat.rules.pattern import reals
    >>> from eqsat.rules.rule import rule
    >>> x = reals("x")
    >>> @scheme("twice", "op(op(x)) = op(x)", holds=lambda d: d.name == "abs", needs=lambda op: [(op, op)])
    ... def twice(d):
    ...     yield rule(f"{d.name}-twice", d(d(x)), d(x), tier="exact", cite="definition")
    >>> print(*twice.every())
    abs-twice: abs(abs(x)) = abs(x) [exact]
    """
    frame = sys._getframe(1)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    tagged, module = frozenset({name, *tags}), frame.f_globals["__name__"]
    return lambda make: Scheme(
        name, law, holds, make, needs, tagged, place, module, about_functions=about_functions, test=test
    )


def find_scheme(module: str, name: str) -> Scheme:
    """The scheme of a name that a module declares, which is how one that was pickled is found again.

    Errors   RuleError for a module that names no such scheme, nor lists it in RULES
    """
    there = vars(import_module(module))
    named = [
        s for s in (*there.values(), *there.get("RULES", ())) if isinstance(s, Scheme) and s.name == name
    ]
    if named:
        return named[0]
    from eqsat.rules.rule import all_rules

    found = next((c.scheme for c in all_rules().schemes if c.scheme.name == name), None)
    if found is None:
        raise RuleError(
            f"{module} names no scheme {name!r}", needs="a name, or its list RULES, that holds it"
        )
    return found


def family(
    name: str, law: str, tags: Iterable[str] = (), among: Property = lambda d: True
) -> Callable[[Callable[[], Iterable[Rule]]], Scheme]:
    """Declare a law that joins several ops, such as an operation and what takes it back.

    The decorated function gives the rules for all that declare the property; each belongs to the op at the top of its
    left side, and an e-graph is given it when that op is there. Nothing is made before an op comes of which ``among`` is true.
    """

    def declared(make: Callable[[], Iterable[Rule]]) -> Scheme:
        filed: dict[str, list[Rule]] = {}
        version = [-1]

        def of(d: Declaration) -> list[Rule]:
            if not among(d):
                return []
            if version[0] != OPS.version:
                version[0] = OPS.version
                filed.clear()
                for r in make():
                    filed.setdefault(r.left.op, []).append(r)
            return filed.get(d.name, [])

        place = f"{make.__code__.co_filename}:{make.__code__.co_firstlineno}"
        tagged = frozenset({name, *tags})
        return Scheme(
            name, law, lambda d: bool(of(d)), of, lambda op: [op], tagged, place, make.__module__, joins=True
        )

    return declared


@dataclass(frozen=True)
class Check:
    """A condition on rules; two are equal that ask the same function for the same words."""

    asks: Callable[[Rule, Any], bool]
    words: Hashable

    def __call__(self, rule: Rule) -> bool:
        return self.asks(rule, self.words)

    def __str__(self) -> str:
        words = sorted(self.words) if isinstance(self.words, frozenset) else [self.words]
        return f"{self.asks.__name__} {' '.join(map(str, words))}"


@dataclass(frozen=True)
class Chosen:
    """A scheme in a set of rules, with the conditions under which the set holds a rule: all of one of the groups."""

    scheme: Scheme
    groups: frozenset[frozenset[Check]] = frozenset({frozenset()})

    def where(self, test: Check) -> Chosen:
        """Those of the rules of which a condition holds, too."""
        return Chosen(self.scheme, frozenset(group | {test} for group in self.groups))

    def without(self, other: Chosen | None) -> Chosen:
        """Those of the rules that another choice of the scheme does not hold."""
        return self if other is None else self.where(Check(_is_outside, other))

    def holds(self, rule: Rule) -> bool:
        """True for a rule that the set holds."""
        return any(all(test(rule) for test in group) for group in self.groups)

    def rules(self, d: Declaration) -> list[Rule]:
        """The rules for one op."""
        return [r for r in self.scheme.rules(d) if self.holds(r)]

    def every(self) -> Iterator[Rule]:
        """The rules for all declared ops."""
        return filter(self.holds, self.scheme.every())

    def named(self, name: str) -> Rule | None:
        """The rule of a name."""
        found = self.scheme.named(name)
        return found if found is not None and self.holds(found) else None

    def __str__(self) -> str:
        groups = sorted(sorted(map(str, group)) for group in self.groups)
        return f"{self.scheme.name}: {self.scheme.law} {groups}"


def _is_outside(rule: Rule, other: Any) -> bool:
    return not other.holds(rule)


def joined(chosen: Iterable[Scheme | Chosen]) -> tuple[Chosen, ...]:
    """Schemes in the order of names, each once: what one of two choices of a scheme holds, both hold."""
    found: dict[Scheme, Chosen] = {}
    for one in chosen:
        one = Chosen(one) if isinstance(one, Scheme) else one
        other = found.get(one.scheme)
        groups = one.groups if other is None else one.groups | other.groups
        found[one.scheme] = Chosen(one.scheme, groups)
    return tuple(sorted(found.values(), key=lambda c: c.scheme.name))
