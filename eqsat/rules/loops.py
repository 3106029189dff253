"""Loops: what a step does to rows of sequences is done to all rows before it, what becomes of results after it.

``elem(x; L)`` is the row of x at the present step, ``collect(e; L)`` the stack of e over all steps. What does not depend
on the time of a loop needs no rule: it is a value of the graph around. Every op has rules of its own, by one scheme;
their tags name the scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.loops import collect_op, elem_op, state_op
from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.facts import covers, fixed, moves, rank, steady
from eqsat.rules.facts import recurs as is_new_value
from eqsat.rules.pattern import Term, anything, beside_time, later, next_axis, numbers, parameters, under_time
from eqsat.rules.rule import Rule, rule

x, y, z, w = anything("x y z w")
s, e, i = numbers("s e i")
n = anything("n")
L, o, k, kind, p, axes, axis = parameters("L o k kind p axes axis")
PUSH_SEQ, PUSH_OUT = ["scan", "push-out-seq"], ["scan", "push-out-output"]
MOST_OPERANDS = 3


def row(v: Any) -> Any:
    """The row at the present step."""
    return elem_op(v, loop=L)


def stack(v: Any) -> Any:
    """The values at all steps."""
    return collect_op(v, n, loop=L, open=o)


def old(v: Any) -> Any:
    """The value one step ago of a state that begins with v."""
    return state_op(v, loop=L, key=k, kind=kind)


def is_plain(d: Declaration) -> bool:
    """True for an elementwise op of real tensors that works along any number of axes."""
    return d.kind == "elemwise" and "c" not in d.signature and 0 < len(d.tensors) <= MOST_OPERANDS


def shifted(d: Declaration) -> Callable[[Any], Any] | None:
    """How the parameter of an op on some axes, or on one, changes beside an axis of time; None for other ops."""
    if (
        d.opaque or d.shapes is None or len(d.tensors) != 1 or d.name in ("length", "count")
    ):  # these are read off the lengths
        return None
    ways: dict[tuple[str, ...], Callable[[Any], Any]] = {("axes",): later, ("axis",): next_axis}
    return ways.get(tuple(d.parameters))


def applied(d: Declaration, operands: list[Any]) -> Any:
    """An elementwise op with metavariables for its parameters."""
    return Term(d.name, tuple(operands), tuple(parameters(f"q{j}") for j in range(len(d.parameters))))


def elementwise(d: Declaration) -> Iterator[Rule]:
    """An elementwise op of rows is the row of the op, and its stack is the op of stacks; some operands do not change."""
    names = [x, y, z][: len(d.tensors)]
    for changes in product((True, False), repeat=len(names)):
        if not any(changes):
            continue
        word = "".join("t" if c else "f" for c in changes)
        still = [v for v, c in zip(names, changes, strict=True) if not c]
        when = None
        for v in still:
            when = fixed(v, L) if when is None else when & fixed(v, L)
        rows = [row(v) if c else v for v, c in zip(names, changes, strict=True)]
        whole = [v if c else under_time(v) for v, c in zip(names, changes, strict=True)]
        yield rule(
            f"loop-row-{d.name}-{word}",
            applied(d, rows),
            row(applied(d, whole)),
            tier="exact",
            when=when,
            tags=PUSH_SEQ,
            cite="definition",
        )
        for v, c in zip(names, changes, strict=True):
            if c:
                when = moves(v, L) if when is None else when & moves(v, L)
        stacks = [stack(v) if c else under_time(v) for v, c in zip(names, changes, strict=True)]
        yield rule(
            f"loop-stack-{d.name}-{word}",
            stack(applied(d, names)),
            applied(d, stacks),
            tier="exact",
            when=when,
            grows=False,
            tags=PUSH_OUT,
            cite="definition",
        )


def along(d: Declaration) -> Iterator[Rule]:
    """An op along axes of rows, and of stacks: the same axes, counted from one more."""
    shift = shifted(d)
    if shift is None:
        return
    op: Callable[..., Any] = lambda v, a: Term(d.name, (v,), (a,))
    shown = op(row(x), axes), row(op(x, shift(axes)))
    yield rule(f"loop-row-{d.name}", *shown, tier="rounds", tags=PUSH_SEQ, cite="definition")
    shown = stack(op(x, axes)), op(stack(x), shift(axes))
    keeps = d.shapes is not None and d.shapes.keeps == 0  # so even results are of even x
    when = moves(x, L) if keeps else moves(x, L) & steady(x, L)
    yield rule(f"loop-stack-{d.name}", *shown, tier="rounds", when=when, tags=PUSH_OUT, cite="definition")


FAMILIES = [
    r for d in [OPS[name] for name in sorted(OPS)] for r in (elementwise(d) if is_plain(d) else along(d))
]

RULES = [
    *FAMILIES,
    rule("loop-row-of-stack", row(stack(e)), e, tier="exact", tags=["scan"], cite="definition"),
    rule(
        "loop-stack-of-row",
        collect_op(row(x), n, loop=L, open=0),
        x,
        tier="exact",
        when=covers(x, (0,)),
        tags=["scan"],
        cite="definition",
    ),
    *(
        rule(
            f"loop-stack-still-{ndim}",
            collect_op(x, n, loop=L, open=0),
            alloc_op(under_time(x, ndim), n, *(length_op(x, axis=a) for a in range(ndim))),
            tier="exact",
            when=fixed(x, L) & rank(x, ndim),
            tags=["scan", "filled"],
            cite="definition",
        )
        for ndim in range(4)
    ),
    rule(
        "loop-row-moved",
        dimshuffle_op(row(x), pattern=p),
        row(dimshuffle_op(x, pattern=beside_time(p))),
        tier="exact",
        tags=PUSH_SEQ,
        cite="definition",
    ),
    rule(
        "loop-stack-moved",
        stack(dimshuffle_op(x, pattern=p)),
        dimshuffle_op(stack(x), pattern=beside_time(p)),
        tier="exact",
        when=moves(x, L),
        tags=PUSH_OUT,
        cite="definition",
    ),
    rule(
        "loop-row-length",
        length_op(row(x), axis=axis),
        length_op(x, axis=next_axis(axis)),
        tier="exact",
        tags=PUSH_SEQ,
        cite="definition",
    ),
    rule(
        "loop-state-length",
        length_op(old(x), axis=axis),
        length_op(x, axis=axis),
        tier="exact",
        tags=["scan"],
        cite="definition",
    ),
    rule("loop-state-still", old(i), i, tier="exact", when=is_new_value(k), tags=["scan"], cite="definition"),
]
