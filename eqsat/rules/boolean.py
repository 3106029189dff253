"""Bits and truth values, comparisons joined, and comparisons of what was converted."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import and_, eq, fill, ge, gt, invert, le, lt, maximum, minimum, neq, or_, xor
from eqsat.rules.facts import differ, one_dtype, widens
from eqsat.rules.pattern import anything, bools, parameters
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
p, q, r = bools("p q r")
d = parameters("d")

RULES = [
    rule("and-not-self", and_(a, invert(a)), fill(a, 0), tier="exact"),
    rule("or-not-self", or_(p, invert(p)), fill(p, 1), tier="exact"),
    rule("xor-self", xor(a, a), fill(a, 0), tier="exact"),
    rule("xor-twice", xor(xor(a, b), b), a, tier="exact"),
    rule("not-of-xor-not", xor(invert(a), invert(b)), xor(a, b), tier="exact"),
    rule("or-and-not", or_(a, and_(invert(a), b)), or_(a, b), tier="exact"),
    rule("and-or-not", and_(a, or_(invert(a), b)), and_(a, b), tier="exact"),
    # comparisons
    rule("lt-or-eq", or_(lt(a, b), eq(a, b)), le(a, b), tier="exact"),
    rule("le-and-ge", and_(le(a, b), le(b, a)), eq(a, b), tier="exact"),
    rule("lt-and-gt", and_(lt(a, b), lt(b, a)), fill(lt(a, b), 0), tier="exact"),
    rule("le-and-neq", and_(le(a, b), neq(a, b)), lt(a, b), tier="exact"),
    rule("both-below", and_(lt(a, c), lt(b, c)), lt(maximum(a, b), c), tier="exact", when=differ(a, b)),
    rule("both-above", and_(lt(c, a), lt(c, b)), lt(c, minimum(a, b)), tier="exact", when=differ(a, b)),
    rule("both-at-most", and_(le(a, c), le(b, c)), le(maximum(a, b), c), tier="exact", when=differ(a, b)),
    rule("both-at-least", and_(le(c, a), le(c, b)), le(c, minimum(a, b)), tier="exact", when=differ(a, b)),
    # of masks, and of values that were converted to a dtype that holds them all
    rule("mask-is-set", neq(cast_op(p, dtype=d), 0), p, tier="exact"),
    rule("mask-is-positive", gt(cast_op(p, dtype=d), 0), p, tier="exact"),
    rule("mask-is-not-set", eq(cast_op(p, dtype=d), 0), invert(p), tier="exact"),
    rule("mask-is-one", eq(cast_op(p, dtype=d), 1), p, tier="exact"),
    *(
        rule(
            f"{op.name}-of-casts",
            op(cast_op(a, dtype=d), cast_op(b, dtype=d)),
            op(a, b),
            tier="exact",
            when=one_dtype(a, b) & widens(a, d),
        )
        for op in (lt, le, gt, ge, eq, neq)
    ),
    *(
        rule(
            f"{op.name}-of-widened",
            op(cast_op(a, dtype=d), cast_op(b, dtype=d)),
            cast_op(op(a, b), dtype=d),
            tier="exact",
            when=differ(a, b) & one_dtype(a, b) & widens(a, d),
        )
        for op in (maximum, minimum)
    ),
]
