"""The order of boxes and lines within the layers of a drawing, and their columns: few crossings, straight lines."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import pairwise

from eqsat.base.values import dataclass

BOX_GAP = 20.0  # between boxes of a layer
LINE_GAP = 11.0  # between a line and what is beside it
SWEEPS = 24
NUDGE = 1e-5  # of a place, for a unit of what lines go aside: orders those between the same boxes


@dataclass
class Grid:
    """Boxes and points of lines by layer; points have numbers after those of the boxes."""

    widths: list[float]
    boxes: int
    layers: list[list[int]]
    up: list[list[tuple[int, float]]] = field(default_factory=list)  # neighbours above, where they arrive
    down: list[list[tuple[int, float]]] = field(default_factory=list)
    corners: set[int] = field(default_factory=set)  # boxes that stay on the left of their layer


# ----------------------------------------------------------------------------------------------- order


def choose_order(grid: Grid) -> None:
    """Order each layer by the mean place of its neighbours, down and up in turn; keep the fewest crossings."""
    for members in grid.layers:
        members.sort(key=lambda v: v not in grid.corners)
    best, fewest = [list(row) for row in grid.layers], _crossings(grid)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        rows = range(1, len(grid.layers)) if downwards else range(len(grid.layers) - 2, -1, -1)
        for row in rows:
            _sort_layer(grid, row, row - 1 if downwards else row + 1, grid.up if downwards else grid.down)
        crossings = _crossings(grid)
        if crossings < fewest:
            best, fewest = [list(row) for row in grid.layers], crossings
    grid.layers = best


def _sort_layer(grid: Grid, row: int, beside: int, neighbours: list[list[tuple[int, float]]]) -> None:
    sign = 1 if beside < row else -1
    place = {v: float(i) for i, v in enumerate(grid.layers[beside])}
    size = max(1, len(grid.layers[row]))
    key = {}
    for i, v in enumerate(grid.layers[row]):
        if v in grid.corners:
            key[v] = -1.0
            continue
        found = [place[n] - sign * offset * NUDGE for n, offset in neighbours[v] if n in place]
        key[v] = sum(found) / len(found) if found else i / size * len(place)
    grid.layers[row].sort(key=key.__getitem__)


def _crossings(grid: Grid) -> int:
    total = 0
    for upper, lower in pairwise(grid.layers):
        place = {v: i for i, v in enumerate(lower)}
        seen: list[float] = []
        for v in upper:
            ends = [place[n] + offset * NUDGE for n, offset in grid.down[v]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


# --------------------------------------------------------------------------------------------- columns


def choose_columns(grid: Grid, trunks: dict[tuple[int, int, int], int]) -> list[float]:
    """Horizontal centres: each layer in turn goes as near to its neighbours as its order and gaps allow.

    In the second half of the sweeps each trunk is pulled to one vertical line.
    """
    x = [0.0] * len(grid.widths)
    members: dict[tuple[int, int], list[int]] = {}
    for (box, out, _), point in trunks.items():
        members.setdefault((box, out), []).append(point)
    for row in grid.layers:
        _fit(grid, row, [0.0] * len(row), [1.0] * len(row), x)
    for sweep in range(2 * SWEEPS):
        downwards = sweep % 2 == 0
        both = sweep >= SWEEPS
        lines = _lines(x, members.values()) if both else {}
        for row in grid.layers if downwards else reversed(grid.layers):
            pulls = [
                _beside(grid, row, v, x)
                if not grid.up[v] and not grid.down[v]
                else lines.get(v) or _wanted(grid, v, x, both or downwards, both or not downwards)
                for v in row
            ]
            _fit(grid, row, [want for want, _ in pulls], [weight for _, weight in pulls], x)
    left = min((x[v] - grid.widths[v] / 2 for v in range(len(x))), default=0.0)
    return [place - left for place in x]


def _beside(grid: Grid, row: Sequence[int], v: int, x: Sequence[float]) -> tuple[float, float]:
    """For a box without lines: as near to one that has some as its order allows, without moving it."""
    at = row.index(v)
    others = [k for k, other in enumerate(row) if grid.up[other] or grid.down[other]]
    return (x[row[min(others, key=lambda k: abs(k - at))]] if others else x[v], 1e-6)


def _lines(x: Sequence[float], trunks: Iterable[list[int]]) -> dict[int, tuple[float, float]]:
    """For each point of a trunk the middle of the trunk, as a strong pull."""
    pulls: dict[int, tuple[float, float]] = {}
    for points in trunks:
        pulls.update(dict.fromkeys(points, (sum(x[p] for p in points) / len(points), 16.0)))
    return pulls


def _wanted(grid: Grid, v: int, x: Sequence[float], above: bool, below: bool) -> tuple[float, float]:
    """The place straight below or above the neighbours of a box or point, and the weight of that wish."""
    pulls = [(x[n] - offset, _stiffness(grid, v, n)) for n, offset in grid.up[v]] if above else []
    pulls += [(x[n] + offset, _stiffness(grid, v, n)) for n, offset in grid.down[v]] if below else []
    weight = sum(w for _, w in pulls)
    return (sum(p * w for p, w in pulls) / weight, weight) if pulls else (x[v], 0.01)


def _stiffness(grid: Grid, a: int, b: int) -> float:
    return (1.0, 2.0, 8.0)[(a >= grid.boxes) + (b >= grid.boxes)]


def _fit(
    grid: Grid, row: Sequence[int], wanted: Sequence[float], weights: Sequence[float], x: list[float]
) -> None:
    """Least-squares places for a layer that keep its order and gaps: pool what would overlap."""
    shifts = [0.0]
    for a, b in pairwise(row):
        gap = BOX_GAP if a < grid.boxes and b < grid.boxes else LINE_GAP
        shifts.append(shifts[-1] + (grid.widths[a] + grid.widths[b]) / 2 + gap)
    blocks: list[tuple[float, float, int]] = []  # weighted sum, weight, members
    for want, weight, shift in zip(wanted, weights, shifts, strict=False):
        block = ((want - shift) * weight, weight, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    places = [total / weight for total, weight, members in blocks for _ in range(members)]
    for v, place, shift in zip(row, places, shifts, strict=False):
        x[v] = place + shift
