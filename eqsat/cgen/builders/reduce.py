"""Counts, and places of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.expressions import Cast, Expression, Int, binary, both, either, eq, ne, product
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.max_and_argmax import EMPTY


def split_index(ndim: int, axes: Sequence[int], kept: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """An index from that of the kept axes and that along the reduced ones."""
    rest = iter(kept)
    return [along[axes.index(a)] if a in axes else next(rest) for a in range(ndim)]


def _place(message: str, sign: str, both_results: bool = False) -> Any:
    """The place of the first element that no other one exceeds by ``sign``; with ``both_results`` the element before it."""

    @saying(light=not both_results)
    def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Any) -> None:
        (x,), (*value, place) = ins, out if both_results else [out]
        axes, ndim = op.params["axes"], len(x.n)
        w.check(either(*(eq(x.n[a], 0) for a in axes)), "ShapeError", message)
        with w.parallel([n for a, n in enumerate(x.n) if a not in axes]) as kept:
            best = w.variable("best", 0, x.dtype)
            k, found = w.variable("k", 0), w.variable("place", 0)
            with w.loops([x.n[a] for a in axes], "r") as along:
                v = w.let("v", x.at(*split_index(ndim, axes, kept, along)))
                test = either(eq(k, 0), binary(sign, v, best), both(ne(v, v), eq(best, best)))
                with w.when(test):
                    w.assign(best, v)
                    w.assign(found, k)
                w.assign(k, k + 1)
            target = split_index(ndim, axes, kept, [Int(0)] * len(axes))
            for result in value:
                w.store(result.at(*target), best)
            w.store(place.at(*target), found)

    return write


def count(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    lengths: list[Expression] = [Cast(x.dtype, x.n[a]) for a in op.params["axes"]]
    with w.parallel(out.n) as index:
        w.store(out.at(*index), product(lengths))


argmax = _place("argmax: an axis of length 0 has no argmax", ">")
argmin = _place("argmin: an axis of length 0 has no argmin", "<")
max_and_argmax = _place(EMPTY, ">", both_results=True)
