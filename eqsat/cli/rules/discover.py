"""Find rules over some ops: terms that are equal, and that no rule shows to be equal.

All terms of up to --size variables, numbers and ops are made and compared at drawn points. Candidates that follow from the rules
of --from, and from those found before, are left out; the others are verified, and become rules in the tier whose promise they
keep, under the weakest condition that they need. --ranks 2 looks for laws of products, sums, moves, joins and parts of matrices.
The same seed gives the same rules, unless --seconds ends the search, which --resume lets go on. The exit status is 1 where none
is found.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from eqsat.cli.rules.ablate import write
from eqsat.cli.rules.derive import rules_from
from eqsat.research.discovery import Discovery, discover
from eqsat.research.fingerprints import Fingerprints
from eqsat.rules.rule import RuleSet
from eqsat.verify.sources import load_module

NONE = "none"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules discover``."""
    parser.add_argument("--ops", required=True, help="ops with commas between, as exp,log,add,neg")
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
    parser.add_argument(
        "--ranks",
        type=axes,
        default=(),
        help="numbers of axes of the variables, as 2 or 1,2, for ops of whole tensors",
    )
    parser.add_argument("--operations", type=int, help="ops of a term at most, as 3, beside --size")
    parser.add_argument(
        "--no-conditions", action="store_true", help="only what holds without a condition is looked for"
    )
    parser.add_argument(
        "--conditions", metavar="FACTS", help="conditions of these facts alone, as nonneg,nonzero"
    )
    parser.add_argument(
        "--resume",
        metavar="FOLDER",
        help="keep what is found out, and go on where an earlier search was ended",
    )
    parser.add_argument("--processes", type=int, default=1, help="the rules are the same for any number")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the rules to a Python file")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def axes(text: str) -> tuple[int, ...]:
    """Numbers with commas between.

    >>> axes("1,2")
    (1, 2)
    """
    return tuple(int(word) for word in text.split(","))


def run(asked: argparse.Namespace) -> int:
    """Look for rules; 1 where none is found."""
    for module in asked.module:
        load_module(module)
    known = RuleSet([]) if asked.source == NONE else rules_from(asked.source)
    found = discover(
        asked.ops,
        asked.size,
        asked.dtype,
        known,
        asked.seconds,
        asked.seed,
        conditions=asked.conditions.split(",") if asked.conditions else not asked.no_conditions,
        folder=asked.resume,
        processes=asked.processes,
        modules=asked.module,
        ranks=asked.ranks,
        operations=asked.operations,
    )
    if asked.json:
        for line in as_json(found):
            print(json.dumps(line))
    else:
        print(found)
    if asked.output and found:
        write(asked.output, lambda: found.python(asked.module))
    return int(not found)


def as_json(found: Discovery) -> list[dict[str, object]]:
    """The rules as JSON holds them."""
    return [
        {
            "rule": r.name,
            "left": str(r.left),
            "right": str(r.right),
            "when": "" if r.when is None else str(r.when),
            "tier": r.tier,
            "tags": sorted(r.tags),
        }
        for r in found.rules
    ]
