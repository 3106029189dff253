"""Methods and parameters that programs for PyTensor use: elementwise methods, padding, diagonals at a variable place."""

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, RankError

RNG = np.random.default_rng(10)
NAMES = [
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "ceil",
        "floor",
        "trunc",
        "deg2rad",
        "rad2deg",
    ),
    *(
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "arcsinh",
        "arctanh",
        "conjugate",
    ),
]


@pytest.mark.parametrize("name", NAMES)
def test_elementwise_functions_are_methods(name):
    values = np.array([0.25, 0.75])
    found = getattr(T.dvector("x"), name)().eval({"x": values}, mode="reference")
    np.testing.assert_allclose(found, getattr(np, name)(values))
    constant = getattr(T.constant(values), name)().eval(mode="reference")
    shared = getattr(eqsat.shared(values), name)().eval(mode="reference")
    np.testing.assert_array_equal([constant, shared], [found, found])


def test_matrices_of_a_stack_are_transposed_and_axes_may_be_an_array():
    x = T.tensor3("x", shape=(2, 3, 4))
    assert x.mT.type.shape == (2, 4, 3)
    assert x.transpose(np.array([2, 0, 1])).type.shape == (4, 2, 3)


CASES = [
    *[("linear_ramp", {"end_values": v}) for v in (0, -3, (2, 7))],
    *[(mode, {"stat_length": n}) for mode in ("mean", "maximum", "minimum") for n in (None, 1, 2, (3, 1))],
]


@pytest.mark.parametrize(("mode", "options"), CASES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_padding_is_numpys(mode, options, dtype):
    for shape, widths in [((3,), (2, 3)), ((1,), (4, 0)), ((2, 4), ((0, 1), (3, 2))), ((3, 1, 2), 1)]:
        values = (RNG.normal(size=shape) * 10).astype(dtype)
        expected = np.pad(values, widths, mode=mode, **options)
        x = T.TensorType(dtype, shape=(None,) * len(shape))("x")
        for operand, given in ((x, {"x": values}), (T.constant(values), None)):
            found = T.pad(operand, widths, mode=mode, **options).eval(given, mode="reference")
            assert found.dtype == dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_padding_by_variable_widths_and_its_gradient():
    x, n = T.dvector("x"), T.lscalar("n")
    ramp = T.pad(x, (n, 1), mode="linear_ramp", end_values=1.0)
    mean = T.pad(x, n, mode="mean", stat_length=n)
    values = np.array([1.0, 4.0, 9.0])
    f = eqsat.function([x, n], [ramp, mean, T.grad((ramp**2).sum(), x)])
    found = f(values, 2)
    np.testing.assert_allclose(found[0], np.pad(values, (2, 1), "linear_ramp", end_values=1.0))
    np.testing.assert_allclose(found[1], np.pad(values, 2, "mean", stat_length=2))
    T.verify_grad(lambda v: T.pad(v, (2, 1), mode="linear_ramp"), [values], rng=RNG)


def test_padding_refuses_what_it_does_not_do():
    x = T.dvector("x")
    with pytest.raises(ArgumentError, match="reflect_type does not take 'odd'"):
        T.pad(x, 1, "reflect", reflect_type="odd")
    with pytest.raises(ArgumentError, match="the stat_length 0 is less than 1"):
        T.pad(x, 1, "mean", stat_length=0)
    with pytest.raises(RankError, match="end_values"):
        T.pad(x, 1, "linear_ramp", end_values=((1, 2), (3, 4)))


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (3, 3)])
def test_a_diagonal_is_filled_at_a_place_that_is_a_variable(shape):
    x, value, place = T.dmatrix("x"), T.dscalar("value"), T.iscalar("place")
    filled = T.fill_diagonal_offset(x, value, place)
    f = eqsat.function([x, value, place], [filled, *T.grad(filled.sum(), [x, value])])
    values = RNG.normal(size=shape)
    for offset in (-5, -2, 0, 1, 3, 9):
        on = np.eye(*shape, k=offset, dtype=bool)
        found, slopes, slope = f(values, 7.0, offset)
        np.testing.assert_array_equal(found, np.where(on, 7.0, values))
        np.testing.assert_array_equal(slopes, ~on)
        assert slope == on.sum()
