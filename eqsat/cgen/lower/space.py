"""The index space of a kernel: which lengths have to be equal when the function runs, and the error if they are not."""

from __future__ import annotations

from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.expressions import length, ne, select
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.views import through_views
from eqsat.graph.core import Constant, Variable
from eqsat.graph.plan import Compute, Kernel, Load, Result

NEEDS = "equal lengths; length 1 broadcasts only where the type says so"
HINT = "T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))"
Axes = tuple[str | None, ...]


@dataclass
class Source:
    """A load of a kernel: the array as the loops see it, and the variable that the user knows."""

    array: Array
    variable: Variable
    whole: bool


def is_number(load: Load) -> bool:
    """True for a constant with one element, which becomes a number in the text."""
    variable: Any = load.variable
    if not isinstance(variable, Constant) or variable.data.size != 1:
        return False
    return all(getattr(view, "op", view).name == "dimshuffle" for view in load.views)


class _Copy:
    name = "copy"


_COPY = _Copy()


class Space:
    """The index space of a kernel: ``lengths``, and the arrays that are read over it."""

    def __init__(self, w: Segment, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        self.sources: dict[int, Source] = {}
        self.axes: list[Axes] = []
        self.origin: list[tuple[int, ...]] = []
        for number, expression in enumerate(kernel.expressions):
            self._enter(number, expression)
        self.lengths = self._lengths()

    def _enter(self, number: int, expression: Any) -> None:
        if isinstance(expression, Compute):
            self._join(expression.op, expression.args)
            return
        if isinstance(expression, Load) and not is_number(expression):
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
        w.unit.new_step()
        w.unit.note_operands(lambda: self._operands(op, args))
        code = w.unit.error("ShapeError", message, NEEDS, HINT)
        m, n = length(a), length(b)
        w.check_code(ne(m, n), code, select(m < n, m, n), select(m < n, n, m))
        w.lengths.unite(a, b)

    def _operands(self, op: Any, args: tuple[int, ...]) -> list[tuple[str, Variable]]:
        tensors = op.declaration.tensors
        operands = []
        for place, arg in enumerate(args):
            known = arg in self.sources
            numbers = [arg] if known else sorted(set(self.origin[arg]) & set(self.sources))
            for number in numbers:
                variable = self.sources[number].variable
                own = tensors[place] if known and place < len(tensors) else str(variable)
                operands.append((variable.name or own, variable))
        return operands

    def _lengths(self) -> tuple[str, ...]:
        space: list[str | None] = [None if k is None or k == 1 else str(k) for k in self.kernel.static]
        roots = [r.root for r in self.kernel.results]
        for number in [*roots, *range(len(self.axes))]:
            for axis, n in enumerate(self.axes[number]):
                known = space[axis]
                if n is not None and known is None:
                    space[axis] = n
                elif n is not None and known is not None:
                    result = next(
                        (r for r in self.kernel.results if r.root == number), self.kernel.results[0]
                    )
                    self._equal(self._op_of(result), (number,), axis, known, n)
        return tuple("1" if n is None else self.w.lengths.find(n) for n in space)

    def _op_of(self, result: Result) -> Any:
        root = self.kernel.expressions[result.root]
        return result.reduce or (root.op if isinstance(root, Compute) else _COPY)
