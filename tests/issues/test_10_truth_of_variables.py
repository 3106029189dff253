"""``if x:`` has no answer for a variable: it raises, but in programs for Theano and PyTensor, and constants have a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.compat.theano
import eqsat.tensor as T
from eqsat.errors import ArgumentError

x, i = T.dvector("x"), T.iscalar("i")

VARIABLES: list[Callable[[], Any]] = [
    lambda: (x > 0).all(),
    lambda: x,
    lambda: x + 1,
    lambda: T.isnan(x).any(),
    lambda: (x > 0) & (x < 1),
    lambda: T.eq(i, 3),
    lambda: i % 2,
    lambda: x.shape[0],
    lambda: eqsat.shared(1.0),
    lambda: eqsat.generic(),
    lambda: T.grad(x.sum(), x),
    lambda: T.constant([1.0, 0.0]),
]


@pytest.mark.parametrize("make", VARIABLES)
def test_a_variable_has_no_truth_value(make: Callable[[], Any]) -> None:
    v = make()
    uses: list[Callable[[], Any]] = [
        lambda: bool(v),
        lambda: not v,
        lambda: 1 if v else 2,
        lambda: v or 3,
        lambda: any([v]),
    ]
    for use in uses:
        with pytest.raises(
            ArgumentError, match=r"no truth value[^$]*made at test_10_truth_of_variables.py:"
        ) as e:
            use()
        assert e.value.hint


def test_the_way_out_is_named() -> None:
    with pytest.raises(ArgumentError) as error:
        bool((x > 0).any())
    assert str(error.value).splitlines()[2:] == [
        "  try         T.switch(condition, x, y), eqsat.ifelse to run one of them, or `x is not None`"
    ]


@pytest.mark.parametrize("value", [0, 1, -2.5, True, False, [3.0], [[0]], np.nan])
def test_a_constant_is_as_true_as_its_value(value: Any) -> None:
    assert bool(T.constant(value)) == bool(np.array(value).item())


def test_programs_for_theano_go_on() -> None:
    eqsat.compat.theano.install()
    try:
        assert all(make() for make in VARIABLES if make() is not None and _computes(make()))
        assert T.constant(0)
        with pytest.raises(TypeError, match="no truth value"):
            bool(x > 0)
        with pytest.raises(TypeError, match="no truth value"):
            assert T.constant(0) < x < 1
    finally:
        eqsat.compat.theano.uninstall()
    with pytest.raises(ArgumentError):
        bool(x)


def _computes(v: Any) -> bool:
    """True for a variable that is no comparison, which Theano refuses to judge."""
    return v.owner is None or v.owner.op.name not in ("eq", "gt", "lt")


def test_two_libraries_share_the_flag() -> None:
    from eqsat.frontends.module_alias import Library

    one, two = (Library(name, "1", __file__, {name: ("eqsat",)}) for name in ("library_one", "library_two"))
    one.install()
    two.install()
    one.uninstall()
    assert bool(x)
    two.uninstall()
    with pytest.raises(ArgumentError):
        bool(x)
