"""A question to an e-graph: two graphs that may be equal, and facts that are known of their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.assumptions import stated
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.reading import APP, Saturated
from eqsat.egraph.scheduler import Budget
from eqsat.graph.declare import OPS, coded_op
from eqsat.inspect.comparison.node_costs import graph_seconds, reckoned
from eqsat.inspect.explanation.deadline import Deadline
from eqsat.inspect.explanation.explanation import Explanation, steps_of
from eqsat.inspect.explanation.search import Search
from eqsat.inspect.explanation.skeleton import Bone, Skeleton
from eqsat.inspect.explanation.values import Points
from eqsat.pipeline.program import Program, Settings
from eqsat.rules.fact import FACTS

ITERATIONS = 200
LEAVES = ("leaf", "num", "arr")


@dataclass(frozen=True)
class Question(Program):
    """Two graphs as a program with two outputs, and what is known of its inputs.

    ``known`` are names of facts (eqsat/rules/facts.py) with their operands; ``loops`` the loops that the graphs lie in, where they
    have been opened; ``rows`` the limit of the e-graph.
    """

    known: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    loops: Any = None
    rows: int = 0

    @classmethod
    def between(
        cls, left: Any, right: Any, rules: Any, size: int | None, seconds: float, **given: Any
    ) -> Question:
        """The question whether two graphs are equal by some rules, within limits."""
        settings = Settings.of("FAST_RUN", "default" if rules is None else rules, seconds=seconds, variants=1)
        rows = settings.flag("egraph_nodes") if size is None else size
        return cls([left, right], settings, rows=rows, **given)

    def encoded(self) -> Encoded:
        """Both graphs as tables, with what is known."""
        made = super().encoded() if self.loops is None else encode(self.outputs, self.loops)
        told = [line for name, operands in self.known for line in stated(name, operands, made.number) or ()]
        asked = {op for name, _ in self.known for op in FACTS[name].makes}
        return replace(made, assumed=tuple(told), ops=made.ops | asked)

    @property
    def budget(self) -> Budget:
        """The limits of saturation."""
        return replace(super().budget, nodes=self.rows, iterations=ITERATIONS)

    def answered(self, encoded: Encoded) -> tuple[Saturated, bool]:
        """The e-graph once the graphs are one, or nothing more is found; and whether they are one."""
        first, second = encoded.roots
        if first == second:
            return self.saturated(encoded), True
        found = self.saturated(encoded, ends=(first, second))
        return found, found.class_of[first] == found.class_of[second]


class Proof(Search):
    """Looks for the rules and the graphs between the first graph of a question and the second."""

    def _target(self) -> Skeleton:
        """The second graph, as the e-graph holds it from the start; it is to be equal to the first."""
        encoded = self.program.encoded()
        return skeleton_between(encoded, *encoded.roots)


def skeleton_between(encoded: Encoded, root: int, other: int) -> Skeleton:
    """The second of two loaded nodes with all under it, which the first is to be equal to."""
    keys, operands = loaded(encoded)
    place: dict[int, int] = {}
    bones: list[Bone] = []
    stack = [other]
    while stack:
        k = stack[-1]
        missing = [d for d in operands[k] if d not in place]
        if missing and k not in place:
            stack += missing
            continue
        stack.pop()
        if k not in place:
            place[k] = len(bones)
            bones.append(Bone(keys[k], tuple(place[d] for d in operands[k])))
    return Skeleton(tuple(bones), ((place[other], root),))


def loaded(encoded: Encoded) -> tuple[dict[int, tuple[Any, ...]], dict[int, tuple[int, ...]]]:
    """The op of each loaded node with its parameters, and its operands."""
    keys: dict[int, tuple[Any, ...]] = {}
    operands: dict[int, tuple[int, ...]] = {}
    for kind in LEAVES:
        for k, *values in encoded.tables.get(f"in_{kind}", ()):
            keys[k], operands[k] = (kind.capitalize(), *values), ()
    lists: dict[int, tuple[int, ...]] = {0: ()}
    for k, item, rest in encoded.tables.get("in_cons", ()):
        lists[k] = (item, *lists[rest])
    for k, code, items in encoded.tables.get("in_app", ()):
        keys[k], operands[k] = (APP, code), lists[items]
    for name in encoded.ops:
        arity = len(OPS[name].tensors)
        for k, *values in encoded.tables.get(f"in_{name}", ()):
            op = coded_op(name, values[arity:], encoded.codes)
            keys[k], operands[k] = (name, *op.values), tuple(values[:arity])
    return keys, operands


def explained(
    question: Question, rules: Sequence[str], seconds: float, points: Points | None = None
) -> Explanation:
    """The steps from the first graph to the second; ``rules`` are the names of those that matched."""
    deadline = Deadline.after(seconds)
    found = Proof(question, rules, seconds, deadline.share(0.85)).run()
    steps = steps_of(question.outputs, found, question.settings, deadline, points)
    model = question.settings.model
    first = [
        replace(s, outputs=s.outputs[:1], cost=graph_seconds(s.outputs[:1], model, s.lengths)) for s in steps
    ]
    names = {s.name for s in steps}
    return Explanation(
        original=question.outputs[:1],
        cost=graph_seconds(question.outputs[:1], model, reckoned(question.outputs, model, {}, None)),
        steps=first,
        rules=[r for r in found.rules if r.name in names] if steps else found.rules,
        smallest=found.smallest,
        limits=found.limits,
        fired=len(rules),
        seconds=seconds - deadline.left,
        model=model,
        optimized=first[-1].outputs if first else question.outputs[:1],
    )
