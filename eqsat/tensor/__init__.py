"""The NumPy-like surface: constructors, functions and classes for tensor expressions."""

from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING
from typing import Any as _Any

from eqsat.base.names import late_names as _late_names
from eqsat.graph.constant import as_tensor, constant
from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable
from eqsat.graph.ops.assertion import Assert, assert_op
from eqsat.graph.ops.assume import assume
from eqsat.graph.ops.bessel import i0, i1, j0, j1
from eqsat.graph.ops.common_divisors import gcd, lcm
from eqsat.graph.ops.complex import angle, complex, complex_from_polar, conj, imag, real
from eqsat.graph.ops.create import alloc, arange, ones, ones_like, zeros, zeros_like
from eqsat.graph.ops.diagonal import diagonal
from eqsat.graph.ops.elemwise import (
    abs,
    add,
    and_,
    ceil,
    cos,
    erf,
    exp,
    expm1,
    fill,
    floor,
    floordiv,
    invert,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    or_,
    pow,
    reciprocal,
    sigmoid,
    sign,
    sin,
    softplus,
    sqr,
    sqrt,
    sub,
    switch,
    tanh,
    truediv,
    xor,
)
from eqsat.graph.ops.linalg import batched_dot
from eqsat.graph.ops.mask import nonzero
from eqsat.graph.ops.matmul import matmul
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.rounding import (
    cbrt,
    copysign,
    exp2,
    fmod,
    isfinite,
    round_half_away_from_zero,
    round_half_to_even,
    signbit,
    trunc,
)
from eqsat.graph.ops.scipy_special import (
    betainc,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    hyp2f1,
    iv,
    ive,
    jv,
    kv,
    kve,
    ndtri_exp,
    owens_t,
    yv,
)
from eqsat.graph.ops.shape import dimshuffle, shape, shape_padleft, shape_padright, transpose
from eqsat.graph.ops.special import (
    digamma,
    erfc,
    erfcinv,
    erfcx,
    erfinv,
    exp_over_erfc,
    gamma,
    gammaln,
    log1mexp,
    log_cosh,
    log_erfc,
    log_ndtr,
    log_softplus,
    logaddexp,
    ndtr,
    polygamma,
    xlogy,
)
from eqsat.graph.ops.specify import addbroadcast, specify_shape, unbroadcast
from eqsat.graph.ops.subscript import inc_subtensor, set_subtensor
from eqsat.graph.ops.trigonometry import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cosh,
    hypot,
    sinc,
    sinh,
    tan,
)
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import as_op, generic, wrap_py
from eqsat.tensor import basic, linalg, xlogx
from eqsat.tensor.activation import (
    elu,
    gelu,
    hard_sigmoid,
    log_sigmoid,
    logit,
    mish,
    relu,
    selu,
    silu,
    softsign,
    ultra_fast_sigmoid,
)
from eqsat.tensor.array_api import cumulative_prod, cumulative_sum, matvec, unstack, vecmat
from eqsat.tensor.bits import bit_count, bitcast, nextafter
from eqsat.tensor.comparing import (
    array_equal,
    corrcoef,
    cov,
    polyval,
    select,
)
from eqsat.tensor.constructors import constructors as _constructors
from eqsat.tensor.constructors import tensor
from eqsat.tensor.conversion import as_tensor_variable, cast
from eqsat.tensor.creation import (
    bartlett,
    blackman,
    empty,
    empty_like,
    full,
    full_like,
    geomspace,
    hamming,
    hanning,
    indices,
    linspace,
    logspace,
    meshgrid,
    mgrid,
    ogrid,
    vander,
)
from eqsat.tensor.cumulative import (
    convolve,
    cummax,
    cummin,
    cumprod,
    cumsum,
    diff,
    ediff1d,
    interp,
    logcumsumexp,
    trapezoid,
)
from eqsat.tensor.diagonals import (
    AllocDiag,
    alloc_diag,
    diag,
    diagflat,
    eye,
    fill_diagonal,
    fill_diagonal_offset,
    identity,
    identity_like,
    tri,
    tril,
    tril_indices,
    tril_indices_from,
    triu,
    triu_indices,
    triu_indices_from,
)
from eqsat.tensor.editing import (
    argpartition,
    block,
    correlate,
    delete,
    fmax,
    fmin,
    gradient,
    insert,
    partition,
    sliding_window_view,
)
from eqsat.tensor.einsum import einsum
from eqsat.tensor.elementwise import (
    allclose,
    around,
    clip,
    deg2rad,
    divmod,
    heaviside,
    iround,
    isclose,
    isneginf,
    isposinf,
    left_shift,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    nan_to_num,
    rad2deg,
    right_shift,
    round,
    trigamma,
)
from eqsat.tensor.indexing import (
    argwhere,
    choose,
    compress,
    extract,
    flatnonzero,
    inverse_permutation,
    ix_,
    nonzero_values,
    permute_row_elements,
    put_along_axis,
    ravel_multi_index,
    take,
    take_along_axis,
    unravel_index,
)
from eqsat.tensor.joining import (
    append,
    array_split,
    column_stack,
    concatenate,
    dsplit,
    dstack,
    hsplit,
    hstack,
    join,
    split,
    stack,
    stacklists,
    vsplit,
    vstack,
)
from eqsat.tensor.learning import huber, leaky_relu, one_hot, segment_sum, top_k
from eqsat.tensor.nan_statistics import (
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmedian,
    nanpercentile,
    nanquantile,
)
from eqsat.tensor.padding import (
    pad,
)
from eqsat.tensor.phases import logaddexp2, modf, piecewise, unwrap
from eqsat.tensor.products import cross, dot, inner, kron, outer, tensordot, trace, vdot, vecdot
from eqsat.tensor.quantiles import median, percentile, quantile
from eqsat.tensor.rearrange import (
    Rebroadcast,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_shape,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    flip,
    fliplr,
    flipud,
    moveaxis,
    patternbroadcast,
    ravel,
    roll,
    rollaxis,
    rot90,
    shape_padaxis,
    size,
    specify_broadcastable,
    squeeze,
    swapaxes,
    tensor_copy,
)
from eqsat.tensor.reduction import (
    all,
    any,
    argmax,
    argmin,
    log_softmax,
    logsumexp,
    max,
    max_and_argmax,
    mean,
    min,
    mul_without_zeros,
    prod,
    prod_without_zeros,
    softmax,
    std,
    sum,
    var,
)
from eqsat.tensor.repeating import (
    repeat,
    tile,
)
from eqsat.tensor.scalars import (
    NotScalarConstantError,
    ScalarFromTensor,
    TensorFromScalar,
    get_scalar_constant_value,
    scalar_from_tensor,
    tensor_from_scalar,
)
from eqsat.tensor.sets import (
    in1d,
    intersect1d,
    isin,
    setdiff1d,
    setxor1d,
    union1d,
    unique,
)
from eqsat.tensor.shared import TensorSharedVariable, shared
from eqsat.tensor.sorting import (
    argsort,
    argtopk,
    bincount,
    digitize,
    histogram,
    lexsort,
    searchsorted,
    sort,
    to_one_hot,
    topk,
    topk_and_argtopk,
)
from eqsat.tensor.statistics import (
    average,
    count_nonzero,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    norm,
    ptp,
)
from eqsat.tensor.variable import (
    TensorConstant,
    TensorVariable,
    _tensor_py_operators,
    eq,
    ge,
    gt,
    le,
    lt,
    neq,
)

