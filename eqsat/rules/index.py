"""Parts of tensors: everything, parts of parts, parts of what is computed element by element."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    abs,
    add,
    exp,
    expm1,
    fill,
    log,
    log1p,
    maximum,
    minimum,
    mul,
    neg,
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
from eqsat.rules.pattern import Meta, ParameterCall, anything, bools, call, lengths, ones, parameters, places
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
t = bools("t")
i = places("i")
p, q, k, d = parameters("p q k d")

# filled: also of tensors filled with a number, whose parts would breed else
# replaces: the left side need not be looked at again, so that a part is pushed down once and not at each of its spellings
# push: only where it can pay, see egraph/part_schema.py
PUSH = ["push"]
UNARY = [abs, exp, expm1, log, log1p, neg, reciprocal, sigmoid, sign, softplus, sqr, sqrt, tanh]
BINARY = [add, mul, sub, truediv, maximum, minimum, pow, fill]


def here(x: Meta, *others: Meta) -> ParameterCall:
    """The part of x that meets the part p of a result to which x broadcasts along with others."""
    return call("narrowed", p, ones(x), _all(others))


def here_at(x: Meta, *others: Meta) -> ParameterCall:
    """The same where the bound that is known at run time is in it."""
    return call("narrowed_at", p, ones(x), _all(others))


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
