"""Every declared op keeps what its declaration says: meaning, types, image, facts, gradient and text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import DTypeError
from eqsat.graph.declare import OPS, Cost, Declaration, elemwise, forget_op
from eqsat.graph.dtypes import ALL, COMPLEX, FLOATS, promote
from eqsat.graph.ops.decompose import lu_op, qr_op
from eqsat.graph.ops.determinant import logdet_op
from eqsat.graph.ops.factored import lu_factors, lu_solve
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.index import part_op, put_op
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.ops.pool import pool_pick_op, pool_route_op, pool_spread_op
from eqsat.graph.ops.reduce import argmax_op, argmin_op, max_op, min_op, prod_op, sum_op
from eqsat.graph.ops.shape import length_op, make_vector_op
from eqsat.graph.ops.specify import forget_op as forget_shape
from eqsat.graph.ops.specify import specify_op
from eqsat.graph.ops.spectrum import eigh_op, svd_op
from eqsat.graph.tensor_type import TensorType
from eqsat.verify import verify_op
from eqsat.verify.op_promises import drawn_operands
from eqsat.verify.sides import real_function
from tests.graph import random_scalars
from tests.reference import evaluate, numeric_gradient

DECLARED = [d for d in OPS.values() if d.meaning.__module__.startswith("eqsat.graph.ops")]
ELEMWISE = [
    d for d in DECLARED if d.kind == "elemwise" and "c" not in d.signature
]  # test_complex.py has the rest
STRUCTURAL = [d for d in DECLARED if d.kind != "elemwise"]
SPECIAL = [
    -math.inf,
    -300.0,
    -2.0,
    -1.0,
    -0.5,
    -1e-310,
    -0.0,
    0.0,
    1e-310,
    0.5,
    1.0,
    2.0,
    300.0,
    math.inf,
    math.nan,
]


def named(declarations: list[Declaration]) -> Any:
    return pytest.mark.parametrize("d", declarations, ids=lambda d: d.name)


def bound(d: Declaration) -> list[Any]:
    """The op with each value that its parameters may take here; only cast among elementwise ops has one."""
    return [d.bind(dtype=name) for name in ALL] if d.parameters else [d.bind()]


def values_of(dtype: str) -> Any:
    """Ordinary and extreme values of a dtype."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype in FLOATS:
        return np.array(SPECIAL, dtype)
    if dtype in COMPLEX:
        return np.array([complex(a, b) for a in SPECIAL[::2] for b in SPECIAL[1::3]], dtype)
    info = np.iinfo(dtype)
    return np.array(sorted({info.min, max(info.min, -3), 0, 1, 2, 7, info.max}), dtype)


def grid(*dtypes: str) -> list[Any]:
    """All combinations of the values of some dtypes, as one vector per operand."""
    rows = np.meshgrid(*(values_of(name) for name in dtypes), indexing="ij")
    return [row.ravel() for row in rows]


def apply(op: Any, *values: Any) -> Any:
    """Value of an op on arrays of unknown lengths, through the graph."""
    inputs = [TensorType(v.dtype, shape=(None,) * v.ndim)() for v in values]
    return evaluate([op(*inputs)], dict(zip(inputs, values, strict=True)))[0]


# ---------------------------------------------------------------------------------------- texts and types


@named(DECLARED)
def test_docstring_is_a_sentence(d: Declaration) -> None:
    first = d.doc.splitlines()[0]
    assert len(first) > 5 and first.endswith((".", ";")), first


@named(ELEMWISE)
def test_result_has_the_dtype_of_the_graph_for_every_dtype(d: Declaration) -> None:
    known = 0
    count = len(d.tensors)
    pairs = itertools.product(ALL, repeat=count) if count < 3 else [(a, b, b) for a in ALL for b in ALL]
    for dtypes, op in itertools.product(pairs, bound(d)):
        inputs = [TensorType(name, shape=(None, 1))() for name in dtypes]
        try:
            out = op(*inputs)
        except DTypeError:
            continue
        known += 1
        values = [np.ones((2, 1), name) for name in dtypes]
        evaluate([out], dict(zip(inputs, values, strict=True)))
        assert op.compute(*(np.ones((2, 1), v.type.dtype) for v in out.owner.inputs)).dtype == out.dtype
    assert known >= 9


@named(ELEMWISE)
@pytest.mark.parametrize(
    "shapes", [[(), (), ()], [(0,), (0,), ()], [(1, 3), (2, 1), (2, 3)], [(2, 0), (1, 1), (2, 1)]]
)
def test_operands_broadcast_where_their_type_says_so(d: Declaration, shapes: Any) -> None:
    shapes = shapes[: len(d.tensors)]
    dtype = "int32" if d.signature.startswith("i") else "float64"
    inputs = [TensorType(dtype, shape=[1 if n == 1 else None for n in shape])() for shape in shapes]
    values = [np.ones(shape, dtype) for shape in shapes]
    out = evaluate([bound(d)[0](*inputs)], dict(zip(inputs, values, strict=True)))[0]
    assert out.shape == np.broadcast_shapes(*shapes)


# ---------------------------------------------------------------------------------------------- meaning


def _python_pow(x: int, y: int) -> int:
    return int(x**y) if y >= 0 or x else 0


SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "truediv": lambda x, y: x / y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "pow": lambda x, y: x**y,
    "neg": lambda x: -x,
    "reciprocal": lambda x: 1 / x,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "sqr": lambda x: x * x,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "softplus": lambda x: math.log1p(math.exp(x)),
    "tanh": math.tanh,
    "sin": math.sin,
    "cos": math.cos,
    "erf": math.erf,
    "floor": math.floor,
    "ceil": math.ceil,
    "maximum": max,
    "minimum": min,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y,
    "neq": lambda x, y: x != y,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "invert": lambda x: ~x,
    "switch": lambda c, x, y: x if c else y,
    "clip": lambda x, low, high: min(max(x, low), high),
    "fill": lambda x, y: y,
    "cast": lambda x: x,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "arctan2": math.atan2,
    "hypot": math.hypot,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "sinc": lambda x: mpmath.sincpi(x),
    "trunc": math.trunc,
    "round_half_to_even": round,
    "round_half_away_from_zero": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "fmod": math.fmod,
    "signbit": lambda x: x < 0,
    "copysign": math.copysign,
    "isfinite": math.isfinite,
    "left_shift": lambda x, y: x << y,
    "right_shift": lambda x, y: x >> y if y >= 0 else -(x < 0),
    "exp2": lambda x: 2.0**x,
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "erfc": math.erfc,
    "erfcx": lambda x: mpmath.exp(mpmath.mpf(x) ** 2) * mpmath.erfc(x),
    "ndtr": lambda x: mpmath.ncdf(x),
    "erfinv": lambda x: float(_real(mpmath.erfinv(x))),
    "erfcinv": lambda x: float(_real(mpmath.erfinv(1 - x))),
    "gamma": math.gamma,
    "gammaln": math.lgamma,
    "digamma": mpmath.digamma,
    "polygamma": lambda n, x: _real(mpmath.psi(_whole_number(n), x)),
    "log1mexp": lambda x: math.log(1 - math.exp(x)),
    "exp_over_erfc": lambda x: mpmath.exp(-(mpmath.mpf(x) ** 2)) / mpmath.erfc(x),
    "log_erfc": lambda x: mpmath.log(mpmath.erfc(x)),
    "log_ndtr": lambda x: mpmath.log(mpmath.ncdf(x)),
    "log_cosh": lambda x: mpmath.log(mpmath.cosh(x)),
    "j0": lambda x: mpmath.besselj(0, x),
    "j1": lambda x: mpmath.besselj(1, x),
    "i0": lambda x: mpmath.besseli(0, x),
    "i1": lambda x: mpmath.besseli(1, x),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "xlogy": lambda x, y: x * math.log(y),
    "random_bits": random_scalars.bits,
    "random_unit": random_scalars.unit,
    "random_unit_second": random_scalars.unit_second,
    "scaled_bits": random_scalars.scaled,
    "binomial_draw": random_scalars.binomial,
}


def _real(value: Any) -> Any:
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        raise ValueError(value)
    return value


def _whole_number(value: float) -> int:
    if value < 0 or value != int(value):
        raise ValueError(value)
    return int(value)


def scalar_of(d: Declaration) -> Callable[..., Any]:
    """The function of numbers that an op is held against: one above, else the formula that it declares."""
    return SCALAR.get(d.name) or real_function(d.name)


