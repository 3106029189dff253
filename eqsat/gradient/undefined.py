"""Types of gradients that do not exist: the cost does not depend on the variable, or no formula is known."""

from __future__ import annotations

from typing import Any

from eqsat.graph.core import Type, Variable


class DisconnectedType(Type):
    """Type of the gradient for a variable on which the cost does not depend; ``DisconnectedType()()`` is one.

    >>> from eqsat.gradient import DisconnectedType
    >>> str(DisconnectedType()().type)
    'DisconnectedType'
    """

    __slots__ = ()
    __props__ = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        raise TypeError("a disconnected gradient has no value")

    def __str__(self) -> str:
        return "DisconnectedType"

    __repr__ = __str__


class NullType(Type):
    """Type of a gradient that is not defined; ``why_null`` says why.

    >>> from eqsat.gradient import NullType
    >>> NullType("no formula is known")().type.why_null
    'no formula is known'
    """

    __slots__ = ("why_null",)
    __props__ = ("why_null",)

    def __init__(self, why_null: str = "the gradient is not defined") -> None:
        self.why_null = why_null

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        raise TypeError(f"a gradient that is not defined has no value: {self.why_null}")

    def __str__(self) -> str:
        return "NullType"

    def __repr__(self) -> str:
        return f"NullType({self.why_null!r})"


def is_disconnected(variable: Variable) -> bool:
    """True for the gradient of a cost that does not depend on a variable."""
    return isinstance(variable.type, DisconnectedType)


def is_null(variable: Variable) -> bool:
    """True for a gradient that is not defined."""
    return isinstance(variable.type, NullType)


def grad_undefined(op: Any, x_pos: int, x: Variable, comment: str = "") -> Variable:
    """The result of a user's ``grad`` for an input in which the op has no gradient in mathematics.

    Asking for this gradient raises NullTypeGradError.

    >>> import eqsat.tensor as T
    >>> from eqsat.gradient import grad_undefined
    >>> x = T.dvector("x")
    >>> grad_undefined("my_op", 0, x, "it counts").type.why_null
    'my_op has no gradient in input 0, x: it counts'
    """
    return _null(f"{op} has no gradient in input {x_pos}, {x}", comment)


def grad_not_implemented(op: Any, x_pos: int, x: Variable, comment: str = "") -> Variable:
    """The result of a user's ``grad`` for an input whose gradient has not been written.

    >>> import eqsat.tensor as T
    >>> from eqsat.gradient import grad_not_implemented
    >>> x = T.dvector("x")
    >>> grad_not_implemented("my_op", 0, x).type.why_null
    'the gradient of my_op in input 0, x, is not implemented'
    """
    return _null(f"the gradient of {op} in input {x_pos}, {x}, is not implemented", comment)


def _null(message: str, comment: str) -> Variable:
    return NullType(f"{message}: {comment}" if comment else message)()  # type: ignore[no-any-return]


undefined_grad = grad_undefined
