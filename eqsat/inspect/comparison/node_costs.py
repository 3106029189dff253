"""The cost of every op of a graph under a cost model, those in the steps of loops included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.inspect.loop_facts import LoopFacts, loop_in, loops_of, own_seconds

if TYPE_CHECKING:
    from eqsat.extract.lengths import Spread

MOST_NAMED = 6  # inputs whose lengths are said


@dataclass(frozen=True)
class Priced:
    """An op, the loop whose steps do it, and its seconds in all steps; of a loop only those of stepping."""

    node: Apply
    loop: LoopFacts | None
    seconds: float

    @property
    def depth(self) -> int:
        """The number of loops around the op."""
        count, loop = 0, self.loop
        while loop is not None:
            count, loop = count + 1, loop.around
        return count


def priced(outputs: Sequence[Any], model: Any, lengths: Spread | None = None) -> list[Priced]:
    """Every op of a graph with its cost, operands first, the ops of a step after their loop.

    ``lengths`` are those to reckon with outside of loops where types do not tell them, as ``reckoned`` gives them.

    >>> import eqsat.tensor as T
    >>> from eqsat.extract.cost import CostModel
    >>> x = T.dvector("x")
    >>> [(str(p.node.op), p.seconds > 0) for p in priced([T.exp(x) + 1.0], CostModel())]
    [('exp', True), ('dimshuffle{(x)}', False), ('add', True)]
    """
    loops = {(f.around, f.node): f for f in loops_of(outputs, model, lengths)}
    found: list[Priced] = []
    stack: list[tuple[Apply, LoopFacts | None]] = [(n, None) for n in reversed(toposort(outputs))]
    while stack:
        node, around = stack.pop()
        if loop_in(node) is None:
            trips = 1.0 if around is None else around.paid
            of = lengths.of if around is None and lengths is not None else None
            found.append(Priced(node, around, trips * own_seconds(node, model, of)))
            continue
        loop = loops[around, node]
        found.append(Priced(node, around, loop.stepping))
        stack += [(n, loop) for n in reversed(toposort(loop.graph.results))]
    return found


def reckoned(outputs: Sequence[Any], model: Any, hints: Mapping[Any, Any], known: Spread | None) -> Spread:
    """Lengths of the variables of a graph that follow from hints, from shared values or are those of parts, and those that a rewriting knows."""
    from eqsat.extract.hints import assumed, tell_lengths
    from eqsat.extract.lengths import Shares, Spread, Unknown

    nodes, leaves = toposort(outputs), graph_inputs(outputs)
    if known is not None or not (hints or tell_lengths(leaves, nodes)):
        told = Spread({}, {}) if known is None else known
        found = Shares(model.lengths((None,))[0], told.lengths, told.values)
        found.nodes([n for n in nodes if any(v not in told.lengths for v in n.outputs)])
        return found
    own = {v: n for v, n in hints.items() if v in leaves}
    return assumed(Unknown(leaves, nodes), nodes, own, model)


def graph_seconds(outputs: Sequence[Any], model: Any, lengths: Spread | None = None) -> float:
    """The cost of a graph: the sum of those of its ops."""
    return sum(p.seconds for p in priced(outputs, model, lengths))


def assumed_lengths(outputs: Sequence[Any], model: Any, lengths: Spread | None = None) -> str:
    """The lengths of inputs that costs assume because their types leave them open, in words; empty where there are none.

    >>> import eqsat.tensor as T
    >>> from eqsat.extract.cost import CostModel
    >>> x = T.TensorType("float64", (None, 3))("x")
    >>> assumed_lengths([T.exp(x)], CostModel())
    'lengths assumed: x 256 x 3'
    """
    usual = f"{model.lengths((None,))[0]:.0f}"
    leaves: list[Any] = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
    open_ = [v for v in leaves if None in getattr(v.type, "shape", ())]
    if not open_:
        some = any(None in getattr(v.type, "shape", ()) for n in toposort(outputs) for v in n.outputs)
        return f"lengths that are not known are taken to be {usual}" * some
    words = []
    for v in open_[:MOST_NAMED]:
        counted = model.lengths(v.type.shape if lengths is None else lengths.of(v))
        words.append(f"{v} {' x '.join(f'{n:.0f}' for n in counted)}")
    more = len(open_) - len(words)
    said = ", ".join(words) + f" and {more} more inputs" * bool(more)
    return f"lengths assumed: {said}"


def shares(
    outputs: Sequence[Any], model: Any, lengths: Spread | None = None
) -> dict[Apply, tuple[float, str]]:
    """For each op its part of the cost of the graph, and its cost in words; of a loop with all that its steps do."""
    found: dict[Apply, float] = {}
    rows = priced(outputs, model, lengths)
    for p in rows:
        node, loop = p.node, p.loop
        found[node] = found.get(node, 0.0) + p.seconds
        while loop is not None:
            found[loop.node] = found.get(loop.node, 0.0) + p.seconds
            loop = loop.around
    total = sum(p.seconds for p in rows) or 1.0
    return {node: (s / total, shown(s, model)) for node, s in found.items()}


def part_of(seconds: float, model: Any) -> Callable[[float], str]:
    """A function that says in words what a part of a cost is."""
    return lambda share: shown(share * seconds, model)


def shown(cost: float, model: Any) -> str:
    """A cost in words, in the unit of the model."""
    return str(model.show(cost))
