"""Number of neighbourhoods along an axis of an image, with the checks that each mode makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.parameters import PATTERN
from eqsat.graph.tensor_type import TensorType

# mode: what is added to the length before it is divided by the step, from the size of a neighbourhood
REACH = {
    "valid": lambda size: -size,
    "ignore_borders": lambda size: -size,
    "half": lambda size: -(size % 2),
    "full": lambda size: size - 2,
    "wrap_centered": lambda size: -1,
}
EXACT = ("valid", "half", "full")
SHORT = "images2neibs: the neighbourhoods cover {1} elements of an axis of length {0}"
UNEVEN = "images2neibs: steps of {1} do not end at the border of an axis of length {0}"


def number_of(n: int, size: int, step: int, mode: str) -> int:
    """Number of neighbourhoods along an axis of length n; raises ShapeError where the mode does not allow it."""
    if mode != "ignore_borders" and n < size and mode != "full":
        raise ShapeError(SHORT.format(n, size))
    reach = n + REACH[mode](size)
    if mode in EXACT and reach % step:
        raise ShapeError(
            UNEVEN.format(n, step), needs="a length that the steps divide", hint="mode='ignore_borders'"
        )
    return max(0, reach // step + 1)


def _type(op: Any, n: Any) -> TensorType:
    if isinstance(n, Constant):
        number_of(int(n.data), **op.params)
    return TensorType("int64", shape=())


@structural(
    "block",
    name="neighbourhoods",
    parameters={"size": PATTERN, "step": PATTERN, "mode": PATTERN},
    infer=_type,
    grad=lambda op, inputs, out, dy: [None],
    builder="neighbours.count",
    cost=Cost(flops=1, bytes=0, calls=0),
)
def neighbourhoods_op(n: Any, *, size: int, step: int, mode: str) -> Any:
    """Number of neighbourhoods of a size along an axis of length n, one every ``step`` elements."""
    return np.asarray(number_of(int(n), size, step, mode))
