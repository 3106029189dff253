"""Checks with a message, as views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import negated
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import ViewWriter


def check(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    x, condition = ins
    said = op.params["message"].replace("{", "{{").replace("}", "}}")
    w.check(negated(condition.scalar()), op.params["error"], said)
    return x
