"""Loops: what a step does to rows of sequences is done to all rows before it, what becomes of results after it.

``elem(x; L)`` is the row of x at the present step, ``collect(e; L)`` the stack of e over all steps. What does not depend
on the time of a loop needs no rule: it is a value of the graph around. Elementwise ops have schemes in schemes/loop_movements.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.loops import collect_op, elem_op, state_op
from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.facts import covers, fixed, moves, rank, steady
from eqsat.rules.facts import recurs as is_new_value
from eqsat.rules.pattern import Term, anything, beside_time, later, next_axis, numbers, parameters, under_time
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.along_axes import is_along
from eqsat.rules.schemes.operands import joined
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
"""The parameter of an op on some axes, or on one, beside an axis of time."""


def sides(d: Declaration) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The op of a row, and of all rows."""
    shift = SHIFTS[tuple(d.parameters)]
    return lambda v: Term(d.name, (v,), (axes,)), lambda v: Term(d.name, (v,), (shift(axes),))


def lifted(
    name: str,
    inside: Callable[..., Any],
    beside: Callable[..., Any],
    moving: Sequence[Any],
    still: Sequence[Any] = (),
    even: bool = False,
    grows: bool | None = None,
    **options: Any,
) -> Iterator[Rule]:
    """The two laws of an op in a step and the op that does the same for all steps at once.

    What the first makes of rows is the row of what the other makes of all, and stacks of what it makes are made of stacks:
    of operands that move in the loop, beside those that are ``still``. The rows have to be of one shape, unless they are
    so where the results are, which are then ``even``.
    """
    fits = joined(*(fixed(v, L) for v in still))
    rows, stacks = [row(v) for v in moving], [stack(v) for v in moving]
    yield rule(f"loop-row-{name}", inside(*rows), row(beside(*moving)), when=fits, tags=PUSH_SEQ, **options)
    moved = joined(fits, *(moves(v, L) for v in moving), *(steady(v, L) for v in moving if not even))
    sides = stack(inside(*moving)), beside(*stacks)
    yield rule(f"loop-stack-{name}", *sides, when=moved, grows=grows, tags=[*PUSH_OUT], **options)


@scheme(
    "loop-along-axes",
    "f(row(x), axes) = row(f(x, later axes)), stack(f(x, axes)) = f(stack(x), later axes)",
    holds=is_along,
    needs=lambda op: [(op, "elem"), ("collect", op)],
    tags=[*PUSH_SEQ, *PUSH_OUT],
)
def along(d: Declaration) -> Iterator[Rule]:
    """An op along axes of rows: the same axes, counted from one more; even results are of even x where it keeps the shape."""
    yield from lifted(d.name, *sides(d), [x], even=d.shapes is not None and d.shapes.keeps == 0)


RULES = [
    along,
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
    *lifted(
        "moved",
        lambda v: dimshuffle_op(v, pattern=p),
        lambda v: dimshuffle_op(v, pattern=beside_time(p)),
        [x],
        even=True,
        tier="exact",
    ),
    *(
        rule(name, length_op(v, axis=axis), length_op(x, axis=before), tier="exact", tags=tags)
        for name, v, before, tags in (
            ("loop-row-length", row(x), next_axis(axis), PUSH_SEQ),
            ("loop-state-length", old(x), axis, ["scan"]),
        )
    ),
    rule("loop-state-still", old(i), i, tier="exact", when=is_new_value(k), tags=["scan"]),
]