@named([d for d in ELEMWISE if d.real or d.name in SCALAR])
def test_meaning_is_that_of_python_scalars(d: Declaration) -> None:
    points: Any = [0.25, 0.5, 1.0, 2.5, -0.75, -2.0]
    dtype = "float64"
    if d.signature.startswith("i"):
        points, dtype = [0, 1, 2, 5, -3], "int64"
    for args in itertools.product(points, repeat=len(d.tensors)):
        try:
            wanted = scalar_of(d)(*args)
        except (ValueError, ZeroDivisionError):
            continue
        if isinstance(wanted, complex) or (d.name not in SCALAR and mpmath.isnan(wanted)):
            continue
        op = d.bind(dtype="float64") if d.parameters else d.bind()
        found = apply(op, *(np.array(a, dtype) for a in args))
        np.testing.assert_allclose(
            float(found), float(wanted), rtol=1e-14, atol=1e-16, err_msg=f"{d.name}{args}"
        )


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8"])
def test_integer_power_and_division_are_defined_everywhere(dtype: str) -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.array([0, 1, 2, 3, 5], dtype), np.array([0, 1, 2, 3], dtype)))
    if dtype != "uint8":
        x, y = np.concatenate([x, -x, x, -x]), np.concatenate([y, y, -y, -y])
    wrap = [np.array(_python_pow(int(a), int(b))).astype(dtype) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(apply(T.pow, x, y), wrap)
    np.testing.assert_array_equal(
        apply(T.floordiv, x, y), [int(a) // int(b) if b else 0 for a, b in zip(x, y, strict=True)]
    )
    np.testing.assert_array_equal(
        apply(T.mod, x, y), [int(a) % int(b) if b else 0 for a, b in zip(x, y, strict=True)]
    )


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_cast_saturates_floats_and_is_numpy_elsewhere(source: str, target: str) -> None:
    x = values_of(source)
    if source in COMPLEX and target not in COMPLEX:
        with pytest.raises(DTypeError, match=f"cannot become {target}"):
            apply(OPS["cast"].bind(dtype=target), x)
        return
    found = apply(OPS["cast"].bind(dtype=target), x)
    if source not in FLOATS or target in FLOATS + COMPLEX or target == "bool":
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found, x.astype(target))
        return
    info = np.iinfo(target)
    wanted = [
        0 if math.isnan(v) else int(min(max(v, float(info.min)), float(info.max))) for v in map(float, x)
    ]
    np.testing.assert_array_equal(found, [min(v, info.max) for v in wanted])


def test_a_constant_is_cast_as_the_graph_would_cast_it() -> None:
    for source, target in itertools.product(ALL, ALL):
        x = values_of(source)
        if source in COMPLEX and target not in COMPLEX:
            with pytest.raises(DTypeError, match="cannot become"):
                T.cast(x, target)
            continue
        np.testing.assert_array_equal(T.cast(x, target).data, apply(OPS["cast"].bind(dtype=target), x))


# ----------------------------------------------------------------------------------- image, intervals and facts


def float_grid(d: Declaration, dtype: str) -> list[Any]:
    return grid(*([dtype] * len(d.tensors)))


def interpret(text: str, known: dict[str, Any]) -> Any:
    """Value of an expression such as ``lo_x + lo_y``."""
    with np.errstate(all="ignore"):
        return eval(text, {"max": np.maximum, "min": np.minimum}, known)


@named([d for d in DECLARED if d.image is not None])
def test_image_holds_all_results(d: Declaration) -> None:
    assert d.image is not None
    low, high = d.image
    if d.signature.startswith("i"):
        for op in (d.bind(dtype=name) for name in FLOATS):
            out = apply(op, *grid(*["int64"] * len(d.tensors)))
            assert not ((out < low) | (out > high)).any(), (d.name, out)
        return
    for dtype in FLOATS:
        for out in results(d, dtype):
            assert not ((out < low) | (out > high)).any(), (d.name, out)


def results(d: Declaration, dtype: str) -> Iterator[Any]:
    """Values of an op on special floats: pointwise, or over the axes of matrices; of other ops on drawn operands."""
    if d.kind == "elemwise":
        yield from (apply(op, *float_grid(d, dtype)) for op in bound(d))
    elif "axes" in d.parameters:
        rows = np.array(list(itertools.combinations(SPECIAL, 3)), dtype)
        for op in with_parameters(d):
            yield op.compute(rows.astype(bool) if d.signature.startswith("?") else rows)
    else:
        rng = np.random.default_rng(1)
        for op in with_parameters(d) * 5:
            yield op.compute(*drawn_operands(op, rng))


DRAWN = {"axes": ((0,), (1,), (0, 1)), "integer": (0, 1)}


def with_parameters(d: Declaration) -> list[Any]:
    """An op on arrays with some values of its parameters, which are axes and integers; none where it has others."""
    choices = [DRAWN.get(kind.name, ()) for kind in d.parameters.values()]
    return [d.bind(**dict(zip(d.parameters, values))) for values in itertools.product(*choices)]


@named([d for d in ELEMWISE if d.interval])
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_interval_holds_the_results_of_operands_inside_theirs(d: Declaration, margin: float) -> None:
    operands = float_grid(d, "float64")
    result = apply(d.bind(), *operands)
    known = {}
    for name, values in zip(d.tensors, operands, strict=True):
        nan = np.isnan(values)
        known["lo_" + name] = np.where(nan, 5.0, values - margin)
        known["hi_" + name] = np.where(nan, 7.0, values + margin)
    for which, text in d.interval:
        bounds = interpret(text, known)
        usable = np.isfinite(bounds)
        outside = result < bounds if which == "lo" else result > bounds
        assert not (outside & usable).any(), (d.name, which, text)


def holds(fact: str, *values: Any) -> Any:
    """Test a fact at each value; like intervals, nonneg says nothing of NaN."""
    if fact == "same":
        return (values[0] == values[1]) | (np.isnan(values[0]) & np.isnan(values[1]))
    if fact == "nonneg":
        return ~(values[0] < 0)
    if fact == "unsigned":
        return (values[0] != 0) | ~np.signbit(values[0])
    return values[0] != 0 if fact == "nonzero" else np.isfinite(values[0])


@named([d for d in ELEMWISE if d.facts])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
def test_facts_hold_wherever_their_conditions_do(d: Declaration, dtype: str) -> None:
    for op, text in itertools.product(bound(d), d.facts):
        head, _, body = text.partition(" if ")
        floats_only = head.startswith("float") or "same" in body or d.name in ("mul", "pow", "truediv")
        name = head.removeprefix("float_").removeprefix("float ")
        if d.name == "cast" and op.params["dtype"] not in FLOATS:
            continue
        if dtype == "int8" and (floats_only or d.signature.startswith("f")):
            continue
        operands = float_grid(d, dtype)
        known = dict(zip(d.tensors, operands, strict=True))
        where = np.ones(operands[0].shape, bool)
        for part in filter(None, (p.strip() for p in body.split(","))):
            fact, *names = part.split()
            where &= holds(fact, *(known[n] for n in names))
        assert where.any()
        result = apply(op, *operands)
        broken = where & ~holds(name, result)
        assert not broken.any(), (text, [v[broken][:3] for v in operands], result[broken][:3])


@named([d for d in STRUCTURAL if d.kind == "reduce" and (d.facts or d.interval)])
def test_reductions_keep_signs_and_bounds(d: Declaration) -> None:
    rows = np.array(list(itertools.combinations([v for v in SPECIAL if not v < 0], 3)))
    result = d.bind(axes=(1,)).compute(rows)
    assert not (result < 0).any()
    for which, text in d.interval:
        bound_of = np.nanmin if which == "lo" else np.nanmax
        limit = np.array([[bound_of(row)] for row in rows])
        assert text == which + "_x" and not (result < limit if which == "lo" else result > limit).any()


REFUSED = {"n": ("bool",), "i": FLOATS}  # dtypes that a letter of a signature does not take


@named([d for d in ELEMWISE if d.commutative or d.associative])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "bool", "float64"])
def test_commutative_and_associative_ops_are(d: Declaration, dtype: str) -> None:
    op = d.bind()
    x, y, z = grid(dtype, dtype, dtype)
    if dtype in REFUSED.get(d.signature[0], ()):
        with pytest.raises(DTypeError, match=f"{d.name} is not defined for "):
            apply(op, x, y)
        return
    if d.commutative:
        np.testing.assert_array_equal(apply(op, x, y), apply(op, y, x))
    if d.associative and dtype == "float64":
        x, y, z = (v[np.all(np.abs([x, y, z]) < 10, axis=0)] for v in (x, y, z))
    if d.associative:
        left, right = apply(op, apply(op, x, y), z), apply(op, x, apply(op, y, z))
        np.testing.assert_allclose(left.astype("float64"), right.astype("float64"), rtol=1e-14, atol=1e-300)


