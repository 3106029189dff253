"""Laws of functions of matrices reach every op that declares them, those of a user too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import DeclarationError
from eqsat.graph.declare import OPS, Cost, forget_op, structural
from eqsat.rules.schemes import matrices
from eqsat.verify import verify
from tests.rules.helpers import optimise

N = 12
A, B = (T.TensorType("float64", shape=(N, N))(name) for name in "AB")
v, c = T.TensorType("float64", shape=(N,))("v"), T.dscalar("c")


def cost(op: Any, ins: Any, out: Any) -> Cost:
    """As many flops as a decomposition takes."""
    return Cost(flops=10 * N**3)


@pytest.fixture
def square() -> Iterator[Any]:
    made = structural(
        "block",
        name="square_of_ours",
        signature="(n,n)->(n,n)",
        of_matrices=True,
        transposed="kept",
        of_numbers=lambda v: v * v,
        of_multiples=lambda c, found: c * c * found,
        cost=cost,
    )(lambda a: a @ a)
    yield made
    forget_op("square_of_ours")


@pytest.fixture
def volume() -> Iterator[Any]:
    made = structural(
        "block",
        name="volume_of_ours",
        signature="(n,n)->()",
        of_matrices=True,
        transposed="dropped",
        of_products="mul",
        cost=cost,
    )(lambda a: abs(np.linalg.det(a)))
    yield made
    forget_op("volume_of_ours")


def test_laws_of_a_function_of_matrices(square: Any) -> None:
    one = optimise([square(A).T, square(A.T), square(c * A), square(T.diag(v))])
    assert one.ops()["square_of_ours"] == 1
    laws = [r for law in matrices.RULES for r in law.rules(OPS["square_of_ours"])]
    assert [r.name for r in laws] == [
        f"square_of_ours-of-{w}" for w in ("transpose", "multiple", "diagonal-matrix")
    ]
    assert all(verify(r, points=8) for r in laws)


def test_laws_of_a_function_that_multiplies(volume: Any) -> None:
    assert optimise([volume(A), volume(A.T), volume(T.linalg.inv(A))]).ops()["volume_of_ours"] == 1
    laws = [r for law in matrices.RULES for r in law.rules(OPS["volume_of_ours"])]
    assert [r.tier for r in laws] == ["rounds", "loose", "rounds"]
    assert optimise(volume(A @ B), laws).fired["volume_of_ours-of-dot"]


def test_a_wrong_declaration_is_found(square: Any) -> None:
    forget_op("square_of_ours")
    wrong = structural(
        "block",
        name="square_of_ours",
        signature="(n,n)->(n,n)",
        of_multiples=lambda c, found: c * found,
        cost=cost,
    )(lambda a: a @ a)
    assert wrong is not None
    (law,) = [r for s in matrices.RULES for r in s.rules(OPS["square_of_ours"])]
    assert not verify(law, points=20)


def test_transposed_is_kept_dropped_or_swapped() -> None:
    with pytest.raises(DeclarationError, match="kept, dropped or swapped"):
        structural("block", name="odd_of_ours", signature="(n,n)->(n,n)", transposed="yes", cost=cost)(
            lambda a: a
        )


def test_exponentials_of_matrices() -> None:
    found = optimise([T.linalg.expm(A.T), T.linalg.expm(A)])
    assert found.ops()["expm"] == 1
    assert "expm" not in optimise(T.linalg.expm(T.diag(v))).ops()
