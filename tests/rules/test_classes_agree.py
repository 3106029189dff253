"""Everything in a class has one value: all e-nodes of saturated random graphs are computed and compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.saturate import APP, ARR, LEAF, NUM, Saturated, number_value, saturate
from eqsat.egraph.scheduler import Budget
from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.walk import toposort
from eqsat.rules.pattern import reals
from eqsat.rules.rule import default_rules, rule

UNARY = [
    T.exp,
    T.log,
    T.neg,
    T.sqr,
    T.sqrt,
    T.abs,
    T.sigmoid,
    T.tanh,
    T.softplus,
    T.log1p,
    T.expm1,
    T.reciprocal,
    T.sign,
]
BINARY = [T.add, T.sub, T.mul, T.truediv, T.maximum, T.minimum]
NUMBERS = [0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 10.0]


def grow(rng: random.Random, leaves: Sequence[Any], size: int) -> Any:
    """A random expression of matrices."""
    items = list(leaves)
    for _ in range(size):
        kind = rng.random()
        a, b = rng.choice(items[-6:]), rng.choice(items[-6:])
        if kind < 0.25:
            made = rng.choice(UNARY)(a)
        elif kind < 0.55:
            made = rng.choice(BINARY)(a, b)
        elif kind < 0.72:
            pair = (a, rng.choice(NUMBERS)) if rng.random() < 0.6 else (rng.choice(NUMBERS), a)
            made = (
                rng.choice([*BINARY, T.pow])(*pair)
                if rng.random() < 0.8
                else T.pow(a, rng.choice([2.0, 3.0, 0.5, -1.0]))
            )
        elif kind < 0.82:
            axis = rng.choice([0, 1, None])
            made = rng.choice([T.sum, T.max, T.min, T.mean, T.logsumexp])(a, axis=axis, keepdims=True)
            made = a - made if rng.random() < 0.5 else made + a
        elif kind < 0.88:
            made = rng.choice([T.softmax, T.log_softmax])(a, axis=rng.choice([0, 1]))
        elif kind < 0.94:
            made = T.dot(a, b)
        else:
            made = T.switch(a > b, a, b) if rng.random() < 0.5 else T.transpose(a)
        items.append(made)
    return items[-1]


def class_values(
    encoded: Encoded, saturated: Saturated, data: dict[Any, Any]
) -> dict[int, list[tuple[str, Any]]]:
    """Every value that the e-nodes of each class give, children taken from the first that was found."""
    values: dict[int, list[tuple[str, Any]]] = {}
    waiting = list(saturated.enodes)
    while waiting:
        rest = []
        for e in waiting:
            if e.op == APP:
                continue
            if any(c not in values for c in e.children):
                rest.append(e)
                continue
            found = value(e, encoded, [values[c][0][1] for c in e.children], data)
            values.setdefault(e.cls, []).append((f"{e.op}{e.params}{e.children}", found))
        if len(rest) == len(waiting):
            break
        waiting = rest
    return values


def value(e: Any, encoded: Encoded, children: list[Any], data: dict[Any, Any]) -> Any:
    """What one e-node computes."""
    if e.op == LEAF:
        return data[encoded.leaves[e.params[0]]]
    if e.op == NUM:
        return number_value(e.params)
    if e.op == ARR:
        _, dtype, shape, text = encoded.codes.values[e.params[0]]  # type: ignore[misc]
        return np.frombuffer(text, dtype).reshape(shape)
    kinds = OPS[e.op].parameters.values()
    return np.asarray(
        find_op(e.op, tuple(k.decode(p, encoded.codes) for k, p in zip(kinds, e.params))).compute(*children)
    )


def disagreement(values: dict[int, list[tuple[str, Any]]], precision: float) -> str | None:
    """Two e-nodes of a class that differ where both are finite."""
    for cls, found in values.items():
        name, first = found[0]
        for other, v in found[1:]:
            if v.shape != first.shape or v.dtype != first.dtype:
                return f"class {cls}: {name} is {first.dtype}{first.shape}, {other} is {v.dtype}{v.shape}"
            if v.size == 0 or v.dtype.kind != "f":
                continue
            good = np.isfinite(v) & np.isfinite(first)
            room = precision * (np.max(np.abs(first[good]), initial=0.0) + 1e-3)
            if np.any(np.abs(np.where(good, v - first, 0)) > room):
                return f"class {cls}: {name} is {first.tolist()}, {other} is {v.tolist()}"
    return None


def check(output: Any, rules: Any, seed: int) -> str | None:
    encoded = encode([output])
    saturated = saturate(encoded, rules, Budget(3000, 5000, 2.0))
    rng = np.random.default_rng(seed)
    leaves = [v for v in encoded.leaves if not isinstance(v, Constant)]
    data = {v: rng.normal(size=(3, 3)) for v in leaves}
    return disagreement(class_values(encoded, saturated, data), 1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_classes_agree(seed: int) -> None:
    rng = random.Random(seed)
    x, y, z = (T.matrix(n, dtype="float64") for n in "xyz")
    output = grow(rng, [x, y, z], 4 + seed % 7)
    wrong = check(output, default_rules(), seed)
    assert wrong is None, f"{wrong}\n{[str(n) for n in toposort([output])]}"


def test_a_wrong_rule_is_seen() -> None:
    x, y = reals("x y")
    wrong = rule("wrong", x - y, y - x, cite="definition")
    a, b = T.matrix("a", dtype="float64"), T.matrix("b", dtype="float64")
    assert check(T.exp(a - b), default_rules() + [wrong], 0)
