"""A declaration that contradicts itself is refused where it is made, and nothing of it stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, DeclarationError, GradientError
from eqsat.graph.declare import OPS, Reduction, elemwise, forget_op, structural
from eqsat.graph.parameters import AXES
from eqsat.verify import verify_op

SUM = Reduction("{a} + {b}", lambda dtype: 0, "+")
XOR = Reduction("{a} ^ {b}", lambda dtype: 0, "^")


def pair(x: Any, y: Any) -> Any:
    """The first of two."""
    return x + 0 * y


def folded(function: Callable[..., Any], **fields: Any) -> Any:
    """A declared reduction."""

    def meaning(x: Any, *, axes: tuple[int, ...]) -> Any:
        return function(x, axis=axes, keepdims=True)

    fields = {"signature": "x->x[axes:=1]", "parameters": {"axes": AXES}, "reduction": SUM, **fields}
    return structural("reduce", name="ours", **fields)(meaning)


ELEMENTWISE: dict[str, Any] = {
    "image": ({"image": (2, 0)}, "two numbers, the least first"),
    "gradient": ({"grad": lambda x, z, dy: dy}, "names among x, y, out, dy, op"),
    "fact": ({"facts": ("positive if x",)}, "nonneg if nonneg x"),
    "operand of a fact": ({"facts": ("nonneg if nonneg z",)}, "conditions of operands (x, y)"),
    "whole number": ({"interval": (("lo", "lo_x + 1"),)}, "1 cannot stand there"),
    "name in a bound": ({"interval": (("lo", "low_x"),)}, "low_x cannot stand there"),
    "dtype of bools": ({"of_bools": "int9"}, "which is no dtype"),
    "no bound": ({"interval": (("low", "lo_x"),)}, "lo or hi"),
}


@pytest.mark.parametrize("case", ELEMENTWISE)
def test_fields_of_elementwise_ops(case: str) -> None:
    fields, said = ELEMENTWISE[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        elemwise(signature="f,f->f", c="{x}", name="ours", **fields)(pair)
    assert said in str(caught.value) and "ours" not in OPS


BLOCKS: dict[str, Any] = {
    "text in C": ({"signature": "(n),(n)->(n)", "c": "{x}"}, "a function of (w, op, ins, out)"),
    "no type": ({}, "signature=, as (n,k)->(n), or infer="),
    "dtypes": ({"signature": "(n),(n)->(n)", "dtypes": "f->f"}, "2 operands (x, y)"),
    "signature": ({"signature": "(n)->(n)"}, "for 1 operand and 1 result"),
    "gradient": ({"signature": "(n),(n)->(n)", "grad": lambda x, dy: [dy]}, "grad(op, inputs, output, dy)"),
    "parameters": ({"signature": "(n),(n)->(n)", "parameters": {"axes": AXES}}, "def f(x, *, axes)"),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_fields_of_blocks(case: str) -> None:
    fields, said = BLOCKS[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        structural("block", name="ours", **fields)(pair)
    assert said in str(caught.value) and "ours" not in OPS


REDUCTIONS: dict[str, Any] = {
    "length": (lambda x, **k: np.sqrt(np.square(x).sum(**k)), {}, "of the one element -3.0 it gives 3.0"),
    "magnitude": (
        lambda x, **k: np.abs(x).sum(**k),
        {"reduces": "add"},
        "of the one element -3.0 it gives 3.0",
    ),
    "mean": (np.mean, {"reduces": "add"}, "add joins the rows"),
    "halved parts": (lambda x, **k: x.sum(**k) / 2 ** (x.size > 1), {}, "of the results of rows"),
    "unknown": (np.sum, {"reduces": "added"}, "declared before"),
    "unary": (np.sum, {"reduces": "neg"}, "an op of two operands"),
}


@pytest.mark.parametrize("case", REDUCTIONS)
def test_what_is_no_reduction(case: str) -> None:
    function, fields, said = REDUCTIONS[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        folded(function, **fields)
    assert said in str(caught.value) and "ours" not in OPS


def test_reductions_that_are_taken() -> None:
    for fields in ({"dtypes": "f->f"}, {"dtypes": "?->?", "reduces": "xor", "reduction": XOR}):
        folded(np.logical_xor.reduce if "reduces" in fields else np.max, **fields)
        forget_op("ours")


def test_whole_numbers_bound_a_result() -> None:
    op = elemwise(signature="f->f", c="{x} * {x}", name="ours", image=(0, np.inf))(lambda x: x * x)
    try:
        x = T.dvector("x")
        assert list(map(type, op.declaration.image)) == [float, float]
        assert str(eqsat.optimize(T.abs(op(x))).optimized[0]) == "ours(x)"
    finally:
        forget_op("ours")


@pytest.mark.parametrize("given", [(-1,), None, 1, ("x",), [0]])
def test_axes_of_a_reduction_are_a_tuple_counted_from_0(given: Any) -> None:
    ours = reduction_of_ours()
    forget_op("ours")
    with pytest.raises(ArgumentError, match=r"ours: axes is .*\n  needs  a tuple of axes counted from 0"):
        ours(T.dmatrix("x"), axes=given)


def test_axes_that_the_operand_lacks_and_parameters_that_are_open() -> None:
    op = reduction_of_ours()
    try:
        with pytest.raises(AxisError, match=r"ours\{\(5\)\}: the operand lacks an axis of these\n  x "):
            op(T.dmatrix("x"), axes=(5,))
        with pytest.raises(DeclarationError, match=r"try  verify_op\(ours.bind\(axes=...\)\)"):
            verify_op(op)
    finally:
        forget_op("ours")


def reduction_of_ours() -> Any:
    return folded(np.sum, reduces="add")


def test_what_openmp_and_c_do_not_take() -> None:
    with pytest.raises(DeclarationError, match="'/' is no operator of an OpenMP reduction"):
        Reduction("{a} + {b}", lambda dtype: 0, "/")
    with pytest.raises(DeclarationError, match=r"C text of \{a\} and \{b\} alone"):
        Reduction("fmin{f}({a}, {b})", lambda dtype: 0, "min")


LATER: dict[str, Any] = {
    "too many": (
        {"grad": lambda op, inputs, out, dy: [dy] * 3},
        "grad gives 3 gradients for 2 operands (x, y)",
    ),
    "too few": ({"grad": lambda op, inputs, out, dy: [dy]}, "grad gives 1 gradients for 2 operands (x, y)"),
}


@pytest.mark.parametrize("case", LATER)
def test_gradients_are_counted(case: str) -> None:
    fields, said = LATER[case]
    x, y = T.dvectors("x", "y")
    for declared in (
        structural("block", name="ours", signature="(n),(n)->(n)", **fields),
        elemwise(
            name="ours",
            signature="f,f->f",
            c="{x}",
            grad=lambda op, x, y, out, dy: fields["grad"](op, 0, out, dy),
        ),
    ):
        op = declared(pair)
        try:
            with pytest.raises(DeclarationError, match=re.escape(f"ours: {said}")):
                T.grad(op(x, y).sum(), x)
        finally:
            forget_op("ours")


def test_a_gradient_or_builder_that_is_missing_says_where() -> None:
    x, y = T.dvectors("x", "y")
    op = structural("block", name="ours", signature="(n),(n)->(n)", builder="matmul.ours")(pair)
    try:
        with pytest.raises(GradientError, match="give grad= in its declaration"):
            T.grad(op(x, y).sum(), x)
        with pytest.raises(DeclarationError, match=r"a function ours in eqsat/cgen/builders/matmul\.py"):
            eqsat.function([x, y], op(x, y), mode="FAST_COMPILE")
    finally:
        forget_op("ours")
