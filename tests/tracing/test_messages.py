"""Errors of jitted functions speak in the user's names, and of the user's lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import ShapeError


def added(a: Any, b: Any) -> Any:
    exponent = a * 2
    return np.exp(exponent) + b


def line_of(offset: int) -> str:
    return f"test_messages.py:{added.__code__.co_firstlineno + offset}"


@pytest.mark.parametrize("mode", ["reference", "FAST_COMPILE", "FAST_RUN"])
def test_lengths_that_do_not_fit_name_the_arguments_and_the_line_of_the_op(mode: str) -> None:
    f = eqsat.jit(added, mode=mode)
    with pytest.raises(ShapeError, match="^add: axis 0 has the lengths 3 and 4") as raised:
        f(np.ones(3), np.ones(4))
    rows = [line.split(maxsplit=1) for line in str(raised.value).splitlines()[1:]]
    assert ["b", f"f64[?]   made at {line_of(0)}"] in rows
    assert ["in", f"exp(a * 2) + b   written at {line_of(2)}"] in rows
