"""Targets: what functions are compiled for. A mode or ``function(target=)`` names one of those that are registered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from eqsat.base.names import meant
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Variable
from eqsat.graph.plan import Plan

if TYPE_CHECKING:
    from eqsat.cgen.c.source import Translation
    from eqsat.cgen.ir.meta import Meta
    from eqsat.cgen.runtime.call import CompiledPlan


@dataclass(frozen=True)
class Tools:
    """The means to build functions here: the compiler, the folder in which objects are kept, whether threads are used, and how many.

    Without a folder nothing is kept after the process. ``threads`` is "auto" for as many as there are cores, ``blas_threads``
    for as many as the library of matrix routines is told.
    """

    compiler: str
    directory: str | None
    openmp: bool
    threads: int | str = "auto"
    blas_threads: int | str = "auto"


class Target(Protocol):
    """Prints plans as text, builds the text and loads what was built.

    ``costs`` has the constants of the cost model that are not those of C on a processor; a model that the user
    chooses is taken as it is. ``program`` is what builds, as in "the C compiler".
    """

    name: str
    program: str
    keeps: bool  # arrays may stay on a device of it

    @property
    def costs(self) -> Mapping[str, float]:
        """The constants of the cost model that are others than those of C on a processor."""

    def tools(self, directory: str | None, openmp: bool) -> Tools | None:
        """The means to build functions on this machine; None, with a warning, where there are none."""

    def prepare(self, tools: Tools, outputs: Sequence[Variable]) -> None:
        """Begin in the background what the functions of some graphs will wait for."""

    def builder(self, name: str) -> Callable[..., Any]:
        """The builder of the ops that give this name: it writes their program, or calls a library."""

    def print(self, plan: Plan, tools: Tools, profile: bool = False) -> Translation:
        """The text of a plan, with a clock around each step if ``profile``."""

    def load(self, source: str, meta: Meta, opaque: Sequence[Apply], tools: Tools) -> CompiledPlan:
        """A text built and loaded.

        Errors   CompilerError for a text that is refused
        """


_known: dict[str, Target | str] = {"c": "eqsat.cgen.c.target:C", "cuda": "eqsat.cgen.cuda.target:Cuda"}


def register(target: Target) -> None:
    """Offer a target under its name."""
    _known[target.name] = target


def target_names() -> list[str]:
    """The names of the targets that are registered.

    >>> target_names()
    ['c', 'cuda']
    """
    return list(_known)


def find_target(name: Any) -> Target:
    """The target of a name.

    Errors   ArgumentError for a name that no target has

    >>> from eqsat.cgen.target import find_target
    >>> find_target("c").program
    'C compiler'
    """
    found = _known.get(name) if isinstance(name, str) else None
    if found is None:
        raise ArgumentError(
            f"there is no target {name!r}",
            needs="one of " + ", ".join(_known),
            hint=meant(name, list(_known), "target={!r}") or "target='c'",
        )
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        found = _known[name] = getattr(import_module(module), attribute)()
    return found


def compile_plan(plan: Plan, tools: Tools, profile: bool = False, target: str = "c") -> CompiledPlan:
    """A plan as a callable. With ``profile``, ``step_seconds()`` says how long the steps took so far."""
    start, found = time.perf_counter(), find_target(target)
    text = found.print(plan, tools, profile)
    printed = time.perf_counter() - start
    compiled = found.load(text.source, text.meta, text.opaque, tools)
    compiled.seconds["emit"] = printed
    return compiled
