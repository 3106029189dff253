"""Loops: a state that only adds is a sum over time; so it is with products, extremes, and truth of any or all.

A last value of a loop that has made a step is read from ``last``, of one that may have made none from ``final``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.loops import final_op, last_op
from eqsat.graph.ops.cumulate import cumprod_op, cumsum_op
from eqsat.graph.ops.elemwise import add, and_, maximum, minimum, mul, or_, sub
from eqsat.graph.ops.reduce import all_op, any_op, max_op, min_op, prod_op, sum_op
from eqsat.rules.facts import filled_with_one
from eqsat.rules.loops import L, e, i, is_new_value, k, n, o, old, s, stack
from eqsat.rules.pattern import bools, under_time, without_time
from eqsat.rules.rule import Rule, rule

t, begin = bools("t begin")
SUM, CUMSUM, FOLD = ["scan", "loop-sum"], ["scan", "loop-cumsum"], ["scan", "loop-fold"]


def last(v: Any) -> Any:
    """The value after the last step."""
    return last_op(v, n, loop=L, open=o)


def over_time(reduction: Any, v: Any, model: Any) -> Any:
    """A reduction of all values; the model has the rank of one."""
    return without_time(reduction(stack(v), axes=(0,)), model)


def sums(name: str, step: Any, join: Any, term: Any) -> Iterator[Rule]:
    """The step joins a term to the old value: so do the last value with the sum of terms, all values with their running sums."""
    shared: dict[str, Any] = {"when": is_new_value(k), "grows": False, "cite": "higham2002"}
    whole = join(i, over_time(sum_op, term, e))
    yield rule(f"loop-{name}", final_op(i, step, n, loop=L, open=o), whole, tags=SUM, **shared)
    yield rule(f"loop-last-{name}", last(step), whole, tier="extends", tags=SUM, **shared)
    running = join(under_time(i), cumsum_op(stack(term), axis=0))
    yield rule(f"loop-cum{name}", stack(step), running, tags=CUMSUM, **shared)


def fold(name: str, op: Any, reduction: Any, start: Any, term: Any) -> Rule:
    """The last value of a state that combines all terms by an op that may do so in any order."""
    return rule(
        f"loop-last-{name}",
        last(op(old(start), term)),
        op(start, over_time(reduction, term, term)),
        tier="extends",
        when=is_new_value(k),
        grows=False,
        tags=FOLD,
    )


RULES = [
    *sums("sum", add(old(i), e), add, e),
    *sums("sum-of-two", add(add(old(i), e), s), add, add(e, s)),
    *sums("difference", sub(old(i), e), sub, e),
    fold("max", maximum, max_op, i, e),
    fold("min", minimum, min_op, i, e),
    fold("all", and_, all_op, begin, t),
    fold("any", or_, any_op, begin, t),
    rule(
        "loop-last-prod",
        last(mul(old(i), e)),
        mul(i, over_time(prod_op, e, e)),
        tier="extends",
        when=is_new_value(k) & filled_with_one(i),
        grows=False,
        tags=FOLD,
        cite="higham2002",
    ),
    rule(
        "loop-cumprod",
        stack(mul(old(i), e)),
        mul(under_time(i), cumprod_op(stack(e), axis=0)),
        tier="exact",
        when=is_new_value(k) & filled_with_one(i),
        grows=False,
        tags=FOLD,
    ),
]
