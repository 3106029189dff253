"""A kernel of a plan becomes loops: places for its results, then one nest for each set of reduced axes."""

from __future__ import annotations

from typing import Any

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_call import emit_nest
from eqsat.cgen.c.segment import Segment
from eqsat.cgen.c.space import Space, is_number
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.nest import Fold, Nest, Operand, Value
from eqsat.graph.c_operand import CTYPE
from eqsat.graph.declare import c_template
from eqsat.graph.plan import Compute, Kernel, Literal, Load, Result


class KernelWriter:
    """Lowers one kernel."""

    def __init__(self, w: Segment, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        space = Space(w, kernel)
        self.sources, self.space = space.sources, space.lengths

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
            self._refuse_empty(result.reduce, [self.space[a] for a in axes])
        return w.allocate(variable, tuple("1" if a in axes else n for a, n in enumerate(self.space)))

    def _refuse_empty(self, op: Any, lengths: list[str]) -> None:
        unknown = [n for n in lengths if not n.isdigit() or n == "0"]
        if unknown:
            self.w.unit.new_step()
            self.w.note_kernel(op, [s.variable for s in self.sources.values()])
            stop = self.w.stop(
                self.w.unit.error("ShapeError", f"{op.name}: an axis of length 0 has no {op.name}")
            )
            self.w.emit(f"if ({' || '.join(f'{n} == 0' for n in unknown)}) {stop}")

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
        same = [s for s in self.sources.values() if s.array.storage is array.storage]
        return all(s.whole and s.array.pointer == array.pointer and s.array.s == array.s for s in same)

    # --------------------------------------------------------------------------------------------------- loops

    def _nest(self, axes: tuple[int, ...], results: list[Result], targets: dict[int, Array]) -> None:
        nest = Nest(list(self.space), [a in axes for a in range(self.kernel.ndim)])
        for result in results:
            array = targets[id(result)]
            strides = self.w.lengths.strides(self.space) if result.reduce is None else ()
            nest.operands.append(Operand(array.pointer, array.dtype, strides, written=True))
        number = self._values(nest, [r.root for r in results])
        for place, result in enumerate(results):
            root = number[result.root]
            if result.reduce is None:
                nest.stores.append((root, place))
            else:
                reduction = result.reduce.declaration.reduction
                nest.folds.append(Fold(root, reduction, nest.operands[place].dtype, place))
        nest.simplify(self.w.lengths)
        emit_nest(self.w, nest)

    def _values(self, nest: Nest, roots: list[int]) -> dict[int, int]:
        """Put the expressions that the roots need into a nest; gives their numbers there."""
        texts = {n: self._text(n) for n in range(len(self.kernel.expressions))}
        needed, stack = set(roots), list(roots)
        while stack:
            expression = self.kernel.expressions[stack.pop()]
            if isinstance(expression, Compute):
                text = c_text(expression, self._dtypes(expression))
                for k, arg in enumerate(expression.args):
                    if f"@{k}@" in text and arg not in needed:
                        needed.add(arg)
                        stack.append(arg)
        number: dict[int, int] = {}
        for n in sorted(needed):
            number[n] = len(nest.values)
            nest.values.append(self._value(nest, n, texts[n], number))
        return number

    def _dtypes(self, expression: Compute) -> str:
        last = self.kernel.expressions[expression.args[-1]]
        return last.variable.type.dtype if isinstance(last, Load) else last.dtype  # type: ignore[attr-defined]

    def _text(self, n: int) -> str:
        expression = self.kernel.expressions[n]
        if isinstance(expression, Literal):
            return literal(expression.value, expression.dtype)
        if isinstance(expression, Compute):
            return c_text(expression, self._dtypes(expression))
        variable: Any = expression.variable
        if is_number(expression):
            return literal(variable.data.reshape(())[()], variable.type.dtype)
        return ""

    def _value(self, nest: Nest, n: int, text: str, number: dict[int, int]) -> Value:
        expression = self.kernel.expressions[n]
        if isinstance(expression, Compute):
            nest.flops += float(getattr(expression.op.declaration.cost, "flops", 1.0))
            args = tuple(number.get(a, -1) for a in expression.args)
            return Value(CTYPE[expression.dtype], text=text, args=args)
        if text:
            dtype = expression.dtype if isinstance(expression, Literal) else expression.variable.type.dtype  # type: ignore[attr-defined]
            return Value(CTYPE[dtype], text=text)
        array = self.sources[n].array
        return Value(CTYPE[array.dtype], operand=self._operand(nest, array))

    def _operand(self, nest: Nest, array: Array) -> int:
        strides = tuple("0" if m else s for s, m in zip(array.s, array.mask, strict=True))
        for place, known in enumerate(nest.operands):
            if known.pointer == array.pointer and (known.written or known.strides == strides):
                return place
        nest.operands.append(Operand(array.pointer, array.dtype, strides))
        return len(nest.operands) - 1


def c_text(expression: Compute, operand: str) -> str:
    """C text of an op with ``@0@``, ``@1@`` ... for its arguments."""
    op: Any = expression.op
    fields = {name: f"@{k}@" for k, name in enumerate(op.declaration.tensors)}
    f = "f" if operand in ("float32", "complex64") else ""
    return c_template(op, operand, expression.dtype).format(
        **fields, f=f, T=CTYPE[expression.dtype], U=CTYPE[operand]
    )
