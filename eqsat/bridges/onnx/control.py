"""Ops of ONNX that hold graphs, and ops that are functions of others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length
from eqsat.bridges.onnx.reading import Scope, as_constant, nodes_of
from eqsat.bridges.onnx.table import at, known, on
from eqsat.bridges.translate import Refused
from eqsat.graph.control.ifelse import ifelse
from eqsat.scan import scan, until

MOST_STEPS = np.int64(2**62)


def inner(c: Any, graph: Any, given: list[Any], captured: list[Any]) -> list[Any]:
    """The results of an attribute's graph."""
    node = c.node
    scope = Scope(node.scope.versions, [*graph.value_info, *graph.output, *graph.input], node.scope)
    for t in graph.initializer:
        scope.new(t.name, t)
    inputs = [scope.new(v.name) for v in graph.input]
    nodes = nodes_of(graph.node, scope)
    outputs = [scope.value(v.name) for v in graph.output]
    return list(c.translation.graph(nodes, [*inputs, *node.captured], outputs, [*given, *captured]))


@on("If")
def branches(c: Any, condition: Any, *captured: Any) -> Any:
    """Of a condition that is known, the branch that is taken alone."""
    value = known(condition)
    if value is not None:
        taken = c.get("then_branch") if value.all() else c.get("else_branch")
        return [[x] if isinstance(x, list) else x for x in inner(c, taken, [], list(captured))]
    thens = inner(c, c.get("then_branch"), [], list(captured))
    elses = inner(c, c.get("else_branch"), [], list(captured))
    for a, b in zip(thens, elses):
        if isinstance(a, list) or isinstance(b, list):
            raise Refused("a branch that gives a sequence")
        if a.ndim != b.ndim:
            raise Refused("branches whose results have different ranks")
    flat = condition if condition.ndim == 0 else T.all(condition)
    return ifelse(flat, thens, elses)


@on("Loop")
def loop(c: Any, trips: Any, condition: Any, *operands: Any) -> Any:
    """Steps while the condition holds; values of each step are stacked."""
    graph = c.get("body")
    count = len(graph.input) - 2
    states, captured = list(operands[:count]), list(operands[count:])
    if any(isinstance(s, list) or s is None for s in states):
        raise Refused("a state that is a sequence")
    stacked = len(graph.output) - 1 - count
    limit = np.asarray(MOST_STEPS) if trips is None else known(trips)  # 2 ** 63 - 1 stands for none, too
    if stacked and limit is not None and limit.size and limit.max() >= MOST_STEPS:
        raise Refused("values of the steps of a loop without a largest number of these")
    n: Any = T.as_tensor(MOST_STEPS)
    if trips is not None:
        n = T.minimum(T.cast(trips if trips.ndim == 0 else trips[0], "int64"), MOST_STEPS)
    always = True
    if condition is not None:
        start = known(condition)
        if start is None:
            n = T.switch(condition if condition.ndim == 0 else condition[0], n, 0)
        elif not start.all():
            n = T.as_tensor(np.int64(0))
        always = start is not None and bool(start.all()) and _same_condition(graph)

    def step(i: Any, *now: Any) -> Any:
        true = as_constant(np.asarray(True))
        made = inner(c, graph, [T.cast(i, "int64"), true, *now], captured)
        if any(isinstance(m, list) for m in made):
            raise Refused("a sequence in a loop")
        outs = [i + 1, *(_as_state(m, s) for m, s in zip(made[1 : count + 1], now)), *made[count + 1 :]]
        if always:
            return outs
        go_on = made[0] if made[0].ndim == 0 else made[0][0]
        return outs, until(T.invert(go_on))

    if not count and not stacked:
        return []
    infos = [T.as_tensor(np.int64(0)), *states, *[None] * stacked]
    found, _ = scan(step, outputs_info=infos, n_steps=n, return_list=True)
    last = ifelse(T.gt(n, 0), [f[-1] for f in found[1 : count + 1]], states) if count else []
    return [*last, *found[count + 1 :]]


def _same_condition(graph: Any) -> bool:
    """True where a step passes its condition on."""
    name, goal = graph.output[0].name, graph.input[1].name
    made = {n.output[0]: n for n in graph.node if n.op_type == "Identity"}
    while name in made:
        name = made[name].input[0]
    return bool(name == goal)


