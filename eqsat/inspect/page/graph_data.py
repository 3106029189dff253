"""A graph as data for the script of a page: boxes in layers, in an order with few crossings, and the lines between them.

Groups and loops hold the data of what is inside of them. Where shape arithmetic is hidden at first, there are two arrangements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Variable
from eqsat.graph.walk import toposort
from eqsat.inspect.drawing.boxes import Box, op_box
from eqsat.inspect.drawing.contents import Room, nearest, node_count
from eqsat.inspect.drawing.frames import edges_of, item_of
from eqsat.inspect.drawing.layout import Edge, arrange
from eqsat.inspect.loop_facts import inside_text, op_count
from eqsat.inspect.page.groups import Group, grouped, line_of, scope_of
from eqsat.inspect.page.levels import Level, levels
from eqsat.inspect.page.opening import open_some
from eqsat.inspect.page.shape_arithmetic import Hidden, shape_arithmetic

LARGEST = 6000  # nodes of one graph
INSIDE = 400  # nodes inside of loops

Costs = Mapping[Any, tuple[float, str]]  # of a node: the part of the whole, and in words

Arranged = dict[Any, tuple[Any, Any]]  # layers of boxes and points of lines, by what they are made from


@dataclass
class Scene:
    """The facts that the boxes of a graph show: costs, numbers of their structure, those that the other graph has too."""

    costs: Costs
    numbers: Mapping[Any, int]
    common: set[int] | None  # None where there is no other graph
    show: Callable[[float], str]  # a part of the cost in words
    hidden: Hidden = field(default_factory=lambda: Hidden(frozenset(), frozenset()))
    known: Arranged = field(default_factory=dict)


def graphs_data(graphs: Sequence[Sequence[Any]], scenes: Sequence[Scene], room: int) -> list[Any]:
    """The boxes of graphs, of which about ``room`` are seen at first in all."""
    known: Arranged = {}
    for scene in scenes:
        scene.known = known
    return [graph_data(g, s, room // len(graphs)) for g, s in zip(graphs, scenes, strict=True)]


def graph_data(outputs: Sequence[Any], scene: Scene, room: int) -> Any:
    """The boxes of a graph, of which about ``room`` are seen at first."""
    chosen = nearest(outputs, LARGEST)
    scene.hidden = shape_arithmetic(outputs)
    nodes = [n for n in toposort(outputs) if n in chosen]
    weights = {n: scene.costs[n][0] for n in nodes if n in scene.costs}
    whole = grouped(nodes, weights, scene.hidden)
    top = levels(whole, outputs, chosen, Room(INSIDE), node_count(outputs) - len(chosen))
    data = _levels(top, scene)
    open_some(data, room)
    return data


def _levels(top: Level, scene: Scene) -> Any:
    """The data of a level, with those of its groups in their boxes."""
    found = _level(top, scene)
    open_ = [(top, found)]
    while open_:
        level, data = open_.pop()
        for k, inner in level.inner.items():
            item = data["items"][k]
            item.update(_group_fields(inner.group, scene))
            item["f"] = {**_level(inner, scene), "ins": inner.ways[0], "outs": inner.ways[1], "back": []}
            item["f"]["items"][0]["s"] = item.get("s", "")
            open_.append((inner, item["f"]))
    return found


def _group_fields(group: Group, scene: Scene) -> dict[str, Any]:
    """The fields of the box of a group that tell of all ops inside."""
    ops = list(group.ops())
    share = sum(scene.costs[n][0] for n in ops if n in scene.costs)
    count = op_count(ops)
    lines = {line_of(n) for n in ops} - {""}
    where = next(iter(lines)) if len(lines) == 1 else ""
    said = f"{count:,} op{'s' * (count != 1)}"
    scope = scope_of(ops[0]) if group.why == "scope" else ""
    whole = "/".join(scope.split("/")[: group.depth])
    fields = {
        "d": f"{said}, {where}" if where and not group.lined else said,
        "tip": f"{whole or group.title}: {said}" + (f", made at {where}" if where else ""),
        "c": scene.show(share) if scene.costs else "",
        "p": round(share, 4),
        "count": count,
    }
    if scene.common is not None:
        fields["s"] = "old" if all(scene.numbers.get(n) in scene.common for n in ops) else "new"
    return {k: v for k, v in fields.items() if v not in ("", 0)}


def _level(level: Level, scene: Scene) -> Any:
    boxes = level.boxes
    edges = edges_of(boxes)
    items = [_box(box, scene) for box in boxes]
    unseen = _unseen(level, edges, scene.hidden)
    found: dict[str, Any] = {"items": items, **_arranged(boxes, edges, scene.known)}
    if unseen:
        for k in unseen:
            items[k]["hide"] = 1
        some = _arranged_without(boxes, unseen, scene)
        found = {"items": items, **some, "all": _arranged(boxes, edges, scene.known)}
    return found


def _arranged(
    boxes: Sequence[Box], edges: Sequence[Edge], known: Arranged, names: Sequence[int] | None = None
) -> dict[str, Any]:
    """Boxes in layers and lines; ``names`` are the places that the boxes have among all, of which points have none."""
    rows, points = _layers_of(boxes, edges, known)
    last = len(boxes)

    def name(k: int) -> int:
        return k if names is None else names[k] if k < last else k - last + names[-1]

    return {
        "rows": [[name(k) for k in row] for row in rows],
        "edges": [
            [name(e.source), e.out, name(e.target), e.port, [name(p) for p in through]]
            for e, through in zip(edges, points, strict=True)
        ],
    }


def _layers_of(boxes: Sequence[Box], edges: Sequence[Edge], known: Arranged) -> tuple[Any, Any]:
    """The boxes of each layer and the points of each line; blocks that differ in names alone are arranged once."""
    key = (
        tuple((e.source, e.target, e.port, e.out) for e in edges),
        tuple((box.commutes, box.kind, box.row, box.frame is None) for box in boxes),
    )
    if key not in known:
        layer, grid, trunks = arrange([item_of(box) for box in boxes], edges)
        known[key] = grid.layers, [_points(e, layer, trunks) for e in edges]
    return known[key]


def _arranged_without(boxes: Sequence[Box], unseen: set[int], scene: Scene) -> dict[str, Any]:
    """The arrangement of the boxes that are seen at first; lines lead through views to what these show."""
    kept = [k for k in range(len(boxes)) if k not in unseen]
    place = {k: j for j, k in enumerate(kept)}
    edges = []
    for e in edges_of(boxes):
        source, out = _behind(boxes, e.source, e.out, scene.hidden)
        if source in place and e.target in place:
            edges.append(Edge(place[source], place[e.target], e.port, out))
    return _arranged([boxes[k] for k in kept], edges, scene.known, [*kept, len(boxes)])


def _behind(boxes: Sequence[Box], source: int, out: int, hidden: Hidden) -> tuple[int, int]:
    """The box that a line comes from when views are left out."""
    while boxes[source].unit in hidden.views and boxes[source].kind != "output":
        source, out = boxes[source].operands[0]
    return source, out


def _unseen(level: Level, edges: Sequence[Edge], hidden: Hidden) -> set[int]:
    """Boxes of shape arithmetic, the ports of lengths, and inputs and constants that nothing else reads."""
    boxes = level.boxes
    gone = {k for k, box in enumerate(boxes) if box.unit in hidden or _is_length_port(box, hidden)}
    gone |= {k for k, inner in level.inner.items() if all(n in hidden.lengths for n in inner.group.ops())}
    if not gone:
        return gone
    read = {_behind(boxes, e.source, e.out, hidden)[0] for e in edges if e.target not in gone}
    leaves = ("constant", "fixed", "input", "shared")
    unread = {k for k, box in enumerate(boxes) if k not in read}
    return gone | {k for k in unread if boxes[k].kind in leaves or _is_way_in(boxes[k])}


def _is_way_in(box: Box) -> bool:
    """True for a port through which a value comes into a group."""
    return box.kind == "port" and box.row == "first" and box.unit is not None


def _is_length_port(box: Box, hidden: Hidden) -> bool:
    """True for a port of a group through which a length goes."""
    return box.kind == "port" and isinstance(box.unit, Variable) and box.unit.owner in hidden.lengths


def _points(edge: Edge, layer: Sequence[int], trunks: Mapping[tuple[int, int, int], int]) -> list[int]:
    rows = range(layer[edge.source] + 1, layer[edge.target])
    return [trunks[edge.source, edge.out, row] for row in rows]


def _box(box: Box, scene: Scene) -> dict[str, Any]:
    """One box; what is empty is left out."""
    unit: Any = box.unit
    key = unit.owner or unit if unit is not None and not isinstance(unit, Apply) else unit
    number = scene.numbers.get(key)
    shown = box if box.frame is None else _closed(box)
    known = isinstance(key, Apply) and box.kind not in ("output", "port")
    share, words = scene.costs.get(key, (0.0, "")) if known else (0.0, "")
    data: dict[str, Any] = {
        "k": shown.kind,
        "t": shown.title,
        "a": shown.argument,
        "d": shown.detail,
        "tip": box.tooltip or shown.tooltip or shown.title,
        "c": words,
        "p": round(share, 4),
        "n": number,
        "m": int(box.commutes),
        "stay": int(bool(box.row)),
        "in": scope_of(unit) if isinstance(unit, Apply) else "",
    }
    if scene.common is not None:
        data["s"] = "old" if unit is None or number in scene.common else "new"
    if box.frame is not None:
        frame = box.frame
        inner = _level(Level(None, list(frame.boxes)), scene)
        ways = {"ins": list(frame.ways[0]), "outs": list(frame.ways[1]), "back": list(frame.pairs)}
        data["f"] = {**inner, **ways}
    return {k: v for k, v in data.items() if v not in ("", 0, None)}


def _closed(box: Box) -> Box:
    """An op with graphs inside as one box."""
    assert isinstance(box.unit, Apply)
    shut = op_box(box.unit, box.operands)
    shut.detail = inside_text(box.unit)
    return shut
