"""Bits and truth values: what differs, what is turned round, and what is both."""

from eqsat.graph.ops.elemwise import abs, and_, eq, fill, invert, neg, neq, or_, xor
from eqsat.rules.pattern import anything, bools, integers
from eqsat.rules.rule import rule

a, b = anything("a b")
p, q = bools("p q")
i = integers("i")

RULES = [
    rule(name, left, right, tier="exact")
    for name, left, right in (
        ("not-of-xor-not", xor(invert(a), invert(b)), xor(a, b)),
        ("not-of-xor", invert(xor(a, b)), xor(a, invert(b))),
        ("xor-of-itself", xor(a, a), fill(a, 0)),
        ("and-with-not", and_(a, invert(a)), fill(a, 0)),
        ("or-with-xor", or_(a, xor(a, b)), or_(a, b)),
        ("and-with-xor", and_(a, xor(a, b)), and_(a, invert(b))),
        ("xor-with-and", xor(a, and_(a, b)), and_(a, invert(b))),
        ("xor-with-or", xor(a, or_(a, b)), and_(b, invert(a))),
        ("not-of-and-not", invert(and_(a, invert(b))), or_(b, invert(a))),
        ("not-of-or-not", invert(or_(a, invert(b))), and_(b, invert(a))),
        ("or-with-not", or_(a, invert(a)), invert(fill(a, 0))),
        ("xor-with-not", xor(a, invert(a)), invert(fill(a, 0))),
        ("xor-with-true", xor(p, 1), invert(p)),
        ("xor-with-all-bits", xor(i, -1), invert(i)),
        # of truth values, which are equal or differ
        ("differ-as-xor", neq(p, q), xor(p, q)),
        ("equal-as-xor", eq(p, q), invert(xor(p, q))),
        ("not-as-eq", invert(xor(p, q)), eq(p, q)),
        ("xor-with-not-of-other", xor(p, invert(q)), eq(p, q)),
        ("size-of-size", abs(abs(i)), abs(i)),
        # of integers, whose complement is one less than their negative
        ("neg-of-not", neg(invert(i)), i + 1),
        ("not-of-neg", invert(neg(i)), i - 1),
        ("not-of-one-less", invert(i - 1), neg(i)),
        ("not-of-less-one", invert(i + (-1)), neg(i)),
        ("not-plus-one", invert(i) + 1, neg(i)),
        ("not-from-minus-one", -1 - i, invert(i)),
        ("not-from-negative", neg(i) - 1, invert(i)),
        ("not-from-negative-and-number", neg(i) + (-1), invert(i)),
        ("with-its-not", i + invert(i), invert(fill(i, 0))),
    )
]
