"""OpFromGraph: an op made of a graph, opaque to rewriting or written out in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.errors import ArgumentError
from eqsat.graph.control.graph_op import (
    GraphOp,
    InnerGraph,
    checked_graph,
    float_positions,
    gradient_graph,
    tangent_graph,
)
from eqsat.graph.core import Apply
from eqsat.graph.ops.shape import length
from eqsat.graph.user_op import typed_inputs


class OpFromGraph(GraphOp):
    """An op that computes ``outputs`` from ``inputs``, both variables of a graph.

    Shared variables of the graph become further inputs. With ``inline=True`` the graph takes the place of the op
    before rewriting; else a function of its own computes it, and rules see it as a whole. The gradient is that of
    the graph, unless ``lop_overrides(inputs, outputs, output_gradients)`` or the older
    ``grad_overrides(inputs, output_gradients)`` gives a list of gradients. ``rop_overrides(inputs, eval_points)``
    does the same for ``Rop``. Each may also be a list with a function, None or "default" per input or output.

    Errors   ArgumentError where something listed is not a variable, or a constant; MissingInputError for a
             variable that the graph needs and that is not listed

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dscalars("x", "y")
    >>> product = eqsat.OpFromGraph([x, y], [x * y])
    >>> a = T.dscalar("a")
    >>> float(T.grad(product(a, a + 1), a).eval({a: 3.0}))
    7.0
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        inline: bool = False,
        lop_overrides: Any = "default",
        grad_overrides: Any = "default",
        rop_overrides: Any = "default",
        name: str | None = None,
    ) -> None:
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        self.shared = checked_graph("OpFromGraph", inputs, outputs)
        self.graph = InnerGraph([*inputs, *self.shared], outputs)
        self.graphs = (self.graph,)
        self.inline = inline
        self.name = name or "OpFromGraph"
        self.overrides = {"L": lop_overrides, "grad": grad_overrides, "R": rop_overrides}
        if lop_overrides != "default" and grad_overrides != "default":
            raise ArgumentError("OpFromGraph: lop_overrides and grad_overrides are both given")
        self._made: dict[str, Any] = {}

    def properties(self) -> Any:
        given = self.overrides.values()
        own = None if all(f == "default" for f in given) else tuple(map(_identity, given))
        return (*super().properties(), self.inline, own)  # type: ignore[misc]

    def make_node(self, *inputs: Any) -> Apply:
        kinds = [v.type for v in self.graph.inputs]
        values = list(inputs)
        if len(values) == len(kinds) - len(self.shared):
            values += self.shared
        own = kinds if len(values) == len(kinds) else kinds[: len(kinds) - len(self.shared)]
        return Apply(self, typed_inputs(self, values, own), [v.type() for v in self.graph.outputs])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        for box, value in zip(output_storage, self.graph.run(self.settings, inputs), strict=True):
            box[0] = value

    def written_out(self, node: Apply) -> list[Any] | None:
        """The graph in the place of an application, where it is to be inlined."""
        return self.graph.at(node.inputs) if self.inline else None

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """For each input, which outputs depend on it."""
        return self.graph.connections()

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Shapes of the outputs, from the graph, whose parts that only compute values are then not needed."""
        inside = self.graph.at(node.inputs)
        return [[length(v, k) for k in range(v.ndim)] if hasattr(v.type, "shape") else None for v in inside]

    # ---------------------------------------------------------------------------------------------- derivatives

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> list[Any]:
        facts: tuple[Any, ...]
        if self.overrides["grad"] != "default":
            given, facts = self.overrides["grad"], (inputs, output_gradients)
        else:
            given, facts = self.overrides["L"], (inputs, outputs, output_gradients)
        return _overridden(given, facts, lambda: self._gradients(inputs, output_gradients), len(inputs))

    def _gradients(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> list[Any]:
        found = self._made.get("L")
        if found is None:
            seeds, grads = gradient_graph(self.graph)
            kept = [g for g in grads if g is not None]
            op = OpFromGraph([*self.graph.inputs, *seeds], kept, self.inline, name=f"{self.name}_grad")
            found = self._made["L"] = (op, [g is not None for g in grads])
        op, present = found
        ends = [output_gradients[k] for k in float_positions(self.graph.outputs)]
        made = iter(op(*inputs, *ends, return_list=True) if any(present) else [])
        result: list[Any] = [None] * len(inputs)
        for k, there in zip(float_positions(self.graph.inputs), present, strict=True):
            result[k] = next(made) if there else None
        return result

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        count = len(self.graph.outputs)
        facts = (inputs, eval_points)
        return _overridden(self.overrides["R"], facts, lambda: self._changes(inputs, eval_points), count)

    def _changes(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        from eqsat.graph.ops.create import zeros_like

        found = self._made.get("R")
        if found is None:
            moves, changes = tangent_graph(self.graph)
            name = f"{self.name}_rop"
            found = self._made["R"] = OpFromGraph(
                [*self.graph.inputs, *moves], changes, self.inline, name=name
            )
        places = float_positions(self.graph.inputs)
        moved = [zeros_like(inputs[k]) if eval_points[k] is None else eval_points[k] for k in places]
        made = iter(found(*inputs, *moved, return_list=True))
        floating = float_positions(self.graph.outputs)
        return [next(made) if k in floating else None for k in range(len(self.graph.outputs))]


def _identity(given: Any) -> Any:
    return tuple(map(_identity, given)) if isinstance(given, (list, tuple)) else given


def _overridden(given: Any, facts: Sequence[Any], default: Callable[[], list[Any]], count: int) -> list[Any]:
    """The gradients of the user's functions, and the default where they give none."""
    if isinstance(given, str) and given == "default":
        return default()
    if callable(given):
        found = given(*facts)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        return found + [None] * (count - len(found))
    rest = default() if any(isinstance(g, str) for g in given) else []
    found = [rest[k] if isinstance(g, str) else g and g(*facts) for k, g in enumerate(given)]
    return found + [None] * (count - len(found))
