"""Loops as Theano's: a random draw that a step uses is made anew in every step, wherever it was written."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import eqsat
from eqsat.graph.core import Variable
from eqsat.graph.walk import graph_inputs
from eqsat.scan import until
from eqsat.scan.returned import as_returned


def _with_draws(fn: Callable[..., Any]) -> Callable[..., Any]:
    """fn, which also returns the default updates of the shared variables that its outputs depend on.

    So their states move on in every step. What fn gets as an argument stays what it is.
    """

    @functools.wraps(fn)
    def step(*arguments: Any) -> Any:
        result = fn(*arguments)
        made = as_returned(result)
        ends = [] if made.condition is None else [made.condition]
        values = [v for v in made.updates.values() if isinstance(v, Variable)]
        given = set(arguments)
        leaves = [v for v in graph_inputs([*made.outputs, *values, *ends], given) if v not in given]
        news = {v: getattr(v, "default_update", None) for v in leaves if v not in made.updates}
        moved = {v: new for v, new in news.items() if new is not None}
        if not moved:
            return result
        return made.outputs, {**made.updates, **moved}, *map(until, ends)

    return step


def _older(loop: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(loop)
    def call(fn: Any, *others: Any, **options: Any) -> Any:
        return loop(_with_draws(fn) if callable(fn) else fn, *others, **options)

    return call


SCANS = {
    "scan": _older(eqsat.scan.scan),
    "map": _older(eqsat.map),
    "reduce": _older(eqsat.reduce),
    "foldl": _older(eqsat.foldl),
    "foldr": _older(eqsat.foldr),
}
