"""Complex numbers: meaning against Python's, gradients against differences in both directions, what is refused."""

from __future__ import annotations

import cmath
import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DTypeError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import ALL, COMPLEX, to_complex
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

POINTS = [0.25 + 1j, -2 + 0.5j, 1.5 - 0.75j, -0.5 - 2j, 3 + 0j, 1j]
MEANING: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "multiple": lambda x, n: x * n if n else 0,
    "truediv": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "neg": lambda x: -x,
    "reciprocal": lambda x: 1 / x,
    "abs": abs,
    "sqr": lambda x: x * x,
    "sqrt": cmath.sqrt,
    "exp": cmath.exp,
    "log": cmath.log,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
    "arcsin": cmath.asin,
    "arccos": cmath.acos,
    "arctan": lambda x: complex(0, float("inf")) if x == 1j else cmath.atan(x),
    "arcsinh": cmath.asinh,
    "arccosh": cmath.acosh,
    "arctanh": cmath.atanh,
    "expm1": lambda x: cmath.exp(x) - 1,
    "log1p": lambda x: cmath.log(1 + x),
    "sigmoid": lambda x: 1 / (1 + cmath.exp(-x)),
    "eq": lambda x, y: x == y,
    "neq": lambda x, y: x != y,
    "isnan": cmath.isnan,
    "isinf": cmath.isinf,
    "isfinite": cmath.isfinite,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "conj": lambda x: x.conjugate(),
    "angle": cmath.phase,
}
OTHERS = {"switch", "fill", "cast", "complex"}
DECLARED = [d for d in OPS.values() if d.meaning.__module__.startswith("eqsat.") and d.kind == "elemwise"]
TAKING = [d for d in DECLARED if d.takes_complex() or "c" in d.signature.partition("->")[0]]


def vector(dtype: str, name: str | None = None) -> Any:
    return TensorType(dtype, shape=(None,))(name)


def test_every_op_of_complex_numbers_has_its_meaning_here() -> None:
    assert {d.name for d in TAKING} == (set(MEANING) | OTHERS - {"cast", "complex"}) & set(OPS)


@pytest.mark.parametrize("name", [n for n in MEANING if n in OPS])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_meaning_is_that_of_python(name: str, dtype: str) -> None:
    op = OPS[name].bind()
    pairs = list(itertools.product(POINTS, repeat=len(OPS[name].tensors)))
    inputs = [vector(dtype) for _ in OPS[name].tensors]
    values = [np.array(column, dtype) for column in zip(*pairs, strict=True)]
    found = evaluate([op(*inputs)], dict(zip(inputs, values, strict=True)))[0]
    wanted = np.array([MEANING[name](*pair) for pair in pairs])
    np.testing.assert_allclose(found, wanted, rtol=2e-5 if dtype == "complex64" else 1e-13)


@pytest.mark.parametrize("d", DECLARED, ids=lambda d: d.name)
def test_other_ops_refuse_complex_numbers_when_the_graph_is_built(d: Any) -> None:
    if d in TAKING or d.parameters:
        return
    letters = d.signature.partition("->")[0].split(",")
    inputs = [vector("bool" if k == "?" else "complex128") for k in letters]
    with pytest.raises(DTypeError) as error:
        d.bind()(*inputs)
    text = str(error.value)
    assert text.startswith(f"{d.name} is not defined for ") and "T.real(x), T.imag(x) or T.abs(x)" in text


@pytest.mark.parametrize(
    "build",
    [
        T.max,
        T.min,
        T.argmax,
        T.argmin,
        T.max_and_argmax,
        T.softmax,
        T.log_softmax,
        T.logsumexp,
        T.gelu,
        T.softsign,
        T.deg2rad,
        T.rad2deg,
        T.isposinf,
        T.isneginf,
    ],
    ids=lambda f: f.__name__,
)
def test_what_needs_an_order_refuses_complex_numbers(build: Any) -> None:
    with pytest.raises(DTypeError, match="is not defined for c128"):
        build(vector("complex128"))


