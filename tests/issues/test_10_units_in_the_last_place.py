"""Elementwise ops in C against real arithmetic: no more than 8 units in the last place, beside roots and poles too."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import eqsat
import eqsat.tensor as T
from eqsat.graph.declare import OPS

mp = mpmath.mp.clone()
mp.prec = 300
MOST = 8.0


def gauss(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


EXACT: dict[str, Callable[..., Any]] = {
    "sqrt": mp.sqrt,
    "exp": mp.exp,
    "exp2": lambda x: mpf(2) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log1p": mp.log1p,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": mp.log10,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "tanh": mp.tanh,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "erfinv": mp.erfinv,
    "ndtr": gauss,
    "log_erfc": lambda x: mp.log(mp.erfc(x)),
    "log_ndtr": lambda x: mp.log1p(-gauss(-x)) if x > 0 else mp.log(gauss(x)),
    "log_softplus": lambda x: mp.log(mp.log1p(mp.exp(x))),
    "log_cosh": lambda x: mp.log(mp.cosh(x)),
    "exp_over_erfc": lambda x: mp.exp(-x * x) / mp.erfc(x),
    "arcsin": mp.asin,
    "arccos": mp.acos,
    "arctan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "arcsinh": mp.asinh,
    "arccosh": mp.acosh,
    "arctanh": mp.atanh,
    "sinc": mp.sincpi,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "gamma": mp.gamma,
    "gammaln": lambda x: mp.log(abs(mp.gamma(x))),
    "digamma": mp.digamma,
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "reciprocal": lambda x: 1 / x,
    "sqr": lambda x: x * x,
    "gelu": lambda x: x * gauss(x),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "trigamma": lambda x: mp.psi(1, x),
}
PAIRS: dict[str, Callable[..., Any]] = {
    "truediv": lambda x, y: x / y,
    "pow": mp.power,
    "arctan2": mp.atan2,
    "hypot": mp.hypot,
    "xlogy": lambda x, y: x * mp.log(y),
    "log1mexp": lambda x: mp.log(-mp.expm1(x)),
}


@cache
def points(dtype: str) -> np.ndarray:
    """Numbers of all sizes; near whole numbers, halves and multiples of pi / 2; and those of which a fault is known."""
    dice = np.random.default_rng(0)
    centres = np.concatenate([np.arange(-6, 7), np.arange(-5, 6) + 0.5, np.arange(-4, 5) * np.pi / 2])
    beside = centres + dice.choice([-1, 1], centres.size) * 10.0 ** dice.uniform(-14, -2, centres.size)
    known = [-18.740162255777435, -561.8530070202705, -0.51, 1.578863448784694, -713.2, -5.2, -1e-9]
    sizes = dice.choice([-1, 1], 60) * 10.0 ** dice.uniform(-30, 3, 60)
    wide = np.concatenate([dice.uniform(-30, 30, 60), dice.uniform(-1, 1, 40), sizes, beside, centres, known])
    return wide.astype(dtype)


def true(exact: Callable[..., Any], *values: Any) -> Any:
    """The real result; None where there is none."""
    try:
        found = exact(*(mp.mpf(float(v)) for v in values))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError, mpmath.libmp.NoConvergence):
        return None
    return None if isinstance(found, mpmath.mpc | mp.mpc) or not mp.isfinite(found) else found


def units(found: Any, wanted: Any, dtype: str) -> float:
    """Distance of a result from the real one, in units of its last place; factors of the smallest may be subnormal."""
    kind = np.finfo(dtype)
    if wanted is None or abs(wanted) > mp.mpf(float(kind.max)):
        return 0.0
    size = max(abs(wanted), 1024 * mp.mpf(float(kind.tiny)))
    place = mp.ldexp(mp.mpf(1), int(mp.floor(mp.log(size, 2))) - kind.nmant)
    return float(abs(mp.mpf(float(found)) - wanted) / place) if np.isfinite(found) else np.inf


def worst(
    name: str, exact: Callable[..., Any], dtype: str, operands: list[np.ndarray]
) -> tuple[float, list[float]]:
    inputs = [T.TensorType(dtype, shape=(None,))() for _ in operands]
    op = OPS[name].bind() if name in OPS else getattr(T, name)
    found = eqsat.function(inputs, op(*inputs), mode="FAST_COMPILE")(*operands)
    errors = [
        (units(f, true(exact, *values), dtype), [float(v) for v in values])
        for f, *values in zip(found, *operands, strict=True)
    ]
    return max(errors)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(EXACT))
@pytest.mark.sampled(30)
def test_of_one_operand(name: str, dtype: str) -> None:
    error, at = worst(name, EXACT[name], dtype, [points(dtype)])
    assert error <= MOST, at


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(set(PAIRS) - {"log1mexp"}))
def test_of_two_operands(name: str, dtype: str) -> None:
    values = points(dtype)
    error, at = worst(name, PAIRS[name], dtype, [values, np.random.default_rng(1).permutation(values)])
    assert error <= MOST, at


def test_what_is_not_swept_has_a_reason() -> None:
    """Exact ops; comparisons and bits; complex parts; roots at irrational numbers, where the C library is absolute."""
    exact = """abs add angle and cast ceil clip complex conj copysign eq fill floor floordiv fmod ge gt imag invert isfinite
        isinf isnan le left_shift lt maximum minimum mod mul multiple neg neq or real right_shift round_half_away_from_zero
        round_half_to_even round_to_multiples round_to_parts sign signbit sub switch trunc xor binomial_draw random_bits random_unit random_unit_second
        scaled_bits float_bits bits_float gcd lcm"""
    roots = "j0 j1 logaddexp polygamma erfcinv"
    elementwise = {name for name, d in OPS.items() if d.kind == "elemwise"}
    assert elementwise - set(EXACT) - set(PAIRS) == set((exact + " " + roots).split()) & elementwise


def test_small_values_of_the_logistic_function_are_not_0() -> None:
    x, y = T.dvector("x"), T.fvector("y")
    wide, narrow = eqsat.function([x, y], [T.sigmoid(x), T.sigmoid(y)], mode="FAST_COMPILE")(
        [-713.2, -740], [-90]
    )
    np.testing.assert_allclose(wide, np.exp([-713.2, -740]), rtol=1e-6, atol=2e-324)
    np.testing.assert_allclose(narrow, np.exp([-90.0]), rtol=1e-5)


@pytest.mark.parametrize("mode", ["reference", "FAST_COMPILE", "FAST_RUN"])
def test_sinc_and_its_slope_near_whole_numbers(mode: str) -> None:
    x = T.dvector("x")
    y = T.sinc(x)
    f = eqsat.function([x], [y, T.grad(y.sum(), x)], mode=mode)
    at = np.array([3 + 1e-12, -7 - 1e-10, 1000.25, 1e6 + 1e-9, 2.0**53 + 2, 1e300, 0.0, 4.0])
    value, slope = f(at)
    for v, s, p in zip(value, slope, at, strict=True):
        q = mp.mpf(float(p))
        assert units(v, mp.sincpi(q), "float64") <= MOST
        wanted = (mp.cospi(q) - mp.sincpi(q)) / q if q else mp.mpf(0)
        assert units(s, wanted, "float64") <= 16
