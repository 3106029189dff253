"""Does a rule follow from others? Of one that does, the steps.

NAME is the name of a rule, a tag or a tier, or a Python file of rules. Each rule is left out of the others while it is asked
for: its sides are loaded over variables of which its condition is known, the others run, and the sides either become one, or
stay apart, or a limit is met first. The exit status is 1 where a rule does not follow.
"""

from __future__ import annotations

import argparse
import json

from eqsat.base.progress import Progress
from eqsat.base.text_tables import row_text
from eqsat.research.derivation import Derivation, derive_all
from eqsat.research.equality import LIMIT
from eqsat.rules.rule import RuleSet, all_rules, select_rules, standing_named
from eqsat.verify import load_rules

HEAD = ("rule", "verdict", "e-nodes", "seconds")
VERDICT = len(LIMIT)  # characters of the longest verdict


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules derive``."""
    parser.add_argument("names", nargs="+", metavar="NAME|FILE", help="rules, tags, tiers, or files of rules")
    parser.add_argument(
        "--from", dest="source", metavar="SET", help="rules as rules= of optimize, or a file of rules"
    )
    parser.add_argument("--size", type=int, help="rows that the e-graph may hold; the flag egraph_nodes else")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each rule; 10 by default")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(asked: argparse.Namespace) -> int:
    """Ask for each rule."""
    chosen = RuleSet([r for name in asked.names for r in chosen_rules(name)])
    known, follow = rules_from(asked.source), 0
    widths = (max((len(r.name) for r in chosen), default=4), VERDICT, *map(len, HEAD[2:]))
    if len(chosen) > 1 and not asked.json:
        print(row_text(HEAD, widths, right=(2, 3)))
    for one in derive_all(chosen, known, asked.size, asked.seconds):
        follow += bool(one)
        if asked.json:
            Progress.say(json.dumps(as_json(one)))
        elif len(chosen) > 1:
            Progress.say(row_text(one.row(), widths, right=(2, 3)))
        else:
            Progress.say(one.text(asked.seconds))
    if len(chosen) > 1 and not asked.json:
        print(f"{follow} of {len(chosen)} follow from {len(known)} rules")
    return int(follow < len(chosen))


def chosen_rules(name: str) -> RuleSet:
    """The rules of a name or a file; a rule that is declared of ops by that name too."""
    if name.endswith(".py"):
        return load_rules(name)
    one = all_rules().find(name) or standing_named(name)
    return select_rules(name) if one is None else RuleSet([one])


def rules_from(source: str | None) -> RuleSet:
    """The rules from which others may follow."""
    return load_rules(source) if source is not None and source.endswith(".py") else select_rules(source)


def as_json(one: Derivation) -> dict[str, object]:
    """The answer for one rule as JSON holds it."""
    a = one.answer
    return {
        "rule": one.rule.name,
        "verdict": one.verdict,
        "why": one.why or (a.limit if a is not None else ""),
        "enodes": a.enodes if a is not None else None,
        "seconds": round(a.seconds, 3) if a is not None else None,
    }
