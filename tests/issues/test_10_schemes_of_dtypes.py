"""What both branches of a choice, or both pieces of a join, have in common is done once only where they have one dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.declare import OPS
from eqsat.rules.schemes.elementwise import computes

P, L = T.tensor("bool", (None,), "p"), T.lvector("l")
SINGLE, DOUBLE = T.fvector("s"), T.dvector("d")
UNARY = sorted(d.name for d in OPS.values() if computes(d) and len(d.tensors) == 1 and not d.parameters)


def applied(name: str, x: Any) -> Any:
    """An op of a vector; None where it does not take its dtype."""
    try:
        return OPS[name].bind()(x)
    except eqsat.errors.EqsatError:
        return None


VALUES = {
    SINGLE: np.array([1.0, 2.0, 0.5], "f4"),
    DOUBLE: np.array([0.5, 0.25, 1.0]),
    L: np.array([1, 2, 3]),
    P: np.array([True, False, True]),
}


def agrees(output: Any) -> None:
    """Fail where the rewritten graph gives another value or dtype than the one as written."""
    given = list(VALUES)
    (wanted,) = eqsat.function(given, [output], mode="reference", on_unused_input="ignore")(*VALUES.values())
    (found,) = eqsat.function(given, [output], mode="numpy", on_unused_input="ignore")(*VALUES.values())
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", UNARY)
def test_operands_of_two_dtypes_stay_apart(name: str) -> None:
    a, b = applied(name, SINGLE), applied(name, DOUBLE)
    if a is not None and b is not None and a.dtype == b.dtype:
        agrees(T.switch(P, a, b))
        agrees(T.concatenate([a, b]))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_casts_of_two_dtypes_stay_apart(dtype: str) -> None:
    a, b, c = (T.cast(x, dtype) for x in (T.exp(SINGLE), DOUBLE * 2, L + 1))
    for x, y in ((a, b), (b, c), (c, a)):
        agrees(T.switch(P, x, y))
        agrees(T.concatenate([x, y])[1:5])


def test_a_cast_of_one_dtype_is_done_once() -> None:
    x, y = T.fvectors("x", "y")
    (found,) = eqsat.optimize(T.switch(P, T.cast(x, "float64"), T.cast(y, "float64"))).optimized
    assert found.owner.op.name == "cast"
