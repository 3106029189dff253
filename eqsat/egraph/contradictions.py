"""E-graphs that cannot be right: a class holds two values that differ, or one that is divided by zero beside one that is not.

Each rule keeps its promise alone. Rules that extend a function to where it had no value may contradict each other there:
``x / y * y`` is x by one rule, and 0 by another once y is found to be 0; then x is 0 wherever it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, coded_op
from eqsat.graph.dtypes import FIRST_FLOAT_CODE
from eqsat.graph.parameters import Codes

ROUNDED = 1e-3  # of the larger: sums and products of numbers are rounded in another order
WORDS = {"Leaf": "an input", "Arr": "a constant"}
UNDEFINED = "divided by zero, and not"
OPPOSITES = "both some value and its negative"
ANYWHERE = 0.7  # stands for an operand of which nothing is known


class Node(Protocol):
    """An e-node as ``Saturated`` has it."""

    @property
    def op(self) -> str: ...
    @property
    def params(self) -> tuple[Any, ...]: ...
    @property
    def children(self) -> tuple[int, ...]: ...
    @property
    def cls(self) -> int: ...


@dataclass(frozen=True)
class Known:
    """Facts of classes that the e-graph knows: the number that fills them, bounds, the code of the dtype."""

    cval: Mapping[int, float]
    low: Mapping[int, float]
    high: Mapping[int, float]
    dtype: Mapping[int, int]

    def is_float(self, cls: int) -> bool:
        return self.dtype.get(cls, FIRST_FLOAT_CODE) >= FIRST_FLOAT_CODE


def contradiction(enodes: Sequence[Node], known: Known) -> str:
    """Two values of one class that differ, in words; empty where no class is known to hold such."""
    tests = (two_leaves, two_numbers, divided, opposites)
    return next(filter(None, (test(enodes, known) for test in tests)), "")


def two_leaves(enodes: Sequence[Node], known: Known) -> str:
    """Two inputs, two constant arrays, or one of them and a number."""
    first: dict[int, Node] = {}
    for e in enodes:
        if e.op not in ("Leaf", "Arr"):
            continue
        if e.cls in first or (e.op == "Leaf" and e.cls in known.cval):
            other = first.get(e.cls)
            words = sorted(WORDS[n.op] for n in (e, other) if n is not None)
            return "both " + " and ".join(words if other is not None else [*words, "a number"])
        first[e.cls] = e
    return ""


def two_numbers(enodes: Sequence[Node], known: Known) -> str:
    """Numbers, or bounds, that are further apart than rounding makes them."""
    numbers: dict[int, float] = {}
    for e in enodes:
        if e.op == "Num" and apart(numbers.setdefault(e.cls, e.params[0]), e.params[0]):
            return f"both {numbers[e.cls]:.6g} and {e.params[0]:.6g}"
    for cls, low in known.low.items():
        high = known.high.get(cls, low)
        if high < low and apart(low, high):
            return f"both at least {low:.6g} and at most {high:.6g}"
    return ""


def apart(a: float, b: float) -> bool:
    """True for numbers that no rounding makes of one."""
    return abs(a - b) > ROUNDED * max(abs(a), abs(b), 1e-9)


def divided(enodes: Sequence[Node], known: Known) -> str:
    """Both an e-node that is divided by zero, at some depth, and one that is not."""
    zero = {cls for cls, value in known.cval.items() if value == 0 and known.is_float(cls)}
    if not any(at_pole(e, zero) for e in enodes):
        return ""
    has_value = with_a_value(enodes, known, zero)
    return (
        UNDEFINED
        if any(e.cls in has_value and not is_defined(e, has_value, known, zero) for e in enodes)
        else ""
    )


def opposites(enodes: Sequence[Node], known: Known) -> str:
    """A value and its negative, which are equal of 0 alone, as of multiples of 0; also x / 0 and x / -0, as 0 and -0 are one class."""
    signed = {
        e.cls for e in enodes if e.op == "neg" and e.children == (e.cls,) and known.cval.get(e.cls) != 0
    }
    return OPPOSITES if signed and signed - multiples_of_zero(enodes, known) else ""


def multiples_of_zero(enodes: Sequence[Node], known: Known) -> set[int]:
    """The classes that are 0 where they are numbers: an op is linear in what is 0 there."""
    found = {cls for cls, value in known.cval.items() if value == 0}
    found |= {cls for cls, low in known.low.items() if low == 0 == known.high.get(cls)}
    waiting, before = list(enodes), -1
    while len(found) != before:
        before = len(found)
        found |= {e.cls for e in waiting if vanishes(e, found)}
        waiting = [e for e in waiting if e.cls not in found]
    return found


def vanishes(e: Node, zero: set[int]) -> bool:
    """True for an e-node that is linear in operands that are all 0."""
    d = OPS.find(e.op)
    if d is None or len(d.tensors) != len(e.children):
        return False
    given = dict(zip(d.tensors, e.children, strict=True))
    groups = [*map(str.split, d.linear.split(",")), *([t] for t in d.additive.split())]
    return any(group and all(given.get(t) in zero for t in group) for group in groups)


def with_a_value(enodes: Sequence[Node], known: Known, zero: set[int]) -> set[int]:
    """The classes with an e-node that is computed from values and not divided by zero; the least such set."""
    readers: dict[int, list[Node]] = {}
    for e in enodes:
        for c in e.children:
            readers.setdefault(c, []).append(e)
    found: set[int] = set()
    waiting = list(enodes)
    while waiting:
        e = waiting.pop()
        if e.cls not in found and is_defined(e, found, known, zero):
            found.add(e.cls)
            waiting += readers.get(e.cls, ())
    return found


def at_pole(e: Node, zero: set[int]) -> bool:
    """True for an e-node that divides by what is known to be zero."""
    d = OPS.find(e.op)
    return d is not None and any(t in d.poles and c in zero for t, c in zip(d.tensors, e.children))


def is_defined(e: Node, has_value: set[int], known: Known, zero: set[int]) -> bool:
    """True for an e-node that has a finite value where some classes have one; integers and truth values always are."""
    if not known.is_float(e.cls):
        return True
    if all(c in has_value for c in e.children) and not at_pole(e, zero):
        return True
    d = OPS.find(e.op)
    return d is not None and d.kind == "elemwise" and bool(np.isfinite(tried(e, has_value, known)))


def tried(e: Node, has_value: set[int], known: Known) -> Any:
    """The result of an elementwise op of known numbers, of NaN for operands without a value, and of some number for others."""
    values = [np.float64(known.cval.get(c, ANYWHERE) if c in has_value else np.nan) for c in e.children]
    op = coded_op(e.op, e.params, Codes())
    try:
        return op.compute(*values)
    except TypeError:  # of truth values and integers, which is no matter of a division
        return 0.0
