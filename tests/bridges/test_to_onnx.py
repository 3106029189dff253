"""Graphs of eqsat as models of ONNX: values by onnxruntime or ONNX's reference implementation, refusals by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatError, EqsatWarning
from eqsat.graph.declare import OPS

onnx = pytest.importorskip("onnx")
from eqsat.bridges.onnx import from_onnx  # noqa: E402
from eqsat.bridges.onnx.writing import to_onnx  # noqa: E402

DICE = np.random.default_rng(0)
A, B, V = (DICE.normal(size=s).astype("float32") for s in ((4, 5), (5, 3), (5,)))
W = DICE.normal(size=(2, 3, 4)).astype("float32")
I = np.array([3, 0, -1, 2, 0])


def results(model: Any, values: list[Any]) -> list[Any]:
    """The results of a model, by onnxruntime where it is there and takes it."""
    given = dict(zip([v.name for v in model.graph.input], values, strict=True))
    try:
        import onnxruntime

        return list(onnxruntime.InferenceSession(model.SerializeToString()).run(None, given))
    except Exception:  # of many kinds: onnxruntime has not all ops for all dtypes
        from onnx.reference import ReferenceEvaluator

        return list(ReferenceEvaluator(model).run(None, given))


def check(inputs: list[Any], outputs: list[Any], values: list[Any], rtol: float = 1e-5) -> Any:
    """The model of a graph gives what its reference mode does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EqsatWarning)
        model = to_onnx(outputs, inputs=inputs)
    wanted = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")(*values)
    for ours, theirs in zip(wanted, results(model, values), strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == np.shape(theirs)
        np.testing.assert_allclose(theirs, ours, rtol=rtol, atol=1e-6)
    return model


DRAWN = {
    "float32": lambda: DICE.uniform(0.1, 0.9, 6).astype("float32") * np.float32([1, -1, 1, -1, 1, 1]),
    "float64": lambda: DICE.uniform(0.1, 0.9, 6) * [1, -1, 1, -1, 1, 1],
    "int32": lambda: DICE.integers(1, 9, 6).astype("int32") * np.int32([1, -1, 1, -1, 1, 1]),
    "uint8": lambda: DICE.integers(1, 9, 6).astype("uint8"),
    "bool": lambda: DICE.integers(0, 2, 6).astype("bool"),
}


@pytest.mark.parametrize("dtype", DRAWN)
@pytest.mark.filterwarnings("ignore")
def test_every_elementwise_op_is_written_or_refused_by_name(dtype: str) -> None:
    written = 0
    for name, declared in OPS.items():
        if declared.kind != "elemwise" or declared.parameters:
            continue
        values = [DRAWN[dtype]() for _ in declared.tensors]
        inputs = [eqsat.TensorType(dtype, shape=(6,))(f"x{k}") for k in range(len(values))]
        if name == "switch":
            inputs[0], values[0] = eqsat.TensorType("bool", shape=(6,))("c"), DRAWN["bool"]()
        try:
            made = eqsat.graph.declare.find_op(name, ())(*inputs)
        except EqsatError:
            continue
        try:
            check(inputs, [made], values, rtol=2e-5)
            written += 1
        except ArgumentError as why:
            assert str(why).startswith(f"to_onnx: {name}: ")
    assert written >= {"float32": 50, "float64": 50, "int32": 18, "uint8": 18, "bool": 6}[dtype]


a, b, v, u = T.fmatrix("a"), T.fmatrix("b"), T.fvector("v"), T.ftensor3("u")
i, k = T.lvector("i"), T.lscalar("k")
VALUES = {a: A, b: B, v: V, u: W, i: I, k: np.int64(2)}
GRAPHS: dict[str, Callable[[], list[Any]]] = {
    "products": lambda: [a @ b, T.dot(a, v), T.batched_dot(u, u.dimshuffle(0, 2, 1)), v @ v],
    "reductions": lambda: [a.sum(0), u.max((0, 2)), a.mean(), T.prod(a, 1, keepdims=True), T.var(u, 1), (a > 0).all(1), T.any(a > 2)],
    "places": lambda: [a.argmax(), u.argmin(1), T.max_and_argmax(a, 1)[1]],
    "softmax": lambda: [T.softmax(u, axis=1), T.log_softmax(u, axis=(0, 2)), T.logsumexp(a, axis=0)],
    "axes": lambda: [u.dimshuffle(2, "x", 0, 1), a.T, a[None, :, None], T.squeeze(T.sum(a, 0, keepdims=True))],
    "shapes": lambda: [u.reshape((-1, 4)), a.flatten(), T.zeros((a.shape[1], 2)), T.ones_like(v), T.arange(a.shape[0]), a.shape],
    "joins": lambda: [T.concatenate([a, b.T], 0), T.stack([v, v], 1), T.tile(v, 3), T.repeat(a, 2, 0), T.pad(a, 1)],
    "parts": lambda: [a[1:, ::-2], u[..., -1], a[k], a[:k, k:], v[::-1], v[-2:], u[1, :, k]],
    "indices": lambda: [a[i], a[:, i], a[i, i], u[:, i % 3, i % 4], u[i % 2, :, i % 4], a[a[:, 0] > 0]],
    "writes": lambda: [
        T.set_subtensor(a[1:, 0], 7.0),
        T.inc_subtensor(a[:k], v),
        T.inc_subtensor(a[i], 1.0),
        T.set_subtensor(a[[0, 2], [1, 1]], 5.0),
        T.inc_subtensor(u[:, i % 3, 0], 2.0),
    ],
    "order": lambda: [T.sort(a, 1), T.argsort(v), T.cumsum(a, 0), T.sort(u, 0)],
    "gradients": lambda: T.grad(T.log_softmax(T.tanh(a @ b), axis=1)[:, 0].sum() + (a[i] ** 2).sum(), [a, b]),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_give_the_values_of_eqsat(name: str) -> None:
    check(list(VALUES), GRAPHS[name](), list(VALUES.values()))


def test_convolutions_and_pools() -> None:
    x, w = (
        eqsat.TensorType("float32", shape=(2, 4, 9, 8))("x"),
        eqsat.TensorType("float32", shape=(6, 2, 3, 2))("w"),
    )
    values = [DICE.normal(size=s.type.shape).astype("float32") for s in (x, w)]
    for flip, border, stride in ((True, "valid", (1, 1)), (False, "half", (2, 1)), (False, "full", (1, 3))):
        made = T.nnet.conv2d(x, w, border_mode=border, subsample=stride, filter_flip=flip, num_groups=2)
        check([x, w], [made], values, rtol=1e-4)
    for mode, exact in (("max", True), ("max", False), ("sum", True)):
        check(
            [x], [T.signal.pool.pool_2d(x, (2, 3), ignore_border=exact, stride=(2, 2), mode=mode)], values[:1]
        )
        check([x], [T.signal.pool.pool_2d(x[0, 0], (2, 2), ignore_border=exact, mode=mode)], values[:1])


def test_a_compiled_function_is_the_graph_that_was_chosen(tmp_path: Any) -> None:
    w = eqsat.shared(A, "w")
    f = eqsat.function([v], T.log(1 + T.exp(T.dot(w, v))), mode="FAST_RUN")
    model = eqsat.to_onnx(f, tmp_path / "f.onnx")
    assert "Softplus" in [n.op_type for n in model.graph.node]
    assert next(t.name for t in model.graph.initializer) == "w"
    np.testing.assert_allclose(results(onnx.load(tmp_path / "f.onnx"), [V])[0], f(V), rtol=1e-5)
    back = from_onnx(tmp_path / "f.onnx", opaque=False)
    np.testing.assert_allclose(back.function(mode="reference")(V)[0], f(V), rtol=1e-5)


def test_what_is_not_written_has_a_name() -> None:
    with pytest.raises(
        ArgumentError, match=r"to_onnx: gammaln: it has no form in ONNX\n  gammaln  f32\[\?\]   made at"
    ):
        to_onnx(T.gammaln(v) + 1)
    with pytest.raises(ArgumentError, match="to_onnx: exp: Exp of ONNX takes no complex64"):
        to_onnx(T.exp(T.cast(v, "complex64")))
    total = eqsat.shared(np.zeros(5, "float32"), "total")
    with pytest.raises(ArgumentError, match="updates total"):
        to_onnx(eqsat.function([v], v, updates=[(total, total + v)], mode="reference"))
    with pytest.raises(ArgumentError, match="to_onnx: v has no value"):
        to_onnx(v + a[0], inputs=[a])
    with pytest.warns(EqsatWarning, match="to_onnx: ndtr: written by erf"):
        to_onnx(T.gelu(v))


def test_a_long_chain_is_written() -> None:
    x = T.fscalar("x")
    y = x
    for _ in range(3000):
        y = y * 0.5 + 1
    assert len(to_onnx(y).graph.node) > 6000


def test_one_result_twice_and_an_input_as_a_result() -> None:
    check([v], [v, v, T.exp(v), T.exp(v)], [V])
