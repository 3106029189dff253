"""Elementwise functions by name: NumPy's or SciPy's values, and the derivative that differences give."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.special as sp

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError

DOMAINS = {
    "any": np.array([-3.7, -1.6, -0.45, -0.05, 0.02, 0.3, 0.8, 1.9, 6.3]),
    "unit": np.array([-0.97, -0.6, -0.2, 0.01, 0.3, 0.7, 0.95]),
    "positive": np.array([1e-3, 0.2, 0.7, 1.3, 1.9, 4.5, 30.0]),
    "above one": np.array([1.05, 1.5, 4.0, 80.0]),
    "negative": np.array([-20.0, -3.0, -0.9, -0.3, -1e-3]),
    "fraction": np.array([1e-4, 0.3, 0.5, 0.8, 0.999]),
    "zero to two": np.array([1e-4, 0.3, 0.8, 1.2, 1.7, 1.999]),
}


class Case(NamedTuple):
    """A function of one tensor, NumPy's function, where it is defined, and the row it stands for."""

    name: str
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any]
    domain: str = "any"
    row: str = ""


def _away(x: Any) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _elu(x: Any) -> Any:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def same(name: str, domain: str = "any", row: str = "", theirs: Any = None) -> Case:
    found = theirs or getattr(np, name, None) or getattr(sp, name)
    return Case(name, getattr(T, name), found, domain, row)


