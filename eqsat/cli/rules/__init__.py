"""List, show, verify and profile rewrite rules.

Rules are those that come with eqsat, or those of a module or a Python file of your own (--module). Each action says with
--help what it takes.
"""
# One file per action, found because it is here, with a docstring, ``add`` and ``run`` as in eqsat/cli/__init__.py.

from __future__ import annotations

import argparse

from eqsat.cli import add_files


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules``."""
    add_files(parser, __name__, __path__, "ACTION", "action")


def run(asked: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(asked.action(asked))
