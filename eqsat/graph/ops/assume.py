"""The op by which a user tells what is known of a value: its result is its operand, and rules may rely on the facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.hooks import hook
from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor
from eqsat.graph.declare import DeclaredOp, structural
from eqsat.graph.ops.shape import FREE
from eqsat.graph.parameters import PATTERN

__all__ = ["assume"]


@structural(
    "view",
    name="assume",
    signature="x->x",
    linear="x",
    parameters={"facts": PATTERN},
    put=lambda op, inputs, y: y,
    grad=lambda op, inputs, out, dy: [dy],
    batch=lambda op, inputs, flags, count: inputs[0],  # what is known of a matrix is not known of a stack
    builder="shape.same",
    cost=FREE,
)
def assume_op(x: Any, *, facts: tuple[str, ...]) -> Any:
    """x itself, of which facts are taken to be known."""
    return x


def assume(x: Any, *facts: str) -> Any:
    """x itself, of which something is known that eqsat cannot see, so that rules on such values apply.

    ``facts`` are names of conditions on one operand: "positive", "nonneg", "negative", "nonpos", "nonzero", "finite",
    "bounded"; of matrices "posdef", "symmetric", "lower", "upper", "identity", "positive_diagonal"; and those that
    ``eqsat.conditions.predicate`` declares. Where a fact does not hold, results are undefined: mode "DebugMode" checks
    it at every call. Of the elements, NaN may occur but for "finite".

    Errors   ArgumentError for a fact that is not there, or that is none of x: of matrices for another rank, of signs for
    complex numbers; DebugModeError in DebugMode where a fact does not hold

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> print(eqsat.optimize(T.sqrt(T.assume(x, "nonneg") ** 2)).optimized[0])
    x
    """
    v = as_tensor(x)
    offered = hook("assumable")()
    told = [(str(v), v)]
    if not facts:
        raise ArgumentError("assume: no fact is named", operands=told, needs='such as "positive"')
    for name in facts:
        if name not in offered:
            raise ArgumentError(f"assume: there is no fact {name!r}", operands=told, among=(name, offered))
        if offered[name].about == "matrices" and v.type.ndim != 2:
            raise ArgumentError(f"assume: {name} is said of matrices", operands=told)
        if np.dtype(v.type.dtype).kind == "c" and hook("asks_order")(name):
            raise ArgumentError(f"assume: complex numbers are not {name}", operands=told)
    return assume_op(v, facts=tuple(dict.fromkeys(facts)))


def assumed_facts(op: Any) -> Sequence[str]:
    """The facts that an op takes to be known of its result; none for any other op."""
    named = isinstance(op, DeclaredOp) and op.name == assume_op.name
    return op.params["facts"] if named else ()
