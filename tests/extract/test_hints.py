"""Hints of lengths: they decide what is chosen, they reach products, loops and whole numbers, and nonsense is refused."""

from __future__ import annotations

import pickle
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import CostError
from eqsat.extract.cost import CostModel
from eqsat.extract.hints import assumed
from eqsat.extract.lengths import Unknown
from eqsat.graph.walk import graph_inputs, toposort

A, B, C = T.dmatrices("A", "B", "C")
CHAIN = T.dot(T.dot(A, B), C)
D = T.TensorType("float64", (3, None))("D")


def best(hints: Any, graph: Any = CHAIN) -> str:
    return str(eqsat.pp(eqsat.optimize(graph, shape_hints=hints).optimized[0]))


def test_hints_decide_the_order_of_products() -> None:
    assert best({A: (10, None), C: (None, 5000)}) == "dot(dot(A, B), C)"
    assert best({"A": (5000, None), "C": (None, 10)}) == "dot(A, dot(B, C))"


def test_a_hint_reaches_lengths_that_must_be_equal() -> None:
    """Of B nothing is said; its lengths are those of A and C where they meet."""
    report = eqsat.optimize(CHAIN, shape_hints={A: (5, 1000), C: (2000, 5)})
    assert report.cost_after == pytest.approx(
        eqsat.optimize(CHAIN, shape_hints={A: (5, 1000), B: (1000, 2000), C: (2000, 5)}).cost_after
    )


def test_hints_put_the_brackets_of_long_chains() -> None:
    lengths = [1000, 200, 10, 1000, 50, 300, 1000, 10, 200, 50, 3]
    pairs = list(pairwise(lengths))
    open_, known = [T.dmatrix() for _ in pairs], [T.TensorType("float64", shape=p)() for p in pairs]
    hinted = eqsat.optimize(reduce(T.dot, open_), shape_hints=dict(zip(open_, pairs, strict=True)))
    assert hinted.cost_after == pytest.approx(eqsat.optimize(reduce(T.dot, known)).cost_after, rel=1e-3)
    assert hinted.cost_after < hinted.cost_before / 2


def test_hints_reach_loops_and_whole_numbers() -> None:
    n, x = T.lscalar("n"), T.dvector("x")
    states, _ = eqsat.scan(lambda s: T.tanh(s * 2), outputs_info=x, n_steps=n)
    short, long = (eqsat.optimize(states[-1], shape_hints={n: k}).cost_before for k in (10, 1000))
    assert long > 80 * short
    rows, _ = eqsat.scan(lambda r, h: T.tanh(r + h), sequences=A, outputs_info=x)
    short, long = (eqsat.optimize(rows[-1], shape_hints={A: (k, 20)}).cost_after for k in (10, 1000))
    assert long > 30 * short
    few, many = (eqsat.optimize(T.exp(T.arange(n)), shape_hints={"n": k}).cost_after for k in (10, 10_000))
    assert many > 100 * few


@pytest.mark.parametrize(
    "graph",
    [
        lambda: T.exp(A[1:] - A[:-1]).sum(axis=0),
        lambda: A.reshape((A.shape[0] * 2, -1)).sum(axis=1),
        lambda: T.concatenate([A, B], axis=0).T,
        lambda: T.zeros((A.shape[1], 7)) + 1.0,
        lambda: T.dot(A[:, :5], B[3:8]),
        lambda: T.stack([A, A * 2]).mean(axis=(0, 1)),
        lambda: A[T.arange(4)] * 2,
    ],
)
def test_assumed_lengths_are_the_real_ones(graph: Any) -> None:
    out = graph()
    leaves = graph_inputs([out])
    nodes = toposort([out])
    spread = assumed(
        Unknown(leaves, nodes), nodes, {A: (12, 6), B: (9, 6)} if B in leaves else {A: (12, 6)}, CostModel()
    )
    real = {A: np.ones((12, 6)), B: np.ones((9, 6))}
    if "dot" in eqsat.pp(out):
        real[B] = np.ones((9, 6))
    value = eqsat.function([v for v in (A, B) if v in leaves], out, mode="reference")(
        *(real[v] for v in (A, B) if v in leaves)
    )
    assert spread.of(out) == value.shape


def test_lengths_that_are_assumed_need_not_fit() -> None:
    """Halves of two lengths and one more are three, which no parts of 1 and 1 make up; the true cut leaves two."""
    k = T.iscalar("k")
    lengths = T.concatenate([A.shape[0:k], [16], A.shape[k + 1 :]])
    f = eqsat.function([A, k], T.split(lengths, [1, 1], n_splits=2))
    assert [int(n[0]) for n in f(np.zeros((12, 4)), 1)] == [12, 16]


