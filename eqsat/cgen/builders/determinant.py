"""Determinants, and the exponential of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.matrices import each_matrix, matrix
from eqsat.cgen.ir.expressions import Number
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def logdet(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """The logarithm that slogdet gives; NaN for a negative determinant unless its size is asked for."""
    (x,) = ins
    memory = w.fail("MemoryError", "logdet: no memory for a matrix")
    with w.parallel(x.n[:-2]) as batch:
        sign = w.row("sign", x.dtype, 1)
        arguments = [*x.n[-2:], *matrix(x, batch), sign.address, out.place(*batch)]
        w.call("slogdet", x.dtype, *arguments, stops=[memory])
        if not op.params["absolute"]:
            with w.when(sign.at(0) < 0):
                w.store(out.at(*batch), Number(float("nan"), x.dtype))


det = each_matrix("det")
slogdet = each_matrix("slogdet")
expm = each_matrix("expm")
