"""Shared variables: tensors with a value that outlives a call and that functions can update."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, EqsatError
from eqsat.graph.core import Variable, next_number
from eqsat.graph.dtypes import CODE
from eqsat.graph.tensor_type import TensorType, refuse_unplain, shorten
from eqsat.tensor.variable import _tensor_py_operators

moved_back: weakref.WeakSet[Any] = weakref.WeakSet()  # shared variables whose values came back from a device


class TensorSharedVariable(_tensor_py_operators, Variable):
    """A tensor variable that holds its value; the array inside is always C-contiguous.

    ``default_update`` is the value that a function which reads the variable gives it after each call, or None.

    >>> import numpy as np, eqsat, eqsat.tensor as T
    >>> w = eqsat.shared(np.zeros(2), "w")
    >>> w.set_value([1.0, 2.0])
    >>> w.get_value(), isinstance(w, T.TensorSharedVariable)
    (array([1., 2.]), True)
    """

    __slots__ = ("container", "default_update", "born")

    def __init__(self, type: TensorType, value: Any, name: str | None = None, borrow: bool = False) -> None:
        super().__init__(type, None, None, name)
        self.container: list[Any] = [None]
        self.default_update: Any = None
        self.born = (
            next_number()
        )  # in the order in which they are made: scan asks whether its function made one
        self.set_value(value, borrow)

    def get_value(self, borrow: bool = False, return_internal_type: bool = False) -> Any:
        """The value: a copy, or with ``borrow=True`` the array inside, which the next update may overwrite.

        The value lies where it was used last. One on a device is copied to the processor; with ``return_internal_type=True`` the
        array on the device is given as it is.
        """
        value = self.container[0]
        if not isinstance(value, np.ndarray):
            return value if return_internal_type else value.numpy()
        return value if borrow else value.copy()

    def local(self) -> Any:
        """The value as an array on the processor, to which it moves."""
        value = self.container[0]
        if not isinstance(value, np.ndarray):
            value = self.container[0] = value.numpy()
            moved_back.add(self)
        return value

    def set_value(self, new_value: Any, borrow: bool = False) -> None:
        """Replace the value; the length of an axis may change. With ``borrow=True`` the array is not copied.

        Errors   DTypeError, RankError, ShapeError where the value is not of the variable's type
        """
        try:
            array = self.type.filter(new_value)
        except EqsatError as error:
            raise type(error)(
                f"{self}: {error.message}", operands=[(str(self), self)], hint=error.hint
            ) from None
        usable = borrow and array.flags.c_contiguous and array.flags.writeable and array.flags.aligned
        self.container[0] = array if usable else np.array(array, order="C")

    @property
    def value(self) -> Any:
        """The value, copied on reading and writing."""
        return self.get_value()

    @value.setter
    def value(self, new_value: Any) -> None:
        self.set_value(new_value)

    def clone(self, name: str | None = None) -> Any:
        """A shared variable on the same storage."""
        other = TensorSharedVariable.__new__(TensorSharedVariable)
        Variable.__init__(other, self.type, None, None, self.name if name is None else name)
        other.container = self.container
        other.default_update = self.default_update
        other.born = self.born
        return other

    def zero(self) -> None:
        """Set every element to 0."""
        value = self.container[0]
        self.container[0] = np.zeros(value.shape, value.dtype)


def shared(
    value: Any, name: str | None = None, borrow: bool = False, broadcastable: Any = None, shape: Any = None
) -> TensorSharedVariable:
    """A shared variable with the dtype and rank of a value.

    The lengths of a new shared variable are not part of its type, so that they may change; give
    ``broadcastable`` or ``shape`` where they are fixed. The value is copied unless ``borrow=True``.

    Errors   ArgumentError for a variable, or rows of other lengths; DTypeError for a value that no tensor holds

    >>> from eqsat import shared
    >>> w = shared([1.0, 2.0], name="w")
    >>> w.get_value()
    array([1., 2.])
    """
    if isinstance(value, Variable):
        raise ArgumentError(f"shared: {value} is a variable, not a value", hint="shared(x.eval(...))")
    refuse_unplain(value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"shared: no array can be made of {shorten(value)}: {error}") from None
    if array.dtype.name not in CODE:
        raise DTypeError(
            f"shared: no tensor holds {array.dtype}", hint="shared(np.asarray(value, 'float64'))"
        )
    pattern = shape if shape is not None else broadcastable
    kind = TensorType(array.dtype.name, pattern if pattern is not None else (None,) * array.ndim)
    return TensorSharedVariable(kind, array, name, borrow)
