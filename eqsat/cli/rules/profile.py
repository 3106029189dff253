"""Matches and seconds of each rule on a graph.

The graph is a Python file that defines ``outputs``, a pickle of a variable or of a list of them, or an expression in T
whose variables are declared with --with.
"""

from __future__ import annotations

import argparse
import json
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy

import eqsat.tensor as T
from eqsat.base.names import meant
from eqsat.errors import ArgumentError, EqsatError
from eqsat.inspect.rule_profile import profile_rules
from eqsat.rules.rule import select_rules
from eqsat.verify.sources import load_module, load_rules


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules profile``."""
    parser.add_argument(
        "graph", metavar="GRAPH", help="a .py file, a pickle, or an expression as 'T.log(T.exp(x))'"
    )
    help_with = "variables of an expression, as 'x y: dmatrix, v: fvector'"
    parser.add_argument("--with", dest="variables", default="", metavar="TYPES", help=help_with)
    parser.add_argument("--rules", help="as rules= of optimize takes them; the default tiers by default")
    parser.add_argument("--module", metavar="MODULE", help="rules of a module or a Python file besides")
    parser.add_argument("--seconds", type=float, help="limit of saturation")
    parser.add_argument("--top", type=int, default=30, help="rules that are shown; 30 by default, 0 for all")
    parser.add_argument("--json", action="store_true", help="all rules as a list of objects in JSON")


def run(asked: argparse.Namespace) -> int:
    """Profile the rules on the graph that was asked for."""
    rules = select_rules(asked.rules)
    if asked.module is not None:
        rules = rules + load_rules(asked.module)
    found = profile_rules(graph_of(asked.graph, asked.variables), rules, asked.seconds)
    if asked.json:
        print(json.dumps([asdict(r) for r in found], indent=1))
    else:
        print(found.table(asked.top or None))
    return 0


def graph_of(source: str, variables: str) -> Any:
    """The outputs that a file or an expression stands for."""
    path = Path(source)
    if path.suffix == ".py":
        outputs = getattr(load_module(source), "outputs", None)
        if outputs is None:
            raise ArgumentError(
                f"{source} defines no outputs", needs="a variable or a list of them named outputs"
            )
        return outputs
    if path.is_file():
        return unpickled(path)
    known = declared(variables)
    try:
        return eval(source, {"T": T, "np": numpy, **known})
    except NameError as error:
        raise ArgumentError(f"{source}: {error}", needs="--with 'x: dmatrix' for every variable") from error
    except SyntaxError as error:
        raise ArgumentError(f"{source} is no file and no expression: {error}") from error
    except EqsatError:
        raise
    except Exception as error:  # whatever the expression does
        raise ArgumentError(f"{source}: {error}", error=type(error).__name__) from error


def unpickled(path: Path) -> Any:
    """The object in a pickle."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception as error:  # whatever the file says
        raise ArgumentError(f"{path} is no pickle that can be read: {error}") from error


def declared(text: str) -> dict[str, Any]:
    """Variables by name from declarations as ``x y: dmatrix, v: fvector``."""
    found = {}
    for part in filter(str.strip, text.split(",")):
        names, _, kind = (p.strip() for p in part.partition(":"))
        make = getattr(T, kind, None) if kind else None
        if not callable(make):
            raise ArgumentError(
                f"{part.strip()!r} declares no variable",
                needs="names and a type as x y: dmatrix",
                hint=meant(kind, T.__all__),
            )
        found.update({name: make(name) for name in names.split()})
    return found
