"""Heads of stable forms: a logarithm, 1 - x, 1 + x, x - 1; and the facts of an operand that such forms ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from eqsat.graph.ops.elemwise import log, log1p, neg
from eqsat.rules.condition import Condition
from eqsat.rules.facts_of_functions import any_log, known_but_one, known_less, known_log, known_more
from eqsat.rules.pattern import Meta, Term, metas_of


class Head(NamedTuple):
    """A function of one operand, the fact of that operand, and what is asked of an operand of which only elements are shown.

    Of exp itself other rules know the logarithm, but not of elements of it that a pick or a choice shows.
    """

    of: Callable[[Any], Any]
    known: Callable[[Any], Condition]
    behind: Callable[[Any], Condition]


HEADS = {
    "log": Head(log, known_log, any_log),
    "one-less": Head(lambda b: 1 - b, known_less, known_less),
    "one-plus": Head(lambda b: 1 + b, known_more, known_more),
    "less-one": Head(lambda b: b + (-1), known_but_one, known_but_one),
    "log1p": Head(log1p, known_more, known_more),
    "log1p-less": Head(lambda b: log1p(neg(b)), known_less, known_less),
}
HOLE = Meta("hole")


def operand_of(head: Head, pattern: Any) -> Any:
    """The operand where a pattern is the head of something, else None.

    >>> from eqsat.graph.ops.elemwise import exp
    >>> from eqsat.rules.pattern import reals
    >>> str(operand_of(HEADS["one-less"], 1 - exp(reals("x"))))
    'exp(x)'
    """
    for found, at in _ways(head):
        if not isinstance(pattern, Term) or pattern.op != found.op or len(pattern.args) != len(found.args):
            return None
        if any(a != b for k, (a, b) in enumerate(zip(found.args, pattern.args, strict=True)) if k != at):
            return None
        pattern = pattern.args[at]
    return pattern


@lru_cache(maxsize=64)
def _ways(head: Head) -> tuple[tuple[Term, int], ...]:
    """The terms of a head from the outside in, each with the place of the operand in it."""
    found, ways = head.of(HOLE), []
    while found != HOLE:
        at = next(k for k, a in enumerate(found.args) if HOLE in metas_of(a))
        ways.append((found, at))
        found = found.args[at]
    return tuple(ways)
