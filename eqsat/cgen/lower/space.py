"""The index space of a kernel: which lengths have to be equal when the function runs, and the error if they are not.

An operand of pieces has an index space of its own, a ``Frame`` in that of the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.cuts import Cut, Placed
from eqsat.cgen.ir.expressions import ZERO, Expression, expression, length, ne
from eqsat.cgen.ir.operand import Memory, operand_of
from eqsat.cgen.lower.picks import Found, picked
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.views import through_views
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.operand_names import met_in, name_of, written
from eqsat.graph.pieces import moved_places
from eqsat.graph.plan import Compute, Kernel, Load, Pick, Pieces, Result
from eqsat.lengths.message import unequal

NEEDS = "equal lengths; length 1 broadcasts only where the type says so"
HINT = "T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))"
Axes = tuple[str | None, ...]


@dataclass
class Source:
    """A load of a kernel: the array as the loops see it, and the variable that the user knows."""

    array: Array
    variable: Variable
    whole: bool


@dataclass(frozen=True)
class Frame:
    """An index space in that of a kernel: the kernel's axis of each axis, and the index there at which it begins."""

    axes: tuple[int, ...]
    starts: tuple[Expression, ...]
    lengths: tuple[Expression, ...] | None = None  # None for the kernel's own

    def within(self, placed: Placed, lengths: tuple[Expression, ...], w: _Once) -> Frame:
        """The space of an operand that is placed in this one."""
        axes = tuple(self.axes[a] for a in placed.axes)
        starts = [
            w.define("start", self.starts[a] + s) for a, s in zip(placed.axes, placed.starts, strict=True)
        ]
        return Frame(axes, tuple(starts), lengths)


def is_number(load: Load) -> bool:
    """True for a constant with one element, which becomes a number in the text."""
    variable: Any = load.variable
    if not isinstance(variable, Constant) or variable.data.size != 1:
        return False
    return all(getattr(view, "op", view).name == "dimshuffle" for view in load.views)


class _Once:
    """A writer that gives equal values one name, so that equal cuts have equal edges."""

    def __init__(self, w: Segment) -> None:
        self.w = w
        self.known: dict[Expression, Expression] = {}

    @property
    def applied(self) -> Apply:
        """The application that is written."""
        return self.w.applied

    def define(self, hint: str, value: Expression | int) -> Expression:
        """The name of a value."""
        value = expression(value)
        if value not in self.known:
            self.known[value] = self.w.define(hint, value)
        return self.known[value]

    def check(
        self, test: Expression, error: str, message: str, *values: Expression | int, needs: str | None = None
    ) -> None:
        """Append a check."""
        self.w.check(test, error, message, *values, needs=needs)


def _free(array: Array) -> Axes:
    """The lengths of an array, None along axes that broadcast."""
    return tuple(None if m else n for n, m in zip(array.n, array.mask, strict=True))


class _Copy:
    name = "copy"


_COPY = _Copy()


def check_equal(
    w: Segment,
    op: str,
    axis: int,
    a: str,
    b: str,
    operands: Callable[[], Any],
    places: tuple[int, int] | None,
) -> None:
    """A check of two lengths that are not known to be equal; afterwards they are.

    An error names the op, and the operands with their names; those at ``places`` have the lengths.
    """
    a, b = w.lengths.find(a), w.lengths.find(b)
    if a == b:
        return
    message = f"{op}: axis {axis} has the lengths {{0}} and {{1}} at run time"
    if places is not None:
        message = unequal(op, axis, *places)
    w.unit.new_step()
    w.unit.note_operands(operands)
    code = w.unit.error("ShapeError", message, NEEDS, HINT)
    m, n = length(a), length(b)
    w.check_code(ne(m, n), code, m, n)
    w.lengths.unite(a, b)


