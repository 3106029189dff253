"""``pytensor.tensor``: functions with PyTensor's parameters and defaults, and those that eqsat has under no name.

>>> TENSOR["tensor"]("x", shape=(None, 3)).type
<TensorType(float64, (?, 3))>
>>> TENSOR["sum"](input=TENSOR["as_tensor"]([[1.0, 2.0]]), axis=0).eval()
array([1., 2.])
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat import tensor
from eqsat.errors import ArgumentError, DTypeError
from eqsat.frontends.pytensor.scipy_names import SPECIAL_FUNCTIONS
from eqsat.frontends.pytensor.shape_names import (
    atleast_Nd,
    concat_with_broadcast,
    join_dims,
    matrix_transpose,
    pack,
    shape_tuple,
    slice_at_axis,
    split_dims,
    unpack,
)
from eqsat.frontends.theano.theano_names import TENSOR as OLD_TENSOR
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import INTEGERS, check_dtype
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.tools import vectorize
from eqsat.graph.walk import graph_inputs

T: Any = tensor

# Parameters of PyTensor with another name here, as theirs=ours; with nothing behind the sign they are ignored.
PARAMETERS = {
    "argsort": "a=x stable=",
    "as_tensor": "x=value",
    "compress": "x=a",
    "concatenate": "tensor_list=tensors",
    "constant": "x=value",
    "diagonal": "a=x",
    "dot": "l=x r=y",
    "einsum": "optimize=",
    "empty_like": "prototype=x",
    "expand_dims": "a=x",
    "flip": "arr=x",
    "full_like": "a=x",
    "inc_subtensor": "x=part",
    "max_and_argmax": "a=x",
    "mean": "input=x",
    "moveaxis": "a=x",
    "nonzero": "a=x",
    "ones_like": "model=x opt=",
    "prod": "input=x",
    "ptp": "a=x",
    "repeat": "a=x",
    "searchsorted": "x=a",
    "set_subtensor": "x=part",
    "shape_padaxis": "t=x",
    "shape_padleft": "t=x",
    "shape_padright": "t=x",
    "sort": "a=x stable=",
    "stacklists": "arg=tensors",
    "std": "input=x",
    "sum": "input=x",
    "swapaxes": "y=x",
    "tile": "A=x",
    "trace": "a=x",
    "tri": "N=n M=m",
    "unique": "ar=x",
    "var": "input=x",
    "zeros_like": "model=x opt=",
}


def renamed(function: Callable[..., Any], words: str) -> Callable[..., Any]:
    """A function that takes other names of parameters, given as ``"theirs=ours ignored="``."""
    ours = dict(pair.split("=") for pair in words.split())

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        kept = {ours.get(name, name): value for name, value in options.items() if ours.get(name, name)}
        return function(*args, **kept)

    return call


# ------------------------------------------------------------------------------------------------ making tensors


def make_tensor(
    name: str | None = None,
    second: Any = None,
    *,
    dtype: Any = None,
    shape: Any = None,
    broadcastable: Any = None,
) -> Any:
    """``pt.tensor("x", shape=(None, 3))``; before PyTensor 2.8 the dtype stood first, and that is understood too."""
    if dtype is None and _is_dtype(name):
        name, dtype, shape = None, name, second if shape is None else shape
    elif second is not None:
        raise ArgumentError(
            "tensor takes the name by position and all else by word", hint="pt.tensor('x', shape=, dtype=)"
        )
    lengths = broadcastable if shape is None else shape
    return TensorType(check_dtype(dtype or "floatX"), lengths)(name)


def _is_dtype(name: Any) -> bool:
    """True for what can only be meant as a dtype: "float64", but not a name of one or two letters such as "f4"."""
    if name is None or (isinstance(name, str) and len(name) < 3):
        return False
    try:
        return bool(check_dtype(name))
    except DTypeError:
        return False


def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None) -> Any:
    """``pt.as_tensor``: a dtype is that of a constant; a variable keeps its own."""
    if dtype is not None and not _holds_variable(x):
        return T.constant(x, name=name, ndim=ndim, dtype=dtype)
    made = T.as_tensor_variable(x, name=name, ndim=ndim)
    return made if dtype is None or isinstance(x, Variable) else T.cast(made, dtype)


def _holds_variable(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_holds_variable, x))
    return isinstance(x, Variable)


def where(cond: Any, ift: Any = None, iff: Any = None) -> Any:
    """``pt.where``: a choice between two, or with the condition alone the indices at which it holds."""
    return T.nonzero(cond) if ift is None and iff is None else T.switch(cond, ift, iff)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    base: Any = 10.0,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``pt.logspace``, which takes the base before ``endpoint``."""
    return T.logspace(start, stop, num, endpoint, base, dtype, axis)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    base: Any = 10.0,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``pt.geomspace``, whose base changes nothing."""
    return T.geomspace(start, stop, num, endpoint, dtype, axis)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``pt.linspace``, which can give the step too."""
    if isinstance(num, Variable) and num.dtype not in INTEGERS:
        num = T.cast(num, "int64")
    points = T.linspace(start, stop, num, endpoint, dtype, axis)
    if not retstep:
        return points
    first, last = T.as_tensor_variable(start), T.as_tensor_variable(stop)
    return points, (last - first) / (num - 1 if endpoint else num)


