"""What is drawn of a graph: a box per op, input and use of a constant, and which boxes two graphs share."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import ancestors, toposort
from eqsat.printing import value_text

COLUMNS = 30  # widest text in a box
TITLE_SIZE, SMALL_SIZE = 12.0, 9.5
ADVANCE = 0.62  # width of a character of a fixed-width font, in units of its size
PADDING = 9.0

Unit = Apply | Variable


@dataclass
class Box:
    """One rectangle: ``title`` and ``argument`` on a line, ``detail`` below; ``operands`` are other boxes.

    ``kind`` is op, view, input, constant, shared, output or more; ``unit`` what of the graph is shown.
    """

    kind: str
    title: str
    argument: str = ""
    detail: str = ""
    tooltip: str = ""
    unit: Unit | None = None
    operands: list[int] = field(default_factory=list)
    commutes: bool = False

    @property
    def small(self) -> bool:
        """True for boxes of one short line."""
        return self.kind in ("view", "constant", "output")

    def size(self) -> tuple[float, float]:
        """Width and height that hold the text."""
        title_size = SMALL_SIZE if self.small else TITLE_SIZE
        first = text_width(self.title, title_size) + text_width(self.argument, SMALL_SIZE)
        first += SMALL_SIZE / 2 if self.argument else 0
        width = max(first, text_width(self.detail, SMALL_SIZE), 14.0) + 2 * PADDING
        return width, 20.0 if self.small else 38.0 if self.detail else 26.0


def boxes_of(outputs: Sequence[Variable], limit: int) -> list[Box]:
    """Boxes of a graph, operands first; of a large graph those of the ``limit`` nodes nearest to the outputs."""
    chosen = _nearest(outputs, limit)
    total = len({variable.owner or variable for variable in ancestors(outputs)})
    boxes: list[Box] = []
    where: dict[Unit, int] = {}
    hidden = total - len(chosen)
    if hidden:
        boxes.append(
            Box("more", f"{hidden:,} more node{'s' * (hidden > 1)}", tooltip="farther from the outputs")
        )

    def place(variable: Variable) -> int:
        unit = variable.owner or variable
        if unit in where:
            return where[unit]
        if unit not in chosen:
            return 0
        boxes.append(_leaf(variable))
        if not isinstance(variable, Constant):
            where[variable] = len(boxes) - 1
        return len(boxes) - 1

    for node in toposort(outputs, stop=_outside(chosen)):
        if node in chosen:
            operands = [place(v) for v in node.inputs]
            where[node] = len(boxes)
            boxes.append(_op(node, operands))
    for i, output in enumerate(outputs):
        if (output.owner or output) in chosen:
            title = output.name or ("output" if len(outputs) == 1 else f"output {i}")
            boxes.append(Box("output", cut(title), unit=output, operands=[place(output)]))
    return boxes


def _nearest(outputs: Sequence[Variable], limit: int) -> set[Unit]:
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


def _outside(chosen: set[Unit]) -> list[Variable]:
    """Operands of chosen nodes that are computed by nodes that are not."""
    return [
        v
        for n in chosen
        if isinstance(n, Apply)
        for v in n.inputs
        if v.owner is not None and v.owner not in chosen
    ]


def _op(node: Apply, operands: list[int]) -> Box:
    name, _, inside = str(node.op).partition("{")
    argument = inside.removesuffix("}")
    argument = (
        argument[1:-1] if argument.startswith("(") and argument.find(")") == len(argument) - 1 else argument
    )
    declaration = getattr(node.op, "declaration", None)
    view = getattr(declaration, "kind", None) == "view"
    types = ", ".join(v.type.short() for v in node.outputs)
    names = ", ".join(v.name for v in node.outputs if v.name)
    title = cut(name)
    return Box(
        kind="view" if view else "op",
        title=title,
        argument=cut(argument, max(0, COLUMNS - columns(title))),
        detail="" if view else cut(f"{names}: {types}" if names else types),
        tooltip=_tooltip(str(node.op), types, node.outputs[0].made_at if node.outputs else None),
        unit=node,
        operands=operands,
        commutes=bool(getattr(declaration, "commutative", False)) or len(operands) < 2,
    )


def _leaf(variable: Variable) -> Box:
    kind = variable.type.short()
    if isinstance(variable, Constant):
        text = value_text(variable.data)
        title = f"{variable.name} = {text}" if variable.name else text
        return Box("constant", cut(title), tooltip=_tooltip(title, kind, None), unit=variable)
    shared = hasattr(variable, "get_value")
    return Box(
        kind="shared" if shared else "input",
        title=cut(variable.name or "unnamed"),
        detail=cut(kind),
        tooltip=_tooltip(variable.name or "unnamed", kind, variable.made_at),
        unit=variable,
    )


def _tooltip(text: str, kind: str, made_at: str | None) -> str:
    return f"{text}: {kind}" + (f", made at {made_at}" if made_at else "")


# ------------------------------------------------------------------------------------------------ text


def columns(text: str) -> int:
    """Width of a text in characters of a fixed-width font, where some take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def text_width(text: str, size: float) -> float:
    """Width of a text in a fixed-width font of a size, in its unit."""
    return columns(text) * size * ADVANCE


