"""Conditions on what stands in a loop; in their meanings, operands are ``Seen`` in verify/loop_promises.py."""

from __future__ import annotations

from functools import partial

from eqsat.rules.fact import fact

on_loops = partial(fact, about="loops")
fixed = on_loops(
    "fixed",
    "0 == dep(a) & (1 << b)",
    lambda x, loop: not x.moves,
    "x does not depend on the time of a loop.",
)
moves = on_loops(
    "moves",
    "0 != dep(a) & (1 << b)",
    lambda x, loop: x.moves,
    "x is not known to be independent of the time of a loop; keeps rules from stacking what does not change.",
)
steady = on_loops(
    "steady",
    "0 == uneven(a) & (1 << b)",
    lambda x, loop: x.steady,
    "x has the same shape in all steps of a loop, so that its values can be stacked.",
)
recurs = on_loops(
    "recurs",
    "step_of(a) == first",
    lambda key: key.recurs,
    "The value that the left side stacks, or of which it takes the last, is the new value of a state.",
)
