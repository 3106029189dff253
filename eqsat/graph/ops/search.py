"""Places in sorted vectors, counts of integers, and the lengths of parts, with their checks when a function runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.batch_rules import second_only
from eqsat.graph.declare import Cost, structural
from eqsat.graph.parameters import INTEGER


@structural(
    "block",
    name="searchsorted",
    signature="(n),x->x",
    dtypes="a,a->int64",
    parameters={"right": INTEGER},
    batch=second_only,
    grad=lambda op, inputs, out, dy: [None, None],
    builder="search.search",
    cost=lambda op, ins, out: Cost(flops=20 * float(np.prod(out))),
)
def searchsorted_op(a: Any, v: Any, *, right: int) -> Any:
    """Places at which elements would have to be put into a sorted vector to keep it sorted."""
    return np.searchsorted(a, v, "right" if right else "left")


NEGATIVE = "bincount: the element {0} is negative"


@structural(
    "block",
    name="bins",
    signature="(n),()->()",
    dtypes="a,a->int64",
    grad=lambda op, inputs, out, dy: [None, None],
    builder="search.bins",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[0]))),
)
def bins_op(x: Any, least: Any) -> Any:
    """Number of bins that count the integers of a vector: the largest plus one, or more if asked for."""
    if x.size and x.min() < 0:
        raise ArgumentError(NEGATIVE.format(x[x < 0][0]))
    return np.asarray(max(int(least), int(x.max()) + 1 if x.size else 0), np.int64)


COUNT = "repeat: {0} numbers of repeats do not fit an axis of length {1}"
BELOW = "repeat: the number of repeats {0} is negative"


@structural(
    "block",
    name="spread",
    signature="(m),()->(?)",
    dtypes="a,a->int64",
    grad=lambda op, inputs, out, dy: [None, None],
    builder="search.spread",
    cost=lambda op, ins, out: Cost(flops=4 * float(np.prod(ins[0]))),
)
def spread_op(counts: Any, n: Any) -> Any:
    """Each index below n as often as its count says."""
    if len(counts) != n:
        raise ShapeError(COUNT.format(len(counts), n))
    if counts.size and counts.min() < 0:
        raise ShapeError(BELOW.format(counts[counts < 0][0]))
    return np.repeat(np.arange(n), counts)


SIZE = "split: the size {0} of a part is negative"
TOTAL = "split: the sizes of the parts sum to {0}, the axis has length {1}"
PARTS = "split: {0} sizes are given for {1} parts"


@structural(
    "block",
    name="part_ends",
    signature="(parts),()->(parts+1)",
    dtypes="a,a->int64",
    parameters={"parts": INTEGER},
    grad=lambda op, inputs, out, dy: [None, None],
    builder="search.ends",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out))),
)
def part_ends_op(sizes: Any, n: Any, *, parts: int) -> Any:
    """The starts and ends of parts of some sizes in an axis of length n, which they fill."""
    if len(sizes) != parts:
        raise ShapeError(PARTS.format(len(sizes), parts))
    if sizes.size and sizes.min() < 0:
        raise ShapeError(SIZE.format(sizes[sizes < 0][0]))
    if sizes.sum() != n:
        raise ShapeError(TOTAL.format(sizes.sum(), n))
    return np.concatenate([[0], np.cumsum(sizes)])
