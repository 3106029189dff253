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
from eqsat.scan import until

onnx = pytest.importorskip("onnx")
from eqsat.bridges.onnx import from_onnx  # noqa: E402
from eqsat.bridges.onnx.writing import to_onnx  # noqa: E402

DICE = np.random.default_rng(0)
A, B, V = (DICE.normal(size=s).astype("float32") for s in ((4, 5), (5, 3), (5,)))
W = DICE.normal(size=(2, 3, 4)).astype("float32")
I = np.array([3, 0, -1, 2, 0])


def results(model: Any, values: list[Any]) -> list[Any]:
    """The results of a model, by onnxruntime where it is there and takes it."""
    given = {v.name: np.asarray(x) for v, x in zip(model.graph.input, values, strict=True)}
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
    "diagonals": lambda: [T.diagonal(u, 1, 0, 2), T.diagonal(u, -1, 2, 1), T.trace(a), T.diag(v), T.fill_diagonal(a, 3.0)],
    "running": lambda: [T.cumprod(u, 1), T.cummax(a, 0), T.cummin(i, 0), T.logcumsumexp(a, 1)],
    "counts": lambda: [T.bincount(i % 3), T.unique(i), T.repeat(v, i % 3), T.searchsorted(T.sort(v), a[0], side="right")],
    "elements": lambda: [T.hypot(a, 2 * a), T.arctan2(a, a[:, ::-1]), T.sinc(v), T.log(T.cosh(a)), T.around(a, 1), T.copysign(v, -v)],
    "gradients": lambda: T.grad(T.log_softmax(T.tanh(a @ b), axis=1)[:, 0].sum() + (a[i] ** 2).sum(), [a, b]),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_give_the_values_of_eqsat(name: str) -> None:
    check(list(VALUES), GRAPHS[name](), list(VALUES.values()))


def last_of(step: Callable[..., Any], *states: Any, **given: Any) -> Any:
    return eqsat.scan(step, outputs_info=list(states), **given)[0]


def of_two_ago() -> Any:
    start = {"initial": v[:2], "taps": [-2, -1]}
    return last_of(lambda p, q: T.tanh(p + q * v[2]), start, n_steps=6)


def squares(r: Any, h: Any) -> Any:
    return T.tanh(r * h + r)


LOOPS: dict[str, Callable[[], list[Any]]] = {
    "rows": lambda: [
        last_of(squares, v, sequences=[a]),
        last_of(squares, v, sequences=[a], go_backwards=True)[-1],
    ],
    "two states ago": lambda: [of_two_ago(), T.grad((of_two_ago() ** 2).sum(), v)],
    "gradient": lambda: T.grad((last_of(squares, v, sequences=[a]) ** 2).sum(), [v, a]),
    "until": lambda: [last_of(lambda h: (h * 2, until(h > 10)), T.abs(v[0]) + 0.1, n_steps=20 + k)],
    "no states": lambda: [last_of(lambda r: r / (1 + abs(r).sum()), None, sequences=[a])],
    "no steps": lambda: [last_of(lambda h: h * 2, T.constant(1.0), n_steps=k - 2)],
    "a loop in a loop": lambda: [
        last_of(lambda r, h: last_of(squares, h, sequences=[r])[-1], v[0], sequences=[a])
    ],
    "a branch in a loop": lambda: [
        last_of(lambda r, h: eqsat.ifelse(r.sum() > 0, T.exp(h) * r, h - r), v, sequences=[a])
    ],
    "branches": lambda: [eqsat.ifelse(k > 1, a.sum(0), v), *eqsat.ifelse(i[0], [v, a], [v + 1, a * 2])],
    "a graph that is an op": lambda: [eqsat.OpFromGraph([v], [T.exp(v) + 1])(a[0]) * 2],
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_and_branches_give_the_values_of_eqsat(name: str) -> None:
    model = check(list(VALUES), LOOPS[name](), list(VALUES.values()))
    f = from_onnx(model, opaque=False).function(mode="reference", on_unused_input="ignore")
    for ours, theirs in zip(f(*VALUES.values()), results(model, list(VALUES.values())), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=2e-6)


def test_only_the_branch_that_is_taken_is_written_into_it() -> None:
    model = to_onnx(eqsat.ifelse(v[0] > 0, T.exp(a), T.sin(a)), inputs=[v, a])
    assert not {"Exp", "Sin"} & {n.op_type for n in model.graph.node}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ends_of_angles_and_lengths(dtype: str) -> None:
    ends = np.array([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1e30, 1e-30], dtype)
    p, q = (eqsat.TensorType(dtype, shape=(81,))(n) for n in "pq")
    x, y = (v.ravel() for v in np.meshgrid(ends, ends))
    made = [T.arctan2(p, q), T.hypot(p, q), T.copysign(p, q), T.round_half_away_from_zero(p)]
    with np.errstate(all="ignore"):
        check([p, q], made, [x, y])


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
