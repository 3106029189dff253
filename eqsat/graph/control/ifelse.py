"""ifelse: of two graphs only the one that the condition asks for is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.control.graph_op import GraphOp, InnerGraph, float_positions, gradient_graph, tangent_graph
from eqsat.graph.core import Apply, Constant, Op, Variable
from eqsat.graph.dtypes import promote
from eqsat.graph.inner_graphs import Inside, Port
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.plan import Branch, Plan, Side
from eqsat.graph.tensor_type import TensorType


def ifelse(condition: Any, then_branch: Any, else_branch: Any, name: str | None = None) -> Any:
    """``then_branch`` where the condition, a scalar, is true, else ``else_branch``; only one is computed.

    The branches are variables, or lists of as many. What nothing else needs is computed only if its branch is
    taken. ``T.switch`` chooses per element, and computes both.

    Shapes   condition: any[]; both branches of one rank, and the result too
    Errors   RankError where the condition is no scalar or the ranks of the branches differ;
             ArgumentError where the branches have different numbers of variables

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> y = eqsat.ifelse(x > 0, T.sqrt(x), -x)
    >>> y.eval({x: 4.0}), y.eval({x: -1.0})
    (array(2.), array(1.))
    """
    several = isinstance(then_branch, (list, tuple))
    if several != isinstance(else_branch, (list, tuple)):
        raise ArgumentError("ifelse: one branch is a list and the other is not")
    thens, elses = (list(b) if several else [b] for b in (then_branch, else_branch))
    if len(thens) != len(elses) or not thens:
        raise ArgumentError(
            f"ifelse: the branches have {len(thens)} and {len(elses)} variables",
            needs="as many in both, at least 1",
        )
    pairs = [_alike(a, b) for a, b in zip(thens, elses, strict=True)]
    outputs = IfElse(len(pairs))(
        _condition(condition), *(a for a, _ in pairs), *(b for _, b in pairs), return_list=True
    )
    if name is not None:
        for v in outputs:
            v.name = name
    return list(outputs) if several else outputs[0]


def _condition(value: Any) -> Any:
    if isinstance(value, Variable) and not isinstance(value.type, TensorType):
        return value
    condition = as_tensor(value)
    if condition.ndim != 0:
        raise RankError(
            f"ifelse: the condition has {condition.ndim} dimensions, not 0",
            operands=[("condition", condition)],
            hint="T.switch(condition, a, b), which chooses per element; or condition.all()",
        )
    return condition


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Both branches with one type."""
    foreign = [v for v in (a, b) if isinstance(v, Variable) and not isinstance(v.type, TensorType)]
    if foreign:
        if not (isinstance(a, Variable) and isinstance(b, Variable) and a.type == b.type):
            raise DTypeError("ifelse: the branches differ in type", operands=[("then", a), ("else", b)])
        return a, b
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim != b.ndim:
        raise RankError(
            f"ifelse: the branches have {a.ndim} and {b.ndim} dimensions", operands=[("then", a), ("else", b)]
        )
    dtype = promote(a.dtype, b.dtype)
    a, b = cast_to(a, dtype), cast_to(b, dtype)
    return unbroadcast_like(a, b), unbroadcast_like(b, a)


def is_true(value: Any) -> bool:
    """Truth of a condition's value."""
    return bool(value) if not isinstance(value, np.ndarray) else bool(value[()])


