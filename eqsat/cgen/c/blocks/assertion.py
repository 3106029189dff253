"""Checks with a message, as views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CView, CWriter


def check(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    x, condition = ins
    said = op.params["message"].replace("{", "{{").replace("}", "}}")
    w.check(f"!{condition.scalar()}", "AssertError", said)
    return CView(x.ptr, x.n, x.s)
