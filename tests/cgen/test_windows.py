"""Convolutions and pooling in C against their meaning, over strides, borders, groups and empty operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.graph.ops.conv import conv_input_op, conv_kernel_op, conv_op
from eqsat.graph.ops.neighbours import neighbourhoods_op
from eqsat.graph.ops.pool import pool_max_op, pool_pick_op, pool_route_op, pool_spread_op, pool_sum_op

DICE = np.random.default_rng(2)
GEOMETRY: list[dict[str, Any]] = [
    {"border": "valid", "strides": (1, 1), "dilation": (1, 1), "groups": 1, "flip": False},
    {"border": "full", "strides": (2, 1), "dilation": (1, 2), "groups": 2, "flip": True},
    {"border": ((1, 0), (0, 2)), "strides": (1, 3), "dilation": (2, 1), "groups": 0, "flip": False},
]
POOLS: list[dict[str, Any]] = [
    {"window": (2, 3), "strides": (2, 2), "pads": (0, 0), "partial": True},
    {"window": (3, 2), "strides": (2, 1), "pads": (1, 0), "partial": False},
    {"window": (2, 2), "strides": (2, 2), "pads": (0, 0), "partial": False},
    {"window": (1, 2), "strides": (2, 3), "pads": (0, 0), "partial": False},
    {"window": (3, 3), "strides": (1, 2), "pads": (1, 2), "partial": False},
    {"window": (3, 2), "strides": (1, 1), "pads": (0, 0), "partial": False},
    {"window": (5, 8), "strides": (1, 1), "pads": (1, 3), "partial": False},
]


def turned(v: Any) -> Any:
    """The same tensor with negative and large strides in memory: its axes reversed twice."""
    return v[:, :, ::-1, ::-1]


@pytest.mark.parametrize("number", range(len(GEOMETRY)))
def test_convolutions(check: Any, number: int) -> None:
    g = GEOMETRY[number]
    x, w, y = (T.dtensor4(n) for n in "xwy")
    n, m = T.lscalar("n"), T.lscalar("m")
    groups = g["groups"]
    out = [x.shape[1]] if groups == 0 else []
    per = [w.shape[1]] if groups == 0 else []
    outputs = [conv_op.bind(**g)(x, w), conv_op.bind(**g)(turned(x), w.dimshuffle(0, 1, 3, 2))]
    outputs += [conv_input_op.bind(**g)(w, y, *out, x.shape[2], x.shape[3])]
    outputs += [conv_input_op.bind(**g)(turned(w), turned(y), *out, x.shape[2], x.shape[3])]
    outputs += [conv_kernel_op.bind(**g)(x, y, *per, n, m)]
    outputs += [conv_kernel_op.bind(**g)(turned(x), turned(y), *per, n, m)]
    calls = []
    for b, c, o in [(2, 4, 6), (1, 2, 2), (40, 4, 6), (0, 4, 6), (2, 4, 0), (3, 0, 2), (3, 0, 0)]:
        channels = c // (groups or 2) + int(groups == c == o == 0)
        a, k = DICE.normal(size=(b, c, 6, 7)), DICE.normal(size=(o, channels, 3, 3))
        shape = conv_op.bind(**g).compute(a, k).shape
        calls.append([a, k, DICE.normal(size=shape), np.array(3), np.array(3)])
    check([x, w, y, n, m], outputs, *calls, ulps=1e4, atol=1e-12)


def test_convolutions_of_other_ranks_and_float32(check: Any) -> None:
    one = {"border": "half", "strides": (1,), "dilation": (1,), "groups": 1, "flip": True}
    three = {"border": "valid", "strides": (1,) * 3, "dilation": (1,) * 3, "groups": 1, "flip": False}
    x, w, u, k = T.ftensor3("x"), T.ftensor3("w"), T.dtensor5("u"), T.dtensor5("k")
    outputs = [conv_op.bind(**one)(x[:, :, ::2], w), conv_op.bind(**three)(u, k[:, :, ::-1])]
    shapes = [(2, 3, 8), (4, 3, 3), (1, 2, 3, 4, 5), (2, 2, 2, 2, 2)]
    values = [DICE.normal(size=s).astype(v.type.dtype) for s, v in zip(shapes, (x, w, u, k), strict=True)]
    check([x, w, u, k], outputs, values, ulps=1e4, atol=1e-5)


def geometry(number: int) -> tuple[dict[str, Any], list[tuple[int, ...]]]:
    """A convolution by its number, and the shapes of its operands: channels below and above the width of a vector."""
    dice = np.random.default_rng(number)
    axes, groups = int(dice.choice([1, 2, 2, 3])), int(dice.choice([1, 1, 2, 3]))
    steps, gaps, k = (tuple(map(int, dice.integers(1, 4, axes))) for _ in range(3))
    pads = tuple((int(a), int(b)) for a, b in dice.integers(0, 4, (axes, 2)))
    border = [pads, "valid", "full", "half"][dice.integers(4)]
    out, per = groups * int(dice.choice([1, 3, 4, 17, 50, 70])), int(dice.choice([1, 2, 9]))
    n = tuple(3 * v + int(dice.integers(12 if axes < 3 else 3)) for v in k)
    params = {
        "border": border,
        "strides": steps,
        "dilation": gaps,
        "groups": groups,
        "flip": bool(number % 2),
    }
    return params, [(int(dice.choice([1, 2, 12])), per * groups, *n), (out, per, *k)]


@pytest.mark.parametrize("number", range(12))
def test_convolutions_of_every_width(compiled: Any, number: int) -> None:
    """Tiles of channels and runs of places, their ends, borders, phases of the adjoints, and layouts."""
    g, (images, filters) = geometry(number)
    dtype = ("float32", "float64")[number % 2]
    a, k = (np.random.default_rng(7).normal(size=s).astype(dtype) for s in (images, filters))
    if number % 3 == 0:
        a, k = np.asfortranarray(a), k[..., ::-1].copy()[..., ::-1]
    dy = np.random.default_rng(8).normal(size=conv_op.bind(**g).compute(a, k).shape).astype(dtype)
    x, w, y = (T.tensor(dtype, (None,) * a.ndim) for _ in range(3))
    n, m = ([T.as_tensor_variable(v) for v in s[2:]] for s in (images, filters))
    outputs = [conv_op.bind(**g)(x, w), conv_input_op.bind(**g)(w, y, *n), conv_kernel_op.bind(**g)(x, y, *m)]
    wide = [v.astype("float64") for v in (a, k, dy)]
    wanted = [
        conv_op.bind(**g).compute(wide[0], wide[1]),
        conv_input_op.bind(**g).compute(wide[1], wide[2], *images[2:]),
        conv_kernel_op.bind(**g).compute(wide[0], wide[2], *filters[2:]),
    ]
    for found, exact in zip(compiled([x, w, y], outputs)(a, k, dy), wanted, strict=True):
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found, exact, rtol=0, atol=1e3 * np.finfo(dtype).eps * (1 + np.abs(exact).max())
        )


@pytest.mark.parametrize("out", [2, 20])
def test_infinite_operands_of_convolutions(check: Any, out: int) -> None:
    """Zeros around an image meet the filters, those around a gradient are not there; so it is with rows that lie side by side."""
    g = {"border": "half", "strides": (2, 1), "dilation": (1, 1), "groups": 1, "flip": False}
    x, w, y = (T.dtensor4(n) for n in "xwy")
    outputs = [
        conv_op.bind(**g)(x, w),
        conv_input_op.bind(**g)(w, y, 6, 7),
        conv_kernel_op.bind(**g)(x, y, 3, 3),
    ]
    calls = []
    for place in range(3):
        values = [DICE.normal(size=s) for s in ((2, out, 6, 7), (out, out, 3, 3), (2, out, 3, 7))]
        values[place][0, 1, 2, 0] = (np.inf, np.nan, -np.inf)[place]
        calls.append(values)
    check([x, w, y], outputs, *calls, ulps=1e4, atol=1e-12)


def test_groups_that_do_not_fit_are_refused(compiled: Any) -> None:
    x, w = T.dtensor4("x"), T.dtensor4("w")
    f = compiled([x, w], [conv_op.bind(**GEOMETRY[2])(x, w)])
    with pytest.raises(ShapeError, match="5 input channels, the filters take 2 in each of 2 groups"):
        f(np.zeros((1, 5, 6, 6)), np.zeros((2, 2, 3, 3)))
    with pytest.raises(ShapeError, match="3 output channels cannot be cut into 2 groups"):
        f(np.zeros((1, 4, 6, 6)), np.zeros((3, 2, 3, 3)))
    with pytest.raises(ShapeError, match="0 input channels, the filters take 2 in each of 1 groups"):
        f(np.zeros((1, 0, 6, 6)), np.zeros((2, 2, 3, 3)))
    with pytest.raises(ShapeError, match="5 input channels, the filters take 2 in each of 2 groups"):
        conv_op.bind(**GEOMETRY[2]).compute(np.zeros((1, 5, 6, 6)), np.zeros((2, 2, 3, 3)))


@pytest.mark.parametrize("number", range(len(POOLS)))
@pytest.mark.sampled(3)
def test_pooling(check: Any, number: int) -> None:
    p = POOLS[number]
    x, z, y, k = T.dtensor4("x"), T.dtensor4("z"), T.dtensor4("y"), T.wmatrix("k")
    lengths = [x.shape[2], x.shape[3]]
    outputs = [pool_max_op.bind(**p)(turned(x)), pool_sum_op.bind(**p)(turned(x)), pool_max_op.bind(**p)(k.T)]
    outputs += [pool_max_op.bind(**p)(x), pool_sum_op.bind(**p)(x), pool_sum_op.bind(**p)(k)]
    outputs += [pool_route_op.bind(**p)(x, y), pool_route_op.bind(**p)(turned(x), turned(y))]
    outputs += [pool_pick_op.bind(**p)(x, z), pool_pick_op.bind(**p)(turned(z), x)]
    outputs += [pool_spread_op.bind(**p)(y, *lengths), pool_spread_op.bind(**p)(turned(y), *lengths)]
    calls = []
    for shape in [(2, 3, 5, 6), (1, 1, 3, 3), (0, 3, 5, 6), (2, 0, 5, 6), (2, 1, 4, 37)]:
        a, b = DICE.integers(0, 4, shape).astype(float), DICE.normal(size=shape)
        pooled = pool_sum_op.bind(**p).compute(a).shape
        calls.append([a, b, DICE.normal(size=pooled), DICE.integers(-9, 9, (6, 5)).astype("int16")])
    calls[0][0][0, 0, 1, 1] = np.nan
    calls[-1][0][1, 0, 3] = np.nan
    calls[-1][2][:] = np.inf
    check([x, z, y, k], outputs, *calls, ulps=100, atol=1e-14)


def test_neighbourhoods(check: Any) -> None:
    n = T.lscalar("n")
    modes = ("valid", "ignore_borders", "half", "full", "wrap_centered")
    check(
        [n], [neighbourhoods_op.bind(size=3, step=2, mode=m)(n) for m in modes], [np.array(7)], [np.array(3)]
    )
    only = [neighbourhoods_op.bind(size=3, step=2, mode="ignore_borders")(n)]
    check([n], only, [np.array(0)], [np.array(2)], [np.array(8)])
