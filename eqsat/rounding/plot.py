"""The error of a graph against each of its inputs, as one SVG picture."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from eqsat.rounding.bits import order

WIDTH, HEIGHT, LEFT, ROOM = 420, 150, 46, 34
TICKS = (0, 16, 32, 48, 64)


def plot(found: Any) -> str:
    """One frame for each input: a dot for each point, the places of floats along the axis, bits of error upwards."""
    names = list(found.points)
    tall = max(1, len(names)) * (HEIGHT + ROOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {tall}" role="img" '
        f'aria-label="{escape(repr(found)[1:-1])}" font-family="sans-serif" font-size="10" fill="currentColor">'
    ]
    for k, name in enumerate(names):
        values = np.asarray(found.points[name])
        flat = values.reshape(len(found.errors), -1)[:, 0]
        parts += _frame(name, flat, found.errors, k * (HEIGHT + ROOM) + 8)
    return "\n".join([*parts, "</svg>"])


def _frame(name: str, values: Any, errors: Any, top: float) -> list[str]:
    place = order(values).astype("float64") if values.dtype.kind == "f" else values.astype("float64")
    low, high = float(place.min()), float(place.max())
    across = (place - low) / ((high - low) or 1.0) * WIDTH + LEFT
    lines = []
    for bits in TICKS:
        y = top + HEIGHT * (1 - bits / 64)
        lines.append(
            f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="currentColor" stroke-opacity=".15"/>'
            f'<text x="{LEFT - 6}" y="{y + 3:.1f}" text-anchor="end">{bits}</text>'
        )
    for x, e in zip(across, errors, strict=True):
        lines.append(
            f'<circle cx="{x:.1f}" cy="{top + HEIGHT * (1 - e / 64):.1f}" r="1.8" fill="#c2410c" fill-opacity=".7"/>'
        )
    y = top + HEIGHT + 14
    least, middle, most = (values[np.argsort(place)[i]] for i in (0, len(place) // 2, -1))
    lines += [
        f'<text x="{LEFT}" y="{y}">{float(least):.3g}</text>',
        f'<text x="{LEFT + WIDTH / 2}" y="{y}" text-anchor="middle">{escape(name)}, about {float(middle):.3g}</text>',
        f'<text x="{LEFT + WIDTH}" y="{y}" text-anchor="end">{float(most):.3g}</text>',
        f'<text x="10" y="{top + HEIGHT / 2}" transform="rotate(-90 10 {top + HEIGHT / 2})" text-anchor="middle">bits</text>',
    ]
    return lines
