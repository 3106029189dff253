"""Graphs as pictures: well-formed, nothing overlaps or sticks out, the same each time, and differences shown."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import optimize
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Op
from eqsat.graph.walk import toposort
from eqsat.inspect.drawing import draw, draw_pair
from eqsat.inspect.drawing.boxes import columns, cut
from eqsat.inspect.drawing.common_parts import common_units
from eqsat.inspect.drawing.contents import boxes_of
from tests.drawing.svg import check, drawn


def training_step() -> list[Any]:
    """Loss and new parameters of a network of two layers."""
    x, y = T.dmatrix("x"), T.dmatrix("y")
    shapes = {"w1": (64, 32), "b1": (32,), "w2": (32, 10), "b2": (10,)}
    w1, b1, w2, b2 = parameters = [T.shared(np.zeros(shape), name) for name, shape in shapes.items()]
    hidden = T.tanh(T.dot(x, w1) + b1)
    loss = -(y * T.log(T.softmax(T.dot(hidden, w2) + b2))).sum(1).mean()
    loss.name = "loss"
    return [loss, *(p - 0.1 * g for p, g in zip(parameters, T.grad(loss, parameters), strict=True))]


def before_and_after() -> tuple[Any, Any]:
    x, y = T.dvector("x"), T.dvector("y")
    return T.log(1 + T.exp(x * y)) * y + T.sin(x * y), T.softplus(x * y) * y + T.sin(x * y)


def test_a_small_graph_has_a_box_per_op_and_variable() -> None:
    x, w = T.fmatrix("x"), T.shared(np.ones(3), "w")
    y = T.exp(x) * w
    y.name = "y"
    boxes = check(draw(y, title="exp(x) * w"))
    assert [(sorted(b.classes - {"eq-box"}), b.texts) for b in boxes] == [
        (["eq-input"], ["x", "f32[?, ?]"]),
        (["eq-op"], ["exp", "f32[?, ?]"]),
        (["eq-op"], ["castfloat64", "f64[?, ?]"]),
        (["eq-shared"], ["w", "f64[?]"]),
        (["eq-view"], ["dimshufflex, 0"]),
        (["eq-op"], ["mul", "y: f64[?, ?]"]),
        (["eq-output"], ["y"]),
    ]


def test_a_training_step() -> None:
    outputs = training_step()
    boxes = check(draw(outputs, title="training step"))
    ops = [b for b in boxes if b.classes & {"eq-op", "eq-view"}]
    assert len(ops) == len(toposort(outputs))
    shown = " ".join(text for box in boxes for text in box.texts)
    assert all(getattr(node.op, "name", "") in shown for node in toposort(outputs))
    assert [b.texts[0] for b in boxes if "eq-output" in b.classes][:2] == ["loss", "output 1"]


def random_graph(seed: int, count: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    values = [T.dmatrix("x"), T.dmatrix("y with a name that is much too long for a box"), T.dmatrix()]
    for _ in range(count):
        a, b = (values[int(i)] for i in rng.integers(max(0, len(values) - 12), len(values), 2))
        made = (a + b, T.dot(a, b.T), T.exp(a) * 2.5, a.sum(0, keepdims=True) + b)
        values.append(made[int(rng.integers(4))])
    return values[-3:]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sampled(4)
def test_random_graphs(seed: int) -> None:
    check(draw(random_graph(seed, 5 + 8 * seed)))


def test_operands_arrive_in_order_where_it_matters() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    svg = draw([T.sin(y) - x, T.exp(x)])
    box = next(b for b in drawn(svg) if b.texts[0] == "sub")
    arriving = sorted(
        (end, start)
        for start, end, bottom in ends(svg)
        if bottom == pytest.approx(box.y - 5, abs=0.2) and box.x < end < box.x + box.width
    )
    left = next(b for b in drawn(svg) if b.texts[0] == "sin")
    assert arriving[0][1] == pytest.approx(left.x + left.width / 2, abs=0.2)


def ends(svg: str) -> list[tuple[float, float, float]]:
    """Where each piece of a line starts and ends horizontally, and how far down it goes."""
    piece = r"M([\d.]+) [\d.]+V[\d.]+C(?:[\d.]+ ){4}([\d.]+) [\d.]+V([\d.]+)"
    return [(float(a), float(b), float(bottom)) for a, b, bottom in re.findall(piece, svg)]


def test_the_same_graph_gives_the_same_text() -> None:
    first, second = (re.sub(r"made at [^<]*", "", draw(training_step())) for _ in range(2))
    assert first == second


def test_constants_are_drawn_at_every_use() -> None:
    c = T.as_tensor_variable(np.array(2.0))
    x = T.dscalar("x")
    boxes = check(draw(T.exp(x * c) + c))
    assert [b.texts for b in boxes if "eq-constant" in b.classes] == [["2.0"], ["2.0"]]


def test_where_the_picture_goes(tmp_path: Path) -> None:
    x = T.dvector("x")
    stream = io.StringIO()
    svg = draw(x, file=tmp_path / "x.svg")
    assert (
        (tmp_path / "x.svg").read_text(encoding="utf-8") == svg == draw(x, file=stream) == stream.getvalue()
    )


def test_strange_names_stay_well_formed() -> None:
    x = T.dvector('<a & "b">\x00\ud800')
    y = T.exp(x)
    y.name = "温度の対数"
    boxes = check(draw(y, title="a < b & c"))
    assert boxes[0].texts[0] == '<a & "b">\ufffd\ufffd'
    assert boxes[1].texts[1] == "温度の対数: f64[?]"


def test_no_graph_and_an_empty_graph() -> None:
    with pytest.raises(ArgumentError, match="is not a variable"):
        draw("x")
    assert check(draw([])) == []


class Pair(Op):
    """Two outputs; it cannot be hashed."""

    __props__ = ("table",)

    def __init__(self) -> None:
        self.table: list[int] = []

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [T.dvector(), T.lscalar()])


def test_ops_with_several_outputs_and_without_a_hash() -> None:
    a, b = Pair()(T.dvector("x"))
    boxes = check(draw_pair(a + b, a + b))
    assert boxes[1].texts == ["Pair", "f64[?], i64[]"]
    assert all("eq-old" in box.classes for box in boxes)


@pytest.mark.sweep
def test_a_long_chain_is_summarised() -> None:
    out = T.dvector("x")
    for _ in range(50_000):
        out = T.tanh(out)
    boxes = drawn(draw(out))
    assert boxes[0].texts == ["49,601 more nodes"]
    assert len(boxes) == 402


def test_boxes_nearest_to_the_outputs_are_kept() -> None:
    x = T.dvector("x")
    deep = T.exp(T.exp(T.exp(x)))
    kept = [box.title for box in boxes_of([deep + T.sin(x)], 4)]
    assert kept == ["2 more nodes", "exp", "exp", "sin", "add", "output"]
    assert boxes_of([deep + T.sin(x)], 5)[0].title == "1 more node"


# ------------------------------------------------------------------------------------------------ pairs


def test_what_differs_is_highlighted() -> None:
    before, after = before_and_after()
    svg = draw_pair(before, after, titles=("as written", "best"), captions=("9 ops", "6 ops, 2 times faster"))
    boxes = check(svg)
    assert {b.texts[0] for b in boxes if "eq-old" in b.classes} == {"x", "y", "mul", "sin"}
    new = [b.texts[0] for b in boxes if "eq-new" in b.classes]
    assert new == ["1.0", "dimshufflex", "exp", "add", "log", "mul", "add", "output"] + ["softplus", "mul", "add", "output"]  # fmt: skip
    assert all(text in svg for text in ("as written", "best", "9 ops", "6 ops, 2 times faster"))


def test_graphs_of_different_inputs_are_matched_by_name_and_type() -> None:
    one, two = T.log(T.dvector("x")) + T.dvector("y"), T.exp(T.dvector("x"))
    common = common_units([one], [two])
    assert {str(unit) for unit in common} == {"x"}
    other = T.exp(T.fvector("x"))
    assert common_units([one], [other]) == set()


def test_inputs_with_one_name_are_not_confused() -> None:
    a, b = T.dvector("x"), T.dvector("x")
    assert len(common_units([T.exp(a) - b], [T.exp(b)])) == 1


def test_equal_constants_are_common() -> None:
    x = T.dvector("x")
    common = common_units([x * 2.0], [T.exp(x * 2.0)])
    assert {str(unit) for unit in common if not isinstance(unit, Apply)} == {"2.0", "x"}
    assert common_units([T.constant(2.0)], [T.constant(3.0)]) == set()


def test_long_captions_are_wrapped() -> None:
    svg = draw_pair(*before_and_after(), captions=("word " * 60, ""))
    check(svg)
    assert svg.count('class="eq-caption"') > 3


def test_deep_pairs_do_not_recurse() -> None:
    out = T.dvector("x")
    for _ in range(5_000):
        out = T.tanh(out)
    boxes = drawn(draw_pair(out, T.exp(out)))
    assert [b.texts[0] for b in boxes if "eq-new" in b.classes] == ["exp", "output"]


def test_cut_counts_wide_characters() -> None:
    assert cut("温度の対数", 6) == "温度…"
    assert columns("温度x") == 5


def test_readers_that_know_no_page_see_a_size() -> None:
    x = T.dmatrix("x")
    report = optimize(T.log(T.sum(T.exp(x), axis=1)))
    for text in (draw(T.exp(x)), report.draw(), report.egraph.draw(), report.egraph.plot()):
        root = text[: text.index(">")]
        assert re.search(r' width="[\d.]+" height="[\d.]+"', root) and "auto" not in root, (
            "cairosvg takes auto for 0"
        )
        assert (
            text.count("height: auto") == 1
            and "@media all { svg[class^=eqsat][role=img] { max-width: 100%; height: auto; } }" in text
        )
