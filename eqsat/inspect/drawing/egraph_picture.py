"""An e-graph as a picture: a box for each class with its e-nodes in lines, and a line from each class to those that use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.inspect.drawing.boxes import PADDING, SMALL_SIZE, TITLE_SIZE, cut, text_width
from eqsat.inspect.drawing.layout import Edge, Item, layout
from eqsat.inspect.drawing.marks import line_marks, number, safe, text_mark
from eqsat.inspect.drawing.style import DARK, FITS, FONT, LIGHT
from eqsat.inspect.drawing.style import STYLE as GRAPH_STYLE

LINE = 16.0  # of an e-node
HEAD = 17.0
MARGIN = 18.0
WIDEST = 44  # columns of an e-node
SWATCHES = (
    ("ec-chosen", "chosen"),
    ("ec-other", "other way to compute it"),
    ("ec-dear", "unstable, or of no finite cost"),
)


@dataclass(frozen=True)
class Way:
    """An e-node: text, cost in words, the classes that it needs, whether it is chosen and whether it may be."""

    text: str
    cost: str
    needs: tuple[int, ...]
    chosen: bool = False
    dear: bool = False


@dataclass(frozen=True)
class ClassBox:
    """A class: its name, its type, its e-nodes, how many more it has, whether it is an output."""

    name: str
    type: str
    ways: tuple[Way, ...]
    more: int = 0
    output: bool = False

    def size(self) -> tuple[float, float]:
        """Width and height that hold the text."""
        rows = [cut(w.text, WIDEST) + (f"  {w.cost}" if w.cost else "") for w in self.ways] + [
            f"and {self.more:,} more"
        ] * bool(self.more)
        head = text_width(self.name, TITLE_SIZE) + text_width(self.type, SMALL_SIZE) + 8
        width = max([head, *(text_width(r, SMALL_SIZE) + 10 for r in rows)])
        return width + 2 * PADDING, HEAD + 8 + LINE * len(rows)


def class_picture(boxes: Sequence[ClassBox], title: str = "e-graph") -> str:
    """SVG of classes that are ordered so that a chosen e-node needs only classes before its own.

    A line that would lead back, from a class to an e-node of one before it, is left out; the text of the e-node names the class.

    >>> x = ClassBox("c0", "f64[]", (Way("x", "", (), True),))
    >>> y = ClassBox("c1", "f64[]", (Way("exp(c0)", "1 µs", (0,), True),), output=True)
    >>> class_picture([x, y]).count('class="ec-way ec-chosen"')  # and one to say what it means
    3
    """
    sizes = [b.size() for b in boxes]
    pairs = dict.fromkeys((s, t) for t, b in enumerate(boxes) for w in b.ways for s in w.needs if s < t)
    edges = [Edge(s, t, 0) for s, t in pairs]
    plan = layout([Item(w, h, in_order=False) for w, h in sizes], edges)
    picked = {(s, t) for t, b in enumerate(boxes) for w in b.ways if w.chosen for s in w.needs}
    marks: list[str] = []
    for state, chosen in (("eq-old", False), ("eq-new", True)):
        routes = [
            r for r, e in zip(plan.routes, edges, strict=True) if ((e.source, e.target) in picked) == chosen
        ]
        marks += line_marks(routes, (MARGIN, MARGIN), state)
    for box, (width, height), x, y in zip(boxes, sizes, plan.x, plan.y, strict=True):
        marks += _box(box, MARGIN + x - width / 2, MARGIN + y, width, height)
    bottom = plan.height + MARGIN + 14
    right = max(plan.width, 330.0) + 2 * MARGIN
    marks += _legend(bottom)
    size = f'width="{number(right)}" height="{number(bottom + 24)}" viewBox="0 0 {number(right)} {number(bottom + 24)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="eqsat" role="img" aria-label="{safe(title)}" '
            f'style="min-width:{number(0.6 * right)}px">',
            f"<title>{safe(title)}</title><style>{FITS}{GRAPH_STYLE}{STYLE}</style>",
            f'<rect class="eq-page" width="{number(right)}" height="{number(bottom + 24)}" rx="8"/>',
            *marks,
            "</svg>\n",
        ]
    )


def _box(box: ClassBox, left: float, top: float, width: float, height: float) -> list[str]:
    cls = "ec-class ec-output" if box.output else "ec-class"
    size = f'width="{number(width)}" height="{number(height)}"'
    marks = [
        f'<g><title>{safe(f"{box.name}: {box.type}")}</title><rect class="{cls}" x="{number(left)}" y="{number(top)}" {size} rx="9"/>',
        text_mark(
            left + PADDING,
            top + 13,
            box.name,
            "eq-word ec-name",
            f'<tspan class="eq-argument" dx="6">{safe(box.type)}</tspan>',
        ),
    ]
    y = top + HEAD
    for way in box.ways:
        kind = "ec-chosen" if way.chosen else "ec-dear" if way.dear else "ec-other"
        marks.append(f'<g class="ec-way {kind}"><title>{safe(f"{way.text} {way.cost}")}</title>')
        marks.append(
            f'<rect x="{number(left + 5)}" y="{number(y + 1)}" width="{number(width - 10)}" height="{number(LINE - 2)}" rx="4"/>'
        )
        cost = f'<tspan class="eq-argument" dx="6">{safe(way.cost)}</tspan>' if way.cost else ""
        marks.append(text_mark(left + PADDING, y + 11.5, cut(way.text, WIDEST), "eq-word", cost) + "</g>")
        y += LINE
    if box.more:
        marks.append(text_mark(left + PADDING, y + 11.5, f"and {box.more:,} more", "eq-word ec-more"))
    return [*marks, "</g>"]


def _legend(top: float) -> list[str]:
    marks, x = [], MARGIN
    for kind, word in SWATCHES:
        marks.append(
            f'<g class="ec-way {kind}"><rect x="{number(x)}" y="{number(top)}" width="10" height="9" rx="2"/></g>'
        )
        marks.append(text_mark(x + 14, top + 8, word, "eq-word ec-more"))
        x += 22 + text_width(word, SMALL_SIZE)
    return marks


def _theme(theme: dict[str, Any]) -> str:
    new, old, op = (theme[k].split() for k in ("new", "old", "op"))
    return (
        f".eqsat .ec-class{{fill:{theme['frame'].split()[0]};stroke:{theme['frame'].split()[1]}}}"
        f".eqsat .ec-output{{stroke:{theme['output'].split()[1]};stroke-width:2}}"
        f".eqsat .ec-chosen rect{{fill:{new[0]};stroke:{new[1]}}}.eqsat .ec-other rect{{fill:{op[0]};stroke:{old[1]}}}"
        f".eqsat .ec-dear rect{{fill:none;stroke:{old[1]};stroke-dasharray:2 2}}"
        f".eqsat .ec-way text{{fill:{theme['text']}}}.eqsat .ec-dear text,.eqsat .ec-more{{fill:{theme['faint']}}}"
    )


STYLE = (
    f".eqsat .ec-name{{font-family:{FONT};font-size:12px;font-weight:600}}"
    f"{_theme(LIGHT)}@media (prefers-color-scheme: dark){{{_theme(DARK)}}}"
)
