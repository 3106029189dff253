"""Tables that rules read in place of those of e-nodes, which egglog reads slowly.

A constructor's rows carry a mark, whether they are subsumed, and every rule that reads them first asks for the rows without it.
egglog keeps its indices for whole tables: what has been asked for is indexed anew for each rule in each iteration, which took
half the time of saturation. A function carries no mark. So each constructor has a view, a function with the same
rows: rules read the view and write the constructor, and a ruleset of its own brings the views up to date before any other runs.

The process that serves forked children loads this file by its path, so it imports nothing of eqsat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

RULESET = "view"
VIEW = "view_"
_CONSTRUCTOR = re.compile(r"\(constructor (o_\w+) \(([^()]*)\) (\w+)")
_READ = re.compile(r"\((o_\w+)(?=[ )])")
_SUBSUMED = "(subsume (o_"


def is_view(name: str) -> bool:
    """True for a table, or a rule, that is here for views alone."""
    return name.startswith(VIEW)


def with_views(lines: Iterable[str]) -> list[str]:
    """Commands in which each constructor of e-nodes has a view, and rules read that.

    >>> print(*with_views(["(constructor o_neg (T) T)", "(rule ((= e (o_neg x))) ((set (made e) 0)) :ruleset facts)"]), sep="\\n")
    (constructor o_neg (T) T)
    (function view_o_neg (T) T :merge old)
    (rule ((= e (o_neg a0))) ((set (view_o_neg a0) e)) :ruleset view :name "view_o_neg")
    (rule ((= e (view_o_neg x))) ((set (made e) 0)) :ruleset facts)
    """
    return [line for command in lines for line in _viewed(command)]


@lru_cache(maxsize=1 << 13)
def _viewed(command: str) -> tuple[str, ...]:
    if command.startswith("(rule "):
        return (_reading(command),)
    found = _CONSTRUCTOR.match(command)
    if found is None:
        return (command,)
    name, sorts, output = found.groups()
    row = " ".join([VIEW + name, *(f"a{k}" for k in range(len(sorts.split())))])
    return (
        command,
        f"(function {VIEW}{name} ({sorts}) {output} :merge old)",
        f'(rule ((= e ({row.removeprefix(VIEW)}))) ((set ({row}) e)) :ruleset {RULESET} :name "{VIEW}{name}")',
    )


def end_of_body(rule: str) -> int:
    """Find where the head of a rule begins that has both on one line; -1 without a head."""
    return rule.find(" ((", len("(rule (("))


def _reading(rule: str) -> str:
    """A rule that reads views, and takes out of them what it subsumes."""
    middle = end_of_body(rule)
    if middle < 0:
        return rule  # without a head; what reads no view reads the same
    body, head = rule[:middle], rule[middle:]
    for term in _subsumed(head):
        head = head.replace(f"(subsume {term})", f"(subsume {term}) (delete ({VIEW}{term[1:]})", 1)
    return _READ.sub(rf"({VIEW}\1", body) + head


def _subsumed(head: str) -> Iterator[str]:
    """The terms that a rule subsumes."""
    start = head.find(_SUBSUMED)
    while start >= 0:
        start += len("(subsume ")
        end, depth = start, 0
        while depth or end == start:
            depth += {"(": 1, ")": -1}.get(head[end], 0)
            end += 1
        yield head[start:end]
        start = head.find(_SUBSUMED, end)
