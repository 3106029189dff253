"""Ops of one tensor along some axes: parts and picks along other axes are taken before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op
from eqsat.rules.facts import disjoint, rank
from eqsat.rules.pattern import alone, anything, call, indices, parameters, picked, places
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import BOUNDS, applied
from eqsat.rules.schemes.scheme import scheme

x = anything("x")
at = indices("i")
i, j = places("i j")
p, g, axes, axis = parameters("p g axes axis")
NAMED: dict[tuple[str, ...], Any] = {("axes",): axes, ("axis",): alone(axis)}
"""The axes that an op names by its parameter."""


def is_along(d: Declaration) -> bool:
    """True for an op of one tensor along some axes, or along one, that computes with its elements."""
    seen = d.shapes is not None and not d.opaque and d.outputs == 1
    counts = d.name in ("length", "count")  # these are read off the lengths
    return seen and not counts and len(d.tensors) == 1 and tuple(d.parameters) in NAMED


@scheme(
    "pick-along-axes",
    "pick(f(x, axes)) = f(pick(x), axes), from another axis",
    holds=is_along,
    needs=lambda op: [("gather_2", op)],
    tags=["pick", "backward"],
)
def pick_of(d: Declaration) -> Iterator[Rule]:
    """Only the rows that are picked are computed."""
    yield rule(
        f"pick-of-{d.name}",
        gather_op(applied(d, x), at, pattern=g),
        applied(d, gather_op(x, at, pattern=g)),
        when=disjoint(NAMED[tuple(d.parameters)], picked(g)) & rank(at, 1),
        tags=["pick", "backward"],
    )


@scheme(
    "part-along-axes",
    "f(x, axes)[part] = f(x[part], axes) where the axes are taken whole and the shape is kept",
    holds=lambda d: is_along(d) and "axes" in d.parameters and d.shapes is not None and d.shapes.keeps == 0,
    needs=lambda op: [(f"subtensor_{1 + len(bounds)}", op) for _, _, bounds in BOUNDS],
    tags=["push", "backward"],
)
def part_of(d: Declaration) -> Iterator[Rule]:
    """Only the rows that a part takes are computed."""
    for word, end, bounds in BOUNDS:
        part = part_op(x, *bounds, pattern=call(f"part_beside{end}", p, axes))
        yield rule(
            f"part{word}-of-{d.name}",
            part_op(applied(d, x), *bounds, pattern=p),
            applied(d, part, axes=call("axes_of_part", p, axes)),
            tags=["push", "backward"],
            grows=True,
        )


RULES = [pick_of, part_of]
