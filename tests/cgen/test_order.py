"""Sorting, running sums, searches, parts and ops that only change gradients in C against their meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import ALL, COMPLEX
from eqsat.graph.tensor_type import TensorType

DICE = np.random.default_rng(4)


def test_sorting_and_running_sums(check: Any) -> None:
    x = T.dtensor3("x")
    some = [x, x[:, ::-2], x.dimshuffle(2, 0, 1)]
    names = ("sort", "argsort", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")
    outputs = [OPS[name].bind(axis=a)(v) for name in names for v in some for a in range(3)]
    odd = DICE.integers(-2, 3, (3, 4, 5)).astype(float)
    odd[0, 1, 2], odd[1, 1, 1], odd[2, 2] = np.nan, np.inf, -0.0
    calls = [
        [odd],
        [DICE.normal(size=(2, 40, 3))],
        [np.zeros((1, 1, 1))],
        [np.zeros((0, 2, 3))],
        [np.zeros((2, 0, 3))],
    ]
    check([x], outputs, *calls, ulps=100, atol=1e-13)


@pytest.mark.sweep
def test_every_dtype_is_sorted_and_summed(check: Any) -> None:
    inputs, outputs, values = [], [], []
    for dtype in ALL:
        x = TensorType(dtype, shape=(None, None))()
        inputs.append(x)
        values.append(DICE.integers(0, 2 if dtype == "bool" else 100, (20, 3)).astype(dtype))
        names = (
            ("cumsum", "cumprod")
            if dtype in COMPLEX
            else ("sort", "argsort", "cumsum", "cumprod", "cummax", "cummin")
        )
        outputs += [
            OPS[name].bind(axis=a)(x)
            for name in names
            for a in (0, 1)
            if dtype != "bool" or "cum" not in name
        ]
    small = [np.minimum(np.abs(v), 1).astype(v.dtype) for v in values]
    check(inputs, outputs, small, [v[:0] for v in values], ulps=100)
    order = [v for v in outputs if "sort" in v.owner.op.name]
    check(inputs, order, values)


def test_searches_counts_and_runs(check: Any) -> None:
    a, v, n = T.dvector("a"), T.dmatrix("v"), T.lvector("n")
    outputs = [
        OPS["searchsorted"].bind(right=r)(b, w) for r in (0, 1) for b in (a, a[::2]) for w in (v, v.T[::-1])
    ]
    outputs += [OPS["run_starts"].bind()(b) for b in (a, a[::2], a[::-1])]
    outputs += [
        OPS["bins"].bind()(m, k)
        for m in (n, n[::-2])
        for k in (T.constant(np.int64(0)), T.constant(np.int64(9)))
    ]
    rows = np.array([-np.inf, 0, 0, 1, 2, 2, 2, np.nan, np.nan])
    points = np.array([[0.0, np.nan, -np.inf], [2, 5, -1]])
    calls = [
        [rows, points, np.array([3, 0, 3, 1])],
        [rows[:0], points, np.zeros(0, int)],
        [rows, points[:0], np.array([7])],
    ]
    check([a, v, n], outputs, *calls)


def test_repeats_and_parts(check: Any) -> None:
    n, sizes = T.lvector("n"), T.lvector("sizes")
    outputs = [OPS["spread"].bind()(m, m.shape[0]) for m in (n, n[::-1], n[::2])]
    outputs += [OPS["part_ends"].bind(parts=3)(m, sizes.sum()) for m in (sizes, sizes[::-1])]
    counts = [np.array([2, 0, 3]), np.zeros(0, int), np.zeros(4, int)]
    check(
        [n, sizes],
        outputs,
        *[[c, np.array(s)] for c, s in zip(counts, ([1, 0, 4], [0, 0, 0], [2, 2, 2]), strict=True)],
    )


def test_full_convolutions_of_rows(check: Any) -> None:
    x, y, m = T.dmatrix("x"), T.dmatrix("y"), T.lmatrix("m")
    rows = OPS["convolve"].bind()
    outputs = [rows(x, y), rows(x[::-1, ::-1], y[:, ::2]), rows(m, m), rows(m > 1, m > 0)]
    calls = [
        [DICE.normal(size=(k, 4)), DICE.normal(size=(k, 3)), DICE.integers(-3, 3, (k, 2))] for k in (3, 0, 1)
    ]
    check([x, y, m], outputs, *calls, ulps=1e3, atol=1e-14)


def test_joins_along_an_axis_known_at_run_time(check: Any) -> None:
    axis, x, y = T.lscalar("axis"), T.dmatrix("x"), T.dmatrix("y")
    join = OPS["concatenate_at"].bind()
    outputs = [join(axis, x, y), join(axis, x.T, y.T, x[::-1, ::-1].T), join(axis, x)]
    pairs = [(np.ones((2, 3)), np.zeros((2, 3))), (np.ones((0, 3)), np.zeros((0, 3)))]
    check([axis, x, y], outputs, *[[np.array(a), *pair] for a in (0, 1, -1, -2) for pair in pairs])


def test_identities(check: Any) -> None:
    x = T.dmatrix("x")
    ops = [OPS["clip_gradient"].bind(low=-1.0, high=1.0), OPS["scale_gradient"].bind(factor=2.0)]
    ops += [OPS["zero_gradient"].bind(), OPS["disconnect_gradient"].bind()]
    outputs = [op(v) for op in ops for v in (x, x[::-1, ::2], x.T)] + [op(T.exp(x)) + 1 for op in ops]
    check([x], outputs, [DICE.normal(size=(3, 4))], [np.zeros((0, 4))])


def test_recurrences(check: Any, compiled: Any) -> None:
    a, b = T.dtensor3("a"), T.ztensor3("b")
    outputs = []
    for k in range(3):
        op = OPS["recurrence"].bind(axis=k)
        outputs += [
            op(a, a[::-1]),
            op(a.dimshuffle(2, 0, 1), a[:, ::-1].dimshuffle(2, 0, 1)),
            op(b, b[:, ::-1]),
        ]
    calls = []
    for shape in [(3, 4, 5), (1, 1, 1), (0, 2, 3), (2, 0, 3)]:
        x, y = DICE.normal(size=(2, *shape))
        calls.append([x, x + 1j * y])
    check([a, b], outputs, *calls, ulps=1e4, atol=1e-13)
    f = compiled([a], [OPS["recurrence"].bind(axis=0)(a, a[1:])])
    text = "recurrence: axis 0 has the lengths 2 and 1"
    with pytest.raises(ShapeError, match=text):
        f(np.zeros((2, 1, 1)))
    with pytest.raises(ShapeError, match=text):
        OPS["recurrence"].bind(axis=0).compute(np.zeros((2, 1, 1)), np.zeros((1, 1, 1)))
