"""From a saturated e-graph to the cheapest graph: classes get shapes and costs, one e-node each is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import EGraphFailure
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import number_value
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode, Saturated
from eqsat.errors import EqsatError
from eqsat.extract.choose import Extraction, choose
from eqsat.extract.cost import CostModel, Lengths
from eqsat.extract.detours import detours
from eqsat.extract.extractors import extract_with
from eqsat.extract.lengths import Shares, Spread, is_cut, shares
from eqsat.extract.loops import RUN, LoopCosts
from eqsat.extract.problem import Choice, Problem
from eqsat.extract.written import written_choice, written_first, written_keys, written_nodes
from eqsat.graph.constant import constant
from eqsat.graph.core import Apply, Variable, one_line, user_line
from eqsat.graph.declare import OPS, DeclaredOp, coded_op
from eqsat.graph.dtypes import ALL
from eqsat.graph.loops import Loop, LoopTable, Recurrence
from eqsat.graph.ops.specify import specify
from eqsat.graph.tensor_type import TensorType


@dataclass(frozen=True)
class Extracted:
    """The chosen graph: its outputs, its cost and that of the graph as written, in seconds."""

    outputs: list[Any]
    extraction: Extraction
    e_nodes: int
    classes: int
    loops: LoopTable = field(default_factory=LoopTable)
    made: dict[int, Any] = field(default_factory=dict)  # the variable of each class of the problem
    known: Spread | None = None  # lengths of both graphs that their types do not tell
    chosen: list[ENode] = field(default_factory=list)


class Reader:
    """Gives every class a shape and every e-node an op and a cost."""

    def __init__(
        self, encoded: Encoded, saturated: Saturated, model: CostModel, assumed: Spread | None = None
    ) -> None:
        self.encoded, self.saturated, self.model = encoded, saturated, model
        self.usual = model.lengths((None,))[0]
        if assumed is None:  # then only of what parts make shorter
            assumed = Shares(self.usual)
            assumed.nodes(encoded.nodes)
        self.assumed = assumed
        self.value: dict[int, Any] = {}  # whole numbers that are assumed, by class
        self.shape: dict[int, Lengths] = {}
        self.ops: dict[tuple[str, tuple[Any, ...]], DeclaredOp] = {}
        self.first: dict[int, Variable] = {}
        self.parts = Counter(op for op, _ in encoded.opaque_code)  # an op of several results is paid once
        values = ((encoded.number.get(v), value) for v, value in assumed.values.items())
        self.value = {saturated.class_of[k]: value for k, value in values if k is not None}
        self.inside = model.of_a_block() if model.barrier else None  # what a block does in a step of a loop
        self.loops: LoopCosts | None = None
        if encoded.loops:
            self.loops = LoopCosts(encoded.loops, saturated, encoded.number, model, self.value)
        for k, cls in enumerate(saturated.class_of):
            self.known(cls, encoded.variables[k])
        self.spread_known()
        self.spread_shapes()

    def known(self, cls: int, variable: Any) -> None:
        """Note the lengths that a loaded variable gives to its class."""
        self.first.setdefault(cls, variable)
        shape = self.assumed.of(variable)
        old = self.shape.get(cls)
        self.shape[cls] = (
            shape if old is None else tuple(b if a is None else a for a, b in zip(old, shape, strict=True))
        )

    def spread_known(self) -> None:
        """Let lengths that a class has from an equal form spread through the graph as written, until nothing is new."""
        of = {v: self.saturated.class_of[k] for v, k in self.encoded.number.items()}
        known = {v: self.assumed.of(v) for v in of}
        while new := {v for v, c in of.items() if self.shape[c] != known[v]}:
            known = {v: self.shape[c] for v, c in of.items()}
            told = self.assumed.lengths | {v: known[v] for v in new}
            self.assumed = Shares(self.usual, told, self.assumed.values)
            for node in self.encoded.nodes:
                if not new.isdisjoint(node.inputs):
                    self.assumed.node(node)
                    new.update(node.outputs)
            for v in filter(new.__contains__, of):
                self.known(of[v], v)

    def op(self, e: ENode) -> DeclaredOp:
        """The op of an e-node with its parameters."""
        key = (e.op, e.params)
        found = self.ops.get(key)
        if found is None:
            found = self.ops[key] = coded_op(e.op, e.params, self.encoded.codes)
        return found

    def spread_shapes(self) -> None:
        """Shapes of the classes that rules made, from their children, until nothing is new."""
        waiting = [e for e in self.saturated.enodes if e.cls not in self.shape]
        while waiting:
            rest = []
            for e in waiting:
                if e.cls in self.shape:
                    continue
                if all(c in self.shape for c in e.children):
                    self.shape[e.cls] = self.infer(e)
                else:
                    rest.append(e)
            if len(rest) == len(waiting):
                break
            waiting = rest

    def infer(self, e: ENode) -> Lengths:
        """Shape of an e-node of an op from the shapes of its children."""
        if e.op == NUM:
            return (1,) * e.params[3]
        if e.op == APP:
            return self.filled(e)
        if e.op in ("collect", "first_rows") and self.loops is not None:
            held = self.held(e)
            return (None, *held[1:]) if e.params[1:] == (1,) else held
        shapes = [self.shape[c] for c in e.children]
        declaration = OPS[e.op]
        if declaration.kind == "elemwise":
            if len({len(shape) for shape in shapes}) > 1:
                raise EGraphFailure(f"a rule gave {e.op} operands of different ranks: {shapes}")
            return tuple(
                next((n for n in ns if n is not None and n != 1), None if None in ns else 1)
                for ns in zip(*shapes, strict=True)
            )
        if declaration.kind == "reduce":
            axes = self.op(e).params["axes"]
            return tuple(1 if a in axes else n for a, n in enumerate(shapes[0]))
        try:
            return self.made(e)
        except EqsatError:  # lengths that are assumed do not fit each other
            return self.made(e, static=True)

    def held(self, e: ENode) -> Lengths:
        """Lengths for which memory is taken: of the rows of a loop as many as it has steps, if no condition ends it."""
        if e.op not in ("collect", "first_rows") or self.loops is None:
            return self.shape[e.cls]
        rows = self.loops.numbers.get(e.children[1], self.value.get(e.children[1]))
        return (None if rows is None else int(rows), *self.shape[e.children[0]][e.op == "first_rows" :])

    def made(self, e: ENode, static: bool = False) -> Lengths:
        """Shape of an e-node by its op; ``static`` leaves out what is assumed."""
        op = self.op(e)
        if is_cut(op):
            return shares(op, [self.shape[c] for c in e.children], self.usual)
        dummies = [self.unsized(c) if static else self.dummy(c) for c in e.children]
        return op.make_node(*dummies).outputs[0].type.shape  # type: ignore[attr-defined,no-any-return]

    def filled(self, e: ENode) -> Lengths:
        """Shape of an alloc that fillings.py made: its lengths are numbers."""
        return tuple(int(self.scalars[c]) for c in e.children[1:])

    @cached_property
    def scalars(self) -> dict[int, float]:
        """The numbers without axes, by class."""
        return {n.cls: n.params[0] for n in self.saturated.enodes if n.op == NUM and not n.params[3]}

    def unsized(self, cls: int) -> Variable:
        """A variable of a class's type of which only lengths of 1 are known, a constant where its value is."""
        if cls in self.scalars:
            return self.dummy(cls)
        shape = tuple(1 if n == 1 else None for n in self.shape[cls])
        return TensorType(ALL[self.saturated.dtype[cls]], shape=shape)()  # type: ignore[no-any-return]

    def dummy(self, cls: int) -> Variable:
        """A variable of a class's type, a constant where its value is known or assumed."""
        value = self.scalars.get(cls, self.value.get(cls))
        if value is not None:
            return constant(np.asarray(value, ALL[self.saturated.dtype[cls]]))  # type: ignore[no-any-return]
        return TensorType(ALL[self.saturated.dtype[cls]], shape=self.shape[cls])()  # type: ignore[no-any-return]

    def cost(self, e: ENode) -> float:
        """Seconds of an e-node, in all steps of the loops it is in; unstable forms are priced out."""
        if self.loops is None:
            return self.once(e)
        if e.op == RUN:
            return self.loops.run_seconds(e)
        penalty = self.model.unstable if e.unstable else 0.0
        mask = self.loops.mask(e)
        seconds = self.once(e)
        if mask and self.inside is not None:
            seconds = min(seconds, self.once(e, self.inside))
        return penalty + (seconds - penalty) * self.loops.times(mask)

    def once(self, e: ENode, model: CostModel | None = None) -> float:
        """Seconds of an e-node in one step."""
        model = model or self.model
        if e.op in (LEAF, NUM, ARR):
            return 0.0
        if e.cls not in self.shape or any(c not in self.shape for c in e.children):
            return float("inf")
        penalty = self.model.unstable if e.unstable else 0.0
        out = self.shape[e.cls]
        itemsize = np.dtype(ALL[self.saturated.dtype.get(e.cls, 10)]).itemsize
        operands = [self.shape[c] for c in e.children]
        if self.model.too_large(self.held(e), itemsize) and e.cls not in self.first:
            return float("inf")
        if e.op != APP:
            return penalty + model.checked_seconds(self.op(e), operands, out, itemsize)
        op = self.encoded.opaque[e.params[0]][0].op
        if isinstance(op, DeclaredOp):
            return model.checked_seconds(op, operands, out, itemsize) / self.parts[op]
        return model.call


