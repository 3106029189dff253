"""Graphs as text: whole texts of several graphs, and bounded texts of huge ones."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Op
from eqsat.printing import debugprint, dprint, letters, pp, value_text


def text(obj: Any, **options: Any) -> str:
    return "\n" + debugprint(obj, file="str", **options)


def chain(length: int) -> Any:
    out = T.dvector("x")
    for _ in range(length):
        out = T.tanh(out) + out
    return out


@pytest.mark.seed("K010")
def test_a_tree_with_ids_and_shared_nodes_once() -> None:
    x, w = T.dmatrix("x"), T.shared(np.ones((3, 2)), "w")
    z = T.exp(T.dot(x, w))
    z.name = "z"
    assert (
        text(z / z.sum(1, keepdims=True))
        == """
truediv [id A]
 ├─ exp [id B] 'z'
 │  └─ dot [id C]
 │     ├─ x [id D]
 │     └─ w [id E]
 └─ sum{(1)} [id F]
    └─ exp [id B] 'z'
       └─ ···"""
    )


def test_several_outputs_share_ids() -> None:
    x = T.dvector("x")
    y = T.exp(x)
    assert (
        text([y, y * x, x])
        == """
exp [id A]
 └─ x [id B]
mul [id C]
 ├─ exp [id A]
 │  └─ ···
 └─ x [id B]
x [id B]"""
    )


def test_types_and_constants() -> None:
    x = T.fmatrix()
    c = T.as_tensor_variable(np.arange(3.0), name="c")
    assert (
        text(x * c + 0.5, print_type=True)
        == """
add [id A] <f64[?, 3]>
 ├─ mul [id B] <f64[?, 3]>
 │  ├─ cast{float64} [id C] <f64[?, ?]>
 │  │  └─ <f32[?, ?]> [id D] <f32[?, ?]>
 │  └─ dimshuffle{(x, 0)} [id E] <f64[1, 3]>
 │     └─ [0.0, 1.0, 2.0] [id F] <f64[3]> 'c'
 └─ dimshuffle{(x, x)} [id G] <f64[1, 1]>
    └─ 0.5 [id H] <f64[]>"""
    )


def test_without_ids_and_to_a_depth() -> None:
    x = T.dvector("x")
    y = T.exp(T.log(x) + T.sin(x))
    assert (
        text(y, ids=False, depth=2)
        == """
exp
 └─ add"""
    )
    assert (
        text(y, ids=False, depth=3)
        == """
exp
 └─ add
    ├─ log
    └─ sin"""
    )


@pytest.mark.seed("K011")
def test_a_compiled_function_shows_the_order_of_execution() -> None:
    x = T.dvector("x")
    y = T.exp(x)
    function = SimpleNamespace(outputs_optimised=[T.sin(y) + T.cos(y)])
    assert (
        text(function)
        == """
add [id A] 3
 ├─ sin [id B] 1
 │  └─ exp [id C] 0
 │     └─ x [id D]
 └─ cos [id E] 2
    └─ exp [id C] 0
       └─ ···"""
    )


class Halves(Op):
    """Both halves of a vector."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [T.dvector(), T.dvector()])


class Repeat(Op):
    """An op with a graph inside, as a loop has."""

    __props__ = ("n",)

    def __init__(self, inner_outputs: list[Any], n: int) -> None:
        self.inner_outputs = inner_outputs
        self.n = n

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])

    def __str__(self) -> str:
        return f"repeat{{{self.n}}}"


def test_outputs_of_one_op_have_its_id_and_their_number() -> None:
    first, second = Halves()(T.dvector("x"))
    assert (
        text(second - first)
        == """
sub [id A]
 ├─ Halves.1 [id B]
 │  └─ x [id C]
 └─ Halves.0 [id B]
    └─ ···"""
    )


