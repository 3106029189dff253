"""The part of a function that runs it, whether it was compiled, found on disk or is interpreted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import Any, TypeAlias

from eqsat.base.values import dataclass
from eqsat.functions.constants import with_constants
from eqsat.functions.profile import Row
from eqsat.inspect.report import Report

Shipped: TypeAlias = "tuple[str, bytes]"  # the key of a function, and its text and description as bytes


@dataclass(frozen=True, eq=False)
class Executable:
    """``call`` takes arrays and gives arrays, or None where an array is not acceptable.

    A function that was found on disk has not been rewritten in this process: ``later`` rewrites it where ``report`` or
    ``outputs`` is asked for. ``compiled`` is what was built, if anything, and ``device`` where its arrays may lie. ``profile`` gives the time of each step, and ``versions`` the graphs between which calls choose.
    ``shipping`` gives what goes with a pickle, so that the process which reads it need not rewrite the graph.
    """

    call: Any
    graph: list[Any]
    made: Report | None = None
    source: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    from_cache: bool = False
    later: Callable[[], Report] | None = None
    profile: Callable[[], list[Row]] | None = None
    versions: list[Any] = field(default_factory=list)
    device: Any = None
    compiled: Any = None
    shipping: Callable[[], Shipped | None] | None = None

    @cached_property
    def report(self) -> Report | None:
        """The report of the optimiser; None in modes that do not rewrite."""
        return self.made if self.later is None else self.later()

    @cached_property
    def outputs(self) -> list[Any]:
        """The graph that runs."""
        found = None if self.later is None else self.report
        return self.graph if found is None else with_constants(found.optimized)