@named([d for d in ELEMWISE if d.commutative])
def test_commutative_ops_have_equal_letters(d: Declaration) -> None:
    first, second = d.signature.partition("->")[0].split(",")
    assert first == second


# --------------------------------------------------------------------------------------------- gradients


POSITIVE = {"gamma", "xlogy"}


def operands_away_from_kinks(d: Declaration) -> list[Any]:
    """Operands inside the domain, at some distance from each other, from its ends, poles and whole numbers."""
    rng = np.random.default_rng(5)
    low, high = (0.2, 1.9) if d.poles or d.name in POSITIVE else (-1.6, 1.9)
    low, high = max(low, d.domain[0] + 0.1), min(high, d.domain[1] - 0.1)
    while True:
        values = [rng.uniform(low, high, (2, 3)) for _ in d.tensors]
        apart = [abs(a - b).min() for a, b in itertools.combinations(values, 2)]
        whole = [abs(v - np.round(v)).min() for v in values]
        ratio = [abs(a / b - np.round(a / b)).min() for a, b in itertools.combinations(values, 2)]
        if min(apart + whole + ratio) > 0.02:
            return values


def check_gradient(cost: Any, given: dict[Any, Any], tolerance: float = 2e-7) -> None:
    """Gradients of a cost for all float64 inputs against differences; types fit those of the inputs."""
    targets = [v for v in given if v.dtype == "float64"]
    grads = T.grad(cost, targets, disconnected_inputs="ignore")
    for target, dx in zip(targets, grads, strict=True):
        assert target.type.is_super(dx.type), (target.type, dx.type)
        assert dx.broadcastable == target.broadcastable
    for target, dx in zip(targets, evaluate(grads, given), strict=True):
        assert dx.shape == np.shape(given[target])
        numeric = numeric_gradient(cost, target, given)
        np.testing.assert_allclose(dx, numeric, rtol=tolerance * 10, atol=tolerance)


def weighted(out: Any) -> Any:
    """Scalar in which every element of an output counts differently; of a list, of all outputs that are floats."""
    if isinstance(out, list):
        return sum(weighted(v) for v in out if v.dtype in FLOATS)
    if out.ndim == 0:
        return out * 1.5
    place = T.arange(1, out.size + 1).reshape(out.shape, ndim=out.ndim)
    return (out * T.cos(place)).sum()


# polygamma has no derivative for its first operand, a whole number; tests/graph/ops/test_special.py looks at it
DIFFERENTIABLE = [d for d in ELEMWISE if d.grad is not None and d.name != "polygamma"]


@named(DIFFERENTIABLE)
def test_gradient_is_that_of_differences(d: Declaration) -> None:
    values = operands_away_from_kinks(d)
    inputs = T.dmatrices(len(values))
    op = d.bind(dtype="float64") if d.name == "cast" else d.bind()
    check_gradient(weighted(op(*inputs)), dict(zip(inputs, values, strict=True)))


@named([d for d in DIFFERENTIABLE if len(d.tensors) > 1])
def test_gradient_is_summed_where_an_operand_is_broadcast(d: Declaration) -> None:
    values = operands_away_from_kinks(d)
    for short in range(len(values)):
        inputs = T.dmatrices(len(values))
        inputs[short] = T.drow()
        given = dict(zip(inputs, values, strict=True))
        given[inputs[short]] = values[short][:1]
        check_gradient(weighted(d.bind()(*inputs)), given, 1e-6)


@named(DIFFERENTIABLE)
def test_gradient_in_float32_has_no_float64_in_it(d: Declaration) -> None:
    from eqsat.graph.walk import ancestors

    inputs = T.fmatrices(len(d.tensors))
    op = d.bind(dtype="float32") if d.name == "cast" else d.bind()
    out = op(*inputs).sum()
    made: Any = ancestors(T.grad(out, inputs))
    wide = [v for v in made if v.dtype == "float64"]
    assert wide == []


@pytest.mark.parametrize("d", [OPS[n] for n in ("exp", "log", "tanh", "sigmoid", "softplus", "sqrt", "erf", "truediv",
                                                "mul", "pow", "reciprocal", "log1p", "sin", "abs", "tan", "arcsin",
                                                "arctan2", "hypot", "sinc", "cosh", "arctanh", "cbrt", "erfinv", "erfcx", "ndtr",
                                                "gammaln", "digamma", "logaddexp", "j0", "j1", "i0", "i1", "xlogy", "log1mexp",
                                                "log_erfc", "log_cosh", "log_ndtr", "exp_over_erfc")], ids=lambda d: d.name)  # fmt: skip
def test_second_derivative_is_that_of_differences(d: Declaration) -> None:
    values = operands_away_from_kinks(d)
    inputs = T.dmatrices(len(values))
    first = T.grad(weighted(d.bind()(*inputs)), inputs)
    given = dict(zip(inputs, values, strict=True))
    check_gradient(sum(weighted(g) for g in first), given, 1e-6)


