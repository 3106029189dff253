"""The egglog side of counting: known lengths of axes, and how many elements a reduction joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.dtypes import CODE

EXTENT_SCHEMA = [
    "(relation in_extent (i64 i64 f64))",
    "(function extent (T i64) f64 :merge old)",  # length along one axis, given as a bit
    "(function total (T i64) f64 :merge old)",  # elements along some axes, where a reduction asks for them
]
COUNTED = ("sum", "count")


def extent_rows(variables: Sequence[Any]) -> list[tuple[int, int, float]]:
    """Rows of the known lengths, but for those of 1, which masks hold."""
    rows = []
    for k, v in enumerate(variables):
        for axis, n in enumerate(getattr(v.type, "shape", ())):
            if n is not None and n != 1:
                rows.append((k, 1 << axis, float(n)))
    return rows


def extent_rules(name: str) -> list[str]:
    """Rules for the number of elements that a sum or a count joins, over up to three axes of known lengths."""
    if name not in COUNTED:
        return []
    head = f"(= e (o_{name} x s)) (= m (mask x)) (= k (- s (& s m)))"
    products = {
        "(= 0 k)": "1.0",
        "(= u (extent x k))": "u",
        "(= u (extent x a)) (= v (extent x b)) (< a b) (= k (| a b))": "(* u v)",
        "(= u (extent x a)) (= v (extent x b)) (= w (extent x c)) (< a b) (< b c) (= k (| a (| b c)))": "(* u (* v w))",
    }
    lines = [f"(rule ({head} {find}) ((set (total x s) {n})) :ruleset facts)" for find, n in products.items()]
    if name == "count":
        lines.append("(rule ((= e (o_count x s)) (= n (total x s))) ((set (cval e) n)) :ruleset facts)")
    return lines


def known_lengths() -> list[str]:
    """Rules that a length is a known number, which new shapes ask for."""
    known = ("(= n (extent x (<< 1 k)))", "(= m (mask x)) (!= 0 (& m (<< 1 k))) (= n 1.0)")
    number = f"(Num n 0 {CODE['int64']} 0)"
    return [f"(rule ((= e (o_length x k)) {find}) ((union e {number})) :ruleset facts)" for find in known]
