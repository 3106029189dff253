"""Laws of products that are read off signatures, of all products that are declared and one that a test declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.graph.declare import OPS, Cost, Declaration, forget_op, structural
from eqsat.rules.facts import covers
from eqsat.rules.pattern import numbers
from eqsat.rules.rule import rule
from eqsat.rules.schemes import products
from eqsat.rules.schemes.operands import applied
from eqsat.rules.schemes.products import Factor, is_product
from eqsat.verify import verify
from tests.rules.helpers import optimise

DECLARED = sorted(name for name, d in OPS.items() if is_product(d))
N = 40


def by_rows(x: Any, y: Any) -> Any:
    """Products of all rows of one matrix with all rows of another one, for each of a batch."""
    return np.matmul(x, np.swapaxes(y, 1, 2))


@pytest.fixture
def ours() -> Iterator[Declaration]:
    structural(
        "block",
        name="by_rows_of_ours",
        signature="(b,m,k),(b,n,k)->(b,m,n)",
        additive="x y",
        cost=lambda op, ins, out: Cost(flops=2 * np.prod(ins[0]) * out[-1]),
    )(by_rows)
    yield OPS["by_rows_of_ours"]
    forget_op("by_rows_of_ours")


def operand(f: Factor, name: str, **lengths: int) -> Any:
    """A variable for an operand, some of its lengths other than N."""
    shape = tuple(lengths.get(n, 4 if n == "b" else N) for n in f.names)
    return T.TensorType("float64", shape=shape)(name)


def check_laws(d: Declaration) -> None:
    """Every law reaches an op: signs, factors, sums, joins and picks are where they are cheapest."""
    for f, g in products.factors(d):
        x, y, z = operand(f, "x"), operand(f, "y"), operand(g, "z")
        assert optimise(f.times(-x, -z)).ops()["neg"] == 0
        assert optimise(f.times(x, z) + f.times(y, z)).ops()[d.name] == 1
        assert optimise(f.times(x, z) - f.times(y, z)).ops()[d.name] == 1
        own = next(iter(f.own.values()))
        joined = T.concatenate([f.times(x, z), f.times(y, z)], axis=own)
        assert any(fired.startswith(f"join-of-{d.name}") for fired in optimise(joined).fired)
        assert first_op(T.sum(f.times(x, z), axis=tuple(f.own.values()), keepdims=True)) == d.name
        s = T.TensorType(
            "float64", shape=tuple(1 if k in f.summed else n for k, n in enumerate(x.type.shape))
        )("s")
        assert first_op(T.sum(f.times(s * x, z), axis=tuple(g.own.values()), keepdims=True)) in (
            "mul",
            d.name,
        )
        picked = T.take(f.times(x, z), T.TensorType("int64", shape=(2,))("i"), axis=own)
        assert first_op(picked) == d.name, picked
        assert d.name not in optimise(f.times(T.zeros_like(x), z)).ops()
        assert d.name not in optimise(T.ones_like(f.times(x, z)) * T.dscalar("c")).ops()


def first_op(expression: Any) -> str:
    """The op that an optimised expression applies last."""
    found = optimise(expression).outputs[0]
    while found.owner.op.name == "dimshuffle":
        found = found.owner.inputs[0]
    return str(found.owner.op.name)


@pytest.mark.parametrize("name", DECLARED)
def test_laws_reach_every_product(name: str) -> None:
    check_laws(OPS[name])


def test_laws_reach_a_product_of_the_user(ours: Declaration) -> None:
    check_laws(ours)
    kept = [verify(r, points=3) for law in products.RULES for r in law.rules(ours)]
    assert len(kept) > 20 and all(kept), [r for r in kept if not r]


def test_a_factor_of_what_is_summed_stays(ours: Declaration) -> None:
    x, y, s = (T.TensorType("float64", shape=shape)("v") for shape in ((4, N, N), (4, N, N), (1, 1, N)))
    assert first_op(ours(s * x, y)) == ours.name


def test_a_planted_error_is_found(ours: Declaration) -> None:
    x, y, s = numbers("x y s")
    wrong = rule("wrong", applied(ours, x * s, y), applied(ours, x, y) * s, when=covers(x, (0, 2)))
    assert not verify(wrong, points=20)
