"""Candidates: pairs of terms of equal values, written as rules and held against what their tiers promise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import field, replace
from typing import Any

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.errors import EqsatError, RuleError
from eqsat.graph.dtypes import FLOATS
from eqsat.research.batch import Pair, filled
from eqsat.research.promise import gains
from eqsat.research.said import Given, condition_of, condition_text, share_of
from eqsat.research.terms import Kind, Table
from eqsat.research.weakest import weakest
from eqsat.rules.metavars import metavars
from eqsat.rules.public import rule as written
from eqsat.rules.rule import Rule
from eqsat.verify import verify
from eqsat.verify.points import is_elementwise
from eqsat.verify.result import KEPT
from eqsat.verify.sweep import POINTS

MORE = 10  # times as many points, for what is kept
OF_TENSORS = (("exact", ()), ("rounds", ()), ("rounds", ("backward",)), ("loose", ()))  # tiers and tags
DOMAINS = {"bool": "bool", "int64": "int", **dict.fromkeys(FLOATS, "float")}


@dataclass(frozen=True)
class Candidate:
    """A pair with variables named in the order in which its left side has them; ``score`` is less for what is tried before."""

    pair: Pair
    names: dict[str, str]
    score: tuple[Any, ...]
    turned: bool = False

    @property
    def text(self) -> str:
        """Both sides and the condition as text, the same for pairs that differ in the names of variables alone."""
        return str(self.score[-1])

    def under(self, given: Given, turned: bool = False) -> Candidate:
        """The same under another condition, perhaps with its sides changed."""
        return replace(self, pair=replace(self.pair, given=given), turned=turned)

    def rule(self, terms: Table, name: str, tier: str = "loose", tags: Iterable[str] = ()) -> Rule:
        """The candidate as a rule.

        Errors   RuleError where the left side binds too little
        """
        metas = {n: meta_of(to, terms.kinds[n]) for n, to in self.names.items()}
        made: dict[int, Any] = {}
        left = terms.graph(self.pair.left, metas, made)
        node = terms.nodes[self.pair.right]
        if node.number is None:
            right = terms.graph(self.pair.right, metas, made)
        else:
            right = filled(terms, self.pair, metas)
        sides = (right, left) if self.turned else (left, right)
        when = condition_of(self.pair.given, metas) if self.pair.given else None
        return written(name, *sides, when=when, tier=tier, tags=tags)

    def declared(self, terms: Table, rule: Rule) -> str:
        """The Python text that declares the rule of this candidate."""
        texts = [side_text(terms, self.pair, k, self.names) for k in (self.pair.left, self.pair.right)]
        first, second = reversed(texts) if self.turned else texts
        when = f", when={condition_text(self.pair.given, self.names)}" if self.pair.given else ""
        tags = f", tags={json.dumps(sorted(rule.tags))}" if rule.tags else ""
        return f'eqsat.rule("{rule.name}", {first}, {second}{when}, tier="{rule.tier}"{tags})'


def meta_of(name: str, kind: Kind) -> Any:
    """A metavariable of a kind."""
    return metavars(name, ndim=kind[1], dtype=DOMAINS[kind[0]])


def candidates(terms: Table, pairs: Iterable[Pair]) -> dict[str, list[Candidate]]:
    """Pairs by their text, in the order in which they are tried; pairs of one text differ in the names of variables alone."""
    found: dict[str, list[Candidate]] = {}
    for pair in pairs:
        one = candidate(terms, pair)
        if one is not None:
            found.setdefault(one.text, []).append(one)
    return dict(sorted(found.items(), key=lambda item: item[1][0].score))


def candidate(terms: Table, pair: Pair) -> Candidate | None:
    """One pair; None where the right side has a variable that the left has not."""
    names = terms.renamed(pair.left)
    if not set(terms.names[pair.right]) <= set(names):
        return None
    sides = [terms.nodes[pair.left], terms.nodes[pair.right]]
    text = " = ".join(side_text(terms, pair, k, names) for k in (pair.left, pair.right))
    if pair.given:
        text = f"{text} when {condition_text(sorted(pair.given, key=lambda s: names[s[0]]), names)}"
    share = -share_of(pair.given, terms.dtype)
    size, numbers = sum(n.size for n in sides), sum(n.numbers for n in sides)
    return Candidate(pair, names, (len(pair.given), share, size, numbers, -len(names), text))


def side_text(terms: Table, pair: Pair, place: int, names: dict[str, str]) -> str:
    """A side as the Python text of a rule."""
    node = terms.nodes[place]
    if node.number is None:
        return terms.text(place, call_text, names)
    if terms.nodes[pair.left].ndim == 0:
        return node.number_text()
    model = terms.names[pair.left][0]
    dtype = "" if terms.kinds[model][0] == node.dtype else f', dtype="{node.dtype}"'
    return f"T.full_like({names[model]}, {node.number_text()}{dtype})"


def call_text(op: Any, operands: list[str]) -> str:
    """An op as users call it: by its name in eqsat.tensor, or by its declaration where it has none there."""
    inside = ", ".join(operands)
    given = ", ".join(f"{name}={value!r}" for name, value in op.params.items())
    if given:
        return f'OPS["{op.name}"].bind({given})({inside})'
    return f"T.{op.name}({inside})" if is_public(op) else f'OPS["{op.name}"]({inside})'


def is_public(op: Any) -> bool:
    """True for an op that eqsat.tensor has under its own name."""
    function: Callable[..., Any] | None = getattr(T, op.name, None)
    if not callable(function):
        return False
    operands = metavars(" ".join(f"x{i}" for i in range(len(op.declaration.tensors))))
    try:
        made = function(*(operands if isinstance(operands, list) else [operands]))
    except (EqsatError, TypeError):
        return False
    return getattr(made, "owner", None) is not None and made.owner.op is op


@dataclass(frozen=True)
class Trial:
    """The end of a candidate: the way in which it keeps a promise, in the first tier in which it does, or the reason why it keeps none."""

    tier: str = ""
    tags: tuple[str, ...] = ()
    turned: bool = False
    condition: int = 0  # the place of the one under which it does
    needed: list[int] = field(default_factory=list)  # the facts of that condition that are needed
    why: str = "the sides differ at a special point"


def tried(terms: Table, one: Candidate, conditions: Sequence[Given], seed: int) -> Trial:
    """Hold a candidate against the tiers that it may have, from left to right or the other way round, under one condition after the other."""
    end = Trial()
    for number, given in enumerate(conditions):
        facts = needed(terms, one.under(given), seed)
        if facts is None:
            continue
        for way, tier, tags in promises(terms, one.under(tuple(given[k] for k in facts)), seed):
            verdict = judged(way.rule(terms, "candidate", tier, tags), seed)
            if verdict == KEPT:
                return Trial(tier, tags, way.turned, number, facts, "")
            end = Trial(why=f"{tier}: {verdict}")
    return end


def needed(terms: Table, one: Candidate, seed: int) -> list[int] | None:
    """The facts of a condition that are needed: of lengths those of the weakest condition; None where there is none."""
    given = one.pair.given
    if not given or not all(said.of_axes for _, said in given):
        return [*range(len(given))]
    metas = {n: meta_of(to, terms.kinds[n]) for n, to in one.names.items()}
    return weakest(one.under(()).rule(terms, "candidate"), condition_of(given, metas).facts, seed)


def judged(rule: Rule, seed: int) -> str:
    """The verdict on a rule; one that is kept is held against points of another seed too, and against many more."""
    for points, other in ((POINTS, seed), (POINTS, seed + 1), (MORE * POINTS, seed)):
        found = verify(rule, seed=other, points=points, proof=False, outside=False, egraph=False)
        if found.verdict != KEPT:
            break
    return found.verdict


def promises(terms: Table, one: Candidate, seed: int) -> Iterator[tuple[Candidate, str, tuple[str, ...]]]:
    """The ways to write a candidate, with tiers and tags that it may have, the one that promises most first.

    Where each side overflows at points at which the other has a value, nothing but equality over the reals can be promised.
    """
    if not is_elementwise(one.rule(terms, "candidate")):
        yield from ((one, tier, tags) for tier, tags in OF_TENSORS)
        return
    for way in (one, replace(one, turned=True)):
        try:
            seen = gains(way.rule(terms, "candidate"), terms.dtype, seed)
        except RuleError:  # what is now the left side does not bind all variables, or is no op
            continue
        if seen.wrong:
            return
        yield from ((way, tier, ()) for tier in seen.tiers)
        if "rounds" in seen.tiers:
            yield way, "rounds", ("backward",)
    yield one, "loose", ()


def name_of(terms: Table, one: Candidate, taken: Set[str]) -> str:
    """A name from the ops of the left side, with a number where it is taken."""
    ops: list[str] = []
    stack = [one.pair.left]
    while stack:
        node = terms.nodes[stack.pop()]
        if node.op is not None:
            ops.append(node.op.name)
            stack += reversed(node.operands)
    name = "-".join(["found", *ops])
    number = 2
    while name in taken:
        name, number = f"{'-'.join(['found', *ops])}-{number}", number + 1
    return name
