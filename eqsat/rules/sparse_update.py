"""Sparse updates: what is done to zeros with some rows added is done to the rows alone, and added where the sum goes."""

from typing import Any

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import add, neg, sub
from eqsat.graph.ops.gather import scatter_op
from eqsat.graph.ops.rows import add_rows
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import covers, one_element, widens, zero
from eqsat.rules.pattern import indices, parameters, reals
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import joined

w, c, a, b, x, y, z = reals("w c a b x y z")
i, j = indices("i j")
t, g = parameters("t g")
BACKWARD = ["backward"]
before = add_rows(x, b, z, j)  # the gradient where x was picked from twice
ZEROS = zero(z)
ROUNDS: dict[str, Any] = {"tags": BACKWARD, "cite": "higham2002"}
LINEAR: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("mul", lambda v: c * v, ROUNDS),
    ("div", lambda v: v / c, ROUNDS),
    ("neg", neg, {}),
)


def rows(base: Any, factor: Any = a) -> Any:
    """Multiples of y added to some rows; with zeros for the base, the gradient of x[i] for x."""
    return add_rows(base, factor, y, i)


def elements(base: Any, added: Any, at: tuple[Any, ...]) -> Any:
    """Elements with something added; with zeros for the base, the gradient of picked ones."""
    return scatter_op(base, added, *at, pattern=g, add=1)


RULES = [
    # covers: where a sum broadcasts, what is written to before it is not what is written to after it
    *(
        rule(
            f"{name}-{word}",
            left(w, elements(z, y, at)),
            right(w, y, at),
            when=ZEROS & covers(z, ALL_AXES) & covers(w, ALL_AXES),
            **ROUNDS,
        )
        for word, at in (("elements", (i,)), ("pairs", (i, j)))
        for name, left, right in (
            ("add-of", add, elements),
            ("sub-of", sub, lambda w, y, at: elements(w, neg(y), at)),
            ("taken-from", lambda w, v: sub(v, w), lambda w, y, at: elements(neg(w), y, at)),
        )
    ),
    *(
        rule(
            f"{op.name}-of-{held}",
            op(w, rows(base)),
            rows(new, a if op is add else neg(a)),
            when=fits,
            grows=base is before or None,
            **ROUNDS,
        )
        for op in (add, sub)
        for held, base, new, fits in (
            ("rows", z, w, ZEROS & covers(z, ALL_AXES) & covers(w, ALL_AXES)),
            ("chain", before, op(w, before), covers(x, ALL_AXES)),
        )
    ),
    *(
        rule(
            f"{word}-of-{held}",
            linear(rows(base)),
            rows(z if zeros is not None else linear(base), linear(a)),
            tier="extends",
            when=joined(zeros, None if linear is neg else one_element(c)),
            grows=zeros is None,
            **options,
        )
        for word, linear, options in LINEAR
        for held, base, zeros in (("rows", z, ZEROS), ("chain", before, None))
    ),
    rule(
        "widen-rows",
        cast_op(rows(z), dtype=t),
        add_rows(cast_op(z, dtype=t), cast_op(a, dtype=t), cast_op(y, dtype=t), i),
        when=widens(z, t),
        grows=False,
        **ROUNDS,
    ),
]