@pytest.mark.parametrize(
    "build, x, wanted",
    [
        (lambda x: x**0.0, 0.0, 0.0),
        (lambda x: x ** (x * 0), 0.0, 0.0),
        (lambda x: x**1.0, 0.0, 1.0),
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: 0.0**x, 2.0, 0.0),
        (lambda x: abs(x), 0.0, 0.0),
        (lambda x: T.maximum(x, x), 1.0, 1.0),
        (lambda x: T.clip(x, 0, 1), 1.0, 1.0),
        (lambda x: T.clip(x, 0, 1), 1.5, 0.0),
        (lambda x: T.floor(x), 0.5, 0.0),
        (lambda x: T.sigmoid(x), 800.0, 0.0),
        (lambda x: T.softplus(x), 800.0, 1.0),
        (lambda x: T.softplus(x), -800.0, 0.0),
    ],
)
def test_gradient_at_borders(build: Any, x: float, wanted: float) -> None:
    v = T.dscalar()
    assert evaluate([T.grad(build(v), v)], {v: x})[0] == wanted


# ------------------------------------------------------------------------------------- ops that move or combine


def _listed(out: Any) -> list[Any]:
    return out if isinstance(out, list) else [out]


def _inputs(*shapes: Any) -> list[Any]:
    return [TensorType("float64", shape=[None] * len(s))() for s in shapes]


def near_one(a: Any) -> Any:
    """The symmetric part of a square matrix, and a multiple of the unit matrix that makes it definite."""
    turned = a.dimshuffle(*range(a.ndim - 2), a.ndim - 1, a.ndim - 2)
    return a + turned + 5.0 * T.eye(a.shape[-1])


def _whole(ndim: int) -> tuple[Any, ...]:
    return (("slice", None, None, None),) * ndim


