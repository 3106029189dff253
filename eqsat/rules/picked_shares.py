"""Gradients of logarithms of picked elements: what was divided by the elements is multiplied by the whole tensor.

The loss ``-log(softmax(z)[i])`` has the gradient ``p * (s - sum(p * s))``, where s holds ``-1 / p[i]`` in the picked places:
an infinity as soon as a class is far from likely, although the product is -1.
"""

from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.index import part_op, put_op
from eqsat.rules.facts import alike, zero
from eqsat.rules.pattern import ALL_AXES, indices, parameters, places, reals
from eqsat.rules.rule import rule

x, w, t, z = reals("x w t z")
i, j = indices("i j")
k = places("k")
p, g = parameters("p g")
PICKS = [  # a name, what is picked, and the values written in those places of zeros
    ("part", part_op(x, pattern=p), lambda v: put_op(z, v, pattern=p, add=1)),
    ("part-at", part_op(x, k, pattern=p), lambda v: put_op(z, v, k, pattern=p, add=1)),
    ("elements", gather_op(x, i, pattern=g), lambda v: scatter_op(z, v, i, pattern=g, add=1)),
    ("pairs", gather_op(x, i, j, pattern=g), lambda v: scatter_op(z, v, i, j, pattern=g, add=1)),
]

RULES = [
    r
    for name, picked, write in PICKS
    for r in (
        rule(
            f"picked-{name}-times-whole",
            x * write(w / picked),
            write(w),
            tier="stabilises",
            when=zero(z) & alike(x, z, ALL_AXES),
            grows=False,
            cite="blanchard2021",
        ),
        rule(
            f"picked-{name}-less-a-share",
            x * (write(w / picked) - t),
            write(w) - x * t,
            tier="stabilises",
            when=zero(z) & alike(x, z, ALL_AXES),
            grows=False,
            cite="blanchard2021",
        ),
    )
]