def test_graphs_inside_ops_follow() -> None:
    x, h = T.dvector("x"), T.dvector("h")
    inside = Repeat([T.tanh(h)], 2)
    outside = Repeat([inside(h) + h], 3)
    assert (
        text(outside(x))
        == """
repeat{3} [id A]
 └─ x [id B]

Inner graphs:

repeat{3} [id A]
 ← add [id C]
    ├─ repeat{2} [id D]
    │  └─ h [id E]
    └─ h [id E]

    repeat{2} [id D]
     ← tanh [id F]
        └─ h [id E]"""
    )


def test_where_the_text_goes(capsys: pytest.CaptureFixture[str]) -> None:
    x = T.dvector("x")
    assert debugprint(x) is None
    assert capsys.readouterr().out == "x [id A]\n"
    stream = io.StringIO()
    dprint(x, file=stream)
    assert stream.getvalue() == "x [id A]\n"
    assert debugprint(x, file="str") == "x [id A]"
    assert capsys.readouterr().out == ""


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(ArgumentError, match="3 is not a variable"):
        debugprint(3)
    with pytest.raises(ArgumentError, match="depth is at least 1, not 0"):
        debugprint(T.dvector("x"), depth=0)


def test_deep_lines_name_their_depth() -> None:
    out = T.dvector("x")
    for _ in range(43):
        out = T.tanh(out)
    lines = debugprint(out, file="str").splitlines()
    assert lines[40:] == [
        " " * 118 + "└─ tanh [id AO]",
        " ⋮ (+1) tanh [id AP]",
        " ⋮ (+2) tanh [id AQ]",
        " ⋮ (+3) x [id AR]",
    ]


def test_a_long_chain_prints_in_linear_size() -> None:
    out = chain(25_000)
    found = debugprint(out, file="str")
    assert found.count("\n") + 1 == 4 * 25_000  # tanh, its operand, the operand again, and what stands for it
    assert len(found) < 40 * found.count("\n")
    assert len(pp(out)) <= 2000


def test_letters_count_up() -> None:
    assert [letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.array(2.5), "2.5"),
        (np.array([True, False]), "[True, False]"),
        (np.array([0.1, np.nan], "float32"), "[0.1, nan]"),
        (np.zeros((0, 2)), "f64[0, 2]"),
        (np.full((4, 4), 7), "i64[4, 4] of 7"),
        (np.arange(16), "i64[16]"),
        ("a slice", "'a slice'"),
    ],
)
def test_values_take_one_line(value: Any, expected: str) -> None:
    assert value_text(value) == expected


def test_one_line_of_mathematics() -> None:
    x, y, m = T.dscalar("x"), T.dscalar("y"), T.dmatrix("m")
    v, t = T.dvector("v"), T.dtensor3("t")
    assert pp(x + y) == "(x + y)"
    assert pp(-(x**2) / (x - y)) == "((-(x ** 2.0)) / (x - y))"
    assert pp(T.switch(x > y, x, T.maximum(x, y))) == "switch((x > y), x, maximum(x, y))"
    assert pp(m.T * v) == "(m.T * v)"
    assert pp(v.dimshuffle(0, "x")) == "v[:, None]"
    assert pp(t.dimshuffle(2, 0, 1)) == "t.transpose(2, 0, 1)"
    assert pp(t.dimshuffle(2, "x", 0, 1)) == "dimshuffle(t, (2, 'x', 0, 1))"
    assert (
        pp(t[::-1, 0, T.lscalar("n") :]) == "t[::-1, 0, n:]"
        and pp(v[1:3] * v[-1:][0]) == "(v[1:3] * v[-1:][0])"
    )
    assert pp(m.sum()) == "squeeze(sum(m, (0, 1)))"
    assert pp(T.cast(x, "float32")) == "cast(x, float32)"
    assert pp(Halves()(v)[1]) == "Halves(v)[1]"


def test_one_line_is_cut() -> None:
    out = T.dscalar("x")
    for _ in range(100):
        out = T.exp(out)
    assert pp(out) == "exp(" * 41 + "…" + ")" * 41
    assert pp(out, limit=10) == "exp(exp(e…"
