"""Gradients of logarithms of probabilities: a quotient by a sigmoid, which may underflow, meets the sigmoid again."""

from eqsat.graph.ops.elemwise import sigmoid, switch
from eqsat.rules.pattern import bools, reals
from eqsat.rules.rule import rule

x, a, t, w = reals("x a t w")
p = bools("p")

g = sigmoid(x)
HOLDING = {  # what holds a quotient by g, and what is left of it after a product with g
    "quotient": (w / g, w),
    "multiple-of-quotient": (t * (w / g), t * w),
    "chosen-quotient": (switch(p, w / g, 0), switch(p, w, 0)),
    "other-quotient": (switch(p, 0, w / g), switch(p, 0, w)),
    "multiple-of-chosen-quotient": (t * switch(p, w / g, 0), t * switch(p, w, 0)),
    "multiple-of-other-quotient": (t * switch(p, 0, w / g), t * switch(p, 0, w)),
}

RULES = [
    made
    for name, (held, left) in HOLDING.items()
    for made in (
        rule(
            f"{name}-by-sigmoid",
            held * g,
            left,
            tier="stabilises",
            tags=["backward"],
            cite="definition",
        ),
        rule(
            f"sum-with-{name}-by-sigmoid",
            (a + held) * g,
            a * g + left,
            tier="stabilises",
            tags=["backward"],
            cite="definition",
        ),
        rule(
            f"{name}-by-sigmoid-minus",
            (held - a) * g,
            left - a * g,
            tier="stabilises",
            tags=["backward"],
            cite="definition",
        ),
        rule(
            f"minus-{name}-by-sigmoid",
            (a - held) * g,
            a * g - left,
            tier="stabilises",
            tags=["backward"],
            cite="definition",
        ),
    )
]
