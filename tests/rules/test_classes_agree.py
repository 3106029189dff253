"""Everything in a class has one value: all e-nodes of saturated random graphs are computed and compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.debug.class_values import class_values, disagreement
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.graph.core import Constant
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


def check(output: Any, rules: Any, seed: int) -> str | None:
    encoded = encode([output])
    saturated = saturate(encoded, rules, Budget(3000, 5000, 2.0))
    rng = np.random.default_rng(seed)
    leaves = [v for v in encoded.leaves if not isinstance(v, Constant)]
    data = {v: rng.normal(size=(3, 3)) for v in leaves}
    return disagreement(class_values(encoded, saturated, data), 1e-6)


@pytest.mark.sweep
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
