"""Saturation ends: products with an axis of length 1 do not breed ever smaller multiples of their operands."""

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


def decay():
    w = T.dvector("w")
    return [T.grad(0.5 * T.dot(w, w), w)]


def fit_by_cholesky():
    y, factor = T.dvector("y"), T.dmatrix("L")
    a = T.linalg.solve_triangular(factor, y, lower=True)
    return [T.grad(0.5 * T.dot(a, a) + T.sum(T.log(T.diag(factor))), factor)]


def quadratic():
    w, A = T.dvector("w"), T.dmatrix("A")
    return T.grad(0.5 * T.dot(w, T.dot(A, w)), [w, A])


@pytest.mark.parametrize("graph", [decay, fit_by_cholesky, quadratic])
def test_rules_on_gradients_of_products_come_to_an_end(graph):
    report = eqsat.optimize(graph())
    assert not report.budgets
    assert report.e_nodes < 1000


def test_a_column_times_a_row_is_differentiated_elementwise():
    w, z = T.dvector("w"), T.dvector("z")
    first = T.grad(T.dot(w, z), w)
    assert "dot" not in eqsat.dprint(first, file="str")
    second = T.grad(T.sum(first * z), z)
    np.testing.assert_array_equal(second.eval({z: [1.0, -2.0]}), [2.0, -4.0])
