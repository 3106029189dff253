"""Every byte of a bool but 0 is true, as in NumPy: it counts as 1 wherever it comes from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.runtime import load


@pytest.fixture(params=["launcher", "plain"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(load, "_function", load._plain_function)
    return str(request.param)


def odd(shape: tuple[int, ...]) -> np.ndarray:
    """Bools that are bytes of all values."""
    count = int(np.prod(shape))
    return (
        (np.random.default_rng(count).integers(0, 256, count) * np.arange(count) % 3)
        .astype(np.uint8)
        .view(bool)
        .reshape(shape)
        if count
        else np.zeros(shape, bool)
    )


def results(b: Any, c: Any, v: Any) -> list[Any]:
    i8 = "int8"
    return [
        b.sum(), b.sum(0), b.mean(), b.astype(i8), (b * 2).sum(1), T.switch(b, v, -v), b + c, b & c, b ^ c, ~b, T.eq(b, c),
        T.lt(b, c), T.cumsum(b.astype(i8), 0), T.concatenate([b, c], 1).sum(), b[0].astype(i8), b.T.astype(i8), b.any(0),
        b.all(1), T.dot(b.astype("float64"), v.T), T.maximum(b, c).astype(i8), T.argmax(b, 1), T.sort(b, 0).astype(i8),
        T.set_subtensor(b[0], c[0]).astype(i8), T.nonzero(b)[0], b[:, ::-1].sum(1), b.flatten().sum(), T.prod(b + 1),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "FAST_RUN"])
@pytest.mark.parametrize("shape", [(7, 9), (1, 1), (40, 33), (0, 3)])
@pytest.mark.sampled(5)
def test_bytes_of_all_values(shape: tuple[int, ...], mode: str, way: str) -> None:
    b, c, v = T.matrix("b", dtype="bool"), T.matrix("c", dtype="bool"), T.dmatrix("v")
    outs = results(b, c, v)
    if 0 in shape:
        outs = outs[:14]
    f = eqsat.function([b, c, v], outs, mode=mode)
    x, y, z = odd(shape), odd(shape)[::-1], np.ones(shape)
    plain = f(x.view(np.uint8) != 0, y.copy().view(np.uint8) != 0, z)
    before = x.view(np.uint8).copy()
    for found, wanted in zip(f(x, y, z), plain, strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(x.view(np.uint8), before)
    assert f(x, y, z)[0] == x.sum()


def test_constants_shared_variables_and_layouts(way: str) -> None:
    data = odd((12, 10))
    state, x = T.shared(data), T.matrix("x", dtype="bool")
    f = eqsat.function(
        [x], [state.sum(), T.constant(data).sum(), x.sum(), (x & state).sum()], mode="FAST_COMPILE"
    )
    for given in (data, data[::-1][::-1], np.asfortranarray(data), data.T.copy().T):
        found = f(given)
        assert [int(n) for n in found] == [int(data.sum())] * 4


def test_what_a_user_op_gives() -> None:
    @T.as_op(itypes=[T.lvector], otypes=[T.TensorType("bool", shape=(None,))])
    def bits(x: np.ndarray) -> np.ndarray:
        return x.astype(np.uint8).view(bool)

    x = T.lvector("x")
    f = eqsat.function([x], bits(x).sum() + 0, mode="FAST_COMPILE")
    assert f([0, 2, 255, 1]) == 3
