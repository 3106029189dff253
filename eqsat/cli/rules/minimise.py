"""Drop the rules of a set that follow from the rest, and say what implies each.

NAME is the name of a rule, a tag or a tier, or a Python file of rules. Rules are asked for one after the other, long ones first, and
each that follows from the rest is dropped, so that short and general rules stay; what is dropped follows from what is kept. A line
is printed as soon as a rule is judged: those that stay in any case come first. --steps shows the steps of those that are dropped.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from eqsat.base.progress import Progress
from eqsat.base.text_files import write_text
from eqsat.base.text_tables import row_text
from eqsat.cli.rules.derive import chosen_rules, rules_from
from eqsat.errors import ArgumentError
from eqsat.inspect.explanation.explanation_text import explanation_text
from eqsat.research.minimal import HEAD, Judged, Minimal, judgements
from eqsat.rules.rule import RuleSet

FROM = 40  # characters of the column of what implies a rule


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules minimise``."""
    parser.add_argument("names", nargs="+", metavar="NAME|FILE", help="rules, tags, tiers, or files of rules")
    parser.add_argument(
        "--from", dest="source", metavar="SET", help="rules that hold besides, or a file of them"
    )
    parser.add_argument("--size", type=int, help="rows that the e-graph may hold; the flag egraph_nodes else")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each rule; 10 by default")
    parser.add_argument("--steps", action="store_true", help="the steps below each rule that is dropped")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="writes the names of the rules that are kept"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(asked: argparse.Namespace) -> int:
    """Judge each rule."""
    start = time.monotonic()
    chosen = RuleSet([r for name in asked.names for r in chosen_rules(name)])
    besides = RuleSet([]) if asked.source is None else rules_from(asked.source)
    widths = (max((len(r.name) for r in chosen), default=4), len("dropped"), FROM, *map(len, HEAD[3:]))
    if not asked.json:
        print(row_text(HEAD, widths, right=(3, 4)))
    judged = []
    for one in judgements(chosen, besides, asked.size, asked.seconds):
        judged.append(one)
        Progress.say(json.dumps(one.as_json()) if asked.json else line(one, widths, asked.steps))
    found = Minimal.of(chosen, judged, time.monotonic() - start)
    if not asked.json:
        print(found.summary())
    if asked.output is not None:
        write_names(found, asked.output)
    return 0


def line(one: Judged, widths: tuple[int, ...], steps: bool) -> str:
    """The line of one rule, with the steps where they are asked for."""
    text = row_text(one.row(), widths, right=(3, 4))
    if not steps or one.steps is None:
        return text
    return "\n".join([text, *(f"    {part}".rstrip() for part in explanation_text(one.steps).splitlines())])


def write_names(found: Minimal, path: Path) -> None:
    """Write the names of the rules that are kept, one a line."""
    try:
        write_text("".join(f"{r.name}\n" for r in found.kept), path)
    except OSError as error:
        raise ArgumentError(f"--output: {path} cannot be written: {error.strerror}") from error
