"""Calls of a library function for each matrix of a stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Number
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def matrix(x: Memory, batch: Sequence[Expression | int]) -> list[Any]:
    """Address and strides of one matrix of a stack."""
    return [x.place(*batch), *x.s[-2:]]


def each_matrix(function: str, failure: str, flags: Sequence[str] = ()) -> Callable[..., None]:
    """A builder that calls ``function(m, n, flags..., matrix, strides, results...)`` for each matrix of a stack.

    The function gives 0, or 1 where memory is missing, or else the ``failure``, a LinAlgError, is raised.
    ``flags`` names parameters of the op.
    """

    def write(w: BodyWriter, op: Any, ins: Sequence[Memory], outs: Any) -> None:
        (x,) = ins
        results = outs if isinstance(outs, list) else [outs]
        given = [Number(float(op.params[f]), "float64") for f in flags]
        stop = w.fail("LinAlgError", f"{op.name}: {failure}")
        memory = w.fail("MemoryError", f"{op.name}: no memory for a matrix")
        with w.parallel(x.n[:-2]) as batch:
            arguments = [*x.n[-2:], *given, *matrix(x, batch), *(r.place(*batch) for r in results)]
            w.call(function, x.dtype, *arguments, stops=[memory, stop])

    return write
