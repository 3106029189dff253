"""DebugMode keeps the values that an op of a user overwrites: it compares them after the call."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import eqsat
import eqsat.tensor as T


class DoubledInPlace(eqsat.Op):
    __props__ = ()
    itypes: ClassVar[list[Any]] = [T.dvector]
    otypes: ClassVar[list[Any]] = [T.dvector]
    destroy_map: ClassVar[dict[int, list[int]]] = {0: [0]}

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        inputs[0] *= 2
        outputs[0][0] = inputs[0]


def test_a_value_is_compared_before_it_is_overwritten() -> None:
    x, double = T.dvector("x"), DoubledInPlace()
    f = eqsat.function([x], [double(x * x), double(x)], mode="DebugMode")
    squares, twice = f(np.array([1.0, 2.0]))
    assert squares.tolist() == [2, 8] and twice.tolist() == [2, 4]
