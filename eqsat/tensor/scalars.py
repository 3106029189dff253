"""Numbers in graphs: the value of a constant scalar, and scalars as tensors without axes.

A scalar is a 0-d tensor here; there is no second type for it. ``scalar_from_tensor`` and
``tensor_from_scalar`` of the older libraries therefore check the rank and give back the variable.
"""

from __future__ import annotations

from typing import Any

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Constant
from eqsat.graph.seen import only_shown


class NotScalarConstantError(ArgumentError):
    """The value of a variable that is not the same number everywhere in every call."""


def get_scalar_constant_value(v: Any) -> Any:
    """The number that a variable is in every call, as a 0-d array; read through casts and fillings.

    Errors   NotScalarConstantError where there is no such number

    >>> import eqsat.tensor as T
    >>> int(T.get_scalar_constant_value(T.cast(T.alloc(3, 2, 2), "int64")))
    3
    """
    given = x = as_tensor(v)
    casts: list[Any] = []
    while not isinstance(x, Constant):
        below = only_shown(x)
        if below is None and getattr(getattr(x.owner, "op", None), "name", None) == "cast":
            casts.append(x.owner.op)
            below = x.owner.inputs[0]
        if below is None:
            raise _not_constant(given)
        x = below
    data = x.data.reshape(-1)
    if data.size == 0 or not ((data == data[0]) | ((data != data) & (data[0] != data[0]))).all():
        raise _not_constant(given)
    value = data[0].reshape(())
    for op in reversed(casts):
        value = op.compute(value)
    return value


def _not_constant(v: Any) -> NotScalarConstantError:
    return NotScalarConstantError(
        f"{v} is not a constant scalar",
        operands=[(str(v), v)],
        needs="a constant, or a cast, a filling or a dimshuffle of one",
    )


class ScalarFromTensor:
    """Gives a 0-d tensor as a scalar, which is the same; refuses tensors with axes.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar()
    >>> T.ScalarFromTensor()(x) is x
    True
    """

    name = "scalar_from_tensor"

    def __call__(self, x: Any) -> Any:
        x = as_tensor(x)
        if x.ndim != 0:
            raise RankError(
                f"{self.name}: {x} has {x.ndim} dimensions, not 0",
                operands=[(str(x), x)],
                hint="x[0], or x.reshape(()) for a single element",
            )
        return x


class TensorFromScalar(ScalarFromTensor):
    """Gives a scalar as a 0-d tensor, which is the same.

    >>> import eqsat.tensor as T
    >>> T.TensorFromScalar()(T.dscalar()).ndim
    0
    """

    name = "tensor_from_scalar"


scalar_from_tensor, tensor_from_scalar = ScalarFromTensor(), TensorFromScalar()
