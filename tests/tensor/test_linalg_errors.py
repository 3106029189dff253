"""Linear algebra at its borders: singular matrices, empty ones, other dtypes, wrong ranks and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import (
    ArgumentError,
    DTypeError,
    EqsatError,
    GradientError,
    LinAlgError,
    RankError,
    ShapeError,
)
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

L = T.linalg
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
BAD: list[tuple[str, Callable[[Any], Any], str]] = [
    ("solve", lambda a: L.solve(a, np.ones(2)), "solve: the matrix is singular"),
    ("solve_triangular", lambda a: L.solve_triangular(a - a, np.ones(2)), "solve_triangular: the matrix is singular"),
    ("inv", L.inv, "inv: the matrix is singular"),
    ("cholesky", lambda a: L.cholesky(-a), "cholesky: the matrix is not positive definite"),
    ("pinv", lambda a: L.pinv(a * np.nan), "pinv: the singular values did not converge"),
    ("svdvals", lambda a: L.svdvals(a * np.nan), "svdvals: the singular values did not converge"),
    ("svd", lambda a: L.svd(a * np.nan)[1], "svd: the singular values did not converge"),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
@pytest.mark.parametrize("build, text", [b[1:] for b in BAD], ids=[b[0] for b in BAD])
@pytest.mark.sampled(5)
def test_a_matrix_without_result_raises_with_the_op_and_the_line(build: Any, text: str, mode: str) -> None:
    a = T.dmatrix("a")
    f = eqsat.function([a], build(a), mode=mode)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError) as error:
            f(SINGULAR)
        assert isinstance(error.value, LinAlgError) and isinstance(error.value, EqsatError)
        lines = str(error.value).splitlines()
        assert lines[0] == text and "made at test_linalg_errors.py" in lines[1]


SQUARE = ("inv", "det", "cholesky", "expm", "eigvalsh")


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_lengths_that_do_not_fit_at_run_time(mode: str) -> None:
    a, b, c, d = T.dmatrix("a"), T.dmatrix("b"), T.dtensor4("c"), T.dtensor4("d")
    ones = np.ones
    cases = [
        (getattr(L, n)(a), ones((2, 3)), ones((2, 2)), f"{n}: a is 2 by 3, not square at run time")
        for n in SQUARE
    ]
    cases += [
        (L.slogdet(a)[1], ones((2, 3)), ones((2, 2)), "slogdet: a is 2 by 3, not square at run time"),
        (L.eigh(a)[0], ones((2, 3)), ones((2, 2)), "eigh: a is 2 by 3, not square at run time"),
        (L.solve(a, b), ones((3, 2)), ones((2, 1)), "solve: a is 3 by 2, not square at run time"),
        (L.solve(a, b), ones((3, 3)), ones((2, 1)), "solve(a, b): n is 3 in a but 2 in b at run time"),
        (L.solve_triangular(a, b), ones((3, 3)), ones((2, 1)), "solve_triangular(a, b): n is 3 in a but 2 in b at run time"),
    ]  # fmt: skip
    for out, first, second, text in cases:
        f = eqsat.function([a, b], out, mode=mode, on_unused_input="ignore")
        with pytest.raises(ShapeError) as error:
            f(first, second)
        assert str(error.value).splitlines()[0] == text
    stacks = [
        (L.solve(c, d), (2, 1, 3, 3), (2, 4, 3, 1), "solve: axis 1 has the lengths 1 and 4 at run time"),
        (T.matmul(c, d), (2, 1, 3, 3), (2, 4, 3, 1), "matmul: axis 1 has the lengths 1 and 4 at run time"),
        (
            T.matmul(c, d),
            (2, 4, 3, 3),
            (2, 4, 2, 1),
            "matmul(c, d): k is 3 in c but 2 in d at run time",
        ),
    ]
    for out, left, right, text in stacks:
        f = eqsat.function([c, d], out, mode=mode)
        with pytest.raises(ShapeError) as error:
            f(ones(left), ones(right))
        assert str(error.value).splitlines()[0] == text


def typed(*shape: int | None) -> Any:
    return TensorType("float64", shape=shape)("x")


def test_what_is_wrong_is_said_when_the_graph_is_built() -> None:
    v, z = T.dvector("v"), T.matrix("z", dtype="complex128")
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: L.inv(v), RankError, "inv: v has 1 dimensions"),
        (lambda: L.det(z), DTypeError, "det is not defined for c128"),
        (lambda: L.norm(z), DTypeError, "norm is not defined for c128"),
        (lambda: L.solve(typed(2, 2), 3.0), RankError, "solve: the right side"),
        (lambda: L.solve(typed(2, 3), v), ShapeError, "solve: x is 2 by 3, not square"),
        (lambda: L.solve(typed(2, 2), typed(3, 1)), ShapeError, "solve(x, x): n is 2 in x but 3 in x"),
        (lambda: L.solve(typed(2, 3, 3), typed(4, 3, 1)), ShapeError, "solve: axis 0 has the lengths 2 and 4"),
        (lambda: L.det(typed(2, 3)), ShapeError, "det: x is 2 by 3, not square"),
        (lambda: L.matrix_power(typed(2, 3), 2), ShapeError, "matrix_power: x is 2 by 3"),
        (lambda: L.matrix_power(typed(2, 2), 0.5), ArgumentError, "matrix_power: the power is 0.5"),
        (lambda: L.solve(typed(2, 2), v, assume_a="good"), ArgumentError, "solve: assume_a does not take 'good'"),
        (lambda: L.solve_triangular(typed(2, 2), v, trans=3), ArgumentError, "solve_triangular: trans does not take 3"),
        (lambda: L.eigh(typed(2, 2), "X"), ArgumentError, "eigh: UPLO does not take 'X'"),
        (lambda: L.qr(typed(2, 2), "raw"), ArgumentError, "qr: the mode 'raw' is unknown"),
        (lambda: L.norm(v, "fro"), ArgumentError, "norm: the order 'fro' is for matrices"),
        (lambda: L.norm(typed(2, 2), 3), ArgumentError, "norm: the order 3 is not for matrices"),
        (lambda: L.norm(typed(2, 2, 2), 2), ArgumentError, "norm: the order 2 is for one axis or two, not 3"),
        (lambda: L.norm(typed(2, 2), axis=(0, 0)), ArgumentError, "norm: axis (0, 0) is neither one axis nor two"),
        (lambda: L.block_diag(), ArgumentError, "block_diag: no matrix"),
        (lambda: L.block_diag(typed(2, 2, 2)), RankError, "block_diag: x has 3 dimensions"),
        (lambda: L.matrix_dot(), ArgumentError, "matrix_dot: no matrix"),
        (lambda: L.tensorinv(typed(2, 2), 2), ArgumentError, "tensorinv: ind is 2"),
        (lambda: L.tensorsolve(v, v), RankError, "tensorsolve: b has as many dimensions as a"),
        (lambda: T.matmul(2.0, v), RankError, "matmul: 2.0 is a number"),
        (lambda: T.matmul(typed(2, 3), typed(2, 2, 5)), ShapeError, "matmul(x, x): k is 3 in x but 2 in x"),
        (lambda: T.matmul(typed(5, 2, 3), typed(2, 5)), ShapeError, "matmul(x, x): k is 3 in x but 2 in x"),
        (lambda: T.matmul(typed(4, 2, 3), typed(5, 3, 2)), ShapeError, "batched_dot(x, x): b is 4 in x but 5 in x"),
        (lambda: T.matmul(typed(1, 4, 2, 3), typed(1, 5, 3, 2)), ShapeError, "matmul: axis 1 has the lengths 4 and 5"),
        (lambda: T.grad(L.svd(T.dmatrix())[0].sum(), T.dmatrix()), EqsatError, ""),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        assert str(error.value).startswith(text), str(error.value)
        assert isinstance(error.value, EqsatError)


def test_vectors_of_full_decompositions_have_no_gradient() -> None:
    x = T.dmatrix("x")
    with pytest.raises(GradientError, match="svd: with full_matrices"):
        T.grad(L.svd(x)[0].sum(), x)
    with pytest.raises(GradientError, match="qr: all columns of Q"):
        T.grad(L.qr(x, "complete")[0].sum(), x)
    square = typed(3, 3)
    value = np.random.default_rng(0).normal(size=(3, 3))
    full, part = (T.grad((f[0] * np.arange(3)).sum(), square) for f in (L.svd(square), L.svd(square, False)))
    a, b = evaluate([full, part], {square: value})
    np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_empty_matrices(mode: str) -> None:
    a, b = T.dmatrix("a"), T.dmatrix("b")
    square: list[Any] = [
        L.solve(a, b),
        L.solve_triangular(a, b),
        L.inv(a),
        L.cholesky(a),
        L.det(a),
        *L.slogdet(a),
    ]
    square += [L.expm(a), *L.eigh(a), L.eigvalsh(a)]
    f = eqsat.function([a, b], square, mode=mode)
    for n, k in ((0, 0), (0, 2), (2, 0)):
        m, r = np.eye(n), np.ones((n, k))
        wanted = [
            np.linalg.solve(m, r),
            r,
            m,
            m,
            np.ones(()),
            np.ones(()),
            np.zeros(()),
            m * np.e,
            np.ones(n),
            m,
            np.ones(n),
        ]
        for found, value in zip(f(m, r), wanted, strict=True):
            np.testing.assert_allclose(found, value)
    free: list[Any] = [
        *L.svd(a),
        *L.svd(a, False),
        L.svdvals(a),
        L.pinv(a),
        *L.qr(a),
        *L.qr(a, "complete"),
        *L.lu(a),
    ]
    g = eqsat.function([a], free, mode=mode)
    for shape in ((0, 0), (0, 3), (3, 0)):
        v = np.zeros(shape)
        m, n = shape
        wanted = [
            *np.linalg.svd(v),
            *np.linalg.svd(v, full_matrices=False),
            np.zeros(0),
            v.T,
            *np.linalg.qr(v),
        ]
        wanted += [*np.linalg.qr(v, "complete"), np.eye(m), np.zeros((m, 0)), np.zeros((0, n))]
        for found, value in zip(g(v), wanted, strict=True):
            assert found.shape == value.shape
            np.testing.assert_array_equal(found, value)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_other_dtypes_and_layouts(mode: str) -> None:
    x, i, t = T.fmatrix("x"), T.imatrix("i"), T.dtensor3("t")
    single = [
        L.solve(x, x),
        L.inv(x),
        L.det(x),
        L.svdvals(x),
        L.eigvalsh(x),
        L.expm(x),
        L.cholesky(x),
        L.pinv(x),
    ]
    single += [L.qr(x)[1], L.lu(x)[2], L.slogdet(x)[1], L.eigh(x)[0], L.solve_triangular(x, x), L.norm(x)]
    whole = [L.inv(i), L.det(i), L.norm(i), L.matrix_power(i, 3), L.solve(i, i[0])]
    flipped = L.inv(t[:, ::-1, ::-1])
    f = eqsat.function([x, i, t], [*single, *whole, flipped], mode=mode)
    a = (np.eye(4) * 3 + np.arange(16).reshape(4, 4) / 40).astype("float32")
    a = (a + a.T) / 2
    b = np.array([[2, 1], [1, 3]], "int32")
    c = np.random.default_rng(1).normal(size=(3, 3, 4))[:, :, :3] + 3 * np.eye(3)
    found = f(a, b, c)
    n = np.linalg
    wanted = [
        np.eye(4),
        n.inv(a),
        n.det(a),
        n.svd(a, compute_uv=False),
        n.eigvalsh(a),
        None,
        n.cholesky(a),
        n.inv(a),
    ]
    wanted += [n.qr(a)[1], None, n.slogdet(a)[1], n.eigh(a)[0], None, n.norm(a)]
    wanted += [n.inv(b), n.det(b), n.norm(b), n.matrix_power(b, 3), n.solve(b, b[0]), n.inv(c[:, ::-1, ::-1])]
    for k, (value, expected) in enumerate(zip(found, wanted, strict=True)):
        assert value.dtype == (np.float32 if k < 14 else np.int32 if k == 17 else np.float64), k
        if expected is not None:
            np.testing.assert_allclose(
                value, expected, rtol=2e-5 if k < 14 else 1e-10, atol=2e-5 if k < 14 else 1e-12
            )


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_one_matrix_serves_a_stack_of_right_sides_and_many_matrices_one_side(mode: str) -> None:
    a, b, m, r = T.dmatrix("a"), T.dtensor3("b"), T.dtensor3("m"), T.dmatrix("r")
    outs = [L.solve(a, b), L.solve(m, r), L.solve_triangular(a, b), L.solve(a, b[0, :, 0])]
    outs += T.grad(sum((o**2).sum() for o in outs), [a, b, m, r])
    f = eqsat.function([a, b, m, r], outs, mode=mode)
    rng = np.random.default_rng(2)
    values = [rng.normal(size=s) for s in ((3, 3), (4, 3, 2), (5, 3, 3), (3, 2))]
    values[0] += 4 * np.eye(3)
    values[2] += 4 * np.eye(3)
    found = f(*values)
    va, vb, vm, vr = values
    wanted = [
        np.linalg.solve(va, vb),
        np.linalg.solve(vm, vr),
        np.linalg.solve(np.triu(va), vb),
        np.linalg.solve(va, vb[0, :, 0]),
    ]
    for x, y in zip(found[:4], wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10)
    assert [g.shape for g in found[4:]] == [v.shape for v in values]


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_the_other_triangle_is_not_read(mode: str) -> None:
    a = T.dmatrix("a")
    outs = [
        L.cholesky(a),
        L.cholesky(a, lower=False).T,
        L.eigh(a)[0],
        L.eigh(a, "U")[0],
        L.eigvalsh(a),
        L.eigvalsh(a, lower=False),
    ]
    outs += [L.solve(a, np.ones(2), assume_a=k, lower=low) for k in ("pos", "sym") for low in (True, False)]
    f, g = (eqsat.function([a], outs[k::2], mode=mode) for k in (0, 1))
    low, high, both = (
        np.array([[4.0, 9.0], [1.0, 3.0]]),
        np.array([[4.0, 1.0], [9.0, 3.0]]),
        np.array([[4.0, 1.0], [1.0, 3.0]]),
    )
    first, second = f(low), g(high)
    values = np.linalg.eigvalsh(both)
    x = np.linalg.solve(both, np.ones(2))
    wanted = [np.linalg.cholesky(both)] * 2 + [values] * 4 + [x] * 4
    for k, value in enumerate(wanted):
        np.testing.assert_allclose((second if k % 2 else first)[k // 2], value)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_block_diag_and_the_tensor_forms(mode: str) -> None:
    import scipy.linalg

    a, b, v = T.dmatrix("a"), T.imatrix("b"), T.dvector("v")
    c, d = T.dtensor4("c"), T.dmatrix("d")
    outs = [
        L.block_diag(a, b, v),
        L.tensorinv(c),
        L.tensorsolve(c, d),
        L.matrix_dot(a, a.T, a),
        L.multi_dot([a, a.T]),
    ]
    outs += [L.tensorsolve(c, d, axes=(0, 1)), *T.grad((L.block_diag(a, v) ** 2).sum(), [a, v])]
    f = eqsat.function([a, b, v, c, d], outs, mode=mode)
    rng = np.random.default_rng(3)
    va, vb, vv = rng.normal(size=(2, 3)), np.arange(4, dtype="int32").reshape(2, 2), rng.normal(size=3)
    vc, vd = (rng.normal(size=(6, 6)) + 5 * np.eye(6)).reshape(2, 3, 2, 3), rng.normal(size=(2, 3))
    wanted = [
        scipy.linalg.block_diag(va, vb, vv),
        np.linalg.tensorinv(vc),
        np.linalg.tensorsolve(vc, vd),
        va @ va.T @ va,
        va @ va.T,
    ]
    wanted += [np.linalg.tensorsolve(vc, vd, axes=(0, 1)), 2 * va, 2 * vv]
    for x, y in zip(f(va, vb, vv, vc, vd), wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)
        assert x.shape == y.shape


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_norms_of_whole_tensors_keep_their_axes_where_asked(mode: str) -> None:
    x = T.dtensor3("x")
    orders: list[tuple[Any, Any]] = [(None, None), (None, 1), ("fro", (0, 2)), ("nuc", (2, 0)), (1, (0, 1)), (np.inf, (0, 1)),
              (2, (1, 2)), (-2, (1, 2)), (3, -1), (0, 0), (-np.inf, 2)]  # fmt: skip
    outs = [L.norm(x, o, axis=a, keepdims=k) for o, a in orders for k in (False, True)]
    f = eqsat.function([x], outs, mode=mode)
    value = np.random.default_rng(4).normal(size=(3, 4, 2))
    found = iter(f(value))
    for o, a in orders:
        for k in (False, True):
            wanted = np.linalg.norm(value, o, axis=a, keepdims=k)
            got = next(found)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
            assert got.shape == wanted.shape


def test_determinants_of_extreme_size() -> None:
    a = T.dmatrix("a")
    f = eqsat.function([a], [L.det(a), L.slogdet(a)[0], L.slogdet(a)[1]])
    for v in (
        np.diag([1e200, 1e200, 1e-200, 1e-200]),
        np.diag([-1e-200, 1e-200, 1e200]),
        SINGULAR,
        np.zeros((2, 2)),
    ):
        sign, logarithm = np.linalg.slogdet(v)
        found = f(v)
        np.testing.assert_allclose(found[1:], [sign, logarithm], rtol=1e-12)
        np.testing.assert_allclose(found[0], np.linalg.det(v), rtol=1e-10)
