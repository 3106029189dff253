"""List, show, verify and profile rewrite rules: one file per action, found because it is here.

A file has a docstring, whose first line is its help; ``add(parser)``, which declares the arguments; and
``run(asked)``, which does the work and gives the exit status.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pkgutil import iter_modules


def add(parser: argparse.ArgumentParser) -> None:
    """What may follow ``eqsat rules``."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name in sorted(module.name for module in iter_modules(__path__)):
        module = import_module(f"{__name__}.{name}")
        text = module.__doc__ or ""
        made = actions.add_parser(
            name,
            help=text.splitlines()[0],
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(action=module.run)
        module.add(made)


def run(asked: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(asked.action(asked))
