"""A signature applied to operands: the lengths of the results, and which lengths of operands must be equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from eqsat.base.values import dataclass
from eqsat.lengths.expression import (
    UNKNOWN,
    At,
    Known,
    Length,
    Numbers,
    Place,
    Value,
    as_length,
    evaluate,
    read,
)
from eqsat.lengths.signature import ANY, BROADCAST, Axes, Signature

Shape = Sequence[int | None]


@dataclass(frozen=True)
class Equal:
    """Axes that must have one length; ``name`` is that of the length, or the number of an axis that broadcasts.

    ``given`` is the length that they must have where the signature says it.
    """

    name: str | int
    places: tuple[Place, ...]
    given: Length | None = None


@dataclass(frozen=True)
class Bound:
    """The lengths of each result as expressions, and what must hold of the operands."""

    results: tuple[tuple[Length, ...], ...]
    equal: tuple[Equal, ...] = ()

    def shapes(
        self, shapes: Sequence[Shape], values: Mapping[int, int] | None = None
    ) -> list[tuple[Any, ...]]:
        """The lengths of the results for those of the operands; None for one that is not known."""
        numbers: Any = Numbers(shapes, values)
        return [tuple(evaluate(n, numbers) for n in lengths) for lengths in self.results]

    def conflict(
        self, shapes: Sequence[Shape], values: Mapping[int, int] | None = None
    ) -> tuple[Equal, Place, Place | None, int, int] | None:
        """The first lengths that differ although they must be equal: where they stand, and what they are."""
        numbers: Any = Numbers(shapes, values)
        for equal in self.equal:
            known = [(p, n) for p in equal.places if (n := shapes[p[0]][p[1]]) is not None]
            wanted = None if equal.given is None else evaluate(equal.given, numbers)
            for place, n in known:
                first, m = (None, wanted) if wanted is not None else known[0]
                if m is not None and n != m:
                    return equal, place, first, n, m
        return None


def bind(
    signature: Signature,
    names: Sequence[str],
    shapes: Sequence[Shape],
    parameters: Sequence[tuple[str, Any]] = (),
) -> Bound:
    """A signature for operands of these types, whose numbers of axes it fits.

    ``names`` are those of the operands; where one without axes is named in a length, its value is meant. An axis broadcasts
    where its length is known to be 1.

    >>> from eqsat.lengths.signature import parse
    >>> bind(parse("(...,m,k),(...,k,n)->(...,m,n)"), "xy", [(1, 2, 3), (None, 3, 5)]).shapes([(1, 2, 3), (7, 3, 5)])
    [(7, 2, 5)]
    """
    ones = tuple(tuple(n == 1 for n in shape) for shape in shapes)
    return _bound(signature, tuple(names), ones, tuple(parameters))


@lru_cache(maxsize=4000)
def _bound(
    signature: Signature,
    names: tuple[str, ...],
    ones: tuple[tuple[bool, ...], ...],
    parameters: tuple[tuple[str, Any], ...],
) -> Bound:
    made = _Binding(dict(parameters), ones)
    operands = signature.of(len(ones))
    for k, (axes, alone) in enumerate(zip(operands, ones, strict=True)):
        made.operand(k, axes, len(alone))
    made.values(names)
    symbols = made.symbols()
    results = tuple(made.result(axes, symbols) for axes in signature.results)
    return Bound(results, tuple(made.equal(symbols)))


class _Binding:
    """The lengths and shapes that the names of a signature stand for."""

    def __init__(self, parameters: Mapping[str, Any], ones: tuple[tuple[bool, ...], ...]) -> None:
        self.parameters, self.ones = parameters, ones
        self.places: dict[str, list[Place]] = {}
        self.given: list[tuple[str, Place]] = []
        self.rests: dict[str, list[list[Place]]] = {}
        self.scalars: dict[str, Length] = {}

    def operand(self, k: int, axes: Axes, ndim: int) -> None:
        """Note which axes of an operand its names stand for."""
        first, last = len(axes.before), ndim - len(axes.after)
        for axis, text in [*enumerate(axes.before), *enumerate(axes.after, last)]:
            if text.isidentifier() and text not in self.parameters:
                self.places.setdefault(text, []).append((k, axis))
            else:
                self.given.append((text, (k, axis)))
        if axes.rest not in (None, ANY):
            self.rests.setdefault(str(axes.rest), []).append([(k, a) for a in range(first, last)])

    def values(self, names: tuple[str, ...]) -> None:
        """Note the operands whose values lengths may be computed from."""
        alone = [k for k, ones in enumerate(self.ones) if not ones and k < len(names)]
        self.scalars = {names[k]: Value(k) for k in alone if names[k] not in self.places}

    def symbols(self) -> dict[str, Any]:
        """The lengths and numbers that stand for names."""
        whole = {name: n for name, n in self.parameters.items() if isinstance(n, int)}
        return {**self.scalars, **whole, **{name: At(tuple(p)) for name, p in self.places.items()}}

    def result(self, axes: Axes, symbols: Mapping[str, Any]) -> tuple[Length, ...]:
        """The lengths of a result."""
        before, after = ([read(text, symbols) for text in texts] for texts in (axes.before, axes.after))
        lengths = [*before, *(self.rest(axes.rest, axes.free) if axes.rest else ()), *after]
        for name, text in axes.changed:
            along = self.parameters[name]
            for axis in along if isinstance(along, tuple) else (along,):
                lengths[axis] = read(text, symbols)
        return tuple(lengths)

    def rest(self, name: str, free: bool) -> list[Length]:
        """The lengths of the axes that a name stands for; of those that broadcast, the ones that are not 1 by type."""
        columns = self.columns(name)
        return [UNKNOWN if free else At(tuple(places)) if places else Known(1) for places in columns]

    def columns(self, name: str) -> list[list[Place]]:
        """The places whose lengths must be equal, for each axis that a name stands for."""
        rows = self.rests.get(name, [])
        if name != BROADCAST:
            return [list(places) for places in zip(*rows, strict=False)]
        ndim = max(map(len, rows), default=0)
        columns: list[list[Place]] = [[] for _ in range(ndim)]
        for row in rows:
            for axis, (k, a) in enumerate(row, ndim - len(row)):
                if not self.ones[k][a]:
                    columns[axis].append((k, a))
        return columns

    def equal(self, symbols: Mapping[str, Any]) -> list[Equal]:
        """The equalities that must hold of the operands."""
        found = [Equal(name, tuple(places)) for name, places in self.places.items() if len(places) > 1]
        found += [Equal(text, (place,), as_length(read(text, symbols))) for text, place in self.given]
        for name in self.rests:
            columns = enumerate(self.columns(name))
            found += [Equal(axis, tuple(places)) for axis, places in columns if len(places) > 1]
        return found
