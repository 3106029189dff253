"""What stands in a picture: its boxes and lines, and that nothing overlaps or sticks out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from eqsat.inspect.drawing.boxes import columns

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"eq-title": 12.0, "eq-small": 9.5, "eq-detail": 9.5, "eq-argument": 9.5, "eq-word": 9.5}
SIZES |= {"eq-heading": 14.0, "eq-caption": 11.0}


class Drawn(NamedTuple):
    """A box as it stands in the picture."""

    classes: set[str]
    x: float
    y: float
    width: float
    height: float
    texts: list[str]
    widest: float


def drawn(svg: str) -> list[Drawn]:
    found = []
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        classes = set(group.get("class", "").split())
        if "eq-box" in classes:
            rect = group.find(f"{SVG}rect")
            assert rect is not None
            x, y, width, height = (float(rect.get(n, "nan")) for n in ("x", "y", "width", "height"))
            texts = group.findall(f"{SVG}text")
            lines = ["".join(t.itertext()) for t in texts]
            found.append(Drawn(classes, x, y, width, height, lines, max(map(line_width, texts))))
    return found


def line_width(text: Any) -> float:
    """Width of a line in a font whose characters are 0.6 of its size wide."""
    width = columns(text.text or "") * SIZES[text.get("class")] * 0.6
    for span in text.findall(f"{SVG}tspan"):
        width += float(span.get("dx", "0")) + columns(span.text or "") * SIZES[span.get("class")] * 0.6
    return width


def segments(svg: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Short straight pieces of all lines."""
    number = r"(-?[\d.]+)"
    piece = re.compile(rf"M{number} {number}V{number}C{' '.join([number] * 6)}V{number}")
    found = []
    for path in ET.fromstring(svg).iter(f"{SVG}path"):
        if "eq-line" in path.get("class", ""):
            for match in piece.findall(path.get("d", "")):
                x, y, band, _, middle, _, _, to_x, to_y, bottom = map(float, match)
                steps = np.linspace(0, 1, 24)
                curve = [(bezier(t, x, x, to_x, to_x), bezier(t, band, middle, middle, to_y)) for t in steps]
                points = [(x, y), *curve, (to_x, bottom)]
                found += list(pairwise(points))
    return found


def bezier(t: float, a: float, b: float, c: float, d: float) -> float:
    return float(a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t**3)


def check(svg: str) -> list[Drawn]:
    """Boxes of a picture in which nothing overlaps, sticks out or is crossed by a line."""
    root = ET.fromstring(svg)
    width, height = float(root.get("width", "nan")), float(root.get("height", "nan"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    boxes = drawn(svg)
    for box in boxes:
        assert 0 <= box.x and box.x + box.width <= width
        assert 0 <= box.y and box.y + box.height <= height
        assert box.widest <= box.width - 12, box.texts
    for text in root.findall(f"{SVG}text"):
        assert line_width(text) / 2 <= min(float(text.get("x", "nan")), width - float(text.get("x", "nan")))
    for a, b in combinations(boxes, 2):
        apart_x = a.x + a.width <= b.x or b.x + b.width <= a.x
        assert apart_x or a.y + a.height <= b.y or b.y + b.height <= a.y, (a.texts, b.texts)
    check_lines(svg, boxes)
    check_frames(root, boxes)
    return boxes


def check_lines(svg: str, boxes: list[Drawn]) -> None:
    """No point of a line lies inside a box."""
    points = np.array([point for segment in segments(svg) for point in segment]).reshape(-1, 2)
    assert bool(len(points)) == ('class="eq-line' in svg)
    for box in boxes:
        low, high = (box.x + 1, box.y + 1), (box.x + box.width - 1, box.y + box.height - 1)
        assert not ((points > low) & (points < high)).all(1).any(), box.texts


def check_frames(root: Any, boxes: list[Drawn]) -> None:
    """No line back crosses a box, and a frame holds a box whole or not at all, or another frame."""
    frames = []
    for rect in root.findall(f"{SVG}rect"):
        if "eq-frame" in rect.get("class", ""):
            x, y, width, height = (float(rect.get(n, "nan")) for n in ("x", "y", "width", "height"))
            frames.append((x, y, x + width, y + height))
    inner = [(b.x, b.y, b.x + b.width, b.y + b.height) for b in boxes]
    for frame in frames:
        for other in [*inner, *(f for f in frames if f is not frame)]:
            assert inside(other, frame) or inside(frame, other) or apart(other, frame), (other, frame)
    for path in root.findall(f"{SVG}path"):
        if path.get("class") == "eq-back":
            for a, b in straight(path.get("d", "")):
                line = (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
                assert all(apart(line, box) for box in inner), line
                assert any(inside(line, frame) for frame in frames)


def inside(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return b[0] <= a[0] and b[1] <= a[1] and a[2] <= b[2] and a[3] <= b[3]


def apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    gap = 0.2  # coordinates are written with one decimal
    return a[2] <= b[0] + gap or b[2] <= a[0] + gap or a[3] <= b[1] + gap or b[3] <= a[1] + gap


def straight(path: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The pieces of a path of horizontal and vertical lines."""
    found, x, y = [], 0.0, 0.0
    for letter, rest in re.findall(r"([MHV])([^MHV]*)", path):
        numbers = [float(n) for n in rest.split()]
        to = (
            (numbers[0], numbers[1])
            if letter == "M"
            else (numbers[0], y)
            if letter == "H"
            else (x, numbers[0])
        )
        if letter != "M":
            found.append(((x, y), to))
        x, y = to
    return found
