"""All that is known of some rules: sides, condition, promise, source, proof, examples, reverse."""

from __future__ import annotations

import argparse

from eqsat.cli.rules.list import among
from eqsat.rules.rule import select_rules
from eqsat.verify import load_rules
from eqsat.verify.rule_description import about


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules show``."""
    parser.add_argument("names", nargs="+", metavar="NAME", help="names of rules, tags or tiers")
    parser.add_argument("--module", metavar="MODULE", help="rules of a module or a Python file alone")
    parser.add_argument("--points", type=not_negative, default=2, help="examples of each kind; 2 by default")


def not_negative(text: str) -> int:
    """A whole number of at least 0."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is a number below 0")
    return number


def run(asked: argparse.Namespace) -> int:
    """Say what is known of each rule that was asked for."""
    known = select_rules("all") if asked.module is None else load_rules(asked.module)
    found = [r for name in asked.names for r in among(known, name, asked.module)]
    print("\n\n".join(about(r, known, asked.points) for r in found))
    return 0
