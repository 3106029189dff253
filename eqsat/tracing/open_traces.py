"""Traces that are being made; a traced value has none of its own after the end of that in which it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from eqsat.errors import TracingError
from eqsat.graph.walk import graph_inputs
from eqsat.tracing.bounds import ARGUMENTS

LEFT = "a value that was traced has left its function, and is used where it has no value"
KEPT = "return it from the function, and use what the call gives, or give that to the other function as an argument"

_OPEN: ContextVar[int] = ContextVar("open_traces", default=0)


def is_tracing() -> bool:
    """True while a function is traced, by this thread."""
    return _OPEN.get() > 0


@contextmanager
def open_trace() -> Iterator[None]:
    """A ``with`` block in which a function is traced."""
    token = _OPEN.set(_OPEN.get() + 1)
    try:
        yield
    finally:
        _OPEN.reset(token)


def check_own(function: str, outputs: Sequence[Any], own: Iterable[Any]) -> None:
    """Refuse outputs that are computed from an argument of another trace, as one that the other function put into a list.

    Errors   TracingError with these arguments
    """
    known = set(own)
    strange = [v for v in graph_inputs(outputs) if v in ARGUMENTS and v not in known]
    if strange:
        raise TracingError(
            f"{function}: {LEFT}: {strange[0]} is an argument of another trace",
            operands=[(str(v), v) for v in strange],
            hint=KEPT,
        )
