"""An op that prints its value whenever a function computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Apply, Op, Variable


class Print(Op):
    """Prints a message and attributes of a value whenever it is computed, and passes the value on.

    ``attrs`` names attributes or methods without arguments of the array; ``global_fn(op, value)`` replaces the
    printing. A value that no output needs is not computed, and so not printed.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> f = eqsat.function([x], Print("x is", attrs=("shape", "sum"))(x) * 2)
    >>> f([1.0, 2.0])
    x is shape = (2,)
    x is sum = 3.0
    array([2., 4.])
    """

    __props__ = ("message", "attrs", "global_fn")
    view_map = {0: [0]}

    def __init__(
        self,
        message: str = "",
        attrs: Sequence[str] = ("__str__",),
        global_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.message, self.attrs = message, tuple(attrs)
        self.global_fn = global_fn or _print_attributes

    def make_node(self, x: Any) -> Apply:
        """An Apply whose output has the type of x."""
        variable = x if isinstance(x, Variable) else as_tensor(x)
        return Apply(self, [variable], [variable.type.make_variable()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        self.global_fn(self, inputs[0])
        output_storage[0][0] = inputs[0]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Sequence[Any]:
        return list(output_gradients)

    def R_op(self, inputs: Sequence[Variable], eval_points: Sequence[Any]) -> Sequence[Any]:
        """The forward derivative, which is not printed."""
        return list(eval_points)


def _print_attributes(op: Print, value: Any) -> None:
    for name in op.attrs:
        found = getattr(value, name)
        print(op.message, name, "=", found() if callable(found) else found)
