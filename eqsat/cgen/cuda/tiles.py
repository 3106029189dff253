"""Loops of rows that need no other rows: each block of threads takes some of the rows through all steps.

A row is so many elements of every array that the loop writes, and each statement reads and writes rows of its own alone. What the loop
does not write, as weights, may be read anywhere. So is shown by the strides of all statements, or tested by the host where lengths are not
known; where it is not so, one block runs all rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import (
    Binary,
    Int,
    Name,
    Pointer,
    Shifted,
    length,
    mentions,
    plain_text,
    reads_memory,
)
from eqsat.cgen.ir.nest import Nest, Operand, Read, tests_of
from eqsat.cgen.ir.statements import Call, Check, Define, Let, Point, RunBlock, Steps
from eqsat.cgen.ir.written_out import replaced

TILES = 128  # blocks that share the rows
FIRST, SOME = "eq_first", "eq_some"
_POINTER = re.compile(r"\bP\[\d+\]|\bK\[\d+\]")


class NotTiled(Exception):
    """A statement that may need other rows."""


@dataclass(frozen=True)
class Term:
    """A product of a known number and of numbers by name."""

    factor: int
    names: tuple[str, ...] = ()

    def __mul__(self, other: Term) -> Term:
        return Term(self.factor * other.factor, tuple(sorted(self.names + other.names)))

    def over(self, other: Term) -> Term | None:
        """The quotient, where there is one."""
        rest = list(self.names)
        for name in other.names:
            if name not in rest:
                return None
            rest.remove(name)
        whole = other.factor and self.factor % other.factor == 0
        return Term(self.factor // other.factor, tuple(rest)) if whole else None

    @property
    def text(self) -> str:
        """The term in C."""
        return "*".join([*([str(self.factor)] if self.factor != 1 or not self.names else []), *self.names])


ONE = Term(1)


@dataclass(frozen=True)
class Tiled:
    """A loop over the rows of a tile, the number of all rows, and the host's tests that each statement needs its own rows alone."""

    steps: Steps
    rows: str
    tests: tuple[str, ...] = ()


def tiled(body: Any, s: Steps) -> Tiled | None:
    """A loop whose statements run over some rows, from the first one of a tile on; None where rows may need others."""
    rows = {body.lengths.find(body.array(v).n[0]) if body.array(v).n else "" for v in body.outputs}
    if len(rows) != 1 or s.stop or s.trial or s.before or s.after or s.tail:
        return None
    (count,) = rows
    if not count or (count.isdigit() and int(count) < 2):
        return None
    try:
        found = _Tiles(body, s, count)
        steps = replace(s, body=[*map(found.statement, s.body)])
        if body.table.depth(" ".join(found.tests)) >= body.depth:
            return None
        return Tiled(steps, count, tuple(found.tests))
    except NotTiled:
        return None