def test_complex_numbers_are_no_lengths_places_or_conditions() -> None:
    z, x = TensorType("complex64", ())("z"), T.dvector("x")
    wrong: list[Callable[[], Any]] = [
        lambda: T.arange(z),
        lambda: x[z],
        lambda: x[z:],
        lambda: x.reshape((z,)),
        lambda: T.alloc(1.0, z),
        lambda: T.switch(z, 1, 2),
        lambda: T.complex(z, 1.0),
        lambda: z.astype("float64"),
        lambda: T.grad(z, z),
    ]
    for build in wrong:
        with pytest.raises(DTypeError):
            build()
    with pytest.raises(DTypeError) as error:
        T.grad(z, z)
    assert str(error.value).splitlines()[0] == "grad: the cost z is complex64, which has no gradient"
    assert str(error.value).splitlines()[-1] == "  try    T.real(cost) or T.abs(cost)"


def test_a_real_accumulator_of_complex_numbers_is_refused() -> None:
    z = vector("complex64", "z")
    for build in (T.sum, T.prod, T.mean):
        with pytest.raises(DTypeError, match="z is complex64, of which float64 loses a part") as error:
            build(z, acc_dtype="float64")
        assert str(error.value).splitlines()[-1].endswith("(T.real(x))")
        assert build(z, acc_dtype="complex128").dtype == "complex64"


# ------------------------------------------------------------------------------------------------- gradients


def differences(cost: Any, z: Any, value: Any, step: float = 1e-6) -> Any:
    """dc/dx + i dc/dy of a real cost of z = x + iy, or dc/dx of a real z, by central differences."""
    result = np.zeros(value.shape, complex)
    for place in np.ndindex(value.shape):
        for unit in (1, 1j) if z.dtype in COMPLEX else (1,):
            ends = []
            for sign in (1, -1):
                moved = value.copy()
                moved[place] += sign * step * unit
                ends.append(float(evaluate([cost], {z: moved})[0]))
            result[place] += unit * (ends[0] - ends[1]) / (2 * step)
    return result if z.dtype in COMPLEX else result.real


def weighted(out: Any) -> Any:
    """Real scalar in which both parts of every element count differently."""
    place = T.arange(1, out.size + 1).reshape(out.shape, ndim=out.ndim)
    total = (T.real(out) * T.cos(place)).sum()
    return total + (T.imag(out) * T.sin(place)).sum() if out.dtype in COMPLEX else total


