"""Sparse updates: what is done to zeros with some rows added is done to the rows alone, and added where the sum goes."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import neg
from eqsat.graph.ops.rows import add_rows
from eqsat.rules.facts import covers, one_element, widens, zero
from eqsat.rules.pattern import ALL_AXES, indices, parameters, reals
from eqsat.rules.rule import rule

w, c, a, b, x, y, z = reals("w c a b x y z")
i, j = indices("i j")
t = parameters("t")
BACKWARD = ["backward"]
sparse = add_rows(z, a, y, i)  # with zero(z): a times the gradient of x[i] for x
before = add_rows(x, b, z, j)
chain = add_rows(before, a, y, i)  # the gradient where x was picked from twice

RULES = [
    # covers: where a sum broadcasts, the rows before it are not the rows after it
    *(
        rule(
            name,
            left,
            right,
            when=zero(z) & covers(z, ALL_AXES) & covers(w, ALL_AXES),
            tags=BACKWARD,
            cite="higham2002",
        )
        for name, left, right in [
            ("add-of-rows", w + sparse, add_rows(w, a, y, i)),
            ("sub-of-rows", w - sparse, add_rows(w, neg(a), y, i)),
        ]
    ),
    *(
        rule(
            name,
            left,
            right,
            tier="extends",
            when=zero(z) & one_element(c),
            grows=False,
            tags=BACKWARD,
            cite="higham2002",
        )
        for name, left, right in [
            ("mul-of-rows", c * sparse, add_rows(z, c * a, y, i)),
            ("div-of-rows", sparse / c, add_rows(z, a / c, y, i)),
        ]
    ),
    rule("neg-of-rows", neg(sparse), add_rows(z, neg(a), y, i), tier="extends", when=zero(z), grows=False),
    rule(
        "widen-rows",
        cast_op(sparse, dtype=t),
        add_rows(cast_op(z, dtype=t), cast_op(a, dtype=t), cast_op(y, dtype=t), i),
        when=widens(z, t),
        grows=False,
        tags=BACKWARD,
        cite="higham2002",
    ),
    *(
        rule(name, left, right, when=covers(x, ALL_AXES), grows=True, tags=BACKWARD, cite="higham2002")
        for name, left, right in [
            ("add-of-chain", w + chain, add_rows(w + before, a, y, i)),
            ("sub-of-chain", w - chain, add_rows(w - before, neg(a), y, i)),
        ]
    ),
    *(
        rule(
            name,
            left,
            right,
            tier="extends",
            when=one_element(c),
            grows=True,
            tags=BACKWARD,
            cite="higham2002",
        )
        for name, left, right in [
            ("mul-of-chain", c * chain, add_rows(c * before, c * a, y, i)),
            ("div-of-chain", chain / c, add_rows(before / c, a / c, y, i)),
        ]
    ),
    rule("neg-of-chain", neg(chain), add_rows(neg(before), neg(a), y, i), tier="extends", grows=True),
]
