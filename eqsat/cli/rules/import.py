"""Read rules that were written for other programs: egg, Ruler and Enumo, Herbie, TASO and Tensat.

Each line of a file becomes a rule, or is refused with the reason. --verify holds each rule against its tier at drawn points: it is
kept, BROKEN, with a point that is shown, or untested. --derivable asks whether it follows from known rules, and in an e-graph of which
size. The exit status is 1 where a rule is broken, or none could be read.
"""

from __future__ import annotations

import argparse
import json

from eqsat.bridges.rules.elements import DTYPES
from eqsat.bridges.rules.imported import BEST, Imported, ImportedLine, import_rules
from eqsat.cli.rules.derive import rules_from
from eqsat.cli.rules.verify import positive
from eqsat.rules.rule import TIERS
from eqsat.verify.result import BROKEN
from eqsat.verify.sweep import POINTS


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules import``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file of rules of another program")
    parser.add_argument("--verify", action="store_true", help="hold each rule against its tier")
    parser.add_argument(
        "--derivable", action="store_true", help="does it follow from the rules of --from, and at which size"
    )
    parser.add_argument(
        "--tier", default="loose", choices=(*TIERS, BEST),
        help="what the rules are to promise; best finds it; loose, equality over the reals, by default",
    )  # fmt: skip
    parser.add_argument(
        "--dtype", choices=DTYPES, help="of the numbers; the one that fits most lines by default"
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="SET",
        help="known rules as rules= of optimize, or a file of rules of eqsat",
    )
    parser.add_argument("--points", type=positive, default=POINTS, help=f"for each rule; {POINTS} by default")
    parser.add_argument("--size", type=int, help="rows that the e-graph may hold; the flag egraph_nodes else")
    parser.add_argument("--seconds", type=float, default=2.0, help="to derive each rule; 2 by default")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def run(asked: argparse.Namespace) -> int:
    """Read the files; 1 where a rule is broken, or none was read."""
    known, wrong = rules_from(asked.source) if asked.derivable else None, False
    for file in asked.files:
        found = import_rules(
            file, tier=asked.tier, dtype=asked.dtype, verify=asked.verify, derivable=asked.derivable,
            from_=known, points=asked.points, size=asked.size, seconds=asked.seconds,
        )  # fmt: skip
        for text in [json.dumps(as_json(file, one)) for one in found] if asked.json else texts(file, found):
            print(text)
        wrong |= not found.rules or any(one.verdict == BROKEN for one in found)
    return int(wrong)


def texts(file: str, found: Imported) -> list[str]:
    """The table of a file, and the points that break rules."""
    points = [f"{one.rules[0].name}:\n{one.point}" for one in found if one.point]
    return [f"{file}\n{found}", *points]


def as_json(file: str, one: ImportedLine) -> dict[str, object]:
    """A line as JSON holds it."""
    d = one.derived
    return {
        "file": file,
        "line": one.line.number,
        "text": one.line.text,
        "rules": [str(r) for r in one.rules],
        "verdict": one.verdict,
        "why": one.refused,
        "point": one.point,
        "follows": None if d is None else d.verdict,
        "enodes": None if d is None or d.answer is None else d.answer.enodes,
    }
