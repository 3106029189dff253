"""The command ``eqsat``: one file per subcommand, found because it is here.

A file has a docstring, whose first line is its help; ``add(parser)``, which declares the arguments; and
``run(asked)``, which does the work and gives the exit status.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import eqsat
from eqsat.base.names import meant
from eqsat.errors import DeclarationError, EqsatError

__all__ = ["main"]

LEFT_OUT = re.compile(
    "-(?!n[0-9])[A-Za-z][^-]"
)  # as -exact or -log-exp; no option has one "-" and several letters


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status: 0, 1 where the command found something wrong, 2 where it was asked wrongly.

    >>> from eqsat.cli import main
    >>> main(["rules", "list", "log-exp"])  # doctest: +ELLIPSIS
    name     ops  tier        ...
    log-exp       stabilises  ...
    1 rule: 1 stabilises
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["rules"]:
        words = [f" {word}" if LEFT_OUT.match(word) else word for word in words]  # no options to argparse
    try:
        asked, unknown = parser().parse_known_args(words)
        if unknown:
            asked.parser.refuse(unknown)
        return int(asked.run(asked))
    except EqsatError as error:
        print(f"eqsat: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


class Parser(argparse.ArgumentParser):
    """A parser that names the words which are close to one that it does not know."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = meant(value, map(str, action.choices or ()))
            raise argparse.ArgumentError(
                action, error.message + f"; did you mean {near}?" * bool(near)
            ) from None

    def refuse(self, words: Sequence[str]) -> None:
        """End with the error for words that the subcommand does not take."""
        options = [option for action in self._actions for option in action.option_strings]
        near = meant(words[0].partition("=")[0], options)
        self.error(f"unrecognized arguments: {' '.join(words)}" + f"; did you mean {near}?" * bool(near))


def parser() -> Parser:
    """The parser of every subcommand."""
    whole = Parser(prog="eqsat", description="Rules, costs and extraction of eqsat.")
    whole.add_argument("--version", action="version", version=f"eqsat {eqsat.__version__}")
    add_files(whole, __name__, __path__, "COMMAND", "run")
    return whole


def add_files(
    parser: argparse.ArgumentParser, package: str, path: Iterable[str], metavar: str, run: str
) -> None:
    """Give a parser a subparser for each file of a package, whose function ``run`` is kept under the name ``run``."""
    choices = parser.add_subparsers(metavar=metavar, required=True)
    for name in sorted(module.name for module in iter_modules(path)):
        module = import_module(f"{package}.{name}")
        text = module.__doc__ or ""
        if not text or not hasattr(module, "run") or not hasattr(module, "add"):
            raise DeclarationError(
                f"{module.__file__} is no subcommand", needs="a docstring, add(parser) and run(asked)"
            )
        made = choices.add_parser(
            name,
            help=text.splitlines()[0],
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(**{run: module.run, "parser": made})
        module.add(made)
