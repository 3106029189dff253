"""Functions of JAX through eqsat give what JAX gives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatWarning
from eqsat.graph.walk import toposort

jax = pytest.importorskip("jax")
jnp, lax = pytest.importorskip("jax.numpy"), pytest.importorskip("jax.lax")
bridge: Any = pytest.importorskip("eqsat.bridges.jax")

dice = np.random.default_rng(5)
tree = jax.tree_util


def numbers(*shape: int) -> Any:
    return dice.normal(size=shape).astype("float32")


def same(fn: Any, *arguments: Any, mode: str = "reference", opaque: bool = False) -> Any:
    """The graph of a function, whose results are those of JAX."""
    graph = bridge.from_jax(fn, *arguments, opaque=opaque)
    found, wanted = graph.function(mode=mode)(*arguments), fn(*arguments)
    assert tree.tree_structure(found) == tree.tree_structure(wanted)
    for a, b in zip(tree.tree_leaves(found), tree.tree_leaves(wanted), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, np.asarray(b), rtol=1e-4, atol=1e-4)
    return graph


M, V, W = numbers(4, 4), numbers(6), numbers(2, 5, 3)
I, J = np.array([3, -1, 2, -7, 0], "int32"), np.array([2, 2, -3, 3, 0], "int32")
U = np.array([7, 200, 0, 1, 31], "uint8")

FUNCTIONS = {
    "elements": lambda: (
        jnp.log1p(jnp.exp(V)),
        jnp.tanh(V) ** 3,
        1 / (1 + V**2),
        lax.rsqrt(V**2),
        lax.erf(V),
    ),
    "integers": lambda: (
        lax.div(I, J),
        lax.rem(I, J),
        I & J,
        ~I,
        I // 2,
        lax.shift_right_logical(I, J),
        U << 3,
    ),
    "conversions": lambda: (V.astype("int8"), (V * 1e9).astype("int32"), I.astype(bool), U.astype("int8")),
    "choices": lambda: (
        jnp.where(V > 0, V, 0),
        lax.clamp(-1.0, V, 1.0),
        jnp.select([V > 1, V > 0], [V, -V], 3.0),
    ),
    "shapes": lambda: (W.T, W.reshape(5, -1), W[:, ::-1, None], jnp.tile(V, (2, 2)), jnp.stack([V, V], 1)),
    "padding": lambda: (lax.pad(V, np.float32(2), [(1, 2, 1)]), lax.pad(V, np.float32(0), [(-1, -2, 0)])),
    "parts": lambda: (lax.dynamic_slice(V, (jnp.int32(4),), (3,)), lax.dynamic_update_slice(V, V[:2], (5,))),
    "reductions": lambda: (W.sum(1), W.max(), W.prod((0, 2)), (W > 0).all(), W.argmin(1), jnp.var(W)),
    "running": lambda: (jnp.cumsum(V), lax.cummax(V, reverse=True), lax.cumlogsumexp(V), jnp.cumprod(W, 1)),
    "sorting": lambda: (
        jnp.sort(W, 1),
        jnp.argsort(V),
        lax.sort((I, J), num_keys=2),
        lax.top_k(V, 3),
        jnp.median(V),
    ),
    "gathering": lambda: (
        V[J],
        M[I, J],
        jnp.take(V, I, fill_value=7),
        jnp.take_along_axis(M, jnp.argsort(M), 1),
    ),
    "windows at starts": lambda: jax.vmap(lambda i: lax.dynamic_slice(M, (i, i), (2, 3)))(I),
    "scattering": lambda: (
        jnp.zeros(4).at[J].add(1),
        M.at[0].set(5.0),
        jnp.zeros(3).at[I].add(1),
        V.at[J].mul(2),
    ),
    "extremes at indices": lambda: (V.at[I].max(0.5), jax.ops.segment_min(V[:5], J + 3, 6)),
    "products": lambda: (
        M @ V[:4],
        jnp.einsum("bij,ji->b", W, W[0].T),
        jnp.tensordot(W, W, 3),
        jnp.outer(V, V),
    ),
    "pooling": lambda: (
        lax.reduce_window(W, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 1), "SAME"),
        lax.reduce_window(W, 0.0, lax.add, (1, 3, 1), (1, 1, 1), "VALID"),
    ),
    "gradient of pooling": lambda: jax.grad(
        lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 1), "SAME") ** 2).sum()
    )(W),
    "matrices": lambda: (
        jnp.linalg.cholesky(M @ M.T + jnp.eye(4)),
        jnp.linalg.solve(M, M[0]),
        jnp.linalg.inv(M),
        jnp.linalg.slogdet(M),
        jnp.linalg.eigh(M + M.T)[0],
        jnp.linalg.svd(M, compute_uv=False),
        jnp.abs(jnp.linalg.qr(M)[1]),
    ),
    "factors": lambda: (jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(M), V[:4]), lax.linalg.lu(W)),
    "a matrix without symmetry": lambda: (jnp.linalg.eigvals(M), jnp.abs(jnp.linalg.eig(M)[1])),
    "transforms": lambda: (
        jnp.fft.fft(V, norm="ortho"),
        jnp.fft.ifft2(W),
        jnp.fft.rfftn(W),
        jnp.fft.irfft(jnp.fft.rfft(V), n=5),
        jnp.fft.hfft(V),
    ),
    "reductions by functions": lambda: (
        lax.reduce((W, -W), (0.5, 2.0), lambda a, b: (a[0] * b[0] + b[1], a[1] - b[1]), (0, 2)),
        lax.reduce(W[:, :0], np.float32(3), lambda a, b: a - 2 * b, (1,)),
        lax.reduce(I, np.int32(1), lambda a, b: a * b + b, (0,)),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_jax(name: str) -> None:
    """Constants would be folded by JAX as it traces, so the arrays are arguments."""
    function, held = FUNCTIONS[name], (M, V, W, I, J, U)

    def of_arguments(*arrays: Any) -> Any:
        scope = dict(zip(("M", "V", "W", "I", "J", "U"), arrays, strict=True))
        return type(function)(function.__code__, {**globals(), **scope})()

    same(of_arguments, *map(jnp.asarray, held))


@pytest.mark.parametrize(
    "strides, padding, gaps, groups", [((1, 1), "SAME", None, 1), ((2, 1), [(1, 0), (2, -1)], (2, 2), 2)]
)
def test_convolutions(strides: Any, padding: Any, gaps: Any, groups: int) -> None:
    x, w = numbers(2, 6, 7, 4), numbers(3, 2, 4 // groups, 6)
    order = ("NHWC", "HWIO", "NHWC")

    def loss(x: Any, w: Any) -> Any:
        settings: Any = {"lhs_dilation": gaps, "feature_group_count": groups, "dimension_numbers": order}
        return lax.conv_general_dilated(x, w, strides, padding, **settings)

    same(loss, x, w)
    same(jax.grad(lambda x, w: (loss(x, w) ** 2).sum(), (0, 1)), x, w)


def mlp(params: Any, x: Any) -> Any:
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def test_gradient_of_a_network_in_c() -> None:
    params = [{"w": numbers(4, 8), "b": numbers(8)}, {"w": numbers(8, 3), "b": numbers(3)}]

    def loss(params: Any, x: Any, y: Any) -> Any:
        return -jax.nn.log_softmax(mlp(params, x))[jnp.arange(6), y].mean()

    graph = same(
        jax.value_and_grad(loss), params, numbers(6, 4), np.array([0, 2, 1, 1, 0, 2]), mode="FAST_RUN"
    )
    assert graph.inputs[0][0]["w"].name == "params[0]['w']" and not graph.translation.foreign


def recurrent(W: Any, h: Any, xs: Any) -> Any:
    return lax.scan(lambda h, x: ((g := jnp.tanh(x + h @ W)), g.sum()), h, xs, reverse=True)


def test_scan_and_its_gradient() -> None:
    arguments = numbers(3, 3), numbers(3), numbers(7, 3)
    same(recurrent, *arguments, mode="FAST_RUN")
    same(jax.grad(lambda *a: recurrent(*a)[0].sum()), *arguments)
    same(lambda h: lax.scan(lambda h, x: (h, h), h, None, length=0), V)


def test_while_and_branches() -> None:
    def newton(a: Any) -> Any:
        return lax.while_loop(lambda s: abs(s * s - a) > 1e-4 * a, lambda s: (s + a / s) / 2, a)

    same(newton, np.float32(9.0), mode="FAST_RUN")
    same(newton, np.float32(1.0))
    same(jax.vmap(newton), np.float32([9.0, 1.0, 2.0]))
    same(lambda x: lax.fori_loop(2, 6, lambda i, s: s + x[i], 0.0), jnp.asarray(V))
    branches = lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, lambda x: x * 2], x)
    for k in (-1, 0, 1, 2, 5):
        same(branches, jnp.int32(k), V)


def test_a_while_within_a_loop_in_c() -> None:
    """The loop around it has its states in memory, where the branch that the inner one is in has a function of its own."""

    def powers(x: Any) -> Any:
        inner = lambda j, v: lax.while_loop(lambda s: s[0] < j, lambda s: (s[0] + 1, s[1] * 2), (0, v))[1]
        return lax.fori_loop(0, 4, inner, x)

    with warnings.catch_warnings():
        warnings.simplefilter("error", EqsatWarning)
        same(powers, np.float32(1.5), mode="FAST_RUN")


def test_custom_derivatives_and_checkpoints() -> None:
    @jax.custom_vjp
    def f(x: Any) -> Any:
        return x * 2

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * jnp.cos(x),))
    same(jax.grad(lambda x: f(x).sum()), V)
    same(jax.grad(lambda x: jax.checkpoint(jnp.sin)(jax.nn.gelu(x)).sum()), V)
    same(jax.hessian(lambda x: jnp.prod(jax.nn.softplus(x))), V)


def test_a_block_of_a_transformer() -> None:
    def block(p: Any, x: Any) -> Any:
        norm = lambda v: (v - v.mean(-1, keepdims=True)) / jnp.sqrt(v.var(-1, keepdims=True) + 1e-5)
        q, k, v = jnp.split(norm(x) @ p["qkv"], 3, -1)
        heads = lambda t: t.reshape(*t.shape[:-1], 2, 4).swapaxes(-2, -3)
        mask = jnp.tril(jnp.ones((5, 5), bool))
        weights = jax.nn.softmax(jnp.where(mask, heads(q) @ heads(k).swapaxes(-1, -2) / 2.0, -jnp.inf))
        x = x + (weights @ heads(v)).swapaxes(-2, -3).reshape(x.shape) @ p["out"]
        return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]

    shapes = {"qkv": (8, 24), "out": (8, 8), "up": (8, 16), "down": (16, 8)}
    p = {name: numbers(*shape) / 3 for name, shape in shapes.items()}
    same(block, p, numbers(2, 5, 8))


def test_keys_give_the_same_bits() -> None:
    def draws(key: Any) -> Any:
        first, second = jax.random.split(key)
        return jax.random.bits(first, (5,)), jax.random.key_data(jax.random.fold_in(second, 3))

    same(draws, jax.random.key(7))
    same(draws, jax.random.PRNGKey(7))
    normal = same(lambda seed: jax.random.normal(jax.random.key(seed), (3, 2)), np.uint32(7))
    assert not normal.translation.foreign


def test_keys_are_moved_like_numbers() -> None:
    def draws(seed: Any, i: Any) -> Any:
        keys = jax.random.split(jax.random.key(seed), (3, 2))
        chosen = jnp.where(i > 0, keys[i, 0], jax.random.key(1))
        moved = jnp.concatenate([keys[::-1, 1], jnp.stack([chosen, keys[2, 1]])])
        last = lax.fori_loop(0, 3, lambda k, c: jax.random.split(c)[k % 2], keys[0, 0])
        return jax.vmap(jax.random.bits)(moved), jax.random.key_data(keys.T), jax.random.bits(last)

    same(draws, np.uint32(7), np.int32(1))


def test_the_order_of_all_floating_numbers() -> None:
    x = jnp.asarray([0.0, -0.0, np.nan, -np.inf, 1.0, -2.0], "float32")
    same(lambda x: jnp.searchsorted(jnp.sort(x), x), x)
    same(lambda x: (lax.lt_to_p.bind(x, x[::-1]), lax.le_to_p.bind(x, -x), lax.eq_to_p.bind(x, -x)), x)


def test_bits() -> None:
    def bits(x: Any, u: Any) -> Any:
        small = lax.reduce_precision(x, 5, 10), lax.bitcast_convert_type(x, jnp.int8)
        return (
            *small,
            lax.bitcast_convert_type(u, jnp.int8),
            lax.population_count(u),
            lax.clz(u),
            jnp.nextafter(x, 0),
        )

    same(bits, jnp.asarray(V * 1e3), jnp.asarray(U))


def test_primitives_without_an_entry_run_through_jax_and_are_named_once() -> None:
    zeta = lambda x: lax.zeta(lax.zeta(x, x), x)
    positive = jnp.abs(V) + 2
    with pytest.warns(EqsatWarning, match="through jax: zeta") as told:
        graph = bridge.from_jax(zeta, positive)
    assert len(told) == 1 and list(graph.translation.foreign) == ["zeta"]
    np.testing.assert_allclose(graph(positive), zeta(positive), rtol=1e-4, atol=1e-4)
    with pytest.raises(eqsat.bridges.translate.Refused, match="zeta"):
        bridge.from_jax(zeta, positive, opaque=False)


def test_a_dtype_that_is_not_here_runs_through_jax() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = bridge.from_jax(lambda x: jnp.sin(x.astype("bfloat16")).astype("float32"), V)
    np.testing.assert_array_equal(graph(V), jnp.sin(jnp.asarray(V).astype("bfloat16")).astype("float32"))


def test_numbers_of_a_dtype_that_is_not_here_run_through_jax() -> None:
    """An array of NumPy that is a constant need be no tensor here."""
    double = lambda x: (x.astype("float16") * 2 + jnp.asarray([0.5], "float16")).astype("float32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = bridge.from_jax(double, V)
    np.testing.assert_array_equal(graph(V), double(jnp.asarray(V)))


def test_the_graph_is_a_pair_of_variables_and_a_function() -> None:
    (x,), y = bridge.from_jax(lambda x: {"y": jnp.log(jnp.exp(x))}, jax.ShapeDtypeStruct((3,), "float32"))
    assert x.name == "x" and x.type == T.TensorType("float32", shape=(3,))
    assert eqsat.optimize(y["y"]).optimized[0] is not None
    graph = bridge.from_jax(lambda x: x * 2.0, V)
    np.testing.assert_array_equal(graph(V), V * 2)
    with pytest.raises(ArgumentError, match="the arguments have the structure"):
        graph(V, V)


def test_coverage_is_read_from_the_table() -> None:
    rows = [line.split() for line in bridge.coverage().splitlines()]
    assert ["igamma_grad_a", "through", "JAX"] in rows and ["dot_general", "entry"] in rows


def test_named_scopes_are_scopes_also_of_gradients() -> None:
    def loss(v: Any) -> Any:
        with jax.named_scope("block3"), jax.named_scope("attention"):
            inner = jnp.tanh(v)
        with jax.named_scope("head"):
            return jax.jit(lambda z: jnp.sum(jnp.sin(z)))(inner)

    graph = bridge.from_jax(jax.grad(loss), V)
    by_op = {(str(n.op).partition("{")[0], v.scope) for n in toposort(graph.outputs) for v in n.outputs}
    assert {("tanh", "block3/attention"), ("cos", "head"), ("mul", "block3/attention")} <= by_op
