"""Steps over blocks of rows, and kernels with several results: as the reference mode computes them, on any number of rows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.lower import rows as lower_rows
from eqsat.errors import ShapeError
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import Call, Kernel, Rows
from eqsat.tensor import nlinalg


def slope_of_counts(x: Any) -> list[Any]:
    """Value and gradient of a likelihood of counts: two products with one matrix, of rows and over them."""
    w = T.sin(T.arange(x.shape[1])).astype(x.dtype)
    rate = T.dot(x, w)
    value = T.mean(T.exp(rate / 20) - rate)
    return [value, *T.grad(value, [w])]


SHAPES = [(0, 3), (1, 1), (3, 0), (5, 4), (700, 3), (2, 900), (37, 130)]


def norm(x: Any) -> Any:
    """Layer norm of the rows of a matrix."""
    off = x - T.mean(x, axis=-1, keepdims=True)
    return off / T.sqrt(T.mean(off * off, axis=-1, keepdims=True) + 1e-5)


def entropy(x: Any) -> Any:
    """A number for each row, then one for all of them, and what depends on both."""
    p = T.softmax(x, axis=1)
    return [-T.sum(p * T.log(p + 1e-9), axis=1), T.sum(p, axis=0), p]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda x: T.softmax(x, axis=1),
    "softmax_of_columns": lambda x: T.softmax(x, axis=0),
    "log_softmax": lambda x: T.log_softmax(x, axis=1),
    "norm": norm,
    "entropy": entropy,
    "slope": lambda x: T.grad(T.sum(T.sqr(norm(x)) * x), x),
    "total_of_rows": lambda x: T.sum(T.logsumexp(x, axis=1)),
    "running": lambda x: T.cumsum(T.exp(x - T.max(T.abs(x) + 1, axis=1, keepdims=True)), axis=1),
    "slope_of_counts": slope_of_counts,
    "products_over_rows": lambda x: [T.dot(T.exp(x).T, T.tanh(x[:, :2])), T.dot(T.exp(x).T, T.tanh(x))],
    "gram": lambda x: T.batched_dot(T.exp(x).dimshuffle(0, 1, "x"), T.tanh(x).dimshuffle(0, "x", 1)),
}


def line_here() -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno


def several(values: Any) -> list[Any]:
    """Results of a call in a list."""
    return values if isinstance(values, list) else [values]


def plan_of(program: Callable[[Any], Any], kind: Any) -> Any:
    x = kind("x")
    outputs = program(x)
    return plan_graph([x], outputs if isinstance(outputs, list) else [outputs], fused=True)


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(8)
def test_rows_agree_with_the_reference(name: str, dtype: str) -> None:
    x = T.matrix("x", dtype=dtype)
    outputs = PROGRAMS[name](x)
    fast, slow = (eqsat.function([x], outputs, mode=mode) for mode in ("FAST_RUN", "reference"))
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        if name in ("norm", "slope", "running", "slope_of_counts") and 0 in shape:
            continue
        whole = rng.normal(size=(2 * shape[0], shape[1])).astype(dtype)
        for value in (whole[: shape[0]], whole[::2], whole[: shape[0]][::-1], np.asfortranarray(whole[::2])):
            for ours, right in zip(several(fast(value)), several(slow(value)), strict=True):
                np.testing.assert_allclose(ours, right, rtol=1e-3 if dtype == "float32" else 1e-9, atol=1e-5)


ACROSS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "softmax_of_columns": (lambda x: T.softmax(x, axis=0), T.dmatrix),
    "columns_and_their_figures": (
        lambda x: [
            x - T.mean(x, axis=0, keepdims=True),
            T.var(x, axis=0),
            T.sum(T.exp(x - T.max(x, axis=0))),
        ],
        T.dmatrix,
    ),
    "softmax_in_the_middle": (lambda x: T.softmax(x, axis=(0, 1)) + T.sum(x, axis=(0, 1)), T.dtensor3),
    "norm_of_channels": (
        lambda x: (x - T.mean(x, axis=(0, 2), keepdims=True)) / (T.var(x, axis=(0, 2), keepdims=True) + 1),
        T.dtensor3,
    ),
}


@pytest.mark.c
@pytest.mark.parametrize("name", ACROSS)
def test_rows_along_another_axis_agree_with_the_reference(name: str) -> None:
    program, kind = ACROSS[name]
    x = kind("x")
    outputs = program(x)
    assert any(getattr(step, "across", False) for step in plan_of(program, kind).steps)
    fast, slow = (eqsat.function([x], outputs, mode=mode) for mode in ("FAST_RUN", "reference"))
    with eqsat.config.change_flags(openmp=False):
        alone = eqsat.function([x], outputs)
    shapes = [(1, 1), (3, 5000), (40, 2048), (300, 7)]
    if x.ndim == 3:
        shapes = [(*s[:1], n, *s[1:]) for s in shapes for n in (1, 6)]  # type: ignore[misc]
    rng = np.random.default_rng(3)
    for shape in shapes:
        whole = rng.normal(size=shape)
        whole[..., 0] = rng.choice([1, np.nan, np.inf, -np.inf], whole.shape[:-1])
        for value in (whole, whole[::-1, ..., ::-1], np.asfortranarray(whole)):
            with np.errstate(all="ignore"):
                right = several(slow(value))
            for ours, same, wanted in zip(several(fast(value)), several(alone(value)), right, strict=True):
                np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-9)
                assert ours.tobytes() == same.tobytes()


@pytest.mark.c
def test_rows_of_nan_and_infinities() -> None:
    x = T.dmatrix("x")
    value = np.random.default_rng(1).normal(size=(300, 70))
    value[3, 5], value[7, 2], value[9], value[11] = np.nan, np.inf, -np.inf, 1000.0
    for name in ("softmax", "log_softmax", "entropy"):
        fast, slow = (eqsat.function([x], PROGRAMS[name](x), mode=mode) for mode in ("FAST_RUN", "reference"))
        for ours, right in zip(several(fast(value)), several(slow(value)), strict=True):
            np.testing.assert_allclose(ours, right, rtol=1e-9, atol=1e-12)


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_logarithms_of_shares_keep_their_digits(dtype: str) -> None:
    x = T.matrix("x", dtype=dtype)
    found = eqsat.function([x], [T.log_softmax(x, axis=1), T.logsumexp(x, axis=1)])(
        np.array([[0.0, 17.0], [0.0, -17.0]], dtype)
    )
    np.testing.assert_allclose(found[0][0, 1], -np.log1p(np.exp(-17.0)), rtol=1e-6)
    np.testing.assert_allclose(found[1], [17.0 + np.log1p(np.exp(-17.0)), np.log1p(np.exp(-17.0))], rtol=1e-6)


def test_softmax_is_one_group_of_three_kernels() -> None:
    steps = plan_of(PROGRAMS["softmax"], T.dmatrix).steps
    assert len(steps) == 1 and isinstance(steps[0], Rows)
    assert not any(getattr(step, "apply", None) for step in steps[0].plan.steps)


def test_a_product_over_the_rows_is_part_of_their_group() -> None:
    x, w = T.dmatrix("x"), T.dvector("w")
    rate = T.exp(T.dot(x, w))
    plan = plan_graph([x, w], [T.dot(rate, x), T.sum(rate)], fused=True)
    (group,) = [step for step in plan.steps if isinstance(step, Rows)]
    assert len(group.results) == 2 and all(not isinstance(how, int) for _, _, how in group.results)


def test_a_result_that_only_its_own_kernel_reads_is_not_stored() -> None:
    x = T.dvector("x")
    plan = plan_graph([x], [T.sum(T.exp(x)), T.sin(T.exp(x))], fused=True)
    kernels = [step for step in plan.steps if isinstance(step, Kernel)]
    assert [len(kernel.results) for kernel in kernels] == [2]


def test_products_with_a_large_matrix_are_no_part_of_a_group() -> None:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    plan = plan_graph([x, w], [T.softmax(T.tanh(T.dot(x, w)), axis=1)], fused=True)
    assert [type(step).__name__ for step in plan.steps] == ["Call", "Rows"]


def test_kernels_over_one_space_are_one() -> None:
    x = T.dvector("x")
    plan = plan_graph([x], [T.sum(x * x), T.max(x), T.exp(x)], fused=True)
    kernels = [step for step in plan.steps if isinstance(step, Kernel)]
    assert [len(kernel.results) for kernel in kernels] == [3]


@pytest.mark.c
def test_operands_of_different_numbers_of_rows_are_refused() -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f = eqsat.function([x, y], T.softmax(T.exp(x) * y, axis=1))
    with pytest.raises(ShapeError, match="axis 0 has the lengths 4 in y and 3 in x at run time"):
        f(np.ones((3, 2)), np.ones((4, 2)))


@pytest.mark.c
def test_an_axis_without_elements_has_no_maximum_in_a_group_either() -> None:
    x = T.dmatrix("x")
    f = eqsat.function([x], x - T.max(x, axis=1, keepdims=True) + T.sum(T.exp(x), axis=1, keepdims=True))
    with pytest.raises(ShapeError, match="length 0"):
        f(np.ones((3, 0)))


@pytest.mark.c
def test_steps_whose_memory_is_only_known_inside_run_one_after_the_other() -> None:
    x = T.dtensor3("x")
    norms = T.sum(nlinalg.svd(x, compute_uv=False), axis=-1)
    f = eqsat.function([x], [norms, T.exp(norms / 99), norms.dimshuffle(0, "x") * 2])
    value = np.random.default_rng(5).normal(size=(60, 30, 25))
    right = np.linalg.svd(value, compute_uv=False).sum(-1)
    for found, wanted in zip(f(value), (right, np.exp(right / 99), right[:, None] * 2), strict=True):
        np.testing.assert_allclose(found, wanted)


@pytest.mark.c
def test_threads_do_not_change_a_bit() -> None:
    x = T.fmatrix("x")
    f = eqsat.function([x], entropy(x))
    value = np.random.default_rng(2).normal(size=(3000, 257)).astype("float32")
    first = f(value)
    with eqsat.config.change_flags(openmp=False):
        alone = eqsat.function([x], entropy(x))
    for a, b in zip(first, alone(value), strict=True):
        assert a.tobytes() == b.tobytes()


def test_an_op_above_another_one_that_kernels_compute_is_planned_once() -> None:
    """Values that are read past such an op, as a sum with what it is given, are the ones that it reads."""
    x, *weights = (T.fmatrix(name) for name in ("x", "a", "b", "c", "d"))
    seen = x
    for w in weights:
        seen = seen + T.softmax(T.dot(seen, w), axis=1)
    plan = plan_graph([x, *weights], [seen], fused=True)
    products = [step for step in plan.steps if isinstance(step, Call) and step.apply.op.name == "dot"]
    assert len(products) == len(weights)


@pytest.mark.c
def test_errors_of_groups_show_the_op_and_the_lines_of_its_operands() -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    line = line_here()
    f = eqsat.function([x, y], T.softmax(T.exp(x) * y, axis=1))
    for shape, lengths in (
        ((2, 4), "axis 0 has the lengths 2 in y and 3 in x at run time\n"),
        ((3, 5), "axis 1 has the lengths 4 in x and 5 in y at run time\n"),
    ):
        with pytest.raises(ShapeError) as caught:
            f(np.ones((3, 4)), np.ones(shape))
        text = str(caught.value)
        assert text.startswith(f"mul: {lengths}"), text
        assert text.count(f"made at test_rows.py:{line - 1}") == 2 and "needs  equal lengths" in text, text


@pytest.mark.c
def test_errors_of_picks_show_what_is_picked() -> None:
    x, y, i = T.dmatrix("x"), T.dvector("y"), T.lvector("i")
    picked = x[i]
    line = line_here()
    f = eqsat.function([x, y, i], T.sqr(picked - y).sum(1), mode="FAST_RUN")
    with pytest.raises(ShapeError) as caught:
        f(np.ones((3, 4)), np.ones(5), [0, 1])
    text = str(caught.value)
    assert f"f64[?, ?]   made at test_rows.py:{line - 1}" in text and "  y      f64[?]" in text, text


@pytest.mark.c
def test_rows_that_come_from_memory_are_fetched_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the second kernel that reads them; values stay."""
    monkeypatch.setattr(lower_rows, "FAR", 1)
    monkeypatch.setattr(lower_rows, "LINES", 1)
    x = T.fmatrix("x")
    f = eqsat.function([x], T.softmax(x))
    assert str(f.c_source).count("__builtin_prefetch") == 1
    for shape in (*SHAPES, (300, 5000)):
        value = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        plain = eqsat.function([x], T.softmax(x), mode="numpy")
        np.testing.assert_allclose(f(value), plain(value), rtol=1e-5)
