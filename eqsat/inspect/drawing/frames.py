"""Frames: an op with graphs inside as a box around them, with ports where lines cross its border.

What comes out of a step and goes into the next one is a line that leads back around the right side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant
from eqsat.graph.inner_graphs import Inside, Port
from eqsat.inspect.drawing.boxes import Box
from eqsat.inspect.drawing.contents import boxes_inside, name_box, port_box
from eqsat.inspect.drawing.layout import Edge, Item, Layout, layout

if TYPE_CHECKING:
    from eqsat.inspect.drawing.contents import Contents, Room

SIDE = 12.0  # between the border and what is inside
LANE = 6.0  # between lines that lead back
MOST_BACK = 6  # states with a line back; of more only the ports are drawn


@dataclass
class Back:
    """A line from ports below to ports above: where it starts, its lane, and where it ends, as (x, y)."""

    starts: list[tuple[float, float]]
    lane: tuple[float, float, float]  # y below, x, y above
    ends: list[tuple[float, float]]


@dataclass
class Frame:
    """The contents of a box; places are from its upper left corner.

    ``arrivals`` and ``departures`` are those of an ``Item``; ``ways`` are the boxes where they are, and ``pairs`` those
    that a line back joins.
    """

    boxes: list[Box]
    edges: list[Edge]
    plan: Layout
    origin: tuple[float, float]
    width: float
    height: float
    arrivals: list[tuple[float, float]]
    departures: list[tuple[float, float]]
    back: list[Back] = field(default_factory=list)
    ways: tuple[Sequence[int], Sequence[int]] = ((), ())
    pairs: Sequence[tuple[int, int]] = ()


def edges_of(boxes: Sequence[Box]) -> list[Edge]:
    """Lines between boxes."""
    return [
        Edge(source, target, port, out)
        for target, box in enumerate(boxes)
        for port, (source, out) in enumerate(box.operands)
    ]


def planned(boxes: Sequence[Box]) -> tuple[list[Edge], Layout]:
    """Lines between boxes, and the places of all."""
    edges = edges_of(boxes)
    return edges, layout([item_of(box) for box in boxes], edges)


def item_of(box: Box) -> Item:
    width, height = box.size()
    late = box.kind in ("constant", "fixed")
    item = Item(width, height, not box.commutes, late, box.row, corner=box.kind == "name")
    if box.frame is not None:
        item.arrivals, item.departures = box.frame.arrivals, box.frame.departures
    return item


def framed(node: Apply, graphs: Sequence[Inside], contents: Contents) -> Box:
    """The box of an op with graphs inside; ``contents`` places its operands."""
    if len(graphs) == 1:
        frame, operands = _one(node, graphs[0], contents.room)
    else:
        frame, operands = _several(node, graphs, contents.room)
    return Box(
        "graph", "", unit=node, operands=[contents.place(node.inputs[k]) for k in operands], frame=frame
    )


def _one(node: Apply, graph: Inside, room: Room) -> tuple[Frame, list[int]]:
    """A frame around one graph, and the operands that its ports stand for."""
    needed = [p for p in graph.inputs if p.outer is not None and not _is_number(node, p)]
    back = [(j, needed.index(graph.inputs[i])) for j, i in graph.back]
    boxes, ways_in, ways_out = boxes_inside(node, replace(graph, inputs=tuple(needed)), room)
    ends: dict[int | None, int] = {}
    for way, port in zip(ways_out, graph.outputs, strict=True):
        ends.setdefault(port.outer, way)
    outs = [ends[k] for k in range(len(node.outputs))]
    pairs = [(ways_out[j], ways_in[i]) for j, i in back]
    return _frame(boxes, ways_in, outs, pairs), [p.outer or 0 for p in needed]


def _is_number(node: Apply, port: Port) -> bool:
    """True for a number of steps that the title says."""
    return port.variable is None and isinstance(node.inputs[port.outer or 0], Constant)


def _several(node: Apply, graphs: Sequence[Inside], room: Room) -> tuple[Frame, list[int]]:
    """A frame around frames, such as those of the branches of an ifelse."""
    boxes = [name_box(node, None)]
    operands: list[int] = []
    ways_in: list[int] = []
    frames = []
    for graph in graphs:
        frame, places = _one(node, graph, room)
        ports = []
        for k in places:
            port = next(p for p in graph.inputs if p.outer == k)
            ports.append((len(boxes), 0))
            boxes.append(port_box(port, "first"))
        operands += places
        ways_in += [box for box, _ in ports]
        frames.append((frame, ports))
    inner = []
    for frame, ports in frames:
        inner.append(len(boxes))
        boxes.append(Box("graph", "", unit=node, operands=ports, frame=frame))
    ways_out = []
    for k, v in enumerate(node.outputs):
        ways_out.append(len(boxes))
        port = Port(v, v.name or "", k, "output")
        boxes.append(port_box(port, "last", [(box, k) for box in inner]))
    return _frame(boxes, ways_in, ways_out, []), operands


def _frame(
    boxes: list[Box], ways_in: list[int], ways_out: list[int], back: Sequence[tuple[int, int]]
) -> Frame:
    edges, plan = planned(boxes)
    plan.x[0] = boxes[0].size()[0] / 2  # the name, on the left of its layer
    groups = _groups(back)
    lanes = len(groups) if len(groups) <= MOST_BACK else 0
    strip = LANE * (lanes + 1) if lanes else 8.0
    width = plan.width + 2 * SIDE + LANE * lanes
    height = plan.height + 2 * strip
    tops = [strip + y for y in plan.y]
    sides = [SIDE + x for x in plan.x]
    sizes = [box.size() for box in boxes]
    frame = Frame(
        boxes,
        edges,
        plan,
        (SIDE, strip),
        width,
        height,
        [(sides[k] - width / 2, tops[k]) for k in ways_in],
        [(sides[k] - width / 2, height - tops[k] - sizes[k][1]) for k in ways_out],
        ways=(ways_in, ways_out),
        pairs=back,
    )
    for lane, (starts, ends) in enumerate(groups[:lanes]):
        aside = [min(9.0, box.size()[0] / 2 - 4) for box in boxes]
        right = width - SIDE - LANE * lanes + LANE * (lane + 1)
        below = max(tops[k] + sizes[k][1] for k in starts) + LANE * (lane + 1) - 1
        above = min(tops[k] for k in ends) - LANE * (lane + 1) + 1
        frame.back.append(
            Back(
                [(sides[k] + aside[k], tops[k] + sizes[k][1]) for k in starts],
                (below, right, above),
                [(sides[k] + aside[k], tops[k]) for k in ends],
            )
        )
    return frame


def _groups(pairs: Sequence[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Pairs that share a side, together: all starts and all ends."""
    groups: list[tuple[list[int], list[int]]] = []
    for start, end in pairs:
        for starts, ends in groups:
            if start in starts or end in ends:
                starts += [start] * (start not in starts)
                ends += [end] * (end not in ends)
                break
        else:
            groups.append(([start], [end]))
    return groups
