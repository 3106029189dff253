"""``eqsat.compare``: what is aligned, what it costs, and the whole text of small comparisons."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.extract.cost import CostModel
from eqsat.inspect.comparison.node_costs import priced

x, y, W = T.dmatrices("x", "y", "W")
h = T.dvector("h")


def steady(text: str) -> str:
    """The text of a comparison with one place for all lines of this file."""
    return re.sub(r"test_compare\.py:\d+", "LINE", text)


class Flat(CostModel):
    """A microsecond for each op, ten for a product of matrices."""

    def op_seconds(self, op: Any, operands: Any, out: Any, itemsize: int) -> float:
        return 1e-5 if op.name == "dot" else 1e-6


def test_the_text_of_a_comparison() -> None:
    p = T.dot(x, y)
    found = eqsat.compare(T.log(1.0 + T.exp(p)), T.nnet.softplus(p), model=Flat())
    assert (
        steady(str(found))
        == """\
a  first   5 ops  13.00 µs
b  second  2 ops  11.00 µs
b is 1.18 times cheaper than a by Flat
lengths assumed: x 256 x 256, y 256 x 256

in both: 1 op, 10.00 µs
  s1 = dot(x, y)  1 op  10.00 µs  LINE

only in a: 3 ops, 3.00 µs
  a1 = exp(s1)     f64[?, ?]  1.00 µs  LINE
  a2 = (1.0 + a1)  f64[?, ?]  1.00 µs  LINE
  a3 = log(a2)     f64[?, ?]  1.00 µs  LINE

only in b: 1 op, 1.00 µs
  b1 = softplus(s1)  f64[?, ?]  1.00 µs  LINE

