"""Products of one tensor by several weights for which joining the weights may pay: rows for the e-graph.

The product by joined weights reads the shared operand once, and joining reads and writes every weight. So it pays where
the shared operand has many more rows than the weights have columns, and where all weights are constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eqsat.base.configuration import config
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import length_op

MOST_SHARED = 4  # products with one operand; of more of them there are too many pairs
MAKES = {part_op.form(2).name, length_op.name, join_op.form(2).name, join_op.form(3).name}

SCHEMA = [
    "(relation shared_left (T))",
    "(relation shared_right (T))",
    "(function weight (T) i64 :merge (min old new))",
    "(relation in_shared_left (i64))",
    "(relation in_shared_right (i64))",
    "(relation in_weight (i64))",
]
RULES = [
    "(rule ((in_shared_left k) (= x (node k))) ((shared_left x)) :ruleset load)",
    "(rule ((in_shared_right k) (= x (node k))) ((shared_right x)) :ruleset load)",
    "(rule ((in_weight k) (= x (node k))) ((set (weight x) k)) :ruleset load)",
]


def shared_rows(nodes: Iterable[Apply], number: Mapping[Variable, int]) -> dict[str, list[tuple[int, ...]]]:
    """The shared operands and the weights of a graph."""
    tables: dict[str, list[tuple[int, ...]]] = {}
    products = [n for n in nodes if getattr(n.op, "name", None) == "dot"]
    for side, name in ((0, "in_shared_left"), (1, "in_shared_right")):
        for group in grouped(products, side):
            weights = list(dict.fromkeys(n.inputs[1 - side] for n in group))
            if 2 <= len(weights) <= MOST_SHARED and pays(group[0].inputs[side], weights, side):
                tables.setdefault(name, []).append((number[group[0].inputs[side]],))
                tables.setdefault("in_weight", []).extend((number[w],) for w in weights)
    return {name: list(dict.fromkeys(rows)) for name, rows in tables.items()}


def grouped(products: Sequence[Apply], side: int) -> list[list[Apply]]:
    """Products by weights with one operand; the moves of axes that make a matrix of a vector are compared."""
    found: dict[Any, list[Apply]] = {}
    for n in products:
        operand = n.inputs[side]
        if n.inputs[1 - side].owner is None:
            moved = operand.owner is not None and getattr(operand.owner.op, "name", "") == "dimshuffle"
            key = (operand.owner.op, operand.owner.inputs[0]) if moved and operand.owner else operand
            found.setdefault(key, []).append(n)
    return list(found.values())


def pays(shared: Any, weights: Sequence[Any], side: int) -> bool:
    """True where joining the weights could cost less than reading the shared operand again."""
    if all(isinstance(w, Constant) for w in weights):
        return True
    length = [config.default_length if n is None else n for n in (shared.type.shape[side], *(w.type.shape[1 - side] for w in weights))]  # fmt: skip
    return length[0] * (len(weights) - 1) > 2 * sum(length[1:])
