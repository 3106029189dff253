"""What only sharing would make cheap: sums and products of what is larger than their result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph.reading import ENode
from eqsat.extract.detours import detours, least

x, y = T.dvectors("x", "y")


def test_a_sum_that_leads_back_is_one_unless_it_was_written_or_is_the_cheapest_alone() -> None:
    leaf, other = ENode("Leaf", (0,), (), 0), ENode("Leaf", (1,), (), 1)
    root, total, back = ENode("sqrt", (), (0,), 2), ENode("add", (), (2, 1), 3), ENode("sub", (), (3, 1), 2)
    enodes, cost = [leaf, other, root, total, back], [0.0, 0.0, 5.0, 1.0, 1.0]
    assert detours(enodes, cost, set()) == [4]
    assert detours(enodes, cost, {("sub", (), (3, 1))}) == []
    third = ENode("exp", (), (1,), 3)  # the larger value has a cheap form of its own
    assert detours([*enodes, third], [*cost, 1.0], set()) == []
    assert least(enodes, lambda i: 1.0) == {0: 1, 1: 1, 2: 2, 3: 4}


def divergences() -> Any:
    p, q = T.softmax(x), T.softmax(y)
    m = (p + q) / 2
    kl = T.sum(p * T.log(p / q))
    both = T.sum(p * T.log(p / m)) + T.sum(q * T.log(q / m))
    return [-T.log(T.sum(T.sqrt(p * q))), T.grad(kl, y), T.grad(both, y)]


def focal() -> Any:
    share = T.switch(y, T.sigmoid(x), 1 - T.sigmoid(x))
    loss = (1 - share) ** 1.5 * T.log(share)
    return [T.grad(loss.sum(), x), loss]


@pytest.mark.parametrize(
    ("outputs", "values"),
    [(divergences, ([-790.0, 0.0], [-790.0, -1.0])), (focal, ([-40.0, -3.0], [1.0, 0.0]))],
)
def test_a_stable_form_stays_where_other_outputs_would_share(outputs: Any, values: Any) -> None:
    a, b = T.dvectors("a", "b")
    k, g = T.lvector("k"), T.gammaln
    beta = g(k + a) + g(5.0 - k + b) - g(a + b + 5.0) - g(a) - g(b) + g(a + b)
    eqsat.function([a, b, k], beta, mode="numpy")  # what was compiled before does not matter
    made = outputs()
    found = eqsat.function([x, y], made, mode="numpy")(*values)[0]
    with np.errstate(all="ignore"):
        wanted = eqsat.function([x, y], made, mode="reference")(*values)[0]
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