class _Tiles:
    def __init__(self, body: Any, s: Steps, count: str) -> None:
        self.find, self.rows = body.lengths.find, ONE
        self.rows = self.term(count)
        self.root: dict[str, str] = {}
        self.shift: dict[str, int] = {}  # known bytes behind the beginning of its memory, of a pointer
        self.row: dict[str, Term] = {}  # bytes of a row of memory that the loop writes, by root
        # where pointers lie in their memory, in bytes; empty where that is not told
        self.unknown: dict[str, str] = {}
        self.tests: dict[str, None] = {}
        for p in [*body.around.lines, *s.head, *s.body]:
            if isinstance(p, Point):
                self._point(p, p in s.head)
        for m in s.moves:
            if m.to.startswith("P["):
                self._unite(m.to, m.source)
        self.written = {self._root(name) for x in s.body for name in _written(x)}

    # ------------------------------------------------------------------------------------------------------ memory

    def _root(self, name: str) -> str:
        while name in self.root:
            name = self.root[name]
        return name

    def _unite(self, a: str, b: str) -> None:
        a, b = self._root(a), self._root(b)
        if a != b:
            self.root[a] = b

    def _point(self, p: Point, of_rows: bool) -> None:
        """Note where a pointer leads to; one that is set at the beginning of a step, to the rows of a time."""
        x = p.address
        if isinstance(x, Binary) and x.op == "+" and isinstance(x.x, Pointer) and isinstance(x.y, Int):
            self.shift[p.name] = self.shift.get(x.x.name, 0) + x.y.value
        elif isinstance(x, Shifted) and isinstance(x.base, Pointer) and isinstance(x.offset, Int):
            self.shift[p.name] = self.shift.get(x.base.name, 0) + x.offset.value * SIZE[x.of]
        elif not (of_rows or isinstance(x, Pointer)):
            self.unknown[p.name] = self._begin(x)
        for name in _POINTER.findall(mentions(x)):
            self._unite(p.name, name)

    def _begin(self, x: Any) -> str:
        """The text of the bytes that lie before an address in its memory; empty where that is not seen."""
        if not (isinstance(x, Shifted) and isinstance(x.base, Pointer)) or reads_memory(x.offset):
            return ""
        before = self.unknown.get(x.base.name, str(self.shift.get(x.base.name, 0)))
        behind = f"{SIZE[x.of]}LL*({c_text(x.offset)})"
        return f"{before} + {behind}" if before not in ("", "0") else before and behind

    def term(self, text: str) -> Term:
        """A product of numbers."""
        factor, names = 1, []
        for part in text.split("*"):
            found = self.find(part.strip())
            if found.isdigit():
                factor *= int(found)
            elif re.fullmatch(r"\w+(\[\d+\])?", found):
                names.append(found)
            else:
                raise NotTiled
        return Term(factor, tuple(sorted(names)))

    def _own(self, pointer: str, row: Term, dtype: str, along: Sequence[tuple[Term, Term]]) -> None:
        """Refuse memory that the loop writes, unless the elements at lengths and strides lie in a row of so many elements."""
        names = _POINTER.findall(pointer)
        root = self._root(names[0] if names else pointer)
        if root not in self.written:
            return
        whole = row * Term(SIZE[dtype])
        if self.row.setdefault(root, whole) != whole:
            raise NotTiled
        begin = self.shift.get(names[0] if names else pointer, 0)
        if names and names[0] in self.unknown:
            self._test(self.unknown[names[0]], along, whole, SIZE[dtype])
        elif all(not t.names for pair in along for t in pair) and not row.names:
            end = 1 + sum((n.factor - 1) * step.factor for n, step in along)
            if (
                min(step.factor for _, step in [*along, (ONE, ONE)]) < 0
                or begin + end * SIZE[dtype] > whole.factor
            ):
                raise NotTiled
        elif begin or not _is_compact(along, row):
            self._test(str(begin), along, whole, SIZE[dtype])

    def _test(self, begin: str, along: Sequence[tuple[Term, Term]], whole: Term, size: int) -> None:
        """Let the host test that elements lie in a row."""
        if not begin or any(step.factor < 0 for _, step in along):
            raise NotTiled
        along = [(n, step) for n, step in along if n != ONE]
        end = " + ".join([f"{size}LL", *(f"{size}LL*({n.text} - 1)*{step.text}" for n, step in along)])
        some = " && ".join(f"{n.text} > 0" for n, _ in along if n.names)
        inside = f"{end} <= {whole.text}" if begin == "0" else f"{begin} >= 0 && {begin} + {end} <= {whole.text}"  # fmt: skip
        self.tests[f"(!({some}) || ({inside}))" if some else f"({inside})"] = None

    # -------------------------------------------------------------------------------------------------- statements

    def statement(self, s: Any) -> Any:
        """A statement over the rows of a tile."""
        if isinstance(s, Nest):
            return self._nest(s)
        if isinstance(s, RunBlock):
            return self._product(s)
        if isinstance(s, (Point, Define)):
            return s
        raise NotTiled

    def _nest(self, nest: Nest) -> Nest:
        lengths = [self.term(n) for n in nest.lengths]
        for axis, n in enumerate(lengths):
            rest = n.over(self.rows)
            if rest is not None and not nest.reduced[axis]:
                return self._along(nest, axis, lengths, rest)
        raise NotTiled

    def _along(self, nest: Nest, axis: int, lengths: list[Term], rest: Term) -> Nest:
        """A nest whose rows lie along an axis."""
        tested = any(t.axis == axis for v in nest.values for t in tests_of(v))
        if tested or (nest.starts and nest.starts[axis] != "0"):
            raise NotTiled
        kept = [a for a, r in enumerate(nest.reduced) if not r]
        picked = {v.operand for v in nest.values if isinstance(v, Read) and v.at}
        operands = []
        for k, o in enumerate(nest.operands):
            if o.strides:
                operands.append(self._operand(o, axis, lengths, rest, k in picked))
            elif kept[0] != axis:
                raise NotTiled
            else:
                row = prod((lengths[a] for a in kept[1:]), start=rest)
                self._own(o.pointer, row, o.dtype, [(row, ONE)])
                operands.append(_shifted(o, row))
        some = f"{SOME}*{rest.text}" if rest != ONE else SOME
        return replace(
            nest,
            lengths=tuple(some if a == axis else n for a, n in enumerate(nest.lengths)),
            operands=tuple(operands),
        )

    def _operand(self, o: Operand, axis: int, lengths: list[Term], rest: Term, picked: bool) -> Operand:
        if o.strides[axis] == "0":
            self._refuse(o.pointer)
            return o
        if picked:
            self._refuse(o.pointer)
        steps = [self.term(t) if t != "0" else Term(0) for t in o.strides]
        row = rest * steps[axis]
        along = [
            (n, t) for a, (n, t) in enumerate(zip(lengths, steps, strict=True)) if a != axis and t.factor
        ]
        self._own(o.pointer, row, o.dtype, [*along, (rest, steps[axis])])
        return _shifted(o, row)

    def _refuse(self, pointer: str) -> None:
        """Refuse memory that the loop writes."""
        names = _POINTER.findall(pointer)
        if self._root(names[0] if names else pointer) in self.written:
            raise NotTiled

    def _product(self, run: RunBlock) -> RunBlock:
        """A product of matrices, of which the first one has a row for each row."""
        *others, call = [s for s in run.block.body if not isinstance(s, Check)]
        if (
            not isinstance(call, Call)
            or call.function != "dot"
            or any(not isinstance(s, Let) for s in others)
        ):
            raise NotTiled
        known = {p.name: length(run.numbers[p.place]) for p in run.block.parameters if not p.dtype}
        pointer = {p.name: run.pointers[p.place] for p in run.block.parameters if p.dtype}
        m, n, k, a, a0, a1, b, _, _, out = call.args
        if not all(isinstance(x, Name) and x.name in pointer for x in (a, b, out)):
            raise NotTiled
        m_, n_, k_, a0_, a1_ = (self.term(plain_text(replaced(x, known))) for x in (m, n, k, a0, a1))
        if m_ != self.rows:
            raise NotTiled
        self._refuse(pointer[b.name])  # type: ignore[attr-defined]
        self._own(pointer[a.name], a0_, call.dtype, [(k_, a1_)])  # type: ignore[attr-defined]
        self._own(pointer[out.name], n_, call.dtype, [(n_, ONE)])  # type: ignore[attr-defined]
        first = Name(FIRST)
        args = (Name(SOME), n, k, Shifted(a, call.dtype, first * a0), a0, a1, *call.args[6:9],
                Shifted(out, call.dtype, first * n))  # fmt: skip
        moved = replace(call, args=args)
        body = tuple(moved if s is call else s for s in run.block.body)
        return replace(run, block=replace(run.block, body=body))


def _is_compact(along: Sequence[tuple[Term, Term]], row: Term) -> bool:
    """True where elements at lengths and strides fill a row."""
    rest, size = [pair for pair in along if pair[0] != ONE], ONE
    while rest:
        found = next((pair for pair in rest if pair[1] == size), None)
        if found is None:
            return False
        rest.remove(found)
        size = size * found[0]
    return size == row


def _shifted(o: Operand, row: Term) -> Operand:
    return replace(o, pointer=f"{o.pointer} + {FIRST}*{row.text}")


def _written(s: Any) -> list[str]:
    """The pointers of what a statement writes."""
    if isinstance(s, Nest):
        return [name for o in s.operands if o.written for name in _POINTER.findall(o.pointer)]
    if isinstance(s, RunBlock):
        return [run for p in s.block.parameters if p.dtype and p.written for run in [s.pointers[p.place]]]
    return []
