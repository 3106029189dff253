"""Pooling against loops over windows, gradients of both orders, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, EqsatError, RankError, ShapeError
from eqsat.gradient import verify_grad
from eqsat.graph.ops.pool import pool_max_op, pool_pick_op, pool_route_op, pool_spread_op
from tests.reference import evaluate

pool_2d, pool_3d = T.signal.pool.pool_2d, T.signal.pool.pool_3d
MODES = T.signal.pool.MODES
rng = np.random.default_rng(3)

SETTINGS: list[dict[str, Any]] = [
    {"ws": (2, 3)},
    {"ws": 2, "ignore_border": True},
    {"ws": (2, 3), "stride": (1, 2)},
    {"ws": (2, 2), "stride": (3, 1)},
    {"ws": (3, 2), "ignore_border": True, "stride": (1, 2), "pad": (2, 1)},
]


def count(n: int, k: int, s: int, p: int, ignore: bool) -> int:
    """Number of windows, by counting those that a documented setting keeps."""
    if n == 0:
        return 0
    if ignore:
        return sum(i * s + k <= n + 2 * p for i in range(n + 2 * p))
    found = 1
    while (found * s < n) and (s >= k or (found - 1) * s + k < n):
        found += 1
    return found


def direct(x: Any, mode: str, ws: Any, ignore_border: bool = False, stride: Any = None, pad: Any = (0, 0)) -> Any:  # fmt: skip
    """Pooling of the last two axes by its definition."""
    ws = (ws, ws) if isinstance(ws, int) else ws
    stride = stride or ws
    sizes = [count(n, k, s, p, ignore_border) for n, k, s, p in zip(x.shape[-2:], ws, stride, pad, strict=True)]  # fmt: skip
    out = np.zeros((*x.shape[:-2], *sizes))
    for i, j in np.ndindex(*sizes):
        a, b = i * stride[0] - pad[0], j * stride[1] - pad[1]
        part = x[..., max(a, 0) : max(a + ws[0], 0), max(b, 0) : max(b + ws[1], 0)]
        high, wide = (
            min(start + k, n + p) - start
            for start, k, n, p in zip((a, b), ws, x.shape[-2:], pad, strict=True)
        )
        number = high * wide if mode == "average_inc_pad" else part.shape[-1] * part.shape[-2]
        value = part.max((-2, -1)) if mode == "max" else part.sum((-2, -1))
        out[..., i, j] = value / number if mode.startswith("average") else value
    return out


@pytest.fixture(scope="module")
def compiled() -> Any:
    """Outputs, gradients and second gradients of all settings and modes, in one function."""
    x = T.dtensor4("x")
    outputs = []
    for settings in SETTINGS:
        for mode in MODES:
            y = pool_2d(x, mode=mode, **settings)
            g = T.grad((y * T.cos(y)).sum(), x)
            outputs += [y, g]
            if settings in (SETTINGS[2], SETTINGS[4]):
                outputs.append(T.grad((g * T.cos(g)).sum(), x))
    outputs.append(T.signal.pool.max_pool_2d_same_size(x, (2, 2)))
    return x, outputs, eqsat.function([x], outputs)


@pytest.mark.parametrize("shape", [(2, 3, 6, 7), (0, 1, 4, 4), (1, 2, 1, 3), (2, 1, 5, 0)], ids=str)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.sampled(3)
def test_c_is_the_reference_with_ties_and_nan(compiled: Any, shape: Any, turned: bool) -> None:
    x, outputs, f = compiled
    value = rng.integers(0, 3, shape) * 1.0
    if turned:
        value = np.asfortranarray(value)[..., ::-1]
        value[value == 2] = np.nan
    for k, (one, other) in enumerate(zip(f(value), evaluate(outputs, {x: value}), strict=True)):
        np.testing.assert_allclose(one, other, atol=1e-12, err_msg=str(k))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_forward_is_the_definition(settings: Any, mode: str) -> None:
    for shape in [(2, 5, 6), (1, 3, 3), (1, 4, 2)]:
        x = rng.normal(size=shape)
        found = pool_2d(x, mode=mode, **settings).eval(mode="reference")
        np.testing.assert_allclose(found, direct(x, mode, **settings), atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("settings", [SETTINGS[2], SETTINGS[4]], ids=str)
def test_gradients_of_both_orders_are_those_of_differences(settings: Any, mode: str) -> None:
    x = rng.permutation(20).reshape(1, 4, 5) / 10.0

    def first(v: Any) -> Any:
        y = pool_2d(v, mode=mode, **settings)
        return T.grad((y * T.cos(y)).sum(), v)

    verify_grad(lambda v: pool_2d(v, mode=mode, **settings), [x], n_tests=1)
    verify_grad(first, [x], n_tests=1)


def test_gradient_goes_to_the_first_maximum() -> None:
    x = T.dmatrix()
    g = T.grad(pool_2d(x, (2, 2)).sum(), x)
    np.testing.assert_array_equal(g.eval({x: np.ones((2, 4))}), [[1, 0, 1, 0], [0, 0, 0, 0]])


def test_volumes(seed_mode: str) -> None:
    x = T.tensor("float64", (None,) * 4)
    y = pool_3d(x, (2, 1, 2), ignore_border=True, mode="sum")
    value = rng.normal(size=(2, 4, 3, 4))
    found = eqsat.function([x], y, mode=seed_mode)(value)
    np.testing.assert_allclose(found, value.reshape(2, 2, 2, 3, 2, 2).sum((2, 5)), atol=1e-12)


def test_older_names_and_integers() -> None:
    x = rng.integers(0, 9, (5, 5)).astype("int32")
    wanted = pool_2d(x, (2, 2), True, (1, 1), (1, 1)).eval(mode="reference")
    older = pool_2d(x, ds=(2, 2), ignore_border=True, st=(1, 1), padding=(1, 1))
    oldest = T.signal.downsample.max_pool_2d(x, (2, 2), ignore_border=True, st=(1, 1), padding=(1, 1))
    assert wanted.dtype == "int32"
    np.testing.assert_array_equal(older.eval(mode="reference"), wanted)
    np.testing.assert_array_equal(oldest.eval(mode="reference"), wanted)
    assert pool_2d(x, 2, mode="average_exc_pad").dtype == "float64"


def test_static_lengths() -> None:
    x = T.tensor("float32", (8, None, 7, None))
    assert pool_2d(x, (2, 2)).type.shape == (8, None, 4, None)
    assert pool_2d(x, (2, 2), ignore_border=True).type.shape == (8, None, 3, None)


x2 = T.tensor("float64", (4, 5), "x2")
POOL: Any = {"window": (2, 2), "strides": (2, 2), "pads": (0, 0), "partial": False}
BAD: list[tuple[Any, type[EqsatError], str]] = [
    (lambda: pool_2d(T.dvector("v"), 2), RankError, "pool_2d: v has 1 dimensions"),
    (lambda: pool_2d(T.tensor("complex64", (2, 2), "z"), 2), DTypeError, "pool_2d: z is complex64"),
    (lambda: pool_2d(x2), ArgumentError, "pool_2d: ws does not take None"),
    (lambda: pool_2d(x2, (2, 0)), ArgumentError, "pool_2d: ws does not take (2, 0)"),
    (lambda: pool_3d(x2, (2, 2)), ArgumentError, "pool_3d: ws does not take (2, 2)"),
    (lambda: pool_2d(x2, 2, stride=0), ArgumentError, "pool_2d: stride does not take 0"),
    (lambda: pool_2d(x2, 2, pad=1), ArgumentError, "pool_2d: pad=(1, 1) with ignore_border=False"),
    (lambda: pool_2d(x2, 2, True, pad=2), ArgumentError, "pool_2d: pad=(2, 2) is not smaller"),
    (lambda: pool_2d(x2, 2, ds=2), ArgumentError, "pool_2d: ws and ds are the same"),
    (lambda: pool_2d(x2, 2, mode="median"), ArgumentError, "pool_2d: unknown mode 'median'"),
    (lambda: pool_max_op.bind(**POOL)(T.dvector("v")), RankError, "pool_max: v has 1 dimensions"),
    (lambda: pool_max_op.bind(**POOL)(T.tensor("complex64", (2, 2), "z")), DTypeError, "pool_max: z is complex64"),
    (lambda: pool_route_op.bind(**POOL)(x2, T.dtensor3("y")), RankError, "pool_route: x2 and y differ in rank"),
    (lambda: pool_route_op.bind(**POOL)(x2, x2), ShapeError, "pool: axis 0 of the pooled operand has length 4, not 2"),
    (lambda: pool_spread_op.bind(**POOL)(x2, 4, 5), ShapeError, "pool: axis 0 of the pooled operand has length 4"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", BAD)
def test_mistakes_are_refused_when_the_graph_is_built(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_lengths_that_do_not_fit_at_run_time(mode: str) -> None:
    x, y = T.dmatrices(2)
    outputs = [pool_route_op.bind(**POOL)(x, y), pool_pick_op.bind(**POOL)(x, y)]
    for out in outputs:
        f = eqsat.function([x, y], out, mode=mode)
        with pytest.raises(ShapeError, match="pool: axis 0 of the pooled operand has length 3"):
            f(np.ones((4, 4)), np.ones((3, 4)))
