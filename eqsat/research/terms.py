"""Terms over ops in order of their size, one for each function that they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.errors import EqsatError
from eqsat.graph.constant import constant
from eqsat.graph.declare import Declaration
from eqsat.graph.tensor_type import TensorType
from eqsat.research.fingerprints import Fingerprints, is_number
from eqsat.research.grammar import Grammar

NAMES = ("x", "y", "z", "w")
Kind = tuple[str, int | None]  # a dtype and a number of axes
BLOCK = 1 << 15  # applications whose values are computed at once


@dataclass(frozen=True)
class Node:
    """A variable (``name``), a number, or an op applied to terms, each given by its place in the list of all terms."""

    dtype: str
    size: int
    name: str = ""
    number: float | None = None
    op: Any = None
    operands: tuple[int, ...] = ()
    numbers: int = 0  # in it
    ops: int = 0  # in it
    ndim: int | None = None  # none where it is of any number of axes

    @property
    def kind(self) -> Kind:
        """Its dtype and its number of axes."""
        return self.dtype, self.ndim

    def number_text(self) -> str:
        """The number as Python writes one of its dtype.

        >>> [Node(dtype, 1, number=1.0).number_text() for dtype in ("float32", "int64", "bool")]
        ['1.0', '1', 'True']
        """
        return repr(np.dtype(self.dtype).type(self.number).item())


@dataclass(frozen=True)
class Use:
    """An op, and one choice of kinds of its operands for which it converts nothing."""

    op: Any
    operands: tuple[Kind, ...]
    kind: Kind

    @property
    def declaration(self) -> Declaration:
        """The facts about the op."""
        found: Declaration = self.op.declaration
        return found


class Table:
    """Some terms by their places, and what is made of them: graphs, texts and values.

    ``kinds`` has the variables, ``names`` those of each term, ``first`` the place of the term that stands for it, ``rows`` values
    of those that stand.
    """

    def __init__(self, kinds: Mapping[str, Kind], nodes: Any, names: Any, first: Any, rows: Any) -> None:
        self.kinds, self.nodes, self.names, self.first, self.rows = kinds, nodes, names, first, rows
        self.dtype = next(dtype for dtype, _ in kinds.values())

    def renamed(self, place: int) -> dict[str, str]:
        """The variables of a term with those of the same kinds in their order."""
        left = {kind: [n for n, k in self.kinds.items() if k == kind] for kind in self.kinds.values()}
        return {name: left[self.kinds[name]].pop(0) for name in self.names[place]}

    def leaves(self, number: int, ones: Mapping[str, int] | None = None) -> dict[str, Any]:
        """Variables of graphs for those of terms; a number tells them apart. ``ones`` names axes of length 1."""
        found = {}
        for name, (dtype, ndim) in self.kinds.items():
            lengths: list[int | None] = [None] * (1 if ndim is None else ndim)
            if ones and name in ones and lengths:
                lengths[ones[name]] = 1
            found[name] = TensorType(dtype, shape=tuple(lengths))(f"{name}{number}")
        return found

    def graph(self, place: int, leaves: dict[str, Any], made: dict[int, Any]) -> Any:
        """A term as a graph over some leaves; ``made`` keeps those of all terms in it."""

        def one(node: Node, operands: list[Any]) -> Any:
            if node.op is not None:
                return node.op(*operands)
            return leaves[node.name] if node.name else constant(np.asarray(node.number, node.dtype))

        return self.walked(place, one, made)

    def text(self, place: int, words: Any, names: dict[str, str]) -> str:
        """A term as text; ``words(op, operands)`` writes an op."""

        def one(node: Node, operands: list[str]) -> str:
            if node.op is not None:
                return str(words(node.op, operands))
            return names[node.name] if node.name else node.number_text()

        return str(self.walked(place, one, {}))

    def walked(self, place: int, one: Callable[[Node, list[Any]], Any], made: dict[int, Any]) -> Any:
        """The result of ``one``, which takes a term and the results of its operands; ``made`` keeps those of all terms in it."""
        stack = [place]
        while stack:
            k = stack[-1]
            node = self.nodes[k]
            missing = [o for o in node.operands if o not in made]
            if missing:
                stack += missing
                continue
            stack.pop()
            if k not in made:
                made[k] = one(node, [made[o] for o in node.operands])
        return made[place]

    def values(self, place: int, leaves: Mapping[str, Any]) -> Any:
        """The values of a term over those of its variables."""
        like = next(iter(leaves.values()))

        def one(node: Node, operands: list[Any]) -> Any:
            if node.op is not None:
                return Fingerprints.computed(node.op, operands)
            return leaves[node.name] if node.name else np.full(len(like), node.number, node.dtype)

        return self.walked(place, one, {})

    def part(self, places: Iterable[int]) -> Table:
        """The terms that some are made of, with those that stand for them."""
        kept: set[int] = set()
        stack = [*places]
        while stack:
            k = stack.pop()
            if k not in kept:
                kept.add(k)
                stack += [*self.nodes[k].operands, self.first[k]]
        order = sorted(kept)
        rows = {k: self.rows[k] for k in order if k in self.rows}
        nodes, names, first = ({k: table[k] for k in order} for table in (self.nodes, self.names, self.first))
        return Table(self.kinds, nodes, names, first, rows)


class Terms(Table):
    """The terms that were made, and for each function the first of them, which stands for all.

    Larger terms are made of first ones alone. ``first[k]`` is the place of the term that stands for term k.
    """

    def __init__(self, grammar: Grammar) -> None:
        dtype = grammar.dtype
        super().__init__(dict.fromkeys(NAMES[: grammar.variables], (dtype, None)), [], [], [], {})
        self.grammar = grammar
        self.classes: dict[Any, list[int]] = {}
        self.by_size: dict[tuple[int, Kind], list[int]] = {}
        self.begin(dtype, grammar.numbers)

    def begin(self, dtype: str, numbers: Sequence[float]) -> None:
        """Make variables and numbers."""
        self.points = Fingerprints(dtype, self.grammar.variables, self.grammar.seed)
        for i, name in enumerate(self.kinds):
            self.add(Node(dtype, 1, name=name), self.points.variables[i], (name,))
        for number in numbers:
            row = np.full(self.points.count, number, dtype=self.points.variables[0].dtype)
            self.add(Node(dtype, 1, number=number, numbers=1), row, ())

    def add(self, node: Node, row: Any, names: tuple[str, ...]) -> int:
        """Add a term with its values; it stands for itself where no smaller one has these values."""
        place = len(self.nodes)
        key = Fingerprints.key(row)
        same = next((k for k in self.classes.get(key, ()) if Fingerprints.close(self.rows[k], row)), None)
        if same is None and names and is_number(row):
            same = self.number(float(row[0]), node.dtype, row)
            place += 1
        self.nodes.append(node)
        self.names.append(names)
        self.first.append(place if same is None else same)
        if same is None:
            self.rows[place] = row
            self.classes.setdefault(key, []).append(place)
            self.by_size.setdefault((node.size, node.kind), []).append(place)
        return place

    def number(self, number: float, dtype: str, row: Any) -> int:
        """A number that a term turned out to be; no terms are made of it."""
        place = len(self.nodes)
        self.nodes.append(Node(dtype, 1, number=number, numbers=1))
        self.names.append(())
        self.first.append(place)
        self.rows[place] = row
        self.classes.setdefault(Fingerprints.key(row), []).append(place)
        return place

    def uses(self) -> list[Use]:
        """The ops with the dtypes of operands that exist by now."""
        kinds = sorted({kind for _, kind in self.by_size}, key=str)
        found = [
            self.use(op, given)
            for op in self.grammar.ops
            for count in arities(op)
            for given in product(kinds, repeat=count)
        ]
        return [use for use in found if use is not None]

    @staticmethod
    def use(op: Any, kinds: tuple[Kind, ...]) -> Use | None:
        """An op on operands of some kinds; None where it takes no such operands."""
        return use_of(op, kinds)

    def grow(self, size: int) -> list[int]:
        """Make all terms of a size from the first ones of smaller sizes; the places of those for which others stand."""
        start = len(self.nodes)
        for use in self.uses():
            for places in self.applications(use, size):
                self.take(use, size, places)
        return [k for k in range(start, len(self.nodes)) if self.first[k] != k]

    def applications(self, use: Use, size: int) -> Iterator[Any]:
        """The operands of a size in all, in blocks of rows."""
        symmetric = use.declaration.commutative and len(use.operands) == 2
        for sizes in sizes_of(size - 1, len(use.operands)):
            if symmetric and sizes[0] > sizes[1]:
                continue
            among = [self.by_size.get(pair, []) for pair in zip(sizes, use.operands, strict=True)]
            if not all(among):
                continue
            grid = np.stack(np.meshgrid(*among, indexing="ij"), -1).reshape(-1, len(among))
            if symmetric:
                grid = grid[grid[:, 0] <= grid[:, 1]]
            grid = grid[np.array([bool(names) for names in self.names])[grid].any(1)]
            if self.grammar.operations is not None:
                most = self.grammar.operations
                grid = grid[np.array([node.ops for node in self.nodes])[grid].sum(1) < most]
            for at in range(0, len(grid), BLOCK):
                yield grid[at : at + BLOCK]

    def take(self, use: Use, size: int, places: Any) -> None:
        """Add an op applied to each row of operands."""
        if not len(places):
            return
        operands = [np.stack([self.rows[k] for k in column]) for column in places.T.tolist()]
        values = Fingerprints.computed(use.op, operands)
        for given, row in zip(places.tolist(), values, strict=True):
            if not Fingerprints.tells(row):
                continue
            self.add(self.node(use, size, given), row, self.named(given))

    def node(self, use: Use, size: int, given: Sequence[int]) -> Node:
        """An op applied to terms."""
        numbers, ops = (sum(getattr(self.nodes[k], name) for k in given) for name in ("numbers", "ops"))
        dtype, ndim = use.kind
        return Node(dtype, size, op=use.op, operands=tuple(given), numbers=numbers, ops=ops + 1, ndim=ndim)

    def named(self, given: Iterable[int]) -> tuple[str, ...]:
        """The variables of some terms, in the order in which they come."""
        return tuple(dict.fromkeys(n for k in given for n in self.names[k]))

    @property
    def variables(self) -> dict[str, Any]:
        """The values of the variables where the rows of terms are computed."""
        return dict(zip(self.kinds, self.points.variables, strict=True))

    def stands(self, place: int) -> bool:
        """True for a term that stands for itself."""
        return self.first[place] == place

    def row(self, place: int) -> Any:
        """The values of a term, also of one for which another one stands."""
        return self.values(place, self.variables)

    def apart(self, place: int) -> int | None:
        """Take it that a term differs from the one that stands for it: the next one of its values stands for it, or it does itself."""
        row = self.row(place)
        same = self.classes.get(Fingerprints.key(row), [])
        later = [k for k in same if self.first[place] < k < place and Fingerprints.close(self.rows[k], row)]
        if later:
            self.first[place] = later[0]
            return later[0]
        self.first[place] = place
        self.rows[place] = row
        same.append(place)
        node = self.nodes[place]
        self.by_size.setdefault((node.size, node.kind), []).append(place)
        return None


def arities(op: Any) -> list[int]:
    """The numbers of operands that are tried of an op; up to two in the place of the last of one that takes any number.

    >>> from eqsat.graph.declare import OPS
    >>> arities(OPS["add"].bind()), arities(OPS["concatenate"].bind(axis=0))
    ([2], [1, 2])
    """
    d = op.declaration
    one = len(d.tensors)
    return [n for n in (one - 1, one, one + 1) if n in d.forms] if d.variadic else [one]


def sizes_of(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of positive ones.

    >>> list(sizes_of(4, 2))
    [(1, 3), (2, 2), (3, 1)]
    """
    if count == 0:
        return
    for sizes in product(range(1, total - count + 2), repeat=count - 1):
        if total - sum(sizes) >= 1:
            yield (*sizes, total - sum(sizes))


def use_of(op: Any, kinds: tuple[Kind, ...]) -> Use | None:
    """An op on operands of some dtypes; None where it converts one of them or takes no such operands."""
    operands = [TensorType(dtype, shape=(None,))() for dtype, _ in kinds]
    try:
        node = op.make_node(*operands)
    except EqsatError:
        return None
    if any(a is not b for a, b in zip(node.inputs, operands, strict=True)):
        return None
    return Use(op, kinds, (node.outputs[0].type.dtype, None))
