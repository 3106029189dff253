"""SVG elements: boxes, frames, lines and texts, in the order in which their parts are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from eqsat.inspect.drawing.boxes import SMALL_SIZE, TITLE_SIZE, Box
from eqsat.inspect.drawing.frames import Back, Frame
from eqsat.inspect.drawing.layout import Route

ARROW = 6.0


def box_mark(box: Box, x: float, top: float, state: str) -> str:
    width, height = box.size()
    classes = " ".join(filter(None, ["eq-box", f"eq-{box.kind}", state]))
    radius = 4.0 if box.kind in ("op", "view", "more", "name") else height / 2 if box.small else 11.0
    text_size = SMALL_SIZE if box.small else TITLE_SIZE
    baseline = top + height / 2 + (-2.5 if box.detail else 0.36 * text_size)
    argument = f'<tspan class="eq-argument" dx="{SMALL_SIZE / 2:.2f}">{safe(box.argument)}</tspan>'
    parts = [
        f'<g class="{classes}"><title>{safe(box.tooltip or box.title)}</title>',
        f'<rect x="{number(x - width / 2)}" y="{number(top)}" width="{number(width)}" height="{number(height)}" rx="{number(radius)}"/>',
        text_mark(
            x, baseline, box.title, "eq-small" if box.small else "eq-title", argument * bool(box.argument)
        ),
        text_mark(x, top + height / 2 + 11, box.detail, "eq-detail") if box.detail else "",
    ]
    return "".join(parts) + "</g>"


def frame_mark(frame: Frame, left: float, top: float, state: str) -> str:
    classes = " ".join(filter(None, ["eq-frame", state]))
    size = f'width="{number(frame.width)}" height="{number(frame.height)}" rx="8"'
    return f'<rect class="{classes}" x="{number(left)}" y="{number(top)}" {size}/>'


def back_mark(back: Back, left: float, top: float) -> str:
    """A line from the end of a step to the beginning of the next one, and its arrowheads."""
    below, right, above = back.lane
    first, last = min(x for x, _ in back.starts), min(x for x, _ in back.ends)
    pieces = [f"M{number(left + x)} {number(top + y)}V{number(top + below)}" for x, y in back.starts]
    pieces.append(
        f"M{number(left + first)} {number(top + below)}H{number(left + right)}V{number(top + above)}H{number(left + last)}"
    )
    pieces += [
        f"M{number(left + x)} {number(top + above)}V{number(top + y - ARROW / 2)}" for x, y in back.ends
    ]
    heads = [
        f"M{number(left + x - 2.5)} {number(top + y - 4)}h5L{number(left + x)} {number(top + y)}z"
        for x, y in back.ends
    ]
    return f'<path class="eq-back" d="{"".join(pieces)}"/><path class="eq-head" d="{"".join(heads)}"/>'


def text_mark(x: float, baseline: float, text: str, name: str, more: str = "") -> str:
    return f'<text class="{name}" x="{number(x)}" y="{number(baseline)}">{safe(text)}{more}</text>'


def line_marks(routes: Sequence[Route], origin: tuple[float, float], state: str) -> list[str]:
    """Lines and arrowheads; a piece that several lines share is drawn once."""
    pieces: dict[str, None] = {}
    heads = []
    for route in routes:
        x, y, y_band = route.start
        for to_x, top, bottom in [*route.through, (route.end[0], route.end[1], route.end[2] - ARROW + 1)]:
            pieces[_curve(origin, (x, y), y_band, (to_x, top), bottom)] = None
            x, y, y_band = to_x, bottom, bottom
        tip_x, tip_y = origin[0] + route.end[0], origin[1] + route.end[2]
        heads.append(f"M{number(tip_x - 3.5)} {number(tip_y - ARROW)}h7L{number(tip_x)} {number(tip_y)}z")
    if not heads:
        return []
    suffix = f" {state}" if state else ""
    return [
        f'<path class="eq-line{suffix}" d="{"".join(pieces)}"/>',
        f'<path class="eq-head{suffix}" d="{"".join(heads)}"/>',
    ]


def _curve(
    origin: tuple[float, float], a: tuple[float, float], band: float, b: tuple[float, float], bottom: float
) -> str:
    """Straight down to the end of a layer, across the gap, and straight through the next layer."""
    x, y = origin
    middle = y + (band + b[1]) / 2
    across = f"C{number(x + a[0])} {number(middle)} {number(x + b[0])} {number(middle)} {number(x + b[0])} {number(y + b[1])}"
    return f"M{number(x + a[0])} {number(y + a[1])}V{number(y + band)}{across}V{number(y + bottom)}"


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def safe(text: str) -> str:
    """Text for XML: escaped, without characters that XML does not allow."""
    allowed = (c if c in "\t\n\r" or "\x20" <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff" else "\ufffd"
               for c in text)  # fmt: skip
    return escape("".join(allowed), quote=False).replace('"', "&quot;")
