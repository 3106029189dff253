"""The conditions of rules, each said once.

A new condition is one ``fact`` here, or beside its kin in facts_of_matrices.py or facts_of_loops.py. One that users may ask
for is ``offered``; conditions.py makes its function.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from eqsat.graph.dtypes import FIRST_FLOAT_CODE, FLOATS, holds_all
from eqsat.graph.moves import MOVES
from eqsat.rules.fact import FACTS, Fact, fact  # noqa: F401  offered from here
from eqsat.rules.facts_of_functions import (  # noqa: F401
    any_log,
    known_but_one,
    known_less,
    known_log,
    known_more,
    made_of_exps,
    of_any_sign,
    of_exps,
    of_no_exps,
    of_no_shift,
    over_known,
)
from eqsat.rules.facts_of_loops import fixed, moves, recurs, steady  # noqa: F401
from eqsat.rules.facts_of_matrices import (  # noqa: F401
    closes,
    congruent,
    identity,
    lower,
    posdef,
    positive_diagonal,
    symmetric,
    unmatched,
    upper,
)


def lengths(x: Any, axes: tuple[int, ...]) -> list[Any]:
    """The lengths of x along those of the axes that it has."""
    return [x.shape[a] for a in axes if a < x.ndim]


def _apart(x: Any, y: Any, strictly: bool = False) -> tuple[Any, Any]:
    """x and y, moved to two sides of a number between them."""
    both = np.concatenate([x.reshape(-1), y.reshape(-1)])
    both = both[np.isfinite(both)] if y.dtype.kind == "f" else y.reshape(-1)
    middle = np.median(both) if both.size else 0.0
    above = middle + np.abs(x - middle)
    if strictly:
        above = np.where(above == middle, np.nextafter(above, np.inf), above)
    return above, middle - np.abs(y - middle)


# --------------------------------------------------------------------------------------------------- elements

positive = fact(
    "positive",
    "lo(a) > 0.0",
    lambda x: not np.any(x <= 0),
    "x > 0; NaN may occur.",
    into=lambda x: np.where(x == 0, 1, np.abs(x)),
)
nonneg = fact("nonneg", "lo(a) >= 0.0", lambda x: not np.any(x < 0), "x >= 0; NaN may occur.", into=np.abs)
negative = fact(
    "negative",
    "hi(a) < 0.0",
    lambda x: not np.any(x >= 0),
    "x < 0; NaN may occur.",
    into=lambda x: np.where(x == 0, -1, -np.abs(x)),
)
nonpos = fact(
    "nonpos", "hi(a) <= 0.0", lambda x: not np.any(x > 0), "x <= 0; NaN may occur.", into=lambda x: -np.abs(x)
)
nonzero = fact(
    "nonzero",
    "nonzero(a)",
    lambda x: not np.any(x == 0),
    "No element of x is 0.",
    offered=True,
    into=lambda x: np.where(x == 0, 1, x),
)
zero = fact(
    "zero",
    "0.0 == cval(a)",
    lambda x: not np.any(x != 0),
    "Every element of x is known to be 0.",
    into=np.zeros_like,
)
filled_with_one = fact(
    "filled_with_one",
    "1.0 == cval(a)",
    lambda x: not np.any(x != 1),
    "Every element of x is known to be 1.",
)
kept = fact(
    "kept",
    "nonzero(a)",
    lambda x: not np.any(x == 0),
    "The condition x is known to hold; where it does not, what asks for it has no value.",
)
finite = fact(
    "finite",
    "finite(a)",
    lambda x: np.all(np.isfinite(x)),
    "No element of x is NaN or infinite.",
    offered=True,
    into=lambda x: np.where(np.isfinite(x), x, 1.5),
)
inverted = fact(
    "inverted",
    "lo(a) >= 1e-30",
    lambda x: not np.any(x < 1e-30),
    "x is at least 1e-30, so that its reciprocal is finite in every floating dtype; NaN may occur.",
)
bounded = fact(
    "bounded",
    "lo(a) >= -1e30 and hi(a) <= 1e30",
    lambda x: not np.any(np.abs(x) > 1e30),
    "Every element of x lies between -1e30 and 1e30, so that a sum of two cannot overflow; NaN may occur.",
    offered=True,
    into=lambda x: np.clip(x, -1e30, 1e30),
)
at_least = fact(
    "at_least",
    "lo(a) >= hi(b)",
    lambda x, y: not x[x == x].min(initial=np.inf) < y[y == y].max(initial=-np.inf),
    "No element of x is below any of y; NaN may occur.",
    into=_apart,
)
above_all = fact(
    "above_all",
    "lo(a) > hi(b)",
    lambda x, y: (
        not (x.size and y.size) or not x[x == x].min(initial=np.inf) <= y[y == y].max(initial=-np.inf)
    ),
    "Every element of x is above each of y; NaN may occur.",
    into=lambda x, y: _apart(x, y, strictly=True),
)
not_below = fact(
    "not_below",
    "lo(a) >= b",
    lambda x, v: not np.any(x < v),
    "No element of x is below a number; NaN may occur.",
    into=np.maximum,
)
not_above = fact(
    "not_above",
    "hi(a) <= b",
    lambda x, v: not np.any(x > v),
    "No element of x is above a number; NaN may occur.",
    into=np.minimum,
)
exceeds = fact(
    "exceeds",
    "lo(a) > b",
    lambda x, v: not np.any(x <= v),
    "Every element of x is above a number; NaN may occur.",
    into=lambda x, v: np.maximum(x, np.nextafter(v, v.dtype.type(np.inf))),
)
falls_below = fact(
    "falls_below",
    "hi(a) < b",
    lambda x, v: not np.any(x >= v),
    "Every element of x is below a number; NaN may occur.",
    into=lambda x, v: np.minimum(x, np.nextafter(v, v.dtype.type(-np.inf))),
)
highest = fact(
    "highest",
    "highest(a)",
    lambda x: np.all(x == np.inf),
    "Every element of x is known to be infinite; no number is above it.",
    into=lambda x: np.full_like(x, np.inf) if x.dtype.kind == "f" else x,
)
lowest = fact(
    "lowest",
    "lowest(a)",
    lambda x: np.all(x == -np.inf),
    "Every element of x is known to be minus infinity; no number is below it.",
    into=lambda x: np.full_like(x, -np.inf) if x.dtype.kind == "f" else x,
)
uniform = fact(
    "uniform",
    "is_known(cval(a))",
    lambda x: x.size > 0 and np.all(x == x.reshape(-1)[0]),
    "x is a known number, repeated; its shape may be any.",
    offered=True,
)
single = fact(
    "single",
    "is_known(cval(a)) and single(a)",
    lambda x: x.size == 1 and bool(np.all(x == x)),
    "x is a known number in a tensor whose axes all have length 1, so that arithmetic on it is done at once.",
)
varies = fact(
    "varies",
    "varies(a)",
    lambda x: True,
    "x is not known to be a number; keeps rules that collect constants from breeding them out of each other.",
    offered=True,
)
differ = fact(
    "differ",
    "a != b",
    lambda x, y: True,
    "They are not known to be equal; keeps rules on ``op(f(x), f(y))`` from breeding ``op(x, x)`` where op(x, x) is x.",
)

# ---------------------------------------------------------------------------------------------------- numbers

on_numbers = partial(fact, about="numbers")
whole = on_numbers(
    "whole",
    "-64.0 <= a <= 64.0 and 0.0 == a % 1.0",
    lambda v: abs(v) <= 64 and v == np.floor(v),
    "The number is an integer from -64 to 64.",
    offered=True,
)
even = on_numbers(
    "even",
    "0.0 == a % 2.0",
    lambda v: np.isfinite(v) and np.fmod(v, 2) == 0,
    "The number is an even integer.",
    offered=True,
)
short = on_numbers(
    "short",
    "-4096.0 <= a <= 4096.0 and 0.0 == a * 1024.0 % 1.0",
    lambda v: abs(v) <= 4096 and v * 1024 == np.floor(v * 1024),
    "The number is a multiple of 1/1024 below 4096, so that sums of two are exact in every floating dtype.",
    offered=True,
)
tame = on_numbers(
    "tame",
    "1e-30 <= abs(a) <= 1e30",
    lambda v: 1e-30 <= abs(v) <= 1e30,
    "The size of the number lies between 1e-30 and 1e30, where no floating dtype loses digits.",
    offered=True,
)
above = on_numbers("above", "a > b", lambda v, n: v > n, "The number is greater than a bound.")
below = on_numbers("below", "a < b", lambda v, n: v < n, "The number is less than a bound.")

over = fact(
    "over",
    "over(a, b) and 1 == pole(a, b)",
    lambda x, y: True,
    "x is divided by y, perhaps as a factor of a product (egraph/divisors.py).",
)
sum_over = fact(
    "sum_over",
    "sum_over(a, b) and 1 == pole(a, b)",
    lambda x, y: True,
    "x is a sum, or a multiple of one, that holds a term which is divided by y (egraph/divisors.py).",
)

# ----------------------------------------------------------------------------------------------------- shapes

rank = fact("rank", "b == ndim(a)", lambda x, ndim: x.ndim == ndim, "x has this number of axes.")
one_element = fact(
    "one_element",
    "single(a)",
    lambda x: x.size == 1,
    "All axes of x have length 1.",
    offered=True,
)
several = fact(
    "several",
    "several(a)",
    lambda x: True,
    "Not all axes of x are known to have length 1; keeps rules that write x as one number from writing a number as itself.",
)
invariant = fact(
    "invariant",
    "b == bits(a) & b",
    lambda x, axes: all(n == 1 for n in lengths(x, axes)) and len(lengths(x, axes)) == len(axes),
    "x has length 1 along the axes, so that it is the same all along them; metaaxes, a number or a tuple.",
    offered=True,
)
repeated = fact(
    "repeated",
    "0 != bits(a) & b",
    lambda x, axes: 1 in lengths(x, axes),
    "x has length 1 along one of the axes, so that it is repeated where it meets something longer.",
)
stretched = fact(
    "stretched",
    "0 != bits(a) & (bits(a) ^ bits(b))",
    lambda x, y: any(m == 1 != n for m, n in zip(x.shape, y.shape, strict=True)),
    "x has length 1 along an axis where y has not, so that it is repeated where it meets y.",
)
covers = fact(
    "covers",
    "0 == bits(a) & b",
    lambda x, axes: all(n != 1 for n in lengths(x, axes)),
    "No length of x along the axes is known to be 1, so that x is not repeated along them where it broadcasts.",
    offered=True,
)
alike = fact(
    "alike",
    "0 == c & (bits(a) ^ bits(b))",
    lambda x, y, axes: [n == 1 for n in lengths(x, axes)] == [n == 1 for n in lengths(y, axes)],
    "x and y have length 1 along the same of the axes.",
    offered=True,
)
apart = fact(
    "apart",
    "c == c & (bits(a) | bits(b))",
    lambda x, y, axes: (
        max(axes, default=0) < min(x.ndim, y.ndim) and all(1 in (x.shape[a], y.shape[a]) for a in axes)
    ),
    "Along each of the axes x or y has length 1.",
)
met = fact(
    "met",
    "0 == c & (bits(a) & bits(b))",
    lambda x, y, axes: all(n > 1 or m > 1 for n, m in zip(lengths(x, axes), lengths(y, axes))),
    "Along each of the axes x or y is longer than 1; keeps rules from what is reduced already.",
)
wider = fact(
    "wider",
    "mask(b) != mask(b) & mask(a)",
    lambda x, y: any(n > 1 and m == 1 for n, m in zip(x.shape, y.shape)),
    "Along some axis x is longer than 1 where y has length 1.",
)
averages = fact(
    "averages",
    "0.99999999 < (share := cval(a) * total(b, c)) < 1.00000001",
    lambda c, x, axes: c.size == 1 and abs(float(c.flat[0]) * float(np.prod(lengths(x, axes))) - 1) < 1e-8,
    "c is one over the number of elements of x along the axes.",
)

# ------------------------------------------------------------------------------------- products that share an operand

shared_left = fact(
    "shared_left",
    "shared_left(a)",
    lambda x: True,
    "x is multiplied from the right by a few weights that could be joined first (egraph/shared_products.py).",
)
shared_right = fact(
    "shared_right",
    "shared_right(a)",
    lambda x: True,
    "x is multiplied from the left by a few weights that could be joined first.",
)
weights_in_order = fact(
    "weights_in_order",
    "weight(a) < weight(b)",
    lambda x, y: True,
    "x and y are such weights, and x came first; each pair matches once.",
)

as_long = fact(
    "as_long",
    "a == o_length(b, c)",
    lambda n, x, axis: n.size == 1 and axis < x.ndim and int(n.flat[0]) == x.shape[axis],
    "n is the length of x along an axis.",
)
equal_lengths = fact(
    "equal_lengths",
    "o_length(a, c) == o_length(b, c)",
    lambda x, y, axis: axis < min(x.ndim, y.ndim) and x.shape[axis] == y.shape[axis],
    "x and y are known to have the same length along an axis.",
    offered=True,
)

# ------------------------------------------------------------------------------------------- dtypes and parameters

same_dtype = fact(
    "same_dtype", "b == dtype(a)", lambda x, dtype: x.dtype.name == dtype, "x has the dtype of a cast."
)
one_dtype = fact(
    "one_dtype",
    "dtype(a) == dtype(b)",
    lambda x, y: x.dtype == y.dtype,
    "Both have the same dtype; operands of one operation must, where each of them had been converted.",
)
widens = fact(
    "widens",
    "dtype_widens(dtype(a), b)",
    lambda x, dtype: holds_all(dtype, x.dtype.name),
    "Every value of x's dtype is a value of the given dtype.",
)
integral = fact(
    "integral",
    f"a < {FIRST_FLOAT_CODE}",
    lambda dtype: dtype not in FLOATS,
    "A dtype of a cast holds integers or bool.",
)
swaps = fact(
    "swaps", "pattern_swaps(a)", lambda pattern: pattern == (1, 0), "The dimshuffle pattern is (1, 0)."
)
moves_as = fact(
    "moves_as",
    "named_move(b, a)",
    lambda pattern, name: pattern == MOVES[name][0],
    "The dimshuffle pattern is the move of this name in graph/moves.py.",
)
disjoint = fact(
    "disjoint",
    "0 == a & b",
    lambda s, t: not set(s) & set(t),
    "Two sets of axes that are left open have no axis in common.",
    offered=True,
)
among = fact("among", "a == a & b", lambda s, t: set(s) <= set(t), "The axes s are some of the axes t.")
computed = fact(
    "computed",
    "is_known(a)",
    lambda found: found is not None,
    "A function of index patterns that gives something.",
)
