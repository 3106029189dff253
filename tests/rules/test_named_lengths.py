"""Rules on parts are tried at the lengths that they name, which may be longer than those that are drawn for others."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.verify import verify

p, A = eqsat.metavars("p", ndim=1), eqsat.metavars("A", ndim=2)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (T.sum(p), T.sum(p[:7]), "BROKEN"),
        (T.sum(p), T.sum(p[-5:]), "BROKEN"),
        (T.exp(p[6]), T.exp(p[4]), "BROKEN"),
        (A[:, :9].T, A.T[:8], "BROKEN"),
        (A[:, :9].T, A.T[:9], "kept"),
        (p[-5:][::-1], p[::-1][:5], "kept"),
    ],
    ids=str,
)
def test_a_rule_that_holds_for_short_tensors_alone_is_found(left: Any, right: Any, verdict: str) -> None:
    assert verify(eqsat.rule("named", left, right)).verdict == verdict


def test_a_number_beyond_a_dtype_is_tried_without_a_warning(recwarn: Any) -> None:
    u = eqsat.metavars("u")
    assert verify(eqsat.rule("named", T.minimum(u, 1.7e308), u)).verdict == "BROKEN"
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
