"""A join along an axis that its operands do not have is refused where it is made; it was, when lengths were assumed, an IndexError."""

from __future__ import annotations

import pytest

import eqsat.tensor as T
from eqsat.errors import AxisError
from eqsat.graph.ops.join import join_op
from eqsat.rules import all_rules
from eqsat.verify import verify

v, s = T.dvector("v"), T.dscalar("s")


@pytest.mark.parametrize(("operands", "axis"), [([v, v], 1), ([v, v, v], 3), ([s], 0)])
def test_is_refused(operands: list[object], axis: int) -> None:
    with pytest.raises(AxisError, match=f"has no axis {axis}"):
        join_op(*operands, axis=axis)


def test_rules_on_joins_are_still_tried() -> None:
    assert verify(all_rules()["join-of-parts"], 6, proof=False)
