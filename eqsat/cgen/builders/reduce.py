"""Counts, and places of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.expressions import (
    ONE,
    ZERO,
    Cast,
    Expression,
    Int,
    Name,
    Number,
    binary,
    both,
    either,
    eq,
    ne,
    product,
    select,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.max_and_argmax import EMPTY

LONG = 32  # elements of a row from which reading it twice in vectors pays


def split_index(ndim: int, axes: Sequence[int], kept: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """An index from that of the kept axes and that along the reduced ones."""
    rest = iter(kept)
    return [along[axes.index(a)] if a in axes else next(rest) for a in range(ndim)]


def _place(message: str, sign: str, both_results: bool = False) -> Any:
    """The place of the first element that no other one exceeds by ``sign``; with ``both_results`` the element before it."""

    @saying(light=not both_results)
    def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Any) -> None:
        (x,) = ins
        axes, ndim = op.params["axes"], len(x.n)
        w.check(either(*(eq(x.n[a], 0) for a in axes)), "ShapeError", message)
        with w.parallel([n for a, n in enumerate(x.n) if a not in axes]) as kept:
            target = split_index(ndim, axes, kept, [Int(0)] * len(axes))
            results = out if both_results else [out]
            if len(axes) > 1 or x.dtype == "bool":
                _store(w, results, *_in_order(w, sign, x, kept, axes), target)
                return
            n = x.n[axes[0]]
            long = n >= LONG if x.s[axes[0]] == ONE else ZERO
            for test, vectors in ((w.when(long), True), (w.otherwise(), False)):
                with test:
                    _store(w, results, *_in_row(w, sign, x, kept, axes[0], vectors), target)

    return write


def _store(
    w: BodyWriter, out: Sequence[Memory], best: Expression, found: Expression, at: Sequence[Any]
) -> None:
    """Write the place, and before it the element where both are results."""
    for result in out[:-1]:
        w.store(result.at(*at), best)
    w.store(out[-1].at(*at), found)


def _in_order(
    w: BodyWriter, sign: str, x: Memory, kept: Sequence[Any], axes: Sequence[int]
) -> tuple[Expression, Expression]:
    """The extreme over several axes, or the first NaN, and its place."""
    best = w.variable("best", x.at(*split_index(len(x.n), axes, kept, [Int(0)] * len(axes))), x.dtype)
    k, found = w.variable("k", 0), w.variable("place", 0)
    with w.loops([x.n[a] for a in axes], "r") as along:
        v = w.let("v", x.at(*split_index(len(x.n), axes, kept, along)))
        with w.when(either(binary(sign, v, best), both(ne(v, v), eq(best, best)))):
            w.assign(best, v)
            w.assign(found, k)
        w.assign(k, k + 1)
    return best, found


def _in_row(
    w: BodyWriter, sign: str, x: Memory, kept: Sequence[Any], axis: int, vectors: bool
) -> tuple[Expression, Expression]:
    """The extreme along an axis, or NaN, and its first place: a row is read twice, without a test on the way."""
    n, floating = x.n[axis], x.dtype in FLOATS

    def at(r: Expression) -> Expression:
        return x.at(*split_index(len(x.n), [axis], kept, [r]))

    def loop(*combined: tuple[str, Name]) -> Any:
        return w.vector([n], *combined, index="r") if vectors else w.loops([n], "r")

    best, place = w.variable("best", at(Int(0)), x.dtype), w.variable("place", 0)
    nans = w.variable("nans", 0)
    with loop(("max" if sign == ">" else "min", best), *[("+", nans)] * floating) as (r,):
        v = w.let("v", at(r))
        w.assign(best, select(binary(sign, v, best), v, best))
        if floating:
            w.assign(nans, nans + select(ne(v, v), 1, 0))
    with w.when(nans > 0 if floating else ZERO):
        w.assign(best, Number(np.nan, x.dtype))
        with w.loops([n], "r") as (r,):
            v = w.let("v", at(n - r - 1))
            w.assign(place, select(ne(v, v), n - r - 1, place))
    with w.otherwise():
        left = w.variable("left", 0)
        with loop(("max", left)) as (r,):
            k = r if vectors else n - r - 1  # the last one found is the first
            here = select(binary(f"{sign}=", at(k), best), n - k, 0 if vectors else left)
            w.assign(left, select(here > left, here, left) if vectors else here)
        w.assign(place, n - left)
    return best, place


def count(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    lengths: list[Expression] = [Cast(x.dtype, x.n[a]) for a in op.params["axes"]]
    with w.parallel(out.n) as index:
        w.store(out.at(*index), product(lengths))


argmax = _place("argmax: an axis of length 0 has no argmax", ">")
argmin = _place("argmin: an axis of length 0 has no argmin", "<")
max_and_argmax = _place(EMPTY, ">", both_results=True)
