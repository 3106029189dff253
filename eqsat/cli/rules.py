"""List the rewrite rules."""

from __future__ import annotations

import argparse

from eqsat.rules.rule import Rule, select_rules
from eqsat.tables import table


def add(parser: argparse.ArgumentParser) -> None:
    """What may follow ``eqsat rules``."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listed = actions.add_parser("list", help="a table of rules")
    listed.add_argument(
        "choice",
        nargs="?",
        default="all",
        help="tiers, tags and names with commas between, each with a leading - to leave it out; all by default",
    )
    listed.set_defaults(action=show_list)


def run(asked: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(asked.action(asked))


def show_list(asked: argparse.Namespace) -> int:
    """A table of the rules that were asked for."""
    rules = select_rules(asked.choice)
    print(table(("name", "tier", "rule", "when", "source"), [row(r) for r in rules]))
    print(f"{len(rules)} rule{'s' if len(rules) != 1 else ''}")
    return 0


def row(rule: Rule) -> tuple[str, ...]:
    """What the table says of a rule."""
    return (rule.name, rule.tier, f"{rule.left} = {rule.right}", str(rule.when or ""), rule.cite)
