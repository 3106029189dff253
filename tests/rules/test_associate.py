"""Sums of many terms in any order and bracketing are one class: for integers always, for floats on request."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import eqsat.tensor as T
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.rules.rule import select_rules


def bracketed(rng: random.Random, op: Any, items: list[Any]) -> Any:
    """The items in random order, joined in a random tree."""
    left = rng.sample(items, len(items))
    while len(left) > 1:
        i = rng.randrange(len(left) - 1)
        left[i : i + 2] = [op(left[i], left[i + 1])]
    return left[0]


def merged(op: Any, dtype: str, rules: Any, count: int = 12, same: bool = True) -> tuple[bool, int, float]:
    """Whether two random trees of the same terms join, the number of e-nodes, and the seconds."""
    rng = random.Random(count)
    leaves = [T.vector(f"x{i}", dtype=dtype) for i in range(count)]
    other = leaves if same else [*leaves[:-1], leaves[0]]
    encoded = encode([bracketed(rng, op, leaves), bracketed(rng, op, other)])
    chosen = select_rules(rules)
    saturate(encoded, chosen, Budget(20000, 20000, 10.0))
    start = time.perf_counter()
    result = saturate(encoded, chosen, Budget(20000, 20000, 10.0))
    a, b = (result.class_of[k] for k in encoded.roots)
    return a == b, len(result.enodes), time.perf_counter() - start


@pytest.mark.parametrize("op", [T.add, T.mul, T.maximum, T.minimum, T.and_, T.or_, T.xor], ids=str)
def test_twelve_integers_join(op: Any) -> None:
    joined, enodes, seconds = merged(op, "int64", "mul-one")
    assert joined
    assert enodes < 100
    assert seconds < 1.0


def test_other_terms_do_not_join() -> None:
    assert not merged(T.add, "int64", "mul-one", same=False)[0]


def test_bools_join() -> None:
    assert merged(T.or_, "bool", "mul-one")[0]


@pytest.mark.parametrize(
    ("op", "rule"), [(T.add, "reassociate"), (T.mul, "reassociate-mul")], ids=["add", "mul"]
)
def test_floats_join_on_request_only(op: Any, rule: str) -> None:
    assert merged(op, "float64", f"mul-one,{rule}")[0]
    assert not merged(op, "float64", "mul-one")[0]


def test_extremes_of_floats_join_by_default() -> None:
    assert merged(T.maximum, "float64", "extends")[0]


def test_hundred_terms_stay_linear() -> None:
    joined, enodes, _ = merged(T.add, "int64", "mul-one", count=100)
    assert joined
    assert enodes < 700
