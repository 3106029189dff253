"""Axes of length 1 that types do not tell, as of ``x[:1]``: NumPy broadcasts them, so a traced array has to know them.

Arguments of lengths 0 and 1 are traced by themselves, so every other length is 2 or more. An axis that has length 1 for some
such lengths, drawn for each argument and axis, is taken to have it for all. The call checks it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from eqsat.graph.core import Constant
from eqsat.graph.ops.shape import make_vector_op
from eqsat.graph.ops.specify import specify
from eqsat.graph.shapes import length_of
from eqsat.lengths import At, Length, Value, evaluate
from eqsat.lengths.expression import Numbers as Lengths
from eqsat.lengths.expression import leaves

DRAWS = 6
LENGTHS = 100, 10_000
Key = tuple[Any, int]  # a variable and its axis; -1 is the number that it holds
Numbers = tuple[int | None, ...]  # one for each draw
Step = tuple[list[Key], Callable[[Sequence[Numbers]], Numbers]]
NOTHING: Step = [], lambda _: (None,) * DRAWS
_RANDOM = random.Random(0)
_KNOWN: WeakKeyDictionary[Any, dict[int, Numbers]] = WeakKeyDictionary()


def with_ones(variable: Any) -> Any:
    """The variable, with axes in its type whose length is 1 whatever lengths the arguments have."""
    shape = variable.type.shape
    if None not in shape:
        return variable
    told = [n is None and set(_drawn((variable, axis))) == {1} for axis, n in enumerate(shape)]
    return specify(variable, [1 if one else None for one in told]) if any(told) else variable


def is_elementwise(variable: Any) -> bool:
    """True for a result whose lengths are told by the types of its operands."""
    declaration = getattr(getattr(variable.owner, "op", None), "declaration", None)
    return getattr(declaration, "kind", "") == "elemwise"


def _drawn(wanted: Key) -> Numbers:
    """A length or number for each draw of the unknown lengths of arguments; None where something else decides it."""
    stack = [wanted]
    while stack:
        x, axis = stack[-1]
        known = _KNOWN.setdefault(x, {})
        needs, made = NOTHING if axis in known else _step((x, axis))
        missing = [(v, k) for v, k in needs if k not in _KNOWN.get(v, {})]
        stack += missing
        if not missing:
            stack.pop()
            if axis not in known:
                known[axis] = made([_KNOWN[v][k] for v, k in needs])
    return _KNOWN[wanted[0]][wanted[1]]


def _each(function: Callable[[Sequence[int]], int]) -> Callable[[Sequence[Numbers]], Numbers]:
    """A function of numbers for each draw of them."""
    return lambda given: tuple(None if None in row else function(row) for row in zip(*given, strict=True))


def _step(key: Key) -> Step:
    """The lengths and numbers that one is computed from, and how."""
    x, axis = key
    if axis < 0:
        return _number(x)
    n = x.type.shape[axis]
    if n is not None:
        return [], lambda _: (n,) * DRAWS
    if x.owner is None:
        return [], lambda _: tuple(_RANDOM.randint(*LENGTHS) for _ in range(DRAWS))
    length = length_of(x, axis)
    return NOTHING if length is None else _length(length, x.owner.inputs)


def _length(length: Length, operands: Sequence[Any]) -> Step:
    read = [n for n in leaves(length) if isinstance(n, (At, Value))]
    places = [(n.operand, -1) if isinstance(n, Value) else n.places[0] for n in read]
    if not read:
        return [], lambda _: (evaluate(length, _Given({})),) * DRAWS  # type: ignore[type-var]
    made = _each(lambda row: evaluate(length, _Given(dict(zip(read, row, strict=True)))))  # type: ignore
    return [(operands[k], axis) for k, axis in places], made


class _Given(Lengths):
    """Lengths and values of operands as they were found."""

    def __init__(self, found: Mapping[Length, int]) -> None:
        super().__init__(())
        self.found = found

    def at(self, places: Sequence[Any]) -> int | None:
        return self.found[At(tuple(places))]

    def value(self, operand: int) -> int | None:
        return self.found[Value(operand)]


def _number(x: Any) -> Step:
    """A number without axes: a constant, a length, or what an op makes of others."""
    if isinstance(x, Constant):
        return [], lambda _: (int(x.data) if x.data.dtype.kind in "iu" else None,) * DRAWS
    if x.owner is None:
        return NOTHING
    op, operands = x.owner.op, x.owner.inputs
    if op.name == "length":
        return [(operands[0], op.params["axis"])], _each(lambda row: row[0])
    if op.name == "subtensor" and getattr(operands[0].owner, "op", None) == make_vector_op:
        ((kind, place),) = op.params["pattern"]
        known = kind == "int" and isinstance(place, int)
        return ([(operands[0].owner.inputs[place], -1)], _each(lambda row: row[0])) if known else NOTHING
    whole = x.type.dtype[:3] == "int" and is_elementwise(x) and not any(v.type.ndim for v in operands)
    if not whole:
        return NOTHING
    made = _each(lambda row: int(op.compute(*(np.asarray(n, np.int64) for n in row))))
    return [(v, -1) for v in operands], made
