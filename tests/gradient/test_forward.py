"""Rop: equal to the central difference and to the double Lop, for every way in which ops are pushed through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DisconnectedInputError, GradientError, NullTypeGradError, RankError
from eqsat.gradient import Lop, Rop, grad, grad_undefined
from eqsat.graph.core import Apply, Op
from eqsat.graph.declare import elemwise, forget_op
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.ops.specify import specify_op
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

X = np.array([[0.7, -0.4, 1.2], [0.3, 0.9, -1.1], [1.5, 0.25, -0.6]])
V = np.array([[0.5, -1.0, 2.0], [1.0, 0.3, -0.7], [-0.2, 0.8, 0.4]])
I = np.array([2, 0, 2])
FEW = np.array([2, 0])


# name, the row of the specification, and a function of a 3 by 3 matrix
CASES: list[tuple[str, int, Any]] = [
    ("specify_shape", 9, lambda x: specify_op(x, lengths=(3, None)) * x),
    ("specify_shape_user", 9, lambda x: T.specify_shape(T.exp(x), (3, 3))),
    ("max_and_argmax_0", 10, lambda x: max_and_argmax_op(x, axes=(0,))[0]),
    ("max_and_argmax_1", 10, lambda x: max_and_argmax_op(x * x, axes=(1,))[0]),
    ("subtensor", 11, lambda x: x[1:, ::-1]), ("subtensor_row", 11, lambda x: T.sin(x)[1, 2:]),
    ("inc_subtensor", 12, lambda x: T.inc_subtensor(x[1:], x[:2] * 2)),
    ("inc_of_constant", 12, lambda x: T.inc_subtensor(T.constant(np.ones((3, 3)))[0], T.exp(x[1]))),
    ("set_subtensor", 12, lambda x: T.set_subtensor((x * x)[0], x[1])),
    ("set_to_constant", 12, lambda x: T.set_subtensor(x[:, 1], 0.5)),
    ("alloc", 13, lambda x: T.alloc(x[0] * x[1], 4, 3)), ("alloc_scalar", 13, lambda x: T.alloc(x.sum(), 2, x.shape[0])),
    ("dot", 14, lambda x: T.dot(x, x)), ("dot_vector", 14, lambda x: T.dot(x[0], x)),
    ("dot_constant", 14, lambda x: T.dot(X, x)), ("batched_dot", 14, lambda x: T.batched_dot(x, x)),
    ("elemwise", 15, lambda x: T.exp(x) * T.sin(x) + x / (1.5 + T.sqr(x)) - abs(x)),
    ("elemwise_pow", 15, lambda x: T.sigmoid(x) ** T.softplus(x)),
    ("elemwise_broadcast", 15, lambda x: x + x[0].dimshuffle("x", 0) + x.sum()),
    ("elemwise_broadcast_only", 15, lambda x: T.constant(X) + x[0].dimshuffle("x", 0)),
    ("elemwise_choice", 15, lambda x: T.switch(x > 0, x * x, T.maximum(x, -0.5)) + T.clip(x, -1, 1)),
    ("cast", 15, lambda x: x.astype("int64") + x + T.floor(x)),
    ("sum", 16, lambda x: (x * x).sum(axis=0)), ("sum_all", 16, lambda x: T.tanh(x).sum()),
    ("mean", 16, lambda x: T.exp(x).mean(axis=1, keepdims=True)), ("var", 16, lambda x: x.var(axis=1)),
    ("softmax", 17, lambda x: T.softmax(x)), ("log_softmax", 17, lambda x: T.log_softmax(x, 0)),
    ("logsumexp", 17, lambda x: T.logsumexp(x, 1)), ("softmax_all", 17, lambda x: T.softmax(x, (0, 1))),
    ("shape", 18, lambda x: x.shape), ("shape_in_use", 18, lambda x: x * x.shape[0].astype("float64")),
    ("join", 19, lambda x: T.concatenate([x, x * x, T.constant(X)], 1)), ("stack", 19, lambda x: T.stack([x[0], x[1] * 2])),
    ("addbroadcast", 20, lambda x: T.addbroadcast(x[:1] * x[1:2], 0) + x),
    ("unbroadcast", 20, lambda x: T.unbroadcast(x.sum(axis=0, keepdims=True), 0)),
    ("reshape", 21, lambda x: (x * x).reshape((9,))), ("reshape_symbolic", 21, lambda x: x.reshape((-1, x.shape[0]))),
    ("flatten", 22, lambda x: T.exp(x).flatten()), ("flatten_2", 22, lambda x: x.dimshuffle("x", 0, 1).flatten(2)),
    ("dimshuffle", 23, lambda x: (x * x).dimshuffle(1, "x", 0)), ("transpose", 23, lambda x: T.dot(x, x.T)),
    ("split", 25, lambda x: (x * x)[:2] * 3), ("split_parts", 25, lambda x: T.split(x * x, [1, 2], 2)[1]),
    ("arange", 26, lambda x: x * T.arange(3)), ("arange_of_length", 26, lambda x: T.arange(x.shape[0]) * 1.5 + x),
    ("scalar", 27, lambda x: x[0, 0] * x[1, 1]), ("scalar_from_tensor", 27, lambda x: T.exp(x[1, 2]) * x[0]),
    ("gather", 28, lambda x: (x * x)[I]), ("gather_columns", 28, lambda x: T.exp(x)[:, I]),
    ("inc_rows", 29, lambda x: T.inc_subtensor(x[I], x * x)), ("inc_rows_scaled", 29, lambda x: T.inc_subtensor((x * 2)[I], x.sum() * x)),
    ("set_rows", 29, lambda x: T.set_subtensor((x * x)[FEW], T.sin(x[:2]))),
    ("inc_pairs", 30, lambda x: T.inc_subtensor(x[I, [0, 1, 0]], x[0] * x[1])),
    ("set_pairs", 30, lambda x: T.set_subtensor(T.exp(x)[FEW, FEW], x[0, :2])),
    ("sparse_rows", 32, lambda x: T.inc_subtensor(T.zeros((5, 3))[[4, 1, 4]], T.tanh(x))[[1, 4]]),
    ("sparse_product", 32, lambda x: T.inc_subtensor(T.zeros((3,))[I], x[I, [0, 1, 2]] * x[0][I])),
    ("trace", 33, lambda x: T.trace(T.dot(x, x))), ("diag", 33, lambda x: T.diag(x * x)), ("tril", 33, lambda x: T.tril(x * x)),
    ("permute_row_elements", 34, lambda x: T.permute_row_elements(x * x, np.array([[2, 0, 1], [1, 0, 2], [0, 1, 2]]))),
    ("tile", 35, lambda x: T.tile(x * x, (2, 1))), ("advanced_subtensor", 36, lambda x: (x * x)[[0, 2, 1], [1, 1, 0]]),
    ("masked", 36, lambda x: T.exp(x)[T.constant(X) > 0]), ("tensordot", 37, lambda x: T.tensordot(x, x * x, axes=([1], [0]))),
    ("outer", 38, lambda x: T.outer(x[0], x[1] * x[2])), ("prod", 39, lambda x: x.prod(axis=1)), ("prod_all", 39, lambda x: x.prod()),
    ("mul_without_zeros", 40, lambda x: T.grad((x * T.constant(X)).prod(axis=1).sum(), x)),
    ("prod_without_zeros", 41, lambda x: T.grad(x.prod(), x)), ("max", 42, lambda x: x.max(axis=0)),
    ("max_all", 42, lambda x: (x * x).max()), ("min", 42, lambda x: x.min(axis=(0, 1), keepdims=True)),
]  # fmt: skip


NEEDS = {
    "split_parts": "split",
    "tile": "tile",
    "tensordot": "tensordot",
}  # functions that come with other files
CASES = [case for case in CASES if hasattr(T, NEEDS.get(case[0], "exp"))]


def double(f: Any, x: Any, v: Any) -> Any:
    """Jacobian of f times v by two Lops."""
    u = T.zeros_like(f)
    return Lop(Lop(f, x, u), u, v, disconnected_inputs="ignore")


def compiled(mode: str) -> tuple[Any, Any]:
    """All cases in two functions: the values, and the values of both derivatives."""
    x, v = T.dmatrices("x", "v")
    outs = [build(x) for _, _, build in CASES]
    both: list[Any] = []
    for f in outs:
        both += [Rop(f, x, v), double(f, x, v) if f.dtype == "float64" else T.zeros_like(f, "float64")]
    options: dict[str, Any] = {"mode": mode, "on_unused_input": "ignore"}
    return eqsat.function([x], outs, **options), eqsat.function([x, v], both, **options)


@pytest.mark.seed(*sorted({f"J{row:03}" for _, row, _ in CASES}))
def test_rop_is_the_central_difference_and_the_double_lop(seed_mode: str) -> None:
    values, derivatives = compiled(seed_mode)
    high, low, found = values(X + 1e-6 * V), values(X - 1e-6 * V), derivatives(X, V)
    for k, (name, _, _) in enumerate(CASES):
        wanted, forward, twice = (high[k] - low[k]) / 2e-6, found[2 * k], found[2 * k + 1]
        assert forward.shape == wanted.shape and forward.dtype == np.float64, name
        np.testing.assert_allclose(forward, wanted, rtol=1e-6, atol=1e-7, err_msg=name)
        np.testing.assert_allclose(forward, twice, rtol=1e-10, atol=1e-12, err_msg=name)


def test_the_graph_is_no_larger_than_it_must_be() -> None:
    from eqsat.graph.walk import toposort

    x, v = T.dmatrices("x", "v")
    for build, name in [
        (lambda y: T.exp(y), "exp"),
        (lambda y: T.softmax(y), "softmax"),
        (lambda y: T.tanh(y), "tanh"),
    ]:
        out = build(x)
        names = [str(node.op).partition("{")[0] for node in toposort([out, Rop(out, x, v)])]
        assert names.count(name) == 1
    assert [str(node.op) for node in toposort([Rop(T.dot(x, X), x, v)])] == ["dot"]


# ----------------------------------------------------------------------------------------------- several variables


@pytest.mark.seed("J031")
def test_several_variables_and_several_outputs(seed_mode: str) -> None:
    w, x, vw, vx = T.dmatrix("w"), T.dvector("x"), T.dmatrix("vw"), T.dvector("vx")
    fs = [T.tanh(T.dot(w, x)), (w * w).sum(axis=0) * x]
    pushed = Rop(fs, [w, x], [vw, vx])
    assert type(pushed) is list and type(Rop(tuple(fs), [w, x], [vw, vx])) is tuple
    run = eqsat.function([w, x, vw, vx], [*pushed, *fs], mode=seed_mode)
    b, vb = np.array([0.3, -0.2, 0.8]), np.array([1.0, 0.5, -2.0])
    found = run(X, b, V, vb)
    high, low = run(X + 1e-6 * V, b + 1e-6 * vb, V, vb), run(X - 1e-6 * V, b - 1e-6 * vb, V, vb)
    for k in range(2):
        np.testing.assert_allclose(found[k], (high[k + 2] - low[k + 2]) / 2e-6, rtol=1e-6, atol=1e-8)
    twice = [sum(double(f, t, d) for t, d in ((w, vw), (x, vx))) for f in fs]
    for a, c in zip(found, evaluate(twice, {w: X, x: b, vw: V, vx: vb}), strict=False):
        np.testing.assert_allclose(a, c, rtol=1e-12)


class Cube(Op):
    """Third power; ``kind`` says which derivative it offers."""

    __props__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] ** 3

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        if self.kind == "undefined":
            return [grad_undefined(self, 0, inputs[0], "by decree")]
        return (
            [output_gradients[0] * 3 * inputs[0] ** 2]
            if "L" in self.kind
            else super().grad(inputs, output_gradients)
        )

    def R_op(self, inputs: Any, eval_points: Any) -> Any:
        return (
            [eval_points[0] * 3 * inputs[0] ** 2] if "R" in self.kind else super().R_op(inputs, eval_points)
        )


@pytest.mark.seed("J031")
def test_ops_of_the_user_give_r_op_or_a_gradient_or_are_named() -> None:
    x, v = T.dvectors("x", "v")
    given = {x: [1.0, 2.0], v: [1.0, 10.0]}
    for kind in ("R", "L", "RL"):
        found = evaluate([Rop(T.exp(Cube(kind)(x) * 0.1), x, v)], given)[0]
        np.testing.assert_allclose(found, np.exp(np.array([0.1, 0.8])) * [0.3, 12.0])
    with pytest.raises(NotImplementedError) as error:
        Rop(Cube("none")(x).sum(), x, v)
    assert isinstance(error.value, GradientError)
    assert str(error.value) == (
        f"Rop: Cube has neither an R_op nor a gradient\n  x    f64[?]   made at {x.made_at}\n"
        "  try  give the op an R_op or a grad method"
    )
    with pytest.raises(NullTypeGradError, match="Rop: Cube has no gradient in input 0, x: by decree"):
        Rop(Cube("undefined")(x), x, v)


@pytest.mark.seed("J032")
@pytest.mark.seed("J033")
def test_a_declared_op_without_a_gradient_is_named_and_never_gives_a_number() -> None:
    @elemwise(c="{x}", signature="f->f")
    def stubborn(x: Any) -> Any:
        """The operand, without a gradient."""
        return x

    x, v = T.dvectors("x", "v")
    try:
        with pytest.raises(
            NotImplementedError, match="Rop: stubborn has neither an R_op nor a gradient\n  x "
        ):
            Rop(stubborn(x), x, v)
        with pytest.raises(NotImplementedError, match="grad: stubborn has no gradient"):
            grad(stubborn(x).sum(), x)
    finally:
        forget_op("stubborn")


def test_what_does_not_depend_on_the_variables() -> None:
    x, y, v = T.dvectors("x", "y", "v")
    with pytest.raises(DisconnectedInputError, match="Rop: y does not depend on x"):
        Rop(y, x, v)
    with pytest.warns(eqsat.errors.EqsatWarning, match="does not depend"):
        assert Rop(y, x, v, disconnected_outputs="warn", return_disconnected="None") is None
    assert evaluate([Rop(y, x, v, "ignore")], {y: [1.0, 2.0]})[0].tolist() == [0, 0]
    assert str(Rop(y, x, v, "ignore", "Disconnected").type) == "DisconnectedType"
    assert evaluate([Rop(x * T.disconnected_grad(x), x, v)], {x: [3.0], v: [1.0]})[0].tolist() == [3]
    with pytest.raises(DisconnectedInputError):
        Rop(T.disconnected_grad(x), x, v)


def test_modifiers_in_forward_mode() -> None:
    x, v = T.dvectors("x", "v")
    outs = [T.zero_grad(x) * x, T.grad_scale(x, 3) * 2, T.grad_clip(x, -1, 1) * 5]
    found = evaluate(Rop(outs, x, v), {x: [2.0], v: [1.0]})
    assert [f.item() for f in found] == [2, 6, 5]


def test_integers_do_not_change() -> None:
    i, x, v = T.lvector("i"), T.dvector("x"), T.dvector("v")
    found = evaluate([Rop(i * x, [i, x], [i, v]), Rop(i + 1, i, i)], {i: np.array([2]), x: [1.0], v: [5.0]})
    assert found[0].tolist() == [10] and found[1].tolist() == [0] and found[1].dtype == np.float64


def test_types_of_eval_points() -> None:
    x = TensorType("float32", shape=(1, None))("x")
    out = Rop(x * 2, x, T.dmatrix("v"))
    assert out.type == (x * 2).type
    with pytest.raises(RankError, match="Rop: the eval point of x has 1 dimensions"):
        Rop(x, x, T.dvector())
    with pytest.raises(ArgumentError, match="Rop: 1 variables and 2 eval points"):
        Rop(x, x, [x, x])
    with pytest.raises(ArgumentError, match="Rop: disconnected_outputs does not take 'no'"):
        Rop(x, x, x, disconnected_outputs="no")


def test_complex_numbers_are_pushed_by_the_double_lop() -> None:
    x, v = T.dvectors("x", "v")
    z = T.complex(x, x * x)
    out = T.real(z * z * T.exp(z)) + T.abs(z)

    def value(t: Any) -> Any:
        w = t + 1j * t * t
        return np.real(w * w * np.exp(w)) + np.abs(w)

    a, b = np.array([0.4, -0.7]), np.array([1.0, 2.0])
    found = evaluate([Rop(out, x, v)], {x: a, v: b})[0]
    np.testing.assert_allclose(found, (value(a + 1e-6 * b) - value(a - 1e-6 * b)) / 2e-6, rtol=1e-7)


@pytest.mark.sweep
def test_a_chain_of_50_000_nodes() -> None:
    x, v = T.dscalars("x", "v")
    y = x
    for _ in range(50_000):
        y = T.tanh(y)
    assert Rop(y, x, v).ndim == 0
