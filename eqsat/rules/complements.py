"""One less a function, or a function and one, where that is another function: near 1 the difference would have no digits left.

The tag ``through`` says that the rule is wanted behind parts and choices too (rules/between.py).
"""

from eqsat.graph.ops.elemwise import cos, mul, neg, sigmoid, sin, sqr, tanh
from eqsat.graph.ops.special import erfc
from eqsat.graph.ops.trigonometry import cosh, sinh
from eqsat.rules.facts import varies
from eqsat.rules.facts_of_functions import known_but_one, known_less, known_more
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule
from eqsat.rules.spellings import lessened

x, y, b = reals("x y b")

RULES = [
    *lessened("half-erfc", "one", 1, erfc(x) * 0.5, erfc(neg(x)) * 0.5, tier="stabilises"),
    *lessened("tanh", "one", 1, tanh(x), sigmoid(x * -2) * 2, tier="stabilises"),
    rule("one-plus-tanh", 1 + tanh(x), sigmoid(x * 2) * 2, tier="stabilises", tags=["through"]),
    # of half the angle
    *lessened("cos", "one", 1, cos(x), sqr(sin(x * 0.5)) * 2, tier="stabilises", cite="kahan1987"),
    *lessened("cosh", "one", 1, cosh(x), sqr(sinh(x * 0.5)) * -2, tier="stabilises", cite="kahan1987"),
    rule("one-plus-cos", 1 + cos(x), sqr(cos(x * 0.5)) * 2, tier="stabilises", cite="kahan1987"),
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
