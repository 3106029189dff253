"""NumPy's array methods that are functions of ``eqsat.tensor`` too; part of every tensor."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops import complex as c
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops import rounding, trigonometry
from eqsat.graph.ops.create import ones_like, zeros_like
from eqsat.tensor import cumulative, elementwise, rearrange, repeating, sorting
from eqsat.tensor.creation import full_like
from eqsat.tensor.scalars import get_scalar_constant_value


def _method(function: Any, name: str) -> Any:
    def method(self: Any) -> Any:
        return function(self)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"See ``eqsat.tensor.{name}``."
    return method


class NumpyMethods:
    """Methods that call the function of the same name with the tensor as its first argument."""

    __slots__ = ()

    exp, exp2, expm1 = _method(e.exp, "exp"), _method(rounding.exp2, "exp2"), _method(e.expm1, "expm1")
    log, log2, log10 = _method(e.log, "log"), _method(e.log2, "log2"), _method(e.log10, "log10")
    log1p, sqrt, ceil = _method(e.log1p, "log1p"), _method(e.sqrt, "sqrt"), _method(e.ceil, "ceil")
    floor, trunc = _method(e.floor, "floor"), _method(rounding.trunc, "trunc")
    sin, cos, tan = _method(e.sin, "sin"), _method(e.cos, "cos"), _method(trigonometry.tan, "tan")
    sinh, cosh = _method(trigonometry.sinh, "sinh"), _method(trigonometry.cosh, "cosh")
    tanh = _method(e.tanh, "tanh")
    arcsin, arccos = _method(trigonometry.arcsin, "arcsin"), _method(trigonometry.arccos, "arccos")
    arctan, arcsinh = _method(trigonometry.arctan, "arctan"), _method(trigonometry.arcsinh, "arcsinh")
    arccosh, arctanh = _method(trigonometry.arccosh, "arccosh"), _method(trigonometry.arctanh, "arctanh")
    deg2rad, rad2deg = _method(elementwise.deg2rad, "deg2rad"), _method(elementwise.rad2deg, "rad2deg")
    conjugate = _method(c.conj, "conj")
    squeeze, swapaxes, ravel, repeat = (
        rearrange.squeeze,
        rearrange.swapaxes,
        rearrange.ravel,
        repeating.repeat,
    )
    cumsum, cumprod = cumulative.cumsum, cumulative.cumprod
    sort, argsort, searchsorted = sorting.sort, sorting.argsort, sorting.searchsorted
    get_scalar_constant_value = get_scalar_constant_value

    @property
    def mT(self) -> Any:
        """The tensor with its last two axes exchanged.

        >>> import eqsat.tensor as T
        >>> T.tensor3("x", shape=(2, 3, 4)).mT.type.shape
        (2, 4, 3)
        """
        return rearrange.swapaxes(self, -1, -2)

    def dprint(self, *args: Any, **options: Any) -> Any:
        """See ``eqsat.dprint``."""
        from eqsat.printing import dprint

        return dprint(self, *args, **options)

    def zeros_like(self, model: Any = None, dtype: Any = None) -> Any:
        """Zeros with the shape and dtype of the tensor, or of a model; see ``eqsat.tensor.zeros_like``."""
        if isinstance(model, str) and dtype is None:
            model, dtype = None, model
        return zeros_like(self if model is None else model, dtype)

    def ones_like(self, model: Any = None, dtype: Any = None) -> Any:
        """Ones with the shape and dtype of the tensor, or of a model; see ``eqsat.tensor.ones_like``."""
        if isinstance(model, str) and dtype is None:
            model, dtype = None, model
        return ones_like(self if model is None else model, dtype)

    def fill(self, value: Any) -> Any:
        """A new tensor of the same shape and dtype filled with a value; see ``eqsat.tensor.full_like``."""
        return full_like(self, value)
