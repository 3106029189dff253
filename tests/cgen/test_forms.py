"""Every form of kernel over dtypes, sizes, strides, NaN and infinities: the values of the reference, on any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from campaign.compilers import shared_out, small_blocks
from campaign.forms import forms
from eqsat.cgen import find_target
from eqsat.cgen.runtime.load import tidied
from eqsat.errors import EqsatError
from eqsat.functions.planning import plan_graph
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings

pytestmark = pytest.mark.c
SIZES = [(0, 3), (3, 0), (1, 1), (5, 4), (33, 17), (300, 70), (2, 900)]
REALS, NUMBERS = ("float32", "float64"), ("float32", "float64", "complex128", "int64")
ALL = (*NUMBERS, "bool", "int8", "complex64")
Form = tuple[str, tuple[str, ...], Callable[[Any, Any, Any], list[Any]]]


def half(x: Any) -> Any:
    return T.cast(0.5, x.dtype) if x.dtype in REALS else T.cast(1, x.dtype)


def both(x: Any, y: Any) -> Any:
    """A product, of bool too."""
    return x & y if x.dtype == "bool" else x * y


def centred(a: Any) -> Any:
    off = a - T.mean(a, -1, keepdims=True)
    return off / T.sqrt(T.mean(off * off, -1, keepdims=True) + 1)


def steps(step: Any, *outputs: Any, **options: Any) -> Any:
    return eqsat.scan(step, outputs_info=list(outputs), **options)[0]


FORMS: dict[str, Form] = {
    "elementwise": ("kernel", NUMBERS, lambda a, b, i: [a * b + a, T.abs(b - a)]),
    "logical": ("kernel", ("bool", "int8"), lambda a, b, i: [a & b, ~a | b, T.switch(a, b, a)]),
    "several results": ("several results", NUMBERS, lambda a, b, i: [a * b, T.sum(a * b), T.sum(b), a - T.cast(2, a.dtype)]),
    "folds of rows": ("fold of rows", NUMBERS, lambda a, b, i: [T.sum(a, 1), T.sum(a * b, 1, keepdims=True)]),
    "extremes of rows": ("fold of rows", (*REALS, "int8"), lambda a, b, i: [T.max(T.concatenate([a, b[:, :1], a[:, :1] * 0], 1), 1)]),
    "folds of columns": ("fold of columns", NUMBERS, lambda a, b, i: [T.sum(a * b, 0), T.sum(b, 0)]),
    "folds of bool": ("fold of columns", ("bool",), lambda a, b, i: [T.any(a & b, 0), T.all(a | b, 1), T.sum(a, 0)]),
    "middle": ("fold of a middle axis", NUMBERS, lambda a, b, i: [T.sum(T.stack([a, b]) * a, 1)]),
    "transposed": ("read through a dimshuffle", ALL, lambda a, b, i: [both(a.T, b.T)]),
    "rows": ("group", REALS, lambda a, b, i: [T.softmax(a, 1), T.logsumexp(a + b, 1), a - T.mean(b, 1, keepdims=True)]),
    "norm of rows": ("group", REALS, lambda a, b, i: [centred(a) * b]),
    "rows reduced": ("group reduced over rows", REALS, lambda a, b, i: [T.softmax(a, 1).sum(0), T.softmax(a, 1)]),
    "columns": ("group", REALS, lambda a, b, i: [T.softmax(a, 0) * b]),
    "pieces": ("pieces", ALL, lambda a, b, i: [both(T.concatenate([a[1:], b[:1]]), b), T.set_subtensor(both(a, b)[..., 1:], b[..., 1:]), both(a, T.roll(b, 2, 1))]),
    "sums of pieces": ("pieces", NUMBERS, lambda a, b, i: [T.inc_subtensor((a * b)[1:-1], b[2:]), T.concatenate([a * b, b], 1).sum(1)]),
    "picks": ("pick", NUMBERS, lambda a, b, i: [a[i] * b[i[::-1]], T.sum(a[i] - b, 1)]),
    "scatters": ("call of add_rows", (*REALS, "int64"), lambda a, b, i: [T.inc_subtensor(a[i], b), T.inc_subtensor((a * b)[i], b * b), T.set_subtensor(a[i], b)]),
    "scatters of complex numbers": ("call of scatter", ("complex128",), lambda a, b, i: [T.inc_subtensor(a[i], b), T.set_subtensor(a[i], b)]),
    "pairs": ("contraction nest", REALS, lambda a, b, i: [T.exp(-T.sqr(a[:, None] - b[None]).sum(2)).sum(1), T.sum(T.maximum(a[:, None], b[None]), 1)]),
    "pairs of numbers": ("contraction nest", ("int64", "complex128"), lambda a, b, i: [T.sum((a[:, None] - b[None]) * b[None], 1)]),
    "products": ("call of dot", NUMBERS, lambda a, b, i: [T.dot(a, b.T) * half(a) + T.sum(a), T.dot(a.T, b)[::-1], T.dot(a, b[0])]),
    "running": ("call of cumsum", (*REALS, "int64"), lambda a, b, i: [T.cumsum(a, 0), T.cumsum(a * b, 1)[::-1]]),
    "lanes": ("loop", NUMBERS, lambda a, b, i: [steps(lambda r, h: r - h * half(h), T.sum(b[:1], 0), sequences=[a])]),
    "several states": ("loop", REALS, lambda a, b, i: list(steps(lambda r, h, g: (h * 0.5 + r, T.tanh(g) - h), T.sum(b, 0) * 0, a[:1].sum(0), sequences=[a]))),
    "registers": ("loop", REALS, lambda a, b, i: [steps(lambda r, h: T.stack([h[1] * 0.5, r[0], -h[0]]), T.ones(3, a.dtype), sequences=[T.sum(a, 1, keepdims=True)])]),
    "pooling": ("call of pool_max", REALS, lambda a, b, i: [T.signal.pool.pool_2d(a * b, (2, 2), ignore_border=False)]),
    "convolution": ("call of conv", REALS, lambda a, b, i: [T.nnet.relu(T.nnet.conv2d(a[None, None], T.ones((2, 1, 3, 3), a.dtype), border_mode="half") + 1)]),
}  # fmt: skip


def layouts(dice: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> list[Any]:
    """Arrays of a shape in memory of several orders, one of them with what is not finite."""
    n, m = shape

    def drawn(*lengths: int) -> Any:
        if dtype[0] in "fc":
            return (
                dice.normal(size=lengths) + (1j * dice.normal(size=lengths) if dtype[0] == "c" else 0)
            ).astype(dtype)
        return dice.integers(0 if dtype == "bool" else -2, 2, lengths).astype(dtype)

    found = [
        drawn(n, m),
        drawn(m, n).T,
        drawn(n, m)[::-1],
        drawn(2 * n, 3 * m)[::2, ::-3],
        np.broadcast_to(drawn(1, m), shape),
    ]
    if dtype in REALS and n * m:
        odd = drawn(n, m)
        odd.flat[dice.integers(0, odd.size, 3)] = [np.nan, np.inf, -np.inf]
        found.append(odd)
    return found


def made(name: str, dtype: str, known: tuple[int | None, ...] = (None, None)) -> tuple[list[Any], list[Any]]:
    """The outputs of a form as every mode prepares them, whose plan has the form, and its inputs."""
    a, b, i = T.tensor(dtype, known, "a"), T.tensor(dtype, known, "b"), T.lvector("i")
    form, _, program = FORMS[name]
    outputs = prepare(program(a, b, i), Settings.of("FAST_COMPILE"))
    assert forms(plan_graph([a, b, i], outputs, fused=True))[form] > 0, f"the plan has no {form}"
    return [a, b, i], outputs


def functions(inputs: list[Any], outputs: list[Any], folder: str) -> list[Any]:
    """Fused kernels on one thread, on two and on four."""
    target = find_target("c")
    tools: Any = target.tools(folder, True)
    with shared_out(), small_blocks():
        text = target.print(plan_graph(inputs, outputs, fused=True), tools)
        found = [
            target.load(text.source, text.meta, text.opaque, replace(tools, threads=n)) for n in (1, 2, 4)
        ]
    return [f.call_raw for f in found]


def close(ours: Any, right: Any) -> None:
    assert ours.dtype == right.dtype and ours.shape == right.shape
    if ours.dtype.kind not in "fc":
        np.testing.assert_array_equal(ours, right)
        return
    size = np.abs(right[np.isfinite(right)]).max(initial=1.0)
    eps = np.finfo(ours.dtype).eps
    np.testing.assert_allclose(ours, right, rtol=2000 * eps, atol=200 * eps * size)


CASES = [(name, dtype) for name, (_, dtypes, _) in FORMS.items() for dtype in dtypes]
QUICK = [
    (name, FORMS[name][1][0])
    for name in ("several results", "rows reduced", "columns", "sums of pieces", "picks", "pairs")
]


def compare(name: str, dtype: str, folder: str) -> None:
    inputs, outputs = made(name, dtype)
    fused = functions(inputs, outputs, folder)
    reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
    dice = np.random.default_rng(len(name))
    compared = 0
    for shape in SIZES:
        places = dice.integers(-shape[0], shape[0], shape[0]) if shape[0] else np.zeros(0, "int64")
        for a, b in zip(layouts(dice, dtype, shape), layouts(dice, dtype, shape)[::-1], strict=True):
            given = [a, b, places]
            try:
                wanted = reference(*given)
            except EqsatError as error:
                with pytest.raises(type(error)):
                    fused[0](*tidied(given))
                continue
            found = [f(*given) or f(*tidied(given)) for f in fused]
            for ours, right in zip(found[0], wanted, strict=True):
                close(ours, right)
            for other in found[1:]:
                assert [v.tobytes() for v in other] == [v.tobytes() for v in found[0]]
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize(("name", "dtype"), QUICK)
def test_forms(name: str, dtype: str, tmp_path: Any) -> None:
    compare(name, dtype, str(tmp_path))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "dtype"), [case for case in CASES if case not in QUICK])
def test_forms_of_other_dtypes(name: str, dtype: str, tmp_path: Any) -> None:
    compare(name, dtype, str(tmp_path))


@pytest.mark.sweep
@pytest.mark.parametrize("name", FORMS)
def test_forms_of_known_lengths(name: str, tmp_path: Any) -> None:
    dtype = FORMS[name][1][0]
    for shape in ((5, 4), (1, 3), (3, 1), (9, 33), (300, 90)):
        inputs, outputs = small(name, dtype, shape)
        fused = functions(inputs, outputs, str(tmp_path))[0]
        reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
        dice = np.random.default_rng(3)
        given = [layouts(dice, dtype, shape)[0], layouts(dice, dtype, shape)[0], np.zeros(shape[0], "int64")]
        for ours, right in zip(fused(*given), reference(*given), strict=True):
            close(ours, right)


def small(name: str, dtype: str, shape: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    """The outputs of a form over few elements, of which its plan may make another form, and its inputs."""
    a, b, i = T.tensor(dtype, shape, "a"), T.tensor(dtype, shape, "b"), T.lvector("i")
    return [a, b, i], prepare(FORMS[name][2](a, b, i), Settings.of("FAST_COMPILE"))
