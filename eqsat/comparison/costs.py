"""What every op of a graph costs under a cost model, those in the steps of loops included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eqsat.graph.core import Apply, Constant
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.loop_facts import LoopFacts, loop_in, loops_of, node_seconds
from eqsat.units import micro


@dataclass(frozen=True)
class Priced:
    """An op, the loop whose steps do it, and its seconds in all steps; of a loop only those of stepping."""

    node: Apply
    loop: LoopFacts | None
    seconds: float

    @property
    def depth(self) -> int:
        """How many loops are around it."""
        count, loop = 0, self.loop
        while loop is not None:
            count, loop = count + 1, loop.around
        return count


def priced(outputs: Sequence[Any], model: Any, hints: Mapping[Any, Any] | None = None) -> list[Priced]:
    """Every op of a graph with its cost, operands first, the ops of a step after their loop.

    ``hints`` are lengths to reckon with outside of loops, as ``optimize`` takes them, by variable.

    >>> import eqsat.tensor as T
    >>> from eqsat.extract.cost import CostModel
    >>> x = T.dvector("x")
    >>> [(str(p.node.op), p.seconds > 0) for p in priced([T.exp(x) + 1.0], CostModel())]
    [('exp', True), ('dimshuffle{(x)}', False), ('add', True)]
    """
    loops = {(f.around, f.node): f for f in loops_of(outputs, model)}
    lengths = _hinted(outputs, model, hints) if hints else None
    found: list[Priced] = []
    stack: list[tuple[Apply, LoopFacts | None]] = [(n, None) for n in reversed(toposort(outputs))]
    while stack:
        node, around = stack.pop()
        if loop_in(node) is None:
            trips = 1.0 if around is None else around.trips
            known = lengths if around is None else None
            found.append(Priced(node, around, trips * own_seconds(node, model, known)))
            continue
        loop = loops[around, node]
        found.append(Priced(node, around, stepping(loop, model)))
        stack += [(n, loop) for n in reversed(toposort(loop.graph.results))]
    return found


def _hinted(outputs: Sequence[Any], model: Any, hints: Mapping[Any, Any]) -> Callable[[Any], Any]:
    """The lengths of variables that follow from hints."""
    from eqsat.extract.hints import assumed
    from eqsat.extract.lengths import Unknown

    nodes, leaves = toposort(outputs), graph_inputs(outputs)
    own = {v: n for v, n in hints.items() if v in leaves}
    return assumed(Unknown(leaves, nodes), nodes, own, model).of


def own_seconds(node: Apply, model: Any, lengths: Callable[[Any], Any] | None = None) -> float:
    """Seconds of one application; a constant in another shape is one that the compiler writes out."""
    if is_view(node) and all(isinstance(v, Constant) for v in node.inputs):
        return 0.0
    return node_seconds(node, model, lengths)


def is_view(node: Apply) -> bool:
    """True for ops that only show their operand in another way."""
    return getattr(getattr(node.op, "declaration", None), "kind", "") in ("view", "shape")


def stepping(loop: LoopFacts, model: Any) -> float:
    """Seconds of starting a loop and of counting its steps."""
    starts = 1.0 if loop.around is None else loop.around.trips
    call, step = (float(getattr(model, name, 0.0)) for name in ("call", "step"))
    return starts * 2 * call + loop.trips * step


def shares(
    outputs: Sequence[Any], model: Any, hints: Mapping[Any, Any] | None = None
) -> dict[Apply, tuple[float, str]]:
    """For each op its part of the cost of the graph, and its cost in words; of a loop with all that its steps do."""
    found: dict[Apply, float] = {}
    rows = priced(outputs, model, hints)
    for p in rows:
        node, loop = p.node, p.loop
        found[node] = found.get(node, 0.0) + p.seconds
        while loop is not None:
            found[loop.node] = found.get(loop.node, 0.0) + p.seconds
            loop = loop.around
    total = sum(p.seconds for p in rows) or 1.0
    return {node: (s / total, shown(s, model)) for node, s in found.items()}


def shown(cost: float, model: Any) -> str:
    """A cost in words, in the unit of the model."""
    show = getattr(model, "show", micro)
    return str(show(cost))
