"""Products of vectors and matrices are NumPy's for every rank and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import RankError, ShapeError
from eqsat.graph.ops import linalg
from eqsat.graph.ops.linalg import batched_op, dot_op, is_product
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

DTYPES = ["bool", "int8", "uint16", "int64", "float32", "float64"]


def sample(dtype: str, *shape: int) -> Any:
    return np.random.default_rng(sum(shape)).integers(0, 3, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot_of_all_ranks(dtype: str) -> None:
    for a, b in (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((), (3,)),
        ((2, 0), (0, 3)),
        ((0, 2), (2,)),
    ):
        x, y = T.tensor(dtype, (None,) * len(a)), T.tensor(dtype, (None,) * len(b))
        va, vb = sample(dtype, *a), sample(dtype, *b)
        found = evaluate([T.dot(x, y)], {x: va, y: vb})[0]
        np.testing.assert_array_equal(found, np.dot(va, vb))
        assert found.dtype == dtype and found.shape == np.dot(va, vb).shape


def test_dtypes_are_promoted() -> None:
    assert (
        T.dot(T.fmatrix(), T.dvector()).dtype == "float64"
        and T.dot(T.imatrix(), T.fmatrix()).dtype == "float64"
    )


@pytest.mark.parametrize("dtype", ["bool", "int32", "float64"])
def test_batched_dot_of_matrices_and_vectors(dtype: str) -> None:
    m, v = sample(dtype, 2, 3, 4), sample(dtype, 2, 4)
    n, u = sample(dtype, 2, 4, 5), sample(dtype, 2, 3)
    for a, b, text in (
        (m, n, "bij,bjk->bik"),
        (m, v, "bij,bj->bi"),
        (u, m, "bi,bij->bj"),
        (v, v, "bi,bi->b"),
    ):
        x, y = T.tensor(dtype, (None,) * a.ndim), T.tensor(dtype, (None,) * b.ndim)
        found = evaluate([T.batched_dot(x, y)], {x: a, y: b})[0]
        wanted = np.einsum(text, a.astype(int), b.astype(int))
        np.testing.assert_array_equal(found, wanted > 0 if dtype == "bool" else wanted)


def test_outer_and_trace() -> None:
    x, y, m = T.dvector(), T.dvector(), T.dmatrix()
    a, b, c = np.arange(3.0), np.arange(2.0) + 1, np.arange(12.0).reshape(3, 4)
    found = evaluate([T.outer(x, y), T.trace(m), T.trace(m.T)], {x: a, y: b, m: c})
    for value, wanted in zip(found, [np.outer(a, b), c.trace(), c.trace()], strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_static_lengths_pass_through() -> None:
    x, y = TensorType("float64", shape=(2, None))(), TensorType("float64", shape=(None, 5))()
    assert T.dot(x, y).type.shape == (2, 5) and is_product(T.dot(x, y).owner)
    a, b = TensorType("float64", shape=(None, 2, 3))(), TensorType("float64", shape=(7, 3, None))()
    assert T.batched_dot(a, b).type.shape == (7, 2, None)


def test_lengths_that_do_not_fit_are_refused_with_the_transposed_spelling() -> None:
    x, w = TensorType("float32", shape=(32, 64))("x"), TensorType("float32", shape=(10, 64))("w")
    facts = f"  x      f32[32, 64]   made at {x.made_at}\n  w      f32[10, 64]   made at {w.made_at}\n"
    with pytest.raises(ShapeError) as error:
        T.dot(x, w)
    assert str(error.value) == (
        f"dot(x, w): k is 64 in x but 10 in w\n{facts}  needs  (m,k),(k,n)->(m,n)\n  try    dot(x, w.T)"
    )
    with pytest.raises(ShapeError) as error:
        dot_op(x, w)
    assert error.value.facts == {"lengths": (64, 10)}
    a, b, c = (
        TensorType("float64", shape=s)(n) for n, s in (("a", (2, 3, 4)), ("b", (2, 5, 6)), ("c", (3, 4, 6)))
    )
    with pytest.raises(ShapeError, match=r"batched_dot\(a, b\): k is 4 in a but 5 in b"):
        T.batched_dot(a, b)
    with pytest.raises(ShapeError) as error:
        T.batched_dot(a, c)
    assert str(error.value) == (
        f"batched_dot(a, c): b is 2 in a but 3 in c\n  a      f64[2, 3, 4]   made at {a.made_at}\n"
        f"  c      f64[3, 4, 6]   made at {c.made_at}\n  needs  (b,m,k),(b,k,n)->(b,m,n)"
    )


def test_lengths_that_do_not_fit_at_run_time() -> None:
    x, y = T.dmatrices("x", "y")
    with pytest.raises(ShapeError) as error:
        evaluate([T.dot(x, y)], {x: np.ones((2, 3)), y: np.ones((2, 3))})
    assert error.value.message == "dot(x, y): k is 3 in x but 2 in y at run time"
    a, b = T.dtensor3("a"), T.dtensor3("b")
    for shape, text in (
        ((4, 3, 1), "batched_dot(a, b): b is 2 in a but 4 in b at run time"),
        ((2, 4, 1), "batched_dot(a, b): k is 3 in a but 4 in b at run time"),
    ):
        with pytest.raises(ShapeError) as error:
            evaluate([batched_op(a, b)], {a: np.ones((2, 2, 3)), b: np.ones(shape)})
        assert error.value.message == text


def test_wrong_ranks_are_refused() -> None:
    v, m, t = T.dvector("v"), T.dmatrix("m"), T.dtensor3("t")
    cases: list[tuple[Any, str]] = [
        (lambda: linalg.dot(t, m), f"dot: t has 3 dimensions\n  x      f64[?, ?, ?]   made at {t.made_at}\n"
                              "  needs  at most 2\n  try    T.batched_dot"),
        (lambda: T.batched_dot(v, t), f"batched_dot: v has 1 dimensions\n  x      f64[?]   made at {v.made_at}\n"
                                      "  needs  2 or 3"),
        (lambda: linalg.outer(m, v), f"outer: both operands are vectors\n  x    f64[?, ?]   made at {m.made_at}\n"
                                f"  y    f64[?]   made at {v.made_at}"),
        (lambda: T.trace(v), f"trace: v has 1 dimensions, not 2 or more\n  v    f64[?]   made at {v.made_at}"),
    ]  # fmt: skip
    for build, text in cases:
        with pytest.raises(RankError) as error:
            build()
        assert str(error.value) == text


def test_names_that_live_elsewhere_are_found_in_linalg_too() -> None:
    assert T.linalg.kron is T.kron and T.nlinalg.trace is T.trace and T.slinalg.diag is T.diag
    with pytest.raises(AttributeError, match=r"eqsat\.tensor\.linalg' has no attribute 'inverse_of_nothing'"):
        T.linalg.inverse_of_nothing  # noqa: B018