def extract(
    encoded: Encoded,
    saturated: Saturated,
    model: CostModel,
    seconds: float,
    assumed: Spread | None = None,
    extractor: str | None = None,
) -> Extracted:
    """The cheapest graph that the e-graph holds, never dearer than the graph as written unless by another extractor."""
    posed = Posed(encoded, saturated, model, assumed)
    return posed.graph(posed.solve(posed.costs(), seconds, extractor))


OUTSIDE = "every graph of it reads a value of a step outside its loop"


class Posed:
    """The problem that a saturated e-graph poses: its e-nodes, and which classes, numbered anew, each needs."""

    def __init__(
        self, encoded: Encoded, saturated: Saturated, model: CostModel, assumed: Spread | None = None
    ) -> None:
        self.encoded, self.saturated = encoded, saturated
        self.reader = Reader(encoded, saturated, model, assumed)
        loops = self.reader.loops
        self.written = written_keys(encoded, saturated)
        self.enodes = written_first(self.written, saturated, [] if loops is None else loops.run)
        needs = [e.children if loops is None else loops.operands(e) for e in self.enodes]
        self.dense = {c: i for i, c in enumerate(dict.fromkeys(e.cls for e in self.enodes))}
        self.outputs = [self.dense[saturated.class_of[k]] for k in encoded.roots]
        self.children = [tuple(self.dense[c] for c in n) for n in needs]

    def costs(self) -> list[float]:
        """The cost of each e-node; detours are priced out as unstable forms are, but beside loops, whose steps sizes do not count."""
        found = [self.reader.cost(e) for e in self.enodes]
        if self.reader.loops is not None:
            for i in self.reader.loops.ahead(self.enodes):
                found[i] = float("inf")
            return found
        for i in detours(self.enodes, found, self.written):
            found[i] += self.reader.model.unstable
        return found

    def problem(self, cost: Sequence[float]) -> Problem:
        """The problem with some costs."""
        roots = list(dict.fromkeys(self.outputs))
        return Problem([self.dense[e.cls] for e in self.enodes], self.children, cost, roots, len(self.dense))

    def solve(self, cost: Sequence[float], seconds: float, extractor: str | None = None) -> Extraction:
        """The best choice under some costs; what results of loops need besides is added to the problem on the way.

        Errors   EGraphFailure where every choice reads a value of a step outside its loop
        """
        loops = self.reader.loops
        runs, among = written_nodes(self.encoded, self.enodes, self.saturated, self.dense)
        barred: set[int] = set()  # e-nodes that read a value of a step outside its loop
        price = list(cost)
        while True:
            problem = self.problem(price)
            written = written_choice(runs, [(c, i) for c, i in among if i not in barred], problem)
            try:
                how = (problem, seconds)
                extraction = extract_with(extractor, *how) if extractor else choose(problem, written, seconds)
            except ValueError as error:  # a root cannot be built
                raise EGraphFailure(OUTSIDE) if barred else error from None
            if written is not None:
                # all that was written, also what was found equal to something else that was
                everything = {*written.values(), *(i for _, i in among)}
                extraction = replace(extraction, written_cost=fsum(cost[i] for i in everything))
            more = loops and loops.unlisted(problem, extraction.choice, self.enodes, self.dense)
            outside = loops.escaping(problem, extraction.choice, self.enodes) if loops and not more else ()
            if not more and not outside:
                return extraction
            if barred.issuperset(outside) and not more:
                raise EGraphFailure(OUTSIDE)
            barred.update(outside)
            for i in outside:
                price[i] = float("inf")
            for k, classes in (more or {}).items():
                self.children[k] += classes

    def graph(self, extraction: Extraction) -> Extracted:
        """The graph of a choice."""
        builder = Builder(self.encoded, self.enodes, self.saturated, self.reader, self.dense)
        made = builder.build(extraction.choice, self.children, self.outputs)
        table = builder.table(made) if self.reader.loops is not None else LoopTable()
        outputs = [made[r] for r in self.outputs]
        known = self.known(builder.shapes)
        chosen = [self.enodes[extraction.choice[c]] for c in made]
        return Extracted(outputs, extraction, len(self.enodes), len(self.dense), table, made, known, chosen)

    def known(self, chosen: Mapping[Variable, Lengths]) -> Spread:
        """The lengths that are known or assumed of the variables of the graph as written, and of the chosen one."""
        assumed, shape = self.reader.assumed, self.reader.shape
        written = zip(self.encoded.variables, self.saturated.class_of, strict=False)
        found = {**{v: shape[c] for v, c in written if c in shape}, **chosen}
        told = {v: n for v, n in found.items() if n != getattr(v.type, "shape", n)}
        return Spread(told, assumed.values)