def _as_state(made: Any, state: Any) -> Any:
    if made.ndim != state.ndim:
        raise Refused("a state whose rank changes")
    return made if made.type.dtype == state.type.dtype else T.cast(made, state.type.dtype)


@on("Scan")
def over(c: Any, *operands: Any) -> Any:
    """Steps over rows of tensors."""
    graph, rows = c.get("body"), c.get("num_scan_inputs")
    if c.version < 9:
        raise Refused("the form of version 8")
    count = len(graph.input) - rows
    states, tensors, captured = operands[:count], operands[count : count + rows], operands[count + rows :]
    axes = c.get("scan_input_axes") or [0] * rows
    back = c.get("scan_input_directions") or [0] * rows
    turned = []
    for x, axis, direction in zip(tensors, axes, back):
        axis %= x.ndim
        x = x.dimshuffle(axis, *(a for a in range(x.ndim) if a != axis))
        turned.append(x[::-1] if direction else x)

    def step(*given: Any) -> Any:
        made = inner(c, graph, [*given[rows:], *given[:rows]], list(captured))
        return [_as_state(m, s) for m, s in zip(made, given[rows:])] + made[count:]

    outs = len(graph.output) - count
    found, _ = scan(step, sequences=turned, outputs_info=[*states, *[None] * outs], return_list=True)
    result = [f[-1] for f in found[:count]]
    places = c.get("scan_output_axes") or [0] * outs
    ways = c.get("scan_output_directions") or [0] * outs
    for f, axis, direction in zip(found[count:], places, ways):
        f = f[::-1] if direction else f
        axis %= f.ndim
        result.append(f.dimshuffle(*range(1, axis + 1), 0, *range(axis + 1, f.ndim)))
    return result


# -------------------------------------------------------------------------------------------------------- sequences


@on("Optional")
def optional(c: Any, x: Any = None) -> Any:
    """A value that may be missing is the value, where there is one."""
    if x is None:
        raise Refused("an optional value that is missing")
    return [x] if isinstance(x, list) else x


@on("OptionalGetElement")
def optional_element(c: Any, x: Any) -> Any:
    return [x] if isinstance(x, list) else x


@on("OptionalHasElement")
def optional_present(c: Any, x: Any = None) -> Any:
    return as_constant(np.asarray(x is not None))


@on("SequenceConstruct")
def sequence(c: Any, *xs: Any) -> Any:
    return [list(xs)]


@on("SequenceEmpty")
def empty(c: Any) -> Any:
    return [[]]


@on("SequenceLength")
def sequence_length(c: Any, xs: Any) -> Any:
    return as_constant(np.asarray(len(xs), np.int64))


def place(i: Any) -> int:
    value = known(i)
    if value is None:
        raise Refused("a place in a sequence that is computed at run time")
    return int(value)


@on("SequenceAt")
def sequence_at(c: Any, xs: Any, i: Any) -> Any:
    return xs[place(i)]


@on("SequenceErase")
def sequence_erase(c: Any, xs: Any, i: Any = None) -> Any:
    rest = list(xs)
    del rest[-1 if i is None else place(i)]
    return [rest]


@on("SequenceInsert")
def sequence_insert(c: Any, xs: Any, x: Any, i: Any = None) -> Any:
    rest = list(xs)
    k = len(rest) if i is None else place(i)
    rest.insert(k + len(rest) if k < 0 else k, x)
    return [rest]


@on("ConcatFromSequence")
def join_sequence(c: Any, xs: Any) -> Any:
    axis = c.get("axis")
    if c.get("new_axis", 0):
        return T.stack(xs, axis=axis % (xs[0].ndim + 1))
    return T.join(axis % xs[0].ndim, *xs)


@on("SplitToSequence")
def split_to_sequence(c: Any, x: Any, sizes: Any = None) -> Any:
    axis = c.get("axis", 0) % x.ndim
    n = length(x, axis)
    if not isinstance(n, int):
        raise Refused("a length that is known at run time alone")
    if sizes is None:
        parts = [at(x, axis, slice(k, k + 1)) for k in range(n)]
        return [parts if c.get("keepdims", 1) else [at(x, axis, k) for k in range(n)]]
    value = known(sizes)
    if value is None:
        raise Refused("sizes that are computed at run time")
    cuts = [int(k) for k in value.ravel()] if value.ndim else [int(value)] * -(-n // int(value))
    ends = np.cumsum([0, *cuts])
    return [[at(x, axis, slice(int(a), min(int(b), n))) for a, b in pairwise(ends)]]
