"""A kernel of a plan becomes loops: places for its results, then one nest for each set of reduced axes."""

from __future__ import annotations

import functools
from string import Formatter
from typing import Any

from eqsat.cgen.ir.arrays import Array, is_plain
from eqsat.cgen.ir.expressions import either, eq, length
from eqsat.cgen.ir.nest import At, Choice, Computed, Fold, Nest, Number, Operand, Read, Value
from eqsat.cgen.lower.pieces import Pieced, Region
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.space import Space, is_number
from eqsat.graph.c_templates import c_template
from eqsat.graph.ops.elemwise import add
from eqsat.graph.plan import Compute, Kernel, Literal, Load, Pick, Pieces, Result


class KernelWriter:
    """Lowers one kernel."""

    def __init__(self, w: Segment, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        space = Space(w, kernel)
        self.sources, self.space = space.sources, space.lengths
        self.picks = space.picks
        self.pieced = Pieced(w, kernel, space) if space.cuts else None

    def write(self) -> None:
        """Statements that compute all results."""
        groups: dict[tuple[int, ...], list[Result]] = {}
        for result in self.kernel.results:
            axes = result.reduce.params["axes"] if result.reduce is not None else ()
            groups.setdefault(tuple(axes), []).append(result)
        plain = groups.pop((), [])
        in_place = len(groups) <= 1
        targets = {id(r): self._target(r, in_place) for r in self.kernel.results}
        if not groups:
            groups[()] = []
        for number, (axes, results) in enumerate(groups.items()):
            self._nest(axes, results + (plain if number == 0 else []), targets)

    def _target(self, result: Result, in_place: bool) -> Array:
        w, variable = self.w, result.variable
        if result.reduce is None:
            taken = self._dying_operand(variable) if in_place and variable not in w.direct else None
            if taken is not None:
                return w.new_array(variable, self.space, w.move(taken, variable), taken.pointer)
            return w.allocate(variable, self.space)
        axes = result.reduce.params["axes"]
        if not result.reduce.declaration.reduction.empty:
            self._refuse_empty(result, [self.space[a] for a in axes])
        return w.allocate(variable, tuple("1" if a in axes else n for a, n in enumerate(self.space)))

    def _refuse_empty(self, result: Result, lengths: list[str]) -> None:
        op = result.reduce
        unknown = [n for n in lengths if not n.isdigit() or n == "0"]
        if unknown:
            self.w.unit.new_step()
            self.w.note_kernel(op, [s.variable for s in self.sources.values()], result.variable)
            code = self.w.unit.error("ShapeError", f"{op.name}: an axis of length 0 has no {op.name}")
            self.w.check_code(either(*(eq(length(n), 0) for n in unknown)), code)

    def _dying_operand(self, variable: Any) -> Array | None:
        """An operand whose buffer dies here and has the layout of the result."""
        w = self.w
        for source in self.sources.values():
            array = source.array
            if (
                source.whole
                and w.dies_here(source.variable)
                and array.dtype == variable.type.dtype
                and array.mask == variable.type.broadcastable
                and w.lengths.contiguous(array)
                and self._only_whole(array)
            ):
                return array
        return None

    def _only_whole(self, array: Array) -> bool:
        """True where every load from the memory of an array is of the whole array as it lies."""
        picked = (a.storage for f in self.picks.values() for a in (f.array, *(index for index, _, _ in f.at)))
        if any(storage is array.storage for storage in picked):
            return False
        same = [s for s in self.sources.values() if s.array.storage is array.storage]
        return all(s.whole and s.array.pointer == array.pointer and s.array.s == array.s for s in same)

    # --------------------------------------------------------------------------------------------------- loops

    def _nest(self, axes: tuple[int, ...], results: list[Result], targets: dict[int, Array]) -> None:
        regions, begun = self._regions(axes, results), set[int]()
        for region in regions:
            here = [r for r in results if not self._is_outside(r, region)]
            late = region is regions[-1]
            here += [
                r for r in results if late and r.reduce is not None and r not in here and id(r) not in begun
            ]
            self._region(region, axes, here, targets, begun)
            begun.update(map(id, here))

    def _regions(self, axes: tuple[int, ...], results: list[Result]) -> list[Region]:
        """The parts of the space that have nests of their own; folds go on from one to the next where a target's can."""
        if self.pieced is None:
            return [Region()]
        folds = sum(r.reduce is not None for r in results)
        apart = len(axes) == self.kernel.ndim and folds < len(results) and self.w.unit.goes_on
        return self.pieced.regions([r.root for r in results], not folds or apart, bool(folds))

    def _is_outside(self, result: Result, region: Region) -> bool:
        """True for a fold of which nothing lies in a region."""
        return (
            result.reduce is not None
            and self.pieced is not None
            and self.pieced.is_outside(result.root, region)
        )

    def _written(self, results: list[Result], targets: dict[int, Array], region: Region) -> list[Operand]:
        """The operands to which a nest writes results."""
        operands = []
        for result in results:
            array = targets[id(result)]
            if result.reduce is None and self.pieced is not None:
                array = self.pieced.seen(array, region)
            strides = array.s if result.reduce is None else ()
            operands.append(Operand(array.pointer, array.dtype, strides, written=True))
        return operands

    def _region(
        self,
        region: Region,
        axes: tuple[int, ...],
        results: list[Result],
        targets: dict[int, Array],
        begun: set[int],
    ) -> None:
        """The nest of a part of the space, in which folds that have ``begun`` go on."""
        operands = self._written(results, targets, region)
        values, number = self._values(operands, [r.root for r in results], region)
        roots = [number[r.root] for r in results]
        nest = Nest(
            region.lengths or self.space,
            tuple(a in axes and any(r.reduce is not None for r in results) for a in range(self.kernel.ndim)),
            tuple(operands),
            tuple(values),
            tuple((roots[k], k) for k, r in enumerate(results) if r.reduce is None),
            tuple(
                Fold(roots[k], r.reduce.declaration.reduction, operands[k].dtype, k, r.reduce, id(r) in begun)
                for k, r in enumerate(results)
                if r.reduce is not None
            ),
            1.0 + sum(self._flops(n) for n in number),
            () if region.moved else region.starts,
            region.taken is None and bool(region.lengths),
        )
        self.w.nest(nest.simplified(self.w.lengths))

    def _flops(self, n: int) -> float:
        expression = self.kernel.expressions[n]
        if not isinstance(expression, Compute):
            return 0.0
        return float(getattr(expression.op.declaration.cost, "flops", 1.0))

    def _values(
        self, operands: list[Operand], roots: list[int], region: Region
    ) -> tuple[list[Value], dict[int, int]]:
        """The expressions that the roots need, and their numbers in the nest; adds the operands that they read."""
        used: dict[int, Computed] = {}
        needed, stack = set(roots), list(roots)
        while stack:
            n = stack.pop()
            below = self._below(n, used, region)
            stack += [a for a in below if a not in needed]
            needed.update(below)
        values = _Values()
        number: dict[int, int] = {}
        for n in sorted(needed):
            if n in used:
                number[n] = values.computed(used[n], number)
            elif isinstance(expression := self.kernel.expressions[n], Pieces):
                number[n] = self._pieces(values, n, expression, number, region)
            elif isinstance(expression, Pick):
                number[n] = self._pick(values, operands, n, region)
            else:
                number[n] = values.add(self._leaf(operands, n, region))
        return values.values, number

    def _below(self, n: int, used: dict[int, Computed], region: Region) -> list[int]:
        """The expressions that one needs in a region."""
        expression = self.kernel.expressions[n]
        if isinstance(expression, Compute):
            used[n] = self._computed(expression)
            return [a for a in used[n].args if a >= 0]
        if isinstance(expression, Pieces):
            assert self.pieced is not None
            return self.pieced.args(n, region)
        return []

    def _pieces(
        self, values: _Values, n: int, expression: Pieces, number: dict[int, int], region: Region
    ) -> int:
        """The number of the value of pieces: the one that the region takes, or a choice."""
        assert self.pieced is not None
        cases = []
        for tests, operands in self.pieced.cases(n, region):
            args = [expression.args[k] for k in operands]
            value = number[args[0]] if args else values.add(Number(expression.other, expression.dtype))
            if len(args) > 1:
                value = values.computed(self._computed(Compute(add, tuple(args), expression.dtype)), number)
            cases.append((tests, value))
        return cases[0][1] if len(cases) == 1 else values.add(Choice(tuple(cases), expression.dtype))

    def _computed(self, expression: Compute) -> Computed:
        """An application of an op whose arguments are numbers in the kernel; -1 for those that its expression leaves out."""
        op, last = expression.op, self.kernel.expressions[expression.args[-1]]
        of = last.variable.type.dtype if isinstance(last, Load) else last.dtype  # type: ignore[attr-defined]
        text, names = c_template(op, of, expression.dtype), op.declaration.tensors
        named = named_in(text)
        args = tuple(a if name in named else -1 for name, a in zip(names, expression.args, strict=True))
        return Computed(text, names, args, of, expression.dtype, op)

    def _leaf(self, operands: list[Operand], n: int, region: Region) -> Value:
        expression = self.kernel.expressions[n]
        if isinstance(expression, Literal):
            return Number(expression.value, expression.dtype)
        variable: Any = expression.variable  # type: ignore[union-attr]
        if is_number(expression):  # type: ignore[arg-type]
            return Number(variable.data.reshape(())[()], variable.type.dtype)
        return self._read(operands, n, self.sources[n].array, region)

    def _read(self, operands: list[Operand], n: int, array: Array, region: Region) -> Read:
        if self.pieced is None:
            return Read(self._operand(operands, array), array.dtype)
        array, inside = self.pieced.placed(n, array, region)
        return Read(self._operand(operands, array), array.dtype, inside)

    def _operand(self, operands: list[Operand], array: Array) -> int:
        """The number of an array among the operands, to which it is added where it is not there.

        Strides are of the lengths that stand for those equal to them, so that kernels of equal form have equal texts.
        """
        steps = (self.w.lengths.product((s,)) if is_plain(s) else s for s in array.s)
        strides = tuple("0" if m else s for s, m in zip(steps, array.mask, strict=True))
        for place, known in enumerate(operands):
            if known.pointer == array.pointer and (known.written or known.strides == strides):
                return place
        operands.append(Operand(array.pointer, array.dtype, strides))
        return len(operands) - 1

    def _pick(self, values: _Values, operands: list[Operand], n: int, region: Region) -> int:
        """The number of an element picked by indices."""
        found = self.picks[n]
        at = tuple(
            At(values.add(self._read(operands, n, index, region)), stride, end)
            for index, stride, end in found.at
        )
        read = self._read(operands, n, found.array, region)
        return values.add(Read(read.operand, read.dtype, read.inside, at))


class _Values:
    """The values of a nest while they are collected; equal ones are there once."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._known: dict[Any, int] = {}

    def add(self, value: Value) -> int:
        """The number of a value."""
        if isinstance(value, Number):
            self.values.append(value)
            return len(self.values) - 1
        if value not in self._known:
            self._known[value] = len(self.values)
            self.values.append(value)
        return self._known[value]

    def computed(self, c: Computed, number: dict[int, int]) -> int:
        """The number of an application, whose arguments are numbered otherwise so far."""
        args = tuple(number[a] if a >= 0 else -1 for a in c.args)
        return self.add(Computed(c.expression, c.names, args, c.of, c.dtype, c.op))


@functools.cache
def named_in(text: str) -> frozenset[str]:
    """The names in braces of an op's expression."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)