globals().update(_constructors())

abs_, sgn, square, div, true_div, int_div = abs, sign, sqr, truediv, truediv, floordiv
inv, power, where = reciprocal, pow, switch
bitwise_and, bitwise_or, bitwise_xor, bitwise_not = and_, or_, xor, invert
bitwise_left_shift, bitwise_right_shift, bitwise_invert = left_shift, right_shift, invert
asin, acos, atan, atan2 = arcsin, arccos, arctan, arctan2
asinh, acosh, atanh = arcsinh, arccosh, arctanh
psi, lgamma, xlogy0, expit, swish, fabs = digamma, gammaln, xlogy, sigmoid, silu, abs
negative, subtract, multiply, divide, floor_divide, remainder = neg, sub, mul, truediv, floordiv, mod
true_divide, absolute, fix, rint, radians, degrees = truediv, abs, trunc, round_half_to_even, deg2rad, rad2deg
equal, not_equal, less, less_equal, greater, greater_equal = eq, neq, lt, le, gt, ge
nlinalg = slinalg = linalg
trapz, get_constant_value, row_stack = trapezoid, get_scalar_constant_value, vstack


_GRADIENT = (
    *("grad", "Rop", "Lop", "jacobian", "hessian", "hessian_vector_product", "subgraph_grad", "verify_grad"),
    *("numeric_grad", "grad_clip", "grad_scale", "zero_grad", "disconnected_grad", "consider_constant"),
    *("grad_undefined", "grad_not_implemented", "pushforward", "pullback"),
    *("jacobian_vector_product", "vector_jacobian_product", "DisconnectedType"),
)


_LATER = ("fft", "nnet", "random", "signal")  # modules that are imported when they are first asked for

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...  # constructors are made from tables


_late_names(
    __name__,
    {name: f"eqsat.gradient:{name}" for name in _GRADIENT}
    | {name: f"eqsat.tensor.{name}" for name in _LATER}
    | {"ifelse": "eqsat.graph.control.ifelse:ifelse"},
)


__all__ = [  # what this module names, but its parts and its own helpers; and what it finds later
    *(
        name
        for name, thing in globals().items()
        if name[0] != "_" and name != "TYPE_CHECKING" and not isinstance(thing, _ModuleType)
    ),
    *(*_GRADIENT, "ifelse", "_tensor_py_operators"),
    *(*_LATER, "basic", "linalg", "nlinalg", "slinalg", "xlogx"),
]
