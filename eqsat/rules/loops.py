"""Loops: what a step does to rows of sequences is done to all rows before it, what becomes of results after it.

``elem(x; L)`` is the row of x at the present step, ``collect(e; L)`` the stack of e over all steps. What does not depend
on the time of a loop needs no rule: it is a value of the graph around. Elementwise ops have schemes in schemes/loop_movements.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.loops import collect_op, elem_op, state_op
from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.facts import covers, fixed, moves, rank, steady
from eqsat.rules.facts import recurs as is_new_value
from eqsat.rules.pattern import Term, anything, beside_time, later, next_axis, numbers, parameters, under_time
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.scheme import scheme

x, y, z, w = anything("x y z w")
s, e, i = numbers("s e i")
n = anything("n")
L, o, k, kind, p, axes, axis = parameters("L o k kind p axes axis")
PUSH_SEQ, PUSH_OUT = ["scan", "push-out-seq"], ["scan", "push-out-output"]


def row(v: Any) -> Any:
    """The row at the present step."""
    return elem_op(v, loop=L)


def stack(v: Any) -> Any:
    """The values at all steps."""
    return collect_op(v, n, loop=L, open=o)


def old(v: Any) -> Any:
    """The value one step ago of a state that begins with v."""
    return state_op(v, loop=L, key=k, kind=kind)


SHIFTS: dict[tuple[str, ...], Callable[[Any], Any]] = {("axes",): later, ("axis",): next_axis}
"""How the parameter of an op on some axes, or on one, changes beside an axis of time."""


def is_along(d: Declaration) -> bool:
    """True for an op of one tensor along some axes, or along one, that computes with its elements."""
    seen = d.shapes is not None and not d.opaque and d.outputs == 1
    counts = d.name in ("length", "count")  # these are read off the lengths
    return seen and not counts and len(d.tensors) == 1 and tuple(d.parameters) in SHIFTS


def sides(d: Declaration) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The op of a row, and of all rows."""
    shift = SHIFTS[tuple(d.parameters)]
    return lambda v: Term(d.name, (v,), (axes,)), lambda v: Term(d.name, (v,), (shift(axes),))


@scheme(
    "loop-rows-along-axes",
    "f(row(x), axes) = row(f(x, axes after the first))",
    holds=is_along,
    needs=lambda op: [(op, "elem")],
    tags=PUSH_SEQ,
)
def rows_along(d: Declaration) -> Iterator[Rule]:
    """An op along axes of rows: the same axes, counted from one more."""
    inside, beside = sides(d)
    name = f"loop-row-{d.name}"
    yield rule(name, inside(row(x)), row(beside(x)), tags=PUSH_SEQ)


@scheme(
    "loop-stacks-along-axes",
    "stack(f(x, axes)) = f(stack(x), axes after the first)",
    holds=is_along,
    needs=lambda op: [("collect", op)],
    tags=PUSH_OUT,
)
def stacks_along(d: Declaration) -> Iterator[Rule]:
    """An op along axes of what is stacked; even results are of even x where the op keeps the shape."""
    inside, beside = sides(d)
    keeps = d.shapes is not None and d.shapes.keeps == 0
    when = moves(x, L) if keeps else moves(x, L) & steady(x, L)
    name = f"loop-stack-{d.name}"
    yield rule(name, stack(inside(x)), beside(stack(x)), when=when, tags=PUSH_OUT)


RULES = [
    rows_along,
    stacks_along,
    rule("loop-row-of-stack", row(stack(e)), e, tier="exact", tags=["scan"]),
    rule(
        "loop-stack-of-row",
        collect_op(row(x), n, loop=L, open=0),
        x,
        tier="exact",
        when=covers(x, (0,)),
        tags=["scan"],
    ),
    *(
        rule(
            f"loop-stack-still-{ndim}",
            collect_op(x, n, loop=L, open=0),
            alloc_op(under_time(x, ndim), n, *(length_op(x, axis=a) for a in range(ndim))),
            tier="exact",
            when=fixed(x, L) & rank(x, ndim),
            tags=["scan", "filled"],
        )
        for ndim in range(4)
    ),
    rule(
        "loop-row-moved",
        dimshuffle_op(row(x), pattern=p),
        row(dimshuffle_op(x, pattern=beside_time(p))),
        tier="exact",
        tags=PUSH_SEQ,
    ),
    rule(
        "loop-stack-moved",
        stack(dimshuffle_op(x, pattern=p)),
        dimshuffle_op(stack(x), pattern=beside_time(p)),
        tier="exact",
        when=moves(x, L),
        tags=PUSH_OUT,
    ),
    rule(
        "loop-row-length",
        length_op(row(x), axis=axis),
        length_op(x, axis=next_axis(axis)),
        tier="exact",
        tags=PUSH_SEQ,
    ),
    rule(
        "loop-state-length",
        length_op(old(x), axis=axis),
        length_op(x, axis=axis),
        tier="exact",
        tags=["scan"],
    ),
    rule("loop-state-still", old(i), i, tier="exact", when=is_new_value(k), tags=["scan"]),
]
