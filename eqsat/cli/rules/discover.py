"""Find rules over some ops: terms that are equal, and that no rule shows to be equal.

All terms of up to --size variables, numbers and ops are made and compared at drawn points. Candidates that follow from the rules
of --from, and from those found before, are left out; the others are verified, and become rules in the tier whose promise they
keep. The same seed gives the same rules, unless --seconds ends the search. The exit status is 1 where none is found.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from eqsat.cli.rules.derive import rules_from
from eqsat.research.discovery import Discovery, discover
from eqsat.research.fingerprints import Fingerprints
from eqsat.rules.rule import RuleSet
from eqsat.verify.sources import load_module

NONE = "none"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules discover``."""
    parser.add_argument(
        "--ops", required=True, help="elementwise ops with commas between, as exp,log,add,neg"
    )
    parser.add_argument(
        "--size", type=int, default=5, help="variables, numbers and ops of a term; 5 by default"
    )
    parser.add_argument(
        "--from", dest="source", metavar="SET",
        help="what is known: rules as rules= of optimize, a file of rules, or none for what ops declare alone; the default rules else",
    )  # fmt: skip
    parser.add_argument("--dtype", default="float64", choices=Fingerprints.DTYPES, help="of the variables")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of the search; 600 by default")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other points")
    parser.add_argument(
        "--module",
        metavar="MODULE",
        action="append",
        default=[],
        help="a module or Python file that declares ops",
    )
    parser.add_argument("--output", metavar="FILE", help="write the rules to a Python file")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def run(asked: argparse.Namespace) -> int:
    """Look for rules; 1 where none is found."""
    for module in asked.module:
        load_module(module)
    known = RuleSet([]) if asked.source == NONE else rules_from(asked.source)
    found = discover(asked.ops, asked.size, asked.dtype, known, asked.seconds, asked.seed)
    if asked.output and found:
        Path(asked.output).write_text(found.python(asked.module), encoding="utf-8")
    if asked.json:
        for line in as_json(found):
            print(json.dumps(line))
    else:
        print(found)
    return int(not found)


def as_json(found: Discovery) -> list[dict[str, object]]:
    """The rules as JSON holds them."""
    return [
        {"rule": r.name, "left": str(r.left), "right": str(r.right), "tier": r.tier, "tags": sorted(r.tags)}
        for r in found.rules
    ]