IDX = np.array([2, 0, 2])
ABSTRACT = T.nnet.abstract_conv
POOL = {"window": (2, 3), "strides": (2, 2), "pads": (0, 0), "partial": False}
CASES: dict[str, list[tuple[Callable[..., Any], list[Any]]]] = {
    "dimshuffle": [(lambda x: x.dimshuffle(1, "x", 0), [(2, 3)]), (lambda x: T.addbroadcast(x, 0)[0], [(1, 3)])],
    "reshape": [(lambda x: x.reshape((3, -1)), [(2, 6)]), (lambda x: x.flatten(), [(2, 2)])],
    "assertion": [(lambda x: T.assert_op(x, x < 99, x.shape[0] > 1), [(2, 3)])],
    "assume": [(lambda x: T.assume(x, "bounded"), [(2, 3)])],
    "specify_shape": [(lambda x: specify_op(x, lengths=(None, 3)), [(2, 3)])],
    "clip_gradient": [(lambda x: OPS["clip_gradient"].bind(low=-99.0, high=99.0)(x), [(2, 3)])],
    "scale_gradient": [(lambda x: OPS["scale_gradient"].bind(factor=1.0)(x), [(2, 3)])],
    "zero_gradient": [(lambda x: x - OPS["zero_gradient"].bind()(x * 0), [(2, 3)])],
    "disconnect_gradient": [(lambda x: x - OPS["disconnect_gradient"].bind()(x * 0), [(2, 3)])],
    "transfer": [(lambda x: x.transfer("cpu"), [(2, 3)])],
    "forget_shape": [(lambda x: forget_shape(x[:1], axes=(0,)), [(2, 3)])],
    "count": [(lambda x: x * OPS["count"].bind(axes=(1,))(x), [(2, 3)])],
    "length": [(lambda x: x * length_op(x, axis=1), [(2, 3)])],
    "make_vector": [(lambda x: make_vector_op(x[0], x[1] * x[0]), [(2,)])],
    "sum": [(lambda x: sum_op(x, axes=(0,)), [(2, 3)]), (lambda x: x.sum(), [(2, 3)])],
    "prod": [(lambda x: prod_op(x, axes=(1,)), [(2, 3)])],
    "max": [(lambda x: max_op(x, axes=(0, 1)), [(2, 3)]), (lambda x: x.max(axis=1), [(2, 3)])],
    "min": [(lambda x: min_op(x, axes=(0,)), [(2, 3)])],
    "all": [(lambda x: x * (x > -9).all(), [(2, 3)])],
    "any": [(lambda x: x * (x > 9).any(), [(2, 3)])],
    "argmax": [(lambda x: x * argmax_op(x, axes=(1,)), [(2, 3)])],
    "max_and_argmax": [(lambda x, a=a: max_and_argmax_op(x, axes=a), [(2, 3)]) for a in ((0,), (0, 1))],
    "argmin": [(lambda x: x * argmin_op(x, axes=(1,)), [(2, 3)])],
    "softmax": [(lambda x, a=a: T.softmax(x, a), [(2, 3)]) for a in (0, 1, (0, 1))],
    "log_softmax": [(lambda x: T.log_softmax(x, 0), [(2, 3)])],
    "logsumexp": [(lambda x: T.logsumexp(x, 1), [(2, 3)]), (lambda x: T.logsumexp(x), [(4,)])],
    "matmul": [(T.matmul, [(2, 3, 4), (2, 4, 2)]), (T.matmul, [(3, 4), (2, 2, 4, 3)])],
    "solve": [(lambda a, b: T.linalg.solve(near_one(a), b), [(3, 3), (3, 2)])],
    "solve_triangular": [(lambda a, b: T.linalg.solve_triangular(near_one(a), b), [(2, 3, 3), (3, 2)])],
    "inv": [(lambda a: T.linalg.inv(near_one(a)), [(2, 3, 3)])],
    "pinv": [(T.linalg.pinv, [(3, 2)]), (T.linalg.pinv, [(2, 3)])],
    "cholesky": [(lambda a: T.linalg.cholesky(near_one(a * 0.1)), [(3, 3)])],
    "lu_factor": [(lu_op, [(3, 3)]), (lu_op, [(2, 4)])],
    "qr": [(lambda a: qr_op(a, full=0), [s]) for s in ((3, 2), (2, 3))],
    "svd": [(lambda a: svd_op(a, full=0), [(3, 2)])],
    "svdvals": [(T.linalg.svdvals, [(2, 3)])],
    "eigh": [(lambda a: eigh_op(a, lower=1), [(3, 3)])],
    "eig": [(lambda a: T.real(T.linalg.eigvals(near_one(a))), [(3, 3)])],
    "eigvalsh": [(T.linalg.eigvalsh, [(3, 3)])],
    "det": [(T.linalg.det, [(2, 3, 3)])],
    "slogdet": [(lambda a: list(T.linalg.slogdet(a)), [(3, 3)])],
    "lu_factors": [(lambda a: lu_factors(a)[:-1], [(3, 3)])],
    "lu_solve": [
        (lambda a, b: lu_solve(lu_factors(a), b, turned=0), [(3, 3), (3, 2)]),
        (lambda a, b: lu_solve(lu_factors(a), b, turned=1), [(3, 3), (3, 2)]),
    ],
    "logdet": [(lambda a: logdet_op(a, absolute=1), [(2, 3, 3)])],
    "expm": [(T.linalg.expm, [(3, 3)])],
    "dot": [(T.dot, [(2, 3), (3, 4)]), (T.dot, [(3,), (3, 2)]), (T.dot, [(2, 3), (3,)]), (T.dot, [(3,), (3,)])],
    "batched_dot": [(T.batched_dot, [(2, 3, 4), (2, 4, 2)]), (T.batched_dot, [(2, 3), (2, 3, 2)])],
    "subtensor": [(lambda x: x[1:, ::-2], [(3, 4)]), (lambda x: part_op(x, 1, pattern=(("int", "?"),)), [(3,)])],
    "set_part": [
        (lambda x, y: T.set_subtensor(x[1], y), [(3, 2), (2,)]),
        (lambda x, y: T.inc_subtensor(x[:, 1:], T.addbroadcast(y, 0)), [(3, 2), (1, 1)]),
        (lambda x, y: put_op(x, y, pattern=_whole(2), add=0), [(3, 2), (3, 2)]),
    ],
    "gather": [(lambda x: x[IDX], [(3, 2)]), (lambda x: gather_op(x, IDX, pattern=(-1, 0)), [(2, 3)])],
    "scatter": [
        (lambda x, y: T.inc_subtensor(x[IDX], y), [(3, 2), (3, 2)]),
        (lambda x, y: T.set_subtensor(x[IDX], y), [(3, 2), (3, 2)]),
        (lambda x, y: T.set_subtensor(x[:, IDX], y), [(2, 3), (2, 3)]),
        (lambda x, y: scatter_op(x, y.dimshuffle("x", 0), IDX, pattern=(-1, 0), add=1), [(2, 3), (3,)]),
    ],
    "add_rows": [(lambda x, y: OPS["add_rows"].bind()(x, y[:1, :1].sum(keepdims=True), y, IDX), [(3, 2), (3, 2)])],
    "rows_dot": [
        (OPS["rows_dot"].bind(), [(3, 2, 4), (4, 5)]),
        (lambda x, y: OPS["rows_dot"].bind()(x[::-1], y.T), [(3, 2, 4), (5, 4)]),
        (lambda x, y: OPS["rows_dot"].bind()(x.dimshuffle(0, 2, 1), y), [(3, 4, 1), (4, 5)]),
    ],
    "sum_dots": [
        (OPS["sum_dots"].bind(), [(3, 2, 4), (3, 4, 5)]),
        (lambda x, y: OPS["sum_dots"].bind()(x.dimshuffle(0, 2, 1), y), [(3, 4, 2), (3, 4, 5)]),
        (lambda x, y: OPS["sum_dots"].bind()(x.dimshuffle(0, 2, 1)[::-1], y[::-1]), [(3, 1, 2), (3, 1, 5)]),
        (lambda x, y: OPS["sum_dots"].bind()(x.dimshuffle(0, 2, 1)[::-1], y), [(3, 4, 2), (3, 4, 5)]),
    ],
    "first_rows": [(lambda x: OPS["first_rows"].bind(what="x")(x, 2), [(3, 2)])],
    "set_rows": [(lambda x, y: OPS["set_rows"].bind()(x, y, IDX), [(3, 2), (3, 2)])],
    "nonzero": [(lambda x: x[x > 0] * x[(x > 0).nonzero()], [(3, 2)])],
    "within": [(lambda x: x[OPS["within"].bind()(IDX, 3)], [(3, 2)])],
    "diagonal": [(lambda x: x.diagonal(1), [(3, 2)]), (lambda x: x.diagonal(-1, 2, 0), [(2, 3, 4)])],
    "set_diagonal": [
        (lambda x, y: T.set_subtensor(x.diagonal(-1), y), [(3, 2), (2,)]),
        (lambda x, y: T.inc_subtensor(x.diagonal(), T.addbroadcast(y, 0)), [(3, 2), (1,)]),
    ],
    "alloc": [(lambda x: T.alloc(x, 4, x.shape[0]), [(3,)]), (lambda x: T.alloc(x.sum(), 2), [(3,)])],
    "arange": [(lambda x: x * T.arange(x.shape[0]), [(3,)])],
    "conv": [(lambda x, w: T.nnet.conv2d(x, w, border_mode="half", subsample=(2, 1)), [(2, 2, 4, 3), (2, 2, 2, 3)])],
    "conv_input": [
        (lambda w, y: ABSTRACT.conv2d_grad_wrt_inputs(y, w, (2, 2, 3, 4)), [(3, 2, 2, 2), (2, 3, 2, 3)])
    ],
    "conv_kernel": [
        (lambda x, y: ABSTRACT.conv2d_grad_wrt_weights(x, y, (3, 2, 2, 2)), [(2, 2, 3, 4), (2, 3, 2, 3)])
    ],
    "pool_max": [(lambda x: T.signal.pool.pool_2d(x, (2, 2)), [(2, 3, 4)])],
    "pool_sum": [(lambda x: T.signal.pool.pool_2d(x, (2, 2), stride=1, mode="sum"), [(2, 3, 4)])],
    "pool_spread": [(lambda y: pool_spread_op.bind(**POOL)(y, 4, 5), [(2, 2, 2)])],
    "pool_route": [(lambda x, y: pool_route_op.bind(**POOL)(x, y), [(4, 5), (2, 2)])],
    "pool_pick": [(lambda x, y: pool_pick_op.bind(**POOL)(x, y), [(4, 5), (4, 5)])],
    "neighbourhoods": [(lambda x: T.nnet.images2neibs(x, (2, 2), mode="ignore_borders"), [(1, 2, 4, 5)])],
    "concatenate": [
        (lambda x, y: T.concatenate([x, y, x], 1), [(2, 3), (2, 1)]),
        (lambda x, y: T.stack([x, y]), [(3,), (3,)]),
    ],
    "cumsum": [(lambda x, a=a: T.cumsum(x, a), [(2, 3)]) for a in (0, 1, None)],
    "cumprod": [(lambda x, a=a: T.cumprod(x, a), [(2, 3)]) for a in (0, 1, None)],
    "cummax": [(lambda x, a=a: T.cummax(x, a), [(2, 3)]) for a in (0, 1, None)],
    "cummin": [(lambda x, a=a: T.cummin(x, a), [(2, 3)]) for a in (0, 1, None)],
    "logcumsumexp": [(lambda x, a=a: T.logcumsumexp(x, a), [(2, 3)]) for a in (0, 1, None)],
    "recurrence": [(lambda x, y, a=a: OPS["recurrence"].bind(axis=a)(x, y), [(2, 3), (2, 3)]) for a in (0, 1)],
    "sort": [(lambda x, a=a: T.sort(x, a), [(3, 4)]) for a in (0, 1)],
    "argsort": [(lambda x: x * T.argsort(x, 0), [(3, 4)])],
    "run_starts": [(lambda x: x * T.unique(T.floor(x)).size, [(4,)])],
    "searchsorted": [(lambda x: x * T.searchsorted([-0.5, 0.5], x, "right"), [(4,)])],
    "bins": [(lambda x: T.bincount([2, 0, 2], weights=x), [(3,)])],
    "spread": [(lambda x: T.repeat(x, [2, 0, 1], 0), [(3, 2)])],
    "part_ends": [(lambda x: T.split(x, T.stack([x.shape[0] - 1, 1]), 2)[0], [(3, 2)])],
    "convolve": [(lambda x, y: T.convolve(x, y), [(3,), (2,)]), (lambda x, y: T.convolve(x, y, "same"), [(2,), (4,)])],
    "half_fourier": [(lambda x, n=n: T.fft.irfft(T.exp(1j * x), n), [(2, 3)]) for n in (4, 5)],
    "concatenate_at": [(lambda x, y: T.join(x.shape[0] * 0 + 1, x, y), [(2, 3), (2, 1)])],
}  # fmt: skip


