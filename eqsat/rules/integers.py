"""Quotients rounded down and remainders of integers.

Integers wrap, so that i * j // j is not i, and i * j % j not 0, in any tier.
"""

from eqsat.graph.ops.elemwise import and_, fill, floordiv, mod, neg
from eqsat.rules.facts import nonzero, single, whole
from eqsat.rules.pattern import integers, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import sums

i, j, c, k = integers("i j c k")

MULTIPLE = single(c) & single(k) & nonzero(c) & nonzero(k) & whole(value(c) / value(k)) & whole(value(c))

ONES = [("one", 1, i), ("minus-one", -1, neg(i))]

RULES = [
    *(
        rule(name, left, right, tier="exact")
        for name, left, right in (
            *((f"floordiv-{word}", floordiv(i, n), right) for word, n, right in ONES),
            *((f"zero-{op.name}", op(0, i), fill(i, 0)) for op in (floordiv, mod)),
        )
    ),
    *(rule(f"mod-{word}", mod(i, n), fill(i, 0), tier="exact") for word, n in (("one", 1), ("self", i))),
    *sums("quotient-and-rest", floordiv(i, j) * j, mod(i, j), i, tier="exact", when=nonzero(j)),
    rule("mod-of-mod", mod(mod(i, j), j), mod(i, j), tier="exact"),
    rule("mod-of-mod-of-multiple", mod(mod(i, c), k), mod(i, k), tier="exact", when=MULTIPLE),
    rule("floordiv-of-mod", floordiv(mod(i, j), j), fill(mod(i, j), 0), tier="exact"),
    *(
        rule(f"mod-{n}", mod(i, n), and_(i, n - 1), tier="exact", grows=False, cite="knuth1997")
        for n in (2, 4, 8, 16, 32, 64)
    ),
]
