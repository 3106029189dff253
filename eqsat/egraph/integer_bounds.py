"""Bounds of integers: they wrap, but for those that are known to be small, as lengths and sums of lengths are."""

from __future__ import annotations

from eqsat.egraph.infix import prefix
from eqsat.egraph.packed import PARTS
from eqsat.graph.declare import Declaration
from eqsat.graph.dtypes import CODE

LARGEST_EXACT = 2.0**53  # to which integers are numbers of an e-graph


def is_arithmetic(text: str) -> bool:
    """True for a bound that integers may leave by wrapping."""
    return text.startswith("(") and text.split()[0] not in ("(min", "(max")


def small_integers(d: Declaration, term: str) -> list[str]:
    """The rule for both bounds of a result of small integers, which cannot wrap."""
    bounds = {which: prefix(text) for which, text in d.interval}
    if len(d.interval) != 2 or set(bounds) != {"lo", "hi"} or not all(map(is_arithmetic, bounds.values())):
        return []
    finds = " ".join(f"(= {k}_{t} ({k} t_{t}))" for t in d.tensors for k in bounds)
    inside = f"(>= v {-LARGEST_EXACT}) (<= w {LARGEST_EXACT})"
    kind = f"(= i (info e)) (= {CODE['int64']} {PARTS['dtype'].format('i')})"
    return [
        f"(rule ((= e {term}) {finds} (= v {bounds['lo']}) (= w {bounds['hi']}) {inside} {kind}) "
        "((set (lo e) v) (set (hi e) w)) :ruleset facts)"
    ]
