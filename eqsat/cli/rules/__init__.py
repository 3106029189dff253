"""List, show, verify and profile rewrite rules: one file per action, found because it is here.

A file has a docstring, whose first line is its help; ``add(parser)``, which declares the arguments; and
``run(asked)``, which does the work and gives the exit status.
"""

from __future__ import annotations

import argparse

from eqsat.cli import add_files


def add(parser: argparse.ArgumentParser) -> None:
    """What may follow ``eqsat rules``."""
    add_files(parser, __name__, __path__, "ACTION", "action")


def run(asked: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(asked.action(asked))
