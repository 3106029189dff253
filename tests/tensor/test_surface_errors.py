"""What the NumPy surface refuses, and its gradients against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import EqsatError
from tests.reference import evaluate, numeric_gradient

x, v, s, f, z = T.dmatrix("x"), T.dvector("v"), T.dscalar("s"), T.lvector("f"), T.zvector("z")
REFUSED = [
    (lambda: T.squeeze(x, 2), "squeeze: x has no axis 2"),
    (lambda: T.expand_dims(x, (0, 0)), r"expand_dims: the axes \[0, 0\] name one axis twice"),
    (lambda: T.moveaxis(x, [0, 1], 0), "moveaxis: 2 axes have 1 destinations"),
    (lambda: T.fliplr(v), "fliplr: v has 1 dimensions"),
    (lambda: T.roll(x, (1, 2, 3), (0, 1)), "roll: 3 shifts for 2 axes"),
    (lambda: T.broadcast_shapes((2,), (3,)), "broadcast_shapes: axis 0 has the lengths 2 and 3"),
    (lambda: T.patternbroadcast(x, (True,)), "patternbroadcast: the pattern has 1 entries"),
    (lambda: T.repeat(x, 1.5), "repeat: .* is not a number of repeats"),
    (lambda: T.repeat(x, [[1]]), "repeat: the repeats have 2 dimensions"),
    (lambda: T.tile(x, f), "tile: the number of repeats in f is not known"),
    (lambda: T.tile(x, (1, 2), ndim=1), "tile: ndim=1 is less than 2 repeats"),
    (lambda: T.diff(x, -1), "diff: n is a number of times, not -1"),
    (lambda: T.convolve(x, v), "convolve: x has 2 dimensions, not 1"),
    (lambda: T.convolve(v, v, "half"), "convolve: there is no mode 'half'"),
    (lambda: T.interp(v, x, v), "interp: .* has 2 dimensions, not 1"),
    (lambda: T.sort(v, kind="bubble"), "sort: there is no kind 'bubble'"),
    (lambda: T.sort(v, order="a"), "sort: order='a' names fields"),
    (lambda: T.sort(z), "sort is not defined for c128"),
    (lambda: T.topk(v, 0), "topk: kth is 0"),
    (lambda: T.lexsort([]), "lexsort: no keys are given"),
    (lambda: T.searchsorted(v, v, "middle"), "searchsorted: there is no side 'middle'"),
    (lambda: T.bincount(v), "bincount: v does not hold integers"),
    (lambda: T.to_one_hot(v, 2), "to_one_hot: v does not hold integers"),
    (lambda: T.join(0), "join: an axis and tensors are needed"),
    (lambda: T.concatenate(s), "concatenate: s is not a list of tensors"),
    (lambda: T.split(v, f), "split: the number of parts is not known"),
    (lambda: T.split(v, [1, 2], 3), "split: 2 sizes are given for 3 parts"),
    (lambda: T.split(v, [1], 0), "split: n_splits is a positive number, not 0"),
    (lambda: T.split(v, 1.5, 2), "split: the sizes are not a vector of integers"),
    (lambda: T.split(T.zeros(3), 2), "split: the length 3 is no multiple of 2"),
    (lambda: T.split(T.zeros(3), [1, 1], 2), "split: the sizes of the parts sum to 2, the axis has length 3"),
    (lambda: T.split(T.zeros(3), [-1, 4], 2), "split: the size -1 of a part is negative"),
    (lambda: T.array_split(v, 0), "array_split: 0 is not a number of parts"),
    (lambda: T.split(v, 0), "split: 0 is not a number of parts"),
    (lambda: T.vsplit(v, 2), "vsplit: v has 1 dimensions"),
    (lambda: T.meshgrid(v, indexing="ab"), "meshgrid: there is no indexing 'ab'"),
    (lambda: T.meshgrid(x), "meshgrid: x has 2 dimensions, not 1"),
    (lambda: T.mgrid[1], "a grid is made of slices with an end, not of 1"),
    (lambda: T.vander(x), "vander: x has 2 dimensions, not 1"),
    (lambda: T.pad(v, 1, "ramp"), "pad: there is no mode 'ramp'"),
    (lambda: T.pad(v, -1), "pad: the width .* is negative"),
    (lambda: T.pad(v, ((1, 1), (1, 1))), "pad: pad_width .* does not fit 1 dimensions"),
    (lambda: T.pad(v, 1, constant_values=v), "pad: a constant value is not a scalar"),
    (lambda: T.unique(x, axis=0), "unique: rows are not compared"),
    (lambda: T.select([], []), "select: 0 conditions for 0 choices"),
    (lambda: T.polyval(v, s), "polyval: the number of coefficients in v is not known"),
    (lambda: T.cov(T.dtensor3("t")), "cov: t has 3 dimensions"),
    (lambda: T.bincount(f).eval({f: [-1]}, mode="reference"), "bincount: the element -1 is negative"),
    (lambda: T.repeat(v, f).eval({v: [1.0], f: [1, 2]}, mode="reference"), "repeat: 2 numbers of repeats"),
    (lambda: T.repeat(v, f).eval({v: [1.0, 2.0], f: [1, -2]}, mode="reference"), "repeats -2 is negative"),
    (lambda: T.convolve(v, v).eval({v: np.zeros(0)}, mode="reference"), "convolve: a vector is empty"),
]  # fmt: skip


@pytest.mark.parametrize("call, text", REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_refused(call: Any, text: str) -> None:
    with pytest.raises(EqsatError, match=text):
        call()


GRADIENTS = {
    "pad": lambda a: T.pad(a, 2, "reflect"),
    "pad mean": lambda a: T.pad(a, 1, "mean"),
    "roll": lambda a: T.roll(a, 2),
    "tile": lambda a: T.tile(a, (2, 2)),
    "topk": lambda a: T.topk(a, 2),
    "diff": lambda a: T.diff(a, 2),
    "trapezoid": lambda a: T.trapezoid(a, axis=0),
    "cumprod": lambda a: T.cumprod(a - a[1, 1], 1),
    "interp": lambda a: T.interp(0.3 * a, [-3.0, 0.1, 3.0], [1.0, 2.0, 5.0]),
    "rot90": lambda a: T.rot90(a),
    "linspace": lambda a: T.linspace(a[0, 0], a[1], 4),
    "cov": lambda a: T.cov(a),
    "polyval": lambda a: T.polyval([1.0, 2.0, 3.0], a),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient(name: str) -> None:
    value = np.random.default_rng(4).normal(size=(3, 4))
    cost = (T.sin(GRADIENTS[name](x)) * 1.5).sum()
    found = evaluate([T.grad(cost, x)], {x: value})[0]
    np.testing.assert_allclose(found, numeric_gradient(cost, x, {x: value}), rtol=1e-4, atol=1e-6)
