"""A declaration that contradicts itself is refused where it is made, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DeclarationError
from eqsat.graph.declare import OPS, Reduction, elemwise, forget_op, structural
from eqsat.graph.parameters import AXES

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
    "no bound": ({"interval": (("low", "lo_x"),)}, "lo or hi"),
}


@pytest.mark.parametrize("case", ELEMENTWISE)
def test_fields_of_elementwise_ops(case: str) -> None:
    fields, said = ELEMENTWISE[case]
    with pytest.raises(DeclarationError, match=r"^ours: ") as caught:
        elemwise(signature="f,f->f", c="{x}", name="ours", **fields)(pair)
    assert said in str(caught.value) and "ours" not in OPS


BLOCKS: dict[str, Any] = {
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
