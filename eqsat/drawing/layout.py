"""Where boxes and lines of a layered drawing go: layers by longest path, order by barycentres, lines around boxes.

A line that crosses layers passes through one point in each of them, which takes part in the ordering like a
box; lines from one box share these points, so that a value used in many places is one trunk with branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from eqsat.drawing.grid import Grid, choose_columns, choose_order

LAYER_GAP = 30.0  # between layers, more where lines go far to the side


@dataclass(frozen=True)
class Edge:
    """A line from the bottom of one box to operand ``port`` of another."""

    source: int
    target: int
    port: int


@dataclass
class Route:
    """A drawn line: a point where it leaves, then (x, top, bottom) per layer it crosses, then where it ends."""

    start: tuple[float, float, float]
    through: list[tuple[float, float, float]]
    end: tuple[float, float, float]


@dataclass
class Layout:
    """Centre and top of each box, a route per edge, and the extent of everything."""

    x: list[float]
    y: list[float]
    routes: list[Route]
    width: float
    height: float


def layout(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[Edge],
    in_order: Sequence[bool],
    late: Sequence[bool],
) -> Layout:
    """Places for boxes of the given sizes; sources stand before targets in the sequence.

    ``in_order`` says for each box whether its lines arrive in the order of its operands, or in whatever order
    crosses least. ``late`` marks boxes that stand right above the first box that uses them.
    """
    layer = _layers(len(sizes), edges, late)
    grid, trunks = _grid([w for w, _ in sizes], edges, layer)
    ports = _port_offsets(sizes, edges, in_order, {})
    _connect(grid, edges, trunks, ports)
    choose_order(grid)
    place = {v: i for row in grid.layers for i, v in enumerate(row)}
    ports = _port_offsets(sizes, edges, in_order, {e: place[_before(e, trunks, layer)] for e in edges})
    _connect(grid, edges, trunks, ports)
    x = choose_columns(grid, trunks)
    return _assemble(sizes, edges, layer, grid, trunks, ports, x)


# ---------------------------------------------------------------------------------------------- layers


def _layers(count: int, edges: Sequence[Edge], late: Sequence[bool]) -> list[int]:
    """Layer of each box: after all its sources, then moved towards its targets where lines get shorter."""
    sources: list[set[int]] = [set() for _ in range(count)]
    targets: list[set[int]] = [set() for _ in range(count)]
    for edge in edges:
        sources[edge.target].add(edge.source)
        targets[edge.source].add(edge.target)
    layer = [0] * count
    for box in range(count):
        layer[box] = 1 + max((layer[s] for s in sources[box]), default=-1)
    loose = [False] * count  # nothing but this box needs what is above it, so that it can follow
    for box in range(count):
        loose[box] = len(targets[box]) == 1 and all(loose[s] for s in sources[box])
    for box in reversed(range(count)):
        if targets[box]:
            goal = min(layer[t] for t in targets[box]) - 1
            longer = sum(_stretch(s, box, goal, layer, targets) for s in sources[box] if not loose[s])
            layer[box] = goal if late[box] or longer <= goal - layer[box] else layer[box]
    first = min(layer, default=0)
    return [n - first for n in layer]


def _stretch(source: int, box: int, goal: int, layer: Sequence[int], targets: Sequence[set[int]]) -> int:
    """By how many layers the lines of a source grow where one of its targets moves down."""
    others = max((layer[t] for t in targets[source] if t != box), default=0)
    return max(0, goal - max(layer[box], others))


def _grid(
    widths: list[float], edges: Sequence[Edge], layer: Sequence[int]
) -> tuple[Grid, dict[tuple[int, int], int]]:
    """Boxes by layer, and for each box and each layer that its lines cross, one point."""
    grid = Grid(list(widths), len(widths), [[] for _ in range(1 + max(layer, default=0))])
    for box in _walk_up(len(widths), edges):
        grid.layers[layer[box]].append(box)
    reach = list(layer)
    for edge in edges:
        reach[edge.source] = max(reach[edge.source], layer[edge.target])
    trunks: dict[tuple[int, int], int] = {}
    for box in range(len(widths)):
        for row in range(layer[box] + 1, reach[box]):
            trunks[box, row] = len(grid.widths)
            grid.layers[row].append(len(grid.widths))
            grid.widths.append(0.0)
    return grid, trunks


def _walk_up(count: int, edges: Sequence[Edge]) -> list[int]:
    """Boxes in the order of a walk from the outputs, which puts related boxes side by side."""
    sources: list[list[int]] = [[] for _ in range(count)]
    used = [False] * count
    for edge in edges:
        sources[edge.target].append(edge.source)
        used[edge.source] = True
    order: dict[int, None] = {}
    stack = [box for box in reversed(range(count)) if not used[box]]
    while stack:
        box = stack.pop()
        if box not in order:
            order[box] = None
            stack.extend(reversed(sources[box]))
    return list(order)


def _before(edge: Edge, trunks: dict[tuple[int, int], int], layer: Sequence[int]) -> int:
    """What an edge comes from in the layer above its target: a point of the trunk, or the source itself."""
    return trunks.get((edge.source, layer[edge.target] - 1), edge.source)


def _port_offsets(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[Edge],
    in_order: Sequence[bool],
    place: dict[Edge, int],
) -> dict[Edge, float]:
    """How far from the middle of its target each line arrives."""
    arriving: dict[int, list[Edge]] = {}
    for edge in edges:
        arriving.setdefault(edge.target, []).append(edge)
    offsets = {}
    for box, group in arriving.items():
        group.sort(key=lambda e: (0 if in_order[e.target] else place.get(e, 0), e.port))
        step = min(26.0, (sizes[box][0] - 12) / len(group))
        for i, edge in enumerate(group):
            offsets[edge] = (i - (len(group) - 1) / 2) * step
    return offsets


def _connect(
    grid: Grid, edges: Sequence[Edge], trunks: dict[tuple[int, int], int], ports: dict[Edge, float]
) -> None:
    """Fill in the neighbours of boxes and points in the layers next to them."""
    row_of = {v: row for row, members in enumerate(grid.layers) for v in members}
    links: dict[tuple[int, int], list[float]] = {}
    for edge in edges:
        chain = [trunks[edge.source, r] for r in range(row_of[edge.source] + 1, row_of[edge.target])]
        chain = [edge.source, *chain, edge.target]
        for a, b in pairwise(chain):
            links.setdefault((a, b), []).append(ports[edge] if b == edge.target else 0.0)
    grid.up = [[] for _ in grid.widths]
    grid.down = [[] for _ in grid.widths]
    for (a, b), offsets in links.items():
        offset = sum(offsets) / len(offsets)
        grid.up[b].append((a, offset))
        grid.down[a].append((b, offset))


# ---------------------------------------------------------------------------------------------- result


def _assemble(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[Edge],
    layer: Sequence[int],
    grid: Grid,
    trunks: dict[tuple[int, int], int],
    ports: dict[Edge, float],
    x: list[float],
) -> Layout:
    heights = [max((sizes[v][1] for v in row if v < grid.boxes), default=0.0) for row in grid.layers]
    tops = [0.0]
    for row in range(len(grid.layers) - 1):
        tops.append(tops[-1] + heights[row] + _layer_gap(grid, row, x))
    bands = [(top, top + height) for top, height in zip(tops, heights, strict=True)]
    y = [bands[layer[b]][0] + (heights[layer[b]] - sizes[b][1]) / 2 for b in range(grid.boxes)]
    routes = []
    for edge in edges:
        rows = range(layer[edge.source] + 1, layer[edge.target])
        through = [(x[trunks[edge.source, r]], *bands[r]) for r in rows]
        start = (x[edge.source], y[edge.source] + sizes[edge.source][1], bands[layer[edge.source]][1])
        end = (x[edge.target] + ports[edge], bands[layer[edge.target]][0], y[edge.target])
        routes.append(Route(start, through, end))
    width = max((x[v] + grid.widths[v] / 2 for v in range(len(x))), default=0.0)
    return Layout(x[: grid.boxes], y, routes, width, bands[-1][1] if sizes else 0.0)


def _layer_gap(grid: Grid, row: int, x: Sequence[float]) -> float:
    """Space below a layer: more where its lines go far to the side, so that none is nearly flat."""
    far = max((abs(x[n] + o - x[v]) for v in grid.layers[row] for n, o in grid.down[v]), default=0.0)
    return LAYER_GAP + min(45.0, 0.12 * far)
