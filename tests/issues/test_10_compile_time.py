"""A compiler's time grows faster than the length of a function: long programs are cut into short ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen import translate
from eqsat.cgen.c import shared_functions as shared
from eqsat.cgen.c.pieces import MOST, calls, pieces
from eqsat.functions.planning import plan_graph
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings
from eqsat.scan import scan

Graph = tuple[list[Any], list[Any]]


def vectors(n: int) -> list[Any]:
    return [T.dvector(f"x{k}") for k in range(n)]


def scalars(n: int) -> list[Any]:
    return [T.dscalar(f"s{k}") for k in range(n)]


def joined(n: int) -> Graph:
    return (xs := vectors(n)), [T.concatenate(xs)]


def joined_anywhere(n: int) -> Graph:
    axis, xs = T.lscalar("axis"), [T.dmatrix(f"x{k}") for k in range(n)]
    return [axis, *xs], [T.join(axis, *xs)]


def stacked(n: int) -> Graph:
    return (xs := vectors(n)), [T.stack(xs)]


def stacked_scalars(n: int) -> Graph:
    return (xs := scalars(n)), [T.stack(xs)]


def summands(n: int) -> Graph:
    return (xs := vectors(n)), [sum(xs[1:], xs[0])]


def products(n: int) -> Graph:
    return (xs := vectors(n)), [reduce(mul, map(T.exp, xs))]


def outputs(n: int) -> Graph:
    return [x := T.dvector("x")], [T.exp(x * (k + 1.5)) for k in range(n)]


def sums(n: int) -> Graph:
    return [x := T.dmatrix("x")], [T.sum(x * (k + 1.5), 0) for k in range(n)]


def parts(n: int) -> Graph:
    return [x := T.dvector("x")], [T.stack([x[k] * x[n - k] for k in range(n)])]


def writes(n: int) -> Graph:
    x = y = T.dvector("x")
    for k in range(n):
        y = T.set_subtensor(y[k], x[n - k])
    return [x], [y]


def switches(n: int) -> Graph:
    x = y = T.dvector("x")
    for k in range(n):
        y = T.switch(T.gt(x, k), y, T.sin(y + k))
    return [x], [y]


def sorts(n: int) -> Graph:
    x = y = T.dmatrix("x")
    for k in range(n):
        y = T.sort(T.sin(y + k), 0)
    return [x], [y]


def layers(n: int) -> Graph:
    ws, x = [T.dmatrix(f"w{k}") for k in range(n)], T.dvector("x")
    y = x
    for w in ws:
        y = T.tanh(T.dot(w, y))
    return [x, *ws], [y]


def _states(n: int, initial: list[Any], step: Callable[..., Any]) -> Graph:
    x = T.dvector("x")
    made = scan(step, sequences=x, outputs_info=initial)[0]
    return [x, *initial], [m[-1] for m in made]


def states(n: int) -> Graph:
    return _states(
        n, vectors(n), lambda x, *s: [T.tanh(a + x * b) for a, b in zip(s, s[1:] + s[:1], strict=True)]
    )


def numbers_as_states(n: int) -> Graph:
    return _states(n, scalars(n), lambda x, *s: [T.tanh(a + x) for a in s])


def shifted_states(n: int) -> Graph:
    return _states(n, vectors(n), lambda x, *s: [T.tanh(s[-1] + x), *s[:-1]])


def stacks(n: int) -> Graph:
    x, y = T.dvector("x"), T.dvector("y")
    made = scan(lambda u: [T.exp(u * y + k) for k in range(n)], sequences=x)[0]
    return [x, y], list(made)


FAMILIES = [
    joined, joined_anywhere, stacked, stacked_scalars, summands, products, outputs, sums, parts, writes, switches,
    sorts, layers, states, numbers_as_states, shifted_states, stacks,
]  # fmt: skip


def c_text(graph: Graph, fused: bool = False) -> str:
    inputs, roots = graph
    return translate(
        plan_graph(inputs, prepare(roots, Settings.of("FAST_COMPILE")), fused), openmp=True
    ).source


def functions(text: str) -> list[str]:
    return re.findall(r"^static [^\n;]*\{\n.*?^\}", text, re.S | re.M)


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_the_longest_function_does_not_grow_and_the_text_grows_linearly(family: Any) -> None:
    small, large = c_text(family(150)), c_text(family(600))
    assert max(map(len, functions(large))) <= 1.1 * MOST + 1000
    assert len(large) <= 4.4 * len(small)


@pytest.mark.parametrize("family", [joined, summands, outputs, sums, switches], ids=lambda f: f.__name__)
@pytest.mark.sampled(2)
def test_so_it_is_with_fused_kernels(family: Any) -> None:
    small, large = c_text(family(100), True), c_text(family(400), True)
    assert max(map(len, functions(large))) <= 1.1 * MOST + 1000
    assert len(large) <= 4.4 * len(small)


@pytest.mark.parametrize("family", [outputs, sums, writes], ids=lambda f: f.__name__)
def test_what_differs_in_numbers_is_one_function(family: Any) -> None:
    text = c_text(family(200 if family is writes else 600), family is not writes)  # kernels have many results
    heads = re.findall(r"^(?:static |__attribute__)[^\n;]*\beq_\w+\([^\n;]*\{$", text, re.M)
    assert len([head for head in heads if "_shared(" in head]) in (1, 2)
    assert len(heads) < 60


def test_few_functions_keep_their_numbers() -> None:
    assert "_shared" not in c_text(sums(shared.MANY - 1))


@pytest.mark.parametrize("n", [3, 70, 150])
@pytest.mark.parametrize(
    "family",
    [joined, joined_anywhere, stacked, stacked_scalars, sums, writes, shifted_states],
    ids=lambda f: f.__name__,
)
@pytest.mark.sampled(8)
def test_values(family: Any, n: int) -> None:
    inputs, roots = family(n)
    rng = np.random.default_rng(0)
    long = n + 1 if family is writes else 2
    values = [rng.normal(size=(long,) * v.ndim) if v.type.dtype == "float64" else np.int64(1) for v in inputs]
    fast = eqsat.function(inputs, roots, mode="FAST_COMPILE")(*values)
    slow = eqsat.function(inputs, roots, mode="reference")(*values)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.sweep
def test_a_join_of_many_in_a_loop() -> None:
    x, y = T.dvector("x"), T.dmatrix("y")
    rows = scan(lambda u: T.concatenate([y[k % 3, : k % 2 + 1] * u for k in range(400)]), sequences=x)[0]
    values = [np.arange(3.0), np.arange(6.0).reshape(3, 2)]
    fast, slow = (eqsat.function([x, y], rows, mode=m)(*values) for m in ("FAST_COMPILE", "reference"))
    np.testing.assert_array_equal(fast, slow)


def test_lengths_of_many_are_checked() -> None:
    xs = [T.dmatrix(f"x{k}") for k in range(100)]
    f = eqsat.function(xs, T.concatenate(xs), mode="FAST_COMPILE")
    with pytest.raises(eqsat.errors.ShapeError, match="axis 1 has the lengths 2 and 3"):
        f(*[np.zeros((1, 3 if k == 77 else 2)) for k in range(100)])


def test_pieces_end_where_no_brace_is_open() -> None:
    named: list[list[str]] = []

    def name(lines: Any) -> str:
        named.append(list(lines))
        return f"f{len(named)}"

    line = "x" * (MOST // 3)
    lines = [line, "if (a) {", "b;", "}", *[line] * 4, "if (c) {", *[line] * 5, "}"]
    found = pieces(lines, name)
    assert [p.count("{") == p.count("}") for text in found for p in ["".join(text)]] == [True] * len(found)
    assert named == [[line] * 3, [line] * 2]
    assert found[-1][-4:] == ["if (c) {", "if (f1(c)) return 1;", "if (f2(c)) return 1;", "}"]
    assert calls(["a;", "b;"], name) == ["a;", "b;"]
