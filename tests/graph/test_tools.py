"""Parts of graphs, copies, comparison and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import evaluate

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph import basic, tools
from eqsat.graph.fgraph import FunctionGraph

x, y = T.dvectors("x", "y")
w = eqsat.shared(np.ones(2), "w")


def test_names_are_found_in_the_graph_module() -> None:
    assert eqsat.graph.clone_replace is basic.clone_replace is eqsat.clone is tools.clone_replace
    assert eqsat.graph.FunctionGraph is eqsat.FunctionGraph is FunctionGraph
    assert set(basic.__all__) <= set(dir(basic))
    with pytest.raises(AttributeError, match=r"eqsat\.graph' has no attribute 'nothing'"):
        eqsat.graph.nothing  # noqa: B018


def test_parts_of_a_graph() -> None:
    middle = x * w
    z = T.exp(middle) + y + 2.0
    assert {x, y, w} < set(tools.inputs([z])) and middle not in tools.inputs([z])
    assert tools.inputs([z], [middle])[0] is middle
    assert [n.op.name for n in tools.io_toposort([middle, y], [z])] == ["exp", "add", "dimshuffle", "add"]
    assert tools.applys_between([x, y], [z])[0].outputs == [middle]
    assert set(tools.orphans_between([x, y], [z])) == {w, z.owner.inputs[1].owner.inputs[0]}
    assert {middle, z, y} <= set(tools.vars_between([middle], [z]))
    assert x not in tools.vars_between([middle], [z]) and basic.variables is tools.vars_between


def test_a_general_order() -> None:
    below = {"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": None}
    assert tools.general_toposort(["d"], below.get) == ["a", "b", "c", "d"]
    with pytest.raises(ArgumentError, match="depends on itself"):
        tools.general_toposort(["a"], {"a": ["b"], "b": ["a"]}.get)
    assert len(tools.general_toposort([20_000], lambda n: [n - 1] if n else [])) == 20_001


def test_copies_with_replacements() -> None:
    z = T.exp(x) * w
    again = tools.clone_replace(z, {x: y * 2})
    assert evaluate([again], {y: [1.0, 2.0]})[0].tolist() == np.exp([2.0, 4.0]).tolist()
    assert tools.clone_replace(z) is z, "nothing changes, nothing is copied"
    (fresh,) = tools.clone_replace([z], share_inputs=False)
    assert x not in tools.inputs([fresh]) and not set(tools.applys_between([], [z])) & set(
        tools.applys_between([], [fresh])
    )
    assert tools.clone_replace(z, [(x, [1, 2])]).eval().tolist() == np.exp([1.0, 2.0]).tolist()
    single = T.fvector("s")
    assert tools.clone_replace(z, {x: single}, strict=False).dtype == "float64"
    inner = z.owner.inputs[0]
    assert evaluate([tools.graph_replace(z, {inner: y})], {y: [3.0, 4.0]})[0].tolist() == [3, 4]
    assert tools.graph_replace([z], {y: x}, strict=False) == [z]


def test_a_clone_has_new_applications() -> None:
    ins, (out,) = tools.clone([x], [T.exp(x)])
    assert ins[0] is not x and out.owner.inputs == ins and ins[0].name == "x"
    ins, (out,) = tools.clone([x], [T.exp(x)], copy_inputs=False)
    assert ins == [x] and out.owner.inputs == [x]
    z = T.exp(x)
    pairs = tools.clone_get_equiv([x], [z])
    assert pairs[z].owner.inputs == [pairs[x]] and pairs[x] is not x
    assert tools.clone_get_equiv([x], [z], copy_inputs=False)[x] is x


def test_comparison_of_graphs() -> None:
    make = lambda v: T.exp(v).sum() + 2.0
    assert tools.equal_computations([make(x)], [make(x)]) and tools.is_same_graph(make(x), make(x))
    assert not tools.equal_computations([make(x)], [make(y)])
    assert tools.equal_computations([make(x)], [make(y)], [x], [y])
    assert tools.is_same_graph(make(x), make(y), {x: y})
    assert not tools.equal_computations([x + 1], [x + 2]) and not tools.equal_computations([x + y], [y + x])
    assert tools.equal_computations([x + np.ones(2)], [x + np.ones(2)])
    assert not tools.equal_computations([x], [T.fvector()], [x], [T.fvector()])
    assert tools.equal_computations([1.0], [T.constant(1.0)])
    a = b = x
    for _ in range(20_000):
        a, b = T.tanh(a), T.tanh(b)
    assert tools.is_same_graph(a, b)
    with pytest.raises(ArgumentError, match="the lists differ in length"):
        tools.equal_computations([x], [])


def test_batches() -> None:
    m, t3, n = T.dmatrix("m"), T.dtensor3("t"), T.dmatrix("n")
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 2)), rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 2))
    z, s = T.exp(x) * y, (x * y).sum()
    made = [
        *tools.vectorize_graph([z, s], {x: m, y: n}),
        tools.vectorize_graph(s, {x: t3, y: n}),
        tools.vectorize_graph(z, {x: m, y: T.constant([2.0, 3.0])}),
        tools.vectorize(T.dot, "(n),(n)->()")(t3, n),
        tools.vectorize(lambda p, q: p * 2 + q)(m, n),
    ]
    f = eqsat.function([m, t3, n], made)
    for mode in ("FAST_RUN", "reference"):
        g = f if mode == "FAST_RUN" else eqsat.function([m, t3, n], made, mode=mode)
        want = [np.exp(a) * c, (a * c).sum(1), (b * c).sum(2), np.exp(a) * [2, 3], (b * c).sum(2), a * 2 + c]
        for got, value in zip(g(a, b, c), want, strict=True):
            np.testing.assert_allclose(got, value)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tools.clone_replace(x, {1: x}), ArgumentError, "clone_replace: 1 is not a variable"),
        (lambda: tools.clone_replace(x, {x: T.fvector("s")}), DTypeError, "clone_replace: s is float32, x float64"),
        (lambda: tools.clone_replace(x, {x: T.dscalar("s")}), RankError, "clone_replace: s has 0 dimensions, x 1"),
        (lambda: tools.clone_replace(g, {g: x}), DTypeError, "clone_replace: x has not the type of g"),
        (lambda: tools.graph_replace(x + 1, {y: x}), ArgumentError, "graph_replace: y is not in the graph"),
        (lambda: tools.vectorize_graph(x, {x: T.dscalar("s")}), RankError, "vectorize_graph: s has fewer dimensions than x"),
        (lambda: tools.vectorize(T.exp, "n"), ArgumentError, "vectorize: 'n' is not a signature"),
        (lambda: tools.vectorize(T.exp, "(n)->()")(x, y), ArgumentError, "vectorize: '(n)->()' has 1 operands, 2 are given"),
    ],
)  # fmt: skip
def test_mistakes(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).splitlines()[0] == text


g = eqsat.generic("g")
