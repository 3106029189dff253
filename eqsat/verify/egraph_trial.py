"""Trials of rules: the e-graph must find the left side of a rule, and join the right side to it.

Both sides are loaded as graphs into an e-graph that holds this one rule. Rules share templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from eqsat.egraph.adapter import RunStep
from eqsat.egraph.compile_rule import guards_shape
from eqsat.egraph.driver import Driver
from eqsat.egraph.encode import encode
from eqsat.egraph.probe import are_equal, equality_watch
from eqsat.egraph.refused import refused_among
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.egraph.saturate import Growth, Rulebook, involved, new_rulebook
from eqsat.egraph.scheduler import Budget, by_rule
from eqsat.graph.loops import MADE
from eqsat.graph.ops.shape import length_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import FACTS
from eqsat.rules.pattern import Term, asks_numbers, subterms
from eqsat.rules.rule import Rule, RuleSet, all_rules, standing_named
from eqsat.verify.instances import Drawing, is_loop_rule
from eqsat.verify.loop_promises import UNUSABLE, complaint, instances
from eqsat.verify.points import Failure, points
from eqsat.verify.promises import check_types
from eqsat.verify.sides import Graph, OpenGraph, Point

LIMITS = Budget(
    10**6, 10**6, 60.0, 8
)  # what joins the sides of one rule does so at once or after a part was computed
MOST_TRIALS = 6  # points: at some the sides are equal anyway, or have other forms
GROUP = 24  # rules that share a template: declaring the ops takes longest
COMMON = {*MADE, "switch"}  # ops that many instances have


class Sides(NamedTuple):
    """Both sides of a rule as graphs, and the loops that they lie in."""

    left: Any
    right: Any
    loops: Any = None


def joins(rule: Rule) -> bool | None:
    """True where a graph of the left side becomes equal to one of the right side at one of some points; None where that cannot be tried.

    It cannot where the condition asks for facts of values, which variables do not have, where the right side computes
    with a known number, or where all that is drawn is equal without the rule, as known lengths are.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify.egraph_trial import joins
    >>> joins(all_rules()["log-exp"])
    True
    """
    decided = False
    for sides in islice(loop_sides(rule) if is_loop_rule(rule) else plain_sides(rule), MOST_TRIALS):
        matched, joined = tried(rule, [sides.left, sides.right], sides.loops)
        if matched and joined:
            return True
        decided = decided or bool(matched or not joined)
    return False if decided else None


def refusals(rule: Rule) -> list[Failure]:
    """The failure of a rule whose text an e-graph does not take; none for any other."""
    found = refused_among([rule], is_loop_rule(rule))
    return [Failure(rule, Point({}), f"no e-graph can hold the rule: {why}") for why in found.values()]


def bare(rule: Rule) -> Rule:
    """The rule without what it asks of functions, since variables are none."""
    facts = rule.when.facts if rule.when is not None else ()
    kept = tuple(f for f in facts if FACTS[f[0]].about != "functions")
    return rule if kept == facts else replace(rule, when=Condition(kept) if kept else None)


def plain_sides(rule: Rule) -> Iterator[Sides]:
    """Both sides over variables, at small points inside the condition; of unknown lengths for a law on these, as known ones are numbers."""
    if rule.multiset or rule.others or rule.when is not None or asks_numbers(rule.right):
        return
    on_lengths = any(isinstance(p, Term) and p.op == length_op.name for p in subterms(rule.left))
    for point in points(rule, 40, seed=3):
        left, wrong = check_types(rule, point, guards_shape(rule))
        if left is None or wrong or any(v.size >= 40 for v in point.values.values()):
            continue
        graph = (OpenGraph if on_lengths else Graph)(point)
        made = graph.run(rule.left)
        if 0 in made.type.shape and any(word in str(rule.left) for word in ("subtensor", "pool")):
            continue  # what has no elements is left alone
        graph.root_dtype, graph.root_ndim = made.type.dtype, made.type.ndim
        yield Sides(made, graph.run(rule.right))


def loop_sides(rule: Rule) -> Iterator[Sides]:
    """Both sides of a rule on loops as an instance of several steps and some elements."""
    drawn = drawn_for(rule)
    if drawn is not None:
        yield Sides(drawn.left, drawn.run(rule.right), drawn.table)


def drawn_for(rule: Rule) -> Drawing | None:
    """An instance inside the condition, of several steps and some elements, whose sides have one type."""
    for drawn in instances(rule, 200, seed=3):
        several = drawn.steps > 1 and 0 not in drawn.left.type.shape
        if several and complaint(drawn, guards_shape(rule)) != UNUSABLE:
            return drawn
    return None


@lru_cache(maxsize=4)
def template(group: int, loops: bool, off: frozenset[str] = frozenset()) -> Rulebook:
    """An e-graph with the ops of some rules that come with eqsat, and no rules: sessions add what they need.

    ``off`` names rules that ops bring by their declarations, and that do not run.
    """
    rules = all_rules()[group * GROUP : (group + 1) * GROUP] if group >= 0 else ()
    return new_rulebook(COMMON.union(*map(involved, [rules] if rules else [])), RuleSet([], off), loops)


@cache
def groups() -> dict[str, int]:
    """The number of the template for each rule that comes with eqsat."""
    return {r.name: k // GROUP for k, r in enumerate(all_rules())}


def tried(rule: Rule, roots: Sequence[Any], loops: Any = None) -> tuple[int, bool]:
    """The number of matches of a rule in a graph, and whether it makes the first root equal to the last."""
    rule = bare(rule)
    encoded = encode(list(roots), loops)
    off = frozenset([rule.name] if standing_named(rule.name) else [])
    book = replace(
        template(groups().get(rule.name, -1), bool(encoded.loops), off),
        selection=RuleSelection(RuleSet([rule], off)),
    )
    with book.template.session() as session:
        growth = Growth(book, session)
        growth.reach(encoded.ops | rule.needs)
        first, last = encoded.roots[0], encoded.roots[-1]
        session.add(equality_watch(first, last))
        return rounds(rule, Driver(session, growth, encoded))


def rounds(rule: Rule, driver: Driver) -> tuple[int, bool]:
    """Run the rule until it has joined the sides or does nothing more."""
    matches = 0

    def watch(ruleset: str, done: RunStep, seconds: float) -> bool:
        nonlocal matches
        matches += by_rule(done.matches).get(rule.name, 0)
        return matches > 0 and are_equal(driver.session)  # a single root is one with itself

    rulesets = list(dict.fromkeys(("shrink", rule.ruleset)))
    driver.phase("sides", rulesets, LIMITS, watch)
    return matches, are_equal(driver.session)
