"""One less a function, or a function and one, where that is another function: near 1 the difference would have no digits left.

The tag ``through`` says that the rule is wanted behind parts and choices too (rules/between.py).
"""

from eqsat.graph.ops.elemwise import erf, mul, neg, sigmoid, tanh
from eqsat.graph.ops.special import erfc, ndtr
from eqsat.rules.facts import varies
from eqsat.rules.facts_of_functions import known_but_one, known_less, known_more
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y, b = reals("x y b")

LESS = {  # 1 - f(x)
    "erf": (erf(x), erfc(x)),
    "erfc": (erfc(x), erf(x)),
    "half-erfc": (erfc(x) * 0.5, erfc(neg(x)) * 0.5),
    "ndtr": (ndtr(x), ndtr(neg(x))),
    "tanh": (tanh(x), sigmoid(x * -2) * 2),
}
MORE = {  # 1 + f(x)
    "erf": (erf(x), erfc(neg(x))),
    "tanh": (tanh(x), sigmoid(x * 2) * 2),
}

RULES = [
    *(
        rule(f"one-less-{name}", 1 - f, value, tier="stabilises", tags=["through"])
        for name, (f, value) in LESS.items()
    ),
    *(
        rule(f"{name}-less-one", f + (-1), neg(value), tier="stabilises", tags=["through"])
        for name, (f, value) in LESS.items()
    ),
    *(
        rule(f"one-plus-{name}", 1 + f, value, tier="stabilises", tags=["through"])
        for name, (f, value) in MORE.items()
    ),
    rule("two-less-erfc", 2 - erfc(x), erfc(neg(x)), tier="stabilises"),
    # what is taken from its own multiple
    *(
        rule(name, left, right, tier="stabilises", when=known(b) & varies(b), tags=["backward"], grows=False)
        for name, left, right, known in [
            ("self-less-multiple", y - mul(y, b), y * (1 - b), known_less),
            ("multiple-less-self", mul(y, b) - y, y * (b + (-1)), known_but_one),
            ("self-plus-multiple", y + mul(y, b), y * (1 + b), known_more),
        ]
    ),
]