def test_every_structural_op_has_a_case() -> None:
    """An op without one is drawn from its signature below."""
    assert set(CASES) <= {d.name for d in STRUCTURAL}
    assert [d.name for d in STRUCTURAL if d.name not in CASES and not (d.shapes and with_parameters(d))] == []


# sums, which have a case too, show that the sweep can be passed
@named([d for d in STRUCTURAL if d.name not in CASES or d.name == "sum"])
def test_an_op_keeps_its_signature_gradient_and_meaning_in_every_mode(d: Declaration) -> None:
    for op in with_parameters(d):
        assert verify_op(op, draws=4).results == 4


@pytest.mark.parametrize("name, number", [(n, i) for n, cases in CASES.items() for i in range(len(cases))])
def test_gradient_of_structural_ops(name: str, number: int) -> None:
    build, shapes = CASES[name][number]
    inputs = _inputs(*shapes)
    rng = np.random.default_rng(3)
    out = build(*inputs)
    given = {v: rng.normal(size=s) for v, s in zip(inputs, shapes, strict=True)}
    check_gradient(weighted(out), given)
    if name in ("softmax", "logsumexp", "dot", "prod", "gather", "scatter", "concatenate", "log_softmax"):
        first = T.grad(weighted(out * out), inputs)
        check_gradient(sum(weighted(g * g) for g in first), given, 1e-5)


