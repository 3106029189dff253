"""Linear algebra against NumPy and SciPy: values, first and second derivatives, batches, lengths of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.linalg

import eqsat
import eqsat.tensor as T
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

L = T.linalg


class Case(NamedTuple):
    """A function of tensors, the same in NumPy for one matrix, and the kinds of its operands."""

    build: Callable[..., Any]
    numpy: Callable[..., Any]
    operands: tuple[str, ...]
    gradient: bool = True
    second: bool = True
    only: tuple[int, ...] | None = None  # results whose gradient is checked


def matrix(kind: str, seed: int, dtype: str = "float64") -> Any:
    """A well-conditioned matrix of a kind."""
    rng = np.random.default_rng(seed)
    shapes = {"tall": (4, 3), "wide": (3, 5), "rhs": (4, 2), "vec": (4,), "left": (2, 4), "other": (3, 2)}
    if kind in shapes:
        return rng.normal(size=shapes[kind]).astype(dtype)
    a = rng.normal(size=(4, 4))
    if kind == "spd":
        a = a @ a.T + 4 * np.eye(4)
    elif kind in ("low", "high"):
        a = a + 4 * np.eye(4)
    return (a + 0.5 * np.eye(4)).astype(dtype)


CASES: dict[str, Case] = {
    "solve": Case(L.solve, np.linalg.solve, ("square", "rhs")),
    "solve_transposed": Case(lambda a, b: L.solve(a, b, transposed=True), lambda a, b: np.linalg.solve(a.T, b), ("square", "rhs"), second=False),
    "solve_pos": Case(lambda a, b: L.solve(a, b, assume_a="pos"), np.linalg.solve, ("spd", "rhs")),
    "solve_sym": Case(lambda a, b: L.solve(a, b, assume_a="sym"), np.linalg.solve, ("spd", "rhs"), second=False),
    "solve_lower": Case(lambda a, b: L.solve(a, b, assume_a="lower triangular"), lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), ("low", "rhs"), second=False),
    "triangular": Case(L.solve_triangular, scipy.linalg.solve_triangular, ("high", "rhs")),
    "triangular_trans": Case(lambda a, b: L.solve_triangular(a, b, trans="T", lower=True), lambda a, b: scipy.linalg.solve_triangular(a, b, trans=1, lower=True), ("low", "rhs")),
    "triangular_unit": Case(lambda a, b: L.solve_triangular(a, b, lower=True, unit_diagonal=True), lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True, unit_diagonal=True), ("low", "rhs")),
    "cholesky": Case(L.cholesky, np.linalg.cholesky, ("spd",)),
    "cholesky_upper": Case(lambda a: L.cholesky(a, lower=False), scipy.linalg.cholesky, ("spd",)),
    "cho_solve": Case(lambda c, b: L.cho_solve((c, True), b), lambda c, b: scipy.linalg.cho_solve((c, True), b), ("low", "rhs"), second=False),
    "inv": Case(L.inv, np.linalg.inv, ("square",)),
    "pinv_tall": Case(L.pinv, np.linalg.pinv, ("tall",)),
    "pinv_wide": Case(L.pinv, np.linalg.pinv, ("wide",)),
    "det": Case(L.det, np.linalg.det, ("square",)),
    "slogdet": Case(L.slogdet, np.linalg.slogdet, ("square",)),
    "svd_tall": Case(lambda a: L.svd(a, False), lambda a: np.linalg.svd(a, full_matrices=False), ("tall",)),
    "svd_wide": Case(lambda a: L.svd(a, full_matrices=False), lambda a: np.linalg.svd(a, full_matrices=False), ("wide",)),
    "svd_full": Case(L.svd, np.linalg.svd, ("tall",), only=(1,)),
    "svd_square": Case(L.svd, np.linalg.svd, ("square",), gradient=False),
    "svdvals": Case(lambda a: L.svd(a, compute_uv=False), lambda a: np.linalg.svd(a, compute_uv=False), ("wide",)),
    "eigh": Case(L.eigh, np.linalg.eigh, ("spd",)),
    "eigh_upper": Case(lambda a: L.eigh(a, "U"), lambda a: np.linalg.eigh(a, "U"), ("square",)),
    "eigvalsh": Case(L.eigvalsh, np.linalg.eigvalsh, ("square",)),
    "eigvalsh_two": Case(L.eigvalsh, scipy.linalg.eigvalsh, ("spd", "spd"), second=False),
    "qr_tall": Case(L.qr, np.linalg.qr, ("tall",)),
    "qr_wide": Case(L.qr, np.linalg.qr, ("wide",)),
    "qr_square": Case(L.qr, np.linalg.qr, ("square",)),
    "qr_r": Case(lambda a: L.qr(a, "r"), lambda a: np.linalg.qr(a, "r"), ("wide",)),
    "qr_complete": Case(lambda a: L.qr(a, "complete"), lambda a: np.linalg.qr(a, "complete"), ("tall",), gradient=False),
    "lu_square": Case(L.lu, scipy.linalg.lu, ("square",), only=(1, 2)),
    "lu_tall": Case(L.lu, scipy.linalg.lu, ("tall",), only=(1, 2)),
    "lu_wide": Case(L.lu, scipy.linalg.lu, ("wide",), only=(1, 2)),
    "lu_left": Case(lambda a: L.lu(a, permute_l=True), lambda a: scipy.linalg.lu(a, permute_l=True), ("tall",)),
    "lu_rows": Case(lambda a: L.lu(a, p_indices=True), lambda a: scipy.linalg.lu(a, p_indices=True), ("square",), gradient=False),
    "lu_factor": Case(L.lu_factor, scipy.linalg.lu_factor, ("wide",), only=(0,), second=False),
    "lstsq": Case(L.lstsq, lambda a, b: np.linalg.lstsq(a, b, rcond=None), ("tall", "rhs"), only=(0, 1, 3)),
    "norm_fro": Case(lambda a: L.norm(a, "fro", axis=(-2, -1)), np.linalg.norm, ("tall",)),
    "norm_nuc": Case(lambda a: L.norm(a, "nuc", axis=(-2, -1)), lambda a: np.linalg.norm(a, "nuc"), ("wide",)),
    **{f"norm_{o}": Case(lambda a, o=o: L.norm(a, o, axis=(-2, -1)), lambda a, o=o: np.linalg.norm(a, o), ("tall",), second=False) for o in (1, -1, 2, -2, np.inf, -np.inf)},
    **{f"norm_vector_{o}": Case(lambda a, o=o: L.norm(a, o, axis=-1), lambda a, o=o: np.linalg.norm(a, o, axis=-1), ("tall",), gradient=o != 0, second=False) for o in (None, 0, 1, 2, 3, -1.5, np.inf, -np.inf)},
    "matrix_power": Case(lambda a: [L.matrix_power(a, n) for n in (0, 1, 3, -2)], lambda a: [np.linalg.matrix_power(a, n) for n in (0, 1, 3, -2)], ("square",)),
    "matrix_rank": Case(L.matrix_rank, np.linalg.matrix_rank, ("tall",), gradient=False),
    "expm": Case(L.expm, scipy.linalg.expm, ("square",)),
}  # fmt: skip
NAMES = list(CASES)


def listed(out: Any) -> list[Any]:
    return list(out) if isinstance(out, (list, tuple)) else [out]


def operands(name: str, batch: tuple[int, ...], dtype: str = "float64") -> list[Any]:
    """Values of the operands of a case, one matrix or a stack."""
    case = CASES[name]
    found = []
    for k, kind in enumerate(case.operands):
        stack = [matrix(kind, 10 * k + i, dtype) for i in range(int(np.prod(batch)))]
        found.append(np.array(stack, dtype).reshape((*batch, *matrix(kind, 0).shape)))
    return found


def wanted(name: str, values: list[Any], batch: tuple[int, ...]) -> list[Any]:
    """What NumPy gives for each matrix, stacked."""
    case = CASES[name]
    each = [listed(case.numpy(*(v[i] for v in values))) for i in np.ndindex(batch)]
    return [
        np.array([r[k] for r in each]).reshape((*batch, *np.shape(each[0][k]))) for k in range(len(each[0]))
    ]


def built(name: str, batch: tuple[int, ...], dtype: str = "float64") -> tuple[list[Any], list[Any]]:
    inputs = [TensorType(dtype, shape=(None,) * v.ndim)() for v in operands(name, batch)]
    return inputs, listed(CASES[name].build(*inputs))


@pytest.fixture(scope="module", params=["reference", "FAST_RUN"])
def values(request: Any) -> dict[Any, Any]:
    """Results of all cases, from one function for all of them."""
    found = {}
    for batch in ((), (2, 3)):
        graphs = {name: built(name, batch) for name in NAMES}
        f = eqsat.function(
            [v for inputs, _ in graphs.values() for v in inputs],
            [v for _, outs in graphs.values() for v in outs],
            mode=request.param,
            on_unused_input="ignore",
        )
        results = iter(f(*(v for name in NAMES for v in operands(name, batch))))
        for name in NAMES:
            found[name, batch] = [next(results) for _ in graphs[name][1]]
    return found


@pytest.mark.parametrize("batch", [(), (2, 3)])
@pytest.mark.parametrize("name", NAMES)
def test_value_is_that_of_numpy(name: str, batch: tuple[int, ...], values: Any) -> None:
    given = operands(name, batch)
    expected = wanted(name, given, batch)
    for a, b in zip(values[name, batch], expected, strict=True):
        assert a.shape == b.shape and a.dtype.kind == b.dtype.kind
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def weighted(outs: list[Any], only: Any) -> Any:
    total: Any = 0
    for k, v in enumerate(outs):
        if v.dtype in FLOATS and (only is None or k in only):
            flat = v.flatten() if v.ndim else v.dimshuffle("x")
            total = total + (flat * T.cos(T.arange(1, flat.size + 1) * 1.3)).sum()
    return total


def slope_matches(cost: Any, inputs: list[Any], given: list[Any], tolerance: float) -> None:
    """The gradient along a random direction is that of differences."""
    rng = np.random.default_rng(7)
    grads = T.grad(cost, inputs, disconnected_inputs="ignore")
    found = evaluate(grads, dict(zip(inputs, given, strict=True)))
    for _ in range(2):
        step = [rng.normal(size=v.shape) for v in given]
        ends = [
            float(
                evaluate([cost], dict(zip(inputs, [v + h * d for v, d in zip(given, step)], strict=True)))[0]
            )
            for h in (1e-5, -1e-5)
        ]
        slope = sum(float((g * d).sum()) for g, d in zip(found, step, strict=True))
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-5, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].gradient])
@pytest.mark.sampled(40)
def test_gradient_is_that_of_differences(name: str, batch: tuple[int, ...]) -> None:
    case, given = CASES[name], operands(name, batch)
    inputs, outs = built(name, batch)
    cost = weighted(outs, case.only)
    slope_matches(cost, inputs, given, 1e-5)
    if case.second and not batch:
        grads = T.grad(cost, inputs, disconnected_inputs="ignore")
        slope_matches(weighted([g * g for g in grads], None), inputs, given, 2e-5)


@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].gradient])
def test_gradient_with_known_lengths_is_the_same(name: str) -> None:
    case, given = CASES[name], operands(name, ())
    loose, outs = built(name, ())
    exact = [TensorType("float64", shape=v.shape)() for v in given]
    known = listed(case.build(*exact))
    for v, w in zip(known, outs, strict=True):
        assert w.type.is_super(v.type)
    results = []
    for inputs, found in ((loose, outs), (exact, known)):
        grads = T.grad(weighted(found, case.only), inputs, disconnected_inputs="ignore")
        results.append(evaluate(grads, dict(zip(inputs, given, strict=True))))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro"])
@pytest.mark.sampled(3)
def test_condition_numbers(p: Any) -> None:
    rng = np.random.default_rng(0)
    for a in (rng.normal(size=(3, 3)), np.zeros((2, 2)), rng.normal(size=(4, 3, 3)).astype("float32")):
        with np.errstate(all="ignore"):
            want = np.linalg.cond(a, p)
        found = L.cond(a, p).eval()
        assert found.dtype == want.dtype and found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=1e-4)
