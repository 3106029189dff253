"""Hold rules against what their tiers promise.

Each rule is computed at drawn points inside its condition, where its tier must hold, and outside of it, where some point
should need the condition; sympy is asked for a proof; and both sides are loaded into an e-graph, which must find them
equal. A table and a summary say what was found. ``--sets`` tries the rules together: on graphs with zeros and divisions by
zero, beside outputs that must not change. The exit status is 1 where a rule fails, and a point at which it does
is shown.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from eqsat.base.executors import add_executor
from eqsat.cli.rules.list import CHOICE, chosen_rules
from eqsat.rules.rule import RuleSet
from eqsat.verify import sweep, verify_set
from eqsat.verify.result import summary, table_of
from eqsat.verify.sweep import POINTS


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules verify``."""
    parser.add_argument("choice", nargs="*", help=CHOICE)
    parser.add_argument("--module", metavar="MODULE", help="rules of a module or a Python file alone")
    parser.add_argument("--points", type=positive, default=POINTS, help=f"for each rule; {POINTS} by default")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other points")
    parser.add_argument(
        "-n", dest="workers", type=positive, default=None, help="processes; one per core by default"
    )
    parser.add_argument(
        "--sets",
        metavar="N",
        type=positive,
        default=0,
        help="also rewrite N random degenerate graphs with all of them",
    )
    add_executor(parser, "finished rules")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def positive(text: str) -> int:
    """A whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return number


def run(asked: argparse.Namespace) -> int:
    """Verify the rules that were asked for; 1 where one fails."""
    rules, start = chosen_rules(asked), time.perf_counter()
    workers = asked.workers or min(os.cpu_count() or 1, 1 + len(rules) // 20)
    modules = [asked.module] if asked.module else []
    found = sweep(
        rules, asked.points, asked.seed, workers, modules, executor=asked.executor, resume=asked.resume
    )
    if asked.json:
        for result in found:
            print(json.dumps(result.as_json()))
    else:
        print(table_of(found))
        for result in found:
            if not result:
                print(f"\n{result}\n")
        print(summary(found, time.perf_counter() - start))
    if asked.sets:
        together = verify_set(RuleSet(rules), asked.sets, asked.seed)
        print(together, file=sys.stderr if asked.json else sys.stdout)
        return int(not all(found) or not together)
    return int(not all(found))
