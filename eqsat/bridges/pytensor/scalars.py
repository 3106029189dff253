"""Functions of numbers, which PyTensor applies to each element.

A class of PyTensor whose name without capitals is a function of ``eqsat.tensor`` is that function; ``SPELLED`` has the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import eqsat.tensor as T
from eqsat.bridges.translate import Refused, Translation


def _of_all(function: Any) -> Callable[..., Any]:
    """A function of two operands for any number of them."""
    return lambda first, *rest: functools.reduce(function, rest, first)


def _clip(x: Any, low: Any, high: Any) -> Any:
    """x within a range; low where it is above high."""
    return T.switch(x < low, low, T.switch(x > high, high, x))


def _truth(x: Any) -> Any:
    return x if x.type.dtype == "bool" else T.neq(x, 0)


SPELLED: dict[str, Callable[..., Any]] = {
    "Add": _of_all(T.add),
    "Mul": _of_all(T.mul),
    "AND": _of_all(T.and_),
    "OR": _of_all(T.or_),
    "XOR": _of_all(T.xor),
    "ScalarMaximum": _of_all(T.maximum),
    "ScalarMinimum": _of_all(T.minimum),
    "Maximum": _of_all(T.maximum),
    "Minimum": _of_all(T.minimum),
    "Switch": lambda c, a, b: T.switch(_truth(c), a, b),
    "Clip": _clip,
    "Identity": lambda x: x,
    "Second": T.fill,
    "IntDiv": T.floordiv,
    "Psi": T.digamma,
    "RoundHalfToEven": T.round_half_to_even,
    "RoundHalfAwayFromZero": T.round_half_away_from_zero,
}


def scalar_function(translation: Translation, op: Any) -> Callable[..., Any]:
    """The function of tensors of eqsat that a scalar op of PyTensor is.

    Errors   Refused where eqsat has no such function
    """
    name = type(op).__name__
    if name == "Cast":
        return lambda x: T.cast(x, op.o_type.dtype)
    if name == "Composite":
        return lambda *given: composite(translation, op.fgraph, given)
    if getattr(op, "name", None) in ("mul_without_zeros", "MulWithoutZeros") or name == "MulWithoutZeros":
        return T.mul_without_zeros
    found = SPELLED.get(name) or getattr(T, name.lower(), None)
    if found is None:
        raise Refused(f"eqsat.tensor has no function for {name}")
    return found  # type: ignore[no-any-return]


def composite(translation: Translation, fgraph: Any, given: Any) -> Any:
    """A graph of scalar ops applied to tensors of any rank."""
    values = dict(zip(fgraph.inputs, given, strict=True))

    def value(v: Any) -> Any:
        if v not in values:
            values[v] = translation.reader.constant(v)
        return values[v]

    for node in fgraph.toposort():
        made = scalar_function(translation, node.op)(*map(value, node.inputs))
        (out,) = node.outputs
        values[out] = made if made.type.dtype == out.type.dtype else T.cast(made, out.type.dtype)
    found = [value(v) for v in fgraph.outputs]
    return found if len(found) > 1 else found[0]
