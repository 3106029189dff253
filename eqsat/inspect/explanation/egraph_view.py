"""report.egraph: the e-graph that a report's graph was chosen from, as a picture, and how it grew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from eqsat.base.names import Suggesting
from eqsat.base.text_files import write_text
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import number_value
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode
from eqsat.egraph.transcript import Transcript
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

    def to_egglog(self, file: Any = None) -> str:
        """The e-graph as a program of egglog that makes it; written to ``file`` where one is given.

        The program holds the schema, the graph and what Python answered as facts, the rules, and the schedule that was run. egglog's own
        interpreter comes to the same classes. Remarks at its head say what numbers of inputs and arrays stand for.

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> text = eqsat.optimize(T.log(T.exp(x))).egraph.to_egglog()
        >>> "Leaf 0 is x: f64[?]" in text, "(run-schedule" in text
        (True, True)
        """
        told = Transcript()
        encoded = self.program.encoded()
        found = self.program.saturated(encoded, told=told)
        classes = len({e.cls for e in found.enodes})
        remarks = [f"{len(found.enodes)} e-nodes in {classes} classes", *meanings(encoded)]
        text = told.text(remarks)
        if file is not None:
            write_text(text, file)
        return text

    def to_json(self, file: Any = None) -> dict[str, Any]:
        """The e-graph in the JSON format of egraph-serialize, with costs in seconds; written to ``file`` if given.

        ``class_data`` has the type, the dtype and the lengths of each class. Names of classes and e-nodes are those of ``stable_names``.

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> made = eqsat.optimize(T.log(T.exp(x))).egraph.to_json()
        >>> {"exp", "log", "x"} <= {node["op"] for node in made["nodes"].values()}
        True
        >>> {"type": "f64[?]", "dtype": "float64", "shape": "[?]"} in made["class_data"].values()
        True
        """
        from eqsat.extract.serialize import stable_names, to_json

        problem = self.posed.problem(self.posed.costs())
        ops = [self._op(e) for e in self.posed.enodes]
        nodes, classes = stable_names(problem, ops, [self._content(e) for e in self.posed.enodes])
        made = to_json(
            problem, ops, nodes, classes, [self._kind(problem, c) for c in range(problem.n_classes)]
        )
        if file is not None:
            write_text(json.dumps(made), file)
        return made

    def to_dot(self, file: Any = None) -> str:
        """The e-graph in the dot language, a box for each class; written to ``file`` where one is given.

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> "cluster_0" in eqsat.optimize(T.log(T.exp(x))).egraph.to_dot()
        True
        """
        from eqsat.extract.serialize import to_dot

        text = to_dot(self.to_json())
        if file is not None:
            write_text(text, file)
        return text

    def _content(self, e: ENode) -> str:
        """The op of an e-node, and of an array its elements."""
        if e.op != ARR:
            return self._op(e)
        found = self.posed.encoded.codes.values[e.params[0]]
        return f"array:{found}"

    def _kind(self, problem: Any, c: int) -> dict[str, str]:
        """The type of a class in words; nothing of one that is no tensor."""
        text = self._type(c, problem.nodes_of[c])
        if not text:
            return {}
        cls = self.posed.enodes[problem.nodes_of[c][0]].cls
        return {"type": text, "dtype": ALL[self.posed.saturated.dtype[cls]], "shape": text[text.index("[") :]}

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


def meanings(encoded: Encoded) -> Iterator[str]:
    """Lines on the numbers of inputs, arrays, and applications that rules do not see."""
    for k, v in enumerate(encoded.leaves):
        yield f"Leaf {k} is {leaf_text(v)}: {kind_text(v)}"
    for k, v in enumerate(encoded.arrays):
        yield f"an array: {kind_text(v)}, of {len(encoded.arrays)}" if k == 0 else f"an array: {kind_text(v)}"
    for k, (apply, _) in enumerate(encoded.opaque):
        yield f"App {k} is {apply.op}"


def kind_text(v: Any) -> str:
    """The type of a variable in few letters."""
    return str(v.type.short() if isinstance(v.type, TensorType) else v.type)


def _too_large(count: int, most: int, hint: str) -> ArgumentError:
    return ArgumentError(
        f"egraph: {count:,} classes are too many to be drawn", needs=f"at most {most}", hint=hint
    )
