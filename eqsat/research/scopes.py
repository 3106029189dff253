"""Scopes in which terms are equal that differ elsewhere, and the weakest conditions under which they are equal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from eqsat.research.batch import Pair
from eqsat.research.fingerprints import Fingerprints, border_points
from eqsat.research.grammar import ends_of
from eqsat.research.said import Given, Said, facts_of_elements, inside, of_names, share_of
from eqsat.research.terms import Terms

MOST = 3  # variables of which facts are tried at once


class Scope:
    """The strongest facts of the first variables, and the terms that are equal where these hold."""

    def __init__(self, terms: Terms, given: Given) -> None:
        self.terms, self.given = terms, given
        self.names = {name for name, _ in given}
        self.mask = inside(given, terms.variables)
        self.classes: dict[Any, list[int]] = {}
        self.gone: set[int] = set()  # those for which others stand here, and what is made of them

    def pairs(self, places: Iterable[int]) -> list[Pair]:
        """The terms with all variables of the scope that are equal to earlier ones here, but not everywhere."""
        found = []
        for place in places:
            if not set(self.terms.names[place]) <= self.names:
                continue
            if any(o in self.gone for o in self.terms.nodes[place].operands):
                self.gone.add(place)
                continue
            same = self.first(place)
            if same is not None and set(self.terms.names[place]) == self.names:
                found.append(Pair(place, same))
        return found

    def first(self, place: int) -> int | None:
        """The earlier term of the same values here; a term that is the first of its values is kept."""
        row = self.terms.rows[place][self.mask]
        if not Fingerprints.tells(row):
            self.gone.add(place)
            return None
        among = self.classes.setdefault(Fingerprints.key(row), [])
        same = next((k for k in among if Fingerprints.close(self.terms.rows[k][self.mask], row)), None)
        if same is None:
            among.append(place)
        else:
            self.gone.add(place)
        return same


class Conditions:
    """The facts that are tried of variables, and the scopes in which equal terms are looked for."""

    def __init__(self, terms: Terms, only: Collection[str] | None = None) -> None:
        self.terms, self.numbers, self.seen = terms, tuple(ends_of(terms.grammar.ops)), 0
        known = facts_of_elements(terms.dtype, self.numbers)
        self.facts = of_names(known, only)
        strong = strongest(known, terms.points.variables[0])
        kinds = [k for n in range(1, MOST + 1) for k in product(strong, repeat=n)]
        kinds += [
            (said,) for said in strongest(known, terms.points.variables[0], numbers=True) if said.numbers
        ]
        self.scopes = [Scope(terms, tuple(zip(terms.kinds, kind, strict=False))) for kind in kinds]

    def pairs(self, size: int) -> Iterator[Pair]:
        """The terms of up to a size, but those seen before, that are equal to others in a scope, under the weakest condition under which they seem to be."""
        nodes = self.terms.nodes
        places = [k for k, n in enumerate(nodes) if self.seen < n.size <= size and self.terms.stands(k)]
        self.seen = size
        for scope in self.scopes:
            for pair in scope.pairs(places):
                given = self.weakest(pair, scope.given)
                if given:
                    yield replace(pair, given=given)

    def weakest(self, pair: Pair, scope: Given) -> Given | None:
        """The weakest condition that holds in a scope, and under which a pair is equal at points on the borders of facts."""
        names = self.terms.names[pair.left]
        values, conditions, masks = self.among(names, tuple(s for s in scope if s[0] in names))
        left, right = (self.terms.values(k, values) for k in (pair.left, pair.right))
        wrong = ~Fingerprints.near(left, right)
        fit = ~(masks & wrong).any(1) & masks.any(1)
        return conditions[int(np.argmax(fit))] if fit.any() else None

    @cache  # noqa: B019  one object for each search
    def among(self, names: tuple[str, ...], scope: Given) -> tuple[dict[str, Any], list[Given], Any]:
        """Points on the borders of facts, the conditions that hold in a scope, the weakest first, and the points that each admits."""
        values = dict(zip(names, border_points(self.terms.dtype, len(names), self.numbers), strict=True))
        ways = [self.weaker(name, dict(scope).get(name)) for name in names]
        given = [
            tuple((n, s) for n, s in zip(names, way, strict=True) if s is not None) for way in product(*ways)
        ]
        given.sort(key=lambda g: (-share_of(g, self.terms.dtype), len(g)))
        return values, given, np.array([inside(g, values) for g in given])

    def weaker(self, name: str, said: Said | None) -> list[Said | None]:
        """The facts that hold where another does, told apart by points on borders; all that hold everywhere without one."""
        row = self.terms.variables[name]
        scope = np.ones(len(row), bool) if said is None else said.holds(row)
        found: dict[bytes, Said | None] = {}
        borders = border_points(self.terms.dtype, 1, self.numbers)[0]
        found[np.ones(len(borders), bool).tobytes()] = None
        for fact in self.facts:
            if fact.holds(row)[scope].all():
                found.setdefault(fact.holds(borders).tobytes(), fact)
        return list(found.values())

    def stronger(self, given: Given, names: Iterable[str]) -> Iterator[Given]:
        """A condition, and the same with facts of all variables that points on borders do not tell."""
        yield given
        borders = border_points(self.terms.dtype, 1, self.numbers)[0]
        for fact in self.facts:
            if fact.holds(borders).all():
                yield (*given, *((name, fact) for name in names))


def strongest(facts: Iterable[Said], row: Any, numbers: bool = False) -> list[Said]:
    """The facts, those with a number only if it is asked for, that hold of some values of a row, and of no fewer than another one."""
    masks: dict[bytes, tuple[Said, Any]] = {}
    for said in facts:
        mask = said.holds(row)
        if (numbers or not said.numbers) and mask.any() and not mask.all():
            masks.setdefault(mask.tobytes(), (said, mask))
    kinds = list(masks.values())
    return [s for s, m in kinds if not any(o is not m and not (o & ~m).any() for _, o in kinds)]
