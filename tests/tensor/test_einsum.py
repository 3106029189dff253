"""einsum is NumPy's for every form of subscripts, and becomes products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, EqsatError, ShapeError
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort
from tests.reference import evaluate, numeric_gradient

CASES: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,kj->ki", [(2, 3), (4, 3)]),
    ("i,i", [(3,), (3,)]),
    ("i,j->ij", [(3,), (2,)]),
    ("ij->ji", [(2, 3)]),
    ("ba", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ij->i", [(2, 3)]),
    ("ii", [(3, 3)]),
    ("ii->i", [(3, 3)]),
    ("iij->j", [(3, 3, 2)]),
    ("iii->i", [(3, 3, 3)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 2)]),
    ("bij,bj->bi", [(2, 3, 4), (2, 4)]),
    ("abij,abjk->abik", [(2, 2, 3, 4), (2, 2, 4, 2)]),
    ("bi,bi->b", [(2, 3), (2, 3)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]),
    ("ijk,jkl->il", [(2, 3, 4), (3, 4, 2)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ("i,ij,j", [(3,), (3, 4), (4,)]),
    ("ij,k->jk", [(2, 3), (4,)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 2)]),
    ("...ij,jk", [(5, 2, 3, 4), (4, 2)]),
    ("...i,i->...", [(2, 3, 4), (4,)]),
    ("i...->...", [(2, 3, 4)]),
    ("...,...", [(2, 3), (3,)]),
    ("...ii->...i", [(2, 3, 3)]),
    (" i j , j -> i ", [(2, 3), (3,)]),
    ("abc,bd,ce->ade", [(2, 3, 4), (3, 5), (4, 2)]),
    (",i->i", [(), (3,)]),
]


def values(shapes: list[tuple[int, ...]], dtype: str = "float64") -> list[Any]:
    rng = np.random.default_rng(0)
    return [
        np.asarray(rng.normal(size=s) if dtype == "float64" else rng.integers(0, 3, s)).astype(dtype)
        for s in shapes
    ]


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_einsum_is_numpy(mode: str) -> None:
    inputs = [[TensorType("float64", shape=(None,) * len(s))() for s in shapes] for _, shapes in CASES]
    outs = [T.einsum(text, *v) for (text, _), v in zip(CASES, inputs, strict=True)]
    f = eqsat.function([v for group in inputs for v in group], outs, mode=mode)
    found = f(*(v for _, shapes in CASES for v in values(shapes)))
    for (text, shapes), value in zip(CASES, found, strict=True):
        wanted = np.einsum(text.replace(" ", ""), *values(shapes))
        assert value.shape == wanted.shape, text
        np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-13, err_msg=text)


@pytest.mark.parametrize("text, shapes", CASES, ids=[c[0] for c in CASES])
def test_known_lengths_and_gradients(text: str, shapes: list[tuple[int, ...]]) -> None:
    inputs = [TensorType("float64", shape=s)() for s in shapes]
    given = dict(zip(inputs, values(shapes), strict=True))
    out = T.einsum(text, *inputs)
    assert out.type.shape == np.einsum(text.replace(" ", ""), *values(shapes)).shape
    cost = (out * out).sum()
    grads = evaluate(T.grad(cost, inputs), given)
    for v, g in zip(inputs, grads, strict=True):
        np.testing.assert_allclose(g, numeric_gradient(cost, v, given), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "int64", "bool", "complex128"])
def test_dtypes_stay(dtype: str) -> None:
    for text, shapes in (
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij->i", [(2, 3)]),
        ("bi,bi->b", [(2, 3), (2, 3)]),
    ):
        given = values(shapes, dtype)
        inputs = [TensorType(dtype, shape=(None,) * v.ndim)() for v in given]
        found = evaluate([T.einsum(text, *inputs)], dict(zip(inputs, given, strict=True)))[0]
        wanted = np.einsum(text, *given)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_length_1_broadcasts_where_the_type_says_so() -> None:
    x, y = T.drow("x"), T.dmatrix("y")
    given = {x: np.arange(3.0)[None], y: np.arange(6.0).reshape(2, 3)}
    for text in ("ij,ij->ij", "ij,ij->j", "ij,kj->ik", "...j,...j->..."):
        found = evaluate([T.einsum(text, x, y)], given)[0]
        np.testing.assert_allclose(found, np.einsum(text, *given.values()))


def test_products_are_those_of_matrices() -> None:
    a, b, c = T.dtensor4("a"), T.dtensor4("b"), T.dmatrix("c")
    for out, names in (
        (T.einsum("abcd,cdef->abef", a, b), ["dot"]),
        (T.einsum("xij,xjk->xik", T.dtensor3(), T.dtensor3()), ["batched_dot"]),
        (T.einsum("ij,jk,k->i", c, c, T.dvector()), ["dot", "dot"]),
    ):
        assert [n.op.name for n in toposort([out]) if "dot" in n.op.name] == names
    m, n, v = (TensorType("float64", shape=s)() for s in ((50, 60), (60, 70), (70,)))
    last = [n for n in toposort([T.einsum("ij,jk,k->i", m, n, v)]) if n.op.name == "dot"]
    assert last[0].inputs[1].type.shape == (70, 1)  # the product with the vector comes first


def test_what_does_not_fit_is_refused() -> None:
    x, y = T.dmatrix("x"), TensorType("float64", shape=(2, 3))("y")
    cases: list[tuple[Any, type[Exception], str]] = [
        (("ij,jk", x), ArgumentError, "einsum: 'ij,jk': 2 terms for 1 operands"),
        (("ijk", x), ArgumentError, "einsum: 'ijk': 'ijk' for x with 2 dimensions"),
        (("ijk...", x), ArgumentError, "einsum: 'ijk...': 'ijk...' for x with 2 dimensions"),
        (("i1", x), ArgumentError, "einsum: 'i1': 'i1' holds something that is not a letter"),
        (("ij->ik", x), ArgumentError, "einsum: 'ij->ik': the result 'ik' repeats"),
        (("ij->ii", x), ArgumentError, "einsum: 'ij->ii': the result 'ii' repeats"),
        (("...i->i", x), ArgumentError, "einsum: '...i->i': the result 'i' repeats, lacks"),
        ((3, x), ArgumentError, "einsum: the subscripts are text, not 3"),
        (("ii", y), ShapeError, "einsum: the axes 'i' of y have the lengths 2 and 3"),
        (("ij,ij", y, y.T), ShapeError, "einsum: 'ij,ij': the axes 'i' have the lengths 2 and 3"),
    ]
    for arguments, kind, text in cases:
        with pytest.raises(kind) as error:
            T.einsum(*arguments)
        assert isinstance(error.value, EqsatError) and str(error.value).startswith(text), str(error.value)
