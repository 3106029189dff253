"""``verify`` tells a left side that lost all its digits from a rule that is wrong; and it shows expressions, not numbers of classes."""

from __future__ import annotations

import re
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DebugModeError
from eqsat.graph.ops.elemwise import erf
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule
from eqsat.verify import Verification, verify, verify_set

x, y = eqsat.metavars("x y", ndim=0)
TIERS = ("rounds", "stabilises", "extends", "loose")

RIGHT: dict[str, tuple[Any, Any]] = {
    "cosh2 - sinh2 = 1": (T.cosh(x) ** 2 - T.sinh(x) ** 2, 1.0),
    "its multiple": (y * (T.cosh(x) ** 2 - T.sinh(x) ** 2), y),
    "cosh - sinh": (T.cosh(x) - T.sinh(x), T.exp(-x)),
    "sin2 + cos2 = 1": (T.sin(x) ** 2 + T.cos(x) ** 2, 1.0),
    "and that less 1": (T.sin(x) ** 2 + T.cos(x) ** 2 - 1.0, 0.0),
    "x + y - x": ((x + y) - x, y),
    "exp exp": (T.exp(x) * T.exp(-x), 1.0),
    "logs": (T.log(T.exp(x) * T.exp(y)), x + y),
}
LOOSE: dict[str, tuple[Any, Any]] = {  # the right side cancels where the left is 0, or nearly
    "log of a product": (T.log(T.exp(x) * T.exp(y)), T.log(T.exp(x)) + T.log(T.exp(y))),
    "1 = cosh2 - sinh2": (1.0 + 0.0 * x, T.cosh(x) ** 2 - T.sinh(x) ** 2),
    "difference of squares": ((x - y) * (x + y), x * x - y * y),
    "expm1": (T.expm1(x), T.exp(x) - 1.0),
}
WRONG: dict[str, tuple[Any, Any]] = {
    "cosh2 - sinh2 = 2": (T.cosh(x) ** 2 - T.sinh(x) ** 2, 2.0),
    "cosh2 - sinh2 = nearly 1": (T.cosh(x) ** 2 - T.sinh(x) ** 2, 1.001),
    "cosh2 - sinh2 = cosh": (T.cosh(x) ** 2 - T.sinh(x) ** 2, T.cosh(x)),
    "sin2 + cos2 - 1 = a little": (T.sin(x) ** 2 + T.cos(x) ** 2 - 1.0, 1e-3),
    "x + y - x = more than y": ((x + y) - x, y + 1e-3 * x),
    "exp - exp = a little": (T.exp(x) - T.exp(x), 1e-9),
    "x - x = 1": (x - x, 1.0),
    "xy - yx = a little": (x * y - y * x, 1e-9),
    "abs": (abs(T.exp(x)) - T.exp(x), 1e-9),
    "maximum": (T.maximum(T.exp(x), 0.0) - T.exp(x), 1e-9),
}


def tried(sides: tuple[Any, Any], tier: str) -> Verification:
    return verify(eqsat.rule("own", *sides, tier=tier), proof=False, outside=False, egraph=False)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.sampled(12)
def test_rules_whose_left_side_cancels_are_kept(name: str, tier: str) -> None:
    found = tried(RIGHT[name], tier)
    assert found, str(found)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(15)
def test_wrong_rules_are_caught(name: str, tier: str) -> None:
    found = tried(WRONG[name], tier)
    assert found.verdict == "BROKEN", str(found)


@pytest.mark.parametrize("name", LOOSE)
def test_loose_rules_may_cancel(name: str) -> None:
    found = tried(LOOSE[name], "loose")
    assert found, str(found)


def test_the_logarithm_of_a_product_where_it_is_zero() -> None:
    left, right = T.log(x * y), T.log(x) + T.log(y)
    found = verify(eqsat.rule("own", left, right, tier="loose", when=(x > 0) & (y > 0)))
    assert found, str(found)


@pytest.mark.parametrize("name", ["sin2 + cos2 - 1 = a little", "cosh2 - sinh2 = 2", "exp - exp = a little"])
def test_wrong_rules_are_caught_the_other_way_round(name: str) -> None:
    left, right = WRONG[name]
    found = tried((right + 0.0 * x, left), "loose")
    assert found.verdict == "BROKEN", str(found)


def test_the_tier_exact_promises_every_bit() -> None:
    assert tried(RIGHT["cosh2 - sinh2 = 1"], "exact").verdict == "BROKEN"


u, v = reals("u v")
BAD = [rule("one", erf(u * v), u, cite="definition"), rule("other", erf(u * v), v, cite="definition")]


def test_sets_of_rules_are_told_by_expressions() -> None:
    found = verify_set(BAD, graphs=3)
    assert found.wrong
    for broken in found.wrong:
        assert not re.search(r"\bclass \d", str(broken)) and " as written is [" in broken.why, str(broken)


def test_so_is_what_a_check_finds() -> None:
    a, b = T.dvectors("a", "b")
    with pytest.raises(DebugModeError) as error:
        eqsat.optimize(T.log(T.erf(a * T.exp(b)).sum()), rules=BAD, check={a: [1.0, 2.0], b: [3.0, 4.0]})
    text = str(error.value)
    assert not re.search(r"\bclass \d", text)
    assert "exp(b) as written is [" in text and "a as written is [" in text


def test_forms_that_rules_made_are_written_out() -> None:
    a = T.dvector("a")
    bad = [rule("odd", erf(u), erf(u + u), cite="definition")]
    with pytest.raises(DebugModeError) as error:
        eqsat.optimize(T.erf(a), rules=bad, check={a: [0.25]})
    assert "erf(a + a)" in str(error.value) and "erf(a) as written" in str(error.value), str(error.value)