# ---------------------------------------------------------------------------------------------------- elementwise


def take(a: Any, indices: Any, axis: Any = None, mode: str | None = "raise") -> Any:
    """``pt.take``, in which no mode is "raise"."""
    return T.take(a, indices, axis, mode or "raise")


def rounded(a: Any, mode: str | None = None) -> Any:
    """``pt.round``, which rounds halves to even numbers unless a mode is given."""
    return T.round(a, mode or "half_to_even")


def iround(a: Any, mode: str | None = None) -> Any:
    """``pt.iround``: rounded numbers as integers."""
    return T.iround(a, mode or "half_to_even")


def ceil_intdiv(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded up."""
    return -(-T.as_tensor_variable(a) // b)


def _every(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two tensors, of any number of them."""
    return lambda *tensors: functools.reduce(function, map(T.as_tensor_variable, tensors))


# ------------------------------------------------------------------------------------------------------- products


def _cast_after(function: Callable[..., Any]) -> Callable[..., Any]:
    """A product with the parameters x1, x2 and dtype."""

    def product(x1: Any, x2: Any, dtype: Any = None) -> Any:
        made = function(T.as_tensor_variable(x1), T.as_tensor_variable(x2))
        return made if dtype is None else T.cast(made, dtype)

    product.__name__ = product.__qualname__ = function.__name__
    product.__doc__ = function.__doc__
    return product


def matvec(x1: Any, x2: Any) -> Any:
    """Products of matrices with vectors.

    Shapes   x1: [..., m, k], x2: [..., k] -> [..., m]
    """
    return T.matmul(x1, T.shape_padright(x2))[..., 0]


def vecmat(x1: Any, x2: Any) -> Any:
    """Products of vectors with matrices.

    Shapes   x1: [..., k], x2: [..., k, n] -> [..., n]
    """
    return T.matmul(x1[..., None, :], x2)[..., 0, :]


def batched_tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """The tensordot of each row of x with that of y, whose axes are counted with the first."""
    x, y = T.as_tensor_variable(x), T.as_tensor_variable(y)
    if isinstance(axes, (int, np.integer)):
        axes = [range(x.ndim - axes, x.ndim), range(1, axes + 1)]
    left, right = (
        [k + v.ndim if k < 0 else k for k in np.atleast_1d(a)] for v, a in zip((x, y), axes, strict=True)
    )
    letters = [chr(97 + k) for k in range(x.ndim + y.ndim)]
    of_x, of_y = letters[: x.ndim], letters[x.ndim :]
    of_y[0] = of_x[0]
    for a, b in zip(left, right, strict=True):
        of_y[b] = of_x[a]
    out = [c for k, c in enumerate(of_x) if k not in left] + [
        c for k, c in enumerate(of_y) if k and k not in right
    ]
    return T.einsum(f"{''.join(of_x)},{''.join(of_y)}->{''.join(out)}", x, y)


# ------------------------------------------------------------------------------------------- softmax, special


def _over_all(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function along an axis, which with None takes all elements as one row."""

    def along(c: Any, axis: int | None = None) -> Any:
        x = T.as_tensor_variable(c)
        if axis is not None or x.ndim == 0:
            return function(x, axis=axis) if x.ndim else function(T.shape_padleft(x), axis=0)[0]
        return T.reshape(function(T.flatten(x), axis=0), x.shape, ndim=x.ndim)

    along.__name__ = along.__qualname__ = function.__name__
    along.__doc__ = function.__doc__
    return along


def xlog1py(x: Any, y: Any) -> Any:
    """x log(1 + y), and 0 where x is 0."""
    x = T.as_tensor_variable(x)
    return T.switch(T.eq(x, 0), T.zeros_like(x), x * T.log1p(y))


def betaln(a: Any, b: Any) -> Any:
    """Logarithm of the beta function."""
    return T.gammaln(a) + T.gammaln(b) - T.gammaln(T.as_tensor_variable(a) + b)


SPECIAL: dict[str, Any] = {
    "softmax": _over_all(T.softmax),
    "log_softmax": _over_all(T.log_softmax),
    "xlog1py": xlog1py,
    "betaln": betaln,
    "beta": lambda a, b: T.exp(betaln(a, b)),
    "factorial": lambda n: T.gamma(T.as_tensor_variable(n) + 1),
    "poch": lambda z, m: T.gamma(T.as_tensor_variable(z) + m) / T.gamma(z),
}

# ----------------------------------------------------------------------------------------------- what graphs know


def constant_or_error(
    v: Any,
    elemwise: bool = True,
    only_process_constants: bool = False,
    max_recur: int = 10,
    raise_not_constant: bool = True,
) -> Any:
    """``get_scalar_constant_value``, which gives the variable itself where it is told not to raise."""
    try:
        return T.get_scalar_constant_value(v)
    except T.NotScalarConstantError:
        if raise_not_constant:
            raise
        return v


def underlying_constant(v: Any, *, raise_not_constant: bool = True, **_: Any) -> Any:
    """The number that all elements of a graph of constants have, whatever their shape."""
    variable = T.as_tensor_variable(v)
    if any(not isinstance(x, Constant) for x in graph_inputs([variable])):
        return constant_or_error(v, raise_not_constant=raise_not_constant)
    value = variable.eval(mode="reference")
    if value.size and (value == value.flat[0]).all():
        return np.asarray(value.flat[0])
    if raise_not_constant:
        raise T.NotScalarConstantError(f"the elements of {variable} differ")
    return v


def all_close(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> bool:
    """True for two arrays that are equal but for rounding of their dtype."""
    a, b = np.asarray(a), np.asarray(b)
    near = 1e-3 if "float32" in (a.dtype, b.dtype) else 1e-5
    return bool(np.allclose(a, b, rtol=rtol or near, atol=atol or near))


def values_eq_approx(
    a: Any,
    b: Any,
    allow_remove_inf: bool = False,
    allow_remove_nan: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> bool:
    """True for two arrays of one dtype and shape that are equal but for rounding."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    near = 1e-5 if a.dtype.itemsize >= 8 else 1e-4
    return bool(np.allclose(a, b, rtol=rtol or near, atol=atol or near, equal_nan=True))


# ------------------------------------------------------------------------------------------------------ convolutions


def convolve1d(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """``signal.convolve1d`` along the last axes; "same" is as long as the first operand."""
    a, b = T.as_tensor_variable(in1), T.as_tensor_variable(in2)
    if a.ndim > 1 or b.ndim > 1:
        return vectorize(functools.partial(convolve1d, mode=mode), "(n),(m)->(k)")(a, b)
    if mode != "same":
        return T.convolve(a, b, mode)
    first = (b.shape[0] - 1) // 2
    return T.convolve(a, b)[first : first + a.shape[0]]


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0, **_: Any
) -> Any:
    """``signal.convolve2d`` of two matrices, with zeros around them."""
    a, b = T.as_tensor_variable(in1), T.as_tensor_variable(in2)
    if boundary != "fill" or fillvalue != 0:
        raise ArgumentError(f"convolve2d: the boundary {boundary!r} is not there", needs="'fill' with 0")
    whole = T.signal.conv.conv2d(a, b, border_mode="valid" if mode == "valid" else "full")
    if mode != "same":
        return whole
    rows, columns = ((b.shape[k] - 1) // 2 for k in (0, 1))
    return whole[rows : rows + a.shape[0], columns : columns + a.shape[1]]


SIGNAL: dict[str, Any] = {"convolve1d": convolve1d, "convolve2d": convolve2d}
NUMBERS = {name: getattr(np, name) for name in ("e", "euler_gamma", "inf", "nan", "newaxis", "pi")}
TENSOR: dict[str, Any] = {
    **{
        name: OLD_TENSOR[name]
        for name in ("get_vector_length", "horizontal_stack", "vertical_stack", "NoneConst")
    },
    **{
        name: OLD_TENSOR[name]
        for name in ("extract_diag", "second", "largest", "smallest", "extract_constant")
    },
    **{name: thing for name, thing in OLD_TENSOR.items() if name.endswith("_dtypes")},
    **{name: renamed(getattr(T, name), words) for name, words in PARAMETERS.items()},
    **NUMBERS,
    **SPECIAL_FUNCTIONS,
    **{name: thing for name, thing in OLD_TENSOR.items() if name.startswith("_convert_to_")},
    "_allclose": all_close,
    "atleast_1d": functools.partial(atleast_Nd, n=1),
    "atleast_2d": functools.partial(atleast_Nd, n=2),
    "atleast_3d": functools.partial(atleast_Nd, n=3),
    "as_tensor": as_tensor_variable,
    "as_tensor_variable": as_tensor_variable,
    "atleast_Nd": atleast_Nd,
    "batched_tensordot": batched_tensordot,
    "ceil_intdiv": ceil_intdiv,
    "concat_with_broadcast": concat_with_broadcast,
    "conjugate": T.conj,
    "dense_dot": T.dot,
    "geomspace": geomspace,
    "get_scalar_constant_value": constant_or_error,
    "get_underlying_scalar_constant_value": underlying_constant,
    "iround": iround,
    "is_flat": lambda var, ndim=1: var.ndim == ndim,
    "join_dims": join_dims,
    "linspace": linspace,
    "log1pexp": T.softplus,
    "logspace": logspace,
    "logaddexp": _every(T.logaddexp),
    "matmul": _cast_after(T.matmul),
    "matrix_transpose": matrix_transpose,
    "matvec": _cast_after(matvec),
    "pack": pack,
    "round": rounded,
    "specify_shape": OLD_TENSOR["specify_shape"],
    "shape_tuple": shape_tuple,
    "slice_at_axis": slice_at_axis,
    "split_dims": split_dims,
    "take": take,
    "take_along_axis": lambda arr, indices, axis=0: T.take_along_axis(arr, indices, axis),
    "tensor": make_tensor,
    "transfer": lambda var, target=None: var,
    "tri_gamma": T.trigamma,
    "unpack": unpack,
    "values_eq_approx": values_eq_approx,
    "values_eq_approx_remove_inf": values_eq_approx,
    "values_eq_approx_remove_nan": values_eq_approx,
    "values_eq_approx_remove_inf_nan": values_eq_approx,
    "values_eq_approx_always_true": lambda a, b: True,
    "vecdot": _cast_after(T.vecdot),
    "vecmat": _cast_after(vecmat),
    "vectorize": vectorize,
    "where": where,
}
