"""Python asks a variable for a number or a length: the error says that there is none yet, and the way out."""

import operator

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError


@pytest.mark.parametrize("ask", [float, int, complex, operator.index, range])
def test_a_variable_is_no_number(ask):
    n = T.lscalar("n")
    with pytest.raises(ArgumentError, match="n is no number before it is computed") as caught:
        ask(n)
    assert "made at" in str(caught.value) and "x.eval" in str(caught.value)


def test_a_variable_has_no_len():
    with pytest.raises(ArgumentError, match=r"x has no len\(\)") as caught:
        len(T.dvector("x"))
    assert "x.shape[0]" in str(caught.value)


def test_known_lengths_still_unpack_and_numpy_still_makes_graphs():
    x = T.specify_shape(T.dvector("x"), (2,))
    assert len(list(x)) == 2
    assert isinstance(np.ones(2) * x, T.TensorVariable)
    assert isinstance(np.float64(2.0) * x, T.TensorVariable)


def test_a_value_of_another_rank_names_the_shared_variable():
    w = eqsat.shared(np.zeros(3), "w")
    with pytest.raises(eqsat.errors.RankError, match="w: expected"):
        w.set_value(np.zeros((3, 3)))
    np.testing.assert_array_equal(w.get_value(), np.zeros(3))
