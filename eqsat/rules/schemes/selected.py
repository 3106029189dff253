"""Elements that a mask selects: a reduction of them is one of all, where those left out change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import switch
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.mask import nonzero_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.parts import FULL
from eqsat.rules.condition import Condition
from eqsat.rules.facts import as_long, computed, congruent, covers, rank
from eqsat.rules.pattern import Literal, Meta, bools, call, lengths, places
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, joined
from eqsat.rules.schemes.reductions import element, fold_of, promise, reduces
from eqsat.rules.schemes.scheme import scheme

m = bools("m")
n, k = places("n k")


def indices_of(mask: Any, ndim: int) -> tuple[Any, ...]:
    """The index arrays of the elements of a mask that hold."""
    return tuple(part_op(mask, pattern=Literal("part", (("int", axis), FULL))) for axis in range(ndim))


def masks(x: Meta, ndim: int) -> Iterator[tuple[str, Any, Condition | None]]:
    """Masks on x: one that is held to the lengths of x when it is read, and one that is known to have them."""
    if ndim == 2:
        fits = (congruent(m, x), congruent(m, x))
    else:
        fits = (as_long(n, x, 0), computed(call("meets", 0, lengths(m), 0, lengths(x))))
    yield "", nonzero_op(m, *(n, k)[:ndim]), fits[0]
    yield "-of-known-length", nonzero_op(m), fits[1]


@scheme(
    "reduction-of-selected",
    "r(x[m]) = r(switch(m, x, e)) where e changes no result of r",
    holds=lambda d: reduces(d) and fold_of(d).neutral is not None and fold_of(d).commutative,
    needs=lambda op: [(op, "gather_2"), (op, "gather_3")],
    tags=["backward"],
)
def of_selected(d: Declaration) -> Iterator[Rule]:
    """Elements are left out as they are met, and not written next to each other before."""
    x, neutral = element(d), fold_of(d).neutral
    for ndim, word in ((1, "elements"), (2, "elements-of-matrix")):
        axes = tuple(range(ndim))
        for end, mask, fits in masks(x, ndim):
            every = applied(d, switch(m, x, neutral), axes=axes)
            if ndim == 2:
                every = dimshuffle_op(
                    dimshuffle_op(every, pattern=Literal("move", (), 2)), pattern=Literal("move", ("x",), 0)
                )
            yield rule(
                f"{d.name}-of-selected-{word}{end}",
                applied(d, gather_op(x, *indices_of(mask, ndim), pattern=axes), axes=(0,)),
                every,
                when=joined(rank(m, ndim), covers(m, axes), covers(x, axes), fits),
                grows=False,
                **promise(d, "extends"),
            )


RULES = [of_selected]
