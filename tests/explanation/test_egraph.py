"""``report.egraph``: pictures of small e-graphs, what is too large, and how e-graphs grow."""

from __future__ import annotations

import gc
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.inspect.drawing.boxes import text_width
from eqsat.inspect.drawing.egraph_picture import ClassBox, Way, class_picture
from eqsat.inspect.drawing.growth import growth_plot, nice
from eqsat.inspect.explanation import egraph_view as egraph

x, y = T.dvectors("x", "y")
SVG = "{http://www.w3.org/2000/svg}"


def small() -> Any:
    return eqsat.optimize(T.log(1 + T.exp(x * y / y)))


def ways(svg: str) -> dict[str, list[str]]:
    """Texts of e-nodes by what they are."""
    found: dict[str, list[str]] = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        kind = group.get("class", "").removeprefix("ec-way ")
        title = group.find(f"{SVG}title")
        if group.get("class", "").startswith("ec-way") and title is not None:
            found.setdefault(kind, []).append(re.sub(r"c\d+", "c", title.text or "").split(" ")[0])
    return found


def test_the_picture_of_a_small_e_graph() -> None:
    found = ways(small().egraph.draw())
    assert sorted(found["ec-chosen"]) == ["softplus(c)", "x"]
    assert sorted(found["ec-dear"]) == ["log(c)", "log1p(c)"]
    assert {"exp(c)", "add(c,", "truediv(c,", "y", "1.0"} <= set(found["ec-other"])


def test_an_e_graph_is_not_kept_by_the_report() -> None:
    report = small()
    view = report.egraph
    assert report.egraph is view and view.posed is report.egraph.posed
    del view
    gc.collect()
    assert report._egraph() is None


def test_of_a_large_e_graph_the_answer_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egraph, "LARGEST", 3)
    view = small().egraph
    assert ways(view.draw()) == {
        "ec-chosen": ["x", "softplus(c)"],
        "ec-dear": ["log(c)", "log1p(c)"],
        "ec-other": ["truediv(c,"],
    }
    with pytest.raises(ArgumentError, match="8 classes are too many to be drawn"):
        view.draw(whole=True)
    monkeypatch.setattr(egraph, "MOST", 1)
    with pytest.raises(ArgumentError, match="2 classes are too many"):
        view.draw()
    assert view._repr_svg_() == view.plot()


def test_pictures_are_written(tmp_path: Path) -> None:
    view = small().egraph
    assert (
        view.draw(tmp_path / "a.svg") == (tmp_path / "a.svg").read_text(encoding="utf-8") == view._repr_svg_()
    )
    assert view.plot(tmp_path / "b.svg") == (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_pictures_are_svg(tmp_path: Path) -> None:
    x = T.dvector("x")
    view = eqsat.optimize(T.log(T.exp(x))).egraph
    for write in (view.draw, view.plot):
        with pytest.raises(ArgumentError, match=r"a picture is written as SVG, not as \.png"):
            write(tmp_path / "e.png")
    assert not list(tmp_path.iterdir())


def test_loops_are_drawn() -> None:
    scan: Any = eqsat.scan
    states, _ = scan(lambda row, s: T.tanh(s * T.exp(row)), sequences=x, outputs_info=T.dscalar("s"))
    found = ways(eqsat.optimize(states).egraph.draw())
    assert any(text.startswith("state(") for text in found["ec-chosen"])


def test_lines_that_would_lead_back_are_left_out() -> None:
    a = ClassBox("c0", "f64[]", (Way("x", "", (), True), Way("neg(c1)", "", (1,))))
    b = ClassBox("c1", "f64[]", (Way("neg(c0)", "", (0,), True),), more=3, output=True)
    svg = class_picture([a, b])
    heads = [p.get("d", "") for p in ET.fromstring(svg).iter(f"{SVG}path") if "eq-head" in p.get("class", "")]
    assert sum(d.count("M") for d in heads) == 1 and "and 3 more" in svg


def test_the_plot_has_a_dot_for_each_run_and_a_row_for_each_rule() -> None:
    report = small()
    plot = growth_plot(report.phases)
    runs = sum(len(p.history) for p in report.phases)
    assert plot.count('class="gr-dot"') == runs > 3
    cells = re.findall(r"<title>([\w-]+): (\d+) matches in", plot)
    total: dict[str, int] = {}
    for name, count in cells:
        total[name] = total.get(name, 0) + int(count)
    assert total == report.rules


@pytest.mark.parametrize("width", [340.0, 640.0, 1000.0])
def test_no_text_of_the_plot_leaves_it(width: float) -> None:
    report = eqsat.optimize(T.nnet.softmax(T.log(1 + T.exp(x * y / y)) ** 2.0 + x - x) * 3.0 * 2.0 + 1.0 + y)
    root = ET.fromstring(growth_plot(report.phases, width=width))
    for text in root.iter(f"{SVG}text"):
        kind, at = text.get("class", ""), float(text.get("x", "nan"))
        wide = text_width(text.text or "", 11.0 if "heading" in kind or "caption" in kind else 9.5)
        left = at if "start" in kind else at - wide if "end" in kind else at - wide / 2
        assert left >= 0 and left + wide <= width, text.text


def test_the_plot_of_nothing() -> None:
    ET.fromstring(growth_plot([]))
    assert [nice(v) for v in (0, 1, 9, 10, 11, 160, 999)] == [1, 1, 10, 10, 15, 200, 1000]
