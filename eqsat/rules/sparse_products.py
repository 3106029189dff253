"""Sparse products: a tensor that is zero but in some places, times another, is zero but in these places, and only they are multiplied.

The gradient of what is picked is written into zeros, and multiplied there by a derivative, which may be infinite elsewhere.
"""

from eqsat.graph.ops.elemwise import mul, switch
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.rows import add_rows
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.divisors import PICKS
from eqsat.rules.facts import alike, rank, single, zero
from eqsat.rules.facts_of_functions import of_exps, over_known
from eqsat.rules.pattern import bools, indices, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import joined

x, v, z, a, c = reals("x v z a c")
i = indices("i")
p = bools("p")

WITHIN = zero(z) & alike(x, z, ALL_AXES)
WRITTEN = {  # zeros with v in the places where something was picked, x times v there, and the condition
    **{name: (write(z, v), write(z, picked * v), WITHIN) for name, picked, write in PICKS},
    **{
        f"rows-of-{ndim}": (
            add_rows(z, a, v, i),
            add_rows(z, a, gather_op(x, i, pattern=(0, *[-1] * (ndim - 1))) * v, i),
            WITHIN & rank(x, ndim),
        )
        for ndim in (1, 2, 3)
    },
}

RULES = [
    rule(
        f"{word}-with-written-{name}",
        mul(x, written),
        product,
        tier=tier,
        when=joined(within, made),
        tags=["backward"],
        grows=False,
    )
    for name, (written, product, within) in WRITTEN.items()
    for word, tier, made in (("product", "extends", None), ("exps", "stabilises", of_exps(x) & over_known(v)))
] + [
    *(
        rule(name, mul(left, c), right, tier="extends", when=single(c), grows=False)
        for name, left, right in [
            ("number-into-then", switch(p, x, 0), switch(p, x * value(c), 0)),
            ("number-into-else", switch(p, 0, x), switch(p, 0, x * value(c))),
        ]
    )
]
