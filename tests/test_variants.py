"""Functions of several graphs: the shapes of a call choose, each graph gives the same values, and updates are right."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.errors import ArgumentError, EqsatError

A, B, C = T.dmatrices("A", "B", "C")
CHAIN = T.dot(T.dot(A, B), C)


def arrays(*lengths: int) -> list[Any]:
    dice = np.random.default_rng(sum(lengths))
    return [dice.normal(size=pair) for pair in pairwise(lengths)]


def calls(f: Any) -> list[int]:
    return [v.calls for v in f.variants]


@pytest.mark.parametrize("mode", ["FAST_RUN", "numpy"])
def test_the_order_of_a_chain_flips_with_the_shapes(mode: str) -> None:
    f = eqsat.function([A, B, C], CHAIN, variants=3, mode=mode)
    texts = [str(eqsat.pp(v.outputs[0])) for v in f.variants]
    assert sorted(texts) == ["dot(A, dot(B, C))", "dot(dot(A, B), C)"]
    left, right = texts.index("dot(dot(A, B), C)"), texts.index("dot(A, dot(B, C))")
    assert not any(v.compiled for v in f.variants)
    for lengths, which in (((2, 90, 80, 70), left), ((70, 80, 90, 2), right), ((3, 90, 80, 70), left)):
        values, before = arrays(*lengths), calls(f)
        np.testing.assert_allclose(f(*values), values[0] @ values[1] @ values[2])
        assert [now - old for now, old in zip(calls(f), before, strict=True)] == [
            k == which for k in range(2)
        ]
    assert all(v.compiled for v in f.variants)
    np.testing.assert_allclose(f([[1.0, 2.0]], [[3.0], [4.0]], [[2]]), [[22.0]])


def test_a_report_says_where_each_graph_is_best() -> None:
    f = eqsat.function([A, B, C], CHAIN, variants="auto")
    lines = [line for line in str(f.report).splitlines() if line.startswith("graph ")]
    assert len(lines) == len(f.variants) == 2
    assert lines[0].startswith("graph 0 best for A of (256, 256), B of") and "times cheaper" in lines[1]
    assert "not compiled yet" in repr(f.variants[1]) and "dot(" in repr(f.variants[0])


def test_a_vector_at_the_end_needs_one_graph_only() -> None:
    v = T.dvector("v")
    f = eqsat.function([A, B, v], T.dot(T.dot(A, B), v), variants=4)
    a, b = arrays(3, 4, 5)
    np.testing.assert_allclose(f(a, b, np.ones(5)), a @ b @ np.ones(5))
    assert len(f.variants) in (0, 2)  # (A B) v is better where A has one row


def test_without_choice_there_is_one_graph() -> None:
    for out in (A * B + C, T.dot(A, B), eqsat.scan(lambda r: T.dot(T.dot(r, B), C), sequences=A)[0]):
        inputs = [v for v in (A, B, C) if v in eqsat.graph.graph_inputs([out])]
        assert eqsat.function(inputs, out, variants=3).variants == []
    known = [T.TensorType("float64", (5, 5))(n) for n in "abc"]
    assert eqsat.function(known, T.dot(T.dot(known[0], known[1]), known[2]), variants=3).variants == []
    assert eqsat.function([A, B, C], CHAIN).variants == []
    assert eqsat.function([A, B, C], CHAIN, variants=3, mode="reference").variants == []


@pytest.mark.parametrize("mode", ["FAST_RUN", "numpy"])
def test_updates_are_the_same_in_every_graph(mode: str) -> None:
    values = {}
    for variants in (1, 3):
        w = eqsat.shared(np.ones((4, 3)), "w")
        i = T.lvector("i")
        step = T.dot(T.dot(A, B), C)
        f = eqsat.function(
            [A, B, C, i],
            step,
            updates=[(w, T.inc_subtensor(w[i], step[:2] * 0.5))],
            variants=variants,
            mode=mode,
        )
        assert len(f.variants) == (2 if variants == 3 else 0)
        seen = []
        for lengths in ((2, 70, 60, 3), (60, 70, 80, 3), (2, 70, 60, 3)):
            a, b, c = arrays(*lengths)
            seen.append(f(a, b, c, [0, 2]))
        values[variants] = [*seen, w.get_value()]
    for one, other in zip(values[1], values[3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-9)


def test_the_shapes_of_shared_variables_choose_too() -> None:
    w = eqsat.shared(np.ones((70, 2)), "w")
    f = eqsat.function([A, B], T.dot(T.dot(A, B), w), variants=3)
    a, b = arrays(80, 90, 70)
    f(a, b)
    first = calls(f)
    w.set_value(np.ones((70, 500)))
    a, b = arrays(2, 90, 70)
    np.testing.assert_allclose(f(a, b), a @ b @ np.ones((70, 500)))
    assert calls(f) != [2 * n for n in first] and sum(calls(f)) == 2


def test_copies_pickles_and_errors() -> None:
    f = eqsat.function([A, B, C], CHAIN, variants=3)
    g = pickle.loads(pickle.dumps(f))
    assert len(g.variants) == 2
    a, b, c = arrays(3, 4, 5, 6)
    np.testing.assert_allclose(g(a, b, c), f(a, b, c))
    with pytest.raises(EqsatError) as caught:
        f(a, c, b)
    assert "k is 6 in B but 4 in C" in str(caught.value)
    with pytest.raises(EqsatError):
        f(a, b, np.ones(3))
    for wrong in (0, "many", 1.5, True):
        with pytest.raises(ArgumentError, match="variants is"):
            eqsat.function([A], A + 1, variants=wrong)  # type: ignore[arg-type]


def test_a_flag_asks_for_variants() -> None:
    with config.change_flags(variants="auto"):
        assert len(eqsat.function([A, B, C], CHAIN).variants) == 2
    with config.change_flags(variants=2):
        assert len(eqsat.function([A, B, C], CHAIN).variants) == 2
    assert eqsat.function([A, B, C], CHAIN).variants == []


def test_hints_say_which_graph_is_the_first() -> None:
    f = eqsat.function([A, B, C], CHAIN, variants=2, shape_hints={A: (1000, None), C: (None, 2)})
    assert str(eqsat.pp(f.variants[0].outputs[0])) == "dot(A, dot(B, C))"
    assert "A of (1000, 256)" in f.variants[0].where
