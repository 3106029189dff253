"""Walks over graphs: ancestors, order, inputs and copies, none of which recurses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from eqsat.graph.core import Apply, Constant, Variable


def toposort(outputs: Iterable[Variable], stop: Iterable[Variable] = ()) -> list[Apply]:
    """Every Apply that the outputs need, inputs before users, each once; ``stop`` is not entered.

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> [str(node.op) for node in toposort([T.exp(x) + T.log(x)])]
    ['exp', 'log', 'add']
    """
    order: list[Apply] = []
    done: set[Apply] = set()
    opened: set[Apply] = set()
    blocked = set(stop)
    stack = [v.owner for v in reversed(list(outputs)) if v.owner is not None and v not in blocked]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
        elif node in opened:
            stack.pop()
            done.add(node)
            order.append(node)
        else:
            opened.add(node)
            for variable in reversed(node.inputs):
                if variable.owner is not None and variable.owner not in done and variable not in blocked:
                    stack.append(variable.owner)
    return order


def ancestors(variables: Iterable[Variable], stop: Iterable[Variable] = ()) -> Iterator[Variable]:
    """The variables and everything they are computed from, each once.

    The walk starts from the last variable and takes the operands of an op from the first, as Theano's does:
    libraries rely on the order in which they find the parameters of a graph.

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> list(eqsat.graph.ancestors([T.exp(x), T.log(y)]))
    [log(y), y, exp(x), x]
    """
    blocked = set(stop)
    seen: set[Variable] = set()
    stack = list(variables)
    while stack:
        variable = stack.pop()
        if variable in seen:
            continue
        seen.add(variable)
        yield variable
        if variable.owner is not None and variable not in blocked:
            stack.extend(reversed(variable.owner.inputs))


def graph_inputs(outputs: Iterable[Variable], stop: Iterable[Variable] = ()) -> list[Variable]:
    """The variables without an owner that the outputs depend on, constants included, in the order of ``ancestors``.

    >>> import eqsat, eqsat.tensor as T
    >>> x, y, z = T.dvectors("x", "y", "z")
    >>> eqsat.graph.graph_inputs([T.exp(x) + y, z])
    [z, x, y]
    """
    blocked = set(stop)
    return [v for v in ancestors(outputs, blocked) if v.owner is None or v in blocked]


def free_inputs(outputs: Iterable[Variable]) -> list[Variable]:
    """The inputs of a graph that are neither constants nor shared."""
    return [v for v in graph_inputs(outputs) if not isinstance(v, Constant) and not hasattr(v, "get_value")]


def clone_with(outputs: Sequence[Variable], replace: Mapping[Variable, Variable]) -> list[Variable]:
    """The outputs with variables replaced; parts that do not change are shared with the old graph."""
    new: dict[Variable, Variable] = dict(replace)
    for node in toposort(outputs, stop=replace):
        inputs = [new.get(v, v) for v in node.inputs]
        if all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
            continue
        for old, fresh in zip(node.outputs, rebuild(node, inputs), strict=True):
            new[old] = fresh
    return [new.get(v, v) for v in outputs]


def rebuild(node: Apply, inputs: Sequence[Any]) -> list[Variable]:
    """Outputs of the node's op applied to other inputs, with the old names and lines."""
    fresh = node.op.make_node(*inputs)
    for old, out in zip(node.outputs, fresh.outputs, strict=True):
        out.name = old.name
        out.comes_from(old)
    return fresh.outputs
