"""Convolution is linear in the images and in the filters; channels are scaled in the filters; filters are joined."""

from typing import Any

from eqsat.graph.ops.conv import conv_op
from eqsat.graph.ops.dots import rows_dot
from eqsat.graph.ops.elemwise import add, fill, mul, neg, sub, truediv
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.pool import pool_sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import alike, computed, covers, invariant, rank, uniform
from eqsat.rules.pattern import Literal, call, lengths, parameters, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import joined

x, y, w, v, s, b = reals("x y w v s b")
border, strides, dilation, groups, flip = parameters("border strides dilation groups flip")
BACKWARD = ["backward"]
AXES = {1: "rows", 2: "images", 3: "volumes"}

SAME_IMAGES = computed(call("same_images", strides, lengths(x), lengths(y)))
SAME_FILTERS = computed(call("same_filters", border, strides, lengths(w), lengths(v)))
ONE_GROUP = computed(call("one_group", groups))
STATED = computed(call("stated_groups", groups))


def conv(images: object, filters: object) -> Any:
    """A convolution with the parameters that are left open."""
    return conv_op(
        images, filters, border=border, strides=strides, dilation=dilation, groups=groups, flip=flip
    )


def moved(z: object, *pattern: int) -> object:
    """Axes moved as a rule says."""
    return dimshuffle_op(z, pattern=Literal("move", pattern, max(pattern) + 1))


def scaled_rules(spatial: int) -> list[object]:
    """Factors of images and of channels, for a number of spatial axes."""
    here, ndim = tuple(range(2, 2 + spatial)), 2 + spatial
    per_channel = invariant(s, (0, *here)) & rank(s, ndim)
    to_filters = moved(s, 1, 0, *here)
    name = AXES[spatial]
    return [
        *(
            rule(f"conv-{name}-{word}", conv(x * s, w), right, when=fits, tags=BACKWARD, cite="jia2019")
            for word, right, fits in (
                ("scaled", conv(x, w) * s, invariant(s, (1, *here)) & rank(s, ndim) & covers(x, (0,))),
                ("channels-scaled", conv(x, w * s), per_channel & covers(x, (1,)) & ONE_GROUP),
            )
        ),
        *(
            rule(
                f"conv-{name}-{shift.name + '-' if shift else ''}{op.name}-in-filters",
                op(shift(conv(x, w), b) if shift else conv(x, w), s),
                shift(conv(x, op(w, to_filters)), op(b, s)) if shift else conv(x, op(w, to_filters)),
                when=joined(per_channel, invariant(b, (0, *here)) if shift else None, STATED),
                tags=BACKWARD,
                cite="jia2019",
            )
            for op in (mul, truediv)
            for shift in (None, add, sub)
        ),
    ]


RULES = [
    *(
        rule(
            f"conv-common-{what}-{op.name}",
            op(*each),
            whole(op),
            when=fits & STATED,
            tags=BACKWARD,
            cite="jia2019",
        )
        for op in (add, sub)
        for what, each, whole, fits in (
            (
                "filters",
                (conv(x, w), conv(y, w)),
                lambda op: conv(op(x, y), w),
                SAME_IMAGES & alike(x, y, (1, 2, 3, 4)),
            ),
            (
                "images",
                (conv(x, w), conv(x, v)),
                lambda op: conv(x, op(w, v)),
                SAME_FILTERS & alike(w, v, (0, 1, 2, 3, 4)),
            ),
        )
    ),
    *(
        rule(
            f"join-of-convs-by-{what}",
            join_op(*each, axis=axis),
            whole,
            when=fits,
            tags=BACKWARD,
            cite="jia2019",
        )
        for what, each, axis, whole, fits in (
            (
                "channel",
                (conv(x, w), conv(x, v)),
                1,
                conv(x, join_op(w, v, axis=0)),
                SAME_FILTERS & ONE_GROUP,
            ),
            ("image", (conv(x, w), conv(y, w)), 0, conv(join_op(x, y, axis=0), w), SAME_IMAGES & STATED),
        )
    ),
    rule("neg-of-conv", neg(conv(x, w)), conv(x, neg(w)), tier="extends"),
    rule(
        "conv-of-joins",
        conv(join_op(x, y, axis=1), join_op(w, v, axis=1)),
        conv(x, w) + conv(y, v),
        when=computed(call("meets", 1, lengths(x), 1, lengths(w))) & ONE_GROUP,
        grows=True,
        tags=BACKWARD,
        cite="jia2019",
    ),
    *(one for spatial in AXES for one in scaled_rules(spatial)),
    rule(
        "conv-of-box",
        conv(x, w),
        pool_sum_op(
            x,
            window=call("box_window", groups, dilation, lengths(x), lengths(w)),
            strides=strides,
            pads=call("box_pads", border, lengths(w)),
            partial=Literal("object", False),
        )
        * value(w),
        when=uniform(w),
        tags=BACKWARD,
        cite="jia2019",
    ),
    rule(
        "conv-pointwise-rows",
        conv(x, w),
        moved(rows_dot(moved(x, 0, 2, 1), dimshuffle_op(w, pattern=Literal("move", (1, 0), 3))), 0, 2, 1),
        when=rank(x, 3) & invariant(w, (2,)) & ONE_GROUP & computed(call("pointwise", border, strides)),
        grows=True,
        tags=["backward", "optional"],
        cite="jia2019",
    ),
    rule(
        "conv-pointwise-widened",
        conv(x, w),
        conv(x, join_op(fill(w, 0), w, fill(w, 0), axis=2)),
        tier="extends",
        when=invariant(w, (2,)) & computed(call("half_border", border)),
        grows=True,
        tags=["backward", "optional"],
        cite="jia2019",
    ),
]
