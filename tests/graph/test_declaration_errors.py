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
from eqsat.graph.parameters import AXES, AXIS
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
    "C that is no text": ({"c": 5}, "a dict of C texts by bool, int, uint, float, complex or else"),
    "C of another class": ({"c": {"floats": "{x}"}}, "a dict of C texts by bool, int, uint, float, complex"),
    "braces of C": ({"c": "{x"}, "operands in braces; other braces of C are doubled"),
    "signature that is no text": ({"signature": 7}, "text"),
    "a law of one operand": ({"power": 2.0}, "an op of 1 operand"),
    "no bound": ({"interval": (("low", "lo_x"),)}, "lo or hi"),
}


@pytest.mark.parametrize("case", ELEMENTWISE)
def test_fields_of_elementwise_ops(case: str) -> None:
    fields, said = ELEMENTWISE[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        elemwise(**{"signature": "f,f->f", "c": "{x}", "name": "ours", **fields})(pair)
    assert said in str(caught.value) and "ours" not in OPS


BLOCKS: dict[str, Any] = {
    "text in C": ({"signature": "(n),(n)->(n)", "c": "{x}"}, "a function of (w, op, ins, out)"),
    "no type": ({}, "signature=, as (n,k)->(n), or infer="),
    "dtypes": ({"signature": "(n),(n)->(n)", "dtypes": "f->f"}, "2 operands (x, y)"),
    "signature": ({"signature": "(n)->(n)"}, "for 1 operand and 1 result"),
    "signature that is no text": ({"signature": 7}, "text"),
    "axes of no parameter": ({"signature": "x,y->x[axes:=1]"}, "as parameters={'axes': AXES}"),
    "gradient": ({"signature": "(n),(n)->(n)", "grad": lambda x, dy: [dy]}, "grad(op, inputs, output, dy)"),
    "parameters": ({"signature": "(n),(n)->(n)", "parameters": {"axes": AXES}}, "def f(x, *, axes)"),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_fields_of_blocks(case: str) -> None:
    fields, said = BLOCKS[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        structural("block", name="ours", **fields)(pair)
    assert said in str(caught.value) and "ours" not in OPS


LAWS: dict[str, Any] = {
    "commutative": True,
    "associative": True,
    "idempotent": True,
    "compares": True,
    "neutral": 0.0,
    "absorbing": 0.0,
    "inverse": "sub",
    "inverse_element": "neg",
}


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_pairs_are_refused_for_one_operand(law: str) -> None:
    with pytest.raises(DeclarationError, match=rf"^ours: {law} is .*, for 1 operand \(x\)") as caught:
        elemwise(signature="f->f", c="{x}", name="ours", **{law: LAWS[law]})(lambda x: x)
    assert caught.value.needs == "an op of 2 operands" and "ours" not in OPS


PROMISED: dict[str, Any] = {
    "a shorter row": ("(n)->(n)", lambda x: x[:2], "gives [2], its declaration promises [4]"),
    "another axis": ("(n)->(n)", lambda x: x[None], "gives [1, 4], its declaration promises [?]"),
    "no axis": ("(n)->(n)", lambda x: 3.0, "gives [], its declaration promises [?]"),
    "one more": ("(n)->(n + 1)", lambda x: x, "gives [4], its declaration promises [5]"),
}


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "numpy", "reference", "DebugMode"])
@pytest.mark.parametrize("case", PROMISED)
def test_a_result_of_another_shape_than_is_promised(case: str, mode: str) -> None:
    signature, meaning, said = PROMISED[case]
    op, x = structural("block", signature=signature, dtypes="f->f", name="ours")(meaning), T.dvector("x")
    try:
        with pytest.raises(DeclarationError) as caught:
            eqsat.function([x], op(x), mode=mode)(np.ones(4))
        assert caught.value.message == f"ours: its function {said}"
        assert str(caught.value.needs) == signature
        assert "test_declaration_errors.py" in str(caught.value)
    finally:
        forget_op("ours")


def test_fewer_results_than_are_promised() -> None:
    fields: Any = {"signature": "(n)->(n),()", "dtypes": "f->f,f", "outputs": 2, "name": "ours"}
    op, x = structural("block", **fields)(lambda x: x), T.dvector("x")
    try:
        with pytest.raises(DeclarationError, match=r"^ours: its function gives array.*\n") as caught:
            op(x)[0].eval({x: [1.0, 2.0]})
        assert caught.value.needs == "2 results"
    finally:
        forget_op("ours")


GRADIENTS: dict[str, Any] = {
    "not a list": (lambda op, inputs, out, dy: dy, "grad gives "),
    "too many": (lambda op, inputs, out, dy: [dy, dy], "grad gives 2 gradients for 1 operands (x)"),
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_that_are_no_list_of_one_for_each_operand(case: str) -> None:
    grad, said = GRADIENTS[case]
    op = structural("block", signature="(n)->(n)", dtypes="f->f", grad=grad, name="ours")(lambda x: 2 * x)
    x = T.dvector("x")
    try:
        with pytest.raises(DeclarationError) as caught:
            T.grad(op(x).sum(), x)
        assert caught.value.message.startswith(f"ours: {said}")
    finally:
        forget_op("ours")


@pytest.mark.parametrize("grad", [lambda x, dy: 2.0, lambda x, dy: [dy.sum()]])
def test_a_gradient_of_fewer_axes_than_its_operand(grad: Any) -> None:
    op, x = elemwise(signature="f->f", c="{x}", grad=grad, name="ours")(lambda x: x), T.dvector("x")
    try:
        with pytest.raises(
            DeclarationError, match=r"^ours: grad gives a gradient of 0 axes for an operand of 1"
        ):
            T.grad(op(x).sum(), x)
        y = T.dscalar("y")
        assert T.grad(3 * op(y), y).eval({y: 5.0}) in (2.0, 3.0), "numbers are variables"
    finally:
        forget_op("ours")


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


@pytest.mark.parametrize(
    "name", [d.name for d in OPS.values() if AXIS in d.parameters.values() and not d.variadic]
)
def test_an_axis_that_the_operand_lacks_is_refused(name: str) -> None:
    d = OPS[name]
    if len(d.tensors) == 1 and len(d.parameters) == 1:
        op = d.bind(axis=2)
        with pytest.raises(AxisError, match="the operand lacks an axis of these"):
            op(T.dmatrix("x"))
        assert op(T.dtensor3("x")).owner.op is op


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
