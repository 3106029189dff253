"""One table for the facts that nearly every rule asks for: dtype, rank, axes of length 1, and whether a class varies.

egglog tries a rule anew for each table that it reads, whatever has changed, so a rule is the faster the fewer tables it reads.
The bits of a class only ever come to be set: where two classes merge, those of both are.
"""

from __future__ import annotations

MOST_AXES = 49  # of a class that rules may ask about
VARIES, DTYPE, NDIM = 50, 52, 57  # the lowest bits; below them the axes of length 1

SCHEMA = ["(function info (T) i64 :merge (| old new))"]

PARTS = {  # egglog text of each from the bits; a class varies by 0, 1 or 3, as `varies` of schema.py says
    "mask": f"(& {{0}} {(1 << VARIES) - 1})",
    "dtype": f"(& (>> {{0}} {DTYPE}) 31)",
    "ndim": f"(>> {{0}} {NDIM})",
    "varies": f"(* (- 1 (& (>> {{0}} {VARIES}) 1)) (^ (& (>> {{0}} {VARIES}) 3) 1))",
}

VARIED = 1 << VARIES  # set where a class does not vary
VALUED = 3 << VARIES  # some bit set where it does not vary or is divided by zero


def bits(dtype: str, ndim: str, mask: str, varies: str) -> str:
    """Egglog text of the bits that stand for some facts."""
    return f"(| (| {mask} (<< (^ {varies} 1) {VARIES})) (| (<< {dtype} {DTYPE}) (<< {ndim} {NDIM})))"


RULES = [
    f"(rule ((= d (dtype e)) (= n (ndim e)) (<= n {MOST_AXES}) (= m (mask e)) (= v (varies e))) "
    f"((set (info e) {bits('d', 'n', 'm', 'v')})) :ruleset facts)"
]
