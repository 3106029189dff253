"""A bound of a part that comes at run time, and of which the rules find that it is a number, is part of the pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import verify
from eqsat.graph.part_functions import with_bound
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.rule import all_rules
from eqsat.verify.result import KEPT
from tests.rules.helpers import optimise

x = T.vector("x", dtype="float64")
X = T.matrix("X", dtype="float64")
five = TensorType("float64", (5,))("five")
m, n = T.lscalar("m"), T.lscalar("n")
zero, two = n - n, m - m + 2

BEST: dict[str, tuple[Any, Any]] = {
    "all of what is computed": (T.exp(x[0 * n :]), T.exp(x)),
    "all of a known length": (five[five.shape[0] - 5 :], five),
    "part of a part": (x[zero + 1 :][0], x[1:][0]),
    "part of a part of a known length": (five[zero + 1 :][0], five[1]),
    "two bounds": (x[zero:two], x[0:2]),
    "one bound of two": (x[zero:m], x[0:m]),
    "the last of two": (x[m : n - n + 3], x[m:3]),
    "a step": (x[:: zero + 2], x[::2]),
    "backwards there and back": (x[:: zero - 1][::-1], x),
    "a pick": (T.exp(X)[zero + 1], T.exp(X[1])),
    "two picks": (T.exp(X)[zero + 1, two], T.exp(X[1, 2])),
    "a span and a pick": (X[zero:m, two], X[0:m, 2]),
    "four bounds": (X[zero:two, two : zero + 5], X[0:2, 2:5]),
    "a write": (T.set_subtensor(x[zero + 1], 2.0)[1], T.set_subtensor(x[1], 2.0)[1]),
    "a write beside": (T.set_subtensor(five[zero + 1], 2.0)[2], five[2]),
    "all written": (T.set_subtensor(x[zero:], T.exp(x)), T.exp(x)),
    "all added to": (T.inc_subtensor(x[zero:], 2.0), x + 2.0),
}
GIVEN = {x: np.arange(1.0, 7.0), X: np.arange(30.0).reshape(5, 6) / 10, five: np.arange(5.0), m: 4, n: 3}


@pytest.mark.parametrize("name", BEST)
def test_a_bound_that_is_a_number_is_seen(name: str) -> None:
    written, wanted = BEST[name]
    one, other = optimise([written, wanted]).outputs
    assert one is other
    assert optimise(written).ops() == optimise(wanted).ops()


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_values_are_those_of_the_graph_as_written(mode: str) -> None:
    outputs = [written for written, _ in BEST.values()]
    reference = eqsat.function(list(GIVEN), outputs, mode="FAST_COMPILE")(*GIVEN.values())
    found = eqsat.function(list(GIVEN), outputs, mode=mode)(*GIVEN.values())
    for name, one, other in zip(BEST, found, reference, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14, err_msg=name)


OUTSIDE = {
    "of an unknown length": (x, x[zero + 7]),
    "of a known length": (five, five[zero + 5]),
    "from the end": (five, five[zero - 6]),
    "of a part": (five, five[1:][zero + 4]),
    "of a part that is one": (five, five[zero + 1 :][zero + 4]),
    "of what is computed": (five, T.exp(five)[zero + 5]),
    "a write": (five, T.set_subtensor(five[zero + 5], 2.0)),
    "an addition": (x, T.inc_subtensor(x[zero + 6], 2.0)),
    "of an empty part": (x, x[zero + 6 :][zero]),
}


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "numpy", "FAST_RUN"])
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.sampled(6)
def test_what_is_outside_is_an_error_of_the_call(name: str, mode: str) -> None:
    given, written = OUTSIDE[name]
    f = eqsat.function([given, n], written, mode=mode)
    with pytest.raises(IndexError):
        f(GIVEN[given], 3)


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "numpy", "FAST_RUN"])
def test_a_step_of_zero_is_an_error_of_the_call(mode: str) -> None:
    f = eqsat.function([x, n], T.exp(x)[::zero], mode=mode)
    with pytest.raises(ValueError, match="step of a slice is 0"):
        f(GIVEN[x], 3)


def test_numbers_that_a_float_may_not_hold_stay_bounds() -> None:
    pattern = (("slice", "?", None, None),)
    assert with_bound(pattern, 0, 2**53, (None,)) is None
    assert with_bound(pattern, 0, 1 - 2**53, (None,)) == (("slice", 1 - 2**53, None, None),)
    found = eqsat.function([x, n], x[zero + 2**53 + 1 :])
    assert found(GIVEN[x], 3).size == 0


def test_a_pick_outside_in_a_choice_that_is_not_taken_does_no_harm() -> None:
    f = eqsat.function([five, n], eqsat.ifelse(n > 0, five[0], five[zero + 7]))
    assert f(GIVEN[five], 1) == 0.0


def test_bounds_that_vary_stay() -> None:
    assert optimise(x[n - m :]).ops() == {"sub": 1, "subtensor": 1}


@pytest.mark.parametrize(
    "name", ["part-bound-1-of-1-known", "part-bound-2-of-2-known", "write-bound-1-of-2-known"]
)
def test_the_rules_keep_their_promise(name: str) -> None:
    assert verify.verify(all_rules()[name], 10, proof=False).verdict == KEPT
