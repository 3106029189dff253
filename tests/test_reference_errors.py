"""What the lines ``Errors`` of the reference say is what the functions do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, DTypeError, LinAlgError, RankError, ShapeError
from eqsat.graph.declare import OPS, DeclaredOp

x, v, s, z = T.dmatrix("x"), T.dvector("v"), T.dscalar("s"), T.zmatrix("z")
two, three, wide = T.tensor("float64", (2,)), T.tensor("float64", (3,)), T.tensor("float64", (2, 3))
AXIS = """argsort cumsum cumprod cummax cummin logcumsumexp sort flip all any max min argmax argmin sum prod mean var std max_and_argmax
    prod_without_zeros softmax log_softmax logsumexp count_nonzero nansum nanmax nanmean nanvar"""
REAL = """softmax log_softmax logsumexp elu selu gelu silu softsign mish logit log_sigmoid hard_sigmoid
    ultra_fast_sigmoid isposinf isneginf deg2rad rad2deg trigamma"""
ELEMENTWISE = [
    n
    for n in T.__all__
    if isinstance(getattr(T, n), DeclaredOp) and getattr(T, n).declaration.kind == "elemwise"
]
Case = tuple[type[Exception], Callable[[], Any]]
CASES: dict[str, Case] = {
    "divmod of complex": (DTypeError, lambda: T.divmod(z, z)),
    "argtopk axis": (AxisError, lambda: T.argtopk(x, 1, axis=4)),
    "topk axis": (AxisError, lambda: T.topk(x, 1, axis=4)),
    "topk of none": (ArgumentError, lambda: T.topk(x, 0)),
    "array_split axis": (AxisError, lambda: T.array_split(x, 2, axis=4)),
    "append of ranks": (RankError, lambda: T.append(x, v, axis=0)),
    "append axis": (AxisError, lambda: T.append(x, x, axis=4)),
    "broadcast_arrays": (ShapeError, lambda: T.broadcast_arrays(three, two)),
    "broadcast_shape": (ShapeError, lambda: T.broadcast_shape(three, two)),
    "broadcast_shapes": (ShapeError, lambda: T.broadcast_shapes((3,), (2,))),
    "broadcast_to length": (ShapeError, lambda: T.broadcast_to(three, (2,))),
    "broadcast_to rank": (RankError, lambda: T.broadcast_to(x, (2,))),
    "dsplit": (RankError, lambda: T.dsplit(x, 2)),
    "vsplit": (RankError, lambda: T.vsplit(v, 2)),
    "join axis": (AxisError, lambda: T.join(4, x, x)),
    "join of ranks": (RankError, lambda: T.join(0, x, v)),
    "join lengths": (ShapeError, lambda: T.join(0, wide, wide.T)),
    "patternbroadcast": (RankError, lambda: T.patternbroadcast(x, (True,))),
    "roll axis": (AxisError, lambda: T.roll(x, 1, axis=5)),
    "rollaxis": (AxisError, lambda: T.rollaxis(x, 5)),
    "swapaxes": (AxisError, lambda: T.swapaxes(x, 0, 5)),
    "tril of a scalar": (RankError, lambda: T.tril(s)),
    "triu of a scalar": (RankError, lambda: T.triu(s)),
    "tril_indices_from": (RankError, lambda: T.tril_indices_from(v)),
    "triu_indices_from": (RankError, lambda: T.triu_indices_from(v)),
    "matrix_dot": (ShapeError, lambda: T.linalg.matrix_dot(wide, wide)),
    "get_conv_output_shape": (
        ArgumentError,
        lambda: T.nnet.abstract_conv.get_conv_output_shape((1, 1, 3, 3), (1, 1, 2, 2), "bad", (1, 1)),
    ),
    "max_pool_2d_same_size rank": (RankError, lambda: T.signal.pool.max_pool_2d_same_size(v, (2, 2))),
    "max_pool_2d_same_size patch": (ArgumentError, lambda: T.signal.pool.max_pool_2d_same_size(x, (0, 2))),
    "pool_3d": (RankError, lambda: T.signal.pool.pool_3d(x, (2, 2, 2))),
    "tensor dtype": (DTypeError, lambda: T.tensor("nope")),
    "transpose": (AxisError, lambda: T.transpose(x, (0, 5))),
    "specify_shape rank": (RankError, lambda: T.specify_shape(x, (3,))),
    "specify_shape length": (ShapeError, lambda: T.specify_shape(three, (2,))),
    "addbroadcast axis": (AxisError, lambda: T.addbroadcast(x, 5)),
    "addbroadcast length": (ShapeError, lambda: T.addbroadcast(three, 0)),
    "unbroadcast": (AxisError, lambda: T.unbroadcast(x, 5)),
    "flatten": (AxisError, lambda: T.flatten(x, 3)),
    "zeros": (DTypeError, lambda: T.zeros((1.5,))),
    "batched_dot": (RankError, lambda: T.batched_dot(s, s)),
    "as_tensor of another type": (ArgumentError, lambda: T.as_tensor(eqsat.generic("g"))),
    "as_tensor of text": (DTypeError, lambda: T.as_tensor("text")),
    "constant of a variable": (ArgumentError, lambda: T.constant(x)),
    "constant dtype": (DTypeError, lambda: T.constant(300, dtype="int8")),
    "constant ndim": (RankError, lambda: T.constant([[1]], ndim=1)),
    "as_tensor_variable": (RankError, lambda: T.as_tensor_variable(x, ndim=1)),
    "cast to an unknown dtype": (DTypeError, lambda: T.cast(x, "nope")),
    "cast of complex": (DTypeError, lambda: T.cast(z, "float64")),
    "shared of a variable": (ArgumentError, lambda: eqsat.shared(x)),
    "shared of text": (DTypeError, lambda: eqsat.shared("a")),
    "sum accumulator": (DTypeError, lambda: T.sum(v, acc_dtype="int64")),
    "mean accumulator": (DTypeError, lambda: T.mean(v, acc_dtype="int64")),
    "left_shift of floats": (DTypeError, lambda: T.left_shift(v, v)),
    "nnet.softmax of a scalar": (RankError, lambda: T.nnet.softmax(s)),
    "nnet.softmax of complex": (DTypeError, lambda: T.nnet.softmax(z)),
    "softmax_with_bias": (RankError, lambda: T.nnet.softmax_with_bias(v, v)),
    "binary_crossentropy": (DTypeError, lambda: T.nnet.binary_crossentropy(z, z)),
    "sigmoid_binary_crossentropy": (DTypeError, lambda: T.nnet.sigmoid_binary_crossentropy(z, z)),
    "qr mode": (ArgumentError, lambda: T.linalg.qr(x, mode="bad")),
    "svd of NaN": (LinAlgError, lambda: T.linalg.svdvals(np.full((2, 2), np.nan)).eval(mode="reference")),
    "cho_solve": (ShapeError, lambda: T.linalg.cho_solve((wide.T, True), two)),
    "lstsq": (ShapeError, lambda: T.linalg.lstsq(wide, three)),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_that_are_said(case: str) -> None:
    kind, call = CASES[case]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind


@pytest.mark.parametrize("name", AXIS.split())
def test_an_axis_that_is_not_there(name: str) -> None:
    with pytest.raises(AxisError):
        getattr(T, name)(x, axis=5)


@pytest.mark.parametrize("name", REAL.split())
def test_complex_numbers_are_refused(name: str) -> None:
    with pytest.raises(DTypeError):
        getattr(T, name)(z)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "max_and_argmax"])
def test_nothing_has_no_extreme(name: str) -> None:
    found = getattr(T, name)(v)
    with pytest.raises(ShapeError):
        (found[0] if isinstance(found, tuple) else found).eval({v: np.zeros(0)}, mode="reference")


@pytest.mark.parametrize(
    "name", ["det", "slogdet", "expm", "eig", "eigvals", "eigh", "eigvalsh", "inv", "cholesky"]
)
def test_square_matrices_are_asked_for(name: str) -> None:
    function = getattr(T.linalg, name)
    with pytest.raises(RankError):
        function(v)
    with pytest.raises(ShapeError):
        function(wide)


@pytest.mark.parametrize(
    "name",
    ["det", "slogdet", "expm", "lu", "lu_factor", "qr", "svd", "svdvals", "pinv", "matrix_rank", "cholesky"],
)
def test_factors_of_complex_matrices_are_refused(name: str) -> None:
    with pytest.raises(RankError):
        getattr(T.linalg, name)(v)
    said = re.search(r"^ *Errors .*(\n {13}.*)*", getattr(T.linalg, name).__doc__, re.M)
    if said and "DTypeError" in said[0]:
        with pytest.raises(DTypeError):
            getattr(T.linalg, name)(z)


@pytest.mark.parametrize("name", sorted(set(ELEMENTWISE)))
def test_generated_errors_of_elementwise_ops(name: str) -> None:
    op = getattr(T, name)
    declared = OPS[op.name]
    takes = "c" in declared.signature or (isinstance(declared.c, dict) and "complex" in declared.c)
    operands: list[Any] = [T.zvector()] * len(declared.tensors)
    if "?" in declared.signature.partition("->")[0]:
        operands[0] = T.vector(dtype="bool")
    if takes:
        op(*operands)
    else:
        with pytest.raises(DTypeError):
            op(*operands)
    if len(operands) > 1:
        with pytest.raises(ShapeError):
            op(*[T.tensor("int64", (3,))] * (len(operands) - 1), T.tensor("int64", (2,)))


def test_an_op_has_the_docstring_of_its_declaration() -> None:
    assert T.exp.__doc__ == OPS["exp"].doc
