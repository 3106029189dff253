"""Loops: the last value alone is asked of a stack; parts of rows and of what is stacked are taken of all at once."""

from __future__ import annotations

from typing import Any

from eqsat.graph.loops import last_op
from eqsat.graph.ops.create import arange_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.rows import first_rows
from eqsat.rules.facts import filled_with_one, fixed, zero
from eqsat.rules.loops import PUSH_OUT, PUSH_SEQ, L, axis, lifted, n, o, p, row, stack, x, y
from eqsat.rules.pattern import call, next_axis, places, rank_of
from eqsat.rules.rule import rule

first, stop, by, at = places("first stop by at")


def last(v: Any) -> Any:
    """The value at the last step."""
    return last_op(v, n, loop=L, open=o)


RULES = [
    *(
        rule(name, part_op(stack(x), pattern=p), found, tier="exact", tags=tags)
        for name, found, tags in (
            ("loop-last", part_op(last(x), pattern=call("part_of_last", p)), ["scan", "save-mem"]),
            ("loop-part-of-stack", stack(part_op(x, pattern=call("part_in_step", p))), PUSH_OUT),
        )
    ),
    rule(
        "loop-last-row",
        last_op(row(x), n, loop=L, open=0),
        part_op(x, pattern=call("last_of", rank_of(x))),
        tier="extends",
        tags=PUSH_SEQ,
    ),
    rule("loop-last-still", last(x), x, tier="extends", when=fixed(x, L), tags=["scan"]),
    rule(
        "loop-row-at-time",
        part_op(x, row(arange_op(first, stop, by)), pattern=p),
        part_op(row(first_rows(x, stop, what=call("what_is_picked", p))), pattern=call("part_in_row", p)),
        tier="exact",
        when=fixed(x, L) & zero(first) & filled_with_one(by),
        tags=PUSH_SEQ,
    ),
    *(
        r
        for end, at in (("", ()), ("-at", (at,)))
        for r in lifted(
            f"part{end}",
            lambda v, at=at: part_op(v, *at, pattern=p),
            lambda v, at=at, end=end: part_op(
                v, *at, pattern=call(f"part_of_rows{end.replace('-', '_')}", p)
            ),
            [x],
            at,
            tier="exact",
        )
    ),
    *lifted(
        "join",
        lambda *v: join_op(*v, axis=axis),
        lambda *v: join_op(*v, axis=next_axis(axis)),
        [x, y],
        tier="exact",
    ),
]
