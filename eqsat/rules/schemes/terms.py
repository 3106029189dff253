"""Laws of sums in which multiples of one number are apart: they meet although other terms stand between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.condition import Condition
from eqsat.rules.facts import single, tame, varies
from eqsat.rules.pattern import Value, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.groups import brief, groups
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import family

x, w, c, k = reals("x w c k")


def multiple(n: Any) -> Condition:
    """The condition that a number is one by which sums may be multiplied."""
    return single(n) & tame(value(n))


def counted(n: Any, sign: float) -> Any:
    """The number of times that a term is there, with its sign."""
    return Value("*", (value(n), sign)) if n is not None else sign


@family(
    "multiples-beside-terms", "(w - r(x, c)) + x = w + r(x, 1 - c), and so for other sums and differences"
)
def multiples_beside_terms() -> Iterator[Rule]:
    """Multiples of one number by known numbers are one multiple, also where the first of them stands in a sum."""
    for d in [d for d in groups() if d.numbers and d.repeats in OPS and OPS[d.repeats].numbers]:
        r, signed = OPS[d.repeats], {1.0: d, -1.0: OPS[d.inverse]}
        for first, second in [(c, None), (None, c), (c, k)]:
            for s, t in product(signed, repeat=2):
                f, g = (x if n is None else r(x, n) for n in (first, second))
                n = Value("+", (counted(first, s), counted(second, t)))
                known = joined(varies(x), *(multiple(m) for m in (first, second) if m is not None))
                name = f"{_word(signed[s], first)}-and-{_word(signed[t], second)}"
                left, right = signed[t](signed[s](w, f), g), d(w, r(x, n))
                tags = ["backward", "compared-last"]  # numbers have many multiples, a sum few operands
                yield rule(name, left, right, when=known, grows=False, tags=tags, cite="higham2002")


def _word(op: Declaration, n: Any) -> str:
    """A term in names of rules."""
    return brief(op) + ("" if n is None else "-multiple")


RULES = [multiples_beside_terms]
