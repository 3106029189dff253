"""Pictures of steps: a frame around what each kernel and each group holds, with its price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.inspect.drawing import draw
from tests.drawing.svg import check, drawn

X = T.TensorType("float32", shape=(2000, 300))("x")
W = T.TensorType("float32", shape=(300, 40))("w")
PICKS = T.lvector("picks")
PROGRAMS = {
    "one kernel": lambda: T.exp(X) * X + 1,
    "rows": lambda: T.softmax(T.tanh(X), 1) * 2,
    "products": lambda: T.softmax(T.dot(X, W) + 1, 1).sum(0),
    "pieces": lambda: T.set_subtensor(T.zeros_like(X)[1:-1], X[2:] - X[:-2]) * 3,
    "picks": lambda: (X[PICKS] * 2).sum() + PICKS.sum(),
    "several": lambda: [T.exp(X).sum(1), T.exp(X).max(1), X.T],
    "loop": lambda: eqsat.scan(lambda r, h: T.tanh(h + r), [X], [T.zeros((300,), "float32")])[0],
    "input": lambda: X,
    "constant": lambda: T.constant(np.ones(3)),
}


def function(name: str) -> Any:
    return eqsat.function([X, W, PICKS], PROGRAMS[name](), on_unused_input="ignore")


@pytest.mark.c
@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_are_frames(name: str) -> None:
    f = function(name)
    svg = draw(f, steps=True)
    check(svg)
    frames = [box for box in drawn(svg) if "eq-name" in box.classes]
    flat = [s for step in f.report.steps for s in (step, *step.inside * (step.kind == "rows"))]
    assert sum(box.texts[0] in ("kernel", "rows") for box in frames) == sum(
        step.kind in ("kernel", "rows") for step in flat
    )
    assert all("B → " in box.texts[1] for box in frames if box.texts[0] in ("kernel", "rows"))


@pytest.mark.c
def test_a_frame_says_what_its_step_costs() -> None:
    f = function("one kernel")
    (frame,) = (box for box in drawn(draw(f, steps=True)) if "eq-name" in box.classes)
    assert frame.texts[0] == "kernel" and "2.4 MB → 2.4 MB" in frame.texts[1]
    texts = {box.texts[0] for box in drawn(draw(f, steps=True)) if "eq-op" in box.classes}
    assert {"exp", "add"} <= texts


@pytest.mark.c
def test_reports_and_comparisons_show_steps() -> None:
    f, g = function("rows"), function("one kernel")
    page = f.report.html()
    assert "Steps of the function: 1" in page and page.count("eq-frame") > 5
    found = eqsat.compare(f, g)
    text = str(found)
    assert "steps of a: 1" in text and "steps of b: 1" in text and "(reads 2.4 MB, writes 2.4 MB)" in text
    assert found.html().count("<h2>Steps of ") == 2
    assert "steps of" not in str(eqsat.compare(T.exp(X), T.exp(X) + 1))


def test_only_compiled_functions_have_steps() -> None:
    for given in (T.exp(X), eqsat.optimize(T.exp(X)), None):
        with pytest.raises(ArgumentError, match="has no steps"):
            draw(given, steps=True)