CASES = [
    same("exp", row="H041"),
    same("neg", row="H044", theirs=np.negative),
    same("inv", "positive", "H045", np.reciprocal),
    same("log", "positive", "H046"),
    same("log2", "positive", "H047"),
    same("log10", "positive", "H048"),
    same("sgn", row="H049", theirs=np.sign),
    same("ceil", row="H050"),
    same("floor", row="H051"),
    same("sqr", row="H054", theirs=np.square),
    same("sqrt", "positive", "H055"),
    same("cos", row="H056"),
    same("sin", row="H057"),
    same("tan", row="H058"),
    same("cosh", row="H059"),
    same("sinh", row="H060"),
    same("tanh", row="H061"),
    same("erf", row="H062"),
    same("erfc", row="H063"),
    same("erfinv", "unit", "H064"),
    same("erfcinv", "zero to two", "H065"),
    same("arcsin", "unit"),
    same("arccos", "unit"),
    same("arctan"),
    same("arcsinh"),
    same("arccosh", "above one"),
    same("arctanh", "unit"),
    same("exp2"),
    same("expm1"),
    same("log1p", "positive"),
    same("cbrt"),
    same("trunc"),
    same("fix"),
    same("rint"),
    same("around"),
    same("sinc"),
    same("erfcx"),
    same("ndtr"),
    same("gamma", "positive"),
    same("gammaln"),
    same("digamma"),
    same("psi"),
    Case("trigamma", T.trigamma, lambda x: sp.polygamma(1, x), "positive"),
    Case("polygamma", lambda x: T.polygamma(3, x), lambda x: sp.polygamma(3, x), "positive"),
    Case("round", T.round, _away),
    Case("log1mexp", T.log1mexp, lambda x: np.log(-np.expm1(x)), "negative"),
    Case("log_erfc", T.log_erfc, lambda x: np.log(sp.erfc(x))),
    Case("log_ndtr", T.log_ndtr, sp.log_ndtr),
    Case("exp_over_erfc", T.exp_over_erfc, lambda x: 1 / sp.erfcx(x)),
    Case("log_cosh", T.log_cosh, lambda x: np.log(np.cosh(x))),
    same("deg2rad"),
    same("rad2deg"),
    same("nan_to_num"),
    Case("xlogx", T.xlogx.xlogx, lambda x: sp.xlogy(x, x), "positive"),
    Case("logaddexp", lambda x: T.logaddexp(x, 0.5), lambda x: np.logaddexp(x, 0.5)),
    Case("hypot", lambda x: T.hypot(x, 2.0), lambda x: np.hypot(x, 2.0)),
    Case("arctan2", lambda x: T.arctan2(x, -1.5), lambda x: np.arctan2(x, -1.5)),
    Case("copysign", lambda x: T.copysign(x, -2.0), lambda x: np.copysign(x, -2.0)),
    Case("fmod", lambda x: T.fmod(x, 1.25), lambda x: np.fmod(x, 1.25)),
    Case("heaviside", lambda x: T.heaviside(x, 0.5), lambda x: np.heaviside(x, 0.5)),
    same("logit", "fraction", theirs=lambda x: np.log(x) - np.log1p(-x)),
    same("expit"),
    same("log_sigmoid", theirs=lambda x: np.log(sp.expit(x))),
    same("relu", theirs=lambda x: np.maximum(x, 0)),
    Case("leaky relu", lambda x: T.relu(x, 0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
    same("elu", theirs=_elu),
    same("selu", theirs=lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    same("gelu", theirs=lambda x: x * sp.ndtr(x)),
    Case("gelu tanh", lambda x: T.gelu(x, True),
         lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    same("silu", theirs=lambda x: x * sp.expit(x)),
    same("softsign", theirs=lambda x: x / (1 + abs(x))),
    same("mish", theirs=lambda x: x * np.tanh(np.logaddexp(0, x))),
    same("hard_sigmoid", theirs=lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
]  # fmt: skip
GROUP = 12  # functions per compiled function


@functools.cache
def computed(mode: str, group: int) -> dict[str, tuple[Any, Any]]:
    """Value and derivative of each case of a group at the points of its domain."""
    cases = CASES[group * GROUP : (group + 1) * GROUP]
    inputs = {name: T.dvector(name.replace(" ", "_")) for name in DOMAINS}
    outputs: list[Any] = []
    for case in cases:
        x = inputs[case.domain]
        y = case.ours(x)
        outputs += [y, T.grad(y.sum(), x)]
    f = eqsat.function(list(inputs.values()), outputs, mode=mode, on_unused_input="ignore")
    found = f(*DOMAINS.values())
    return {case.name: (found[2 * k], found[2 * k + 1]) for k, case in enumerate(cases)}


PARAMETERS = [
    pytest.param(k, id=c.name, marks=pytest.mark.seed(c.row) if c.row else ()) for k, c in enumerate(CASES)
]


@pytest.mark.filterwarnings("ignore:phase")
@pytest.mark.parametrize("number", PARAMETERS)
def test_values_and_derivatives(number: int, seed_mode: str) -> None:
    case = CASES[number]
    value, slope = computed(seed_mode, number // GROUP)[case.name]
    x, h = DOMAINS[case.domain], 1e-6
    with np.errstate(all="ignore"):
        wanted, numeric = case.theirs(x), (case.theirs(x * (1 + h)) - case.theirs(x * (1 - h))) / (2 * h * x)
    np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-15)
    assert value.dtype == wanted.dtype and value.shape == wanted.shape
    np.testing.assert_allclose(slope, numeric, rtol=1e-4, atol=1e-7)


# ------------------------------------------------------------------------------------------------- rounding

HALVES = np.array(
    [-2.5, -1.5, -0.5, -0.0, 0.4999999999999999, 0.5, 1.5, 2.5, 2.6, 4503599627370497.0, np.inf]
)


@pytest.mark.seed("D041")
@pytest.mark.seed("H052")
@pytest.mark.seed("H053")
def test_halves_are_rounded_by_mode(seed_mode: str) -> None:
    x, f, i = T.dvector("x"), T.fvector("f"), T.ivector("i")
    away, even = "half_away_from_zero", "half_to_even"
    outs = [x.round(), x.round(mode=away), T.round(x, mode=even), x.round(even), T.round(f), T.round(i),
            T.iround(x[:9]), T.iround(x[:9], mode=even)]  # fmt: skip
    found = eqsat.function([x, f, i], outs, mode=seed_mode)(HALVES, HALVES.astype("float32"), [-3, 7])
    for k in (0, 1):
        assert found[k].tolist() == [-3, -2, -1, 0, 0, 1, 2, 3, 3, 4503599627370497.0, np.inf]
    for k in (2, 3):
        np.testing.assert_array_equal(found[k], np.round(HALVES))
    assert found[4].dtype == "float32" and found[5].dtype == "int32" and found[5].tolist() == [-3, 7]
    assert found[6].dtype == found[7].dtype == "int64"
    assert found[6].tolist() == [-3, -2, -1, 0, 0, 1, 2, 3, 3] and found[7].tolist() == [
        -2,
        -2,
        0,
        0,
        0,
        0,
        2,
        2,
        3,
    ]


def test_an_unknown_mode_of_rounding_is_refused() -> None:
    x = T.dvector("x")
    with pytest.raises(ArgumentError) as error:
        x.round(2)
    assert str(error.value) == (
        f"round: there is no mode 2\n  x      f64[?]   made at {x.made_at}\n"
        "  needs  one of half_away_from_zero, half_to_even\n  try    T.around(a, decimals) to round to decimals"
    )
    with pytest.raises(ArgumentError, match=r"around: decimals is not 1.5\n.*\n  needs  a Python integer"):
        T.around(x, 1.5)
