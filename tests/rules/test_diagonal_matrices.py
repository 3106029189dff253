"""Diagonal matrices are computed on their diagonals; parts of unit matrices take parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.declare import OPS, Declaration, elemwise, forget_op
from eqsat.rules.schemes import diagonal_matrices
from eqsat.rules.schemes.reductions import element
from eqsat.rules.schemes.scheme import Scheme
from eqsat.verify import verify
from eqsat.verify.result import KEPT
from tests.rules.helpers import assert_best, optimise

SCHEMES = diagonal_matrices.RULES
A, v, w, s, t = T.dmatrix("A"), T.dvector("v"), T.dvector("w"), T.dscalar("s"), T.dscalar("t")


# ------------------------------------------------------------------------------------ diagonal matrices


@pytest.fixture
def ours() -> Iterator[Declaration]:
    elemwise(c="({x} * fabs({y}))", signature="f,f->f", name="scaled_of_ours")(lambda x, y: x * np.abs(y))
    yield OPS["scaled_of_ours"]
    forget_op("scaled_of_ours")


def check_diagonals(d: Declaration) -> None:
    """The function is computed on the diagonal, of vectors."""
    whole = d.signature[0] == "i"
    values = T.lvectors("x", "y", "z") if whole else T.dvectors("x", "y", "z")
    written = d(*map(T.diag, values[: len(d.tensors)]))
    found = optimise(written)
    assert found.ops()["set_diagonal"] == 1, str(found)


@pytest.mark.parametrize("name", sorted(d.name for d in diagonal_matrices.of_diagonals.ops()))
def test_functions_of_diagonal_matrices(name: str) -> None:
    check_diagonals(OPS[name])


def test_a_function_of_the_user_of_diagonal_matrices(ours: Declaration) -> None:
    check_diagonals(ours)
    for r in diagonal_matrices.of_diagonals.rules(ours):
        assert verify(r, 12, proof=False).verdict == KEPT
    assert optimise(T.exp(T.diag(v))).ops()["exp"] == 1  # exp(0) is 1
    assert "exp-of-diagonal-matrices" not in optimise(T.exp(T.diag(v))).fired


@pytest.mark.parametrize("name", sorted(d.name for d in diagonal_matrices.of_reductions.ops()))
def test_reductions_of_diagonal_matrices(name: str) -> None:
    d = OPS[name]
    x = T.TensorType({"bool": "bool"}.get(element(d).domain, "float64"), shape=(None,))("x")
    for axes in ((0,), (1,), (0, 1)):
        found = optimise(d(T.diag(x), axes=axes))
        assert not found.ops()["set_diagonal"], str(found)
        f = eqsat.function([x], d(T.diag(x), axes=axes))
        for n in (0, 1, 3):
            value = np.arange(1, n + 1).astype(x.type.dtype)
            np.testing.assert_array_equal(f(value), d.meaning(np.diag(value), axes=axes))


def test_products_of_diagonal_matrices() -> None:
    assert_best(T.diag(v) @ T.diag(w), T.diag(v * w))
    assert optimise(v[:, None] * T.diag(w)).ops()["set_diagonal"] == 1
    f = eqsat.function([v, w], T.diag(v) @ T.diag(w))
    for n in (0, 1, 3):
        np.testing.assert_array_equal(f(np.full(n, 2.0), np.full(n, 3.0)), 6 * np.eye(n))


TURN = slice(None, None, -1)
PARTS: dict[str, tuple[Any, Any]] = {
    "columns": (slice(None), slice(1, 3)),
    "backwards": (slice(None), TURN),
    "every-other": (slice(None), slice(None, None, 2)),
    "rows-backwards": (TURN, slice(None)),
    "both-backwards": (TURN, TURN),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_product_with_a_part_of_a_unit_matrix_is_a_part(name: str) -> None:
    part = PARTS[name]
    products = [A @ T.eye(A.shape[1])[part], T.eye(A.shape[0])[part[::-1]] @ A]
    assert not optimise(products).ops()["dot"]
    f = eqsat.function([A], products)
    for shape in ((0, 3), (1, 1), (4, 5)):
        value = np.random.default_rng(0).normal(size=shape)
        wanted = value @ np.eye(shape[1])[part], np.eye(shape[0])[part[::-1]] @ value
        for found, want in zip(f(value), wanted, strict=True):
            np.testing.assert_array_equal(found, want)


def test_rows_of_a_unit_matrix_that_are_no_permutation_stay_a_product() -> None:
    assert optimise(A[:, 1:] @ T.eye(A.shape[1])[1:]).ops()["dot"]


@pytest.mark.sweep
@pytest.mark.parametrize("one", SCHEMES, ids=lambda one: one.name)
def test_every_instance_keeps_its_promise(one: Scheme) -> None:
    for r in one.every():
        found = verify(r, 12, proof=False)
        assert found.verdict == KEPT, str(found)
