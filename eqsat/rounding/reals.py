"""Graphs over the real numbers, at many points: digits are doubled until the float that is nearest no longer changes.

Ops round towards zero in one step and away from it in the next: what too few digits swallow, as in 1 + 1e-100, is then another
number. Where points are drawn, a step is also done again with ops that round in different ways, so that (1 + a) - (1 + b) changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import OPS, DeclaredOp
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.walk import toposort
from eqsat.rounding.formulas import formula_of
from eqsat.verify.sides import Point, Reals, Undefined, lift, real_arrays

Array = Any
DIGITS = 40, 80, 160, 320, 640, 1280


class RealOps(Reals):
    """Ops by their formulas over the reals, on arrays of mpmath numbers."""

    def __init__(self) -> None:
        super().__init__(Point({}))

    def apply(self, op: str, args: list[Array], params: dict[str, Any]) -> Array:
        if OPS[op].kind != "elemwise":
            return super().apply(op, args, params)
        return np.asarray(np.frompyfunc(formula_of(op), len(args), 1)(*args), object)

    def of(self, op: DeclaredOp, operands: list[Array]) -> Array:
        """The value of an op.

        Errors   Undefined for an op that has no formula
        """
        name = op.declaration.seen_as(len(operands)) or op.name
        return np.asarray(self.apply(name, operands, dict(op.params)), object)


def is_by_elements(roots: Sequence[Variable]) -> bool:
    """True where all ops are elementwise and all inputs of one rank, so that every element is a point."""
    nodes = toposort(roots)
    if not all(isinstance(n.op, DeclaredOp) and n.op.declaration.kind == "elemwise" for n in nodes):
        return False
    inputs: list[Any] = [
        v for n in nodes for v in n.inputs if not isinstance(v, Constant) and v.owner is None
    ]
    return len({v.type.ndim for v in inputs}) <= 1


def rounded(value: Any, dtype: str) -> Any:
    """The float that is nearest to a real number, which may be a truth."""
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    with np.errstate(over="ignore", under="ignore"):
        return np.dtype(dtype).type(float(value))


class Ways(NamedTuple):
    """The way in which each op rounds, by its place in the graph: those that share a bit with a number in one, others in the other."""

    bits: int
    away: bool = False

    def of(self, place: int) -> str:
        """The letter of mpmath for an op: "u" away from zero, "d" towards it."""
        return "u" if bool(place & self.bits) != self.away else "d"


class RealRun:
    """The real values of the variables of a graph at some points, a row of an array for each point."""

    def __init__(self, roots: Sequence[Variable], inputs: Sequence[Variable], whole: bool) -> None:
        self.roots, self.inputs, self.whole = list(roots), list(inputs), whole
        self.nodes = toposort(roots)
        self.ops = RealOps()
        self.ways = [Ways(1 << k) for k in range((len(self.nodes) - 1).bit_length())]

    def values(
        self,
        given: Sequence[Array],
        wanted: Sequence[Variable],
        steps: Sequence[int] = DIGITS,
        near: bool = False,
    ) -> list[Array]:
        """Values of ``wanted`` as floats of their dtype, NaN where there is no real number or no number of digits is enough.

        ``near`` starts with few digits at every point, which is faster and seldom settles on what they swallow.
        """
        points = len(given[0]) if given else 1
        found = [
            np.full((points, *np.shape(w)), np.nan, _dtype(v))
            for v, w in zip(wanted, self._shapes(wanted, given))
        ]
        todo = np.arange(points)
        before = self._rounded(given, todo, steps[0], wanted, Ways(0))
        for k, digits in enumerate(steps[1:], 1):
            now = self._rounded(given, todo, digits, wanted, Ways(0, k % 2 == 1))
            same = _equal(before, now, len(todo))
            for ways in () if near else self.ways:
                at = np.flatnonzero(same)
                if not len(at):  # of no point there are no shapes to compare either
                    break
                again = self._rounded(given, todo[at], steps[k - 1], wanted, ways)
                same[at] = _equal([v[at] for v in now], again, len(at))
            for place, value in zip(found, now, strict=True):
                place[todo[same]] = value[same]
            todo, before = todo[~same], [v[~same] for v in now]
            if not len(todo):
                break
        return found

    def _shapes(self, wanted: Sequence[Variable], given: Sequence[Array]) -> list[Array]:
        one = self._rounded([g[:1] for g in given], np.arange(1), 15, wanted, Ways(0))
        return [v[0] for v in one]

    def _rounded(
        self, given: Sequence[Array], at: Array, digits: int, wanted: Sequence[Variable], ways: Ways
    ) -> list[Array]:
        with mpmath.workdps(digits):
            exact = self._exact([g[at] for g in given], len(at), wanted, ways)
            return [self._floats(e, _dtype(v)) for e, v in zip(exact, wanted, strict=True)]

    def _exact(self, given: Sequence[Array], points: int, wanted: Any, ways: Ways) -> list[Array]:
        """Values of ``wanted`` as numbers of mpmath, a row of an array for each point."""
        if self.whole:
            made = self._run([lift(g) for g in given], ways)
            return [np.broadcast_to(made[v], (points, *made[v].shape[1:])) for v in wanted]
        runs = [self._run([lift(np.asarray(g[k])) for g in given], ways) for k in range(points)]
        return [np.stack([r[v] for r in runs]) if runs else np.empty((0,), object) for v in wanted]

    def _floats(self, exact: Array, dtype: str) -> Array:
        made = np.empty(exact.shape, dtype)
        for i in np.ndindex(exact.shape):
            made[i] = rounded(exact[i], dtype)
        return made

    def _run(self, given: Sequence[Array], ways: Ways) -> dict[Variable, Array]:
        made: dict[Variable, Array] = dict(zip(self.inputs, given, strict=True))
        for k, node in enumerate(self.nodes):
            with _rounding(ways.of(k)):
                made[node.outputs[0]] = self._apply(node, [real_operand(v, made) for v in node.inputs])
        for v in self.roots:
            made.setdefault(v, real_operand(v, made))
        return made

    def _apply(self, node: Apply, operands: list[Array]) -> Array:
        if not isinstance(node.op, DeclaredOp) or len(node.outputs) > 1:
            raise no_formula(node)
        try:
            return self.ops.of(node.op, operands)
        except Undefined as error:
            raise no_formula(node) from error


@contextlib.contextmanager
def _rounding(how: str) -> Iterator[None]:
    """Round what mpmath computes in the block towards zero ("d") or away from it ("u")."""
    state = mpmath.mp._prec_rounding
    before, state[1] = state[1], how
    try:
        yield
    finally:
        state[1] = before


def _equal(a: Sequence[Array], b: Sequence[Array], points: int) -> Array:
    """True for each point at which all values are equal, or NaN in both."""
    same = np.ones(points, bool)
    for x, y in zip(a, b, strict=True):
        equal = (x == y) | (np.isnan(x) & np.isnan(y))
        same &= equal.all(axis=tuple(range(1, equal.ndim)))
    return same


def real_operand(v: Variable, made: dict[Variable, Array]) -> Array:
    """The real value of an operand; constants are the floats that they are."""
    return lift(np.asarray(v.data)) if isinstance(v, Constant) else made[v]


def no_formula(node: Apply) -> ArgumentError:
    """The error for an op that is not known over the reals."""
    return ArgumentError(
        f"accuracy: {node.op} has no formula over the real numbers",
        operands=[(str(node.op), node.outputs[0])],
        hint='real="..." in its declaration (docs/ops.md)',
    )


def _dtype(v: Any) -> str:
    return v.type.dtype if v.type.dtype in FLOATS else "float64"


def check_formula(op: str) -> None:
    """Refuse an op that is not known over the reals.

    Errors   Undefined
    """
    if OPS[op].kind == "elemwise" or real_arrays(op) is None:
        formula_of(op)
