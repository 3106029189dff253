"""report.egraph: the e-graph that a report's graph was chosen from, as a picture, and how it grew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from eqsat.base.names import Suggesting
from eqsat.base.text_files import write_text
from eqsat.egraph.folding import number_value
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode
from eqsat.errors import ArgumentError
from eqsat.extract.algebra import Extracted, Posed
from eqsat.extract.loops import RUN
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.inspect.drawing.egraph_picture import ClassBox, Way, class_picture
from eqsat.inspect.drawing.growth import growth_plot
from eqsat.inspect.drawing.picture import write_picture
from eqsat.pipeline.program import Program, Rewriting
from eqsat.printing.leaf_texts import leaf_text

__all__ = ["EGraphView"]

LARGEST = 60  # classes that are drawn whole
MOST = 200  # classes of an answer that is drawn without the rest
WAYS = 12  # e-nodes of a class that are drawn


class EGraphView(Suggesting):
    """The e-graph of a report. It is saturated again when it is first drawn, since a report does not keep it.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> view = eqsat.optimize(T.log(T.exp(x)) + 1.0).egraph
    >>> view.draw().startswith("<svg"), view.plot().startswith("<svg"), view.classes > 3
    (True, True, True)
    """

    def __init__(self, report: Any) -> None:
        self.program = Program.of(report, "egraph")
        self.phases = report.phases
        self.classes, self.e_nodes = report.e_classes, report.e_nodes

    @cached_property
    def _found(self) -> Rewriting:
        """The e-graph, saturated once more."""
        return self.program.rewritten(self.program.encoded())

    @property
    def posed(self) -> Posed:
        """The problem that the e-graph poses."""
        return self._found.posed

    @property
    def chosen(self) -> Extracted:
        """The choice in it."""
        return self._found.extracted

    def draw(self, file: Any = None, whole: bool | None = None) -> str:
        """SVG of the classes with their e-nodes, what is chosen marked; written to ``file`` where one is given.

        Without ``whole`` of an e-graph of more than 60 classes those of the answer are drawn.

        Errors   ArgumentError for more than 60 classes with ``whole``, or 200 of the answer
        """
        count, answer = len(self.posed.dense), list(self.chosen.made)
        if whole or (whole is None and count <= LARGEST):
            if count > LARGEST:
                raise _too_large(count, LARGEST, "draw() draws those of the answer")
            answer = self._order()
        if len(answer) > MOST:
            raise _too_large(len(answer), MOST, "plot() shows how it grew")
        text = class_picture(self._boxes(answer), f"{count} classes")
        write_picture(text, file)
        return text

    def plot(self, file: Any = None) -> str:
        """SVG of its rows after each run of a ruleset, and of the matches of the busiest rules, whatever its size."""
        text = growth_plot(self.phases)
        write_picture(text, file)
        return text

    def to_json(self, file: Any = None) -> dict[str, Any]:
        """The e-graph in the JSON format of egraph-serialize, with costs in seconds; written to ``file`` if given.

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> made = eqsat.optimize(T.log(T.exp(x))).egraph.to_json()
        >>> {"exp", "log", "x"} <= {node["op"] for node in made["nodes"].values()}
        True
        """
        from eqsat.extract.serialize import to_json

        problem = self.posed.problem(self.posed.costs())
        made = to_json(problem, [self._op(e) for e in self.posed.enodes])
        if file is not None:
            write_text(json.dumps(made), file)
        return made

    def _order(self) -> list[int]:
        """Classes, those first that most others are computed from, and that the chosen e-node of a class needs."""
        posed, choice = self.posed, self.chosen.extraction.choice
        problem = posed.problem(posed.costs())
        nodes, needs = problem.nodes_of, problem.needs
        rest, known = list(range(problem.n_classes)), dict[int, None]()
        while rest:
            first = {c: [choice[c]] if c in choice else nodes[c] for c in rest}
            ready = [c for c in rest if any(known.keys() >= set(needs[n]) for n in first[c])]
            best = min(
                ready or rest, key=lambda c: (sum(not known.keys() >= set(needs[n]) for n in nodes[c]), c)
            )
            known[best] = None
            rest.remove(best)
        return list(known)

    def _boxes(self, classes: Sequence[int]) -> list[ClassBox]:
        posed, choice = self.posed, self.chosen.extraction.choice
        cost = posed.costs()
        nodes = posed.problem(cost).nodes_of
        place = {c: k for k, c in enumerate(classes)}
        boxes = []
        for c in classes:
            ranked = sorted(nodes[c], key=lambda n: (choice.get(c) != n, cost[n], n))
            ways = [self._way(n, cost[n], choice.get(c) == n, place) for n in ranked[:WAYS]]
            more = len(ranked) - len(ways)
            boxes.append(ClassBox(f"c{c}", self._type(c, nodes[c]), tuple(ways), more, c in posed.outputs))
        return boxes

    def _way(self, n: int, cost: float, chosen: bool, place: dict[int, int]) -> Way:
        posed = self.posed
        e = posed.enodes[n]
        below = [posed.dense[c] for c in e.children]
        penalty = posed.reader.model.unstable if e.unstable else 0.0
        endless = cost == float("inf")
        words = "never" if endless else posed.reader.model.show(cost - penalty) if cost else ""
        needs = tuple(place[c] for c in dict.fromkeys(below) if c in place)
        return Way(
            self._text(e, below), str(words) + " unstable" * e.unstable, needs, chosen, e.unstable or endless
        )

    def _op(self, e: ENode) -> str:
        if e.op == LEAF:
            return leaf_text(self.posed.encoded.leaves[e.params[0]])
        if e.op == NUM:
            return str(number_value((*e.params[:3], 0)))
        if e.op == ARR:
            return "array"
        if e.op == RUN:
            return f"steps of loop {e.params[0]}"
        return str(self.posed.encoded.opaque[e.params[0]][0].op if e.op == APP else self.posed.reader.op(e))

    def _text(self, e: ENode, below: Sequence[int]) -> str:
        if e.op in (LEAF, NUM, ARR, RUN):
            return self._op(e)
        name = self._op(e)
        head, _, inside = name.partition("{")
        inside = inside.removesuffix("}")
        return f"{head}({', '.join([*(f'c{c}' for c in below), *([inside] if inside else [])])})"

    def _type(self, c: int, nodes: Sequence[int]) -> str:
        posed = self.posed
        cls = posed.enodes[nodes[0]].cls
        shape, dtype = posed.reader.shape.get(cls), posed.saturated.dtype.get(cls)
        return "" if shape is None or dtype is None else str(TensorType(ALL[dtype], shape=shape).short())

    def _repr_svg_(self) -> str:
        return self.plot() if self.classes > LARGEST else self.draw()

    def __repr__(self) -> str:
        return f"<EGraphView: {self.e_nodes:,} e-nodes in {self.classes:,} classes>"


def _too_large(count: int, most: int, hint: str) -> ArgumentError:
    return ArgumentError(
        f"egraph: {count:,} classes are too many to be drawn", needs=f"at most {most}", hint=hint
    )
