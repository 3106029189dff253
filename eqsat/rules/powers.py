"""Powers with known exponents, squares and roots."""

from collections.abc import Iterator
from typing import Any

from eqsat.graph.ops.elemwise import abs, isinf, pow, sqr, sqrt, switch
from eqsat.rules.facts import above, even, nonzero, varies, whole
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.spellings import differences, negative

x, y, c, d = reals("x y c d")
a = numbers("a")

root = sqrt(x + c)
longer = sqrt(sqr(x) + c)
KAHAN: dict[str, Any] = {"tier": "stabilises", "tags": ["backward"], "cite": "kahan1987", "grows": False}


def less_one(name: str, of: Any, more: Any) -> Iterator[Rule]:
    """The rules that a root less 1, of 1 and ``more``, is ``more`` over their sum; a root that is infinite stays."""
    yield rule(f"{name}-less-one", of + (-1), switch(isinf(of), of, more / (of + 1)), **KAHAN)
    yield rule(f"one-less-{name}", 1 - of, switch(isinf(of), -of, negative(more) / (of + 1)), **KAHAN)


small = varies(x) & whole(value(c)) & above(value(c), 2.5)

RULES = [
    *(  # by squaring
        rule(f"pow-{word}", pow(x, c), right, when=small & even(rest), grows=False, cite="knuth1997")
        for word, rest, right in [
            ("even", value(c), sqr(pow(x, value(c) / 2.0))),
            ("odd", value(c) - 1.0, x * pow(x, value(c) - 1.0)),
        ]
    ),
    rule("sqrt-sqr", sqrt(sqr(x)), abs(x)),
    # differences of roots whose squares have a difference that is known
    *differences("roots", root, sqrt(x), c / (root + sqrt(x)), when=nonzero(c), **KAHAN),
    *differences("longer-root", longer, x, c / (longer + x), when=nonzero(c) & (x >= 0), **KAHAN),
    *less_one("root-of-more", sqrt(x + 1), x),
    *less_one("root-of-less", sqrt(1 - x), -x),
]
