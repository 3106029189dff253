"""Ranges: declared facts of the results of a left side must hold of the right side too, also where the left side is no number.

Both are one class of the e-graph: once ``sqr(sqrt(x))`` is x, x is known to be at least 0, and ``abs(x)`` is x.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from eqsat.graph.declare import OPS
from eqsat.rules.pattern import Number, Term
from eqsat.rules.rule import Rule

Range = tuple[float, float]
ANY: Range = (-inf, inf)


@lru_cache(maxsize=4096)
def declared_range(pattern: Any) -> Range:
    """The interval in which the declarations of the ops of a pattern put every result that is a number.

    >>> from eqsat.graph.ops.elemwise import exp, sqrt
    >>> from eqsat.rules.pattern import reals
    >>> x = reals("x")
    >>> declared_range(exp(x)), declared_range(sqrt(x) * sqrt(x)), declared_range(x)
    ((0.0, inf), (0.0, inf), (-inf, inf))
    """
    if isinstance(pattern, Number):
        return (pattern.value, pattern.value)
    if not isinstance(pattern, Term):
        return ANY
    d = OPS[pattern.op]
    low, high = d.image or ANY
    operands = dict(zip(d.tensors, pattern.args, strict=True))
    if any(_nonneg(fact, operands) for fact in d.facts):
        low = max(low, 0.0)
    return (low, high)


def _nonneg(fact: str, operands: dict[str, Any]) -> bool:
    """True for a fact that says of these operands that the result is at least 0."""
    head, _, body = fact.partition(" if ")
    return head in ("nonneg", "float_nonneg") and all(
        _holds(part.split(), operands) for part in body.split(",") if part.strip()
    )


def _holds(words: list[str], operands: dict[str, Any]) -> bool:
    fact, *names = words
    if fact == "same":
        return operands[names[0]] == operands[names[1]]
    low, high = declared_range(operands[names[0]])
    return low >= 0 if fact == "nonneg" else fact == "nonzero" and (low > 0 or high < 0)


def leaves_range(rule: Rule, left: Any, right: Any) -> str | None:
    """The fact declared of the left side that the right side breaks where the left is no number; None where it breaks none."""
    low, high = declared_range(rule.left)
    if (low, high) == ANY or left.dtype.kind != "f":
        return None
    with np.errstate(invalid="ignore"):
        outside = np.isnan(left) & np.isfinite(right) & ((right < low) | (right > high))
    if not outside.any():
        return None
    return f"the left side is no number; right {right[outside][0]!r} lies outside [{low:g}, {high:g}], declared of {rule.left.op}"
