"""Expressions of SymPy, compiled, have the values that SymPy gives them; graphs come back as expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sy
from sympy.abc import k

import eqsat
import eqsat.tensor as T
from eqsat.bridges import from_sympy, to_sympy
from eqsat.errors import ArgumentError

x, y, z = sy.symbols("x y z", real=True)
A, B = sy.MatrixSymbol("A", 2, 3), sy.MatrixSymbol("B", 3, 3)
f = sy.Function("f")
POINTS = {x: 0.3, y: 0.7, z: 1.9}

EXPRESSIONS = [
    sy.sin(x) ** 2 + sy.cos(x) ** 2 + y,
    3 * x**2 + 2 * (y - z) + sy.sin(z**3) + sy.exp(x * y - z),
    sy.sqrt(x) + 1 / sy.sqrt(y) + x**-3 + z ** sy.Rational(3, 7) + 2**x + x**-y,
    sy.Piecewise((x**2, x < 0), (sy.sqrt(x), x < 2), (sy.log(x), True)),
    sy.Piecewise((x, sy.And(x > 0, sy.Or(y < 0, sy.Not(z < 1)))), (y, True)),
    sy.Max(x, y, z) - sy.Min(x, y, z, sy.Rational(1, 2)),
    sy.legendre(20, x),
    sy.Sum(x**k / sy.factorial(k), (k, 0, 5)) + sy.Product(y + k, (k, 1, 4)),
    sy.Sum(k, (k, 1, 1000)) * x,
    sy.Derivative(sy.exp(-(x**2)) * sy.cos(y), x, x),
    sy.Integral(sy.exp(-k * x), (k, 0, 2)),
    sy.erf(x) + sy.erfc(y) + sy.erfinv(x),
    sy.gamma(x) + sy.loggamma(y) + sy.digamma(z) + sy.polygamma(2, z) + sy.factorial(x),
    sy.beta(x, y) + sy.binomial(z, 2) + sy.binomial(y, x),
    sy.besselj(0, x) + sy.besselj(1, y) + sy.besseli(0, z) + sy.besseli(1, x),
    sy.asin(x) + sy.acos(y) + sy.atan(z) + sy.atan2(y, -x) + sy.tan(x),
    sy.sinh(x) + sy.cosh(y) + sy.tanh(z) + sy.asinh(x) + sy.acosh(z) + sy.atanh(y),
    sy.sec(x) + sy.csc(y) + sy.cot(z) + sy.sech(x) + sy.coth(y),
    sy.Abs(x - z) + sy.sign(y - z) + sy.floor(5 * x) + sy.ceiling(5 * y) + sy.frac(7 * z),
    sy.Mod(7 * x, y) + sy.Mod(-z, y) + sy.sinc(x) + sy.Heaviside(x - y) + sy.Heaviside(z),
    sy.KroneckerDelta(x, y) + sy.cbrt(x) + sy.log(z, 2) + sy.pi * sy.E + sy.GoldenRatio,
    sy.re(sy.exp(sy.I * x)) + sy.im(sy.exp(sy.I * y)) + sy.arg(1 + sy.I * z),
    sy.Abs(sy.sin(sy.sqrt(sy.Abs(sy.cos(sy.asin(sy.sin(y**14))) + sy.log(x**2 + y**2) ** 10)))) ** sy.Rational(3, 7),
    sy.Subs(sy.Derivative(sy.sin(x * y), x), x, z),
    sy.Matrix([sy.sin(x * y) * sy.exp(z), x**2 * y]).jacobian([x, y, z]),
    sy.Integer(3) + 0 * x,
]  # fmt: skip


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=lambda e: str(e)[:40])
def test_values_are_those_of_sympy(expr: Any) -> None:
    inputs, made = from_sympy(expr, [x, y, z])
    found = eqsat.function(inputs, made, mode="reference", on_unused_input="ignore")(*POINTS.values())
    exact = sy.N(
        expr.replace(sy.erfcinv, lambda a: sy.erfinv(1 - a))
        .subs({x: sy.Rational(3, 10), y: sy.Rational(7, 10), z: sy.Rational(19, 10)})
        .doit(),
        20,
    )
    exact = exact.tolist() if hasattr(exact, "tolist") else exact
    np.testing.assert_allclose(found, np.array(exact, "complex128"), rtol=1e-11)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (f(x) + 1, r"the function f of f\(x\) has no definition"),
        (sy.Function("exp")(x), "the function exp"),
        (x + sy.Symbol("w"), "the symbol w is not among"),
        (A[0, 0] + x, "the symbol A is not among"),
        (sy.LambertW(x), "LambertW of LambertW"),
        (sy.Sum(x**k / k, (k, 1, sy.oo)), "Sum of Sum|polylog"),
        (sy.besselj(2, x), "orders 0 and 1"),
        (sy.Integral(sy.exp(sy.sin(x * k)), (k, 0, 1)), "Integral of Integral"),
    ],
)
def test_refusals_name_what_there_is_not(expr: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"from_sympy: .*({message})"):
        from_sympy(expr, [x, y, z])


def test_what_is_no_symbol_is_refused() -> None:
    with pytest.raises(ArgumentError, match="is no symbol"):
        from_sympy(x + 1, [x + 1])


def test_matrices_of_symbols() -> None:
    expr = A * B**2 * B.T + 2 * A
    inputs, [whole, corner, row, rest] = from_sympy(
        [expr, A[1, 2] + sy.Trace(B) + sy.Determinant(B), A[0:1, :], B.I - sy.Identity(3) + B], [A, B]
    )
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    found = eqsat.function(inputs, [whole, corner, row, rest], mode="reference")(a, b)
    expected = [a @ b @ b @ b.T + 2 * a, a[1, 2] + np.trace(b) + np.linalg.det(b), a[:1]]
    for one, other in zip(found, [*expected, np.linalg.inv(b) - np.eye(3) + b]):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    assert inputs[0].type.shape == (2, 3)


def test_equal_parts_are_one_variable() -> None:
    _, [first, second] = from_sympy([sy.exp(x) + 1, sy.exp(x) * y], [x, y])
    assert first.owner.inputs[1] in second.owner.inputs or first.owner.inputs[0] in second.owner.inputs


def test_lambdify_takes_what_numpy_broadcasts() -> None:
    call = eqsat.lambdify([x, y], x * sy.exp(y))
    a, b = np.arange(3.0), np.arange(2.0)[:, None]
    np.testing.assert_allclose(call(a, b), a * np.exp(b))
    np.testing.assert_allclose(call(2, [0, 1]), [2, 2 * np.e])
    assert call(np.float32([1]), np.float32([2])).dtype == np.float32
    assert len(call.functions) == 3
    call(a + 1, b + 1)
    assert len(call.functions) == 3


def test_lambdify_gives_the_container_that_it_was_given() -> None:
    pair = eqsat.lambdify("x y", (sy.Symbol("x") + 1, sy.Symbol("y") * 2))
    assert isinstance(pair(1.0, 2.0), tuple) and isinstance(eqsat.lambdify(x, [x, x**2])(1.0), list)
    matrix = eqsat.lambdify(x, sy.Matrix([[x, 1], [0, x**2]]))
    assert matrix(3.0).tolist() == [[3.0, 1.0], [0.0, 9.0]] and matrix([3.0, 1.0]).shape == (2, 2, 2)
    nested = eqsat.lambdify(x, {"a": [x, (x**2, [])], "b": sy.Matrix([x])})(3.0)
    assert nested == {"a": [3.0, (9.0, [])], "b": [[3.0]]} and type(nested["a"][1]) is tuple
    assert type(from_sympy([x, [x + 1]], [x])[1][1]) is list
    assert repr(eqsat.lambdify(x, x + 1)) == "lambdify((x), x + 1)"
    with pytest.raises(ArgumentError, match="2 arguments for the symbols x"):
        eqsat.lambdify(x, x)(1, 2)


def test_an_inverse_that_sympy_does_not_evaluate() -> None:
    call = eqsat.lambdify(x, sy.erfc(sy.erfcinv(x, evaluate=False), evaluate=False), mode="reference")
    assert call([0.2, 1.5]) == pytest.approx([0.2, 1.5])


def test_a_head_that_sympy_rewrites() -> None:
    call = eqsat.lambdify([x, y], sy.erf2(x, y) - sy.erf(y), mode="reference")
    assert call(0.3, 0.7) == pytest.approx(-float(sy.erf(sy.Rational(3, 10))))


def test_a_matrix_of_nothing() -> None:
    assert eqsat.lambdify([], sy.zeros(0, 2))().shape == (0, 2)


def test_arrays_of_expressions() -> None:
    inputs, made = from_sympy(sy.Array([[[x, 1]], [[y, z]]]), [x, y, z])
    found = eqsat.function(inputs, made, mode="reference")(1.5, 2, 3)
    assert found.tolist() == [[[1.5, 1.0]], [[2.0, 3.0]]]


def test_a_truth_comes_out_as_one() -> None:
    assert eqsat.lambdify([x, y], sy.And(x < y, sy.Ne(x, 0)))([0.0, 1.0], 2.0).tolist() == [False, True]


def test_an_expression_that_is_large_and_shares_its_parts() -> None:
    deep = x
    for _ in range(400):
        deep = sy.sin(deep, evaluate=False) + y
    inputs, made = from_sympy(deep, [x, y])
    value = 0.3
    for _ in range(400):
        value = np.sin(value) + 0.7
    assert eqsat.function(inputs, made, mode="reference")(0.3, 0.7) == pytest.approx(value)


U, V = T.dscalars("u", "v")
u, v = sy.symbols("u v", real=True)


@pytest.mark.parametrize(
    ("made", "expr"),
    [
        (T.log(T.exp(U) * V), sy.log(sy.exp(u) * v)),
        (T.sigmoid(U) - T.log1p(V), 1 / (1 + sy.exp(-u)) - sy.log(1 + v)),
        (T.switch(U < V, T.maximum(U, 1), T.abs(V)), sy.Piecewise((sy.Max(1, u), u < v), (sy.Abs(v), True))),
        (T.and_(U < V, T.invert(U > 1)), sy.And(u < v, u <= 1)),
        (T.gammaln(U) + T.arctan2(U, V) + T.arcsin(V), sy.loggamma(u) + sy.atan2(u, v) + sy.asin(v)),
        (T.sinc(U) + T.j1(V) + T.hypot(U, V), sy.sinc(sy.pi * u) + sy.besselj(1, v) + sy.sqrt(u**2 + v**2)),
        (U * 0.1 + np.pi + T.trunc(V), u / 10 + sy.pi + sy.sign(v) * sy.floor(sy.Abs(v))),
        (T.mod(U, V) + T.sqr(U) / T.cast(U < V, "float64"), None),
        (T.logaddexp(U, V) + T.erfcx(U), sy.log(sy.exp(u) + sy.exp(v)) + sy.exp(u**2) * sy.erfc(u)),
    ],
)
def test_graphs_become_expressions(made: Any, expr: Any) -> None:
    found = to_sympy(made)
    if expr is None:
        expr = sy.Mod(u, v) + u**2 / sy.Piecewise((1, u < v), (0, True))
    assert found == expr


def test_there_and_back() -> None:
    expr = sy.exp(x) * sy.sin(y) / (1 + x**2) + sy.Piecewise((x, x < y), (y**2, True)) + sy.Max(x, y)
    _, made = from_sympy(expr, [x, y])
    assert sy.simplify(to_sympy(made) - expr) == 0


def test_sympy_proves_that_the_optimised_graph_is_equal() -> None:
    made = T.log(T.exp(U) * T.exp(V)) + T.sin(U) ** 2 + T.cos(U) ** 2
    optimized = eqsat.optimize(made).optimized[0]
    assert sy.simplify(to_sympy(made) - to_sympy(optimized)) == 0


def test_tensors_stand_for_an_element() -> None:
    m, w, s = T.dmatrix("m"), T.dvector("w"), T.dscalar("s")
    assert str(to_sympy(m * w + s)) == "m*w + s"
    assert str(to_sympy([m + 1, s], {s: x + 1})) == "[m + 1, x + 1]"
    first, second = T.dscalar("a"), T.dscalar("a")
    assert to_sympy(first - second) != 0


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (T.sum(T.dvector("w")), "sum.* is not elementwise"),
        (T.dmatrix("m").T + 1, "moves axes"),
        (T.isnan(U), "isnan has no formula"),
        (T.dvector("w") * np.array([1.0, 2.0]), "is no single number"),
        (T.cast(U, "int64"), "cuts numbers off"),
        (T.and_(T.lscalar("i"), 3), "and has no formula"),
    ],
)
def test_graphs_without_an_expression_are_refused(made: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"to_sympy: .*{message}"):
        to_sympy(made)


@pytest.mark.c
def test_compiled_is_the_same() -> None:
    call, plain = (
        eqsat.lambdify([x, y], sy.legendre(6, x) + sy.erf(y) * x, mode=m) for m in ("FAST_RUN", "reference")
    )
    values = np.linspace(-1, 1, 50), np.linspace(0, 3, 50)
    np.testing.assert_allclose(call(*values), plain(*values), rtol=1e-9, atol=1e-12)
