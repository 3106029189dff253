"""Terms over ops of whole tensors: variables of some numbers of axes, all of one length, in a few worlds that differ in that length."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from eqsat.errors import EqsatError
from eqsat.graph.tensor_type import TensorType
from eqsat.research.batch import Pair
from eqsat.research.grammar import BY_RANK, Grammar
from eqsat.research.said import ABOUT_AXES, ABOUT_AXIS, ABOUT_LENGTHS, Given, Said, of_names
from eqsat.research.terms import Kind, Node, Terms, Use
from eqsat.rules.fact import FACTS

LENGTHS = (3, 2)  # of all axes, in each world
LARGEST = 4  # of whole numbers, which sums and products do not round
PADDED = -1  # kinds of numbers have so many axes: as many as what they meet


class TensorTerms(Terms):
    """Terms whose values are tensors, one in each world; a row holds their lengths and elements, one after the other."""

    def __init__(self, grammar: Grammar) -> None:
        self.tensors: dict[int, list[Any]] = {}
        super().__init__(grammar)

    def begin(self, dtype: str, numbers: Sequence[float]) -> None:
        """Make variables and numbers."""
        rng = np.random.default_rng(self.grammar.seed)
        g = self.grammar
        self.kinds = {name: (dtype, ndim) for ndim in g.ranks for name in BY_RANK[ndim][: g.variables]}
        self.dtype = dtype
        self.drawn = {
            name: [drawn(rng, dtype, (length,) * (ndim or 0)) for length in LENGTHS]
            for name, (_, ndim) in self.kinds.items()
        }
        for name, (_, ndim) in self.kinds.items():
            self.keep(Node(dtype, 1, name=name, ndim=ndim), self.drawn[name], (name,))
        for number in numbers:
            some = [np.asarray(number, dtype) for _ in LENGTHS]
            self.keep(Node(dtype, 1, number=number, numbers=1, ndim=PADDED), some, ())

    @property
    def variables(self) -> dict[str, Any]:
        """The values of the variables in each world."""
        return self.drawn

    def keep(self, node: Node, tensors: list[Any], names: tuple[str, ...]) -> None:
        """Add a term with its values in each world."""
        self.tensors[self.add(node, row_of(tensors), names)] = tensors

    def row(self, place: int) -> Any:
        """The values of a term, also of one for which another one stands."""
        return row_of(self.tensors[place])

    def values(self, place: int, leaves: Mapping[str, Any]) -> Any:
        """The values of a term in each world."""
        return self.tensors[place]

    @staticmethod
    def use(op: Any, kinds: tuple[Kind, ...]) -> Use | None:
        """An op on operands of some kinds; None where it converts one of them or takes no such operands.

        What has no axes is as a number beside a tensor: an elementwise op gives it those of the tensor.
        """
        leaves = [TensorType(dtype, shape=(None,) * max(ndim or 0, 0))() for dtype, ndim in kinds]
        try:
            made = op(*leaves)
        except (EqsatError, TypeError, ValueError, IndexError):  # an op of the user may tell no ranks apart
            return None
        owner = getattr(made, "owner", None)
        single = op.declaration.kind == "elemwise"
        if owner is None or owner.op is not op or (not single and any(ndim == PADDED for _, ndim in kinds)):
            return None
        if any(
            a is not b and not (single and b.type.ndim == 0 and a.type.dtype == b.type.dtype)
            for a, b in zip(owner.inputs, leaves, strict=True)
        ):
            return None
        return Use(op, kinds, (made.type.dtype, made.type.ndim))

    def take(self, use: Use, size: int, places: Any) -> None:
        """Add an op applied to each row of operands, where their lengths fit."""
        for given in places.tolist():
            tensors = self.applied(use.op, given)
            if tensors is not None and all(t.ndim == use.kind[1] for t in tensors):
                self.keep(self.node(use, size, given), tensors, self.named(given))

    def applied(self, op: Any, given: Iterable[int]) -> list[Any] | None:
        """The values of an op in each world; None where it takes no operands of such lengths."""
        found = []
        for world in range(len(LENGTHS)):
            try:
                found.append(np.asarray(op.compute(*(self.tensors[k][world] for k in given))))
            except (ValueError, IndexError, EqsatError):
                return None
        return found


class TensorConditions:
    """The facts of lengths of axes of variables that are tried where a rule does not hold without."""

    def __init__(self, terms: TensorTerms, only: Collection[str] | None = None) -> None:
        self.terms = terms
        offered = [Said(name) for name, f in FACTS.items() if f.offered and f.operands in ABOUT_LENGTHS]
        two_first = sorted(offered, key=lambda said: -len(FACTS[said.fact].operands))
        self.facts = of_names(two_first, only)

    def pairs(self, size: int) -> Iterator[Pair]:
        """No terms: lengths are the same in all worlds, and equal terms are candidates without a condition."""
        return iter(())

    def weakest(self, pair: Pair, scope: Given) -> Given | None:
        """No condition tells values at drawn points apart."""
        return ()

    def stronger(self, given: Given, names: Iterable[str]) -> Iterator[Given]:
        """A condition, and all facts of each axis of each variable, and of each two, of which those that are needed are chosen."""
        yield given
        ndims = {name: self.terms.kinds[name][1] or 0 for name in names}
        yield (*given, *(one for said in self.facts for one in along_axes(said.fact, ndims)))


def along_axes(name: str, ndims: Mapping[str, int]) -> Iterator[tuple[str, Said]]:
    """A fact of each axis of each variable, or of each two variables of one rank."""
    operands = FACTS[name].operands
    if operands == ABOUT_AXES:
        yield from ((x, Said(name, ((axis,),))) for x, n in ndims.items() for axis in range(n))
        return
    for x, y in combinations(ndims, 2):
        if ndims[x] == ndims[y]:
            of_one = operands == ABOUT_AXIS
            yield from ((x, Said(name, (y, axis if of_one else (axis,)))) for axis in range(ndims[x]))


def drawn(rng: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Whole numbers of a dtype, none of which is 0."""
    if np.dtype(dtype).kind == "b":
        return rng.random(shape) < 0.5
    return (rng.integers(1, LARGEST, shape) * rng.choice([-1, 1], shape)).astype(dtype)


def row_of(tensors: Sequence[Any]) -> Any:
    """The dtype, lengths and elements as floats, one after the other."""
    parts = [part for t in tensors for part in ([t.dtype.num, t.ndim, *t.shape], np.ravel(t))]
    return np.concatenate([np.asarray(part, float) for part in parts])
