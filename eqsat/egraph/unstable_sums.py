"""Marks of unstable e-nodes are carried over: of 1 - f to count - sum(f), which loses the same digits, and of f(x, y) to f(fill(m, x), y)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from itertools import product

from eqsat.graph.declare import OPS, Declaration

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


def unstable_fills(ops: Set[str], known: Set[str], priced_out: Callable[[Declaration], bool]) -> list[str]:
    """The rules that an unstable e-node of some elementwise ops stays unstable where an operand is filled into a shape."""
    if "fill" not in ops | known:
        return []
    among = [OPS[name] for name in sorted(ops if "fill" in known else ops | known) if name != "fill"]
    found = [d for d in among if not d.parameters and priced_out(d)]
    return [line for d in found for line in filled(d.name, len(d.tensors))]


def filled(name: str, count: int) -> Iterator[str]:
    """The rules for one op, one for each operand."""
    plain = [f"x{i}" for i in range(count)]
    for place in range(count):
        there = " ".join("y" if i == place else x for i, x in enumerate(plain))
        found = f"(unstable_{name} {' '.join(plain)}) (= y (o_fill m x{place})) (= e (o_{name} {there}))"
        yield f"(rule ({found}) ((unstable_{name} {there})) :ruleset facts)"
