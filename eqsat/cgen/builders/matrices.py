"""Calls of a library function for each matrix of a stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Number, eq, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Stop
from eqsat.cgen.ir.writer import BodyWriter


def matrix(x: Memory, batch: Sequence[Expression | int]) -> list[Any]:
    """Address and strides of one matrix of a stack."""
    return [x.place(*batch), *x.s[-2:]]


def failing(w: BodyWriter, op: Any) -> Stop:
    """The end of the call with the error that an op has for a matrix without a result."""
    d = op.declaration
    return w.fail("LinAlgError", f"{d.raises or d.called or op.name}: {d.failure or 'no result'}")


def fill_with_nan(w: BodyWriter, result: Memory, batch: Sequence[Expression | int]) -> None:
    """NaN in one matrix of a result."""
    with w.loops(result.n[len(batch) :], first=len(batch)) as at:
        w.store(result.at(*batch, *at), Number(float("nan"), result.dtype))


def attempt(
    w: BodyWriter,
    op: Any,
    function: str,
    dtype: str,
    *arguments: Any,
    memory: str,
    results: Sequence[Memory] = (),
    batch: Any = (),
) -> None:
    """Call a function that gives 0, or 1 where memory is missing, or else fails: with the error of the op, or NaN in the results."""
    missing = [w.fail("MemoryError", memory)]
    if not op.declaration.raises:
        w.call(function, dtype, *arguments, stops=[*missing, failing(w, op)])
        return
    bad = w.variable(w.fresh("bad"), 0)
    w.call(function, dtype, *arguments, result=bad)
    w.check(eq(bad, 1), "MemoryError", memory)
    with w.when(ne(bad, 0)):
        for r in results:
            fill_with_nan(w, r, batch)


def each_matrix(function: str, flags: Sequence[str] = ()) -> Callable[..., None]:
    """A builder that calls ``function(m, n, flags..., matrix, strides, results...)`` for each matrix of a stack.

    The function is one for ``attempt``; ``flags`` names parameters of the op.
    """

    def write(w: BodyWriter, op: Any, ins: Sequence[Memory], outs: Any) -> None:
        (x,) = ins
        results = outs if isinstance(outs, list) else [outs]
        given = [Number(float(op.params[f]), "float64") for f in flags]
        with w.parallel(x.n[:-2]) as batch:
            arguments = [*x.n[-2:], *given, *matrix(x, batch), *(r.place(*batch) for r in results)]
            memory = f"{op.name}: no memory for a matrix"
            attempt(w, op, function, x.dtype, *arguments, memory=memory, results=results, batch=batch)

    return write
