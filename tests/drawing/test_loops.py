"""Loops as pictures: a box around the graph of a step, ports, lines back, nesting, limits, and what is new inside."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.inspect.drawing import draw, draw_pair
from eqsat.inspect.drawing.contents import LARGEST_INSIDE
from tests.drawing.svg import check, drawn


def recurrent(hoisted: bool = False) -> Any:
    x, h0 = T.dmatrix("x"), T.dvector("h0")
    w, u = (eqsat.shared(np.eye(4), name) for name in ("W", "U"))

    def step(row: Any, h: Any) -> Any:
        return T.tanh((row if hoisted else T.dot(row, w)) + T.dot(h, u))

    states, _ = eqsat.scan(step, T.dot(x, w) if hoisted else x, h0, name="rnn")
    return states[-1]


def nested(depth: int) -> Any:
    def at(level: int, rows: Any) -> Any:
        def step(row: Any, total: Any) -> Any:
            return total + (at(level - 1, row) if level > 1 else T.exp(row))

        return eqsat.scan(step, rows, T.constant(0.0), name=f"level{level}")[0][-1]

    return at(depth, T.tensor("float64", (None,) * depth, "X"))


def gru(gradient: bool) -> Any:
    x, h0 = T.dtensor3("x"), T.dmatrix("h0")
    weights = [eqsat.shared(np.eye(3), n) for n in ("Wz", "Uz", "Wr", "Ur", "Wh", "Uh")]
    wz, uz, wr, ur, wh, uh = weights

    def step(x: Any, h: Any) -> Any:
        z = T.sigmoid(T.dot(x, wz) + T.dot(h, uz))
        r = T.sigmoid(T.dot(x, wr) + T.dot(h, ur))
        return (1 - z) * h + z * T.tanh(T.dot(x, wh) + T.dot(r * h, uh))

    last = eqsat.scan(step, x, h0, name="gru")[0][-1]
    return T.grad(last.sum(), weights) if gradient else last


def texts(svg: str, kind: str) -> list[str]:
    return [box.texts[0] for box in drawn(svg) if f"eq-{kind}" in box.classes]


def test_a_loop_is_a_box_around_its_step() -> None:
    svg = draw(recurrent())
    boxes = check(svg)
    assert svg.count('class="eq-frame"') == 1
    assert [b.texts for b in boxes if "eq-name" in b.classes] == [["scan rnn", "length(x, 0) steps"]]
    assert texts(svg, "port") == ["steps", "x[t]", "h0[t-1]", "W", "U", "h0[t]"]
    assert texts(svg, "op") == ["length0", "dot", "dot", "add", "tanh"]
    assert svg.count('class="eq-back"') == 1 and "in or out of a frame" in svg


def test_a_loop_can_stay_closed() -> None:
    svg = draw(recurrent(), loops=False)
    boxes = check(svg)
    assert "eq-frame" not in svg.partition("</style>")[2]
    assert [b.texts for b in boxes if b.texts[0] == "scanrnn"] == [["scanrnn", "8 ops inside"]]


def test_the_number_of_steps_stands_in_the_title() -> None:
    powers, _ = eqsat.scan(
        lambda v: (v * 2, eqsat.scan.until(v > 5)), outputs_info=T.constant(1.0), n_steps=100
    )
    svg = draw(powers)
    check(svg)
    assert [b.texts[1] for b in drawn(svg) if "eq-name" in b.classes] == ["100 steps at most"]
    assert texts(svg, "port") == ["v[t-1]", "v[t]", "until"]


@pytest.mark.parametrize("depth", [2, 3])
def test_nested_loops_are_boxes_in_boxes(depth: int) -> None:
    svg = draw(nested(depth))
    check(svg)
    sizes = [
        tuple(map(float, found))
        for found in re.findall(r'eq-frame" x="([\d.]+)" y="[\d.]+" width="([\d.]+)', svg)
    ]
    assert len(sizes) == depth
    assert all(a[0] < b[0] and b[0] + b[1] < a[0] + a[1] for a, b in pairwise(sizes))


@pytest.mark.parametrize("gradient", [False, True])
def test_a_gru_and_its_gradient(gradient: bool) -> None:
    svg = draw(gru(gradient))
    check(svg)
    assert svg.count('class="eq-frame"') == 1 + gradient
    assert "fixed" in svg and "h0[t-1]" in texts(svg, "port")


def test_an_ifelse_and_an_op_of_a_graph() -> None:
    x, y = T.dvectors("x", "y")
    op = eqsat.OpFromGraph([x, y], [T.exp(x) * y, x - y], name="pair")
    f = eqsat.function([x], eqsat.ifelse(x.sum() > 0, op(x, 2 * x)[1], T.sin(x)), mode="numpy")
    svg = draw(f)
    check(svg)
    assert texts(svg, "name") == ["ifelse", "ifelse then", "pair", "ifelse else"]
    assert texts(svg, "port").count("condition") == 2


def test_of_many_states_no_lines_lead_back() -> None:
    starts = [T.dscalar(f"s{k}") for k in range(9)]
    outputs, _ = eqsat.scan(lambda *s: [v + 1 for v in s], outputs_info=starts, n_steps=3)
    svg = draw(outputs)
    check(svg)
    assert 'class="eq-back"' not in svg and texts(svg, "port").count("s8[t]") == 1


def test_large_steps_are_cut_and_many_loops_stay_closed() -> None:
    def step(v: Any) -> Any:
        for _ in range(300):
            v = T.sin(v)
        return v

    x = T.dscalar("x")
    large, _ = eqsat.scan(step, outputs_info=x, n_steps=3)
    svg = draw(large)
    check(svg)
    assert texts(svg, "more") == [f"{301 - LARGEST_INSIDE} more nodes"]
    svg = draw([eqsat.scan(step, outputs_info=x, n_steps=n)[0] for n in range(1, 6)])
    check(svg)
    assert svg.count('class="eq-frame"') == 3
    assert sum(b.texts == ["scan", "300 ops inside"] for b in drawn(svg)) == 2


def test_what_is_new_inside_a_loop_is_highlighted() -> None:
    svg = draw_pair(recurrent(), recurrent(hoisted=True))
    boxes = check(svg)
    muted = [b.texts[0] for b in boxes if "eq-old" in b.classes and "eq-op" in b.classes]
    assert sorted(muted) == [
        "dot",
        "dot",
        "length0",
        "length0",
    ]  # the product with the state, and the steps, on both sides
    new = [b.texts[0] for b in boxes if "eq-new" in b.classes and "eq-op" in b.classes]
    assert new == ["dot", "add", "tanh", "dot", "add", "tanh"]


@pytest.mark.parametrize("seed", range(8))
def test_random_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [T.dvector(f"x{k}") for k in range(int(rng.integers(1, 4)))]
    starts = [T.dscalar(f"s{k}") for k in range(int(rng.integers(1, 5)))]
    weights = [T.dscalar(f"w{k}") for k in range(int(rng.integers(0, 5)))]

    def step(*given: Any) -> Any:
        values = [*given, *weights]
        for _ in range(int(rng.integers(3, 25))):
            a, b = (values[int(k)] for k in rng.integers(0, len(values), 2))
            values.append([a + b, a * b, T.exp(a) - b][int(rng.integers(3))])
        return values[-len(starts) - 1 :]

    outputs, _ = eqsat.scan(step, rows, [*starts, None])
    svg = draw([*outputs, outputs[0][-1] * 2])
    check(svg)
    assert svg.count('class="eq-frame"') == 1
