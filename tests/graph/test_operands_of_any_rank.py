"""Every declared op takes operands of any ranks, or refuses them with an error of eqsat's own."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from eqsat.errors import EqsatError
from eqsat.graph.declare import OPS
from eqsat.graph.tensor_type import TensorType
from eqsat.research.grammar import chosen_ops
from eqsat.research.terms import arities

RANKS = (0, 1, 2, 3)
MOST = 3  # operands


def usable(name: str) -> list[Any]:
    """An op with values for its parameters, as a search over tensors has them; none that such a search refuses."""
    try:
        return chosen_ops([name], RANKS)
    except EqsatError:
        return []


@pytest.mark.parametrize("name", sorted(OPS))
def test_operands_of_other_ranks_are_typed_or_refused(name: str) -> None:
    for one, count in [(op, n) for op in usable(name) for n in arities(op) if n <= MOST]:
        for ranks in itertools.product(RANKS, repeat=count):
            for dtype in ("float64", "bool", "complex128"):
                try:
                    one(*(TensorType(dtype, shape=(None,) * n)() for n in ranks))
                except EqsatError:
                    continue


def test_ops_that_tell_ranks_apart_are_among_them() -> None:
    assert {"concatenate", "convolve", "subtensor", "alloc", "dot", "sum"} <= {n for n in OPS if usable(n)}
