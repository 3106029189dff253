"""A kernel of a plan becomes C: lengths are checked, operands found, loops written and called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eqsat.cgen.arrays import Array
from eqsat.cgen.folds import TILE, Folded, folded, joiner
from eqsat.cgen.literals import literal
from eqsat.cgen.loops import elementwise
from eqsat.cgen.nest import Fold, Nest, Operand, Parameters, Value
from eqsat.cgen.segment import Segment
from eqsat.cgen.views import through_views
from eqsat.graph.c_operand import CTYPE
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import c_template
from eqsat.graph.plan import Compute, Kernel, Literal, Load, Result

NEEDS = "equal lengths; length 1 broadcasts only where the type says so"
HINT = "T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))"
Axes = tuple[str | None, ...]


@dataclass
class Source:
    """A load of a kernel: the array as the loops see it, and the variable that the user knows."""

    array: Array
    variable: Variable
    whole: bool


class KernelWriter:
    """Lowers one kernel."""

    def __init__(self, w: Segment, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        self.sources: dict[int, Source] = {}
        self.axes: list[Axes] = []
        self.origin: list[tuple[int, ...]] = []
        for number, expression in enumerate(kernel.expressions):
            self._enter(number, expression)
        self.space = self._space()

    # ------------------------------------------------------------------------------------------------- lengths

    def _enter(self, number: int, expression: Any) -> None:
        if isinstance(expression, Compute):
            self._join(expression.op, expression.args)
            return
        if isinstance(expression, Load) and not _is_number(expression):
            variable: Any = expression.variable
            array, _ = through_views(self.w, self.w.array(variable), variable.type, expression.views)
            self.sources[number] = Source(array, variable, not expression.views)
            self.axes.append(tuple(None if m else n for n, m in zip(array.n, array.mask, strict=True)))
        else:
            self.axes.append((None,) * self.kernel.ndim)
        self.origin.append((number,) * self.kernel.ndim)

    def _join(self, op: Any, args: tuple[int, ...]) -> None:
        axes: list[str | None] = [None] * self.kernel.ndim
        origin = [args[0]] * self.kernel.ndim
        for arg in args:
            for axis, n in enumerate(self.axes[arg]):
                if n is None:
                    continue
                known = axes[axis]
                if known is None:
                    axes[axis], origin[axis] = n, self.origin[arg][axis]
                else:
                    self._equal(op, args, axis, known, n)
        self.axes.append(tuple(axes))
        self.origin.append(tuple(origin))

    def _equal(self, op: Any, args: tuple[int, ...], axis: int, a: str, b: str) -> None:
        """Check two lengths where they are not known to be equal; afterwards they are."""
        w = self.w
        a, b = w.lengths.find(a), w.lengths.find(b)
        if a == b:
            return
        message = f"{op.name}: axis {axis} has the lengths {{0}} and {{1}} at run time"
        self._note(op, args)
        stop = w.stop(w.unit.error("ShapeError", message, NEEDS, HINT), f"{a} < {b} ? {a} : {b}", f"{a} < {b} ? {b} : {a}")
        w.emit(f"if ({a} != {b}) {stop}")
        w.lengths.unite(a, b)

    def _note(self, op: Any, args: tuple[int, ...]) -> None:
        tensors = op.declaration.tensors
        operands = []
        for place, arg in enumerate(args):
            known = arg in self.sources
            numbers = [arg] if known else sorted(set(self.origin[arg]) & set(self.sources))
            for number in numbers:
                variable = self.sources[number].variable
                own = tensors[place] if known and place < len(tensors) else str(variable)
                operands.append((variable.name or own, variable))
        self.w.unit.note_operands(operands)

    def _space(self) -> tuple[str, ...]:
        space: list[str | None] = [None if k is None or k == 1 else str(k) for k in self.kernel.static]
        roots = [r.root for r in self.kernel.results]
        for number in [*roots, *range(len(self.axes))]:
            for axis, n in enumerate(self.axes[number]):
                known = space[axis]
                if n is not None and known is None:
                    space[axis] = n
                elif n is not None and known is not None:
                    result = next((r for r in self.kernel.results if r.root == number), self.kernel.results[0])
                    self._equal(self._name_of(result), (number,), axis, known, n)
        return tuple("1" if n is None else self.w.lengths.find(n) for n in space)

    def _name_of(self, result: Result) -> Any:
        root = self.kernel.expressions[result.root]
        return result.reduce or (root.op if isinstance(root, Compute) else _COPY)

    # ------------------------------------------------------------------------------------------------- results

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
            self.w.note_kernel(op, [s.variable for s in self.sources.values()])
            stop = self.w.stop(self.w.unit.error("ShapeError", f"{op.name}: an axis of length 0 has no {op.name}"))
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
        if _is_number(expression):
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


def _is_number(load: Load) -> bool:
    """True for a constant with one element, which becomes a number in the text."""
    variable: Any = load.variable
    if not isinstance(variable, Constant) or variable.data.size != 1:
        return False
    return all(getattr(view, "op", view).name == "dimshuffle" for view in load.views)


class _Copy:
    name = "copy"


_COPY = _Copy()


def c_text(expression: Compute, operand: str) -> str:
    """C text of an op with ``@0@``, ``@1@`` ... for its arguments."""
    op: Any = expression.op
    fields = {name: f"@{k}@" for k, name in enumerate(op.declaration.tensors)}
    f = "f" if operand == "float32" else ""
    return c_template(op, operand, expression.dtype).format(
        **fields, f=f, T=CTYPE[expression.dtype], U=CTYPE[operand]
    )


# ------------------------------------------------------------------------------------------------------- calls


def emit_nest(w: Segment, nest: Nest) -> None:
    """Statements that run a nest."""
    if nest.folds:
        _emit_folds(w, nest)
        return
    text, names, tasks = elementwise(nest)
    grain = "64" if len(nest.lengths) == 1 else "1"
    w.emit(_call(w.unit.function("k", text), names, {}, tasks, grain, _work(nest)))


def _work(nest: Nest) -> str:
    return "*".join([f"{int(nest.flops) + len(nest.operands)}LL", *(n for n in nest.lengths if n != "1")])


def _call(name: str, names: Parameters, known: dict[str, str], tasks: str, grain: str, work: str) -> str:
    pointers = ", ".join(known.get(t, t) for t in names.pointers) or "0"
    numbers = ", ".join(known.get(t, t) for t in names.numbers) or "0"
    return f"eq_spread(c, {name}, {tasks}, {grain}, {work}, (void *[]){{{pointers}}}, (int64_t[]){{{numbers}}});"


def _emit_folds(w: Segment, nest: Nest) -> None:
    result = folded(nest)
    kept = w.lengths.product(result.kept)
    tasks, known, buffers = kept, {}, []
    if not result.single:
        known = _chunks(w, result, kept)
        for k, fold in enumerate(nest.folds):
            size = f"({known['@chunks']} > 1 ? {kept}*{known['@chunks']} : 0)"
            buffers.append(w.slots.take(f"@{k}"))
            known[f"@part{k}"] = w.buffer(buffers[-1], size, fold.accumulator)
    if result.columns:
        rest = w.lengths.product(result.kept[:-1])
        tasks = f"{rest}*(({result.columns} + {TILE - 1}) / {TILE})"
    tasks = tasks if result.single else f"{tasks}*{known['@chunks']}"
    name = w.unit.function("k", result.text)
    w.emit(_call(name, result.names, known, tasks, "1", _work(nest)))
    for k, buffer in enumerate(buffers):
        join = w.unit.function("j", joiner(nest.folds[k]))
        target = nest.operands[nest.folds[k].operand].pointer
        chunks = known["@chunks"]
        w.emit(f"if ({chunks} > 1) {join}({kept}, {chunks}, (void *){known[f'@part{k}']}, (void *){target});")
        w.slots.give(buffer)


def _chunks(w: Segment, result: Folded, kept: str) -> dict[str, str]:
    """Statements that decide how many chunks the reduced elements are cut into."""
    reduced, first = w.lengths.product(result.reduced), result.reduced[0]
    grain = "256" if len(result.reduced) == 1 and not result.columns else "1"
    span = w.define("span", f"eq_span({kept}, {reduced}, {first}, {grain})")
    chunks = w.define("chunks", f"{first} > 0 ? ({first} + {span} - 1) / {span} : 1")
    return {"@span": span, "@chunks": chunks}
