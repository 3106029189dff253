"""The elements at the places that an op of orders finds: those at the place of the greatest are the greatest, those in order are sorted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.create import arange_op
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import as_long, computed, filled_with_one, rank, zero
from eqsat.rules.pattern import Literal, call, numbers, parameters, places
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied
from eqsat.rules.schemes.scheme import scheme

x = numbers("x")
first, stop, by = places("first stop by")
q = parameters("q")
steps = arange_op(first, stop, by)
CELLS = (0, 1)
NUMBER = Literal("move", (), 1)


def turned(v: Any, *pattern: Any) -> Any:
    """A vector in a matrix, or the row or column of one as a vector."""
    return dimshuffle_op(v, pattern=Literal("move", pattern, 1 if "x" in pattern else 2))


@scheme(
    "elements-at-places",
    "x[places(x)] = values(x)",
    holds=lambda d: d.places_of in OPS,
    needs=lambda op: [("gather_2", op), ("gather_3", op), ("subtensor_2", op), ("dimshuffle", op)],
)
def at_places(d: Declaration) -> Iterator[Rule]:
    """Elements are found with their places; of matrices those of each row, or of each column."""
    values = OPS[d.places_of]

    def both(axis: int) -> tuple[object, object]:
        known = {"axes": (axis,)} if "axes" in d.parameters else {"axis": axis}
        return applied(d, x, **known), applied(values, x, **known)

    def law(name: str, left: object, right: object, when: Condition) -> Rule:
        return rule(f"{name}-at-{d.name}", left, right, tier="extends", when=when, grows=False)

    every, place = zero(first) & filled_with_one(by), rank(x, 1) & computed(call("only_place", q))
    (rows, of_rows), (columns, of_columns) = both(1), both(0)
    along = [
        ("of-rows", (turned(steps, 0, "x"), rows), of_rows, 0),
        ("of-columns", (columns, turned(steps, "x", 0)), of_columns, 1),
    ]
    if "axes" in d.parameters:
        along += [
            ("of-each-row", (steps, turned(rows, 0)), turned(of_rows, 0), 0),
            ("of-each-column", (turned(columns, 1), steps), turned(of_columns, 1), 1),
        ]
        element = part_op(x, dimshuffle_op(columns, pattern=NUMBER), pattern=q)
        yield law("element", element, dimshuffle_op(of_columns, pattern=NUMBER), place)
    else:
        yield law("elements", gather_op(x, columns, pattern=(0,)), of_columns, rank(x, 1))
    for name, arrays, right, axis in along:
        yield law(
            f"elements-{name}", gather_op(x, *arrays, pattern=CELLS), right, every & as_long(stop, x, axis)
        )


RULES = [at_places]