class Builder:
    """Makes variables of a choice, children first."""

    def __init__(
        self,
        encoded: Encoded,
        enodes: Sequence[ENode],
        saturated: Saturated,
        reader: Reader,
        dense: dict[int, int],
    ) -> None:
        self.encoded, self.enodes, self.saturated, self.reader = encoded, enodes, saturated, reader
        self.dense = dense
        self.applies: dict[Any, Apply] = {}
        self.states: dict[int, Any] = {}
        self.shapes: dict[Variable, Lengths] = {}
        arrays, numbers = (encoded.tables.get(name, []) for name in ("in_arr", "in_num"))
        self.written: dict[Any, Any] = {code: encoded.variables[k] for k, code in reversed(arrays)}
        self.written.update((tuple(row), encoded.variables[k]) for k, *row in reversed(numbers))

    def build(
        self, choice: Choice, children: Sequence[tuple[int, ...]], roots: Sequence[int]
    ) -> dict[int, Any]:
        """Variables of the classes of the chosen graph; ``children`` are what each e-node needs."""
        with one_line(user_line()):
            made = self._built(choice, children, roots)
        self.lines(made, choice)
        return made

    def _built(
        self, choice: Choice, children: Sequence[tuple[int, ...]], roots: Sequence[int]
    ) -> dict[int, Any]:
        made: dict[int, Any] = {}
        stack = list(dict.fromkeys(roots))[::-1]
        while stack:
            c = stack[-1]
            missing = [d for d in children[choice[c]] if d not in made]
            if c in made or not missing:
                stack.pop()
                if c not in made:
                    e = self.enodes[choice[c]]
                    operands = [made[self.dense[d]] for d in e.children]
                    made[c] = None if e.op == RUN else self.finish(e, self.make(e, operands))
            else:
                stack.extend(missing)
        return made

    def lines(self, made: dict[int, Any], choice: Choice) -> None:
        """Forms that rules made are given the user's line of the form they were made for."""
        settled = {self.dense[cls] for cls in self.reader.first if cls in self.dense}
        for c in reversed(made):
            for d in map(self.dense.__getitem__, self.enodes[choice[c]].children):
                if d not in settled and made.get(d) is not None and made[c] is not None:
                    settled.add(d)
                    made[d].comes_from(made[c])

    def table(self, made: dict[int, Any]) -> LoopTable:
        """The loops and recurrences of the chosen graph."""
        loops = self.reader.loops
        assert loops is not None
        old = self.encoded.loops
        chosen = [
            Loop(k.number, k.depth, k.n_steps, self.condition(k.number, made), k.label) for k in old.loops
        ]
        found = []
        for r in {r.key: r for r in reversed(old.recurrences)}.values():
            if r.key in self.states:
                step = made[self.dense[loops.steps_class[r.key]]]
                state = self.states[r.key]
                found.append(Recurrence(r.key, chosen[r.loop.number], state, step, r.name, r.label))
        return LoopTable(chosen, sorted(found, key=lambda r: r.key))

    def condition(self, loop: int, made: dict[int, Any]) -> Any:
        """The condition of a loop in the chosen graph, None where it has none or is not run."""
        loops = self.reader.loops
        cls = None if loops is None else loops.condition.get(loop)
        return None if cls is None else made.get(self.dense[cls])

    def make(self, e: ENode, children: list[Any]) -> Any:
        """Variable of one e-node."""
        if e.op == LEAF:
            return self.encoded.leaves[e.params[0]]
        if e.op == NUM:
            return self.number(e)
        if e.op == ARR:
            return self.written[e.params[0]]
        if e.op == APP:
            apply, index = self.encoded.opaque[e.params[0]]
            return self.opaque(apply, children).outputs[index]
        variable = self.declared(self.reader.op(e), children)
        if e.op == "state":
            self.states[e.params[1]] = variable
        return variable

    def number(self, e: ENode) -> Any:
        """A number of rank n as the 0-d constant behind a dimshuffle; the user's constant where there is one."""
        from eqsat.graph.constant import pad_left

        row = (*e.params[:3], 0)
        value = self.written.get(row)
        return pad_left(constant(number_value(row)) if value is None else value, e.params[3])

    def declared(self, op: DeclaredOp, children: list[Any]) -> Any:
        """Output of a declared op; its operands must need no further conversion."""
        key = (op, tuple(children))
        if key not in self.applies:
            apply = op.make_node(*children)
            assert apply.inputs == children, (str(op), [str(v.type) for v in children])
            self.applies[key] = apply
        return self.applies[key].outputs[0]

    def opaque(self, apply: Apply, children: list[Any]) -> Apply:
        """The application of an opaque op to new operands; the old one where they are the same."""
        key = (apply.op, tuple(children))
        if key not in self.applies:
            same = list(map(id, apply.inputs)) == list(map(id, children))
            self.applies[key] = apply if same else apply.op.make_node(*children)
        return self.applies[key]

    def finish(self, e: ENode, variable: Any) -> Any:
        """Write lengths of 1 that are known of the class into the type, and keep the user's name and line."""
        shape, known = getattr(variable.type, "shape", None), self.reader.shape.get(e.cls)
        if shape is not None:
            mask = self.saturated.mask.get(e.cls, 0)
            plain, ones = variable, [1 if mask >> a & 1 else None for a in range(len(shape))]
            variable = specify(variable, ones)
            self.shapes.update(dict.fromkeys([plain, variable], known or shape))
        old = self.reader.first.get(e.cls)
        if old is not None and variable is not old and variable.owner is not None:
            variable.comes_from(old)
            if variable.name is None and old.owner is not None:
                variable.name = old.name
        return variable