FIXED = np.array([0.5 - 1.25j, 1.5 + 0.25j, -0.75 + 1j, 0.3j])
CASES: dict[str, Callable[[Any], Any]] = {
    "add": lambda z: z + 2 * z + FIXED,
    "sub": lambda z: FIXED - z,
    "mul": lambda z: z * FIXED * z,
    "mul_real": lambda z: z * T.constant(FIXED.real) * T.abs(z),
    "truediv": lambda z: z / FIXED + FIXED / z,
    "pow": lambda z: z**3 + z**FIXED + T.constant(FIXED) ** z,
    "neg": lambda z: -z * z,
    "reciprocal": lambda z: T.reciprocal(z),
    "sqr": lambda z: T.sqr(z),
    "sqrt": lambda z: T.sqrt(z),
    "exp": lambda z: T.exp(z),
    "log": lambda z: T.log(z),
    "sin": lambda z: T.sin(z),
    "cos": lambda z: T.cos(z),
    "tanh": lambda z: T.tanh(z),
    "tan": lambda z: T.tan(z),
    "sinh": lambda z: T.sinh(z),
    "cosh": lambda z: T.cosh(z),
    "abs": lambda z: T.abs(z),
    "abs_of_product": lambda z: T.abs(z * FIXED + 1),
    "real": lambda z: T.real(z * z),
    "imag": lambda z: T.imag(z * z),
    "conj": lambda z: T.conj(z) * z * z,
    "angle": lambda z: T.angle(z * FIXED),
    "complex": lambda z: T.complex(T.real(z) * T.imag(z), T.abs(z)) * FIXED,
    "polar": lambda z: T.complex_from_polar(T.abs(z), 2 * T.angle(z)),
    "switch": lambda z: T.switch(T.real(z) > 0, z * z, T.conj(z)),
    "fill": lambda z: T.fill(z, z[0] * 1j),
    "cast": lambda z: z.astype("complex64") * FIXED,
    "real_to_complex": lambda z: T.imag(z).astype("complex128") * FIXED,
    "sum": lambda z: (z * FIXED).sum(),
    "prod": lambda z: T.prod(z),
    "prod_rows": lambda z: T.prod(z.reshape((2, 2)), axis=1),
    "mean": lambda z: T.mean(z * z),
    "var": lambda z: T.var(z),
    "dot": lambda z: T.dot(z.reshape((2, 2)), FIXED.reshape(2, 2) * z.reshape((2, 2)).T),
    "vectors": lambda z: T.dot(z, FIXED) * T.dot(T.conj(z), z),
    "batched_dot": lambda z: T.batched_dot(z.reshape((2, 1, 2)), z.reshape((2, 2, 1)) * 1j),
    "index": lambda z: z[1:] * z[[0, 2, 2]],
    "set": lambda z: T.set_subtensor(z[1:3], z[0] * z[2]) * T.inc_subtensor(z[[0, 0]], z[:2]),
    "concatenate": lambda z: T.concatenate([z * z, T.conj(z)]),
    "dimshuffle": lambda z: z.dimshuffle(0, "x") * z.dimshuffle("x", 0),
    "alloc": lambda z: T.alloc(z[0], 3) * z[:3],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_gradient_is_that_of_differences_in_both_directions(name: str) -> None:
    z = vector("complex128", "z")
    value = np.array([0.75 + 0.5j, -1.25 + 0.8j, 0.6 - 1.5j, 1.1 - 0.3j])
    cost = weighted(CASES[name](z))
    found = T.grad(cost, z)
    assert z.type.is_super(found.type)
    tolerance = 2e-2 if name == "cast" else 1e-7
    step = 1e-2 if name == "cast" else 1e-6
    wanted = differences(cost, z, value, step)
    np.testing.assert_allclose(evaluate([found], {z: value})[0], wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "name", ["mul", "truediv", "pow", "exp", "abs", "angle", "conj", "polar", "dot", "prod"]
)
def test_second_derivative_is_that_of_differences(name: str) -> None:
    z = vector("complex128", "z")
    value = np.array([0.75 + 0.5j, -1.25 + 0.8j, 0.6 - 1.5j, 1.1 - 0.3j])
    cost = weighted(T.grad(weighted(CASES[name](z)), z))
    found = evaluate([T.grad(cost, z)], {z: value})[0]
    np.testing.assert_allclose(found, differences(cost, z, value), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_compiled_gradients_are_those_of_the_graph(part: int) -> None:
    z = vector("complex128", "z")
    outputs = [T.grad(weighted(CASES[name](z)), z) for name in sorted(set(CASES) - {"cast"})[part::3]]
    value = np.array([0.75 + 0.5j, -1.25 + 0.8j, 0.6 - 1.5j, 1.1 - 0.3j])
    for have, want in zip(eqsat.function([z], outputs)(value), evaluate(outputs, {z: value}), strict=True):
        assert have.dtype == want.dtype
        np.testing.assert_allclose(have, want, rtol=1e-10, atol=1e-12)


def test_gradient_through_complex_numbers_of_a_real_variable_is_real() -> None:
    x = T.dvector("x")
    value = np.array([0.5, -1.5, 2.0, 0.25])
    cost = weighted(T.exp(1j * x) * FIXED + T.complex(x, x * x) ** 2 + T.dot(FIXED, x))
    found = T.grad(cost, x)
    assert x.type.is_super(found.type)
    np.testing.assert_allclose(evaluate([found], {x: value})[0], differences(cost, x, value), rtol=1e-7)


def test_gradients_at_zero_and_without_dependence() -> None:
    z = vector("complex128", "z")
    at_zero = evaluate([T.grad(T.abs(z).sum(), z)], {z: np.zeros(2, complex)})[0]
    assert at_zero.tolist() == [0, 0]
    none = T.grad(T.abs(vector("complex128")).sum(), z, disconnected_inputs="ignore")
    assert none.dtype == "complex128" and evaluate([none], {z: np.ones(2, complex)})[0].tolist() == [0, 0]


def test_descent_along_the_gradient_lowers_a_real_cost() -> None:
    z = eqsat.shared(np.array([1 + 1j, -2j]), "z")
    cost = T.sqr(T.abs(z * FIXED[:2] - 1)).sum()
    step = eqsat.function([], cost, updates=[(z, z - 0.1 * T.grad(cost, z))])
    costs = [float(step()) for _ in range(60)]
    assert costs[-1] < 1e-3 * costs[0] and z.get_value().dtype == "complex128"


# ------------------------------------------------------------------------------------------------- rewriting


def test_no_rule_fires_on_complex_numbers_and_the_rest_is_rewritten() -> None:
    z, x = vector("complex128", "z"), T.dvector("x")
    report = eqsat.optimize([z * z / z, z - z, T.exp(T.log(z)), x * x / x, T.real(z) - T.real(z)])
    written = [str(v.owner.op) for v in report.optimized[:3]]
    assert written == ["truediv", "sub", "exp"] and report.optimized[3] is x
    assert report.optimized[4].owner is None or report.optimized[4].owner.op.name in ("fill", "alloc")


def test_equal_complex_expressions_are_computed_once() -> None:
    z = vector("complex128", "z")
    report = eqsat.optimize([T.exp(z * 1j) + 1, T.exp(z * 1j) * 2])
    a, b = report.optimized
    assert a.owner.inputs[0] is b.owner.inputs[0]


@pytest.mark.c
def test_complex_expressions_are_fused_into_one_kernel() -> None:
    z, x = vector("complex64", "z"), T.fvector("x")
    f = eqsat.function([z, x], T.abs(T.exp(z * x) + 1j).sum())
    assert f.c_source is not None
    calls = [line for line in f.c_source.splitlines() if "eq_spread(c, " in line and line[0] != "#"]
    assert len(calls) == 1, calls
    a, b = np.array([1 + 1j, 2j], "complex64"), np.array([0.5, 1], "float32")
    np.testing.assert_allclose(f(a, b), np.abs(np.exp(a * b) + 1j).sum(), rtol=1e-6)


@pytest.mark.parametrize("source", ALL)
def test_parts_of_every_dtype(source: str) -> None:
    x = vector(source, "x")
    value = np.array([0, 1, 1]).astype(source)
    if source in COMPLEX:
        value *= 1 - 2j
    outs = [T.real(x), T.imag(x), T.conj(x), x.real, x.imag, x.conj(), x.conf()]
    found = evaluate([v if v is not x else x * 1 for v in outs], {x: value})
    for have, want in zip(
        found, [value.real, value.imag, np.conj(value)] * 2 + [np.conj(value)], strict=True
    ):
        np.testing.assert_array_equal(have, want)
    angle = evaluate([T.angle(x)], {x: value})[0]
    np.testing.assert_allclose(angle, np.angle(value), rtol=1e-6)
    if source not in COMPLEX:
        made = T.complex(x, 1)
        assert made.dtype == to_complex(source)
        np.testing.assert_array_equal(evaluate([made], {x: value})[0], value + 1j)


def test_nan_and_infinity_in_either_part(seed_mode: str) -> None:
    z = vector("complex128", "z")
    parts = [0.0, -1.5, np.inf, -np.inf, np.nan]
    value = np.array([complex(a, b) for a in parts for b in parts])
    outputs = [
        T.isnan(z),
        T.isinf(z),
        T.isfinite(z),
        T.eq(z, z),
        T.neq(z, z),
        T.any(z),
        T.all(z),
        T.isclose(z, z),
    ]
    found = eqsat.function([z], outputs, mode=seed_mode)(value)
    with np.errstate(all="ignore"):
        wanted = [np.isnan(value), np.isinf(value), np.isfinite(value), value == value, value != value]
    for have, want in zip(
        found, [*wanted, np.any(value), np.all(value), np.isclose(value, value)], strict=True
    ):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_nan_to_num_replaces_part_by_part(dtype: str) -> None:
    z = vector(dtype, "z")
    value = np.array([complex(np.nan, 1), complex(np.inf, np.nan), complex(2, -np.inf)], dtype)
    found = evaluate([T.nan_to_num(z, posinf=9.0), T.nan_to_num(z)], {z: value})
    np.testing.assert_array_equal(found[0], np.nan_to_num(value, posinf=9.0))
    np.testing.assert_array_equal(found[1], np.nan_to_num(value))


def test_products_quotients_and_powers_at_zero_and_infinity_are_those_of_numpy(seed_mode: str) -> None:
    parts = [0.0, -0.0, 1.0, -2.0, 1e100, np.inf]
    points = np.array([complex(a, b) for a in parts for b in parts])
    a, b = (v.ravel() for v in np.meshgrid(points, points))
    x, y = vector("complex128", "x"), vector("complex128", "y")
    f = eqsat.function([x, y], [x * y, x / y, T.reciprocal(x), x**y], mode=seed_mode)
    mild = (np.abs(a) < 10) & (np.abs(b) < 10)
    with np.errstate(all="ignore"):
        wanted = [a * b, a / b, 1 / a]
        for have, want in zip(f(a, b), wanted, strict=False):
            np.testing.assert_allclose(have, want, rtol=1e-13)
        np.testing.assert_allclose(f(a[mild], b[mild])[3], np.power(a[mild], b[mild]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", ["DebugMode", "NanGuardMode"])
def test_modes_that_check_take_complex_numbers_and_constant_arrays(mode: str) -> None:
    z, x = vector("complex128", "z"), T.dvector("x")
    f = eqsat.function([z, x], [T.exp(z * (1 + 2j)) + FIXED[:2], x + np.array([1.0, 2.0])], mode=mode)
    value = np.array([1.0, 2j])
    first, second = f(value, [1, 1])
    np.testing.assert_allclose(first, np.exp(value * (1 + 2j)) + FIXED[:2], rtol=1e-13)
    assert second.tolist() == [2, 3]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_sigmoid_keeps_its_digits_far_left_and_near_its_poles(dtype: str, mode: str) -> None:
    x = vector(dtype)
    pole = 1j * float(np.dtype(dtype).type(np.pi).real)
    points = [-80 + 1j, -40 - 2j, -1e-3 + 3j, 60 + 2j, 1e-6 + pole, -1e-6 - pole, 3 * pole - 1e-5, -0.5 + 0j]
    values = np.array(points, dtype)
    with mpmath.workdps(60):
        wanted = [complex(1 / (1 + mpmath.exp(-mpmath.mpc(complex(v))))) for v in values]
    found = eqsat.function([x], OPS["sigmoid"](x), mode=mode)(values)
    bound = 8 * float(np.finfo(dtype).eps)
    assert all(abs(f - w) <= bound * abs(w) for f, w in zip(found.tolist(), wanted, strict=True))
    infinite = eqsat.function([x], OPS["sigmoid"](x), mode=mode)(np.array([-np.inf, np.inf], dtype))
    assert infinite.tolist() == [0, 1]
