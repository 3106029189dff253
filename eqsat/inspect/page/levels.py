"""The boxes of a graph that lies in groups: those of each group, with ports where values come in and go out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Variable
from eqsat.graph.inner_graphs import Port
from eqsat.inspect.drawing.boxes import Box, cut
from eqsat.inspect.drawing.contents import Contents, Room, port_box
from eqsat.inspect.page.groups import Group

MOST_PORTS = 4  # of a group on one side; of more values all but the first ones come through one port


@dataclass
class Level:
    """The boxes of a group: ``ways`` are those of the ports, in and out, and ``inner`` the levels of the groups among them."""

    group: Any
    boxes: list[Box]
    ways: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    inner: dict[int, Level] = field(default_factory=dict)


@dataclass
class Borders:
    """The variables that each group takes from outside of it and gives to what is outside."""

    takes: Mapping[Group, list[Variable]]
    gives: Mapping[Group, list[Variable]]


def levels(
    whole: Group, outputs: Sequence[Variable], chosen: Collection[Any], room: Room, hidden: int
) -> Level:
    """The level of the whole, with those of all groups; ``hidden`` counts the nodes that are not ``chosen``."""
    home = _homes(whole)
    borders = _borders(whole, home)
    top = Level(whole, [])
    open_ = [top]
    while open_:
        level = open_.pop()
        contents = Contents(chosen, room)
        contents.boxes = level.boxes
        _fill(level, contents, borders, hidden)
        group = level.group
        contents.add_outputs(outputs, lambda v, group=group: home.get(v.owner, whole) is group)  # type: ignore[misc]
        for values in ported(borders.gives.get(group, ())):
            operands = _places(contents, values)
            level.ways[1].append(len(level.boxes))
            level.boxes.append(_port(values, "last", operands))
        open_ += level.inner.values()
    return top


def _fill(level: Level, contents: Contents, borders: Borders, hidden: int) -> None:
    """Boxes for the ports of a group and for its members."""
    group, boxes = level.group, level.boxes
    if group.around is not None:
        boxes.append(Box("name", cut(group.title), row="first"))
    for values in ported(borders.takes.get(group, ())):
        contents.entries.update({v: (len(boxes), 0) for v in values})
        boxes.append(_port(values, "first"))
    if group.around is None or any(
        v.owner not in contents.chosen for v in _read(group) if v.owner is not None
    ):
        contents.add_more(hidden)
    for member in group.members:
        if isinstance(member, Apply):
            contents.add_node(member)
            continue
        ways = [
            (j, place)
            for j, v in enumerate(ported(borders.takes[member]), 1)
            for place in _places(contents, v)
        ]
        given = enumerate(ported(borders.gives[member]))
        contents.entries.update({v: (len(boxes), k) for k, values in given for v in values})
        level.inner[len(boxes)] = Level(member, [], ([j for j, _ in ways], []))
        boxes.append(Box("group", cut(member.title), operands=[place for _, place in ways]))


def _read(group: Group) -> list[Variable]:
    """The operands of the ops that stand in a group itself."""
    return [v for m in group.members if isinstance(m, Apply) for v in m.inputs]


def ported(values: Sequence[Variable]) -> list[list[Variable]]:
    """The variables of each port: the first ones have one each, many more have one together.

    >>> [len(p) for p in ported("abcd")], [len(p) for p in ported("abcdefg")]
    ([1, 1, 1, 1], [1, 1, 1, 4])
    """
    alone = len(values) if len(values) <= MOST_PORTS else MOST_PORTS - 1
    return [[v] for v in values[:alone]] + ([list(values[alone:])] if values[alone:] else [])


def _port(values: Sequence[Variable], row: str, operands: Sequence[tuple[int, int]] = ()) -> Box:
    """The box of a port of a group, named for the op that makes its value."""
    variable, made = values[0], values[0].owner
    what = variable.name or (str(made.op).partition("{")[0] if made is not None else "")
    if len(values) > 1:
        return Box("port", f"{len(values)} values", operands=list(operands), row=row)
    box = port_box(Port(variable, what, None, ""), row, operands)
    box.unit = variable
    return box


def _places(contents: Contents, values: Sequence[Variable]) -> list[tuple[int, int]]:
    """The boxes where some variables are, each once."""
    return list({box: (box, out) for box, out in map(contents.place, values)}.values())


def _homes(whole: Group) -> dict[Any, Group]:
    """The group in which each op stands."""
    found: dict[Any, Group] = {}
    open_ = [whole]
    while open_:
        group = open_.pop()
        for member in group.members:
            if isinstance(member, Group):
                open_.append(member)
            else:
                found[member] = group
    return found


def _chain(group: Group | None) -> list[Group]:
    """A group and those around it, from the inside."""
    found = []
    while group is not None:
        found.append(group)
        group = group.around
    return found


def _borders(whole: Group, home: Mapping[Any, Group]) -> Borders:
    """The variables that cross the border of each group, in the order in which they are read."""
    chains = {g: _chain(g) for g in set(home.values())}
    groups = {g: None for chain in chains.values() for g in chain}
    takes: dict[Group, dict[Variable, None]] = {g: {} for g in groups}
    gives: dict[Group, dict[Variable, None]] = {g: {} for g in groups}
    for node in whole.ops():
        inside = chains[home[node]]
        for v in node.inputs:
            source = home.get(v.owner)
            if source is None or source is home[node]:
                continue
            for group in inside:
                if group not in chains[source]:
                    takes[group][v] = None
            for group in chains[source]:
                if group not in inside:
                    gives[group][v] = None
    return Borders({g: list(v) for g, v in takes.items()}, {g: list(v) for g, v in gives.items()})
