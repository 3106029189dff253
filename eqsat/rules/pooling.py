"""Pooling goes axis by axis; monotone functions and known factors are applied to what is pooled."""

from eqsat.graph.ops.pool import pool_max_op, pool_sum_op
from eqsat.rules.facts import single
from eqsat.rules.pattern import call, parameters, reals
from eqsat.rules.rule import rule

x, c = reals("x c")
window, strides, pads, partial = parameters("window strides pads partial")
NUMBER = single(c)


def pooled(op: object, v: object) -> object:
    """A pooling with the parameters that are left open."""
    return op(v, window=window, strides=strides, pads=pads, partial=partial)  # type: ignore[operator]


def along(op: object, v: object, which: str) -> object:
    """A pooling along one axis, or along the rest."""
    return op(  # type: ignore[operator]
        v,
        window=call(f"window_of_{which}", window),
        strides=call(f"strides_of_{which}", window, strides),
        pads=call(f"pads_of_{which}", window, pads),
        partial=partial,
    )


RULES = [
    *(
        rule(
            f"{op.name}-by-axis",
            pooled(op, x),
            along(op, along(op, x, "rest"), "axis"),
            tier=tier,
            tags=tags,
            cite="gonzalez2018",
        )
        for op, tier, tags in ((pool_max_op, "exact", []), (pool_sum_op, "rounds", ["backward"]))
    ),
]  # fmt: skip
