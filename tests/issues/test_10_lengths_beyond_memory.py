"""Temporaries of more bytes than a 64-bit integer holds: no memory is an error; it was a small buffer, and a write behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from campaign.children import in_child

LENGTHS = [2**60 + 1, 2**61, 2**62, 2**63 - 1]
EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "arange": lambda n, v: T.arange(n).max(),
    "alloc": lambda n, v: T.cumsum(T.zeros(n)),
    "two axes": lambda n, v: T.sort(T.alloc(v[0], n, n)),
    "float32": lambda n, v: T.cumsum(T.cast(T.zeros(n), "float32")),
    "eye": lambda n, v: T.eye(n),
    "tile": lambda n, v: T.tile(v, (n,)),
    "repeat": lambda n, v: T.repeat(v, n),
    "linspace": lambda n, v: T.linspace(0.0, 1.0, n),
    "to_one_hot": lambda n, v: T.to_one_hot(T.cast(v, "int64"), n),
    "loop": lambda n, v: T.cumsum(eqsat.scan(lambda h: h + v, outputs_info=[v], n_steps=n)[0], axis=0),
}


def ends(expression: Callable[[Any, Any], Any], length: int, mode: str) -> Any:
    """The class of the error that a child gets."""
    n, v = T.lscalar("n"), T.dvector("v")
    f = eqsat.function([n, v], expression(n, v), mode=mode, on_unused_input="ignore")
    try:
        return np.shape(f(length, [1.0, 2.0]))
    except (MemoryError, ValueError) as error:
        return type(error).__name__


@pytest.mark.c
@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.sampled(3)
def test_what_no_memory_holds_is_an_error(name: str) -> None:
    for length in LENGTHS:
        end = in_child(lambda n=length: ends(EXPRESSIONS[name], n, "FAST_COMPILE"))  # type: ignore[misc]
        assert end.bad is None and end.value in ("MemoryError", "ValueError"), (length, end)


def test_a_range_of_so_many_is_not_empty(mode: str) -> None:
    n = T.lscalar("n")
    f = eqsat.function([n], T.arange(n), mode=mode)
    assert f(3).tolist() == [0, 1, 2]
    with pytest.raises((MemoryError, ValueError)):
        f(2**63 - 1)
