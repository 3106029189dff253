"""Convolutions that become one, scales that move into filters, pooling before functions; and where none of it may be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort
from eqsat.tensor.nnet import conv2d
from eqsat.tensor.signal.pool import pool_2d

RNG = np.random.default_rng(0)


def images(name: str, *shape: int | None) -> Any:
    return T.TensorType("float64", shape=shape)(name)


def channels(v: Any) -> Any:
    return v.dimshuffle("x", 0, "x", "x")


x, y = images("x", 3, 4, 9, 8), images("y", 3, 4, 9, 8)
w, v = images("w", 6, 4, 3, 3), images("v", 6, 4, 3, 3)
wide, paired = images("wide", 6, 4, 5, 5), images("paired", 6, 2, 3, 3)
s, b = images("s", 6), images("b", 6)
many = images("many", 24, 4, 3, 3)
free, other = images("free", None, 4, None, None), images("other", None, 4, None, None)
INPUTS = [x, y, w, v, wide, paired, many, s, b, free, other]


def agree(output: Any, rules: Any = None) -> Any:
    """The report of a function with rules, which gives what the reference gives."""
    inputs = [i for i in INPUTS if any(i in n.inputs for n in toposort([output]))]
    values = [RNG.normal(size=[9 if n is None else n for n in i.type.shape]) for i in inputs]
    f = eqsat.function(inputs, output, rules=rules)
    expected = eqsat.function(inputs, output, mode="reference")(*values)
    np.testing.assert_allclose(f(*values), expected, rtol=1e-9, atol=1e-12)
    return f.report


def ops(report: Any) -> Counter[str]:
    return Counter(str(n.op.name) for n in toposort(report.optimized))


@pytest.mark.parametrize(
    ("output", "by"),
    [
        (conv2d(x, w) + conv2d(y, w), "conv-common-filters-add"),
        (conv2d(free, w) - conv2d(other, w), "conv-common-filters-sub"),
        (conv2d(x, w, border_mode="half") - conv2d(x, v, border_mode="half"), "conv-common-images-sub"),
        (conv2d(x, w, subsample=(2, 2)) + conv2d(y, w, subsample=(2, 2)), "conv-common-filters-add"),
        (T.concatenate([conv2d(x, w), conv2d(x, v)], axis=1), "join-of-convs-by-channel"),
        (T.concatenate([conv2d(x, many), conv2d(y, many)], axis=0), "join-of-convs-by-image"),
        (conv2d(x, paired, num_groups=2) + conv2d(y, paired, num_groups=2), "conv-common-filters-add"),
    ],
    ids=lambda a: a if isinstance(a, str) else "",
)
def test_two_convolutions_become_one(output: Any, by: str) -> None:
    report = agree(output)
    assert by in report.rules
    assert ops(report)["conv"] == 1


@pytest.mark.parametrize(
    "output",
    [
        conv2d(free, w, subsample=(2, 2))
        + conv2d(other, w, subsample=(2, 2)),  # images of 8 and of 9 rows may meet
        conv2d(x, w, border_mode="half") + conv2d(x, wide, border_mode="half"),
        T.concatenate([conv2d(x, paired, num_groups=2), conv2d(x, -2 * paired, num_groups=2)], axis=1),
        conv2d(x, w) + conv2d(y, v),
        conv2d(x, w) + conv2d(y, w, filter_flip=False),
    ],
)
def test_they_stay_two_where_they_may_differ(output: Any) -> None:
    assert ops(agree(output))["conv"] == 2


def test_scales_and_shifts_of_channels_go_into_the_filters() -> None:
    folded = eqsat.optimize((conv2d(x, w) - channels(b)) / channels(s))
    assert "conv-images-sub-truediv-in-filters" in folded.rules
    shapes = [n.outputs[0].type.shape for n in toposort(folded.optimized) if n.op.name == "truediv"]  # type: ignore[attr-defined]
    assert (3, 6, 7, 6) not in shapes
    assert len(shapes) == 2
    agree((conv2d(x, w) - channels(b)) / channels(s))
    assert "conv-images-mul-in-filters" in agree(conv2d(x, w) * channels(s)).rules
    assert ops(agree(conv2d(-x, w)))["neg"] == 1


def test_a_box_filter_is_a_sum_over_windows_axis_by_axis() -> None:
    single, box = images("single", 2, 1, 24, 24), T.constant(np.full((1, 1, 9, 9), 0.5))
    report = eqsat.optimize(conv2d(single, box, border_mode="half"))
    assert ops(report)["pool_sum"] == 2
    assert not ops(report)["conv"]
    f = eqsat.function([single], conv2d(single, box, border_mode="half"))
    value = RNG.normal(size=(2, 1, 24, 24))
    expected = eqsat.function([single], conv2d(single, box, border_mode="half"), mode="reference")(value)
    np.testing.assert_allclose(f(value), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [T.tanh, T.exp, lambda u: T.maximum(u, 0), lambda u: u + 2.0])
def test_what_is_pooled_is_computed_after_pooling(function: Any) -> None:
    report = agree(pool_2d(function(x), (2, 2), ignore_border=True))
    last = report.optimized[0].owner
    assert last.op.name != "pool_max"
    assert ops(report)["pool_max"] == 1


def test_large_windows_are_pooled_axis_by_axis_and_small_ones_at_once() -> None:
    assert ops(agree(pool_2d(x, (5, 5), stride=(1, 1), ignore_border=True)))["pool_max"] == 2
    assert ops(agree(pool_2d(x, (2, 2), ignore_border=True)))["pool_max"] == 1


def test_filters_of_one_element_are_widened_on_request() -> None:
    point = images("point", 6, 4, 1, 1)
    output = T.concatenate([conv2d(x, w, border_mode="half"), conv2d(x, point, border_mode="half")], axis=1)
    assert ops(eqsat.optimize(output))["conv"] == 2
    assert "conv-pointwise-widened" in eqsat.optimize(output, rules="default,optional").rules