@pytest.mark.parametrize("name, number", [(n, i) for n, cases in CASES.items() for i in range(len(cases))])
def test_known_lengths_give_the_same_values_and_types_that_hold(name: str, number: int) -> None:
    build, shapes = CASES[name][number]
    rng = np.random.default_rng(3)
    loose, exact = _inputs(*shapes), [TensorType("float64", shape=s)() for s in shapes]
    values = [rng.normal(size=s) for s in shapes]
    before = evaluate(_listed(build(*loose)), dict(zip(loose, values, strict=True)))
    out = build(*exact)
    after = evaluate(_listed(out), dict(zip(exact, values, strict=True)))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)
    check_gradient(weighted(out), dict(zip(exact, values, strict=True)))


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_gradient_of_prod_with_zeros(zeros: int) -> None:
    x = T.dmatrix()
    value = np.array([[2.0, 3.0, 0.5], [1.5, -1.0, 2.0]])
    value[0, :zeros] = 0
    check_gradient(weighted(x.prod(axis=1)), {x: value})


@pytest.mark.parametrize("zeros", [(), (0,), (1,), (0, 1), (1, 3), (2, 3, 4)])
def test_derivatives_of_running_products_at_zeros(zeros: tuple[int, ...]) -> None:
    x = T.dmatrix()
    value = np.array([[2.0, 3.0, 0.5, 1.5, -1.0], [1.0, -2.0, 1.5, 0.5, 2.0]])
    value[0, list(zeros)] = 0
    for axis in (0, 1):
        first = T.grad(weighted(T.cumprod(x, axis)), x)
        check_gradient(weighted(T.cumprod(x, axis)), {x: value})
        check_gradient(weighted(first), {x: value}, 1e-6)
        check_gradient(weighted(T.grad(weighted(first), x)), {x: value}, 1e-6)
    none = evaluate([T.grad(T.cumprod(x, 1).sum(), x)], {x: value[:, :0]})[0]
    assert none.shape == (2, 0)


def test_equal_largest_elements_share_the_gradient() -> None:
    x = T.dvector()
    for out in (x.max(), -(-x).min()):
        np.testing.assert_array_equal(evaluate([T.grad(out, x)], {x: [1.0, 3.0, 3.0]})[0], [0, 0.5, 0.5])


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("name", ["sum", "prod", "all", "any", "softmax", "log_softmax", "logsumexp", "gather",
                                  "concatenate", "dot", "reshape", "subtensor", "dimshuffle", "set_part"])  # fmt: skip
def test_any_length_is_computed(name: str, n: int) -> None:
    x = T.dmatrix()
    build: dict[str, Callable[[Any], tuple[Any, Any]]] = {
        "sum": lambda v: (x.sum(0), v.sum(0)),
        "prod": lambda v: (x.prod(1), v.prod(1)),
        "all": lambda v: ((x > 0).all(1), (v > 0).all(1)),
        "any": lambda v: ((x > 0).any(0), (v > 0).any(0)),
        "softmax": lambda v: (T.softmax(x), np.exp(v) / np.exp(v).sum(1, keepdims=True)),
        "log_softmax": lambda v: (T.log_softmax(x), v - np.log(np.exp(v).sum(1, keepdims=True))),
        "logsumexp": lambda v: (T.logsumexp(x, 1), np.log(np.exp(v).sum(1))),
        "gather": lambda v: (x[T.arange(x.shape[0])], v),
        "concatenate": lambda v: (T.concatenate([x, x], 1), np.concatenate([v, v], 1)),
        "dot": lambda v: (T.dot(x, x.T), v @ v.T),
        "reshape": lambda v: (x.flatten(), v.ravel()),
        "subtensor": lambda v: (x[::-1, 1:], v[::-1, 1:]),
        "dimshuffle": lambda v: (x.T, v.T),
        "set_part": lambda v: (
            T.set_subtensor(x[1:], 2.0),
            np.where(np.arange(len(v))[:, None] >= 1, 2.0, v),
        ),
    }
    for shape in ((n, 3), (3, n), (n, n)):
        value = np.random.default_rng(n).normal(size=shape)
        with np.errstate(all="ignore"):
            out, wanted = build[name](value)
            np.testing.assert_allclose(evaluate([out], {x: value})[0], wanted, atol=1e-14)


# ------------------------------------------------------------------------------------- an op of the user's own


@pytest.fixture
def cube() -> Iterator[Any]:
    @elemwise(c="({x} * {x} * {x})", grad=lambda x, dy: dy * 3 * x * x, cost=Cost(flops=2))
    def cube(x: Any) -> Any:
        """Third power, which only this test knows."""
        return x * x * x

    yield cube
    forget_op("cube")


def test_an_op_declared_elsewhere_takes_part(cube: Any) -> None:
    d = OPS["cube"]
    test_docstring_is_a_sentence(d)
    test_result_has_the_dtype_of_the_graph_for_every_dtype(d)
    test_gradient_is_that_of_differences(d)
    x = T.dvector()
    check_gradient(weighted(cube(T.sin(x))), {x: np.array([0.3, 0.6])})
    assert str(cube(x).owner) == "cube(<f64[?]>)"


def test_an_op_declared_again_after_being_forgotten_has_its_new_types() -> None:
    def declare(signature: str) -> Any:
        @elemwise(c="{x}", signature=signature)
        def fresh(x: Any) -> Any:
            """The operand, in a dtype that the signature chooses."""
            return x

        return fresh

    x = T.ivector()
    assert declare("t->t")(x).dtype == "int32"
    forget_op("fresh")
    assert declare("f->f")(x).dtype == "float64"
    forget_op("fresh")


def test_promotion_is_that_of_numpy_arrays() -> None:
    for a, b in itertools.product(ALL, ALL):
        assert (
            promote(a, b)
            == np.result_type(np.dtype(a), np.dtype(b)).name
            == (T.tensor(a) + T.tensor(b)).dtype
        )
