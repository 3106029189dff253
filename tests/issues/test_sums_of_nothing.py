"""A sum of no elements is 0 in every mode, also where the elements would be infinite or NaN; none of them is the last one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BoundsError

MODES = ("FAST_COMPILE", "numpy", "FAST_RUN")
SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "of a filling": lambda m, c: T.fill(m, c).sum(0),
    "of a sum": lambda m, c: (m + c).sum(0),
    "of a difference": lambda m, c: (c - m).sum(),
    "of rows": lambda m, c: (m.T + c * T.ones_like(m[0, :, None])).sum(1),
    "of an outer sum": lambda m, c: (m[:, 0] + c * T.ones_like(m[0, :, None])).sum(),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_sum_of_nothing_is_zero(dtype: str, mode: str) -> None:
    pairs = [(T.matrix(f"m{k}", dtype), T.scalar(f"c{k}", dtype)) for k in range(len(SUMS))]
    inputs = [v for pair in pairs for v in pair]  # of their own for each sum, so that no two share anything
    outputs = [of(*pair) for of, pair in zip(SUMS.values(), pairs, strict=True)]
    reference = eqsat.function(inputs, outputs, mode="reference")
    compute = eqsat.function(inputs, outputs, mode=mode)
    for n in (0, 3):
        for c in (np.inf, -np.inf, np.nan, 2.0):
            given = [np.ones((n, 2), dtype), np.asarray(c, dtype)] * len(SUMS)
            with np.errstate(all="ignore"):
                wanted = reference(*given)
            for of, have, want in zip(SUMS, compute(*given), wanted, strict=True):
                np.testing.assert_array_equal(have, want, err_msg=f"{of}, {n} of {c}")


def chosen(out: Any) -> str:
    return str(eqsat.printing.debugprint(eqsat.optimize(out).optimized, file="str"))


@pytest.mark.parametrize(
    "length, of, op",
    [
        (None, lambda c: c, "multiple"),
        (None, lambda c: T.constant(2.5), "mul"),
        (3, lambda c: c, "mul"),
    ],
    ids=["any", "finite", "some"],
)
def test_what_is_counted_becomes_a_product_where_it_may(length: int | None, of: Any, op: str) -> None:
    m, c = T.tensor("float64", (length, None), "m"), T.dscalar("c")
    text = chosen((m + of(c)).sum(0))
    assert ("multiple" in text) == (op == "multiple")


def test_a_mean_of_what_is_shifted_is_a_shifted_mean() -> None:
    v, c = T.dvector("v"), T.dscalar("c")
    text = chosen((v + c).mean())
    assert "multiple" not in text and "dimshuffle{(x)} [id C]" in text


@pytest.mark.parametrize("of", [T.cumsum, T.cumprod])
@pytest.mark.parametrize("mode", MODES)
def test_nothing_has_no_last_running_value(of: Any, mode: str) -> None:
    m = T.dmatrix("m")
    compute = eqsat.function([m], of(m, 1)[1, -1], mode=mode)
    np.testing.assert_allclose(compute([[1.0, 2.0], [3.0, 4.0]]), 7 if of is T.cumsum else 12)
    np.testing.assert_allclose(compute([[1.0], [3.0]]), 3)
    with pytest.raises(BoundsError, match="index -1 is outside axis 1, which has length 0"):
        compute(np.zeros((2, 0)))
