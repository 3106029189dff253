"""A difference with a number that loses digits loses them in sums and means, too: where 1 - f is priced out, so is count - sum(f)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import product

from eqsat.graph.declare import OPS

DIFFERENCES = ("add", "sub")
NUMBERS: list[tuple[tuple[str, ...], str]] = [  # ops, and how they make a number n for all elements
    ((), "(= w (cval n))"),
    (("count",), "(= n (o_count z q))"),
    (("count", "neg"), "(= m (o_count z q)) (= n (o_neg m))"),
]


def unstable_sums(ops: Set[str], known: Set[str]) -> list[str]:
    """The rules that carry the mark of an unstable difference over sums, as far as these ops bring them."""
    here = ops | known
    sums = sorted(name for name in here if OPS[name].reduces == "add")
    pairs = product(sums, [name for name in DIFFERENCES if name in here])
    return [line for total, d in pairs for needs, line in carried(total, d) if needs <= here and needs & ops]


def carried(total: str, d: str) -> Iterator[tuple[set[str], str]]:
    """The rules for one reduction and one op, each with the ops that it is about: what is summed stands left or right."""
    for left in (True, False):
        marked = f"(unstable_{d} f c)" if left else f"(unstable_{d} c f)"
        found = f"{marked} (= v (cval c)) (= t (o_{total} f s))"
        for ops, number in NUMBERS:
            for result, there in forms(d, left):
                body = f"{found} {number} (= e (o_{result} {there}))"
                text = f"(rule ({body}) ((unstable_{result} {there})) :ruleset facts)"
                yield {total, d, result, *ops}, text
        mean = "m c" if left else "c m"
        body = f"{found} (= m (o_truediv t n)) (= e (o_{d} {mean}))"
        yield {total, d, "truediv"}, f"(rule ({body}) ((unstable_{d} {mean})) :ruleset facts)"


def forms(d: str, left: bool) -> list[tuple[str, str]]:
    """The ops by which a sum t and a number n become what the difference is summed: f - 1 is written f + -1."""
    same = (d, "t n" if left else "n t")
    return [same, ("sub", "t n")] if d == "add" else [same]
