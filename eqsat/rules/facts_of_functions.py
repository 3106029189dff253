"""Conditions on what a value is made of: functions of which rules know more than that they have been applied.

They hold of a function by a rule with the tag ``through``, and of what parts, choices, weights and sums make of it
(``eqsat/egraph/function_schema.py``). They guard against breeding: where they are not known, nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from eqsat.rules.condition import Condition
from eqsat.rules.fact import fact

# bits of what the e-graph knows of a value; exp itself is told from what is made of it, since most rules on it are its own
EXP, LOG, EXPS, LESS, MORE, BUT_ONE, OVER = (1 << k for k in range(7))
BITS = {
    "exponential": EXP,
    "known_log": LOG,
    "made_of_exps": EXPS,
    "known_less": LESS,
    "known_more": MORE,
    "known_but_one": BUT_ONE,
    "over_known": OVER,
}
SIGNED = 1 << len(BITS)  # set for a factor whose sign is known; what no rule asks about has no bits at all
SHIFTED = SIGNED << 1  # set for exponentials of elements less the largest of them
ASKED: dict[str, int] = {}  # the bits of which a fact asks for one, by its name


def on_functions(name: str, bits: int, doc: str) -> Callable[..., Condition]:
    """Declare a fact that asks the e-graph for one of some bits of a value."""
    ASKED[name] = bits
    return fact(name, f"0 != {bits} & known(a) and varies(a)", lambda x: True, doc, about="functions")


known_log = on_functions(
    "known_log",
    LOG,
    doc="x is made of a function of which a rule knows the logarithm, as of erfc; of exp, it is not exp itself.",
)
any_log = on_functions(
    "any_log",
    LOG | EXP,
    doc="x is made of a function of which a rule knows the logarithm.",
)
made_of_exps = on_functions(
    "made_of_exps",
    EXPS,
    doc="x is made of exponentials, and not one itself: it overflows where its logarithm does not.",
)
of_exps = on_functions(
    "of_exps",
    EXPS | EXP,
    doc="x is an exponential or made of some: it overflows where its logarithm does not.",
)
known_less = on_functions(
    "known_less", LESS, doc="x is made of a function g of which a rule knows 1 - g, as of erf."
)
known_more = on_functions(
    "known_more", MORE, doc="x is made of a function g of which a rule knows 1 + g, as of tanh."
)
known_but_one = on_functions(
    "known_but_one",
    BUT_ONE,
    doc="x is made of a function g of which a rule knows g - 1, as of exp.",
)
over_known = on_functions(
    "over_known",
    OVER,
    doc="x is divided by a function of which a rule knows the logarithm, which may underflow.",
)

ABSENT: list[str] = []  # facts that something is not known, which ask of what may have no bits


def not_known(name: str, bits: int, doc: str) -> Callable[..., Condition]:
    """Declare a fact that none of some bits of a factor is set."""
    ABSENT.append(name)
    return fact(name, f"0 == {bits} & known(a)", lambda x: True, doc, about="functions")


of_any_sign = not_known(
    "of_any_sign",
    EXP | EXPS | SIGNED,
    "The sign of the factor x is not known, and it is not made of exponentials: it has no logarithm of its own.",
)
of_no_shift = not_known(
    "of_no_shift",
    SHIFTED,
    "The factor x is no exponential of elements less the largest of them, of which one is 1 and none is more.",
)
of_no_exps = not_known("of_no_exps", EXP | EXPS, "The factor x is no exponential and made of none.")


def bits_of(name: str) -> int:
    """The bits of which a fact asks for one; none for a fact that is not about functions."""
    return ASKED.get(name, 0)
