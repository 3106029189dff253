"""Conditions on lengths that Python decides while a function is traced: lengths 0 and 1 are traced apart, the others are 2 or more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import TracingError

V = np.arange(4.0)
GUARDS: dict[str, Callable[[Any], bool]] = {
    "size": lambda v: v.size,
    "no size": lambda v: not v.size,
    "size of a product": lambda v: np.outer(v, v).size,
    "none": lambda v: len(v) == 0,
    "more than one": lambda v: v.shape[0] > 1,
    "both": lambda v: len(v) != 0 and len(v) >= 2,
    "one less": lambda v: len(v) - 1 < 1,
    "shape": lambda v: v.shape == (1,),
    "computed": lambda v: (2 * v)[1:].size > 0,
    "turned": lambda v: 1 < len(v),
    "a new axis": lambda v: v[None].shape[0] != v.shape[0],
}


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_that_holds_of_all_lengths_of_a_trace_is_decided(name: str) -> None:
    guard = GUARDS[name]
    program = lambda v: 1 if guard(v) else 2
    made = eqsat.jit(program, mode="reference")
    for n in (4, 2, 1, 0):
        assert made(V[:n]) == program(V[:n])


@pytest.mark.parametrize(
    "guard",
    [
        lambda v: len(v) > 3,
        lambda v: len(v) == 2,
        lambda v: len(v) != 10**6,
        lambda v: len(v[v > 0]),
        lambda v: len(v[1:]) > 1,
        lambda v: len(v) % 2,
        lambda v: v.sum() >= 0,
    ],
)
def test_a_guard_that_some_lengths_pass_is_refused(guard: Any) -> None:
    with pytest.raises(TracingError, match="of a traced value"):
        eqsat.jit(lambda v: 1 if guard(v) else 2)(V)


def test_shapes_are_compared_where_their_types_tell_them_apart() -> None:
    same = lambda a, b: 1 if a.shape == b.shape else 2
    for a, b in ((V, V[:1]), (V[:0], V), (V[:1], V[:1]), (np.ones((3, 1)), np.ones((1, 3)))):
        assert eqsat.jit(same, mode="reference")(a, b) == same(a, b)
    with pytest.raises(TracingError):
        eqsat.jit(same)(V, V)
