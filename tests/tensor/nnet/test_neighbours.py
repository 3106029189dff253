"""Neighbourhoods of images against slices of padded images, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatError, RankError, ShapeError
from eqsat.gradient import verify_grad

N = T.nnet


def direct(x: Any, size: Any, step: Any, mode: str) -> Any:
    """Rows of neighbourhoods by the documented modes."""
    before = [{"half": s // 2, "wrap_centered": s // 2, "full": s - 1}.get(mode, 0) for s in size]
    kind: Any = "wrap" if mode == "wrap_centered" else "constant"
    padded = np.pad(x, [(0, 0), (0, 0), *((b, s) for b, s in zip(before, size, strict=True))], mode=kind)
    reach = {"valid": lambda s: -s, "ignore_borders": lambda s: -s, "half": lambda s: -(s % 2),
             "full": lambda s: s - 2, "wrap_centered": lambda s: -1}[mode]  # fmt: skip
    starts = [range(0, n + reach(s) + 1, t) for n, s, t in zip(x.shape[2:], size, step, strict=True)]
    rows = [
        padded[b, c, i : i + size[0], j : j + size[1]].ravel()
        for b in range(x.shape[0])
        for c in range(x.shape[1])
        for i in starts[0]
        for j in starts[1]
    ]
    return np.array(rows).reshape(len(rows), size[0] * size[1])


CASES: list[tuple[Any, Any, Any, str]] = [
    ((2, 3, 4, 6), (2, 3), (2, 3), "valid"),
    ((1, 2, 5, 7), (3, 2), (1, 1), "valid"),
    ((1, 2, 5, 7), (2, 3), (2, 2), "ignore_borders"),
    ((1, 1, 1, 7), (2, 3), (2, 2), "ignore_borders"),
    ((1, 2, 5, 6), (3, 3), (2, 1), "wrap_centered"),
    ((1, 2, 5, 6), (3, 2), (2, 2), "half"),
    ((1, 2, 5, 6), (3, 2), (2, 3), "full"),
    ((0, 2, 4, 6), (2, 3), (2, 3), "valid"),
]


def test_rows_are_the_neighbourhoods(seed_mode: str) -> None:
    inputs = T.dtensor4s(len(CASES))
    outputs = [N.images2neibs(x, c[1], c[2], c[3]) for x, c in zip(inputs, CASES, strict=True)]
    values = [np.random.default_rng(k).normal(size=c[0]) for k, c in enumerate(CASES)]
    found = eqsat.function(inputs, outputs, mode=seed_mode)(*values)
    for value, case, rows in zip(values, CASES, found, strict=True):
        np.testing.assert_array_equal(rows, direct(value, *case[1:]), err_msg=str(case))


@pytest.mark.parametrize("case", [CASES[k] for k in (1, 4, 5, 6)], ids=str)
def test_gradient_is_that_of_differences(case: Any) -> None:
    verify_grad(lambda v: N.images2neibs(v, *case[1:]), [np.random.default_rng(0).normal(size=case[0])])


def test_images_come_back(seed_mode: str) -> None:
    x, y = T.dtensor4(), T.dtensor4()
    back = N.neibs2images(N.images2neibs(x, (2, 3)), (2, 3), x.shape)
    part = N.neibs2images(
        N.images2neibs(y, (2, 3), mode="ignore_borders"), (2, 3), y.shape, mode="ignore_borders"
    )
    a, b = (np.random.default_rng(1).normal(size=s) for s in [(2, 3, 4, 6), (1, 2, 5, 7)])
    found = eqsat.function([x, y], [back, part, T.grad((back**2).sum(), x)], mode=seed_mode)(a, b)
    np.testing.assert_array_equal(found[0], a)
    wanted = b.copy()
    wanted[:, :, 4:], wanted[..., 6:] = 0, 0
    np.testing.assert_array_equal(found[1], wanted)
    np.testing.assert_allclose(found[2], 2 * a)


def test_sizes_may_be_constant_vectors() -> None:
    x = np.arange(8).reshape(1, 1, 2, 4)
    size = T.as_tensor_variable(np.array([2, 2]))
    np.testing.assert_array_equal(
        N.neighbours.images2neibs(x, size).eval(), direct(x, (2, 2), (2, 2), "valid")
    )


four = T.tensor("float64", (1, 1, 5, 6), "four")
BAD: list[tuple[Any, type[EqsatError], str]] = [
    (lambda: N.images2neibs(T.dmatrix("m"), (2, 2)), RankError, "images2neibs: m has 2 dimensions, not 4"),
    (lambda: N.images2neibs(four, (2, 2), mode="odd"), ArgumentError, "images2neibs: unknown mode 'odd'"),
    (lambda: N.images2neibs(four, (2, 3), mode="wrap_centered"), ArgumentError,
     "images2neibs: wrap_centered neighbourhoods have odd lengths, not (2, 3)"),
    (lambda: N.images2neibs(four, (2, 0)), ArgumentError, "images2neibs: neib_shape does not take (2, 0)"),
    (lambda: N.neibs2images(four, (2, 2), (1, 1, 4, 4)), RankError, "neibs2images: four has 4 dimensions, not 2"),
    (lambda: N.neibs2images(T.dmatrix("m"), (2, 2), (1, 1, 4, 4), "half"), ArgumentError,
     "neibs2images: unknown mode 'half'"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", BAD)
def test_mistakes_are_refused_when_the_graph_is_built(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_steps_that_do_not_end_at_the_border(mode: str) -> None:
    x = T.dtensor4()
    f = eqsat.function([x], N.images2neibs(x, (2, 3)), mode=mode)
    with pytest.raises(ShapeError, match="steps of 2 do not end at the border of an axis of length 5"):
        f(np.ones((1, 1, 5, 6)))
    with pytest.raises(ShapeError, match="cover 3 elements of an axis of length 2"):
        f(np.ones((1, 1, 4, 2)))
