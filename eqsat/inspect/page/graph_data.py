"""A graph as data for the script of a page: boxes in layers, in an order with few crossings, and the lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.graph.core import Apply
from eqsat.graph.inner_graphs import insides
from eqsat.graph.walk import toposort
from eqsat.inspect.drawing.boxes import Box, op_box
from eqsat.inspect.drawing.contents import Room, boxes_of
from eqsat.inspect.drawing.frames import edges_of, item_of
from eqsat.inspect.drawing.layout import Edge, arrange

LARGEST = 400  # nodes of one graph
OPEN = 60  # nodes, up to which loops are open at first

Costs = Mapping[Any, tuple[float, str]]  # of a node: the part of the whole, and in words


def graph_data(outputs: Sequence[Any], costs: Costs, numbers: Mapping[Any, int], common: set[int]) -> Any:
    """The boxes of a graph; ``numbers`` are those of its structure, and those in ``common`` are in the other graph too."""
    boxes = boxes_of(outputs, LARGEST, Room(LARGEST))
    size = sum(len(toposort(g.results)) for n in toposort(outputs) for g in insides(n))
    return _level(boxes, costs, numbers, common, size <= OPEN)


def _level(
    boxes: Sequence[Box], costs: Costs, numbers: Mapping[Any, int], common: set[int], opened: bool
) -> Any:
    edges = edges_of(boxes)
    layer, grid, trunks = arrange([item_of(box) for box in boxes], edges)
    lines = [[e.source, e.out, e.target, e.port, _points(e, layer, trunks)] for e in edges]
    items = [_box(box, costs, numbers, common, opened) for box in boxes]
    return {"items": items, "rows": grid.layers, "edges": lines}


def _points(edge: Edge, layer: Sequence[int], trunks: Mapping[tuple[int, int, int], int]) -> list[int]:
    rows = range(layer[edge.source] + 1, layer[edge.target])
    return [trunks[edge.source, edge.out, row] for row in rows]


def _box(
    box: Box, costs: Costs, numbers: Mapping[Any, int], common: set[int], opened: bool
) -> dict[str, Any]:
    """One box; what is empty is left out."""
    unit: Any = box.unit
    key = unit.owner or unit if unit is not None and not isinstance(unit, Apply) else unit
    number = numbers.get(key)
    shown = box if box.frame is None else _closed(box)
    share, words = costs.get(key, (0.0, "")) if isinstance(key, Apply) and box.kind != "output" else (0.0, "")
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
    }
    if numbers:
        data["s"] = "old" if unit is None or number in common else "new"
    if box.frame is not None:
        frame = box.frame
        inner = _level(frame.boxes, costs, numbers, common, opened)
        data["f"] = {
            **inner,
            "ins": list(frame.ways[0]),
            "outs": list(frame.ways[1]),
            "back": list(frame.pairs),
        }
        data["open"] = int(opened)
    return {k: v for k, v in data.items() if v not in ("", 0, None)}


def _closed(box: Box) -> Box:
    """An op with graphs inside as one box."""
    assert isinstance(box.unit, Apply)
    shut = op_box(box.unit, box.operands)
    count = sum(len(toposort(g.results)) for g in insides(box.unit))
    shut.detail = f"{count:,} op{'s' * (count != 1)} inside"
    return shut
