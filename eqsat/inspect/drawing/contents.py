"""The contents of a drawing: nodes as boxes, those nearest to the outputs where a graph is large, loops opened or closed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.inner_graphs import FIXED, Inside, Port, insides
from eqsat.graph.walk import ancestors, toposort
from eqsat.inspect.drawing.boxes import Box, Unit, cut, leaf_box, op_box
from eqsat.inspect.loop_facts import inside_text
from eqsat.printing.leaf_texts import steps_text

LARGEST_INSIDE = 120  # nodes that are drawn of one graph inside an op


@dataclass
class Room:
    """The number of nodes inside ops that a picture may still hold."""

    left: int

    def takes(self, node: Apply, graphs: Sequence[Inside]) -> bool:
        """True where there is room for the graphs inside an op, which are then counted."""
        size = sum(min(LARGEST_INSIDE, node_count(g.results)) for g in graphs)
        if not graphs or size > self.left:
            return False
        self.left -= size
        return True


def node_count(outputs: Sequence[Variable]) -> int:
    """Ops, inputs and constants of a graph."""
    return len({variable.owner or variable for variable in ancestors(outputs)})


def boxes_of(outputs: Sequence[Variable], limit: int, room: Room | None = None) -> list[Box]:
    """Boxes of a graph, operands first; of a large graph those of the ``limit`` nodes nearest to the outputs."""
    contents = Contents(nearest(outputs, limit), room or Room(0))
    contents.add_nodes(outputs)
    contents.add_outputs(outputs)
    return contents.boxes


def boxes_inside(node: Apply, graph: Inside, room: Room) -> tuple[list[Box], list[int], list[int]]:
    """Boxes of a graph inside an op, between a title and ports; and which of them are the ports, in and out."""
    contents = Contents(nearest(graph.results, LARGEST_INSIDE), room)
    boxes = contents.boxes
    boxes.append(name_box(node, graph))
    ways_in = []
    for port in graph.inputs:
        ways_in.append(len(boxes))
        boxes.append(port_box(port, "first"))
        if port.kind == FIXED:
            contents.fixed[port.variable], contents.ports[port.variable] = port, len(boxes) - 1
        elif port.variable is not None:
            contents.where[port.variable] = len(boxes) - 1
    contents.add_nodes(graph.results)
    ways_out = []
    for port in graph.outputs:
        operand = contents.place(port.variable)
        ways_out.append(len(boxes))
        boxes.append(port_box(port, "last", [operand]))
    return boxes, ways_in, ways_out


def name_box(node: Apply, graph: Inside | None) -> Box:
    """The title of a frame; that of a loop says the number of its steps."""
    name, _, inside = str(node.op).partition("{")
    words = [name, inside.removesuffix("}"), graph.title if graph is not None and graph.steps is None else ""]
    detail = ""
    if graph is not None and graph.steps is not None:
        count, unit = steps_text(graph)
        detail = cut(count, 24) + unit.split(",")[0]
    detail = ", ".join(filter(None, [detail, getattr(node.op, "detail", "")]))
    made = node.outputs[0].made_at if node.outputs else None
    tooltip = f"{node.op}" + (f", made at {made}" if made else "")
    return Box("name", cut(" ".join(filter(None, words))), "", detail, tooltip, row="first")


def port_box(port: Port, row: str, operands: Sequence[tuple[int, int]] = ()) -> Box:
    """The box of a variable that crosses the border of a frame."""
    variable = port.variable
    kind = variable.type.short() if variable is not None else ""
    label = port.label or kind
    tooltip = ", ".join(filter(None, [f"{label}: {kind}" if kind and port.label else label, port.kind]))
    return Box("port", cut(label), tooltip=tooltip, operands=list(operands), row=row)


class Contents:
    """The boxes of one graph, or of one group of it, and which box shows what.

    ``entries`` has the box, and its output, of variables that come from outside of a group or out of one within it.
    """

    def __init__(self, chosen: Collection[Unit], room: Room) -> None:
        self.chosen, self.room = chosen, room
        self.boxes: list[Box] = []
        self.where: dict[Unit, int] = {}
        self.entries: dict[Variable, tuple[int, int]] = {}
        self.fixed: dict[Variable, Port] = {}
        self.ports: dict[Variable, int] = {}
        self.more = -1

    def add_nodes(self, outputs: Sequence[Variable]) -> None:
        """A box for each op, after those of its operands."""
        self.add_more(node_count(outputs) - len(self.chosen))
        for node in toposort(outputs, stop=outside(self.chosen)):
            if node in self.chosen:
                self.add_node(node)

    def add_more(self, hidden: int) -> None:
        """A box for the nodes that are not drawn, where there are some."""
        if hidden:
            self.more = len(self.boxes)
            text = f"{hidden:,} more node{'s' * (hidden > 1)}"
            self.boxes.append(Box("more", text, tooltip="farther from the outputs"))

    def add_node(self, node: Apply) -> None:
        """The box of an op."""
        box = self._box(node)
        self.where[node] = len(self.boxes)
        self.boxes.append(box)

    def add_outputs(
        self, outputs: Sequence[Variable], here: Callable[[Variable], bool] | None = None
    ) -> None:
        """A box for each output, or for those that are ``here``."""
        for i, output in enumerate(outputs):
            if (output.owner or output) in self.chosen and (here is None or here(output)):
                title = output.name or ("output" if len(outputs) == 1 else f"output {i}")
                self.boxes.append(Box("output", cut(title), unit=output, operands=[self.place(output)]))

    def _box(self, node: Apply) -> Box:
        from eqsat.inspect.drawing.frames import framed

        graphs = [g for g in insides(node) if g.inputs]
        if self.room.takes(node, graphs):
            return framed(node, graphs, self)
        near = all(v.owner is None for v in node.inputs) and any(v in self.where for v in node.inputs)
        box = op_box(node, [self.place(v, near) for v in node.inputs])
        if graphs:
            box.detail = cut(inside_text(node))
        return box

    def place(self, variable: Variable, near: bool = False) -> tuple[int, int]:
        """The box that shows a variable, and its output; leaves get theirs here.

        What is the same in every step is drawn at every use, but ``near`` its port the line comes from there.
        """
        unit = variable.owner or variable
        if variable in self.entries:
            return self.entries[variable]
        if unit in self.where:
            box = self.where[unit]
            return box, variable.index or 0 if self.boxes[box].frame is not None else 0
        if unit not in self.chosen:
            return self.more, 0
        port = self.fixed.get(variable)
        if port is not None and near:
            return self.ports[variable], 0
        if port is not None:
            self.boxes.append(Box("fixed", cut(port.label), tooltip="the same in every step", unit=variable))
        else:
            self.boxes.append(leaf_box(variable))
        if port is None and not isinstance(variable, Constant):
            self.where[variable] = len(self.boxes) - 1
        return len(self.boxes) - 1, 0


def nearest(outputs: Sequence[Variable], limit: int) -> set[Unit]:
    """The nodes that a breadth-first walk from the outputs meets first, with all constants beside them."""
    chosen: set[Unit] = set()
    counted = 0
    queue = deque(outputs)
    while queue:
        variable = queue.popleft()
        unit = variable.owner or variable
        if unit in chosen or (counted >= limit and not isinstance(unit, Constant)):
            continue
        chosen.add(unit)
        counted += not isinstance(unit, Constant)
        if isinstance(unit, Apply):
            queue.extend(unit.inputs)
    return chosen


def outside(chosen: Collection[Unit]) -> list[Variable]:
    """Operands of chosen nodes that are computed by nodes that are not."""
    return [
        v
        for n in chosen
        if isinstance(n, Apply)
        for v in n.inputs
        if v.owner is not None and v.owner not in chosen
    ]
