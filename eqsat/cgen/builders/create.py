"""Fillings as views, and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.builders.signature import as_int
from eqsat.cgen.ir.expressions import ZERO, Cast, Expression, Function, both, eq, ne, negated, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.create import ENDLESS, MISFIT


@saying(light=False)
def fill(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    value, *rest = ins
    n, s = [], []
    for axis, scalar in enumerate(rest):
        name = w.define("n", scalar.scalar())
        w.check(name < 0, "ShapeError", "alloc: the length {0} is negative", name)
        if not value.mask[axis]:
            text = MISFIT.replace("{axis}", str(axis))
            w.check(ne(value.n[axis], name), "ShapeError", text, value.n[axis], name)
        n.append(name)
        s.append(ZERO if value.mask[axis] else value.s[axis])
    return value.seen(n, s)


def arange_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    start, stop, step = (v.scalar() for v in ins)
    w.check(eq(step, 0), "ShapeError", "arange: the step is 0")
    if ins[0].dtype in FLOATS:
        low, high, each = (Cast("float64", v) for v in (start, stop, step))
        exact = w.let(w.fresh("length"), Function("ceil", ((high - low) // each,), "float64"))
        w.check(negated(Function("finite", (exact,), "bool")), "ShapeError", ENDLESS)
        return [w.define("n", select(exact > 0, Cast("int64", exact), 0))]
    span = w.define("span", as_int(stop) - as_int(start))
    by = w.define("by", as_int(step))
    steps = (span - select(by > 0, 1, -1)) // by + 1
    return [w.define("n", select(both(eq(span > 0, by > 0), ne(span, 0)), steps, 0))]


def arange(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    start, _, step = (v.scalar() for v in ins)
    t = out.dtype
    first = w.let("first", start)
    by = w.let("by", Cast(t, Cast(t, first + step) - first))
    with w.parallel(out.n) as (i,):
        w.store(out.at(i), Cast(t, first + Cast(t, i) * by))
