"""Divisors: sums with a term that is divided by a factor of the sum, as ``p * (w / p - s)`` in gradients of log(p).

A small p makes the quotient overflow; the product with each term does not. By the ops that are declared to be linear,
``over(q, x)`` says that q is divided by x, and ``sum_over(q, x)`` that q is a sum, or multiple of one, that holds such a
term; rules (rules/divisors.py) move the product into it. Into products they need not: what is divided there leaves a
product by the rules on quotients, and factors that are grouped in all ways would be very many.

Both are looked at where they are of use: in what stands ``beside`` a divisor in a product, down to its terms. A filter of n
steps has n sums with up to n terms and n divisors, all pairs of which would be more than the rest of its e-graph.

Where a class has a form that is ``free`` of a divisor, nothing is gained: ``1 - s`` also is ``(1 / s - 1) * s``, and products
with s would go into it without end. So a rule asks that no form is (``pole`` is 1); what can be free is looked at only of
the values and divisors that are ``asked`` for.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from eqsat.egraph.packed import TESTS
from eqsat.graph.declare import OPS, Declaration

SCHEMA = [
    "(relation divisor (T))",
    "(relation beside (T T))",  # a factor or what it is a sum of, and the divisor that is the other factor
    "(relation over (T T))",
    "(relation sum_over (T T))",
    "(relation asked (T T))",  # a value, and what it may be free of
    "(relation free (T T))",
    "(function apart (T T) i64 :merge (min old new))",  # 0 for a divisor that has elements of something
    "(function pole (T T) i64 :merge (min old new))",  # 0 for a value that is free of a divisor
]
QUOTIENTS = {"truediv": "(o_truediv w {})", "reciprocal": "(o_reciprocal {})"}


def divisor_rules(ops: Iterable[str], known: Iterable[str]) -> list[str]:
    """The analysis for some ops beside known ones; none where nothing is divided or multiplied."""
    new, old = set(ops), set(known)
    if not _matter(new | old):
        return []
    fresh = new if _matter(old) else new | old
    quotients = sorted(QUOTIENTS.keys() & (new | old))
    lines = [line for q in quotients if q in fresh for line in over(QUOTIENTS[q].format("x"), "")]
    lines += [shown_by(q) for q in quotients if q in fresh] + ([] if _matter(old) else FIRST)
    for name in sorted(fresh):
        d = OPS[name]
        lines += [*seeds(d, quotients), *taken(d, quotients), *passing_on(d), *freed(d)]
    return lines


def _matter(ops: set[str]) -> bool:
    return "mul" in ops and bool(QUOTIENTS.keys() & ops)


def fact_rule(body: str, head: str) -> str:
    """A rule of the analysis."""
    return f"(rule ({body}) ({head}) :ruleset facts)"


def over(quotient: str, more: str) -> list[str]:
    """The rules that state of quotients that they are divided by x, which is no number, where they stand beside it."""
    found = f"{more}(= q {quotient})"
    return [
        fact_rule(f"{found} (= i (info x)) {TESTS['varies'].format('i')}", "(divisor x)"),
        fact_rule(f"{found} (beside q x)", "(over q x)"),
    ]


def shown_by(quotient: str) -> str:
    """The rule that a quotient by elements of two values is free of neither."""
    found = f"(asked q d) (= q {QUOTIENTS[quotient].format('y')}) (shown y a b)"
    return fact_rule(found, "(set (apart y a) 0) (set (apart y b) 0)")


def term(d: Declaration) -> str:
    """The op over the variables t_<tensor>, with its parameters."""
    return f"(o_{d.name} {' '.join('t_' + t for t in d.tensors)} {' '.join('p_' + p for p in d.parameters)})"


FREE = ("(Leaf k)", "(Num v t n m)", "(Arr k)", "(App k l)")
FIRST = [
    fact_rule("(divisor x) (= m (o_mul x s))", "(beside s x)"),
    fact_rule("(over e d)", "(asked e d)"),
    fact_rule("(sum_over e d)", "(asked e d)"),
    fact_rule("(asked e d)", "(set (pole e d) 1)"),
    fact_rule("(free e d)", "(set (pole e d) 0)"),
    *(fact_rule(f"(asked e d) (= e {node})", "(free e d)") for node in FREE),
]


def taken(d: Declaration, quotients: Iterable[str]) -> list[str]:
    """A quotient by what shows elements of x is not free of x; ``shown`` says so of most ops."""
    if len(d.shows()) <= 2 and not d.elements_if:
        return []
    return [
        fact_rule(
            f"(asked q t_{t}) (= q {QUOTIENTS[q].format('y')}) (= y {term(d)})", f"(set (apart y t_{t}) 0)"
        )
        for t in d.shows()
        for q in quotients
    ]


def freed(d: Declaration) -> list[str]:
    """The forms of a value that are free of a divisor: they have a value where it is zero, and do not overflow near zero.

    An op that is linear is free where its operands are, and a bounded one always; others may overflow where a quotient does,
    as ``exp(-x)`` does where ``1 / exp(x)`` does.
    """
    group = d.linear.replace(",", " ").split() if passes(d) else []
    by = d.poles if d.name in QUOTIENTS else ()
    form = " ".join([f"(asked e d) (= e {term(d)})", *(f"(!= t_{t} d)" for t in by)])
    if not group and not by:
        bounded = d.image is not None and isfinite(d.image[0]) and isfinite(d.image[1])
        return [fact_rule(form, "(free e d)")] if bounded else []
    asked = [*(f"(asked t_{t} d)" for t in group), *(f"(set (apart t_{t} d) 1)" for t in by)]
    found = [*(f"(free t_{t} d)" for t in group), *(f"(= 1 (apart t_{t} d))" for t in by)]
    return [fact_rule(form, " ".join(asked)), fact_rule(" ".join([form, *found]), "(free e d)")]


def passes(d: Declaration) -> bool:
    """True for an op that is linear in operands of its own shape."""
    return (d.elements == ("x", "y") and d.linear == "x y") or (d.kind == "elemwise" and not d.parameters)


def seeds(d: Declaration, quotients: Iterable[str]) -> list[str]:
    """The rules that start the analysis: a division by elements that were picked from a tensor is one by the tensor."""
    if d.kind == "elemwise" or d.elements != ("x",) or d.linear != "x":
        return []
    picked = f"(= y {term(d).replace(' t_x ', ' x ')}) "
    return [line for q in quotients for line in over(QUOTIENTS[q].format("y"), picked)]


def passing_on(d: Declaration) -> list[str]:
    """An op that is linear in an operand, and has its shape, is divided by what the operand is divided by."""
    if not passes(d):
        return []
    others = {"mul": {"x": "(!= t_y d) ", "y": "(!= t_x d) "}}.get(d.name, {})  # w, in x * (w / x)
    lines = []
    for group in map(str.split, d.linear.split(",")):
        for t in group:
            inside = f"{others.get(t, '')}(beside e d) (= e {term(d)})"
            sums = " (sum_over e d)" if len(group) > 1 else ""
            lines += [fact_rule(inside, f"(beside t_{t} d)")]
            lines += [fact_rule(f"(over t_{t} d) {inside}", f"(over e d){sums}")]
            lines += [] if sums else [fact_rule(f"(sum_over t_{t} d) {inside}", "(sum_over e d)")]
    return lines
