"""One less a function, or a function and one, where that is another function: near 1 the difference would have no digits left.

The tag ``through`` says that the rule is wanted behind parts and choices too (rules/between.py).
"""

from typing import Any

from eqsat.graph.ops.elemwise import mul, neg, sigmoid, tanh
from eqsat.graph.ops.special import erfc
from eqsat.rules.facts import varies
from eqsat.rules.facts_of_functions import known_but_one, known_less, known_more
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y, b = reals("x y b")

LESS = [  # f(x), 1 - f(x)
    (erfc(x) * 0.5, erfc(neg(x)) * 0.5),
    (tanh(x), sigmoid(x * -2) * 2),
]
MORE = [  # f(x), 1 + f(x)
    (tanh(x), sigmoid(x * 2) * 2),
]


def named(f: Any) -> str:
    """The name of a function, or of half of one, in the names of its rules."""
    return f"half-{f.args[0].op}" if f.op == "mul" else str(f.op)


RULES = [
    *(rule(f"one-less-{named(f)}", 1 - f, value, tier="stabilises", tags=["through"]) for f, value in LESS),
    *(
        rule(f"{named(f)}-less-one", f + (-1), neg(value), tier="stabilises", tags=["through"])
        for f, value in LESS
    ),
    *(rule(f"one-plus-{named(f)}", 1 + f, value, tier="stabilises", tags=["through"]) for f, value in MORE),
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