class Space:
    """The index space of a kernel: ``lengths``, and the arrays that are read over it."""

    def __init__(self, w: Segment, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        self.sources: dict[int, Source] = {}
        self.axes: list[Axes] = []
        self.origin: list[tuple[int, ...]] = []
        self.cuts: dict[int, Cut] = {}
        self.picks: dict[int, Found] = {}
        self._once = _Once(w)
        self._apart: dict[int, tuple[Expression, ...]] = {}  # roots of spaces of their own, with the lengths
        for number, e in enumerate(kernel.expressions):
            self._enter(number, e)
        self.frames = self._frames() if self.cuts else {}
        for number, source in self.sources.items():
            if self.cuts and self.frames[number].lengths is not None:
                self.sources[number] = Source(source.array, source.variable, False)
        self.lengths = self._lengths()

    def _frames(self) -> dict[int, Frame]:
        """The frame of each expression."""
        own = tuple(range(self.kernel.ndim))
        frames = {r.root: Frame(own, (ZERO,) * len(own)) for r in self.kernel.results}
        for number in reversed(range(len(self.axes))):
            expression = self.kernel.expressions[number]
            if isinstance(expression, Compute):
                frames |= dict.fromkeys(expression.args, frames[number])
            elif isinstance(expression, Pieces):
                for arg, placed in zip(expression.args, self.cuts[number].placed, strict=True):
                    frames[arg] = frames[number].within(placed, self._apart[arg], self._once)
        return frames

    def _cut(self, number: int, expression: Pieces) -> None:
        """Note the places of the operands of pieces, after the checks of their lengths."""
        w, apply = self.w, expression.apply
        declaration: Any = apply.op.declaration  # type: ignore[attr-defined]
        w.unit.new_step()
        w.unit.note_operands(lambda: met_in(apply), of=apply)
        places = moved_places(apply)
        given = dict(zip(places, expression.args, strict=True))
        ins = [
            self._operand(v, given[k]) if k in given else operand_of(w.array(v))
            for k, v in enumerate(apply.inputs)
        ]
        self._apart |= {arg: ins[k].n for k, arg in given.items()}
        found = self.cuts[number] = w.unit.pieces_of(declaration)(self._once, apply.op, ins)
        kind: Any = apply.outputs[0].type
        texts = [
            str(n) if n is not None else w.number_of("n", x)
            for n, x in zip(kind.shape, found.lengths, strict=True)
        ]
        self.axes.append(
            tuple(None if m else w.lengths.find(t) for m, t in zip(kind.broadcastable, texts, strict=True))
        )
        origin = (*self.origin[expression.args[0]], *(number,) * kind.ndim)
        self.origin.append(origin[: kind.ndim])

    def _operand(self, variable: Any, number: int) -> Memory:
        """An operand of pieces as their builder sees it: it has lengths, but no address."""
        kind = variable.type
        known = [
            str(k) if k is not None else n
            for k, n in zip(kind.shape, self._padded(number, kind.ndim), strict=True)
        ]
        assert None not in known, f"{variable} has no length"
        n = tuple(length(self.w.lengths.find(t)) for t in known if t is not None)
        return Memory(ZERO, kind.dtype, n, (ZERO,) * kind.ndim, kind.broadcastable)

    def _padded(self, number: int, ndim: int) -> Axes:
        """The lengths of an expression; a number has none of its own."""
        return self.axes[number] or (None,) * ndim

    def _enter(self, number: int, expression: Any) -> None:
        if isinstance(expression, Compute):
            self._join(expression)
            return
        if isinstance(expression, Pieces):
            self._cut(number, expression)
            return
        if isinstance(expression, Pick):
            self.picks[number] = found = picked(self.w, expression)
            self.axes.append(_free(found.array))
            self.origin.append((number,) * len(self.axes[-1]))
            return
        if isinstance(expression, Load) and not is_number(expression):
            variable: Any = expression.variable
            array, _ = through_views(self.w, self.w.array(variable), variable.type, expression.views)
            self.sources[number] = Source(array, variable, not expression.views)
            self.axes.append(_free(array))
        else:
            self.axes.append(())
        self.origin.append((number,) * len(self.axes[-1]))

    def _join(self, e: Compute) -> None:
        args = e.args
        ndim = max(len(self.axes[arg]) for arg in args)
        axes: list[str | None] = [None] * ndim
        origin = [args[0]] * ndim
        for arg in args:
            for axis, n in enumerate(self.axes[arg]):
                if n is None:
                    continue
                known = axes[axis]
                if known is None:
                    axes[axis], origin[axis] = n, self.origin[arg][axis]
                else:
                    sources = origin[axis], self.origin[arg][axis]
                    self._equal(e.op, args, e.variable, axis, known, n, sources)
        self.axes.append(tuple(axes))
        self.origin.append(tuple(origin))

    def _equal(
        self,
        op: Any,
        args: tuple[int, ...],
        result: Variable | None,
        axis: int,
        a: str,
        b: str,
        sources: tuple[int, int] = (-1, -1),
    ) -> None:
        """A check of two lengths, which the expressions with these numbers have."""
        met = list(self._met(args))
        numbers = [number for _, number, _ in met]
        named = all(number in numbers for number in sources)

        def operands() -> list[tuple[str, Any]]:
            found = [(name_of(op, place, variable), variable) for place, _, variable in met]
            return found if result is None else [*found, written(result)]

        places = (numbers.index(sources[0]), numbers.index(sources[1])) if named else None
        check_equal(self.w, op.name, axis, a, b, operands, places)

    def _met(self, args: tuple[int, ...]) -> Iterator[tuple[int, int, Variable]]:
        """The variables that operands are computed of, with the place of the operand and the number of the expression."""
        for place, arg in enumerate(args):
            known = self._variable(arg) is not None
            for number in [arg] if known else sorted(set(self.origin[arg])):
                variable = self._variable(number)
                if variable is not None:
                    yield place, number, variable

    def _variable(self, number: int) -> Variable | None:
        """The variable that an expression loads, or whose elements it picks or puts together."""
        e = self.kernel.expressions[number]
        if isinstance(e, (Pick, Pieces)):
            return e.apply.outputs[0]
        return self.sources[number].variable if number in self.sources else None

    def _lengths(self) -> tuple[str, ...]:
        space: list[str | None] = [None if k is None or k == 1 else str(k) for k in self.kernel.static]
        roots = [r.root for r in self.kernel.results]
        own = [k for k in range(len(self.axes)) if not self.cuts or self.frames[k].lengths is None]
        for number in [*roots, *own]:
            for axis, n in enumerate(self.axes[number]):
                known = space[axis]
                if n is not None and known is None:
                    space[axis] = n
                elif n is not None and known is not None:
                    result = next(
                        (r for r in self.kernel.results if r.root == number), self.kernel.results[0]
                    )
                    self._equal(self._op_of(result), (number,), result.variable, axis, known, n)
        return tuple("1" if n is None else self.w.lengths.find(n) for n in space)

    def _op_of(self, result: Result) -> Any:
        root = self.kernel.expressions[result.root]
        return result.reduce or (root.op if isinstance(root, Compute) else _COPY)
