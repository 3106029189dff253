"""Puts what only one branch of an ifelse needs inside the op, so that it runs only if the branch is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.graph.control.graph_op import InnerGraph
from eqsat.graph.control.ifelse import IfElse, LazyIfElse
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import rebuild, toposort


def has_ifelse(nodes: Iterable[Apply]) -> bool:
    """True where a branch could still be put inside its op."""
    return any(type(node.op) is IfElse for node in nodes)


def lazy_form(roots: Sequence[Variable], keep: Iterable[Variable] = ()) -> dict[Variable, Any]:
    """New variables for those of a graph, in which every ifelse holds its branches; unchanged ones are missing.

    What leads to ``keep`` stays outside of the branches, so that it can be found in the new graph.
    """
    kept = list(keep)
    nodes = toposort([*roots, *kept])
    if not has_ifelse(nodes):
        return {}
    graph = _Graph(nodes, {*roots, *kept})
    groups = graph.groups()
    return _Rebuilt(graph, groups, [*roots, *kept]).new


class _Group:
    """Ifelse nodes on one condition, none of which depends on another: they become one."""

    def __init__(self, graph: _Graph, members: list[Apply]) -> None:
        self.members = members
        sides = list(zip(*(node.op.branches(node.inputs) for node in members), strict=True))  # type: ignore[attr-defined]
        self.ends = [[v for part in side for v in part] for side in sides]
        own = [graph.owned(members, k) for k in (0, 1)]
        self.own = own[0] | own[1]
        self.borders = [_borders(nodes, ends) for nodes, ends in zip(own, self.ends, strict=True)]

    def needs(self) -> list[Variable]:
        """The variables that are computed before: for an ifelse, the condition and the operands of both branches."""
        return [self.members[0].inputs[0], *self.borders[0], *self.borders[1]]


def _borders(own: set[Apply], ends: Sequence[Variable]) -> list[Variable]:
    """The variables that a branch reads from outside, in order of meeting."""
    found: dict[Variable, None] = {}
    for v in [*ends, *(v for node in toposort(ends, stop=_outside(own, ends)) for v in node.inputs)]:
        if v.owner not in own and not isinstance(v, Constant):
            found[v] = None
    return list(found)


def _outside(own: set[Apply], ends: Sequence[Variable]) -> set[Variable]:
    """Variables at which a walk through a branch stops."""
    inside = {v for node in own for v in node.inputs} | set(ends)
    return {v for v in inside if v.owner not in own}


class _Graph:
    """A graph with the users of every variable."""

    def __init__(self, nodes: list[Apply], roots: set[Variable]) -> None:
        self.nodes, self.roots = nodes, roots
        self.users: dict[Variable, list[tuple[Apply, int]]] = {}
        for node in nodes:
            for k, v in enumerate(node.inputs):
                self.users.setdefault(v, []).append((node, k))

    def groups(self) -> dict[Apply, _Group]:
        """The group of each ifelse that stands outside of all branches."""
        depth: dict[Apply, int] = {}
        levels: dict[int, dict[Any, list[Apply]]] = {}
        for node in self.nodes:
            level = max((depth[v.owner] for v in node.inputs if v.owner in depth), default=0)
            if type(node.op) is IfElse:
                level += 1
                levels.setdefault(level, {}).setdefault(node.inputs[0], []).append(node)
            depth[node] = level
        found: dict[Apply, _Group] = {}
        inside: set[Apply] = set()
        for level in sorted(levels, reverse=True):
            for members in levels[level].values():
                left = [node for node in members if node not in inside]
                if left:
                    group = _Group(self, left)
                    found.update(dict.fromkeys(left, group))
                    inside |= group.own
        return found

    def owned(self, members: Sequence[Apply], side: int) -> set[Apply]:
        """The nodes all of whose users are one branch of some ifelse nodes, or such nodes."""
        own: set[Apply] = set()
        places = {node: _places(node, side) for node in members}
        waiting = [node.inputs[k].owner for node in members for k in places[node]]
        while waiting:
            node = waiting.pop()
            if node is None or node in own or not all(self._only(v, own, places) for v in node.outputs):
                continue
            own.add(node)
            waiting.extend(v.owner for v in node.inputs)
        return own

    def _only(self, v: Variable, own: set[Apply], places: dict[Apply, range]) -> bool:
        return v not in self.roots and all(
            user in own or (user in places and k in places[user]) for user, k in self.users.get(v, ())
        )


def _places(node: Apply, side: int) -> range:
    count: int = node.op.count  # type: ignore[attr-defined]
    return range(1 + side * count, 1 + (side + 1) * count)


class _Rebuilt:
    """The graph with each group of ifelse nodes as one lazy node."""

    def __init__(self, graph: _Graph, groups: dict[Apply, _Group], roots: Sequence[Variable]) -> None:
        self.groups = groups
        self.new: dict[Variable, Any] = {}
        self.done: set[Apply] = set()
        waiting = [v.owner for v in reversed(roots) if v.owner is not None]
        while waiting:
            node = waiting[-1]
            missing = [v.owner for v in self.needs(node) if v.owner is not None and v.owner not in self.done]
            if node in self.done or not missing:
                waiting.pop()
                if node not in self.done:
                    self.make(node)
            else:
                waiting.extend(missing)

    def needs(self, node: Apply) -> list[Variable]:
        """The variables that are computed before: for an ifelse, the condition and the operands of both branches."""
        group = self.groups.get(node)
        return node.inputs if group is None else group.needs()

    def make(self, node: Apply) -> None:
        """Note the new outputs of a node, or of all nodes of its group."""
        group = self.groups.get(node)
        if group is None:
            self.done.add(node)
            inputs = [self.new.get(v, v) for v in node.inputs]
            if any(a is not b for a, b in zip(inputs, node.inputs, strict=True)):
                self.new.update(zip(node.outputs, rebuild(node, inputs), strict=True))
            return
        self.done.update(group.members)
        graphs = [InnerGraph(b, e) for b, e in zip(group.borders, group.ends, strict=True)]
        op = LazyIfElse(graphs[0], graphs[1], len(group.borders[0]))
        made = iter(op(*(self.new.get(v, v) for v in group.needs()), return_list=True))
        for member in group.members:
            for v in member.outputs:
                out = self.new[v] = next(made)
                out.name = v.name
                out.comes_from(v)
