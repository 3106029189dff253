"""Gradients have the form of their argument, and what a function gives beside its value is a pair or an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import ArgumentError

X = np.array([1.0, 2.0, 3.0])


def test_none_in_an_argument_has_none_for_a_gradient() -> None:
    def loss(layers: Any, x: Any) -> Any:
        for layer in layers:
            x = layer["w"] * x if layer["b"] is None else layer["w"] * x + layer["b"]
        return x.sum()

    layers = [{"w": X, "b": None}, {"w": 2.0, "b": X}]
    value, slopes = eqsat.value_and_grad(loss, mode="reference")(layers, X)
    assert float(value) == 2 * 14 + 6 and slopes[0]["b"] is None
    np.testing.assert_array_equal(slopes[0]["w"], 2 * X)
    np.testing.assert_array_equal(slopes[1]["b"], np.ones(3))


@pytest.mark.parametrize("answer", [lambda x: x.sum(), lambda x: (x.sum(),), lambda x: (x.sum(), 1, 2)])
def test_what_is_no_pair_is_refused_with_has_aux(answer: Any) -> None:
    with pytest.raises(ArgumentError, match="has_aux=True, and the function gives") as error:
        eqsat.value_and_grad(answer, has_aux=True)(X)
    assert "return value, rest" in str(error.value)


@pytest.mark.parametrize("number", [3.0, 3, np.float64(3)])
def test_a_number_that_no_argument_changes_has_a_gradient_of_zeros(number: Any) -> None:
    value, slope = eqsat.value_and_grad(lambda x: number, mode="reference")(X)
    assert float(value) == 3
    np.testing.assert_array_equal(slope, np.zeros(3))


class Scaled:
    scale = 3.0

    @classmethod
    @eqsat.jit
    def times(cls, x: Any) -> Any:
        return cls.scale * x


class Halved(Scaled):
    scale = 0.5


def test_a_class_method_has_its_class() -> None:
    for kind in (Scaled, Halved):
        np.testing.assert_array_equal(kind.times(X), kind.scale * X)
