"""Values repeated to a shape: products of which only the shape is left, and the lengths of what is repeated."""

from collections.abc import Iterator

from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.shape import length_op
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import alike, filled_with_one, repeated, uniform
from eqsat.rules.pattern import anything, numbers, places, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import joined

x, y = numbers("x y")
a, z = anything("a z")
c = reals("c")
n, m, k = places("n m k")

LENGTHS = (n, m, k)
COUNTS = range(1, 1 + len(LENGTHS))


def repetitions(count: int) -> Iterator[Rule]:
    """A value repeated along so many axes: as a filling, inside of one, as a known number, and once."""
    repeats = [alloc_op(v, *LENGTHS[:count]) for v in (y, z, c)]
    number = alloc_op(value(c).at(count), *LENGTHS[:count])
    for name, left, right, tier, when in (
        # of what is not repeated, the lengths are still to be checked
        (f"{count}-fold-filling", repeats[1], fill(repeats[1], z), "exact", repeated(z, ALL_AXES)),
        (f"fill-of-{count}-fold", fill(repeats[0], z), repeats[1], "exact", alike(y, z, ALL_AXES)),
        (f"{count}-fold-number", repeats[2], number, "extends", uniform(c)),
        (f"{count}-fold-once", repeats[1], z, "exact", joined(*map(filled_with_one, LENGTHS[:count]))),
    ):
        yield rule(name, left, right, tier=tier, when=when, tags=["filled"])


RULES = [
    *(r for count in COUNTS for r in repetitions(count)),
    *(
        rule(
            f"length-{axis}-of-{rank}-repeated",
            length_op(alloc_op(a, *LENGTHS[:rank]), axis=axis),
            LENGTHS[axis],
            tier="exact",
        )
        for rank in COUNTS
        for axis in range(rank)
    ),
]
