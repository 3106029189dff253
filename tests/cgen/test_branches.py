"""Branches in C: both sides against the reference, without a return to Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.graph.control.ifelse import LazyIfElse
from eqsat.graph.core import one_line

MODES = ("FAST_COMPILE", "FAST_RUN")
ifelse = eqsat.ifelse
pytestmark = pytest.mark.c
x, y, n, c = T.dvector("x"), T.dvector("y"), T.lscalar("n"), T.bscalar("c")
X = T.dmatrix("X")
A, B = np.linspace(-1.0, 2.0, 5), np.arange(5.0) + 0.5
M = np.arange(12.0).reshape(3, 4) / 7


def same(inputs: Sequence[Any], outputs: Sequence[Any], *calls: Sequence[Any]) -> None:
    """Values of compiled functions are those of the reference, and no branch runs in Python."""
    reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
    wanted = [reference(*values) for values in calls]
    for mode in MODES:
        f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LazyIfElse, "perform", None)
            for values, want in zip(calls, wanted, strict=True):
                for got, expected in zip(f(*values), want, strict=True):
                    assert got.dtype == expected.dtype and got.shape == expected.shape
                    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10)


SIDES: dict[str, Callable[[], list[Any]]] = {
    "as it is": lambda: [ifelse(c, x, y)],
    "views": lambda: [ifelse(c, x[::-1], y[:5])],
    "other lengths": lambda: [ifelse(c, x[1:3], T.concatenate([y, x]))],
    "one result twice": lambda: list(ifelse(c, [x, x], [y, x])),
    "scalars": lambda: list(ifelse(c, [x.sum(), n], [y.prod(), n * 2])),
    "a matrix that is turned": lambda: [ifelse(c, X.T, X[:2, :3].T), X + 1],
    "read by a kernel": lambda: [T.exp(ifelse(c, x * 2, y / 3)) + x, x.sum()],
    "overwritten": lambda: [T.set_subtensor(ifelse(c, x * 2, y)[0], 7.0)],
    "rows": lambda: [ifelse(c, T.softmax(X, axis=1), X / X.sum(axis=1, keepdims=True))],
    "a product": lambda: [ifelse(c, X @ X.T, X[:, :3] * 1.0)],
    "nothing": lambda: [ifelse(c, x[:0], y[5:])],
    "one in another": lambda: [ifelse(c, ifelse(n > 0, T.exp(x), x[1:]), ifelse(n > 1, y, y * y))],
    "one behind another": lambda: [ifelse(c, x, y[1:]) * ifelse(n > 0, x.sum(), T.sqrt(y).sum())],
    "gradient": lambda: list(T.grad(ifelse(c, T.sqrt(x + 1.5), T.exp(x) * y).sum(), [x, y])),
    "a float condition": lambda: [ifelse(y[0] - 0.5, x, y)],
}


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.sampled(5)
def test_a_branch_gives_the_values_of_its_side(name: str) -> None:
    same([x, y, X, n, c], SIDES[name](), *([A, B, M, k, t] for t in (0, 1, 2) for k in (0, 1, 5)))


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "complex128"])
def test_a_branch_of_any_dtype(dtype: str) -> None:
    a, b = T.vector("a", dtype=dtype), T.vector("b", dtype=dtype)
    u, v = np.array([0, 1, 0, 1, 1]).astype(dtype), np.array([1, 1, 0]).astype(dtype)
    same([a, b, c], [ifelse(c, a, b), ifelse(c, a.sum(), b.sum())], [u, v, 0], [u, v, 1])


def test_a_step_of_a_loop_takes_one_side() -> None:
    growing, _ = eqsat.scan(lambda k, s: ifelse(k % 2, s * 2 + x, T.cos(s) - x), T.arange(n), outputs_info=x)
    numbers, _ = eqsat.scan(lambda k, s: ifelse(s > 100, s / 7, s * 3 + k), T.arange(n), outputs_info=x[0])
    same([x, n], [growing, growing[-1], numbers], [A, 7], [A, 1])


def test_a_side_runs_a_loop() -> None:
    powers, _ = eqsat.scan(lambda s: s * x, outputs_info=T.ones_like(x), n_steps=n)
    same([x, y, n, c], [ifelse(c, powers[-1], y[1:])], [A, B, 3, 1], [A, B, 3, 0], [A, B, 0, 0])


def test_an_error_is_that_of_the_side_that_runs() -> None:
    f = eqsat.function([x, y, c], ifelse(c, x + y, x))
    np.testing.assert_array_equal(f(A, B[:2], 0), A)
    with pytest.raises(ShapeError, match="5"):
        f(A, B[:2], 1)


def test_a_state_is_updated_by_the_side_that_runs() -> None:
    s = eqsat.shared(np.zeros(3), "s")
    f = eqsat.function([c], s.sum(), updates=[(s, ifelse(c, s + 1, s * 2))])
    assert [float(f(k)) for k in (1, 0, 1, 0)] == [0.0, 3.0, 6.0, 9.0]
    np.testing.assert_array_equal(s.get_value(), [6.0] * 3)


def test_results_of_earlier_branches_stay_until_they_are_read() -> None:
    parts = [ifelse(c + k > 1, x * k, y[: 5 - k] + k) for k in range(4)]
    outputs = [p.sum() for p in parts] + [T.exp(parts[0]), parts[3] * 2] + [parts[1] + 1, parts[2]]
    same([x, y, c], outputs, [A, B, 0], [A, B, 1], [A, B, 2])


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(k, marks=pytest.mark.sweep) for k in range(3, 40))]
)
def test_random_graphs_of_branches(seed: int) -> None:
    random = np.random.default_rng(seed)
    values: list[Any] = [x, y, x * y]
    ops: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a + b,
        lambda a, b: T.tanh(a) * b,
        lambda a, b: T.concatenate([a, b])[::2][:5],
        lambda a, b: T.cumsum(a) - b,
        lambda a, b: a[::-1] - b.mean(),
    ]
    for _ in range(8):
        a, b, other = (values[k] for k in random.integers(len(values), size=3))
        made = ops[random.integers(len(ops))](a, b)
        if random.random() < 0.5:
            made = ifelse(n > int(random.integers(3)), made, ops[random.integers(len(ops))](other, a))
        values.append(made)
    cost = sum(v.sum() for v in values[-2:])
    outputs = [*values[-3:], *T.grad(cost, [x, y], disconnected_inputs="ignore")]
    same([x, y, n], outputs, *([A, B, k] for k in range(4)))


def test_a_function_with_a_branch_is_kept_on_disk(tmp_path: Path) -> None:
    eqsat.config.cache_dir = str(tmp_path)
    z = T.dvector("z")
    with one_line("kept"):
        outputs = ifelse(z.sum() > 0, T.exp(z) + 17.5, z[1:])
        first, second = (eqsat.function([z], outputs) for _ in range(2))
        other = eqsat.function([z], ifelse(z.sum() > 0, T.exp(z) + 17.5, z[:1]))
    assert not first.report.not_kept
    assert second.seconds.keys() != first.seconds.keys() and "lookup" in second.seconds
    assert [f([-1.0, 0.0]).tolist() for f in (first, second, other)] == [[0.0], [0.0], [-1.0]]


def test_the_report_shows_the_steps_of_both_sides() -> None:
    f = eqsat.function([x, c], ifelse(c, T.exp(x), T.sin(x).sum() + x[:1]))
    (branch,) = [step for step in f.report.steps if step.kind == "branch"]
    assert len(branch.inside) >= 2
    assert "exp" in branch.inside[0].text
