"""A product with what terms of a sum are divided by is done term by term: ``p * (w / p - s) = w - p * s``, also where p is 0."""

from collections.abc import Iterator

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.index import part_op, put_op
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import alike, over, sum_over
from eqsat.rules.pattern import Meta, indices, parameters, places, reals
from eqsat.rules.rule import Rule, rule

m, x, v, z = reals("m x v z")
i, j = indices("i j")
k = places("k")
p, g = parameters("p g")
PICKS = [  # a name, what is picked of x, and values that are added in those places of z
    ("part", part_op(x, pattern=p), lambda z, v: put_op(z, v, pattern=p, add=1)),
    ("part-at", part_op(x, k, pattern=p), lambda z, v: put_op(z, v, k, pattern=p, add=1)),
    ("elements", gather_op(x, i, pattern=g), lambda z, v: scatter_op(z, v, i, pattern=g, add=1)),
    ("pairs", gather_op(x, i, j, pattern=g), lambda z, v: scatter_op(z, v, i, j, pattern=g, add=1)),
]


def into(d: Declaration) -> Iterator[Rule]:
    """The rules on products with an op that is linear in some operands, one for each that may be divided."""
    domains = {"?": "bool"}
    letters = d.signature.partition("->")[0].split(",")
    operands = [Meta(t, domains.get(k, "float")) for t, k in zip(d.tensors, letters, strict=True)]
    for group in map(str.split, d.linear.split(",")):
        inside = [m * a if a.name in group else a for a in operands]
        known = over if len(group) > 1 else sum_over
        for a in operands:
            if a.name in group:
                yield rule(
                    f"divisor-into-{d.name}-{a.name}",
                    mul(m, d(*operands)),
                    d(*inside),
                    when=known(a, m),
                    tier="stabilises",
                    tags=["backward"],
                    grows=False,
                )
                if d.commutative:
                    return


RULES = [
    r
    for d in list(OPS.values())
    if d.kind == "elemwise" and d.linear and not d.parameters and d.name != "fill"
    for r in into(d)
]
# the gradient of log(p[i]) holds 1 / p[i] in the picked places: an infinity as soon as that class is far from likely
RULES += [
    rule(
        f"divisor-into-{held}-{name}",
        x * write(z, v),
        write(x * z, picked * v),
        when=alike(x, z, ALL_AXES) & over(a, x),
        tier="stabilises",
        tags=["backward"],
        grows=False,
        cite="blanchard2021",
    )
    for name, picked, write in PICKS
    for held, a in (("written", v), ("written-upon", z))
]
