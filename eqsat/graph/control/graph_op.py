"""Ops whose meaning is a graph: equal where the graphs are, run by a function of their own, differentiated inside."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

from eqsat.base.hooks import hook
from eqsat.errors import ArgumentError, MissingInputError
from eqsat.graph.core import Apply, Constant, Op, Variable
from eqsat.graph.inner_graphs import FIXED, Inside, Port
from eqsat.graph.numbering import Numbering
from eqsat.graph.walk import ancestors, clone_with, graph_inputs

NONE = (object(), None)  # no mode or settings, and no function


class InnerGraph:
    """Outputs as a function of inputs; nothing else that is computed, free or shared occurs in it."""

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        fresh: dict[Variable, Any] = {v: v.type.make_variable(v.name) for v in inputs}
        for old, new in fresh.items():
            new.comes_from(old)
        self.inputs: list[Any] = [fresh[v] for v in inputs]
        self.outputs: list[Any] = clone_with(outputs, fresh)
        self._signature: Hashable = None
        self._runs: dict[Any, Any] = {}
        self._latest: tuple[Any, Any] = NONE

    def signature(self) -> Hashable:
        """A value that is equal for two graphs that compute the same by the same ops."""
        if self._signature is None:
            numbering = Numbering({v: k for k, v in enumerate(self.inputs)})
            numbers = tuple(numbering.all(self.outputs))
            self._signature = (tuple(v.type for v in self.inputs), tuple(numbering.keys), numbers)
        return self._signature

    def run(self, how: Any, values: Sequence[Any]) -> list[Any]:
        """Values of the outputs, by a function that is compiled on the first call."""
        return list(self.compiled(how)(*values))

    def compiled(self, how: Any) -> Any:
        """The function of the graph in a mode or under settings, compiled when it is asked for first."""
        latest, function = self._latest
        if how is latest:
            return function
        found = self._runs.get(how)
        if found is None:
            found = hook("function")(
                self.inputs, self.outputs, mode=how or "reference", on_unused_input="ignore"
            )
            self._runs[how] = found
        self._latest = how, found  # asked for at every step
        return found

    def at(self, inputs: Sequence[Variable]) -> list[Any]:
        """The outputs as a graph over other inputs."""
        from eqsat.graph.ops.specify import unbroadcast_like

        fitted = [
            unbroadcast_like(v, old) if hasattr(old.type, "shape") else v
            for v, old in zip(inputs, self.inputs, strict=True)
        ]
        return clone_with(self.outputs, dict(zip(self.inputs, fitted, strict=True)))

    def connections(self) -> list[list[bool]]:
        """For each input, which outputs depend on it."""
        reached = [set(ancestors([v])) for v in self.outputs]
        return [[v in found for found in reached] for v in self.inputs]

    def described(self, title: str, operands: Sequence[int]) -> Inside:
        """The graph as printing and drawing show it; ``operands`` are the positions of the inputs among those of a node."""
        inputs = [
            Port(v, v.name or f"input {k}", place, FIXED)
            for k, (v, place) in enumerate(zip(self.inputs, operands, strict=True))
        ]
        outputs = [Port(v, "", k, "output") for k, v in enumerate(self.outputs)]
        return Inside(title, tuple(inputs), tuple(outputs))

    def __getstate__(self) -> Any:
        return (self.inputs, self.outputs)

    def __setstate__(self, state: Any) -> None:
        self.inputs, self.outputs = state
        self._signature, self._runs, self._latest = None, {}, NONE


class GraphOp(Op):
    """An op that holds graphs; ``settings`` says how they are compiled: they are those of the function in which the op stands."""

    settings: Any = None
    graphs: tuple[InnerGraph, ...] = ()

    def properties(self) -> Hashable:
        return (self.name, self.settings, tuple(g.signature() for g in self.graphs))

    def told(self, settings: Any) -> GraphOp:
        """The same op, its graphs compiled under some settings."""
        other = copy.copy(self)
        other.settings = settings
        return other

    @property
    def inner_inputs(self) -> list[Any]:
        """The inputs of the graphs inside, one graph after the other."""
        return [v for g in self.graphs for v in g.inputs]

    @property
    def inner_outputs(self) -> list[Any]:
        """The outputs of the graphs inside, one graph after the other."""
        return [v for g in self.graphs for v in g.outputs]

    def insides(self, node: Apply) -> list[Inside]:
        """The graphs that printing and drawing show; here those of all operands."""
        return [graph.described("", range(len(node.inputs))) for graph in self.graphs]

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        return False


def checked_graph(what: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """The shared variables of a graph, which become inputs too; refuses free variables that are not listed.

    Errors   ArgumentError where something is not a variable; MissingInputError for a free variable
    """
    for v in (*inputs, *outputs):
        if not isinstance(v, Variable):
            raise ArgumentError(f"{what}: {v!r} is not a variable", needs="lists of variables")
    for v in inputs:
        if isinstance(v, Constant):
            raise ArgumentError(f"{what}: the constant {v} cannot be an input", operands=[("constant", v)])
    if len(set(inputs)) != len(inputs):
        raise ArgumentError(f"{what}: an input is listed twice")
    left = [v for v in graph_inputs(outputs, stop=inputs) if v not in inputs and not isinstance(v, Constant)]
    for v in left:
        if not hasattr(v, "get_value"):
            raise MissingInputError(
                f"{what}: the graph needs {v}, which is not among the inputs", operands=[(str(v), v)]
            )
    return left


def float_positions(variables: Sequence[Any]) -> list[int]:
    """Positions of the variables that have gradients."""
    return [k for k, v in enumerate(variables) if _has_gradient(v)]


def _has_gradient(v: Any) -> bool:
    return getattr(v.type, "dtype", "").startswith(("float", "complex"))


def gradient_graph(graph: InnerGraph) -> tuple[list[Any], list[Any]]:
    """Inputs for the gradients of the floating outputs, and the gradients of the floating inputs (None: none)."""
    seeds = [graph.outputs[k].type.make_variable() for k in float_positions(graph.outputs)]
    ends = [graph.outputs[k] for k in float_positions(graph.outputs)]
    wrt = [graph.inputs[k] for k in float_positions(graph.inputs)]
    known: dict[Any, Any] = {}
    for v, seed in zip(ends, seeds, strict=True):
        known[v] = known[v] + seed if v in known else seed
    if not wrt or not ends:
        return seeds, [None] * len(wrt)
    return seeds, hook("seeded_grad")(wrt, known, disconnected_inputs="ignore", return_disconnected="None")


def tangent_graph(graph: InnerGraph) -> tuple[list[Any], list[Any]]:
    """Inputs for the changes of the floating inputs, and the changes of the floating outputs."""
    wrt = [graph.inputs[k] for k in float_positions(graph.inputs)]
    ends = [graph.outputs[k] for k in float_positions(graph.outputs)]
    moves = [v.type.make_variable() for v in wrt]
    return moves, hook("Rop")(ends, wrt, moves, disconnected_outputs="ignore")
