"""Laws read in a mirror: what holds for matrices holds for their transposes, with rows for columns and left for right.

Of ``left = right`` with matrices x, y, ... the mirror is ``left.T = right.T`` with x.T, y.T, ... for them, where all transposes
have been moved into the operands: ``dot(x, y).T`` is ``dot(y, x)`` of these, a sum of rows is one of columns. So of two
such laws one is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eqsat.graph.declare import OPS
from eqsat.graph.properties import additive
from eqsat.rules.condition import Condition
from eqsat.rules.equality import Rule
from eqsat.rules.pattern import Literal, ParameterCall, Term, swapped_inside, transposed

WORDS = {"row": "column", "of row": "of column", "lower": "upper", "shared_left": "shared_right"}
OTHER = {**WORDS, **{v: k for k, v in WORDS.items()}}
"""Moves of axes and facts, each with the one that says the same of transposes."""


def with_mirror(one: Rule, name: str, **changes: Any) -> Iterator[Rule]:
    """A law on matrices and its mirror, which has a name, and perhaps other fields, of its own.

    >>> from eqsat.graph.ops.linalg import dot_op
    >>> from eqsat.rules.facts import identity
    >>> from eqsat.rules.pattern import reals
    >>> from eqsat.rules.rule import rule
    >>> i, x = reals("i x")
    >>> print(*with_mirror(rule("unit-dot", dot_op(i, x), x, when=identity(i)), "dot-unit"), sep="\\n")
    unit-dot: dot(i, x) = x when identity(i) [rounds]
    dot-unit: dot(x, i) = x when identity(i) [rounds]
    """
    yield one
    (left, right), *others = [(mirror(a), mirror(b)) for a, b in one.pairs]
    facts = one.when.facts if one.when is not None else ()
    when = Condition(tuple(mirrored_fact(*fact) for fact in facts)) if facts else None
    prices = tuple(mirror(p) for p in one.prices)
    yield replace(
        one, name=name, left=left, right=right, others=tuple(others), when=when, prices=prices, **changes
    )


def mirror(pattern: Any) -> Any:
    """The transpose of a pattern of the transposed metavariables; numbers, vectors and index arrays stay."""
    if not isinstance(pattern, Term):
        return pattern
    d, args = OPS[pattern.op], tuple(map(mirror, pattern.args))
    params = tuple(map(mirrored_parameter, pattern.params, d.parameters))
    if d.transposed == "swapped":
        args = args[::-1]
    elif len(args) == 2 and d.kind == "block" and not d.elements and additive(d):
        return conjugated(pattern, args)
    return Term(pattern.op, args, params)


def conjugated(pattern: Term, args: tuple[Any, ...]) -> Term:
    """The mirror of an op that is none of another op: the transpose of the op of transposes."""
    shapes = OPS[pattern.op].shapes
    assert shapes is not None, pattern
    ranks = [len((*axes.before, *axes.after)) for axes in (*shapes.results, *shapes.operands)]
    turn = [swapped_inside if rank == 3 else transposed for rank in ranks]
    return turn[0](Term(pattern.op, tuple(f(a) for f, a in zip(turn[1:], args, strict=True)), pattern.params))


def mirrored_parameter(value: Any, name: str) -> Any:
    """A parameter of an op with rows for columns: an axis, axes, a part, a pick, a move by name."""
    if isinstance(value, ParameterCall) and value.function == "move":
        return ParameterCall("move", (OTHER.get(value.args[0], value.args[0]),))
    if isinstance(value, Literal) and value.kind == "part":
        return Literal("part", value.value[::-1])
    if name == "axis" and isinstance(value, int):
        return 1 - value
    if name == "axes" and isinstance(value, tuple):
        return mirrored_axes(value)
    return value[::-1] if isinstance(value, tuple) and len(value) == 2 else value


def mirrored_axes(axes: tuple[int, ...]) -> tuple[int, ...]:
    """Rows for columns."""
    return tuple(sorted(1 - a for a in axes))


def mirrored_fact(name: str, args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The same fact about the transposes."""
    if name == "closes":
        args = args[::-1]
    swapped = (mirrored_axes(a) if isinstance(a, tuple) else a for a in args)
    return OTHER.get(name, name), tuple(swapped)