class IfElse(Op):
    """One of two lists of ``count`` operands, as written; before it runs, ``lazy_form`` puts the branches inside."""

    __props__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count
        self.name = "ifelse"

    def make_node(self, *inputs: Any) -> Apply:
        kinds = [_common(a.type, b.type) for a, b in zip(*self.branches(inputs), strict=True)]
        return Apply(self, inputs, [kind() for kind in kinds])

    def branches(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
        """The operands of the branches."""
        return inputs[1 : self.count + 1], inputs[self.count + 1 :]

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        thens, elses = self.branches(inputs)
        for box, value in zip(output_storage, thens if is_true(inputs[0]) else elses, strict=True):
            box[0] = value

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> list[Any]:
        from eqsat.graph.ops.create import zeros_like

        zeros = [zeros_like(g) for g in output_gradients]
        taken = ifelse(inputs[0], list(output_gradients), zeros)
        other = ifelse(inputs[0], zeros, list(output_gradients))
        return [None, *taken, *other]

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        from eqsat.graph.ops.create import zeros_like

        moved = [zeros_like(v) if e is None else e for v, e in zip(inputs[1:], eval_points[1:], strict=True)]
        return list(ifelse(inputs[0], moved[: self.count], moved[self.count :]))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """The shapes of the branch that is taken."""
        thens, elses = self.branches(shapes)
        return [
            None
            if a is None
            else [ifelse(node.inputs[0], n, m) if n is not m else n for n, m in zip(a, b, strict=True)]
            for a, b in zip(thens, elses, strict=True)
        ]

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        return isinstance(node.inputs[0], Constant)


def _common(a: Any, b: Any) -> Any:
    """The type that holds the values of both; lengths that differ are unknown."""
    if not isinstance(a, TensorType):
        return a
    return a.clone(shape=[n if n == m else None for n, m in zip(a.shape, b.shape, strict=True)])


class LazyIfElse(GraphOp):
    """Computes one of two graphs over the operands behind the condition; made by ``lazy_form``."""

    name = "ifelse"

    def __init__(self, then_graph: InnerGraph, else_graph: InnerGraph, then_inputs: int) -> None:
        self.graphs = (then_graph, else_graph)
        self.then_inputs = then_inputs
        self._made: dict[str, Any] = {}

    def make_node(self, *inputs: Any) -> Apply:
        pairs = zip(self.graphs[0].outputs, self.graphs[1].outputs, strict=True)
        return Apply(self, inputs, [_common(a.type, b.type)() for a, b in pairs])

    def split(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The operands of each branch, of all but the condition."""
        return list(inputs[1 : self.then_inputs + 1]), list(inputs[self.then_inputs + 1 :])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        k = 0 if is_true(inputs[0]) else 1
        values = self.graphs[k].run(self.settings, self.split(inputs)[k])
        for box, value in zip(output_storage, values, strict=True):
            box[0] = value

    def branch(self, node: Apply, plans: Sequence[Plan]) -> Branch:
        """The branch of an application, for which two plans compute the graphs."""
        parts = zip(plans, self.split(node.inputs), strict=True)
        then, other = (Side(p, list(zip(operands, p.inputs, strict=True))) for p, operands in parts)
        return Branch(node, node.inputs[0], (then, other))

    def insides(self, node: Apply) -> list[Inside]:
        """The branches as printing and drawing show them."""
        thens, elses = self.split(range(len(node.inputs)))
        then = self.graphs[0].described("then", thens)
        condition = Port(None, "condition", 0, "condition")
        return [
            replace(then, inputs=(condition, *then.inputs)),
            self.graphs[1].described("else", elses),
        ]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """For each operand, which outputs depend on it."""
        inside = [row for graph in self.graphs for row in graph.connections()]
        return [[True] * len(node.outputs), *inside]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """The shapes of the branch that is taken."""
        thens, elses = (g.at(part) for g, part in zip(self.graphs, self.split(node.inputs), strict=True))
        return [
            None
            if not isinstance(a.type, TensorType)
            else [ifelse(node.inputs[0], length(a, k), length(b, k)) for k in range(a.ndim)]
            for a, b in zip(thens, elses, strict=True)
        ]

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> list[Any]:
        found = self._made.get("L")
        if found is None:
            found = self._made["L"] = [gradient_graph(g) for g in self.graphs]
        ends = [output_gradients[k] for k in float_positions(outputs)]
        thens, elses = self.split(inputs)
        both = []  # the inputs of one branch have the gradient 0 where the other is taken
        for g, (seeds, grads) in zip(self.graphs, found, strict=True):
            filled = [_or_zero(p, v) for p, v in zip(grads, _floats(g.inputs), strict=True)]
            both.append(InnerGraph([*g.inputs, *seeds], filled) if filled else None)
        result = [None]
        for k, part in enumerate((thens, elses)):
            result += _one_sided(inputs[0], both[k], part, ends, k)
        return result

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        graphs, operands = [], []
        for g, part, points in zip(self.graphs, self.split(inputs), self.split(eval_points), strict=True):
            moves, changes = tangent_graph(g)
            graphs.append(InnerGraph([*g.inputs, *moves], changes))
            given = [points[k] for k in float_positions(g.inputs)]
            operands.append([*part, *(_or_zero(p, v) for p, v in zip(given, _floats(part), strict=True))])
        made = iter(_applied(inputs[0], graphs, operands))
        pairs = zip(self.graphs[0].outputs, self.graphs[1].outputs, strict=True)
        return [next(made) if float_positions([a]) else None for a, _ in pairs]


def _floats(variables: Sequence[Any]) -> list[Any]:
    return [variables[k] for k in float_positions(variables)]


def _or_zero(piece: Any, model: Any) -> Any:
    from eqsat.graph.ops.create import zeros_like

    return zeros_like(model) if piece is None else piece


def _one_sided(condition: Any, graph: Any, part: Sequence[Any], ends: Sequence[Any], k: int) -> list[Any]:
    """Gradients of the operands of branch ``k``: those of its graph where it is taken, else 0."""
    from eqsat.graph.ops.create import zeros_like

    places = float_positions(part)
    result: list[Any] = [None] * len(part)
    if graph is None or not places:
        return result
    floats = [part[p] for p in places]
    fresh = [v.type.make_variable() for v in floats]
    zeros = InnerGraph(fresh, [zeros_like(v) for v in fresh])
    graphs, operands = [graph, zeros], [[*part, *ends], floats]
    if k == 1:
        graphs, operands = graphs[::-1], operands[::-1]
    for p, v in zip(places, _applied(condition, graphs, operands), strict=True):
        result[p] = v
    return result


def _applied(condition: Any, graphs: Sequence[InnerGraph], operands: Sequence[Sequence[Any]]) -> list[Any]:
    """Outputs of a lazy ifelse of two graphs over their operands."""
    op = LazyIfElse(graphs[0], graphs[1], len(operands[0]))
    return list(op(condition, *operands[0], *operands[1], return_list=True))