def test_hints_do_not_change_values_and_are_kept_with_a_function() -> None:
    f = eqsat.function([A, B, C], CHAIN, shape_hints={A: (5000, None), "C": (None, 10)}, name="f")
    g = pickle.loads(pickle.dumps(f))
    a, b, c = (np.random.default_rng(k).normal(size=(4, 4)) for k in range(3))
    np.testing.assert_allclose(f(a, b, c), a @ b @ c)
    np.testing.assert_allclose(g(a, b, c), a @ b @ c)
    assert str(eqsat.pp(f.report.optimized[0])) == str(eqsat.pp(g.report.optimized[0])) == "dot(A, dot(B, C))"


def test_a_shared_variable_counts_with_its_lengths() -> None:
    w = eqsat.shared(np.zeros((2000, 200)), "w")
    small, large = (eqsat.optimize(T.dot(A, w), shape_hints={A: (n, None)}).cost_after for n in (30, 3000))
    assert 50 < large / small < 200
    with pytest.raises(CostError, match="axis 0 of B is 8, but 7 by the hint for A"):
        eqsat.optimize(T.dot(A, B), shape_hints={A: (3, 7), B: (8, None)})


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({A: (3,)}, "(3,) has 1 lengths, A has 2 axes"),
        ({"Q": (3, 4)}, "names Q, which the graph does not read"),
        ({T.dmatrix("Q"): (3, 4)}, "names Q, which the graph does not read"),
        ({A: ("a", 2)}, "('a', 2) are no lengths of A"),
        ({A: (-1, 2)}, "(-1, 2) are no lengths of A"),
        ({D: (4, None)}, "axis 0 of D has length 3, not 4"),
        ({B: (5, None)}, "axis 0 of B must be 3 in this graph, not 5"),
        ({A: (2, 2), C: (5, None)}, "and the graph needs them equal"),
        ([A], "is not a dict"),
        ({"s": 1.5}, "says nothing about it"),
    ],
)
def test_nonsense_is_refused(hints: Any, said: str) -> None:
    s = T.dscalar("s")
    graph = s * T.dot(T.dot(C, D.T), B) + T.dot(A, C).sum()
    for make in (
        lambda: eqsat.optimize(graph, shape_hints=hints),
        lambda: eqsat.function([A, B, C, D, s], graph, shape_hints=hints),
    ):
        with pytest.raises(CostError) as caught:
            make()
        assert said in str(caught.value)


@pytest.mark.parametrize("n, best", [(3, "dot(dot(A, B), C)"), (4000, "dot(A, dot(B, C))")])
@pytest.mark.parametrize("variants", [None, 1])
def test_values_of_shared_variables_tell_lengths_where_nothing_is_hinted(
    n: int, best: str, variants: int | None
) -> None:
    a, c = eqsat.shared(np.zeros((n, 20)), "A"), eqsat.shared(np.zeros((20, 4000 // n)), "C")
    b = T.dmatrix("B")
    f = eqsat.function([b], T.dot(T.dot(a, b), c), mode="numpy", variants=variants)
    assert eqsat.pp(f.report.optimized[0]) == best
    assert f"A {n} x 20, B 20 x 20, C 20 x {4000 // n}" in f.report.lengths


def test_a_shared_variable_that_is_empty_tells_no_lengths() -> None:
    a, x = eqsat.shared(np.zeros((0, 4)), "a"), T.dmatrix("x")
    f = eqsat.function([x], T.dot(a, x), mode="numpy")
    assert f.report.lengths.startswith("lengths assumed: a 256 x 4, x 4 x 256")


@pytest.mark.parametrize(
    "shaped",
    [lambda x: x.reshape((-1,)), lambda x: x.reshape((x.shape[0] * x.shape[1],)), lambda x: T.flatten(x)],
)
def test_elements_are_as_many_in_another_shape(shaped: Any) -> None:
    """256 x 256 are reckoned with for a matrix of unknown lengths, and so 65,536 where it is one row."""
    flat, square = (eqsat.optimize(T.exp(v)) for v in (shaped(A), A))
    assert flat.cost_after == pytest.approx(square.cost_after, rel=0.01)
    assert flat.cost_before == pytest.approx(square.cost_before, rel=0.01)


def test_a_repeated_value_is_reckoned_with_as_often() -> None:
    n = T.lscalar("n")
    told = {n: 3}
    tripled = eqsat.optimize(T.exp(T.alloc(A, n, A.shape[0], A.shape[1])[0] * B), shape_hints=told)
    assert tripled.cost_after == pytest.approx(eqsat.optimize(T.exp(A * B)).cost_after, rel=0.01)
