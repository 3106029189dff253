"""The boxes of a drawing: one per op, input and use of a constant, with the text in them."""

from __future__ import annotations

import unicodedata
from dataclasses import field
from typing import TYPE_CHECKING

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.parts import index_parts
from eqsat.printing.leaf_texts import value_text

if TYPE_CHECKING:
    from eqsat.inspect.drawing.frames import Frame

COLUMNS = 30  # widest text in a box
TITLE_SIZE, SMALL_SIZE = 12.0, 9.5
ADVANCE = 0.62  # width of a character of a fixed-width font, in units of its size
PADDING = 9.0

Unit = Apply | Variable


@dataclass
class Box:
    """One rectangle: ``title`` and ``argument`` on a line, ``detail`` below.

    ``operands`` are other boxes and which of their outputs. ``kind`` is op, view, input, constant, shared, output, more,
    or of a frame: graph, the whole with what is inside; name; port, for what goes in or comes out; fixed, for a value
    from outside that is the same in every step. ``unit`` is what of the graph is shown. ``row`` is first or last for
    boxes in that layer.
    """

    kind: str
    title: str
    argument: str = ""
    detail: str = ""
    tooltip: str = ""
    unit: Unit | None = None
    operands: list[tuple[int, int]] = field(default_factory=list)
    commutes: bool = False
    row: str = ""
    frame: Frame | None = None

    @property
    def small(self) -> bool:
        """True for boxes of one short line."""
        return self.kind in ("view", "constant", "output", "port", "fixed")

    def size(self) -> tuple[float, float]:
        """Width and height that hold the text, or what is inside."""
        if self.frame is not None:
            return self.frame.width, self.frame.height
        title_size = SMALL_SIZE if self.small else TITLE_SIZE
        first = text_width(self.title, title_size) + text_width(self.argument, SMALL_SIZE)
        first += SMALL_SIZE / 2 if self.argument else 0
        width = max(first, text_width(self.detail, SMALL_SIZE), 14.0) + 2 * PADDING
        return width, 20.0 if self.small else 38.0 if self.detail else 26.0


def op_box(node: Apply, operands: list[tuple[int, int]]) -> Box:
    name, _, inside = str(node.op).partition("{")
    argument = inside.removesuffix("}")
    argument = (
        argument[1:-1] if argument.startswith("(") and argument.find(")") == len(argument) - 1 else argument
    )
    if name == "subtensor":
        argument = "".join(index_parts(node.op.params["pattern"], "?" * len(node.inputs)))  # type: ignore[attr-defined]
    declaration = getattr(node.op, "declaration", None)
    view = getattr(declaration, "kind", None) == "view"
    types = ", ".join(v.type.short() for v in node.outputs)
    names = ", ".join(v.name for v in node.outputs if v.name)
    priced = getattr(node.op, "detail", "")
    title = cut(name)
    return Box(
        kind="view" if view else "op",
        title=title,
        argument=cut(argument, max(0, COLUMNS - columns(title))),
        detail="" if view else cut(priced or (f"{names}: {types}" if names else types)),
        tooltip=_tooltip(str(node.op), types, node.outputs[0].made_at if node.outputs else None),
        unit=node,
        operands=operands,
        commutes=bool(getattr(declaration, "commutative", False)) or len(operands) < 2,
    )


def leaf_box(variable: Variable) -> Box:
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
