"""Calls of a shared function for each matrix of a stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter


def item(x: COperand, core: int) -> str:
    """C text of the address of one matrix (or vector, for ``core`` 1) of a stack; the counters are i0, i1 ..."""
    terms = [f"i{k}*({s})" for k, s in enumerate(x.s[: len(x.s) - core]) if s != "0"]
    return " + ".join([x.ptr, *terms])


def each_matrix(helper: str, failure: str, flags: Sequence[str] = ()) -> Callable[..., None]:
    """C text that calls ``helper(m, n, flags..., matrix, strides, results...)`` for each matrix of a stack.

    The helper gives 0, or 1 where memory is missing, or else the ``failure``, a LinAlgError, is raised.
    ``flags`` names parameters of the op.
    """

    def write(w: CWriter, op: Any, ins: Sequence[COperand], outs: Any) -> None:
        (x,) = ins
        results = outs if isinstance(outs, list) else [outs]
        m, n = x.n[-2:]
        batch = len(x.n) - 2
        arguments = [m, n, *(repr(float(op.params[f])) for f in flags), item(x, 2), x.s[-2], x.s[-1]]
        arguments += [item(r, len(r.n) - batch) for r in results]
        stop = w.fail("LinAlgError", f"{op.name}: {failure}")
        call = f"int64_t bad = {helper}__{x.ctype}({', '.join(arguments)});"
        memory = w.fail("MemoryError", f"{op.name}: no memory for a matrix")
        w.parallel(x.n[:-2], f"{call} if (bad == 1) {memory} if (bad) {stop}")

    return write
