"""C text of a nest over few elements, all lengths known: each element's statements one after the other, without a loop.

Local arrays that are indexed by numbers alone are kept in registers by compilers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_text import Parameters, expression, picked_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import accumulator, combine, identity, written
from eqsat.cgen.ir.nest import (
    Between,
    Choice,
    Computed,
    Fold,
    Nest,
    Read,
    Value,
    args_of,
    is_long,
    tests_of,
)

MOST = 16  # elements of a space
LINES = 256  # statements of a nest
LANES = 4  # elements from which a function of many flops is computed of several at once

Index = tuple[int, ...]


def is_straight(nest: Nest) -> bool:
    """True for a nest of so few elements that it needs no loop."""
    known = all(n.isdigit() for n in (*nest.lengths, *nest.starts))
    if not known or not all(test.known for v in nest.values for test in tests_of(v)):
        return False
    size = prod(map(int, nest.lengths))
    if not 0 < size <= MOST or size * len(nest.values) > LINES:
        return False
    return size < LANES or not any(is_long(v) for v in nest.values)


def straight(nest: Nest) -> str:
    """A nest as one statement, with the caller's pointers and numbers."""
    names = Parameters(nest)
    starts = nest.starts or ("0",) * len(nest.lengths)
    places = [*product(*(range(int(s), int(s) + int(n)) for s, n in zip(starts, nest.lengths, strict=True)))]
    values = _Values(nest, names)
    for place in places:
        values.compute(place)
    lines = values.lines
    for k, fold in enumerate(nest.folds):
        lines += _folded(nest, k, fold, places, values)
    for root, operand in nest.stores:
        lines += [f"{values.element(operand, i)} = {values.name(root, i)};" for i in places]
    text = "".join(f"  {line}\n" for line in lines)
    return f"{{ {names.inline_head(nest)}\n{text}  }}"


class _Values:
    """The values of a nest at each index; those that do not change along an axis are computed once along it."""

    def __init__(self, nest: Nest, names: Parameters) -> None:
        self.nest, self.names = nest, names
        self.axes: list[list[int]] = []
        for value in nest.values:
            self.axes.append(sorted(self._along(value)))
        self.lines: list[str] = []
        self._done: set[str] = set()

    def _along(self, value: Value) -> Iterable[int]:
        found = {a for k in args_of(value) if k >= 0 for a in self.axes[k]} | {
            t.axis for t in tests_of(value)
        }
        if isinstance(value, Read):
            found |= {a for a, s in enumerate(self.nest.operands[value.operand].strides) if s != "0"}
        return found

    def name(self, number: int, index: Index) -> str:
        """Name of a value at an index: t3_0_1, or t3 where it is the same at all."""
        return "_".join([f"t{number}", *(str(index[a]) for a in self.axes[number])])

    def compute(self, index: Index) -> None:
        """Statements for the values at an index that are not there yet."""
        for number, value in enumerate(self.nest.values):
            name = self.name(number, index)
            if name not in self._done:
                self._done.add(name)
                self.lines.append(f"const {CTYPE[value.dtype]} {name} = {self._text(value, index)};")

    def _text(self, value: Value, index: Index) -> str:
        if isinstance(value, Read):
            if not _hold(value.inside, index):
                return "0"
            picks = [picked_text(a, self.name(a.value, index), self.names.number) for a in value.at]
            return self.element(value.operand, index, picks)
        if isinstance(value, Choice):
            cases = [k for tests, k in value.cases if _hold(tests, index)]
            return self.name([*cases, value.cases[-1][1]][0], index)
        if isinstance(value, Computed):
            return expression(value, [self.name(k, index) if k >= 0 else "" for k in value.args])
        return literal(value.value, value.dtype)

    def element(self, operand: int, index: Index, picks: Sequence[str] = ()) -> str:
        """C text of an element of an operand, so many elements further."""
        known, terms = 0, [*picks]
        for i, stride in zip(index, self.nest.operands[operand].strides, strict=True):
            if stride.lstrip("-").isdigit():
                known += i * int(stride)
            elif i:
                terms.append(f"{i}*{self.names.number(stride)}")
        return f"{self.names.names[operand]}[{' + '.join([str(known), *terms])}]"


def _hold(tests: Iterable[Between], index: Index) -> bool:
    return all(int(test.low) <= index[test.axis] < int(test.high) for test in tests)


def _folded(nest: Nest, k: int, fold: Fold, places: Sequence[Index], values: _Values) -> list[str]:
    """Statements of a fold: at each index of the axes that are kept, halves are combined."""
    groups: dict[Index, list[str]] = {}
    for index in places:
        kept = tuple(i for i, reduced in zip(index, nest.reduced, strict=True) if not reduced)
        groups.setdefault(kept, []).append(f"({accumulator(fold)}){values.name(fold.root, index)}")
    lines = []
    for row, found in enumerate(groups.values()):
        count = 0
        found = found if len(found) > 1 else [identity(fold), *found]
        while len(found) > 1:
            pairs = []
            for a, b in zip(found[::2], found[1::2]):
                name = f"s{k}_{row}_{count}"
                lines.append(f"const {accumulator(fold)} {name} = {combine(fold, a, b)};")
                pairs.append(name)
                count += 1
            found = pairs + found[len(found) & ~1 :]
        lines.append(written(fold, f"{values.names.names[fold.operand]}[{row}]", found[0]))
    return lines
