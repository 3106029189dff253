"""The graph as written among the e-nodes of its e-graph: as a choice, and as those that come first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from eqsat.egraph.encode import Encoded, parameter_codes
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode, Saturated
from eqsat.extract.loops import RUN
from eqsat.extract.problem import Choice, Problem
from eqsat.graph.core import Variable
from eqsat.graph.seen import seen_name


def written_first(keys: Collection[object], saturated: Saturated, more: Sequence[ENode]) -> list[ENode]:
    """All e-nodes: of each op those of the graph as written first, then by where it has their operands.

    Of forms that cost the same the first is taken. In which order rules make forms depends on which rules the process has
    compiled before; the graph as written is the same in all of them, and ``keys`` are those of its e-nodes.
    """
    place: dict[int, int] = {}
    for k, cls in enumerate(saturated.class_of):
        place.setdefault(cls, k)
    last, group = len(place), {op: k for k, op in enumerate(dict.fromkeys(e.op for e in saturated.enodes))}

    def order(e: ENode) -> tuple[Any, ...]:
        new = (e.op, e.params, e.children) not in keys
        return group[e.op], new, tuple([place.get(c, last) for c in e.children])

    return [*sorted(saturated.enodes, key=order), *more]


def written_keys(encoded: Encoded, saturated: Saturated) -> set[object]:
    """Op, parameters and classes of operands of the e-nodes of the graph as written."""
    return {written_key(encoded, saturated, v) for v in encoded.variables}


def written_nodes(
    encoded: Encoded, enodes: Sequence[ENode], saturated: Saturated, dense: dict[int, int]
) -> tuple[Choice, list[tuple[int, int]]]:
    """The e-nodes of the graph as written: those of the runs of loops by class, and class and e-node of each variable."""
    index: dict[tuple[Any, ...], int] = {}
    leaf: dict[int, int] = {}
    runs: Choice = {}
    for i, e in enumerate(enodes):
        if e.op in (LEAF, NUM, ARR):
            leaf.setdefault(e.cls, i)
        elif e.op == RUN:
            runs[dense[e.cls]] = i
        else:
            index.setdefault((e.op, e.params, e.children), i)
    among = []
    for k, variable in enumerate(encoded.variables):
        cls, key = saturated.class_of[k], written_key(encoded, saturated, variable)
        among.append((dense[cls], leaf[cls] if key is None else index[key]))
    return runs, among


def written_choice(runs: Choice, among: Sequence[tuple[int, int]], problem: Problem) -> Choice | None:
    """The choice that rebuilds the graph as written: of each class, the first of its e-nodes that can be computed.

    A value that was found equal to the initial value of a state may need the steps of the state, which come later.
    None where what other answers need has been added to what was written, so that it comes round to itself.
    """
    choice = dict(runs)
    waiting = list(among)
    while waiting:
        rest = []
        for cls, i in waiting:
            if cls not in choice and all(c in choice for c in problem.needs[i]):
                choice[cls] = i
            elif cls not in choice:
                rest.append((cls, i))
        if len(rest) == len(waiting):
            return None
        waiting = rest
    return reachable(choice, problem)


def written_key(encoded: Encoded, saturated: Saturated, variable: Variable) -> tuple[Any, ...] | None:
    """Op, parameters and child classes of the e-node that a loaded variable became; None for a leaf."""
    if variable.owner is None:
        return None
    op: Any = variable.owner.op
    name = seen_name(variable.owner)
    operands = encoded.models.operands(variable.owner, name)
    children = tuple(saturated.class_of[encoded.number[v]] for v in operands)
    if name is not None:
        return (name, tuple(parameter_codes(variable.owner, encoded.codes)), children)
    return (APP, (encoded.opaque_code[(op, variable.index)],), children)


def reachable(choice: Choice, problem: Problem) -> Choice:
    """The part of a choice that the roots need."""
    needed: Choice = {}
    stack = list(problem.roots)
    while stack:
        c = stack.pop()
        if c not in needed:
            needed[c] = choice[c]
            stack.extend(problem.children[choice[c]])
    return needed
