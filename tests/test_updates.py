"""Outputs with keys, and updates that can be added."""

from __future__ import annotations

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.updates import OrderedUpdates


def test_outputs_given_as_a_dict_come_as_a_dict() -> None:
    x = T.dscalar("x")
    f = eqsat.function([x], {"double": x * 2, "half": x / 2}, mode="reference")
    assert f(4.0) == {"double": 8.0, "half": 2.0}
    g = eqsat.function(
        [x], [x + 1, eqsat.Out(x, borrow=True)], output_keys=["more", "same"], mode="reference"
    )
    assert g(1.0) == {"more": 2.0, "same": 1.0}
    with pytest.raises(ArgumentError, match="1 output_keys do not fit the outputs"):
        eqsat.function([x], [x, x], output_keys=["one"])
    with pytest.raises(ArgumentError, match="1 output_keys do not fit the outputs"):
        eqsat.function([x], x, output_keys=["one"])


def test_updates_are_added() -> None:
    w, v = eqsat.shared(1.0, "w"), eqsat.shared(2.0, "v")
    first, second = OrderedUpdates([(w, w + v)]), {v: w * 10}
    both = first + second
    assert list(both) == [w, v] and list([(v, second[v])] + first) == [v, w] and list(first) == [w]
    eqsat.function([], [], updates=both, mode="reference")()
    assert (w.get_value(), v.get_value()) == (3.0, 10.0)
    assert list(first + both) == [w, v]


def test_updates_that_contradict_are_refused() -> None:
    w = eqsat.shared(1.0, "w")
    with pytest.raises(ArgumentError, match="w has two updates"):
        OrderedUpdates([(w, w + 1)]) + {w: w + 2}
    with pytest.raises(ArgumentError, match="3 is not a shared variable"):
        OrderedUpdates({3: w})
    with pytest.raises(ArgumentError, match="not words"):
        OrderedUpdates(w=w)
