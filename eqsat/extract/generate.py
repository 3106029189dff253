"""Made-up e-graphs of known structure and any size, for benchmarks and tests of extractors."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from eqsat.extract.problem import Problem


class _Made:
    """E-nodes as they are added."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.node_class: list[int] = []
        self.children: list[tuple[int, ...]] = []
        self.cost: list[float] = []
        self.count = 0

    def new_class(self) -> int:
        self.count += 1
        return self.count - 1

    def add(self, cls: int, cost: float, *children: int) -> None:
        self.node_class.append(cls)
        self.children.append(children)
        self.cost.append(cost)

    def near(self, cls: int, reach: int) -> int:
        """A class not far below."""
        return max(0, cls - 1 - int(self.dice.expovariate(1 / reach)))

    def problem(self, roots: list[int]) -> Problem:
        return Problem(self.node_class, self.children, self.cost, roots, self.count)


def expressions(nodes: int, seed: int = 0, roots: int = 8) -> Problem:
    """Sums and products under commutativity, associativity and distribution: unit costs, cycles, much sharing."""
    made = _Made(seed)
    dice = made.dice
    while len(made.cost) < 0.3 * nodes:
        cls = made.new_class()
        if cls < 20:
            made.add(cls, 1.0)
        else:
            made.add(cls, 1.0, made.near(cls, 30), made.near(cls, 300))
    while len(made.cost) < nodes:
        cls = (
            min(int(dice.paretovariate(0.7)) + 19, made.count - 1)
            if dice.random() < 0.5
            else dice.randrange(made.count)
        )
        a, b = (dice.randrange(max(0, cls - 40), min(made.count, cls + 20)) for _ in range(2))
        made.add(cls, 1.0, a, b)
        if dice.random() < 0.4:
            made.add(cls, 1.0, b, a)
        if dice.random() < 0.3:
            between = made.new_class()
            made.add(between, 1.0, a, made.near(cls, 100))
            made.add(cls, 1.0, between)
    return made.problem([dice.randrange(made.count // 2) for _ in range(roots)])


def tensors(nodes: int, seed: int = 0) -> Problem:
    """A deep network: products that share an operand can be one wide product and parts of it, which cost little."""
    made = _Made(seed)
    dice = made.dice
    weights = [made.new_class() for _ in range(10)]
    for weight in weights:
        made.add(weight, 0.0)
    values = [made.new_class()]
    made.add(values[0], 0.0)
    while len(made.cost) < nodes:
        source = values[-1] if dice.random() < 0.7 else dice.choice(values[-8:])
        heads = []
        for _ in range(dice.randint(2, 5)):
            weight, head = made.new_class(), made.new_class()
            made.add(weight, 0.0)
            made.add(head, dice.uniform(0.008, 0.012), source, weight)
            heads.append((head, weight))
        _merge(made, source, heads)
        total = heads[0][0]
        for head, _ in heads[1:]:
            after = made.new_class()
            made.add(after, dice.uniform(0.001, 0.002), total, head)
            made.add(after, dice.uniform(0.001, 0.002), head, total)
            total = after
        values.append(total)
    return made.problem([values[-1]])


def _merge(made: _Made, source: int, heads: list[tuple[int, int]]) -> None:
    """Every pair of heads as halves of one product with joined weights; the whole is its halves joined again."""
    for i, (first, left) in enumerate(heads):
        for second, right in heads[:i]:
            joined, whole = made.new_class(), made.new_class()
            made.add(joined, 0.0, left, right)
            made.add(whole, made.dice.uniform(0.009, 0.019), source, joined)
            made.add(whole, made.dice.uniform(0.0, 0.004), first, second)
            pair = made.new_class()
            made.add(pair, made.dice.uniform(0.0, 0.001), whole)
            made.add(first, 0.0, pair)
            made.add(second, 0.0, pair)
            made.add(left, 0.0, joined)
            made.add(right, 0.0, joined)


def circuits(nodes: int, seed: int = 0) -> Problem:
    """Sums of shifted constants: each product by a constant is a sum of two others, and all share partial sums."""
    made = _Made(seed)
    dice = made.dice
    number: dict[int, int] = {1: made.new_class()}
    made.add(number[1], 16.0)
    wanted = sorted(dice.sample(range(3, max(64, nodes // 6), 2), min(12, nodes // 40)))
    stack = list(wanted)
    while stack and len(made.cost) < nodes:
        value = stack.pop(0)
        cls = number.setdefault(value, made.count)
        if cls == made.count:
            made.new_class()
        for _ in range(6):
            shift = dice.randrange(1, 6)
            other = dice.randrange(1, max(2, value), 2)
            rest = abs(value - (other << shift))
            for part in (other, rest):
                if part and part not in number:
                    number[part] = made.new_class()
                    stack.append(part)
            if rest:
                made.add(cls, float(8 * value.bit_length() + dice.randrange(20)), number[other], number[rest])
        made.add(cls, 60.0 * value.bit_count() + 50, number[1])
    built = set(made.node_class)
    for value, cls in number.items():
        if cls not in built:
            made.add(cls, 60.0 * value.bit_count() + 50, number[1])
    return made.problem([number[value] for value in wanted])


def covers(nodes: int, seed: int = 0) -> Problem:
    """Set covers: each of many roots can be had from any of a few parts."""
    made = _Made(seed)
    parts = [made.new_class() for _ in range(max(4, nodes // 12))]
    for part in parts:
        made.add(part, float(made.dice.randint(3, 9)))
    roots = []
    while len(made.cost) < nodes:
        roots.append(made.new_class())
        for part in made.dice.sample(parts, 4):
            made.add(roots[-1], 0.0, part)
    return made.problem(roots)


KINDS: dict[str, Callable[[int, int], Problem]] = {
    "expressions": expressions,
    "tensors": tensors,
    "circuits": circuits,
    "covers": covers,
}
"""Kinds of e-graphs: functions of the number of e-nodes, about, and a seed.

>>> KINDS["tensors"](500, 1).roots == KINDS["tensors"](500, 1).roots
True
"""
