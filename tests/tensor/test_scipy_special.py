"""Special functions of several operands: SciPy's values in C, broadcast, in both dtypes, with gradients where there is a formula."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, NullTypeGradError
from eqsat.graph.declare import OPS

NAMES = sorted(name for name, d in OPS.items() if d.builder == "scipy_special.each")
DICE = np.random.default_rng(0)


def operands(name: str, dtype: str) -> tuple[list[Any], list[Any]]:
    """Variables and values: a column, matrices, and a row."""
    count = len(OPS[name].tensors)
    shapes = [(3, 1), *[(3, 4)] * (count - 2), (4,)][-count:]
    values = [DICE.uniform(0.5, 3, s).astype(dtype) for s in shapes]
    values[-1] = DICE.uniform(0.1, 0.9, 4).astype(dtype) * (-1 if name == "ndtri_exp" else 1)
    variables = [T.tensor(dtype, tuple(1 if n == 1 else None for n in s)) for s in shapes]
    return variables, values


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(10)
def test_values_are_those_of_scipy(name: str, dtype: str) -> None:
    variables, values = operands(name, dtype)
    f = eqsat.function(variables, getattr(T, name)(*variables))
    wide = getattr(scipy.special, name)(*(v.astype(float) for v in values))
    np.testing.assert_allclose(f(*values), wide, rtol=1e-13 if dtype == "float64" else 1e-6)
    assert f(*values).dtype == dtype
    assert f"eq_scipy_{name}__" in (f.c_source or "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(5)
def test_slope_in_the_last_operand_is_that_of_differences(name: str) -> None:
    variables, values = operands(name, "float64")
    y = getattr(T, name)(*variables)
    found = eqsat.function(variables, eqsat.grad(T.sum(T.sqr(y)), variables[-1]))(*values)
    *given, last = values
    call, step = getattr(scipy.special, name), 1e-6
    up, down = (np.square(call(*given, last + s)) for s in (step, -step))
    wanted = ((up - down) / (2 * step)).reshape(-1, 4).sum(0)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_slope_without_a_formula_is_refused() -> None:
    k, x = T.dscalars("k", "x")
    with pytest.raises(NullTypeGradError, match="no closed form"):
        eqsat.grad(T.gammainc(k, x), k)


def test_the_lengths_are_those_of_what_broadcasts() -> None:
    k, x = T.tensor("float64", (None,)), T.tensor("float64", (None, None))
    one = T.specify_shape(k, [1])
    y = T.gammainc(one, x)
    f = eqsat.function([k, x], [y.shape, T.sum(y, axis=0).shape[0], T.exp(y)])
    shape, columns, found = f(np.ones(1), np.ones((2, 3)))
    assert shape.tolist() == [2, 3] and int(columns) == 3 and found.shape == (2, 3)


def test_nan_and_borders_are_those_of_scipy() -> None:
    k, x = T.dvectors("k", "x")
    values = [np.array([1.0, 2.0, -1.0, np.nan, 2.0, 0.0]), np.array([0.0, np.inf, 1.0, 1.0, -1.0, 1.0])]
    found = eqsat.function([k, x], T.gammainc(k, x))(*values)
    np.testing.assert_array_equal(found, scipy.special.gammainc(*values))
    assert eqsat.function([k, x], T.gammainc(k, x))(np.zeros(0), np.zeros(0)).shape == (0,)


def test_a_library_without_scipy_is_refused(tmp_path: Path) -> None:
    k, x = T.dscalars("k", "x")
    with pytest.raises(ArgumentError, match="calls gammainc of SciPy"):
        eqsat.function([k, x], T.gammainc(k, x)).export(tmp_path, name="share")
