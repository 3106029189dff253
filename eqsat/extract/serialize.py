"""E-graphs as JSON in the format of egraph-serialize: read with every mistake named, and written."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import EGraphFileError
from eqsat.extract.problem import Problem

_FIELDS = {"op": "text", "eclass": "text", "children": "a list of e-node names", "cost": "a number"}
SHORT, WORD = 8, 24  # letters of a digest and of an op in a name
_USUAL: dict[str, Any] = {"children": [], "cost": 1.0}  # what a field counts as that is not there


@dataclass(frozen=True)
class Serialized:
    """A problem with the names that its file gives to e-nodes, classes and ops."""

    name: str
    problem: Problem
    nodes: list[str]
    classes: list[str]
    ops: list[str]

    def choices(self, choice: Mapping[int, int]) -> dict[str, str]:
        """A choice as the file would say it: class name -> e-node name."""
        return {self.classes[cls]: self.nodes[node] for cls, node in sorted(choice.items())}


def read(path: str | Path, negative: bool = True) -> Serialized:
    """The e-graph of a file.

    An e-node without ``cost`` costs 1, one without ``children`` is a leaf; an infinite cost marks one that must not be chosen.

    Errors   EGraphFileError that names the file and the e-node or class: no file, not JSON, other fields that lack, fields
             of another type, a child or a root class that does not exist, a root class that cannot be
             built, a cost that is NaN, costs whose sum is no finite number, and a negative one unless ``negative``
    """
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise EGraphFileError(f"{name}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise EGraphFileError(f"{name}: not text: byte {error.start} is not UTF-8") from error
    return loads(text, name, negative)


def loads(text: str, name: str = "text", negative: bool = True) -> Serialized:
    """The e-graph of a JSON text; ``name`` is what errors call it.

    >>> both = '{"nodes": {"a": {"op": "x", "cost": 1, "eclass": "0", "children": []}}, "root_eclasses": ["0"]}'
    >>> loads(both).problem.cost
    [1.0]
    """
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats)
    except _Repeated as error:
        raise EGraphFileError(f"{name}: {error} is written twice in one object") from error
    except (ValueError, RecursionError) as error:
        what = "the file is empty" if not text.strip() else f"not JSON: {error}"
        raise EGraphFileError(f"{name}: {what}") from error
    return _Reader(name, negative).whole(data)


class _Repeated(Exception):
    pass


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _Repeated(repr(next(key for key, _ in pairs if key in seen or seen.add(key))))  # type: ignore[func-returns-value]
    return found


class _Reader:
    """Reads one file; knows its name for the errors."""

    def __init__(self, name: str, negative: bool) -> None:
        self.name, self.negative = name, negative

    def refuse(self, what: str, hint: str | None = None) -> EGraphFileError:
        return EGraphFileError(f"{self.name}: {what}", hint=hint)

    def whole(self, data: Any) -> Serialized:
        """The e-graph of what the JSON text holds."""
        if not isinstance(data, dict):
            raise self.refuse(f"holds {_kind(data)}, but needs an object with nodes and root_eclasses")
        nodes = self.field(data, "nodes", dict, "an object of e-nodes")
        roots = self.field({"root_eclasses": [], **data}, "root_eclasses", list, "a list of class names")
        if not nodes:
            raise self.refuse("nodes is empty: there is nothing to extract")
        if not roots:
            raise self.refuse("root_eclasses is empty: nothing is asked for")
        nodes = {node: self.with_usual(node, entry) for node, entry in nodes.items()}
        for node, entry in nodes.items():
            self.check_node(node, entry)
        number: dict[str, int] = {}
        for entry in nodes.values():
            number.setdefault(entry["eclass"], len(number))
        for root in roots:
            self.check_root(root, number)
        problem = Problem(
            node_class=[number[entry["eclass"]] for entry in nodes.values()],
            children=[self.children(node, entry, nodes, number) for node, entry in nodes.items()],
            cost=[self.cost(node, entry) for node, entry in nodes.items()],
            roots=[number[root] for root in roots],
            n_classes=len(number),
            negative=any(entry["cost"] < 0 for entry in nodes.values()),
        )
        read = Serialized(self.name, problem, list(nodes), list(number), [e["op"] for e in nodes.values()])
        self.check_sum(read)
        self.check_buildable(read)
        return read

    def field(self, data: dict[str, Any], key: str, kind: type, what: str) -> Any:
        """A field of the whole file."""
        if key not in data:
            raise self.refuse(f"has no field {key!r}, but needs {what} there")
        if not isinstance(data[key], kind):
            raise self.refuse(f"{key} is {_kind(data[key])}, but needs to be {what}")
        return data[key]

    def with_usual(self, node: str, entry: Any) -> dict[str, Any]:
        """The fields of an e-node with those that may be left out."""
        if not isinstance(entry, dict):
            raise self.refuse(f"e-node {node!r} is {_kind(entry)}, but needs to be an object")
        return {**_USUAL, **entry}

    def check_node(self, node: str, entry: dict[str, Any]) -> None:
        """Refuse an e-node that lacks a field or has one of a wrong type."""
        for key, what in _FIELDS.items():
            if key not in entry:
                raise self.refuse(f"e-node {node!r} has no field {key!r}, but needs {what} there")
            value = entry[key]
            if key == "cost":
                fits = isinstance(value, int | float) and not isinstance(value, bool)
            elif key == "children":
                fits = isinstance(value, list) and all(isinstance(child, str) for child in value)
            else:
                fits = isinstance(value, str)
            if not fits:
                shown = json.dumps(value)[:60]
                raise self.refuse(f"{key} of e-node {node!r} is {shown}, but needs to be {what}")

    def check_root(self, root: Any, number: Mapping[str, int]) -> None:
        """Refuse a root that names no class with e-nodes."""
        if not isinstance(root, str):
            raise self.refuse(f"root_eclasses holds {_kind(root)}, but needs class names")
        if root not in number:
            raise self.refuse(f"root class {root!r} is missing: no e-node is in it")

    def children(
        self, node: str, entry: Mapping[str, Any], nodes: Mapping[str, Any], number: Mapping[str, int]
    ) -> tuple[int, ...]:
        """The classes that an e-node needs."""
        for child in entry["children"]:
            if child not in nodes:
                raise self.refuse(
                    f"child {child!r} of e-node {node!r} (class {entry['eclass']!r}) is missing"
                )
        return tuple(number[nodes[child]["eclass"]] for child in entry["children"])

    def cost(self, node: str, entry: Mapping[str, Any]) -> float:
        """The cost of an e-node."""
        try:
            cost = float(entry["cost"])
        except OverflowError:
            cost = math.inf if entry["cost"] > 0 else -math.inf
        where = f"e-node {node!r} (class {entry['eclass']!r})"
        if math.isnan(cost) or cost == -math.inf:
            raise self.refuse(f"{where} costs {cost}, which is no cost")
        if cost < 0 and not self.negative:
            raise self.refuse(f"{where} costs {cost}, but negative costs are refused here")
        return cost

    def check_sum(self, read: Serialized) -> None:
        """Refuse costs whose sums are no numbers."""
        whole = sum(abs(cost) for cost in read.problem.cost if cost < math.inf)
        if whole == math.inf:
            raise self.refuse("the costs of all e-nodes add up to more than a number can hold")

    def check_buildable(self, read: Serialized) -> None:
        """Refuse a root without an extraction of finite cost and without cycles."""
        problem = read.problem
        built = {problem.node_class[node] for node, is_built in enumerate(problem.derivable) if is_built}
        for root in problem.roots:
            if root not in built:
                raise self.refuse(
                    f"root class {read.classes[root]!r} cannot be extracted: each of its "
                    f"{len(problem.nodes_of[root])} e-nodes has infinite cost or needs a class that cannot be "
                    "built without it"
                )


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def to_json(
    problem: Problem,
    ops: Sequence[str],
    nodes: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    kinds: Sequence[Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """A problem in the format of egraph-serialize, ready for ``json.dumps``; e-nodes of infinite cost are left out.

    A child stands for its class by the e-node that has its name, or the first one that is written. ``kinds`` are the facts about each class that go into
    ``class_data``.

    >>> made = to_json(Problem([0, 1], [(), (0, 0)], [0.0, 2.5], [1], 2), ["x", "mul"])
    >>> made["nodes"]["1.0"]
    {'op': 'mul', 'cost': 2.5, 'eclass': '1', 'children': ['0.0', '0.0']}
    """
    classes = [str(cls) for cls in range(problem.n_classes)] if classes is None else classes
    if nodes is None:
        place = {node: k for members in problem.nodes_of for k, node in enumerate(members)}
        nodes = [f"{classes[cls]}.{place[node]}" for node, cls in enumerate(problem.node_class)]
    written = [k for k, is_built in enumerate(problem.derivable) if is_built]
    first: dict[int, str] = {}
    for k in written:
        cls = problem.node_class[k]
        if cls not in first or nodes[k] == classes[cls]:
            first[cls] = nodes[k]
    entries = {
        nodes[k]: {
            "op": ops[k],
            "cost": problem.cost[k],
            "eclass": classes[problem.node_class[k]],
            "children": [first[child] for child in problem.children[k]],
        }
        for k in written
    }
    return {
        "nodes": entries,
        "root_eclasses": [classes[root] for root in problem.roots],
        "class_data": {
            classes[cls]: dict(kinds[cls]) for cls in sorted(first) if kinds is not None and kinds[cls]
        },
    }


def stable_names(
    problem: Problem, ops: Sequence[str], contents: Sequence[str] | None = None
) -> tuple[list[str], list[str]]:
    """Names of e-nodes and of classes that say what they hold: the same in every run, whatever else the e-graph holds.

    An e-node is named after its op and a digest of ``contents``, the ops where there are none, and of the smallest terms of its
    operands; a class as the e-node of its own smallest term. The size of a term is that of its tree.

    >>> problem = Problem([0, 1, 1], [(), (0,), (1,)], [0.0, 1.0, 1.0], [1], 2)
    >>> stable_names(problem, ["x", "exp", "neg"])
    (['x-442a4445', 'exp-38384515', 'neg-f74756f1'], ['x-442a4445', 'exp-38384515'])
    """
    contents = ops if contents is None else contents
    digests: dict[int, str] = {}  # of the smallest term of a class
    sizes: dict[int, int] = {}
    least: dict[int, int] = {}  # the e-node at its head
    left = [len(set(children)) for children in problem.children]
    users: dict[int, list[int]] = {}
    for node, children in enumerate(problem.children):
        for child in set(children):
            users.setdefault(child, []).append(node)
    made: dict[int, str] = {}

    def term(node: int) -> tuple[int, str, int]:
        below = problem.children[node]
        made[node] = _digest(contents[node], *(digests[c] for c in below))
        return 1 + sum(sizes[c] for c in below), made[node], node

    waiting = [term(node) for node, count in enumerate(left) if not count and problem.derivable[node]]
    heapify(waiting)
    while waiting:
        size, digest, node = heappop(waiting)
        cls = problem.node_class[node]
        if cls in digests:
            continue
        digests[cls], sizes[cls], least[cls] = digest, size, node
        for user in users.get(cls, ()):
            left[user] -= 1
            if not left[user] and problem.derivable[user]:
                heappush(waiting, term(user))
    names = _distinct(
        f"{op.partition('{')[0][:WORD]}-{made.get(node, str(node))[:SHORT]}" for node, op in enumerate(ops)
    )
    return names, [names[least[cls]] if cls in least else f"none-{cls}" for cls in range(problem.n_classes)]


def _digest(*words: str) -> str:
    return blake2b("\n".join(words).encode(), digest_size=16).hexdigest()


def _distinct(names: Iterable[str]) -> list[str]:
    """Names with a number where one was there before."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def to_dot(made: Mapping[str, Any]) -> str:
    """An e-graph of the format of egraph-serialize in the dot language: a box for each class, with its e-nodes in it.

    >>> print(to_dot(to_json(Problem([0, 1], [(), (0, 0)], [0.0, 2.5], [1], 2), ["x", "mul"])).splitlines()[0])
    digraph {
    """
    quoted, nodes = json.dumps, made["nodes"]
    members: dict[str, list[str]] = {}
    for name, entry in nodes.items():
        members.setdefault(entry["eclass"], []).append(name)
    first = {name: members[entry["eclass"]][0] for name, entry in nodes.items()}
    place = {cls: f"cluster_{k}" for k, cls in enumerate(members)}
    lines = ["digraph {", "compound=true", "node [shape=box, style=rounded]"]
    for cls, names in members.items():
        kind = made["class_data"].get(cls, {}).get("type", "")
        bold = ", style=bold" if cls in made["root_eclasses"] else ""
        lines.append(f"subgraph {place[cls]} {{ graph [label={quoted(kind)}{bold}]")
        lines += [f"{quoted(name)} [label={quoted(nodes[name]['op'])}]" for name in names]
        lines.append("}")
    for name, entry in nodes.items():
        for child in entry["children"]:
            target = f"{quoted(name)} -> {quoted(first[child])}"
            lines.append(f"{target} [lhead={place[nodes[child]['eclass']]}]")
    return "\n".join([*lines, "}", ""])
