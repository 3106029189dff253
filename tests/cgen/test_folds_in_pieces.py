"""Folds over the space of an operand of pieces: one kernel with what puts the pieces together, in all its parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import Kernel, Pieces
from tests.cgen.interpreter import run

SIZES = [0, 1, 2, 3, 5, 70, 3000]


def off(x: Any) -> Any:
    """Differences of neighbours along the first axis, and what they are less the square of."""
    return (x[1:] - x[:-1] * x[:-1]) * (x[:-1] - 2)


def valley(x: Any) -> list[Any]:
    """A sum over neighbours beside what is written where they stand."""
    return [
        off(x).sum(),
        T.inc_subtensor(T.inc_subtensor(T.zeros_like(x)[1:], off(x) * 3)[:-1], off(x) - x[1:]),
    ]


def middle(x: Any) -> list[Any]:
    """Folds of several kinds over the middle, which replaces that of an operand."""
    inner = x[1:-1] * x[2:] - x[:-2]
    return [inner.sum(), T.prod(inner / 64 + 1), T.any(inner > 3), T.set_subtensor(x[1:-1], inner * 2) * 3]


def join(x: Any) -> list[Any]:
    """A sum over what is joined to something else."""
    rest = x[1:] * 2 - x[:-1]
    return [T.concatenate([x[:1], rest * rest]), T.sqr(rest).sum()]


def over_again(x: Any) -> list[Any]:
    """A fold of values that the result does not hold: they are replaced there."""
    first = T.inc_subtensor(T.zeros_like(x)[1:], off(x) * 2)
    return [off(x).sum(), T.set_subtensor(first[2:], x[2:] + 1)]


def around(x: Any) -> list[Any]:
    """A fold of values that are replaced in the middle."""
    square = x * x
    return [(square * x).sum(), T.set_subtensor((square * 3)[1:-1], 2.0), T.set_subtensor(square[:2], x[:2])]


def added_to(x: Any) -> list[Any]:
    """A fold of values to which others are added."""
    square = x * x
    return [(square * x).sum(), T.inc_subtensor((square * 3)[1:], 1 - x[:-1])]


def repeated(x: Any) -> list[Any]:
    """A fold of a row that stands in several."""
    row = x.sum(0, keepdims=True) / 8
    return [(row * row - 2).sum(), T.set_subtensor(x[1:], row * row * 3), T.inc_subtensor(x[:2], row * 3)]


TOGETHER = {p.__name__: p for p in (valley, middle, join, over_again, added_to)}
PROGRAMS = TOGETHER | {p.__name__: p for p in (around, repeated)}  # whose folds have kernels of their own


def data(dtype: str, shape: tuple[int, ...], seed: int, wild: bool) -> np.ndarray:
    """Numbers of a dtype; NaN and infinities where they are wild."""
    draw = np.random.default_rng(seed)
    x = draw.integers(-3, 4, shape).astype(dtype)
    if wild and dtype.startswith("f"):
        x = np.asarray(np.where(draw.random(shape) < 1e-2, draw.choice([np.inf, np.nan], shape), x), dtype)
    return x


@np.errstate(all="ignore")
def check(name: str, ndim: int, dtype: str, wild: bool = False) -> None:
    """Compare a program with the reference for all sizes and strides."""
    x = T.tensor(dtype, shape=(None,) * ndim, name="x")
    fast, slow = (eqsat.function([x], PROGRAMS[name](x), mode=m) for m in ("FAST_RUN", "reference"))
    for n in SIZES:
        shape = (n, 3, 2)[:ndim]
        value = data(dtype, shape, n, wild)
        turned = np.asfortranarray(value)
        for given in (value, value[::-1], turned):
            for got, want in zip(fast(given), slow(given), strict=True):
                np.testing.assert_allclose(
                    got, want, rtol=2e-4 if dtype == "float32" else 1e-9, atol=1e-2 * (dtype == "float32")
                )


@pytest.mark.parametrize("name", PROGRAMS)
def test_folds_in_pieces_are_those_of_the_reference(name: str) -> None:
    """Values of float64 agree, NaN and infinities among them."""
    check(name, 1, "float64")
    check(name, 1, "float64", wild=True)


@pytest.mark.parametrize(("ndim", "dtype"), [(2, "float32"), (3, "float64"), (1, "int32"), (2, "complex128")])
def test_folds_in_pieces_of_other_types(ndim: int, dtype: str) -> None:
    """Ranks and dtypes agree with the reference."""
    check("valley", ndim, dtype)
    check("join", ndim, dtype)


@pytest.mark.parametrize("name", TOGETHER)
def test_folds_run_in_the_kernel_of_the_pieces(name: str) -> None:
    """One kernel holds both, and another target runs it to the same values."""
    x = T.dvector("x")
    plan = plan_graph([x], PROGRAMS[name](x), fused=True)
    kernels = [s for s in plan.steps if isinstance(s, Kernel)]
    assert len(kernels) == 1
    assert any(isinstance(e, Pieces) and e.only is not None for e in kernels[0].expressions)
    slow = eqsat.function([x], PROGRAMS[name](x), mode="reference")
    for n in (2, 3, 70):
        value = data("float64", (n,), n, False)
        for got, want in zip(run(plan, [value]), slow(value), strict=True):
            np.testing.assert_allclose(np.ravel(got), np.ravel(want))


def test_bits_do_not_depend_on_threads() -> None:
    """Sums in parts are the same for any number of threads."""
    x = T.dvector("x")
    f = eqsat.function([x], valley(x))
    value = np.random.default_rng(0).normal(size=300_001)
    seen = set()
    for threads in (1, 2, 4):
        with eqsat.config.change_flags(threads=threads):
            seen.add((float(f(value)[0]).hex(), f(value)[1].tobytes()))
    assert len(seen) == 1


def test_fold_that_reads_the_result_stays_apart() -> None:
    """A sum of what is put together waits for it."""
    x = T.dvector("x")
    whole = T.set_subtensor(x[1:], off(x))
    f = eqsat.function([x], [whole, T.exp(whole[1:] - whole.sum()).sum()])
    value = np.linspace(-1, 1, 9)
    want = np.concatenate([value[:1], (value[1:] - value[:-1] ** 2) * (value[:-1] - 2)])
    np.testing.assert_allclose(f(value)[1], np.exp(want[1:] - want.sum()).sum())


@pytest.mark.parametrize("n", [None, 1, 2, 3, 4, 40])
def test_folds_in_pieces_inside_a_loop(n: int | None) -> None:
    """Steps of known and unknown lengths fold in parts, too."""
    x = T.tensor("float64", shape=(n,), name="x")

    def step(x: Any) -> list[Any]:
        total, slope = valley(x)
        return [x - slope / 64, total]

    (last, totals), _ = eqsat.scan(step, outputs_info=[x, None], n_steps=3)
    fast, slow = (eqsat.function([x], [last, totals], mode=m) for m in ("FAST_RUN", "reference"))
    value = np.linspace(-1, 1, n or 7)
    for got, want in zip(fast(value), slow(value), strict=True):
        np.testing.assert_allclose(got, want)