def cut(text: str, limit: int = COLUMNS) -> str:
    """Text of at most ``limit`` columns; what is left out becomes an ellipsis.

    >>> cut("subtensor", 6)
    'subte…'
    """
    if columns(text) <= limit:
        return text
    while text and columns(text) >= limit:
        text = text[:-1]
    return text + "…"


# ----------------------------------------------------------------------------------------- common parts


def common_units(before: Sequence[Variable], after: Sequence[Variable]) -> set[Unit]:
    """The nodes of two graphs whose structure occurs in both: equal ops on equal operands.

    Constants are equal by type and value, inputs if they are one object or the same in name and type.
    """
    table: dict[Hashable, int] = {}
    first, second = _leaves(before), _leaves(after)
    shared = first.keys() & second.keys()
    numbers = [_numbers(before, first, shared, table), _numbers(after, second, shared, table)]
    both = set(numbers[0].values()) & set(numbers[1].values())
    return {unit for side in numbers for unit, number in side.items() if number in both}


def _leaves(outputs: Sequence[Variable]) -> dict[Variable, Hashable]:
    """A key for each input that does not depend on its identity: name, type and how many before are alike."""
    keys: dict[Variable, Hashable] = {}
    alike: dict[Hashable, int] = {}
    for variable in ancestors(outputs):
        if variable.owner is None:
            key = (variable.name, variable.type)
            keys[variable] = (key, alike.get(key, 0))
            alike[key] = alike.get(key, 0) + 1
    return keys


def _numbers(
    outputs: Sequence[Variable],
    leaves: dict[Variable, Hashable],
    shared: set[Variable],
    table: dict[Hashable, int],
) -> dict[Unit, int]:
    """A number for each node, the same for the same structure."""
    found: dict[Unit, int] = {}
    for leaf, alike in leaves.items():
        key = _constant_key(leaf) if isinstance(leaf, Constant) else leaf if leaf in shared else alike
        found[leaf] = table.setdefault(key, len(table))
    for node in toposort(outputs):
        operands = tuple((found[v.owner or v], v.index if v.owner else None) for v in node.inputs)
        found[node] = table.setdefault((_op_key(node), operands), len(table))
    return found


def _constant_key(constant: Constant) -> Hashable:
    data = constant.data
    return constant.type, data.tobytes() if isinstance(data, np.ndarray) else repr(data)


def _op_key(node: Apply) -> Hashable:
    """The op, or its identity where a user's op cannot be hashed."""
    try:
        hash(node.op)
    except TypeError:
        return id(node.op)
    return node.op
