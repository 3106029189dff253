"""Print shows values while a function runs, in every mode, and changes nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.printing import Print


def test_print_shows_the_value_and_passes_it_on(mode: str, capsys: Any) -> None:
    x = T.dvector("x")
    f = eqsat.function([x], Print("x is", attrs=("shape", "max", "__str__"))(x * 1.5) + 1, mode=mode)
    np.testing.assert_array_equal(f([1.0, 2.0]), [2.5, 4.0])
    assert capsys.readouterr().out == "x is shape = (2,)\nx is max = 3.0\nx is __str__ = [1.5 3. ]\n"


def test_the_printed_value_is_not_the_callers_array(mode: str) -> None:
    x, given = T.dvector("x"), np.array([1.0, 2.0])
    f = eqsat.function([x], Print("x", attrs=())(x), mode=mode)
    result = f(given)
    result[0] = 5.0
    assert given[0] == 1.0


def test_print_calls_a_function_instead() -> None:
    seen: list[Any] = []
    x = T.dscalar("x")
    f = eqsat.function([x], Print(global_fn=lambda op, value: seen.append(float(value)))(x), mode="reference")
    f(3.0)
    assert seen == [3.0]


def test_gradients_pass_through() -> None:
    x = T.dscalar("x")
    dx = T.grad(Print("x", attrs=())(x) ** 2, x)
    assert float(dx.eval({x: 3.0}, mode="reference")) == 6.0


def test_equal_prints_are_equal() -> None:
    assert Print("a") == Print("a") and Print("a") != Print("b") and Print("a", ("shape",)) != Print("a")