output  a: a3  b: b1"""
    )


def test_a_report_by_another_model() -> None:
    report = eqsat.optimize(T.log(1.0 + T.exp(x)))
    assert eqsat.compare(report, model=eqsat.costs.nodes()).seconds == (3.0, 1.0)
    with pytest.raises(ArgumentError, match="model= takes two values"):
        eqsat.compare(T.exp(x), model=eqsat.costs.nodes())


@pytest.mark.parametrize("names", [("a",), ("a", "b", "c"), "ab", (1, 2), 5])
def test_names_are_two_texts(names: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^compare: names="):
        eqsat.compare(x + 1, y + 1, names=names)


def test_operands_of_a_commutative_op_may_come_in_any_order() -> None:
    found = eqsat.compare(T.exp(x * y), T.exp(y * x))
    assert found.same and not found.only_a and not found.only_b
    assert not eqsat.compare(T.exp(x / y), T.exp(y / x)).same


def test_inputs_that_only_one_graph_reads() -> None:
    found = eqsat.compare(T.exp(x), T.exp(y), names=("mine", "yours"))
    assert found.inputs_only == (["x"], ["y"])
    assert str(found).splitlines()[-2:] == ["only a reads x", "only b reads y"]
    assert str(found).splitlines()[0].startswith("a  mine ")
    assert eqsat.compare(T.exp(x), T.exp(T.dmatrix("x"))).inputs_only == ([], [])
    single = eqsat.compare(T.exp(x), T.exp(T.fmatrix("x")))
    assert single.inputs_only == (["x f64[?, ?]"], ["x f32[?, ?]"])


def test_two_models_give_two_columns() -> None:
    slow = CostModel(flop=1e-6)
    found = eqsat.compare(T.exp(x), model=(None, slow))
    assert list(found.models) == ["model of a", "model of b"]
    assert all(len(line.seconds) == 2 for line in found.shared)
    assert found.same and "the graphs are the same" in str(found)
    assert "model of b: CostModel(flop=1e-06)" in str(found).splitlines()
    first, second = (g.total for g in found.graphs)
    assert first == second and first[1] > 100 * first[0]


def test_which_graph_is_cheaper_may_depend_on_the_model() -> None:
    found = eqsat.compare(T.exp(x), {"rules": "exact", "model": CostModel()}, {"model": CostModel(call=1.0)})
    found.a.outputs[:] = [T.exp(x) * 1.5]
    words = str(found).splitlines()[5]
    assert (
        words
        == f"b is {found.seconds[0] / found.seconds[1]:.2f} times cheaper than a by the model of a; b is 2.00 times cheaper than a by the model of b"
    )


def test_two_rule_sets() -> None:
    found = eqsat.compare(T.log(T.exp(x)), {"rules": "-log-exp"}, {})
    assert (found.a.name, found.b.name) == ("rules='-log-exp'", "default")
    assert [line.text for line in found.only_a] == ["exp(x)", "log(a1)"] and found.only_b == []
    assert "b costs nothing" in str(found)


def test_two_extractors() -> None:
    shared = T.exp(x) * T.exp(x) + T.exp(y) * T.exp(x)
    found = eqsat.compare(shared, extractor=("greedy", "best"))
    assert (found.a.name, found.b.name) == ("extractor='greedy'", "extractor='best'")
    first, second = (side.report for side in (found.a, found.b))
    assert first is not None and second is not None
    assert second.cost_after <= first.cost_after and (first.method, second.method) == ("greedy", "best")
    with pytest.raises(ArgumentError, match="extractor 'none' is not known"):
        eqsat.optimize(shared, extractor="none")


def test_two_hints_of_lengths() -> None:
    v = T.dvector("v")
    hints = ({v: (3,), x: (1000, 1000)}, None)
    found = eqsat.compare(T.dot(T.dot(x, y), v), shape_hints=hints, names=("hinted", "not"))
    assert found.a.report is not None and found.a.report.explain().steps
    assert found.seconds[0] == pytest.approx(found.a.report.cost_after, rel=0.01)
    plain = eqsat.compare(T.dot(T.dot(x, y), v), rules=("default", "default"))
    assert plain.seconds[0] != pytest.approx(found.seconds[0], rel=0.01)


def test_a_report_is_compared_with_what_was_written() -> None:
    report = eqsat.optimize(T.log(T.exp(x)) + y)
    found = eqsat.compare(report)
    assert (found.a.name, found.b.name) == ("as written", "optimised")
    assert found.a.outputs == report.original and found.b.outputs == report.optimized
    assert [line.text for line in found.only_b] == ["(x + y)"]


def test_functions_are_compared_by_what_they_run() -> None:
    f = eqsat.function([x], T.log(T.exp(x)), mode="numpy", name="f")
    g = eqsat.function([x], T.log(T.exp(x)), mode="reference", name="g")
    found = eqsat.compare(f, g)
    assert (found.a.name, found.b.name) == ("f", "g")
    assert found.sizes == (0, 2)


def scanned() -> Any:
    scan: Any = eqsat.scan
    return scan(
        lambda row, s: T.tanh(T.dot(row, W) + s * T.exp(row)), sequences=x, outputs_info=h, name="rnn"
    )[0]


def test_loops_are_lines_with_their_steps_below() -> None:
    found = eqsat.compare(eqsat.optimize(scanned()))
    loops = [
        k for k, line in enumerate(found.only_b) if line.text.startswith("scan{rnn}: length(x, 0) steps")
    ]
    assert len(loops) == 1
    inside = found.only_b[loops[0] + 1 :]
    assert inside and all(line.depth == 1 for line in inside)
    assert inside[-1].text.startswith("tanh(") and str(inside[-1]).startswith("  b")
    assert {line.text for line in found.only_a if line.depth} >= {"dot(x[t], W)", "exp(x[t])"}
    assert found.seconds[1] < found.seconds[0]


def test_loops_that_are_alike_are_folded() -> None:
    found = eqsat.compare(scanned() + 1.0, scanned() * 2.0)
    assert [line.text[:9] for line in found.shared] == ["scan{rnn}"]
    assert [line.text for line in found.only_a] == ["(s1 + 1.0)"]


def test_costs_add_up_to_those_of_the_report() -> None:
    for graph in (T.nnet.softmax(T.dot(x, y) + h), scanned(), T.log(1 + T.exp(x * y / y))):
        report = eqsat.optimize(graph)
        assert sum(p.seconds for p in priced(report.optimized, report.model)) == pytest.approx(
            report.cost_after, rel=0.05
        )


def test_lines_add_up_to_the_whole() -> None:
    found = eqsat.compare(eqsat.optimize(T.nnet.softmax(T.dot(x, y) + h) ** 2))
    for k, lines in enumerate((found.only_a, found.only_b)):
        whole = sum(line.seconds[0] for line in lines) + found.alignment.shared_seconds[0]
        assert whole == pytest.approx(found.seconds[k], rel=1e-3)


def test_the_picture_of_a_comparison() -> None:
    svg = eqsat.compare(T.exp(x), T.exp(x) + 1.0, names=("one", "two"))._repr_svg_()
    xml.etree.ElementTree.fromstring(svg)
    assert ">one<" in svg and ">two<" in svg


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((x,), {}, "x is compared with nothing"),
        ((x, y), {"rules": "exact"}, "rules= has no meaning here"),
        ((x, y, x), {}, "other= has no meaning here"),
        ((x,), {"rules": "exact"}, "rules= takes two values"),
        ((x, {"rule": "exact"}, {}), {}, "there is no setting 'rule'"),
        (([x, y], [x]), {}, "first has 2 outputs and second has 1"),
        ((x, 3), {}, "3 is not a variable"),
    ],
)
def test_what_cannot_be_compared(arguments: Any, keywords: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(words)):
        eqsat.compare(*arguments, **keywords)
