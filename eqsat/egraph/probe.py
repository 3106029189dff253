"""Questions to an e-graph that change nothing in it: how often bodies of rules match, and whether two values are one."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.egraph.adapter import Session
from eqsat.egraph.compile_rule import RuleText

PROBE = "probe"  # the ruleset


def probes(texts: Mapping[str, RuleText]) -> list[str]:
    """Rules that count the matches of bodies, by names, whenever the ruleset ``PROBE`` runs."""
    return [
        f"(ruleset {PROBE})",
        "(relation probed (i64))",
        *(line for text in texts.values() for line in text.wants),
        *(
            f'(rule ({" ".join(text.body)}) ((probed {k})) :ruleset {PROBE} :name "{name}")'
            for k, (name, text) in enumerate(texts.items())
        ),
    ]


def equality_watch(first: int, last: int) -> list[str]:
    """The rule that notes, with the facts, that two of the nodes that were loaded are one."""
    rule = f'(rule ((= (node {first}) (node {last}))) ((sides_are_one)) :ruleset facts :name "sides")'
    return ["(relation sides_are_one ())", rule]


def are_equal(session: Session) -> bool:
    """True once two nodes that are watched are one."""
    return bool(session.sizes()["sides_are_one"])
