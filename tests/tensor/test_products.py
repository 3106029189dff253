"""dot, tensordot, outer, batched_dot, matmul and their kin are NumPy's: values, gradients, errors, one gemm each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort
from eqsat.printing import outputs_of
from tests.reference import evaluate, numeric_gradient


def sample(*shape: int, dtype: str = "float64") -> Any:
    rng = np.random.default_rng(sum(shape) + len(shape))
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(-5, 5, shape).astype(dtype)


def check(build: Callable[..., Any], numpy: Callable[..., Any], cases: list[list[Any]], mode: str) -> None:
    """Values, dtypes and shapes of a function of tensors for several groups of operands, in one compiled function."""
    inputs = [[TensorType(v.dtype.name, shape=(None,) * v.ndim)() for v in values] for values in cases]
    f = eqsat.function([v for group in inputs for v in group], [build(*group) for group in inputs], mode=mode)
    for found, values in zip(f(*(v for group in cases for v in group)), cases, strict=True):
        wanted = np.asarray(numpy(*values))
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        narrow = "float32" in {v.dtype.name for v in values}
        np.testing.assert_allclose(
            found, wanted, rtol=1e-5 if narrow else 1e-12, atol=1e-5 if narrow else 1e-12
        )


def check_gradient(build: Callable[..., Any], *values: Any) -> None:
    """The gradient of a scalar of the result is that of differences, for every operand."""
    inputs = [TensorType("float64", shape=(None,) * v.ndim)() for v in values]
    out = build(*inputs)
    cost = (T.sin(out) * out).sum()
    given = dict(zip(inputs, values, strict=True))
    for v, g in zip(inputs, evaluate(T.grad(cost, inputs), given), strict=True):
        np.testing.assert_allclose(g, numeric_gradient(cost, v, given), rtol=1e-4, atol=1e-7)


PAIRS = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4))]


@pytest.mark.seed("I001")
def test_dot_of_vectors_and_matrices(seed_mode: str) -> None:
    dtypes = [
        ("float64", "float64"),
        ("float32", "float64"),
        ("float32", "float32"),
        ("int32", "int32"),
        ("int8", "int64"),
    ]
    cases = [[sample(*a, dtype=d), sample(*b, dtype=e)] for a, b in PAIRS for d, e in dtypes]
    check(T.dot, np.dot, cases, seed_mode)
    for a, b in PAIRS:
        check_gradient(T.dot, sample(*a), sample(*b))
        x, y = TensorType("float64", shape=a)("x"), TensorType("float64", shape=(5, *b[1:]))("y")
        with pytest.raises(ShapeError) as error:
            T.dot(x, y)
        assert x.type.short() in str(error.value) and y.type.short() in str(error.value)
    x, y = T.dmatrices("x", "y")
    f = eqsat.function([x, y], T.dot(x, y), mode=seed_mode)
    with pytest.raises(ShapeError, match=r"k is 3 in .* but 2 in .* at run time"):
        f(np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_dot_of_higher_ranks(mode: str) -> None:
    shapes: list[tuple[Any, Any]] = [
        ((2, 3, 4), (4,)),
        ((2, 3, 4), (4, 5)),
        ((4,), (3, 4, 2)),
        ((2, 3, 4), (5, 4, 2)),
        ((2, 2), ()),
        ((2, 3), (5, 3, 2)),
    ]
    check(
        T.dot,
        np.dot,
        [[sample(*a), sample(*b)] for a, b in shapes]
        + [[sample(2, 2, 3, dtype="int16"), sample(3, dtype="int16")]],
        mode,
    )
    check_gradient(T.dot, sample(2, 3, 4), sample(2, 4, 2))
    with pytest.raises(ShapeError, match="dot: axis 2 of x has length 4, axis 1 of y has length 3"):
        T.dot(TensorType("float64", shape=(2, 3, 4))("x"), TensorType("float64", shape=(2, 3, 4))("y"))


@pytest.mark.seed("I002")
def test_outer(seed_mode: str) -> None:
    cases = [
        [sample(3), sample(4)],
        [sample(2, dtype="int32"), sample(3, dtype="float32")],
        [sample(2, 2), sample(3)],
        [sample(0), sample(2)],
    ]
    cases += [[sample(2, dtype="int16"), sample(2, dtype="int16")]]
    check(T.outer, np.outer, cases, seed_mode)
    check_gradient(T.outer, sample(3), sample(4))


@pytest.mark.seed("I003")
def test_tensordot_with_the_default(seed_mode: str) -> None:
    check(
        T.tensordot,
        np.tensordot,
        [[sample(2, 3, 4), sample(3, 4, 5)], [sample(3, 4), sample(3, 4)]],
        seed_mode,
    )
    check_gradient(T.tensordot, sample(2, 3, 2), sample(3, 2, 2))
    a, b = TensorType("float64", shape=(2, 3, 4))("a"), TensorType("float64", shape=(4, 3, 2))("b")
    with pytest.raises(ShapeError, match="tensordot: axis 1 of a has length 3, axis 0 of b has length 4"):
        T.tensordot(a, b)
    with pytest.raises(ArgumentError, match="tensordot: axes=2 for 1 and 3 dimensions"):
        T.tensordot(T.dvector(), b)
    x, y = T.dtensor3("x"), T.dtensor3("y")
    f = eqsat.function([x, y], T.tensordot(x, y), mode=seed_mode)
    with pytest.raises(ShapeError):
        f(np.ones((2, 3, 4)), np.ones((3, 5, 2)))


@pytest.mark.seed("I004")
def test_tensordot_over_a_number_of_axes(seed_mode: str) -> None:
    a, b = sample(2, 3, 4), sample(5, 6, 4, 3)
    check(lambda x, y: T.tensordot(x, y, 0), lambda x, y: np.tensordot(x, y, 0), [[a, b]], seed_mode)
    assert evaluate([T.tensordot(a, b, axes=0)])[0].shape == (2, 3, 4, 5, 6, 4, 3)
    check(
        lambda x, y: T.tensordot(x, y, 1),
        lambda x, y: np.tensordot(x, y, 1),
        [[a, sample(4, 2, 2)], [sample(3), sample(3)]],
        seed_mode,
    )
    check(
        lambda x, y: T.tensordot(x, y, axes=2),
        lambda x, y: np.tensordot(x, y, 2),
        [[a, sample(3, 4, 2)]],
        seed_mode,
    )
    for axes in (0, 1, 2):
        check_gradient(lambda x, y, axes=axes: T.tensordot(x, y, axes), sample(2, 2), sample(2, 2))


@pytest.mark.seed("I005")
def test_tensordot_over_lists_of_axes(seed_mode: str) -> None:
    a, b = sample(2, 3, 4), sample(5, 6, 4, 3)
    wanted = np.zeros((2, 5, 6))
    for i, j, k in np.ndindex(2, 3, 4):
        for m, n in np.ndindex(5, 6):
            wanted[i, m, n] += a[i, j, k] * b[m, n, k, j]
    x, y = T.dtensor3("x"), T.dtensor4("y")
    out = T.tensordot(x, y, axes=[[1, 2], [3, 2]])
    np.testing.assert_allclose(eqsat.function([x, y], out, mode=seed_mode)(a, b), wanted)
    forms: list[Any] = [([1, 2], [3, 2]), [(-1,), (2,)], (2, 2), ([], [])]
    for axes in forms:
        found = evaluate([T.tensordot(x, y, axes)], {x: a, y: b})[0]
        np.testing.assert_allclose(found, np.tensordot(a, b, axes))
    check_gradient(lambda x, y: T.tensordot(x, y, [[1, 2], [3, 2]]), sample(2, 3, 2), sample(2, 2, 2, 3))
    bad: list[Any] = [[[0], [1, 2]], [[1, 1], [3, 2]], [[0], [1], [2]]]
    for axes in bad:
        with pytest.raises(ArgumentError, match="tensordot: "):
            T.tensordot(x, y, axes)


@pytest.mark.seed("I006")
def test_tensordot_is_one_product_of_matrices(seed_mode: str) -> None:
    x, y = T.dtensor3("x"), T.dtensor4("y")
    f = eqsat.function([x, y], T.tensordot(x, y, axes=[[1, 2], [3, 2]]), mode=seed_mode)
    names = [n.op.name for n in toposort(outputs_of(f)) if n.out.dtype == "float64"]  # not those of lengths
    assert names.count("dot") == 1 and set(names) <= {"dot", "dimshuffle", "reshape"}
    a, b = sample(2, 3, 4), sample(5, 6, 4, 3)
    np.testing.assert_allclose(f(a, b), np.tensordot(a, b, [[1, 2], [3, 2]]))
    if seed_mode == "FAST_RUN" and f.c_source:
        assert f.c_source.count("if (eq_dot__double(") == 1


@pytest.mark.seed("I007")
def test_batched_dot(seed_mode: str) -> None:
    check(
        T.batched_dot,
        np.matmul,
        [[sample(2, 4, 3), sample(2, 3, 5)], [sample(0, 4, 3), sample(0, 3, 5)]],
        seed_mode,
    )
    text = {(3, 2): "bij,bj->bi", (2, 3): "bj,bjk->bk", (2, 2): "bj,bj->b"}
    for (m, n), subscripts in text.items():
        a, b = sample(*(2, 4, 3)[:m] if m == 3 else (2, 3)), sample(*(2, 3, 4)[:n] if n == 3 else (2, 3))
        check(T.batched_dot, lambda x, y, s=subscripts: np.einsum(s, x, y), [[a, b]], seed_mode)
        check_gradient(T.batched_dot, a, b)
    check_gradient(T.batched_dot, sample(2, 2, 3), sample(2, 3, 2))


@pytest.mark.seed("D042")
def test_trace(seed_mode: str) -> None:
    cases = [
        [sample(3, 4)],
        [sample(4, 3)],
        [sample(3, 3, dtype="int8")],
        [sample(2, 3, 4)],
        [sample(3, 3, dtype="float32")],
        [sample(0, 2)],
    ]
    check(lambda x: x.trace(), np.trace, cases, seed_mode)
    check(lambda x: x.trace(1, 2, 0), lambda x: np.trace(x, 1, 2, 0), [[sample(2, 3, 4)]], seed_mode)
    check_gradient(lambda x: x.trace(), sample(3, 4))
    check_gradient(lambda x: T.trace(x, -1), sample(3, 4))


MATMUL: list[tuple[Any, Any]] = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2)), ((5, 2, 3), (5, 3, 2)),
    ((5, 2, 3), (3, 2)), ((2, 3), (5, 3, 2)), ((4, 5, 2, 3), (3, 2)), ((4, 5, 2, 3), (4, 5, 3, 2)), ((2, 3), (0, 5, 3, 2)), ((2, 0), (4, 0, 3)),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_matmul_of_stacks(mode: str) -> None:
    cases = [[sample(*a), sample(*b)] for a, b in MATMUL]
    cases += [
        [sample(2, 2, 3, dtype="int32"), sample(3, 2, dtype="int64")],
        [sample(2, 2, 3, dtype="int8"), sample(2, 3, 2, dtype="int8")],
    ]
    check(lambda x, y: x @ y, np.matmul, cases, mode)


def test_gradients_of_matmul_are_summed_over_what_was_broadcast() -> None:
    for a, b in MATMUL[:11]:
        check_gradient(T.matmul, sample(*a), sample(*b))
    x, y = TensorType("float64", shape=(4, 1, 2, 3))("x"), TensorType("float64", shape=(1, 5, 3, 2))("y")
    given = {x: sample(4, 1, 2, 3), y: sample(1, 5, 3, 2)}
    out = T.matmul(x, y)
    assert out.type.shape == (4, 5, 2, 2)
    f = eqsat.function([x, y], [out, *T.grad((out**2).sum(), [x, y])])
    found = f(*given.values())
    np.testing.assert_allclose(found[0], np.matmul(*given.values()))
    for v, g in zip((x, y), found[1:], strict=True):
        np.testing.assert_allclose(g, numeric_gradient((out**2).sum(), v, given), rtol=1e-5)


def test_a_stack_times_one_matrix_is_one_product() -> None:
    for x, y, names in (
        (T.dtensor4(), T.dmatrix(), ["dot"]),
        (T.dtensor3(), T.dtensor3(), ["batched_dot"]),
        (T.dmatrix(), T.dmatrix(), ["dot"]),
        (T.dtensor4(), T.dtensor3(), ["matmul"]),
    ):
        found = [
            n.op.name for n in toposort([T.matmul(x, y)]) if n.op.name in ("dot", "batched_dot", "matmul")
        ]
        assert found == names


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_inner_vdot_vecdot_kron_and_cross(mode: str) -> None:
    check(
        T.inner,
        np.inner,
        [
            [sample(3), sample(3)],
            [sample(2, 3), sample(4, 3)],
            [sample(2, 2, 3), sample(3)],
            [sample(2), np.array(2.0)],
        ],
        mode,
    )
    check(
        T.vdot,
        np.vdot,
        [
            [sample(3), sample(3)],
            [sample(2, 3), sample(2, 3)],
            [sample(2, 2, dtype="complex128"), sample(2, 2, dtype="complex128")],
        ],
        mode,
    )
    check(T.vecdot, np.linalg.vecdot, [[sample(2, 3), sample(2, 3)], [sample(4), sample(4)]], mode)
    check(
        T.kron,
        np.kron,
        [
            [sample(2, 3), sample(3, 2)],
            [sample(2), sample(3)],
            [sample(2), sample(2, 2)],
            [sample(2, 2, dtype="int8"), sample(2, 1, dtype="int32")],
        ],
        mode,
    )
    check(T.cross, np.cross, [[sample(3), sample(3)], [sample(4, 3), sample(4, 3)]], mode)
    check(
        lambda x, y: T.cross(x, y, axis=0),
        lambda x, y: np.cross(x, y, axis=0),
        [[sample(3, 2), sample(3, 2)]],
        mode,
    )


@pytest.mark.parametrize(
    "build, shapes",
    [
        (T.inner, [(2, 3), (4, 3)]),
        (T.vdot, [(2, 3), (2, 3)]),
        (T.vecdot, [(2, 3), (2, 3)]),
        (lambda x, y: T.vecdot(x, y, axis=0), [(2, 3), (2, 3)]),
        (T.kron, [(2, 2), (3, 2)]),
        (T.cross, [(2, 3), (2, 3)]),
    ],
)
def test_gradients_of_products(build: Any, shapes: Any) -> None:
    check_gradient(build, *(sample(*s) for s in shapes))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ShapeError, match="cross: axis -1 has length 2, not 3"):
        T.cross(np.ones(2), np.ones(3))
    with pytest.raises(RankError, match=r"cross: 1\.0 is a number"):
        T.cross(1.0, np.ones(3))
    with pytest.raises(ShapeError, match="inner: axis 0 of"):
        T.inner(np.ones(2), np.ones(3))
    x = T.dvector("x")
    with pytest.raises(ShapeError):
        T.cross(x, np.ones(3)).eval({x: [1.0, 2.0]})
