"""Several graphs of one function where the best one depends on lengths that are known only when it is called.

The e-graph is saturated once. Graphs are extracted for short and long values of every unknown length that is
independent of the others. Kept are those that are much cheaper than the others for some of these lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.encode import Encoded
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, Saturated
from eqsat.extract.algebra import Posed, Reader
from eqsat.extract.cost import CostModel
from eqsat.extract.hints import Hints, assumed, said_lengths
from eqsat.extract.lengths import Spread, Unknown
from eqsat.graph.core import Apply
from eqsat.graph.declare import OPS, DeclaredOp

SHORT, LONG = 4, 4096
GAIN = 1.25  # how many times cheaper a graph must be somewhere, or it is not kept
MOST = 4  # kept where the user does not say how many
MOST_ASSUMED = 32  # assumptions that are tried
MOST_E_NODES = 3000  # of an e-graph that is looked at unasked


@dataclass
class Variant:
    """One of the graphs of a function: its outputs, for which lengths it was found, and how many times cheaper it is there
    than the others that are kept."""

    outputs: list[Any]
    where: str
    gain: float

    def __str__(self) -> str:
        times = "" if self.gain <= 1 else f", {self.gain:.1f} times cheaper than the others"
        return f"best for {self.where}{times}"


def may_vary(encoded: Encoded, saturated: Saturated, most: int | None) -> bool:
    """True where it may depend on unknown lengths which graph is best, and where it is not much to look at unasked.

    ``most`` is how many graphs may be kept, None where nobody asked for a number.
    """
    small = most is not None or len(saturated.enodes) <= MOST_E_NODES
    return most != 1 and small and not encoded.loops and has_orders(saturated)


def find_variants(
    encoded: Encoded, saturated: Saturated, model: CostModel, seconds: float, hints: Hints, most: int
) -> list[Variant]:
    """The graphs to keep, that of the usual lengths first; none where one is best for all lengths that are tried."""
    unknown = Unknown(encoded.leaves, encoded.nodes)
    free = list(unknown.groups())
    if not free:
        return []
    posed = Posed(encoded, saturated, model)
    usual = {n: said_lengths(unknown, hints).get(n, int(model.lengths((None,))[0])) for n in free}
    tried = [usual, *assumptions(usual)]
    prices = []
    for chosen in tried:
        spread = assumed(unknown, encoded.nodes, hints, model, chosen)
        reader = Reader(encoded, saturated, model, spread)
        prices.append([reader.cost(e) for e in posed.enodes])
    found: dict[frozenset[int], Any] = {}
    for price in prices:
        extraction = posed.solve(price, seconds)
        found.setdefault(frozenset(extraction.choice.values()), extraction)
    table = [[sum(price[n] for n in nodes) for price in prices] for nodes in found]
    kept = keep(table, most)
    if len(kept) == 1:
        return []
    answers = list(found.values())
    return [made(posed, answers[k], k, kept, table, unknown, tried) for k in kept]


def has_orders(saturated: Saturated) -> bool:
    """True for an e-graph in which some value is more than one product of matrices."""
    seen: set[int] = set()
    for e in saturated.enodes:
        if e.op not in (LEAF, NUM, ARR, APP) and is_product(e.op):
            if e.cls in seen:
                return True
            seen.add(e.cls)
    return False


def is_product(name: str) -> bool:
    """True for an op that sums products of the elements of two operands."""
    declaration = OPS.find(name)
    return declaration is not None and declaration.kind == "block" and declaration.linear == "x, y"


def assumptions(usual: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """Each length short and long, alone and, where they are few, with all others."""
    corners = [dict(zip(usual, c, strict=True)) for c in product((SHORT, LONG), repeat=min(len(usual), 5))]
    alone = [{**usual, n: length} for n in usual for length in (SHORT, LONG)]
    several = [{**usual, **c} for c in corners] if 1 < len(usual) <= 5 else []
    yield from [*alone, *several][:MOST_ASSUMED]


def keep(table: Sequence[Sequence[float]], most: int) -> list[int]:
    """Rows of a table of costs: the first, then whichever helps most somewhere, while it helps enough."""
    kept = [0]
    while len(kept) < most:
        now = [min(table[k][a] for k in kept) for a in range(len(table[0]))]
        gains = [max(old / max(new, 1e-30) for old, new in zip(now, row, strict=True)) for row in table]
        best = max(range(len(table)), key=lambda k: (gains[k], -k))
        if gains[best] < GAIN:
            break
        kept.append(best)
    return kept


def made(
    posed: Posed,
    extraction: Any,
    k: int,
    kept: Sequence[int],
    table: Sequence[Sequence[float]],
    unknown: Unknown,
    tried: Sequence[Mapping[int, int]],
) -> Variant:
    """The graph of a row that is kept, and where it is best."""
    others = [j for j in kept if j != k]
    gains = [min(table[j][a] for j in others) / max(table[k][a], 1e-30) for a in range(len(tried))]
    best = 0 if k == 0 else max(range(len(tried)), key=lambda a: gains[a])
    shapes = unknown.shapes(tried[best])
    words = [f"{leaf} of ({', '.join(map(str, shape))})" for leaf, shape in shapes.items()]
    return Variant(posed.graph(extraction).outputs, ", ".join(words), gains[best])


def graph_cost(nodes: Sequence[Apply], model: CostModel, spread: Spread) -> float:
    """The cost of a graph whose lengths have been spread."""
    total = 0.0
    for node in nodes:
        op: Any = node.op
        if not isinstance(op, DeclaredOp):
            total += model.call
            continue
        out: Any = node.outputs[0]
        itemsize = np.dtype(getattr(out.type, "dtype", "float64")).itemsize
        total += model.checked_seconds(op, [spread.of(v) for v in node.inputs], spread.of(out), itemsize)
    return total
