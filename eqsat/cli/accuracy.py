"""Measure the error of expressions in FPCore files, as written, by the default rules, and by the accuracy objective.

Errors are bits: log2(1 + the number of floats between the result and the real value), in the mean of points drawn from the range of
each expression. An expression that has no graph here is refused with the reason; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from eqsat.errors import ArgumentError, EqsatError
from eqsat.optimise import optimize
from eqsat.printing.short_text import short
from eqsat.rounding import read_fpcore
from eqsat.rounding.fpcore import FPCore
from eqsat.rounding.objective import accurate_of

HEAD = f"{'written':>8}{'default':>9}{'accurate':>10}  expression"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat accuracy``."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file of FPCore expressions")
    parser.add_argument("--show", action="store_true", help="print the chosen graph below each line")


def run(asked: argparse.Namespace) -> int:
    """A line for each expression; 1 where one was refused."""
    refused = 0
    print(HEAD)
    for file in asked.files:
        cores = read_fpcore(file)
        if not cores:
            raise ArgumentError(f"{file} holds no FPCore", needs="(FPCore (x) ...)")
        for core in cores:
            try:
                if core.refused:
                    raise_refused(core)
                print(line(core, asked.show), flush=True)
            except EqsatError as error:
                refused += 1
                print(
                    f"eqsat: refused {core.name}: {str(error).splitlines()[0]}", file=sys.stderr, flush=True
                )
    return int(refused > 0)


def raise_refused(core: FPCore) -> None:
    """The reason why an expression has no graph, as an error."""
    raise EqsatError(core.refused)


def line(core: FPCore, show: bool) -> str:
    """The errors of one expression."""
    default = optimize(core.output).optimized[0]
    best, written, plain = accurate_of(core, default)
    text = f"{written:8.1f}{plain:9.1f}{best.bits:10.1f}  {core.name}"
    return f"{text}\n{'':29}{short(best.outputs[0], 160)}" if show else text
