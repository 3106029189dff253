"""The operators and methods of tensors, in one mix-in for variables, constants and shared variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.hooks import hook
from eqsat.errors import ArgumentError
from eqsat.graph.constant import ConstantClass, as_tensor, cast_to
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import INEXACT, check_dtype
from eqsat.graph.ops import complex as c
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.diagonal import diagonal
from eqsat.graph.ops.mask import nonzero
from eqsat.graph.ops.matmul import matmul
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.shape import dimshuffle, shape, transpose
from eqsat.graph.ops.subscript import getitem, inc_subtensor, set_subtensor
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor import elementwise, indexing, numpy_protocol, reduction, statistics
from eqsat.tensor.numpy_methods import NumpyMethods
from eqsat.tensor.products import dot, trace


def _operator(op: Any, reflected: bool = False) -> Any:
    def method(self: Any, other: Any) -> Any:
        if not isinstance(
            other, (Variable, int, float, complex, np.ndarray, np.generic, list, tuple)
        ) and not hasattr(type(other), "_apply_op"):
            return _no_operand(op, self, other)
        return op(other, self) if reflected else op(self, other)

    method.__doc__ = f"Elementwise {op}."
    return method


def _no_operand(op: Any, variable: Any, other: Any) -> Any:
    """Answer an operator whose operand is no tensor: built-in things are refused, other classes get their turn."""
    if other is not None and type(other).__module__ != "builtins":
        return NotImplemented
    raise ArgumentError(
        f"{getattr(op, '__name__', op)}: an operand is {other!r}, of the class {type(other).__name__}",
        operands=[(str(variable), variable)],
        needs="tensors, numbers, arrays or lists of them",
    )


def comparison(op: Any) -> Any:
    """A comparison whose result has the dtype that ``config.compare_dtype`` asks for."""

    def compare(x: Any, y: Any) -> Any:
        result = op(x, y)
        return result if config.compare_dtype == "bool" else cast_to(result, config.compare_dtype)

    compare.__doc__ = op.declaration.doc
    compare.__name__ = op.name
    return compare


lt, le, gt, ge = (comparison(op) for op in (e.lt, e.le, e.gt, e.ge))
eq, neq = comparison(e.eq), comparison(e.neq)


class _tensor_py_operators(NumpyMethods):
    """Operators and methods that every tensor has, whatever made it."""

    __slots__ = ()
    __array_priority__ = 1000
    __array_ufunc__ = numpy_protocol.array_ufunc
    __array_function__ = numpy_protocol.array_function
    __array__ = numpy_protocol.array
    type: Any

    __add__, __radd__ = _operator(e.add), _operator(e.add, True)
    __sub__, __rsub__ = _operator(e.sub), _operator(e.sub, True)
    __mul__, __rmul__ = _operator(e.mul), _operator(e.mul, True)
    __truediv__, __rtruediv__ = _operator(e.truediv), _operator(e.truediv, True)
    __div__, __rdiv__ = __truediv__, __rtruediv__  # Python 2
    __floordiv__, __rfloordiv__ = _operator(e.floordiv), _operator(e.floordiv, True)
    __mod__, __rmod__ = _operator(e.mod), _operator(e.mod, True)
    __divmod__, __rdivmod__ = _operator(elementwise.divmod), _operator(elementwise.divmod, True)
    __lshift__, __rlshift__ = _operator(elementwise.left_shift), _operator(elementwise.left_shift, True)
    __rshift__, __rrshift__ = _operator(elementwise.right_shift), _operator(elementwise.right_shift, True)
    __pow__, __rpow__ = _operator(e.pow), _operator(e.pow, True)
    __and__, __rand__ = _operator(e.and_), _operator(e.and_, True)
    __or__, __ror__ = _operator(e.or_), _operator(e.or_, True)
    __xor__, __rxor__ = _operator(e.xor), _operator(e.xor, True)
    __lt__, __le__ = _operator(lt), _operator(le)
    __gt__, __ge__ = _operator(gt), _operator(ge)
    __matmul__, __rmatmul__ = _operator(matmul), _operator(matmul, True)

    def __neg__(self) -> Any:
        return e.neg(self)

    def __abs__(self) -> Any:
        return e.abs(self)

    def __invert__(self) -> Any:
        return e.invert(self)

    def __round__(self, ndigits: int | None = None) -> Any:
        return elementwise.around(self, ndigits or 0)

    def __getitem__(self, item: Any) -> Any:
        return getitem(self, item)

    def __setitem__(self, item: Any, value: Any) -> None:
        raise ArgumentError(
            f"{self} cannot be assigned to: a graph has no memory",
            hint="y = T.set_subtensor(x[...], value) or T.inc_subtensor(x[...], value)",
        )

    def __iter__(self) -> Any:
        count = self.type.shape[0] if self.type.ndim else None
        if count is None:
            raise ArgumentError(
                f"{self} cannot be iterated over: its length is not known",
                operands=[(str(self), self)],
                hint="T.specify_shape(x, (3,)) where the length is always 3",
            )
        return (self[i] for i in range(count))

    def __len__(self) -> int:
        raise ArgumentError(
            f"{self} has no len() before it is computed",
            operands=[(str(self), self)],
            hint="x.shape[0], a variable, or x.type.shape[0], which is None where the length is not known",
        )

    def __float__(self) -> float:
        raise ArgumentError(
            f"{self} is no number before it is computed",
            operands=[(str(self), self)],
            hint="x.eval({input: value}), or T.cast(x, dtype) in a graph",
        )

    # functions of eqsat.tensor, called with the tensor as their first argument
    sum, prod, mean = reduction.sum, reduction.prod, reduction.mean
    var, std, norm = reduction.var, reduction.std, statistics.norm
    max, argmax, max_and_argmax = reduction.max, reduction.argmax, reduction.max_and_argmax
    min, argmin, ptp = reduction.min, reduction.argmin, statistics.ptp
    any, all, round = reduction.any, reduction.all, elementwise.round
    dimshuffle, flatten, diagonal, trace = dimshuffle, flatten, diagonal, trace
    nonzero, nonzero_values = nonzero, indexing.nonzero_values
    take, choose = indexing.take, indexing.choose

    __int__ = __index__ = __complex__ = __float__  # type: ignore[assignment]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.type.ndim  # type: ignore[no-any-return]

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return self.type.dtype  # type: ignore[no-any-return]

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """True for each axis whose length is 1 by type."""
        return self.type.broadcastable  # type: ignore[no-any-return]

    @property
    def shape(self) -> Any:
        """Lengths of the axes as an int64 vector."""
        return shape(self)

    @property
    def size(self) -> Any:
        """Number of elements as a 0-d int64."""
        return reduction.prod(shape(self)) if self.ndim else as_tensor(np.ones((), "int64"))

    @property
    def T(self) -> Any:
        """The tensor with its axes reversed."""
        return transpose(self)

    def transpose(self, *axes: Any) -> Any:
        """See ``eqsat.tensor.transpose``."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (list, tuple, np.ndarray))):
            return transpose(self, None if axes[0] is None else tuple(axes[0]))
        return transpose(self, axes or None)

    def reshape(self, *newshape: Any, ndim: int | None = None) -> Any:
        """See ``eqsat.tensor.reshape``; lengths come as a tuple, a vector or several arguments."""
        return reshape(self, newshape[0] if len(newshape) == 1 else newshape, ndim)

    def astype(self, dtype: Any) -> Any:
        """The tensor in another dtype."""
        return cast_to(self, check_dtype(dtype))

    def set(self, y: Any) -> Any:
        """The tensor of which this is a part, with the part replaced by y; see ``eqsat.tensor.set_subtensor``.

        >>> import eqsat.tensor as T
        >>> T.arange(3)[1:].set(7).eval()
        array([0, 7, 7])
        """
        return set_subtensor(self, y)

    def inc(self, y: Any) -> Any:
        """The tensor of which this is a part, with y added to the part; see ``eqsat.tensor.inc_subtensor``."""
        return inc_subtensor(self, y)

    def compress(self, condition: Any, axis: int | None = None) -> Any:
        """See ``eqsat.tensor.compress``."""
        return indexing.compress(condition, self, axis)

    def dot(self, other: Any) -> Any:
        """See ``eqsat.tensor.dot``."""
        return dot(self, other)

    @property
    def real(self) -> Any:
        """See ``eqsat.tensor.real``."""
        return c.real(self)

    @property
    def imag(self) -> Any:
        """See ``eqsat.tensor.imag``."""
        return c.imag(self)

    def conj(self) -> Any:
        """See ``eqsat.tensor.conj``."""
        return c.conj(self)

    conf = conj

    def clip(self, a_min: Any = None, a_max: Any = None) -> Any:
        """See ``eqsat.tensor.clip``."""
        return elementwise.clip(self, a_min, a_max)

    def copy(self, name: str | None = None) -> Any:
        """A new variable with the same value."""
        if self.dtype in INEXACT:
            result = e.mul(self, np.ones((), self.dtype))
        else:
            result = e.fill(self, self)
        result.name = name
        return result

    def transfer(self, target: str) -> Any:
        """See ``eqsat.graph.ops.modifiers.transfer``."""
        from eqsat.graph.ops.modifiers import transfer

        return transfer(self, target)

    def eval(self, inputs_to_values: Any = None, mode: Any = None) -> Any:
        """Value of the variable for values of the inputs it depends on; the compiled function is kept.

        >>> import eqsat.tensor as T
        >>> x = T.dscalar("x")
        >>> float((x + 1).eval({x: 2.0}))
        3.0
        """
        return hook("evaluate")(self, inputs_to_values, mode)


class TensorVariable(_tensor_py_operators, Variable):
    """A tensor that is an input or is computed by an op.

    >>> import eqsat.tensor as T
    >>> x = T.dmatrix("x")
    >>> x, (x + 1).ndim, type(x) is T.TensorVariable
    (x, 2, True)
    """

    __slots__ = ()


class TensorConstant(_tensor_py_operators, Constant):
    """A tensor whose value is fixed in the graph.

    >>> import eqsat.tensor as T
    >>> T.constant([1.0, 2.0]).data
    array([1., 2.])
    """

    __slots__ = ()

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.data.ndim == 0:
            return str(self.data)
        first = self.data.reshape(-1)[:1]
        same = self.data.size > 0 and bool(np.all(self.data == first))
        return f"{self.type.short()} of {first[0]}" if same else f"{self.type.short()} constant"


TensorType.variable_class = TensorVariable
ConstantClass.cls = TensorConstant
