"""NumPy's array methods that are functions of ``eqsat.tensor`` too; part of every tensor."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.create import ones_like, zeros_like
from eqsat.tensor import cumulative, rearrange, repeating, sorting
from eqsat.tensor.creation import full_like
from eqsat.tensor.scalars import get_scalar_constant_value


class NumpyMethods:
    """Methods that call the function of the same name with the tensor as its first argument."""

    __slots__ = ()

    def squeeze(self, axis: Any = None) -> Any:
        """See ``eqsat.tensor.squeeze``."""
        return rearrange.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """See ``eqsat.tensor.swapaxes``."""
        return rearrange.swapaxes(self, axis1, axis2)

    def repeat(self, repeats: Any, axis: int | None = None) -> Any:
        """See ``eqsat.tensor.repeat``."""
        return repeating.repeat(self, repeats, axis)

    def cumsum(self, axis: int | None = None) -> Any:
        """See ``eqsat.tensor.cumsum``."""
        return cumulative.cumsum(self, axis)

    def cumprod(self, axis: int | None = None) -> Any:
        """See ``eqsat.tensor.cumprod``."""
        return cumulative.cumprod(self, axis)

    def sort(self, axis: int | None = -1, kind: Any = "quicksort", order: Any = None) -> Any:
        """See ``eqsat.tensor.sort``; the tensor itself does not change."""
        return sorting.sort(self, axis, kind, order)

    def argsort(self, axis: int | None = -1, kind: Any = "quicksort", order: Any = None) -> Any:
        """See ``eqsat.tensor.argsort``."""
        return sorting.argsort(self, axis, kind, order)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        """See ``eqsat.tensor.searchsorted``."""
        return sorting.searchsorted(self, v, side, sorter)

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

    def get_scalar_constant_value(self) -> Any:
        """See ``eqsat.tensor.get_scalar_constant_value``."""
        return get_scalar_constant_value(self)
