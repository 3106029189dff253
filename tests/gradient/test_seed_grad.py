"""Section J of the specification, the rows on grad itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import (
    DisconnectedInputError,
    DTypeError,
    EqsatWarning,
    GradientError,
    NullTypeGradError,
    RankError,
)
from eqsat.gradient import DisconnectedType, NullType, grad_not_implemented, grad_undefined
from eqsat.graph.core import Apply, Op
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate


@pytest.mark.seed("J001")
def test_the_result_matches_wrt(seed_mode: str) -> None:
    x, y = T.dvectors("x", "y")
    cost = (x * x * y).sum()
    single, several, pair = T.grad(cost, x), T.grad(cost, [x, y]), T.grad(cost, (x, y))
    named = T.grad(cost, {"first": x, "second": y})
    assert isinstance(single, eqsat.Variable) and type(several) is list and type(pair) is tuple
    assert list(named) == ["first", "second"]
    found = eqsat.function([x, y], [single, *several, *pair, *named.values()], mode=seed_mode)(
        [1.0, 2.0], [3.0, 5.0]
    )
    assert [v.tolist() for v in found] == [[6, 20]] + [[6, 20], [1, 4]] * 3


@pytest.mark.seed("J002")
def test_g_cost_scales_and_has_the_type_of_the_cost(seed_mode: str) -> None:
    x, g, single, vector = T.dvector("x"), T.dscalar("g"), T.fscalar("single"), T.dvector("vector")
    out = T.grad((x**2).sum(), x, g_cost=g)
    assert eqsat.function([x, g], out, mode=seed_mode)([1.0, 2.0], 10.0).tolist() == [20, 40]
    assert evaluate([T.grad((x**2).sum(), x, g_cost=3)], {x: [1.0]})[0].tolist() == [6]
    with pytest.raises(DTypeError, match="grad: g_cost is float32, the cost float64\n  cost "):
        T.grad((x**2).sum(), x, g_cost=single)
    with pytest.raises(RankError, match="grad: g_cost has 1 dimensions, the cost has none"):
        T.grad((x**2).sum(), x, g_cost=vector)


@pytest.mark.seed("J003")
def test_the_gradient_through_constants_is_zero(seed_mode: str) -> None:
    x, y = T.dvectors("x", "y")
    middle = x * y
    cost = (middle * x).sum()
    dx, dy = T.grad(cost, [x, y], consider_constant=[middle], disconnected_inputs="ignore")
    found = eqsat.function([x, y], [dx, dy], mode=seed_mode)([1.0, 2.0], [3.0, 5.0])
    assert [v.tolist() for v in found] == [[3, 10], [0, 0]]


@pytest.mark.seed("J004")
def test_a_gradient_of_another_type_is_warned_of() -> None:
    x, i = TensorType("float64", shape=(2,))("x"), T.lvector("i")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        T.grad((x * x).sum(), x, warn_type=True)
        T.grad((x * i).sum(), i)
    with pytest.warns(
        EqsatWarning, match=r"grad: the gradient for i is f64\[\?\], the variable i64\[\?\]"
    ) as caught:
        T.grad((x * i).sum(), [x, i], warn_type=True)
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.seed("J005")
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_a_cost_with_axes_is_refused_with_its_number_of_them(ndim: int) -> None:
    x = T.tensor("float64", (None,) * ndim, "x")
    with pytest.raises(RankError, match=f"grad: the cost .* has {ndim} dimensions, not 0"):
        T.grad(T.exp(x), x)


@pytest.mark.seed("J006")
def test_integers_have_gradients_of_zeros(seed_mode: str) -> None:
    x, i = T.dvector("x"), T.lvector("i")
    cost = (x * i).sum() + x[T.cast(x[0], "int64")] + T.floor(x).sum()
    dx, di = T.grad(cost, [x, i])
    found = eqsat.function([x, i], [dx, di], mode=seed_mode)([1.5, 2.0], [3, 4])
    assert found[0].tolist() == [3, 5] and found[1].tolist() == [0, 0]
    assert found[1].dtype == np.float64


class Strange(Op):
    """The sum of two operands, with a gradient of one kind for the second."""

    __props__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] + inputs[1]

    def L_op(self, inputs: Any, outputs: Any, output_gradients: Any) -> Any:
        if self.kind == "none":
            return super().L_op(inputs, outputs, output_gradients)
        second: Any = {
            "undefined": lambda: grad_undefined(self, 1, inputs[1], "it is a jump"),
            "unwritten": lambda: grad_not_implemented(self, 1, inputs[1]),
            "disconnected": lambda: DisconnectedType()(),
            "absent": lambda: None,
        }[self.kind]()
        return [output_gradients[0], second]

    def connection_pattern(self, node: Apply) -> Any:
        return [[True], [self.kind != "disconnected"]]


@pytest.mark.seed("J006")
def test_an_op_without_a_gradient_is_named() -> None:
    x, y = T.dvectors("x", "y")
    with pytest.raises(NullTypeGradError, match="grad: Strange has no gradient\n  x ") as error:
        T.grad(Strange("none")(x, y).sum(), x)
    assert isinstance(error.value, GradientError) and isinstance(error.value, NotImplementedError)
    for kind, text in (
        ("undefined", "grad: Strange has no gradient in input 1, y: it is a jump"),
        ("unwritten", "grad: the gradient of Strange in input 1, y, is not implemented"),
    ):
        out = (Strange(kind)(x, T.exp(y)) * x).sum()
        assert evaluate([T.grad(out, x)], {x: [1.0], y: [0.0]})[0].tolist() == [3]
        with pytest.raises(NullTypeGradError, match=text.split(" in input")[0]):
            T.grad(out + y.sum(), y)
        null = T.grad(out + y.sum(), y, null_gradients="return")
        assert isinstance(null.type, NullType) and str(null.type) == "NullType"
        with pytest.raises(TypeError, match="a gradient that is not defined has no value"):
            null.type.filter(1.0)


def test_connections_that_an_op_gives_are_honoured() -> None:
    x, y = T.dvectors("x", "y")
    out = Strange("disconnected")(x, y).sum()
    with pytest.raises(DisconnectedInputError, match="does not depend on y"):
        T.grad(out, y)
    missing = T.grad(out, y, disconnected_inputs="ignore", return_disconnected="Disconnected")
    assert isinstance(missing.type, DisconnectedType)
    with pytest.raises(TypeError, match="a disconnected gradient has no value"):
        missing.type.filter(1.0)
    assert evaluate([T.grad(Strange("absent")(x, y).sum(), y)], {y: [1.0]})[0].tolist() == [0]


def test_gradients_are_named() -> None:
    x = T.dscalar("x")
    cost = x * x
    assert T.grad(cost, x).name is None
    cost.name = "cost"
    assert T.grad(cost, x, add_names=False).name is None
    assert T.grad(cost, x).name == "(dcost/dx)"
