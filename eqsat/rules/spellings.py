"""The ways in which a quotient is written, and gradients leave it: with a weight above, and with the weight over the divisor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule

w, t = reals("w t")


def quotients(
    name: str, top: Any, divisor: Any, result: Any, deep: bool = False, **options: Any
) -> Iterator[Rule]:
    """A rule for each way to write ``top / divisor``, alone or with other factors, w and t; ``deep`` for two of them.

    Products with ``1 / divisor`` are quotients by another rule.
    """
    ways = [
        ("", top / divisor, result),
        ("-of-multiple", (w * top) / divisor, w * result),
        ("-by-multiple-over", top * (w / divisor), w * result),
    ]
    if deep:
        ways += [
            ("-of-multiple-by-multiple-over", (w * top) * (t / divisor), (w * t) * result),
            ("-by-multiple-of-quotient", top * (w * (t / divisor)), (w * t) * result),
        ]
    for end, left, right in ways:
        yield rule(f"{name}{end}", left, right, grows=False, **options)
