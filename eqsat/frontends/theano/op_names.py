"""The op classes of Theano: ``isinstance`` says which ops of eqsat they stand for, and a call makes a function.

>>> import eqsat.tensor as T
>>> x = T.dmatrix("x")
>>> isinstance(T.dot(x, x).owner.op, OPS["Dot"])
True
>>> OPS["Sum"](axis=0)(x).ndim
1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat import tensor
from eqsat.errors import ArgumentError
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.modifiers import disconnect_gradient, zero_gradient

T: Any = tensor


class OldClass(type):
    """A class without instances of its own: ``names`` are ops or kinds of ops, ``make`` what a call gives."""

    names: frozenset[str]
    make: Any

    def __instancecheck__(cls, thing: Any) -> bool:
        if not isinstance(thing, DeclaredOp):
            return False
        return thing.name in cls.names or thing.declaration.kind in cls.names

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if cls.make is None:
            raise ArgumentError(
                f"the op class {cls.__name__} of Theano makes nothing in eqsat",
                hint="the function of eqsat.tensor that computes it",
            )
        return cls.make[0](*args, **options)


def old(name: str, names: str = "", make: Callable[..., Any] | None = None) -> Any:
    """A class of Theano for the ops of eqsat in ``names``."""
    members = {"names": frozenset(names.split()), "make": None if make is None else (make,)}
    return OldClass(name, (), members)


def _elemwise(scalar_op: Any, *_: Any, **__: Any) -> Any:
    return scalar_op


def _dimshuffle(pattern: Any, order: Any, inplace: bool = True) -> Any:
    return lambda x: T.as_tensor_variable(x).dimshuffle(*order)


def _fold(scalar_op: Any, axis: Any = None, **_: Any) -> Any:
    """``CAReduce(scalar_op, axis)``: the reduction of x by an op."""
    folds = {
        T.add: T.sum,
        T.mul: T.prod,
        T.maximum: T.max,
        T.minimum: T.min,
        T.and_: T.all,
        T.or_: T.any,
    }
    return lambda x: folds[scalar_op](x, axis)


def _reduction(function: Any) -> Callable[..., Any]:
    def make(axis: Any = None, dtype: Any = None, acc_dtype: Any = None, **_: Any) -> Any:
        named = {"dtype": dtype, "acc_dtype": acc_dtype}
        options = {name: value for name, value in named.items() if value is not None}
        return lambda x: function(x, axis, **options)

    return make


def _with(function: Any) -> Callable[..., Any]:
    """A maker whose parameters follow the operands, as in ``RepeatOp(axis)(x, repeats)``."""
    return lambda *options, **named: lambda *operands: function(*operands, *options, **named)


def _cumulate(axis: Any = None, mode: str = "add") -> Any:
    return lambda x: (T.cumsum if mode == "add" else T.cumprod)(x, axis)


def _diagonal(offset: int = 0, axis1: int = 0, axis2: int = 1, view: bool = False) -> Any:
    return lambda x: T.diagonal(x, offset, axis1, axis2)


def _reshape(ndim: int, name: str | None = None) -> Any:
    return lambda x, shape: T.reshape(x, shape, ndim=ndim)


def _unique(*which: Any, **named: Any) -> Any:
    def found(x: Any, return_list: bool = False) -> Any:
        results = T.unique(x, *which, **named)
        return [results] if return_list and not isinstance(results, (list, tuple)) else results

    return found


def _fit(pattern: Any = None, **_: Any) -> Any:
    return lambda *operands: T.specify_shape(*operands)


def _filled(dtype: Any) -> Any:
    return lambda *lengths: T.empty(lengths, dtype=dtype)


def advanced_subtensor1(x: Any, index: Any) -> Any:
    """The rows of x that a vector of indices names."""
    return T.as_tensor_variable(x)[index]


def _rows_written(inplace: bool = False, set_instead_of_inc: bool = False) -> Callable[..., Any]:
    """``AdvancedIncSubtensor1``: rows of x, which a vector of indices names, set to y or with y added."""
    write = T.set_subtensor if set_instead_of_inc else T.inc_subtensor
    return lambda x, y, index: write(advanced_subtensor1(x, index), y)


def _parts_written(inplace: bool = False, set_instead_of_inc: bool = False, **_: Any) -> Callable[..., Any]:
    """``AdvancedIncSubtensor``: the part of x at some indices set to y or with y added."""
    write = T.set_subtensor if set_instead_of_inc else T.inc_subtensor
    return lambda x, y, *indices: write(T.as_tensor_variable(x)[indices], y)


def _vector(dtype: Any = "int64") -> Callable[..., Any]:
    """``MakeVector(dtype)``: scalars as a vector."""
    return lambda *scalars: T.cast(T.stack(scalars), dtype) if scalars else T.zeros((0,), dtype)


def _pool(ignore_border: bool = True, mode: str = "max", ndim: int = 2, **_: Any) -> Callable[..., Any]:
    """``Pool(ignore_border, mode, ndim)`` of x, the lengths of windows, steps and padding."""
    from eqsat.tensor.signal import pool

    call = pool.pool_3d if ndim == 3 else pool.pool_2d
    return lambda x, ws, stride=None, pad=None: call(
        x, ws=tuple(ws), ignore_border=ignore_border, stride=stride, pad=pad or (0,) * ndim, mode=mode
    )


def _same(function: Any) -> Callable[..., Any]:
    """A maker that ignores what it is given."""
    return lambda *_, **__: function


SUBSCRIPT = "subtensor gather nonzero"
WRITE = "set_part set_rows add_rows scatter"
OPS: dict[str, Any] = {
    made.__name__: made
    for made in (
        old("Elemwise", "elemwise", _elemwise),
        old("CAReduce", "reduce", _fold),
        old("CAReduceDtype", "reduce", _fold),
        old("DimShuffle", "dimshuffle", _dimshuffle),
        old("Sum", "sum", _reduction(T.sum)),
        old("Prod", "prod", _reduction(T.prod)),
        old("ProdWithoutZeros", "", _reduction(T.prod_without_zeros)),
        old("All", "all", _reduction(T.all)),
        old("Any", "any", _reduction(T.any)),
        old("Max", "max", _reduction(T.max)),
        old("Mean", "", _reduction(T.mean)),
        old("MaxAndArgmax", "max_and_argmax", _reduction(T.max_and_argmax)),
        old("Argmax", "argmax", _reduction(T.argmax)),
        old("Dot", "dot matmul", _same(T.dot)),
        old("BatchedDot", "batched_dot", _same(T.batched_dot)),
        old("Dot22", "dot matmul"),
        old("Gemm", "dot matmul"),
        old("Gemv", "dot matmul"),
        old("Ger"),
        old("Subtensor", "subtensor"),
        old("AdvancedSubtensor", SUBSCRIPT.replace("subtensor ", "")),
        old("AdvancedSubtensor1", "gather", _same(advanced_subtensor1)),
        old("IncSubtensor", "set_part"),
        old("AdvancedIncSubtensor", WRITE, _parts_written),
        old("AdvancedIncSubtensor1", "set_rows add_rows", _rows_written),
        old("Alloc", "alloc", _same(T.alloc)),
        old("AllocEmpty", "alloc", _filled),
        old("ARange", "arange", lambda dtype: lambda *bounds: T.arange(*bounds, dtype=dtype)),
        old("Eye", "set_diagonal", lambda dtype=None: lambda *sizes: T.eye(*sizes, dtype=dtype)),
        old("Tri", "", lambda dtype=None: lambda *sizes: T.tri(*sizes, dtype=dtype)),
        old("Join", "concatenate", _same(T.join)),
        old("Split", "subtensor", lambda n: lambda x, axis, sizes: T.split(x, sizes, n, axis)),
        old("Reshape", "reshape", _reshape),
        old("Shape", "make_vector", _same(T.shape)),
        old("Shape_i", "length", lambda i: lambda x: T.shape(x)[i]),
        old("SpecifyShape", "specify_shape", _fit),
        old("Rebroadcast", "specify_shape", T.Rebroadcast),
        old("MakeVector", "make_vector", _vector),
        old("Assert", "assertion", T.Assert),
        old("Tile", "", lambda ndim: lambda x, reps: T.tile(x, reps, ndim)),
        old("Choose", "", _with(T.choose)),
        old("PermuteRowElements", "", _same(T.permute_row_elements)),
        old("ExtractDiag", "diagonal", _diagonal),
        old("CumOp", "cumsum cumprod", _cumulate),
        old("DiffOp", "", lambda n=1, axis=-1: lambda x: T.diff(x, n, axis)),
        old("RepeatOp", "", lambda axis=None: lambda x, repeats: T.repeat(x, repeats, axis)),
        old("Bartlett", "", _same(T.bartlett)),
        old("FillDiagonal", "set_diagonal", _same(T.fill_diagonal)),
        old("FillDiagonalOffset", "set_diagonal", _same(T.fill_diagonal_offset)),
        old(
            "SearchsortedOp",
            "searchsorted",
            lambda side="left": lambda *xs: T.searchsorted(*xs[:2], side, *xs[2:]),
        ),
        old("Unique", "", _unique),
        old("UnravelIndex", "", lambda order="C": lambda i, shape: T.unravel_index(i, shape, order=order)),
        old(
            "RavelMultiIndex",
            "",
            lambda mode="raise", order="C": lambda *xs: T.ravel_multi_index(xs[:-1], xs[-1], mode, order),
        ),
        old("CpuContiguous", "", _same(T.tensor_copy)),
        old("SortOp", "sort", lambda kind=None, order=None: lambda x, axis=-1: T.sort(x, axis)),
        old("ArgSortOp", "argsort", lambda kind=None, order=None: lambda x, axis=-1: T.argsort(x, axis)),
        old("TopKOp"),
        old("MatrixInverse", "inv", _same(T.linalg.inv)),
        old("MatrixPinv", "pinv", _same(T.linalg.pinv)),
        old("Det", "det", _same(T.linalg.det)),
        old("Eigh", "eigh", lambda UPLO="L": lambda x: T.linalg.eigh(x, UPLO)),
        old("Eig", "eig"),
        old("SVD", "svd"),
        old("Cholesky", "cholesky", lambda lower=True, **_: lambda x: T.linalg.cholesky(x, lower=lower)),
        old("Solve", "solve solve_triangular"),
        old("Eigvalsh", "eigvalsh"),
        old("SoftmaxWithBias", "softmax"),
        old("Softmax", "softmax", _same(T.softmax)),
        old("Pool", "pool_max pool_sum", _pool),
        old("BaseConv2dMM"),
        old("Scan"),
        old("ScalarOp"),
        old("GpuOp"),
        old("HostFromGpu"),
        old("GpuFromHost"),
        old("GradClip", "clip_gradient"),
        old("GradScale", "scale_gradient"),
        old("ZeroGrad", "zero_gradient"),
        old("ConsiderConstant", "zero_gradient"),
        old("DisconnectedGrad", "disconnect_gradient"),
        old("UndefinedGrad"),
        old("DeepCopyOp"),
        old("ViewOp"),
    )
}


OPS |= {  # ops that older modules hold ready made
    "advanced_subtensor": lambda x, *indices: T.as_tensor_variable(x)[indices],
    "advanced_subtensor1": advanced_subtensor1,
    "advanced_inc_subtensor": _parts_written(),
    "advanced_set_subtensor": _parts_written(set_instead_of_inc=True),
    "advanced_inc_subtensor1": _rows_written(),
    "advanced_set_subtensor1": _rows_written(set_instead_of_inc=True),
    "make_vector": lambda *scalars: T.stack(scalars) if scalars else T.zeros((0,), "int64"),
    "assert_op": T.assert_op,
    "zero_grad_": zero_gradient,
    "consider_constant_": zero_gradient,
    "disconnected_grad_": disconnect_gradient,
    "cpu_contiguous": T.tensor_copy,
}


def node_ops(f: Any) -> list[Any]:
    """The ops that a function runs, in order."""
    return [node.op for node in f.maker.fgraph.toposort()]
