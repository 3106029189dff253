"""States of a few numbers are local variables of the loop: values against the reference, and what the text holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.tensor_type import TensorType
from eqsat.scan import scan, until

pytestmark = pytest.mark.c

Step = Callable[..., Any]


def rotate(v: Any) -> Any:
    return v + T.cast(2, v.dtype) * T.stack([v[1], -v[0], v[2] * v[0]])


def mix(v: Any) -> Any:
    return T.dot(v, v) - v.T * v[0]


def spread(v: Any) -> Any:
    return v - v.sum(0) + T.max(v, 1, keepdims=True)


CASES: dict[str, tuple[Step, tuple[int, ...], tuple[str, ...]]] = {
    "joined": (rotate, (3,), ("float32", "float64", "complex128", "int64")),
    "product": (mix, (2, 2), ("float64", "complex128")),
    "folded": (spread, (2, 3), ("float64", "int64")),
    "function": (lambda v: T.tanh(v) - v[::-1], (4,), ("float32",)),
    "longer": (lambda v: v * T.cast(3, v.dtype) - v[::-1], (17,), ("float64",)),
}


def both(inputs: list[Any], outputs: Any, *values: Any, rtol: float = 1e-10) -> Any:
    """The compiled function, after its values agreed with the reference."""
    f = eqsat.function(inputs, outputs, on_unused_input="ignore")
    reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
    for have, want in zip(f(*values), reference(*values), strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape
        np.testing.assert_allclose(have, want, rtol=rtol, atol=1e-12)
    return f


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n, (_, _, ds) in CASES.items() for d in ds])
def test_values(name: str, dtype: str) -> None:
    step, shape, _ = CASES[name]
    v = TensorType(dtype, shape=shape)("v")
    n = T.lscalar("n")
    out, _ = scan(step, outputs_info=v, n_steps=n)
    start = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    value = np.asarray(
        start % 3 - 1 if dtype == "int64" else start / (9 + 2j if dtype[0] == "c" else 9), dtype
    )
    f = both([v, n], [out, out.sum(0)], value, 5, rtol=1e-5 if dtype == "float32" else 1e-10)
    for steps in (0, 1, 2, 6):
        rows, at = [], value
        for _ in range(steps):
            rows.append(at := f(at, 1)[0][0])
        have = f(value, steps)[0]
        assert have.shape == (steps, *shape)
        np.testing.assert_allclose(
            have, np.reshape(rows, have.shape), rtol=1e-4 if dtype == "float32" else 1e-9
        )


def loop_of(f: Any) -> str:
    """The C of the loop."""
    text: str = f.c_source
    return text[text.index("eq_loop") :].partition("\n}\n")[0]


def test_no_loop_and_no_call_stands_in_a_short_step() -> None:
    v = TensorType("float64", shape=(3,))("v")
    f = both([v], [scan(rotate, outputs_info=v, n_steps=7)[0]], np.array([0.1, 0.2, 0.3]))
    text = loop_of(f)
    assert text.count("for (") == 1 and "(c," not in text and "[3];" in text


@pytest.mark.parametrize("taps", [[-2, -1], [-3, -1], [-17, -2]])
def test_taps_of_short_rows(taps: list[int]) -> None:
    first, x = T.dmatrix("first"), TensorType("float64", shape=(None, 2))("x")
    old = {"initial": first, "taps": taps}
    out, _ = scan(lambda r, *v: sum(v[1:], 0.5 * v[0]) + r + 1, sequences=x, outputs_info=old)
    rng = np.random.default_rng(0)
    start = rng.standard_normal((-min(taps), 2))
    f = both([x, first], [out, out[-1]], rng.standard_normal((9, 2)), start)
    for steps in (1, 2, 3):
        assert f(np.ones((steps, 2)), start)[0].shape == (steps, 2)


def test_only_the_last_value_counts() -> None:
    v, w = (TensorType("float64", shape=(2,))(name) for name in "vw")
    last = [out[-1] for out in scan(lambda a, b: (a + 0.1 * b[::-1], a), outputs_info=[v, w], n_steps=6)[0]]
    both([v, w], last, np.array([1.0, 2.0]), np.array([-1.0, 0.5]))


def test_a_loop_that_ends_early() -> None:
    v = TensorType("float64", shape=(2,))("v")
    grown, _ = scan(lambda a: (2 * a[::-1], until(a.sum() > 50)), outputs_info=v, n_steps=40)
    both([v], [grown], np.array([1.0, 2.0]))


def test_a_loop_inside() -> None:
    v, n = TensorType("float64", shape=(2,))("v"), T.lscalar("n")

    def step(a: Any) -> Any:
        return scan(lambda b: b * 0.5 + a, outputs_info=a[::-1], n_steps=n)[0][-1]

    out, _ = scan(step, outputs_info=v, n_steps=4)
    both([v, n], [out], np.array([1.0, 2.0]), 3)


def test_gradients_through_time() -> None:
    v, a = TensorType("float64", shape=(3,))("v"), T.dscalar("a")

    def step(s: Any) -> Any:
        caught = a * s[0] * s[1]
        return s + 0.1 * T.stack([-caught, caught - s[1], s[1]])

    out, _ = scan(step, outputs_info=v, n_steps=8)
    both([v, a], T.grad((out**2).sum(), [v, a]), np.array([0.9, 0.1, 0.0]), np.array(0.7))


def test_numbers_that_are_not_finite() -> None:
    x, first = T.dvector("x"), T.dvector("first")
    out, _ = scan(
        lambda r, v, w: 0.6 * w + 0.3 * v + r, sequences=x, outputs_info={"initial": first, "taps": [-2, -1]}
    )
    value = np.array([1.0, np.inf, 2.0, -np.inf, 0.0, np.nan, 1.0])
    both([x, first], [out], value, np.array([1e308, 1e308]))
    both([x, first], [out], value, np.array([np.nan, 1.0]))


def test_what_the_step_before_computed_is_added_last() -> None:
    x, first = T.dvector("x"), T.dvector("first")
    out, _ = scan(
        lambda r, v, w: 0.6 * w + 0.3 * v + r, sequences=x, outputs_info={"initial": first, "taps": [-2, -1]}
    )
    f = both([x, first], [out], np.sin(np.arange(20.0)), np.array([0.3, -0.2]))
    lines = [
        line.split(" = ")[1] for line in loop_of(f).splitlines() if "const double t" in line and " + " in line
    ]
    newest = next(line for line in loop_of(f).splitlines() if "0.6" in line).split()[2]
    assert newest not in lines[0] and len(lines) == 6


def test_a_choice_and_a_product_keep_their_order() -> None:
    """1e200 * 1e200 * 1e-300 is infinite as written, whichever of the factors the step before has computed."""
    v, b = TensorType("float64", shape=(2,))("v"), TensorType("bool", shape=(2,))("b")
    chosen, _ = scan(lambda s, c: T.switch(c, s * 2, s + 1), outputs_info=v, non_sequences=b, n_steps=3)
    product, _ = scan(lambda s, w: s * w[0] * 1e-300, outputs_info=v, non_sequences=v, n_steps=2)
    both([v, b], [chosen], np.array([1.0, 2.0]), np.array([True, False]))
    f = eqsat.function([v], product, mode="FAST_COMPILE")
    assert np.isinf(f(np.array([1e200, 1e200]))[0]).all()


@pytest.mark.parametrize(
    "options",
    [{"rules": "exact"}, {"rules": "-rounds"}, {"mode": "FAST_COMPILE"}, {"rules": "default"}],
    ids=str,
)
def test_sums_are_those_that_are_written_unless_they_may_be_rounded_otherwise(
    options: dict[str, Any],
) -> None:
    x, first = T.dvector("x"), T.dvector("first")
    out, _ = scan(
        lambda r, v, w: 0.6 * w + 0.3 * v + r, sequences=x, outputs_info={"initial": first, "taps": [-2, -1]}
    )
    values = np.sin(np.arange(500.0)), np.array([0.3, -0.2])
    f = eqsat.function([x, first], out, **{"mode": "FAST_RUN", **options})
    reference = eqsat.function([x, first], out, mode="reference")
    assert bool((f(*values) == reference(*values)).all()) == (options != {"rules": "default"})
