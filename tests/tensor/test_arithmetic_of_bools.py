"""Arithmetic of bools and shifts has the dtypes and values of NumPy's, for every pair of dtypes."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import function
from eqsat.graph.dtypes import ALL

OPERATORS = (
    *(operator.mod, operator.floordiv, operator.pow, divmod, operator.lshift, operator.rshift),
    *(np.fmod, np.remainder, np.power, np.floor_divide, np.left_shift),
)


def pairs(op: Any) -> list[tuple[Any, Any, Any]]:
    """Operands of which one is bool, and NumPy's results; float16 is float32 here."""
    found = []
    for a in ALL:
        for b in ALL:
            x, y = np.array([0, 1, 1, 0], a), np.array([1, 0, 1, 0], b)
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    want = op(x, y)
            except TypeError:
                continue
            if "bool" in (a, b) and not {"complex64", "complex128"} & {a, b}:
                found.append((x, y, want if isinstance(want, tuple) else (want,)))
    assert len(found) > 8
    return found


@pytest.mark.parametrize("mode", ["reference", pytest.param("FAST_COMPILE", marks=pytest.mark.c)])
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_a_bool_beside_any_dtype(op: Any, mode: str) -> None:
    inputs: list[Any] = []
    outputs: list[Any] = []
    values: list[Any] = []
    wanted: list[Any] = []
    for x, y, want in pairs(op):
        a, b = T.vector(dtype=x.dtype.name), T.vector(dtype=y.dtype.name)
        made = op(a, b)
        inputs += [a, b]
        values += [x, y]
        outputs += made if isinstance(made, tuple) else [made]
        wanted += want
    for got, want in zip(function(inputs, outputs, mode=mode)(*values), wanted, strict=True):
        rough = want.dtype.name == "float16"
        assert got.dtype == (np.dtype("float32") if rough else want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-3 if rough else 1e-6)


def test_differences_of_bools_stay_refused() -> None:
    x = T.vector("x", dtype="bool")
    for made in (lambda: x - x, lambda: -x):
        with pytest.raises(TypeError, match="is not defined for bool"):
            made()
