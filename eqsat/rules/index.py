"""Parts of tensors: everything, parts of parts, parts of what is computed element by element."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    abs,
    add,
    eq,
    exp,
    expm1,
    fill,
    ge,
    gt,
    le,
    log,
    log1p,
    lt,
    maximum,
    minimum,
    mul,
    neg,
    neq,
    pow,
    reciprocal,
    sigmoid,
    sign,
    softplus,
    sqr,
    sqrt,
    sub,
    switch,
    tanh,
    truediv,
)
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.shape import length_op
from eqsat.rules.facts import computed
from eqsat.rules.pattern import (
    Meta,
    ParameterCall,
    anything,
    bools,
    call,
    lengths,
    ones,
    parameters,
    places,
    value,
)
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
t = bools("t")
i, j, k1, k2 = places("i j k1 k2")
p, q, k, d = parameters("p q k d")

# filled: also of tensors filled with a number, whose parts would breed else
# replaces: the left side need not be looked at again, so that a part is pushed down once and not at each of its spellings
# push: only where it can pay, see egraph/part_schema.py
PUSH = ["push"]
LATER = [("two", "_at", (j,)), ("three", "_at_two", (j, k1)), ("four", "_at_three", (j, k1, k2))]
"""How many bounds come at run time, how calls on all but the first are named, and these bounds."""
KNOWN = [
    (f"{place + 1}-of-{count}", place, end, (i, j, k1, k2)[:count])
    for count, end in enumerate(("", "_at", "_at_two", "_at_three"), 1)
    for place in range(count)
]
"""Which of some bounds that come at run time is a number, how calls on the others are named, and all these bounds."""
UNARY = [abs, exp, expm1, log, log1p, neg, reciprocal, sigmoid, sign, softplus, sqr, sqrt, tanh]
BINARY = [add, mul, sub, truediv, maximum, minimum, pow, fill, eq, neq, lt, le, gt, ge]


def here(x: Meta, *others: Meta) -> ParameterCall:
    """The part of x that meets the part p of a result to which x broadcasts along with others."""
    return call("narrowed", p, ones(x), _all(others))


def here_at(x: Meta, *others: Meta) -> ParameterCall:
    """The same where the bound that is known at run time is in it."""
    return call("narrowed_at", p, ones(x), _all(others))


def within(x: Meta, *others: Meta) -> ParameterCall:
    """The same where the two bounds that are known at run time, those of one slice, are in it."""
    return call("narrowed_span_at_two", p, ones(x), _all(others))


def beside(x: Meta, *others: Meta) -> ParameterCall:
    """The same where x broadcasts along the axis of such a slice."""
    return call("narrowed_span", p, ones(x), _all(others))


def _all(others: tuple[Meta, ...]) -> ParameterCall:
    found = ones(others[0])
    for other in others[1:]:
        found = ParameterCall("&", (found, ones(other)))
    return found


RULES = [
    rule(
        "whole-part",
        part_op(a, pattern=p),
        a,
        tier="exact",
        tags=["filled", "replaces"],
        when=computed(call("whole", p, lengths(a))),
        cite="definition",
    ),
    rule(
        "part-of-part",
        part_op(part_op(a, pattern=p), pattern=q),
        part_op(a, pattern=call("part_of_part", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
        cite="definition",
    ),
    rule(
        "part-at-of-part",
        part_op(part_op(a, pattern=p), i, pattern=q),
        part_op(a, i, pattern=call("part_of_part_at", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
        cite="definition",
    ),
    rule(
        "part-of-part-at",
        part_op(part_op(a, i, pattern=p), pattern=q),
        part_op(a, i, pattern=call("part_of_part_at", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
        cite="definition",
    ),
    # a bound that has become a number stands in the pattern
    *(
        rule(
            f"part-bound-{name}-known",
            part_op(a, *bounds, pattern=p),
            part_op(
                a,
                *bounds[:place],
                *bounds[place + 1 :],
                pattern=call(f"with_bound{end}", p, place, value(bounds[place]), lengths(a)),
            ),
            tier="exact",
            tags=["filled"],
            cite="definition",
        )
        for name, place, end, bounds in KNOWN
    ),
    # of several bounds that come at run time, one is read first; what came of it is one part again
    *(
        rule(
            f"part-at-{count}-by-one",
            part_op(a, i, *others, pattern=p),
            part_op(
                part_op(a, i, pattern=call("first_place_at", p)),
                *others,
                pattern=call(f"other_places{end}", p),
            ),
            tier="exact",
            grows=False,
            cite="definition",
        )
        for count, end, others in LATER
    ),
    *(
        rule(
            f"part-at-{count}-at-once",
            part_op(part_op(a, i, pattern=p), *others, pattern=q),
            part_op(a, i, *others, pattern=call(f"part_in_order_at_{count}", p, q, lengths(a))),
            tier="exact",
            tags=["filled"],
            cite="definition",
        )
        for count, _, others in LATER[:2]
    ),
    rule(
        "part-at-two-in-turn",
        part_op(part_op(a, i, pattern=p), j, pattern=q),
        part_op(a, j, i, pattern=call("part_in_turn_at_two", p, q, lengths(a))),
        tier="exact",
        tags=["filled"],
        cite="definition",
    ),
    rule(
        "part-to-the-end",
        part_op(a, length_op(a, axis=k), pattern=p),
        part_op(a, pattern=call("end_dropped", p, k)),
        tier="exact",
        cite="definition",
    ),
    # element by element
    *(
        rule(
            f"part-of-{op.name}",
            part_op(op(a), pattern=p),
            op(part_op(a, pattern=p)),
            tier="exact",
            tags=PUSH,
            grows=True,
            cite="definition",
        )
        for op in UNARY
    ),
    *(
        rule(
            f"part-at-of-{op.name}",
            part_op(op(a), i, pattern=p),
            op(part_op(a, i, pattern=p)),
            tier="exact",
            tags=PUSH,
            grows=True,
            cite="definition",
        )
        for op in UNARY
    ),
    *(
        rule(
            f"part-between-of-{op.name}",
            part_op(op(a), i, j, pattern=p),
            op(part_op(a, i, j, pattern=within(a, a))),
            tier="exact",
            tags=PUSH,
            grows=True,
            cite="definition",
        )
        for op in UNARY
    ),
    rule(
        "part-of-cast",
        part_op(cast_op(a, dtype=d), pattern=p),
        cast_op(part_op(a, pattern=p), dtype=d),
        tier="exact",
        tags=PUSH,
        grows=True,
        cite="definition",
    ),
    rule(
        "part-at-of-cast",
        part_op(cast_op(a, dtype=d), i, pattern=p),
        cast_op(part_op(a, i, pattern=p), dtype=d),
        tier="exact",
        tags=PUSH,
        grows=True,
        cite="definition",
    ),
    *(
        rule(
            f"part-of-{op.name}",
            part_op(op(a, b), pattern=p),
            op(part_op(a, pattern=here(a, b)), part_op(b, pattern=here(b, a))),
            tier="exact",
            tags=PUSH,
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"part-at-of-{op.name}",
            part_op(op(a, b), i, pattern=p),
            op(part_op(a, i, pattern=here_at(a, b)), part_op(b, i, pattern=here_at(b, a))),
            tier="exact",
            tags=PUSH,
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"part-at-of-{op.name}-left",
            part_op(op(a, b), i, pattern=p),
            op(part_op(a, i, pattern=here_at(a, b)), part_op(b, pattern=here(b, a))),
            tier="exact",
            tags=PUSH,
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"part-at-of-{op.name}-right",
            part_op(op(a, b), i, pattern=p),
            op(part_op(a, pattern=here(a, b)), part_op(b, i, pattern=here_at(b, a))),
            tier="exact",
            tags=PUSH,
            cite="definition",
        )
        for op in BINARY
        if not op.declaration.commutative
    ),
    *(
        rule(
            f"part-between-of-{op.name}{end}",
            part_op(op(a, b), i, j, pattern=p),
            op(left, right),
            tier="exact",
            tags=PUSH,
            cite="definition",
        )
        for op in BINARY
        for end, left, right in (
            ("", part_op(a, i, j, pattern=within(a, b)), part_op(b, i, j, pattern=within(b, a))),
            ("-left", part_op(a, i, j, pattern=within(a, b)), part_op(b, pattern=beside(b, a))),
            ("-right", part_op(a, pattern=beside(a, b)), part_op(b, i, j, pattern=within(b, a))),
        )
        if end != "-right" or not op.declaration.commutative
    ),
    rule(
        "part-of-switch",
        part_op(switch(t, a, b), pattern=p),
        switch(
            part_op(t, pattern=here(t, a, b)),
            part_op(a, pattern=here(a, t, b)),
            part_op(b, pattern=here(b, t, a)),
        ),
        tier="exact",
        tags=PUSH,
        cite="definition",
    ),
]
