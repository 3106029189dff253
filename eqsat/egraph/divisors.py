"""Which sums hold a term that is divided by what the sum is multiplied by, as ``p * (w / p - s)`` in gradients of log(p).

A small p makes the quotient overflow; the product with each term does not. By the ops that are declared to be linear,
``over(q, x)`` says that q is divided by x, and ``sum_over(q, x)`` that q is a sum, or multiple of one, that holds such a
term; rules (rules/divisors.py) move the product into it. Into products they need not: what is divided there leaves a
product by the rules on quotients, and factors that are grouped in all ways would be very many.
"""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.graph.declare import OPS, Declaration

SCHEMA = ["(relation over (T T))", "(relation sum_over (T T))"]
QUOTIENTS = {"truediv": "(o_truediv w {})", "reciprocal": "(o_reciprocal {})"}


def divisor_rules(ops: Iterable[str], known: Iterable[str]) -> list[str]:
    """The analysis for some ops beside known ones; none where nothing is divided or multiplied."""
    new, old = set(ops), set(known)
    if not _matter(new | old):
        return []
    fresh = new if _matter(old) else new | old
    quotients = sorted(QUOTIENTS.keys() & (new | old))
    lines = [over(QUOTIENTS[q].format("x"), "") for q in quotients if q in fresh]
    for name in sorted(fresh):
        lines += [*seeds(OPS[name], quotients), *passing_on(OPS[name])]
    return lines


def _matter(ops: set[str]) -> bool:
    return "mul" in ops and bool(QUOTIENTS.keys() & ops)


def over(quotient: str, more: str) -> str:
    """The rule that states of quotients that they are divided by x, where x is a factor of something and no number."""
    return f"(rule ((= q {quotient}) {more}(= m (o_mul x s)) (= n (varies x)) (< 0 n)) ((over q x)) :ruleset facts)"


def term(d: Declaration) -> str:
    """The op over the variables t_<tensor>, with its parameters."""
    return f"(o_{d.name} {' '.join('t_' + t for t in d.tensors)} {' '.join('p_' + p for p in d.parameters)})"


def seeds(d: Declaration, quotients: Iterable[str]) -> list[str]:
    """What is divided by elements that were picked from a tensor is divided by the tensor."""
    if d.kind == "elemwise" or d.elements != ("x",) or d.linear != "x":
        return []
    picked = f"(= y {term(d).replace(' t_x ', ' x ')}) "
    return [over(QUOTIENTS[q].format("y"), picked) for q in quotients]


def passing_on(d: Declaration) -> list[str]:
    """An op that is linear in an operand, and has its shape, is divided by what the operand is divided by."""
    written = d.elements == ("x", "y") and d.linear == "x y"
    if not written and (d.kind != "elemwise" or d.parameters):
        return []
    others = {"mul": {"x": "(!= t_y d) ", "y": "(!= t_x d) "}}.get(d.name, {})  # w, in x * (w / x)
    lines = []
    for group in map(str.split, d.linear.split(",")):
        for t in group:
            inside = f"{others.get(t, '')}(= e {term(d)})"
            sums = " (sum_over e d)" if len(group) > 1 else ""
            lines.append(f"(rule ((over t_{t} d) {inside}) ((over e d){sums}) :ruleset facts)")
            if not sums:
                lines.append(f"(rule ((sum_over t_{t} d) {inside}) ((sum_over e d)) :ruleset facts)")
    return lines
