"""Pages: one file that needs no network; in a browser nothing is clipped, boxes fold, and every box says what it is."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.inspect.drawing import draw
from tests.page.browser import BROWSER, ask

browser = pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
x, y, W = T.dmatrices("x", "y", "W")
h = T.dvector("h")


def scanned() -> Any:
    scan: Any = eqsat.scan
    return scan(
        lambda row, s: T.tanh(T.dot(row, W) + s * T.exp(row)), sequences=x, outputs_info=h, name="rnn"
    )[0]


@pytest.fixture(scope="module")
def small() -> str:
    return eqsat.optimize(T.log(1 + T.exp(x * y / y))).html(explain=True)


@pytest.fixture(scope="module")
def loop() -> str:
    return eqsat.optimize(scanned()).html()


class Tags(HTMLParser):
    """Opened elements that are not closed, and what is loaded from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [v or "" for k, v in attrs if k in ("src", "href", "action", "data")]
        if tag not in ("meta", "link", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_is_one_file_without_links(small: str) -> None:
    tags = Tags(small)
    assert tags.open == [] and tags.links == []
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", small)
    assert "default-src 'none'" in small


def test_what_a_page_of_a_report_says(small: str) -> None:
    for words in (
        "Cost of each op",
        "Rules that matched",
        "Phases and stages",
        "Growth of the e-graph",
        "log1p-exp",
    ):
        assert words in small
    assert "a1 = (x * y)" in small and "b1 = softplus(x)" in small
    assert "3 steps by 3 rules" in small and "as written as text" in small


def test_names_cannot_leave_their_place() -> None:
    bad = T.dvector("</script><b>")
    text = draw_page(bad + 1.0)
    assert "</script><b>" not in text and "\\u003c/script>" in text


def draw_page(v: Any) -> str:
    from eqsat.inspect.comparison.comparison_page import graph_page

    return graph_page([v], "one graph")


def test_a_picture_in_an_html_file_is_a_page(tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    svg = draw(T.exp(x), file, title="exp")
    text = file.read_text(encoding="utf-8")
    assert svg.startswith("<svg") and text.startswith("<!DOCTYPE html>") and "<h1>exp</h1>" in text


def test_pages_are_written_to_files(tmp_path: Path) -> None:
    report = eqsat.optimize(T.log(T.exp(x)))
    stream = io.StringIO()
    report.save_html(stream, title="mine")
    assert "<h1>mine</h1>" in stream.getvalue()
    eqsat.compare(report).save_html(tmp_path / "c.html")
    report.explain().save_html(tmp_path / "e.html")
    for name in ("c", "e"):
        assert (tmp_path / f"{name}.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_notebooks_show_pages_and_pictures() -> None:
    report = eqsat.optimize(T.log(T.exp(x)) + y)
    for shown in (report, eqsat.compare(report), report.explain()):
        html = shown._repr_html_()
        assert html.startswith("<iframe srcdoc=") and html.count("<") == 2
    f = eqsat.function([x, y], x + y, mode="reference")
    assert f._repr_svg_().startswith("<svg") and (x + y)._repr_svg_().startswith("<svg")
    assert x._repr_svg_() is None


def test_the_data_of_a_loop(loop: str) -> None:
    found = re.search(r'id="graphs">(.*?)</script>', loop, re.DOTALL)
    assert found is not None
    first, second = json.loads(found[1])
    (frame,) = [item for item in first["items"] if "f" in item]
    assert frame["open"] == 1 and {i["t"] for i in frame["f"]["items"]} >= {"tanh", "x[t]", "h[t-1]", "h[t]"}
    assert [
        item["t"]
        for item in second["items"]
        if item["k"] == "op" and item.get("s") == "new" and "f" not in item
    ]


MEASURE = """
  const boxes = [...document.querySelectorAll('.canvas')].map((svg) => {
    const texts = [...svg.querySelectorAll('.eq-box')].map((g) => {
      const r = g.querySelector('rect').getBoundingClientRect();
      return [...g.querySelectorAll('text')].every((t) => {
        const b = t.getBoundingClientRect(); return b.left >= r.left - 2 && b.right <= r.right + 2 && b.top >= r.top - 3 && b.bottom <= r.bottom + 3; });
    });
    return { boxes: texts.length, fit: texts.every(Boolean), focusable: svg.querySelectorAll('[tabindex="0"]').length,
             named: [...svg.querySelectorAll('.eq-box')].every((g) => g.getAttribute('aria-label')) };
  });
  document.querySelectorAll('details').forEach((d) => (d.open = true));
  return { boxes, wide: document.documentElement.scrollWidth, inner: innerWidth,
           page: getComputedStyle(document.body).backgroundColor,
           cut: [...document.querySelectorAll('td, th, h1, h2, h3, p, dd, dt, figcaption, button')].filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).length };
"""


@browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_nothing_is_clipped(loop: str, tmp_path: Path, width: int, dark: bool) -> None:
    found = ask(loop, MEASURE, tmp_path, width, dark)
    assert found["inner"] == width and found["wide"] <= width and found["cut"] == 0
    assert len(found["boxes"]) == 2
    for panel in found["boxes"]:
        assert panel["boxes"] > 10 and panel["fit"] and panel["named"] and panel["focusable"] == 1
    assert (found["page"] == "rgb(14, 17, 22)") == dark


@browser
def test_a_graph_that_does_not_fit_opens_at_its_inputs(tmp_path: Path) -> None:
    v = x
    for _ in range(40):
        v = T.tanh(v)
    script = "const p = eqsatPanels[0], v = p.view, at = p.svg.getBoundingClientRect(); return [v.y, v.h < p.h, [...p.svg.querySelectorAll('.eq-box')].some((g) => { const b = g.getBoundingClientRect(); return g.textContent.startsWith('x') && b.top >= at.top && b.left >= at.left && b.right <= at.right; })]"
    assert ask(draw_page(v), script, tmp_path) == [0, True, True]


@browser
def test_boxes_fold_and_loops_close(loop: str, tmp_path: Path) -> None:
    script = """
      const p = eqsatPanels[0], count = () => p.svg.querySelectorAll('.eq-box').length, found = { first: count() };
      const loop = [...p.all.values()].find((i) => i.f);
      p.toggle(loop); found.closed = count(); p.toggle(loop); found.again = count();
      const tanh = [...p.all.values()].find((i) => i.t === 'tanh');
      p.toggle(tanh); found.folded = count(); found.more = tanh.more; found.label = p.svg.querySelector(`[data-id="${tanh.id}"]`).getAttribute('aria-label');
      p.focus(tanh); p.svg.querySelector(`[data-id="${tanh.id}"]`).dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); found.back = count();
      found.note = p.note.textContent;
      const before = { ...p.view }; p.zoom(2); found.zoomed = before.w / p.view.w;
      return found;
    """
    found = ask(loop, script, tmp_path)
    assert found["closed"] < found["first"] == found["again"] == found["back"]
    assert found["folded"] == found["first"] - found["more"] < found["first"]
    assert "folded" in found["label"] and "costs" in found["label"]
    assert found["note"].startswith("tanh") and "made at test_page.py:" in found["note"]
    assert found["zoomed"] == pytest.approx(2.0)


@browser
def test_boxes_are_where_they_are_in_the_picture(tmp_path: Path) -> None:
    """Columns are computed in the page as they are for SVG."""
    v = T.nnet.softmax(T.dot(x, y) + h) * T.exp(x)
    script = "eqsatPanels[0].shapes(true); return eqsatPanels[0].all.size && [...eqsatPanels[0].svg.querySelectorAll('.eq-box')].map((g) => [g.querySelector('text').firstChild.data, +g.querySelector('rect').getAttribute('y')])"
    found = dict(ask(draw_page(v), script, tmp_path))
    boxes = re.findall(
        r'class="eq-box[^>]*>.*?<rect [^>]*? y="([\d.]+)".*?<text[^>]*>([^<]*)<', draw(v, title="one graph")
    )
    drawn = {name: float(y) for y, name in boxes}
    assert found.keys() == drawn.keys()
    offset = {round(drawn[k] - found[k], 1) for k in found}
    assert max(offset) - min(offset) < 12
