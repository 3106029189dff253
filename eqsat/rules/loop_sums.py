"""Loops: a state that only adds is a sum over time; so it is with products, extremes, and truth of any or all.

A last value of a loop that has made a step is read from ``last``, of one that may have made none from ``final``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.loops import collect_op, final_op, last_op
from eqsat.rules.facts import filled_with_one
from eqsat.rules.loops import L, is_new_value, k, n, o, old, stack
from eqsat.rules.pattern import Meta, under_time, without_time
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, declared, sees
from eqsat.rules.schemes.reductions import linear_in_both
from eqsat.rules.schemes.scheme import scheme

READERS = (final_op.name, last_op.name, collect_op.name)
SUM, CUMSUM, FOLD = ["scan", "loop-sum"], ["scan", "loop-cumsum"], ["scan", "loop-fold"]


def last(v: Any) -> Any:
    """The value after the last step."""
    return last_op(v, n, loop=L, open=o)


def over_time(reduction: Any, v: Any, model: Any) -> Any:
    """A reduction of all values; the model has the rank of one."""
    return without_time(applied(reduction, stack(v), axes=(0,)), model)


def folded(d: Declaration) -> Declaration | None:
    """The op that joins terms in any order: a commutative one itself, or the one that a difference takes back."""
    if d.commutative and d.associative and sees(d):
        return d
    return next(
        (o for o in OPS.values() if o.inverse == d.name and linear_in_both(o) and linear_in_both(d)), None
    )


def cautious(d: Declaration) -> bool:
    """True for an op that may leave the range in another order, as products do that begin with another number than 1."""
    return d.absorbing is not None and not d.idempotent


@scheme(
    "loop-fold",
    "the last value of x = op(x, e) is op(x, r(e)), all values are op(x, running(e))",
    holds=lambda d: (o := folded(d)) is not None and declared("reduces", o.name) is not None,
    needs=lambda op: [(reader, op) for reader in READERS],
    tags=[*SUM, *CUMSUM, *FOLD],
)
def fold(d: Declaration) -> Iterator[Rule]:
    """A state that only joins terms to its old value is a reduction over time, and all its values a running one."""
    op = folded(d)
    total = op and declared("reduces", op.name)
    assert op is not None and total is not None
    running = declared("accumulates", op.name)
    adds, careful = linear_in_both(op), cautious(op)
    start, e, s = (Meta(name, "bool" if d.signature.startswith("i") else "number") for name in "ies")
    when = is_new_value(k) & filled_with_one(start) if careful else is_new_value(k)
    shared: dict[str, Any] = {"when": when, "grows": False, "cite": "higham2002"}
    for end, step, term in (("", d(old(start), e), e), ("-of-two", d(d(old(start), e), s), op(e, s))):
        whole, tags = d(start, over_time(total, term, e)), SUM if adds else FOLD
        if end and not (adds and op is d):
            return
        yield rule(f"loop-last-{d.name}{end}", last(step), whole, tier="extends", tags=tags, **shared)
        if adds:  # also of no terms
            yield rule(
                f"loop-{d.name}{end}", final_op(start, step, n, loop=L, open=o), whole, tags=tags, **shared
            )
        if running is not None:
            every = d(under_time(start), applied(running, stack(term), axis=0))
            promise = {"tier": "exact", "tags": FOLD} if careful else {"tags": CUMSUM}
            yield rule(f"loop-all-{d.name}{end}", stack(step), every, **shared, **promise)


RULES = [fold]
