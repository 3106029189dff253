"""The layout of a layered drawing: layers by longest path, order by barycentres, lines around boxes.

A line that crosses layers passes through one point in each of them, which takes part in the ordering like a
box; lines from one box share these points, so that a value used in many places is one trunk with branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from eqsat.base.values import dataclass
from eqsat.inspect.drawing.grid import Grid, choose_columns, choose_order

Trunks = dict[tuple[int, int, int], int]  # the point of the lines of an output of a box in a layer

LAYER_GAP = 30.0  # between layers, more where lines go far to the side


@dataclass(frozen=True)
class Edge:
    """A line from output ``out`` of one box, at its bottom, to operand ``port`` of another."""

    source: int
    target: int
    port: int
    out: int = 0


@dataclass
class Item:
    """A box for the layout.

    ``in_order`` says whether lines arrive in the order of the operands, or in whatever order crosses least. ``late``
    marks boxes that stand right above the first box that uses them. ``row`` is first or last for boxes that stand in
    that layer, and ``corner`` the one on the left of it. A box with ports has them at fixed places: for each operand, and for each output, how far from its
    middle and how far inside a line ends or begins.
    """

    width: float
    height: float
    in_order: bool = True
    late: bool = False
    row: str = ""
    corner: bool = False
    arrivals: Sequence[tuple[float, float]] | None = None
    departures: Sequence[tuple[float, float]] | None = None

    def leaves(self, out: int) -> tuple[float, float]:
        """The points at which lines of an output begin, from the middle and from the bottom upwards."""
        return (0.0, 0.0) if self.departures is None else self.departures[out]

    def arrives(self, port: int) -> float:
        """The distance from the top at which the line to an operand ends."""
        return 0.0 if self.arrivals is None else self.arrivals[port][1]


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


def arrange(items: Sequence[Item], edges: Sequence[Edge]) -> tuple[list[int], Grid, Trunks]:
    """The layer of each box, the order within layers, and the points of lines that cross layers."""
    layer = _layers(items, edges)
    grid, trunks = _grid([item.width for item in items], edges, layer)
    ports = _port_offsets(items, edges, {})
    grid.corners = {k for k, item in enumerate(items) if item.corner}
    _connect(grid, items, edges, trunks, ports)
    choose_order(grid)
    return layer, grid, trunks


def layout(items: Sequence[Item], edges: Sequence[Edge]) -> Layout:
    """Places for boxes; sources stand before targets in the sequence."""
    layer, grid, trunks = arrange(items, edges)
    place = {v: i for row in grid.layers for i, v in enumerate(row)}
    ports = _port_offsets(items, edges, {e: place[_before(e, trunks, layer)] for e in edges})
    _connect(grid, items, edges, trunks, ports)
    x = choose_columns(grid, trunks)
    return _assemble(items, edges, layer, grid, trunks, ports, x)


# ---------------------------------------------------------------------------------------------- layers


def _layers(items: Sequence[Item], edges: Sequence[Edge]) -> list[int]:
    """Layer of each box: after all its sources, then moved towards its targets where lines get shorter."""
    count = len(items)
    sources: list[set[int]] = [set() for _ in range(count)]
    targets: list[set[int]] = [set() for _ in range(count)]
    for edge in edges:
        sources[edge.target].add(edge.source)
        targets[edge.source].add(edge.target)
    layer = [0] * count
    top = int(any(item.row == "first" for item in items))
    for box in range(count):
        alone = 0 if items[box].row == "first" else top
        layer[box] = max([alone, *(layer[s] + 1 for s in sources[box])])
    loose = [False] * count  # nothing but this box needs what is above it, so that it can follow
    for box in range(count):
        loose[box] = len(targets[box]) == 1 and all(loose[s] for s in sources[box])
    for box in reversed(range(count)):
        if targets[box] and not items[box].row:
            goal = max(top, min(layer[t] for t in targets[box]) - 1)
            longer = sum(_stretch(s, box, goal, layer, targets) for s in sources[box] if not loose[s])
            layer[box] = goal if items[box].late or longer <= goal - layer[box] else layer[box]
    first, last = min(layer, default=0), max(layer, default=0)
    ends = {"first": first, "last": last}
    return [ends.get(item.row, n) - first for item, n in zip(items, layer, strict=True)]


def _stretch(source: int, box: int, goal: int, layer: Sequence[int], targets: Sequence[set[int]]) -> int:
    """By how many layers the lines of a source grow where one of its targets moves down."""
    others = max((layer[t] for t in targets[source] if t != box), default=0)
    return max(0, goal - max(layer[box], others))


def _grid(widths: list[float], edges: Sequence[Edge], layer: Sequence[int]) -> tuple[Grid, Trunks]:
    """Boxes by layer, and for each box and each layer that its lines cross, one point."""
    grid = Grid(list(widths), len(widths), [[] for _ in range(1 + max(layer, default=0))])
    for box in _walk_up(len(widths), edges):
        grid.layers[layer[box]].append(box)
    reach: dict[tuple[int, int], int] = {}
    for edge in edges:
        key = edge.source, edge.out
        reach[key] = max(reach.get(key, 0), layer[edge.target])
    trunks: Trunks = {}
    for box, out in sorted(reach):
        for row in range(layer[box] + 1, reach[box, out]):
            trunks[box, out, row] = len(grid.widths)
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


def _before(edge: Edge, trunks: Trunks, layer: Sequence[int]) -> int:
    """The upper end of an edge, in the layer above its target: a point of the trunk, or the source itself."""
    return trunks.get((edge.source, edge.out, layer[edge.target] - 1), edge.source)


def _port_offsets(items: Sequence[Item], edges: Sequence[Edge], place: dict[Edge, int]) -> dict[Edge, float]:
    """The distance of each arriving line from the middle of its target."""
    arriving: dict[int, list[Edge]] = {}
    for edge in edges:
        arriving.setdefault(edge.target, []).append(edge)
    offsets = {}
    for box, group in arriving.items():
        item = items[box]
        group.sort(key=lambda e: (0 if items[e.target].in_order else place.get(e, 0), e.port))
        step = min(26.0, (item.width - 12) / len(group))
        for i, edge in enumerate(group):
            fixed = item.arrivals[edge.port][0] if item.arrivals is not None else None
            offsets[edge] = (i - (len(group) - 1) / 2) * step if fixed is None else fixed
    return offsets


def _connect(
    grid: Grid, items: Sequence[Item], edges: Sequence[Edge], trunks: Trunks, ports: dict[Edge, float]
) -> None:
    """Fill in the neighbours of boxes and points in the layers next to them, and how far aside lines between them go."""
    row_of = {v: row for row, members in enumerate(grid.layers) for v in members}
    links: dict[tuple[int, int], list[float]] = {}
    for edge in edges:
        rows = range(row_of[edge.source] + 1, row_of[edge.target])
        chain = [edge.source, *(trunks[edge.source, edge.out, r] for r in rows), edge.target]
        for a, b in pairwise(chain):
            offset = ports[edge] if b == edge.target else 0.0
            offset -= items[a].leaves(edge.out)[0] if a == edge.source else 0.0
            links.setdefault((a, b), []).append(offset)
    grid.up = [[] for _ in grid.widths]
    grid.down = [[] for _ in grid.widths]
    for (a, b), offsets in links.items():
        offset = sum(offsets) / len(offsets)
        grid.up[b].append((a, offset))
        grid.down[a].append((b, offset))


# ---------------------------------------------------------------------------------------------- result


def _assemble(
    items: Sequence[Item],
    edges: Sequence[Edge],
    layer: Sequence[int],
    grid: Grid,
    trunks: Trunks,
    ports: dict[Edge, float],
    x: list[float],
) -> Layout:
    heights = [max((items[v].height for v in row if v < grid.boxes), default=0.0) for row in grid.layers]
    tops = [0.0]
    for row in range(len(grid.layers) - 1):
        tops.append(tops[-1] + heights[row] + _layer_gap(grid, row, x))
    bands = [(top, top + height) for top, height in zip(tops, heights, strict=True)]
    y = [bands[layer[b]][0] + (heights[layer[b]] - item.height) / 2 for b, item in enumerate(items)]
    routes = []
    for edge in edges:
        box, target = edge.source, edge.target
        through = [(x[trunks[box, edge.out, r]], *bands[r]) for r in range(layer[box] + 1, layer[target])]
        aside, above = items[box].leaves(edge.out)
        start = (x[box] + aside, y[box] + items[box].height - above, bands[layer[box]][1])
        end = (x[target] + ports[edge], bands[layer[target]][0], y[target] + items[target].arrives(edge.port))
        routes.append(Route(start, through, end))
    width = max((x[v] + grid.widths[v] / 2 for v in range(len(x))), default=0.0)
    return Layout(x[: grid.boxes], y, routes, width, bands[-1][1] if items else 0.0)


def _layer_gap(grid: Grid, row: int, x: Sequence[float]) -> float:
    """Space below a layer: more where its lines go far to the side, so that none is nearly flat."""
    far = max((abs(x[n] + o - x[v]) for v in grid.layers[row] for n, o in grid.down[v]), default=0.0)
    return LAYER_GAP + min(45.0, 0.12 * far)
