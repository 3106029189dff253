"""The op that checks a condition: its result is its first operand, and a call where the condition is false fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat import errors
from eqsat.errors import ArgumentError, AssertError, EqsatError
from eqsat.graph.batch_rules import Unbatched
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import and_, neq
from eqsat.graph.ops.reduce import all_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.parameters import TEXT

__all__ = ["Assert", "assert_op"]


def _batch(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """The condition has to hold in the whole batch."""
    x, condition = inputs
    made = op(x, _all(condition) if flags[1] else condition)
    return made if flags[0] else Unbatched(made)


@structural(
    "view",
    name="assertion",
    signature="x,_->x",
    linear="x",
    batch=_batch,
    parameters={"message": TEXT, "error": TEXT},
    put=lambda op, inputs, y: y,
    grad=lambda op, inputs, out, dy: [dy, None],
    builder="assertion.check",
    cost=Cost(flops=0, bytes=0, calls=0),
)
def assertion_op(x: Any, condition: Any, *, message: str, error: str) -> Any:
    """x itself, after a check that the condition is true."""
    if not np.all(condition):
        raise getattr(errors, error, AssertError)(message)  # rules are tried with any text
    return x


class Assert:
    """A check with a message: ``Assert("text")(x, condition, ...)`` is x, and a call where a condition is false fails.

    A condition is a number or tensor; it holds where no element is 0. Gradients pass through. A check is made where
    the value is computed: one that nothing reads, or of which only the shape is read, is not.

    Errors   AssertError, an AssertionError with the message, when the function runs, or ``error``, another class of eqsat.errors

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> f = eqsat.function([x], T.log(T.Assert("x is not positive")(x, x > 0)))
    >>> float(f(1.0))
    0.0
    """

    def __init__(self, msg: str = "Assert failed!", error: type[EqsatError] = AssertError) -> None:
        if not isinstance(msg, str):
            raise ArgumentError(f"Assert: the message {msg!r} is no text")
        if getattr(errors, getattr(error, "__name__", ""), None) is not error:
            raise ArgumentError(f"Assert: {error!r} is no class of eqsat.errors")
        self.msg, self.error = msg, error

    def __call__(self, value: Any, *conds: Any) -> Any:
        x, message = as_tensor(value), self.msg
        if not conds:
            raise ArgumentError("Assert: there is no condition", operands=[(str(x), x)], needs="x, condition")
        return assertion_op(x, and_(*map(_as_condition, conds)), message=message, error=self.error.__name__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assert) and (self.msg, self.error) == (other.msg, other.error)

    def __hash__(self) -> int:
        return hash((Assert, self.msg, self.error))


def _as_condition(value: Any) -> Any:
    """A 0-d bool: whether no element is 0."""
    v = as_tensor(value)
    if isinstance(v, Constant):
        return as_tensor(bool(np.all(v.data)))
    return _all(v if v.type.dtype == "bool" else neq(v, np.zeros((), v.type.dtype)))


def _all(condition: Any) -> Any:
    """True where every element is true."""
    return (
        dimshuffle_op(all_op(condition, axes=tuple(range(condition.ndim))), pattern=())
        if condition.ndim
        else condition
    )


assert_op = Assert()
