"""Two moves of axes are one; a filling is of the moved value."""

from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.pattern import anything, compose, parameters
from eqsat.rules.rule import rule

a, b = anything("a b")
p, q = parameters("p q")


def moved(v: object) -> object:
    """Axes of v moved by p."""
    return dimshuffle_op(v, pattern=p)


RULES = [
    rule(
        "dimshuffle-twice",
        dimshuffle_op(moved(a), pattern=q),
        dimshuffle_op(a, pattern=compose(p, q)),
        tier="exact",
        tags=["filled"],
    ),
    rule("dimshuffle-of-fill", moved(fill(a, b)), fill(moved(a), moved(b)), tier="exact", grows=False),
]
