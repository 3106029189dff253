"""Axes of which a call alone knows that they have length 1: traced programs repeat them as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat

V, W, A = np.array([1.0, 2.0, 3.0]), np.arange(5.0), np.arange(6.0).reshape(2, 3)
PARTS: dict[str, Callable[[Any], Any]] = {
    "mask": lambda v: v[v > 2],
    "counted by another mask": lambda v: v[v > 1],
    "unique": lambda v: np.unique(v * 0),
    "compress": lambda v: np.compress(v > 2, v),
    "nonzero": lambda v: np.flatnonzero(v > 2) * 1.5,
    "slice": lambda v: np.roll(v, 1)[1:2],
    "last": lambda v: v[v > 0][-1:],
    "negated": lambda v: -v[v > 2] + 1,
    "row of a mask": lambda v: (v[v > 2][:, None] + v)[:, 1],
}
USES: dict[str, Callable[[Any, Any], Any]] = {
    "zeros plus": lambda v, p: np.zeros(3) + p,
    "times ones": lambda v, p: p * np.ones(3),
    "with the whole": lambda v, p: np.maximum(v, p),
    "with itself": lambda v, p: p * p + p,
    "where": lambda v, p: np.where(np.array([True, False, True]), p, 0),
    "as a condition": lambda v, p: np.where(p > 2, v, -v),
    "compared": lambda v, p: p <= v,
    "column": lambda v, p: v[:, None] * p,
    "sum": lambda v, p: np.sum(p * np.ones(3)),
    "with another mask": lambda v, p: p + v[v > 2],
}


def written(v: Any, p: Any) -> Any:
    b = np.zeros_like(v)
    b[:] = p
    return b, b.sum(), b.shape


def added(v: Any, p: Any) -> Any:
    b = np.ones_like(v[:2, None] + v)
    b[1] += p
    return b


USES |= {"written": written, "added in place": added}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.sampled(30)
def test_parts_of_a_length_that_a_call_tells_broadcast(part: str, use: str) -> None:
    def program(v: Any) -> Any:
        return USES[use](v, PARTS[part](v))

    compiled = eqsat.jit(program)
    for v in (V, V[::-1], np.array([1.0, 1.5, 3.0])):
        try:
            wanted = program(v)
        except ValueError:
            with pytest.raises(eqsat.errors.EqsatError):
                compiled(v)
            continue
        found = compiled(v)
        for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
            assert np.shape(a) == np.shape(b)
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_bounds_that_are_arguments(k: int) -> None:
    def column(a: Any, k: int) -> Any:
        return a[:, k : k + 1] * np.ones((2, 3))

    def stencil(w: Any, k: int) -> Any:
        return w[:k] * w[:k] + np.maximum(w[:k], 0)

    np.testing.assert_array_equal(eqsat.jit(stencil)(W, k), stencil(W, k))
    if k < 3:
        np.testing.assert_array_equal(eqsat.jit(column)(A, k), column(A, k))


def test_derivatives_reach_what_is_repeated() -> None:
    def total(v: Any) -> Any:
        return np.sum(v[v > 2] * np.arange(1.0, 4.0))

    found = eqsat.jit(eqsat.value_and_grad(total))(V)
    np.testing.assert_array_equal(found[0], 18)
    np.testing.assert_array_equal(found[1], [0, 0, 6])


def test_equal_masks_are_left_alone() -> None:
    program = eqsat.jit(lambda v, w: v[v > 1] * w[v > 1] + v[v > 1])
    ops = str(eqsat.printing.debugprint(program.function_of(V, V).outputs, file="str"))
    assert "nonzero" in ops
    assert "assertion" not in ops
