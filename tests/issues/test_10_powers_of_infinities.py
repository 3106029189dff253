"""A power with the exponent 0, or of 1, is 1 whatever the other operand is, also an infinity that a later factor would cancel."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import verify
from eqsat.graph.ops.elemwise import exp, log, pow
from eqsat.rules.facts import nonzero
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, c = reals("x c")
BASES: dict[str, Callable[[Any], Any]] = {
    "exp": T.exp,
    "one-plus-square": lambda v: 1 + T.sqr(v),
    "erfc": T.erfc,
    "cosh": T.cosh,
    "exp-of-square": lambda v: T.exp(-T.sqr(v)),
}
POWERS: dict[str, Callable[[Any, Any, Callable[[Any], Any]], Any]] = {
    "of-quotient": lambda a, b, f: f(a / b) ** b,
    "to-quotient": lambda a, b, f: f(b) ** (a / b),
    "to-one-over": lambda a, b, f: f(a * b) ** (1 / b),
    "log-of-power": lambda a, b, f: T.log(f(a / b) ** b),
    "log-of-power-to-quotient": lambda a, b, f: T.log(f(b) ** (a / b)),
    "log2-of-power": lambda a, b, f: T.log2(f(a / b) ** b) * b,
}


@pytest.mark.parametrize(("base", "power"), list(product(BASES, POWERS)))
def test_what_is_divided_by_zero_stays_out_of_powers(base: str, power: str) -> None:
    a, b = T.dvectors("a", "b")
    out = POWERS[power](a, b, BASES[base])
    values = np.array([1.5, -2.0, 0.0, 1.5, 0.75]), np.array([0.0, -0.0, 0.0, 2.0, -1.25])
    with np.errstate(all="ignore"):
        wanted = eqsat.function([a, b], out, mode="reference")(*values)
        found = eqsat.function([a, b], out, mode="numpy")(*values)
    known = np.isfinite(wanted)
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("exponent", [2.0, -1.5, 0.5])
def test_a_known_exponent_needs_no_choice(exponent: float) -> None:
    v = T.dvector("v")
    report = eqsat.optimize(T.exp(v) ** exponent)
    assert report.cost_after == pytest.approx(eqsat.optimize(T.exp(v * 3.25)).cost_after)


def test_the_verification_draws_infinities_for_backward_rules_too() -> None:
    wrong = rule("exponent-inside", pow(exp(x), c), exp(x * c), tags=["backward"], cite="definition")
    assert "infinite operand" in str(verify.verify(wrong, 60, proof=False, egraph=False))
    nearly = rule(
        "exponent-before",
        log(pow(x, c)),
        c * log(x),
        when=(x > 0) & nonzero(c),
        tags=["backward"],
        cite="definition",
    )
    assert "infinite operand" in str(verify.verify(nearly, 60, proof=False, egraph=False))
